"""Two inks of one leaf, the design's and the capture's, measured against each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.glyphs import DRIFT, GLYPH_LIMIT, Laid, glyph_mismatch
from pytest_pixelloop.core.ink import Ink, profiles, spread, worst_stray
from pytest_pixelloop.core.leaf_search import ALIKE
from pytest_pixelloop.core.node_style import number, text_style
from pytest_pixelloop.core.reading import Reading
from pytest_pixelloop.core.rectangles import Rect, cut, joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode


FRINGED = 0.25
"""Share of off-colour ink from which a text is rendered on sub-pixels."""
_GONE = 0.12
"""Share of the design's ink below which a leaf counts as missing."""


def measure(
    leaf: JudgedNode,
    ink: Ink,
    other: Ink,
    *,
    template: NDArray[np.float32],
    core: Rect,
    extent: Rect,
    em: float,
    scale: float,
    shift: tuple[int, int],
    likeness: float,
    rect: Rect,
) -> Reading:
    """Return the reading of a leaf from both inks; *core* is where the design's ink lies."""
    seen = cut(other.coverage, extent)
    profiles = _Profiles.of(template), _Profiles.of(seen)
    ratio = profiles[1].mass / max(profiles[0].mass, 1e-6)
    amount = ratio * other.contrast / ink.contrast
    if amount < _GONE:
        return Reading(
            at=leaf.at,
            found=False,
            missing=True,
            likeness=likeness,
            ink_rect=rect,
            expected_ink=ink,
            actual_ink=other,
        )
    side = max(round(em / 2), 3)
    left = _padded(template, core, extent)
    right = cut(other.coverage, _both(core, extent))
    worst = worst_stray(left, right, side=side) / em**2
    fringes = (ink.tint > FRINGED, other.tint > FRINGED)
    if fringes[0] != fringes[1]:  # sub-pixel text is smoothed over three pixels, other text is not
        three = np.full((1, 3), 1 / 3, np.float32)
        if fringes[0]:
            right = np.asarray(cv2.filter2D(right, -1, three), np.float32)
        else:
            left = np.asarray(cv2.filter2D(left, -1, three), np.float32)
    masses = cv2.sumElems(left)[0], cv2.sumElems(right)[0]
    level = min(max(masses[0] / max(masses[1], 1e-6), 0.5), 2.0)
    laid = Laid(
        expected=left,
        actual=right * np.float32(level),
        em=em,
        scale=scale,
        pitch=(number(text_style(leaf.node), "lineHeightPx") or 0.0) * scale,
    )
    edges = tuple((b - a) / scale for a, b in zip(core, extent, strict=True))
    return Reading(
        at=leaf.at,
        found=likeness >= ALIKE,
        shift=(shift[0] / scale, shift[1] / scale),
        likeness=likeness,
        stray=worst,
        edges=(edges[0], edges[1], edges[2], edges[3]),
        width_ratio=profiles[1].width / max(profiles[0].width, 0.5),
        height_ratio=profiles[1].height / max(profiles[0].height, 0.5),
        amount_ratio=amount,
        contrast_ratio=other.contrast / ink.contrast,
        ink_rect=rect,
        expected_ink=ink,
        actual_ink=other,
        mismatch=glyph_mismatch(laid),
        em=em / scale,
        light=sum(ink.color.tolist()) > sum(ink.backdrop.tolist()),
        bars=(profiles[0].bar, profiles[1].bar),
        bar_place=max(profiles, key=lambda p: p.bar).bar_place,
        laid=laid,
    )


@dataclass(frozen=True, slots=True)
class _Profiles:
    """How an ink is spread: its mass, its spread across and down, its fullest row.

    ``bar`` is how much of that row is inked, ``bar_place`` how far down in the ink it lies.
    """

    mass: float
    width: float
    height: float
    bar: float
    bar_place: float

    @classmethod
    def of(cls, coverage: NDArray[np.float32]) -> _Profiles:
        columns, rows = profiles(coverage)
        fullest = int(rows.argmax())
        return cls(
            mass=float(np.add.reduce(rows)),
            width=spread(columns)[1],
            height=spread(rows)[1],
            bar=float(rows[fullest]) / len(columns),
            bar_place=(fullest + 0.5) / len(rows),
        )


def relaid(reading: Reading, *, until: float = GLYPH_LIMIT, drift: float = DRIFT) -> Reading:
    """Return the reading with its letters laid on each other more closely, or further away."""
    if reading.laid is None or reading.mismatch <= until:
        return reading
    closer = glyph_mismatch(reading.laid, until=until, drift=drift)
    return replace(reading, mismatch=min(closer, reading.mismatch))


def _padded(template: NDArray[np.float32], core: Rect, extent: Rect) -> NDArray[np.float32]:
    """Return the design's ink laid into the box that holds both inks."""
    x0, y0, x1, y1 = both = _both(core, extent)
    if both == core:
        return template
    out = np.zeros((y1 - y0, x1 - x0), np.float32)
    ox, oy = core[0] - x0, core[1] - y0
    part = template[max(-oy, 0) : y1 - core[1], max(-ox, 0) : x1 - core[0]]
    out[max(oy, 0) : max(oy, 0) + part.shape[0], max(ox, 0) : max(ox, 0) + part.shape[1]] = part
    return out


def _both(core: Rect, extent: Rect) -> Rect:
    x0, y0, x1, y1 = joined(core, extent)
    return max(x0, 0), max(y0, 0), x1, y1
