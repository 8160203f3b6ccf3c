"""Integer boxes (left, top, right, bottom) in device px, and cutting pictures by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rect = tuple[int, int, int, int]
_T = TypeVar("_T", bound=np.generic)


def cut(picture: NDArray[_T], rect: Rect) -> NDArray[_T]:
    """Return the part of a picture inside a box."""
    x0, y0, x1, y1 = rect
    if x0 < 0 or y0 < 0 or x1 < 0 or y1 < 0:
        x0, y0, x1, y1 = max(x0, 0), max(y0, 0), max(x1, 0), max(y1, 0)
    return picture[y0:y1, x0:x1]


def grown(rect: Rect, across: int, down: int, shape: tuple[int, int]) -> Rect:
    """Return the box grown on all sides, kept within a picture of (height, width)."""
    height, width = shape
    x0, y0, x1, y1 = rect[0] - across, rect[1] - down, rect[2] + across, rect[3] + down
    if x0 < 0 or y0 < 0 or x1 > width or y1 > height:
        x0, y0 = min(max(x0, 0), width), min(max(y0, 0), height)
        x1, y1 = max(min(x1, width), 0), max(min(y1, height), 0)
    return x0, y0, x1, y1


def inside(rect: Rect, shape: tuple[int, int]) -> Rect | None:
    """Return the part of a box within a picture of (height, width), None for nothing."""
    kept = grown(rect, 0, 0, shape)
    return kept if kept[2] > kept[0] and kept[3] > kept[1] else None


def shifted(rect: Rect, dx: int, dy: int) -> Rect:
    """Return the box moved by (dx, dy)."""
    return rect[0] + dx, rect[1] + dy, rect[2] + dx, rect[3] + dy


def relative(rect: Rect, origin: Rect) -> Rect:
    """Return the box in the coordinates of another box's top left corner."""
    x, y = origin[0], origin[1]
    return rect[0] - x, rect[1] - y, rect[2] - x, rect[3] - y


def joined(first: Rect, second: Rect) -> Rect:
    """Return the smallest box that holds both."""
    return (
        min(first[0], second[0]),
        min(first[1], second[1]),
        max(first[2], second[2]),
        max(first[3], second[3]),
    )


def overlap(first: Rect, second: Rect) -> Rect:
    """Return what two boxes share."""
    return (
        max(first[0], second[0]),
        max(first[1], second[1]),
        min(first[2], second[2]),
        min(first[3], second[3]),
    )
