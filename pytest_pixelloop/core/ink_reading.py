"""The inks of many crops, read together: how much, in what colour, where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from pytest_pixelloop.core.ink import FULL, GRAIN, PLAIN, Ink, largest_channel
from pytest_pixelloop.core.ink_places import Marks, marks_on
from pytest_pixelloop.core.ink_places import inked as inked_places
from pytest_pixelloop.core.rectangles import cut
from pytest_pixelloop.core.strips import Strip, strips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.rectangles import Rect

_APART = 1024.0
"""More than ink can be deep: what keeps the inks of two crops apart when they are sorted."""


class InkCrop(NamedTuple):
    """A crop and the colour it lies on; *share* of it is about that colour.

    *levelled*: a gradient under it was taken out.

    *core* (left, top, right, bottom) is where the ink is known to be its owner's: it sets the
    direction and the scale of the coverage; around it the crop may show neighbours.
    """

    crop: NDArray[np.uint8]
    backdrop: NDArray[np.float32]
    core: Rect
    share: float = 1.0
    levelled: bool = False


def read_inks(crops: Sequence[InkCrop]) -> list[tuple[Ink, Marks] | None]:
    """Return the ink of each crop and where it is, None where the crop's core has none."""
    found: list[tuple[Ink, Marks] | None] = [None] * len(crops)
    some = [k for k, c in enumerate(crops) if _has_core(c)]
    sizes = [(crops[k].crop.shape[0], crops[k].crop.shape[1]) for k in some]
    for strip in strips(sizes):
        picked = [some[k] for k in strip.picks]
        inks = _StripOfInks([crops[k] for k in picked], strip).read()
        for k, ink in zip(picked, inks, strict=True):
            found[k] = ink
    return found


def _has_core(asked: InkCrop) -> bool:
    x0, y0, x1, y1 = asked.core
    height, width = map(int, asked.crop.shape[:2])
    return max(x0, 0) < min(x1, width) and max(y0, 0) < min(y1, height)


class _StripOfInks:
    """Crops on one sheet: ``size`` is how far each px is from its backdrop, ``apart`` by channel.

    ``core`` is 1 in the crops' cores.
    """

    def __init__(self, crops: Sequence[InkCrop], strip: Strip) -> None:
        self.crops, self.strip = crops, strip
        self.ground = np.array([c.backdrop for c in crops], np.float32).T
        plain = np.repeat(np.rint(self.ground.T).astype(np.uint8), strip.widths, axis=0)
        bare = np.empty((strip.height, strip.length, 3), np.uint8)
        bare[:] = plain
        sheet = bare.copy()
        core = np.ones((strip.height, strip.length), np.uint8)
        for (left, _, right, bottom), asked in zip(strip.places, crops, strict=True):
            sheet[:bottom, left:right] = asked.crop
            x0, y0, x1, y1 = asked.core
            if x0 > 0 or y0 > 0 or x1 < right - left or y1 < bottom:
                core[:bottom, left:right] = 0
                cut(core, (left + max(x0, 0), y0, min(left + x1, right), y1))[:] = 1
        self.core = core
        self.size = largest_channel(cv2.absdiff(sheet, bare))
        self.apart = np.array(cv2.split(sheet), np.float32)
        self.apart -= strip.along(self.ground)[:, None]

    def read(self) -> list[tuple[Ink, Marks] | None]:
        """Return the ink of each crop and where it is, None for no ink.

        Its direction is that of what is furthest from the backdrop; coverage is how far a px lies
        along it, 1 where the ink is deepest.
        """
        strip, core = self.strip, self.core
        own = np.asarray(cv2.multiply(self.size, core), np.uint8)
        deepest = strip.largest(np.maximum.reduce(own, 0))
        towards = self._sums(own > strip.along(deepest >> 1))
        length = np.sqrt((towards * towards).sum(axis=0))
        direction = (towards / np.maximum(length, 1e-9)).astype(np.float32)
        turned = strip.along(direction)
        along = np.einsum("chw,cw->hw", self.apart, turned)
        inked = np.asarray(cv2.threshold(self.size, GRAIN, 1, cv2.THRESH_BINARY)[1], np.uint8)
        raw = along[::2].copy()
        along *= inked
        held = along * core
        peak = self._peaks(held)
        covered = np.asarray(cv2.multiply(inked, core), np.uint8)
        total = self._sums(covered).T
        tint = self._fringes(raw, turned, held).tolist()
        coverage = along * strip.along((1 / np.maximum(peak, 1e-6)).astype(np.float32))
        np.clip(coverage, 0, FULL, out=coverage)
        color = (self.ground + direction * peak.astype(np.float32)).T
        marks = marks_on(inked_places(coverage), strip)
        there = (deepest > GRAIN) & (length > 0) & (peak > 0)
        return [
            (
                Ink(
                    backdrop=asked.backdrop,
                    color=color[k],
                    contrast=float(peak[k]),
                    total=total[k],
                    plain=asked.share > PLAIN,
                    tint=tint[k],
                    levelled=asked.levelled,
                    coverage=part,
                ),
                marks[k],
            )
            if there[k]
            else None
            for k, (asked, part) in enumerate(zip(self.crops, strip.parts(coverage), strict=True))
        ]

    def _sums(self, where: NDArray[np.bool_] | NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return how far all px of each crop at some places are from the backdrop, by channel."""
        weight = where.astype(np.float32)
        return self.strip.summed(np.einsum("chw,hw->cw", self.apart, weight).astype(np.float64))

    def _peaks(self, held: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return how deep each ink is where it is deepest: the mean of a few px, 0 for no ink.

        The deepest few px are in as many columns at most: those in which the deepest are deepest.
        """
        strip, numbers = self.strip, np.arange(len(self.crops))
        inked = np.asarray(cv2.threshold(held, GRAIN, 1, cv2.THRESH_BINARY)[1], np.float32)
        many = strip.summed(np.asarray(cv2.reduce(inked, 0, cv2.REDUCE_SUM))[0]).astype(np.intp)
        few = np.minimum(np.maximum(many // 200, 3), many)
        highest = np.maximum.reduce(held, 0) + strip.along(numbers * _APART)
        taken = np.minimum(few, strip.widths)
        last = strip.starts + strip.widths - np.cumsum(taken)
        columns = np.argsort(highest)[np.arange(taken.sum()) + np.repeat(last, taken)]
        apart = held[:, columns] + np.repeat(numbers * _APART, taken)
        ends = np.cumsum(taken * strip.height)
        keys = np.append(np.sort(apart, axis=None), 0.0)
        sums = np.add.reduceat(keys, np.stack([ends - few, ends], 1).ravel())[::2]
        means = sums / np.maximum(few, 1) - numbers * _APART
        return np.asarray(np.where(few > 0, means, 0.0), np.float64)

    def _fringes(
        self,
        raw: NDArray[np.float32],
        turned: NDArray[np.float32],
        held: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """Return how much of each ink lies off its own colour's direction.

        Every other row tells.
        """
        off = np.abs(self.apart[:, ::2] - raw * turned[:, None])
        beside = np.add.reduce(off, 0) * self.core[::2]
        sums = np.add.reduce(beside, 0), np.add.reduce(held[::2], 0)
        across, along = (self.strip.summed(s.astype(np.float64)) for s in sums)
        return np.asarray(across / np.maximum(along, 1.0), np.float64)
