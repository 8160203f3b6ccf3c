"""The anti-aliasing rule of npm ``pixelmatch`` 7.2, on whole arrays of pixels.

After V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector" (2009): a pixel is taken
for smoothing when it lies between a darker and a brighter neighbour, has at most two equal ones,
and the darkest or the brightest of them belongs to a flat area in both pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.yiq import brightness_delta

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Column by column, as the JavaScript goes: of equally dark neighbours the first one counts.
_AROUND = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0))
MOST_EQUAL = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """A picture as one 32-bit word a pixel, shape (height, width)."""

    words: NDArray[np.uint32]

    @property
    def flat(self) -> NDArray[np.uint32]:
        """The words in one row."""
        return self.words.reshape(-1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Band:
    """The rows that the rule needs around some candidates, of both pictures.

    ``origin`` is the flat index of the band's first pixel. ``calm`` tells for the expected and the
    actual picture which pixels have more than two equal neighbours.
    """

    origin: int
    calm: tuple[NDArray[np.bool_], NDArray[np.bool_]]

    def is_calm(self, which: int, positions: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return whether the pixels at flat *positions* of the picture are calm."""
        result: NDArray[np.bool_] = self.calm[which].take(positions - self.origin)
        return result


def antialiased(
    pictures: tuple[Picture, Picture],
    positions: NDArray[np.intp],
    *,
    ignore: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Return which pixels are smoothing in either of two pictures of one size.

    *positions* are flat indices, ascending, and should lie in a few neighbouring rows. Pixels
    under *ignore* (height, width) count as lying outside of the pictures.
    """
    height, width = pictures[0].words.shape
    first = max(int(positions[0]) // width - 1, 0)
    last = min(int(positions[-1]) // width + 2, height)
    band = _Band(
        origin=first * width,
        calm=(
            _calm(pictures[0].words, first, last, ignore=ignore),
            _calm(pictures[1].words, first, last, ignore=ignore),
        ),
    )
    explained = _smooth_in(0, pictures, positions, band=band, ignore=ignore)
    rest = np.flatnonzero(~explained)
    explained[rest] = _smooth_in(1, pictures, positions[rest], band=band, ignore=ignore)
    return explained


def _calm(
    words: NDArray[np.uint32], first: int, last: int, *, ignore: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    """Return which pixels of the rows first..last have more than two equal neighbours, flat.

    The outside of the picture counts as one equal neighbour, however many pixels are missing.
    """
    height = words.shape[0]
    top, bottom = max(first - 1, 0), min(last + 1, height)
    slab = words[top:bottom]
    usable = None if ignore is None else ~ignore[top:bottom]
    equal = _beside_outside(slab.shape, top == 0, bottom == height, usable=usable).view(np.uint8)
    for here, there in _STEPS:
        same = slab[here] == slab[there]
        if usable is not None:
            same &= usable[here] & usable[there]
        equal[here] += same.view(np.uint8)
        equal[there] += same.view(np.uint8)
    result: NDArray[np.bool_] = equal[first - top : last - top].reshape(-1) > MOST_EQUAL
    return result


_ALL, _BUT_LAST, _BUT_FIRST = slice(None), slice(None, -1), slice(1, None)
_STEPS = (
    ((_ALL, _BUT_LAST), (_ALL, _BUT_FIRST)),
    ((_BUT_LAST, _ALL), (_BUT_FIRST, _ALL)),
    ((_BUT_LAST, _BUT_LAST), (_BUT_FIRST, _BUT_FIRST)),
    ((_BUT_LAST, _BUT_FIRST), (_BUT_FIRST, _BUT_LAST)),
)


def _beside_outside(
    shape: tuple[int, int],
    at_top: bool,  # noqa: FBT001
    at_bottom: bool,  # noqa: FBT001
    *,
    usable: NDArray[np.bool_] | None,
) -> NDArray[np.bool_]:
    """Return which pixels of a slab have a neighbour outside of the picture or not usable."""
    beside = np.zeros(shape, np.bool_)
    beside[:, 0] = beside[:, -1] = True
    if at_top:
        beside[0] = True
    if at_bottom:
        beside[-1] = True
    if usable is not None:
        unusable = (~usable).view(np.uint8)
        beside |= cv2.dilate(unusable, np.ones((3, 3), np.uint8)).view(np.bool_)
    return beside


def _smooth_in(
    which: int,
    pictures: tuple[Picture, Picture],
    positions: NDArray[np.intp],
    *,
    band: _Band,
    ignore: NDArray[np.bool_] | None,
) -> NDArray[np.bool_]:
    """Return which pixels of one of the pictures the rule takes for smoothing."""
    result = np.zeros(positions.size, np.bool_)
    # Equal words are equally bright: most pixels of a page stop here, before any float is spent.
    alive = np.flatnonzero(~band.is_calm(which, positions))
    if not alive.size:
        return result
    centres = positions[alive]
    flat = pictures[which].flat
    index, missing, beside = _neighbours(centres, pictures[which].words.shape, ignore=ignore)
    # A missing neighbour points at the pixel itself: delta 0, neither darker nor brighter.
    delta = brightness_delta(flat.take(centres), flat.take(index), 4 * centres)
    equal = np.count_nonzero(delta == 0, axis=0) - missing + beside
    between = np.flatnonzero(
        (equal <= MOST_EQUAL) & (delta.min(axis=0) < 0) & (delta.max(axis=0) > 0)
    )
    delta, index = delta.take(between, axis=1), index.take(between, axis=1)
    columns = np.arange(between.size)
    calm = np.zeros(between.size, np.bool_)
    for extreme in (delta.argmin(axis=0), delta.argmax(axis=0)):
        pixel = index.reshape(-1).take(extreme * between.size + columns)
        calm |= band.is_calm(0, pixel) & band.is_calm(1, pixel)
    result[alive[between]] = calm
    return result


def _neighbours(
    positions: NDArray[np.intp], shape: tuple[int, int], *, ignore: NDArray[np.bool_] | None
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """Return the eight neighbours' flat indices, how many are missing, and whether any is.

    A missing neighbour (outside of the picture, or ignored) has the pixel's own index.
    """
    height, width = shape
    offsets = np.array([dy * width + dx for dx, dy in _AROUND], np.intp)
    index = positions + offsets[:, np.newaxis]
    rows, columns = np.divmod(positions, width)
    inside = (rows > 0) & (rows < height - 1) & (columns > 0) & (columns < width - 1)
    if ignore is None and inside.all():
        none = np.zeros(positions.size, np.intp)
        return index, none, none.astype(np.bool_)
    steps = np.array(_AROUND, np.intp)
    x, y = columns + steps[:, :1], rows + steps[:, 1:]
    there = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    index = np.where(there, index, positions)
    if ignore is not None:
        there &= ~ignore.reshape(-1)[index]
        index = np.where(there, index, positions)
    missing = len(_AROUND) - np.count_nonzero(there, axis=0)
    return index, missing, missing > 0
