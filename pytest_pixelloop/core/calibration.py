"""What the two rasterisers make of all text alike: how dark, how wide, how low it sits.

Hinting, gamma and the rounding of advances change every text of a page in the same way. One text
that differs from the others does not differ by rasterisation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_pixelloop.core.reading import Reading

AMOUNT_SPAN = 0.2
"""By how much the amount of ink may differ through rasterisation alone."""
WIDTH_SPAN = 0.05
"""By how much the width of a text may differ through rounded advances alone."""
DROP_SPAN = 1.0
"""CSS px by which all text may sit higher or lower."""
_FEW = 3
_NEAR_SIZE = 1.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The page's common ratios (capture / design) and its common shift down in CSS px.

    ``samples`` are size in CSS px, light on dark or not, and amount ratio of each text; ``known``
    is what was asked already.
    """

    amount: float = 1.0
    width: float = 1.0
    drop: float = 0.0
    count: int = 0
    samples: tuple[tuple[float, bool, float], ...] = ()
    known: dict[tuple[float, bool], tuple[float, bool]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def amount_of(self, reading: Reading) -> tuple[float, bool]:
        """Return the usual amount ratio of texts like this one, and whether there are such texts.

        Like are texts of about the size and of the same polarity: gamma makes light text bolder.
        """
        key = reading.em, reading.light
        if key not in self.known:
            self.known[key] = self._usual(reading.em, light=reading.light)
        return self.known[key]

    def _usual(self, size: float, *, light: bool) -> tuple[float, bool]:
        alike = [
            a
            for em, is_light, a in self.samples
            if is_light is light and em / _NEAR_SIZE <= size <= em * _NEAR_SIZE
        ]
        if len(alike) <= _FEW:
            return self.amount, False
        return 1 + _bounded([a - 1 for a in alike], AMOUNT_SPAN), True


def calibrate(readings: Iterable[Reading]) -> Calibration:
    """Return what the given readings of texts have in common, within what rasterisation explains.

    The median of few says little: it is drawn towards no change at all.
    """
    found = [r for r in readings if r.found and r.readable and r.expected_ink is not None]
    if not found:
        return Calibration()
    trust = min(len(found) / _FEW, 1.0) if len(found) > 1 else 0.0
    return Calibration(
        amount=1 + trust * _bounded([r.amount_ratio - 1 for r in found], AMOUNT_SPAN),
        width=1 + trust * _bounded([r.width_ratio - 1 for r in found], WIDTH_SPAN),
        drop=_drop(found),
        count=len(found),
        samples=tuple((r.em, r.light, r.amount_ratio) for r in found),
    )


def _drop(found: Sequence[Reading]) -> float:
    """Return how much lower all text sits, from the texts that nothing else has moved."""
    still = [r.shift[1] for r in found if abs(r.shift[1]) <= 1.5 * DROP_SPAN]
    if len(still) < max(_FEW, len(found) / 3):
        return 0.0
    return _bounded(still, DROP_SPAN)


def _bounded(values: Sequence[float], span: float) -> float:
    return float(np.clip(np.median(values), -span, span))
