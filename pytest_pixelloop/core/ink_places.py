"""Where ink is: what is not backdrop, the box of a text's ink, how far it goes over its gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.rectangles import Rect

INKED = np.float32(0.15)
"""Coverage from which a pixel is taken for inked."""


def packed(picture: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return an RGB picture as one number a pixel, so that colours can be counted."""
    rgba = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2RGBA), np.uint8)
    return rgba.view(np.uint32)[..., 0]


def touched(codes: NDArray[np.uint32], backdrop: NDArray[np.float32]) -> NDArray[np.uint8] | None:
    """Return 1 where a packed crop is anything but its backdrop; None where that is no colour."""
    red, green, blue = backdrop.astype(np.uint32).tolist()
    if [red, green, blue] != backdrop.tolist():
        return None
    other = codes != np.uint32(red | green << 8 | blue << 16 | 255 << 24)
    return np.asarray(other.view(np.uint8), np.uint8)


def touched_box(places: NDArray[np.uint8]) -> Rect:
    """Return the box of all that is touched."""
    x, y, width, height = cv2.boundingRect(places)
    return x, y, x + width, y + height


def around(places: NDArray[np.uint8], core: Rect, *, gap: int) -> Rect:
    """Return *core* with what is touched beyond it while gaps stay below *gap*, within *places*.

    Whatever extent_of finds lies in it.
    """
    height, width = places.shape
    x0, y0, x1, y1 = max(core[0], 0), max(core[1], 0), min(core[2], width), min(core[3], height)
    if x1 <= x0 or y1 <= y0:
        return 0, 0, width, height
    left, right = _run(np.maximum.reduce(places[y0:y1], 0).tobytes(), x0, x1, gap=gap)
    left, right = (min(left, x0), max(right, x1)) if right > left else (x0, x1)
    rows = np.maximum.reduce(places[:, left:right], 1).tobytes()
    top, bottom = _run(rows, y0, y1, gap=_below(gap))
    return (left, min(top, y0), right, max(bottom, y1)) if bottom > top else (left, y0, right, y1)


def ink_box(coverage: NDArray[np.float32]) -> Rect | None:
    """Return (left, top, right, bottom) of the covered pixels, None for none."""
    if not coverage.size:
        return None
    columns, rows = _columns(coverage), _rows(coverage)
    left, top = columns.find(1), rows.find(1)
    if left < 0 or top < 0:
        return None
    return left, top, columns.rfind(1) + 1, rows.rfind(1) + 1


def inked_beside(coverage: NDArray[np.float32], core: Rect) -> bool:
    """Tell whether there is ink outside of *core*."""
    x0, y0, x1, y1 = (max(v, 0) for v in core)
    sides = coverage[:y0], coverage[y1:], coverage[y0:y1, :x0], coverage[y0:y1, x1:]
    return any(side.size and cv2.minMaxLoc(side)[1] > INKED for side in sides)


def extent_of(coverage: NDArray[np.float32], core: Rect, *, gap: int) -> Rect | None:
    """Return the ink's box: what lies in *core*, and beyond it while gaps stay below *gap*."""
    height, width = coverage.shape
    x0, y0, x1, y1 = max(core[0], 0), max(core[1], 0), min(core[2], width), min(core[3], height)
    if x1 <= x0 or y1 <= y0:
        return None
    left, right = _run(_columns(coverage[y0:y1]), x0, x1, gap=gap)
    if right <= left:
        return None
    top, bottom = _run(_rows(coverage[:, left:right]), y0, y1, gap=_below(gap))
    return (left, top, right, bottom) if bottom > top else None


def _below(gap: int) -> int:
    return max(2 * gap // 3, 2)  # an underline


def _columns(coverage: NDArray[np.float32]) -> bytes:
    """Return 1 by column where it holds ink, else 0: bytes are the quickest to look through."""
    return np.asarray(cv2.reduce(coverage, 0, cv2.REDUCE_MAX) > INKED).tobytes()


def _rows(coverage: NDArray[np.float32]) -> bytes:
    return np.asarray(np.maximum.reduce(coverage, 1) > INKED).tobytes()


def _run(inked: bytes, low: int, high: int, *, gap: int) -> tuple[int, int]:
    """Return where the ink in *low* to *high* begins and ends, over gaps of up to *gap*."""
    first, last = inked.find(1, low, high), inked.rfind(1, low, high)
    if first < 0:
        return 0, 0
    while (before := inked.find(1, max(first - gap, 0), first)) >= 0:
        first = before
    while (after := inked.rfind(1, last + 1, last + gap + 1)) >= 0:
        last = after
    return first, last + 1
