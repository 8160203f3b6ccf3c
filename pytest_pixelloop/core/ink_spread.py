"""How inks are spread, and what ink only one of two pictures has, for many crops at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cv2.typing import MatLike
    from numpy.typing import NDArray

    from pytest_pixelloop.core.rectangles import Rect
    from pytest_pixelloop.core.strips import Strip

    Moments = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

_STEPS = np.uint8(200)
"""In how many steps coverage is told where fine differences do not count: a byte holds 1.25."""
_FREE = np.uint8(60)
"""Coverage (0.3) outside the other picture's 3x3 range that rasterisation explains."""
_THREE = np.ones((3, 3), np.uint8)


class Spread(NamedTuple):
    """How an ink is spread: its mass, its spread across and down in px, its fullest row.

    ``bar`` is how much of that row is inked, ``bar_place`` how far down in the ink it lies.
    """

    mass: float
    width: float
    height: float
    bar: float
    bar_place: float


def spreads(sheet: NDArray[np.float32], strip: Strip, boxes: Sequence[Rect]) -> list[Spread]:
    """Return how each crop's ink is spread; *boxes* say where on the sheet it lies."""
    rows = _rows(sheet, strip)
    mass, _, width = _across(sheet, strip)
    height = _down(rows)[2]
    fullest = rows.argmax(axis=0)
    full = rows[fullest, np.arange(len(boxes))]
    figures = (a.tolist() for a in (mass, width, height, full, fullest))
    return [
        Spread(m, w, h, f / (x1 - x0), (at - y0 + 0.5) / (y1 - y0))
        for m, w, h, f, at, (x0, y0, x1, y1) in zip(*figures, boxes, strict=True)
    ]


def masses(sheet: NDArray[np.float32], strip: Strip) -> NDArray[np.float64]:
    """Return how much ink there is in each crop."""
    return np.asarray(strip.summed(_columns(sheet)), np.float64)


def middles(
    sheet: NDArray[np.float32], strip: Strip
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far across and down the middle of each crop's ink lies, in px of the crop."""
    weights = np.stack([np.ones(strip.height), np.arange(strip.height)]).astype(np.float32)
    columns, down = (weights @ sheet).astype(np.float64)
    across = columns * (np.arange(strip.length) - strip.along(strip.starts))
    mass, first, second = strip.summed(np.stack([columns, across, down]))
    some = np.where(mass > 0, mass, 1.0)
    return first / some, second / some


def _columns(sheet: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.asarray(cv2.reduce(sheet, 0, cv2.REDUCE_SUM)[0], np.float64)


def _rows(sheet: NDArray[np.float32], strip: Strip) -> NDArray[np.float32]:
    """Return the sums of the crops' rows (height x crops)."""
    return np.asarray(np.add.reduceat(sheet, strip.starts, axis=1), np.float32)


def _across(sheet: NDArray[np.float32], strip: Strip) -> Moments:
    """Return each crop's mass, and its middle and standard deviation across."""
    columns = _columns(sheet)
    place = np.arange(strip.length) - strip.along(strip.starts)
    first = columns * place
    second = first * place
    return _spread(*strip.summed(np.stack([columns, first, second])))


def _down(rows: NDArray[np.float32]) -> Moments:
    """Return the same down."""
    places = np.arange(len(rows), dtype=np.float64) ** np.arange(3)[:, None]
    return _spread(*(places @ rows))


def _spread(
    mass: NDArray[np.float64], first: NDArray[np.float64], second: NDArray[np.float64]
) -> Moments:
    some = np.where(mass > 0, mass, 1.0)
    middle = first / some
    return mass, middle, np.sqrt(np.maximum(second / some - middle * middle, 0.0))


def strays(
    expected: NDArray[np.float32],
    actual: NDArray[np.float32],
    strip: Strip,
    *,
    sides: Sequence[int],
    little: Sequence[float],
) -> list[float]:
    """Return the most ink in any square of each crop that only one picture has.

    What lies outside the other picture's 3x3 range is such ink, both ways; what lies beyond a crop
    is no end of its ink. *sides* are the squares' in px. Where there is no more than a *little* of
    it in all, that is what is returned. Around each crop there must be a margin.
    """
    left, right = (_bytes(sheet) for sheet in (expected, actual))
    filled = strip.filled().view(np.uint8)
    outside = np.asarray((1 - filled) * 255, np.uint8)
    both_ways = _beyond(right, left, outside), _beyond(left, right, outside)
    beyond = np.asarray(cv2.max(*both_ways), np.uint8)
    over = (np.clip(beyond, _FREE, _STEPS) - _FREE) * filled
    sums = np.asarray(cv2.reduce(over, 0, cv2.REDUCE_SUM, dtype=cv2.CV_64F)[0], np.float64)
    found = strip.summed(sums) / int(_STEPS - _FREE)
    for k in np.flatnonzero(found > np.array(little)).tolist():
        x0, y0, x1, y1 = strip.places[k]
        square, crop = (sides[k], sides[k]), over[y0:y1, x0:x1]
        border = cv2.BORDER_CONSTANT
        summed = cv2.boxFilter(crop, cv2.CV_32F, square, normalize=False, borderType=border)
        found[k] = cv2.minMaxLoc(summed)[1] / int(_STEPS - _FREE)
    return [float(f) for f in found]


def _bytes(sheet: NDArray[np.float32]) -> NDArray[np.uint8]:
    return np.asarray(cv2.convertScaleAbs(sheet, alpha=int(_STEPS)), np.uint8)


def _beyond(
    tested: NDArray[np.uint8], reference: NDArray[np.uint8], outside: NDArray[np.uint8]
) -> MatLike:
    above = cv2.subtract(tested, cv2.dilate(reference, _THREE))
    below = cv2.subtract(cv2.erode(cv2.max(reference, outside), _THREE), tested)
    return cv2.max(above, below)
