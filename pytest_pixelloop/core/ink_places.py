"""Where ink is: what is not backdrop, the box of a text's ink, how far it goes over its gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from pytest_pixelloop.core.rectangles import Rect, joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.strips import Strip

INKED = np.float32(0.15)
"""Coverage from which a pixel is taken for inked."""


def touched(codes: NDArray[np.uint32], backdrop: int) -> NDArray[np.uint8]:
    """Return 1 where a packed crop is anything but its backdrop."""
    return np.not_equal(codes, np.uint32(backdrop)).view(np.uint8)


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


def touched_box(places: NDArray[np.uint8]) -> Rect:
    """Return the box of all that is touched."""
    x, y, width, height = cv2.boundingRect(places)
    return x, y, x + width, y + height


def within_rim(marks: Marks, *, rim: int, gap: int) -> Rect:
    """Return a crop without what is touched in its rim alone, apart from all else.

    A text's box ends within a pixel, and its neighbour's begins in it: what shows in the *rim*,
    at least *gap* px from the next ink, is the neighbour's.
    """
    left, right = _apart(marks.columns, rim=rim, gap=gap)
    top, bottom = _apart(marks.rows, rim=rim, gap=gap)
    return left, top, len(marks.columns) - right, len(marks.rows) - bottom


def _apart(inked: bytes, *, rim: int, gap: int) -> tuple[int, int]:
    """Return how many px at the beginning and at the end stand apart from the rest."""
    found = []
    for side in (inked, inked[::-1]):
        end = side.find(0) if side[:1] == b"\1" else 0
        found.append(end if 0 < end <= rim and side.find(1, end) - end >= gap else 0)
    return found[0], found[1]


class Marks(NamedTuple):
    """1 by column and by row of a crop where there is ink, else 0.

    Bytes are the quickest to look through.
    """

    columns: bytes
    rows: bytes

    @property
    def box(self) -> Rect | None:
        """The box of all ink (left, top, right, bottom), None for none."""
        left, top = self.columns.find(1), self.rows.find(1)
        if left < 0 or top < 0:
            return None
        return left, top, self.columns.rfind(1) + 1, self.rows.rfind(1) + 1

    def beside(self, core: Rect) -> bool:
        """Tell whether there is ink outside of *core*."""
        box = self.box
        return box is not None and joined(box, core) != core


def marks_of(inked: NDArray[np.uint8]) -> Marks:
    """Return where a crop's ink is; *inked* is 1 there, else 0."""
    if not inked.size:
        return Marks(b"", b"")
    return Marks(np.maximum.reduce(inked, 0).tobytes(), np.maximum.reduce(inked, 1).tobytes())


def marks_on(inked: NDArray[np.uint8], strip: Strip) -> list[Marks]:
    """Return the same for each crop on a sheet."""
    columns, height = np.maximum.reduce(inked, 0).tobytes(), strip.height
    rows = np.maximum.reduceat(inked, strip.starts, axis=1)
    lines = np.ascontiguousarray(rows.T).tobytes()
    return [
        Marks(columns[x0:x1], lines[k * height : k * height + bottom])
        for k, (x0, _, x1, bottom) in enumerate(strip.places)
    ]


def inked(coverage: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return 1 where a px is taken for inked."""
    return np.greater(coverage, INKED).view(np.uint8)


def extent_of(coverage: NDArray[np.float32], marks: Marks, core: Rect, *, gap: int) -> Rect | None:
    """Return the ink's box: what lies in *core*, and beyond it while gaps stay below *gap*.

    The *marks* are the coverage's.
    """
    if not marks.beside(core):
        return marks.box
    height, width = coverage.shape
    x0, y0, x1, y1 = max(core[0], 0), max(core[1], 0), min(core[2], width), min(core[3], height)
    if x1 <= x0 or y1 <= y0:
        return None
    level = marks.rows.find(1) >= y0 and marks.rows.rfind(1) < y1
    columns = marks.columns if level else marks_of(inked(coverage[y0:y1])).columns
    left, right = _run(columns, x0, x1, gap=gap)
    if right <= left:
        return None
    alone = marks.columns.find(1) >= left and marks.columns.rfind(1) < right
    rows = marks.rows if alone else marks_of(inked(coverage[:, left:right])).rows
    top, bottom = _run(rows, y0, y1, gap=_below(gap))
    return (left, top, right, bottom) if bottom > top else None


def _below(gap: int) -> int:
    return max(2 * gap // 3, 2)  # an underline


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
