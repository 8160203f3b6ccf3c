"""A first glance for many leaves at once: which are surely at home, give or take a px down or up.

Texts drawn by another rasteriser sit up to a px lower. Where a leaf is clearly there it need not be
looked for anywhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.rectangles import joined
from pytest_pixelloop.core.strips import Strip, strips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.rectangles import Rect

Found = tuple[int, int, float]

CLEAR = 0.75
"""Correlation from which a leaf is taken for found at a glance..."""
FALLS = 0.05
"""...if the correlation is so much lower all around."""
EQUAL = 0.01
"""Correlations that differ by less are nearly equal."""
_REACH = 2
_INNER = ((0, 0), (0, -1), (0, 1))
"""Where a leaf may be found (across, down), the nearest first."""
_OUTER = ((0, -2), (0, 2), (-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1))


def glance(
    expected: NDArray[np.uint8], actual: NDArray[np.uint8], rects: Sequence[Rect]
) -> list[Found | None]:
    """Return dx, dy and likeness of each part of a grey picture that is clearly in the other one.

    As find: the correlation coefficient, and of nearly equal ones the nearest. None is said of
    parts that have to be looked for.
    """
    found: list[Found | None] = [None] * len(rects)
    height, width = actual.shape
    room = _REACH, _REACH, width - _REACH, height - _REACH
    some = [
        k for k, r in enumerate(rects) if joined(r, room) == room and r[2] > r[0] and r[3] > r[1]
    ]
    sizes = [(rects[k][3] - rects[k][1], rects[k][2] - rects[k][0]) for k in some]
    for strip in strips(sizes, margin=_REACH):
        picked = [some[k] for k in strip.picks]
        sheets = _sheets(expected, actual, [rects[k] for k in picked], strip)
        for k, place in zip(picked, _clear(_likeness(*sheets, strip)), strict=True):
            found[k] = place
    return found


def _sheets(
    expected: NDArray[np.uint8], actual: NDArray[np.uint8], rects: Sequence[Rect], strip: Strip
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the design's parts, and the capture's with what lies around them."""
    left, right = (np.zeros((strip.height, strip.length), np.uint8) for _ in "lr")
    for (x0, y0, x1, y1), (u0, v0, u1, v1) in zip(rects, strip.places, strict=True):
        left[v0:v1, u0:u1] = expected[y0:y1, x0:x1]
        right[: v1 + _REACH, u0 - _REACH : u1 + _REACH] = actual[
            y0 - _REACH : y1 + _REACH, x0 - _REACH : x1 + _REACH
        ]
    return left.astype(np.float32), right.astype(np.float32)


def _likeness(
    left: NDArray[np.float32], right: NDArray[np.float32], strip: Strip
) -> NDArray[np.float64]:
    """Return the correlation coefficients (places x parts), 0 where a part is of one colour."""
    m = _REACH
    x0, y0, x1, y1 = np.array(strip.places).T
    many = ((x1 - x0) * (y1 - y0)).astype(np.float64)
    mean = strip.summed(np.asarray(cv2.reduce(left, 0, cv2.REDUCE_SUM)[0], np.float64)) / many
    left = (left - strip.along(mean.astype(np.float32))) * strip.filled()
    power = strip.summed(np.asarray(cv2.reduce(left, 0, cv2.REDUCE_SUM2)[0], np.float64))
    spans, core = _spans(right, strip), left[m:-m, m:-m]
    starts = np.maximum(strip.starts - m, 0)
    found = []
    for dx, dy in (*_INNER, *_OUTER):
        ends = np.stack([x0 + dx, x1 + dx], 1).ravel()
        first, second = np.add.reduceat(spans[dy + m], ends, axis=1)[:, ::2]
        there = right[m + dy : strip.height - m + dy, m + dx : strip.length - m + dx]
        shared = np.add.reduceat(np.einsum("hw,hw->w", core, there), starts, dtype=np.float64)
        both = power * np.maximum(second - first * first / many, 0.0)
        found.append(np.where(both > 1, shared / np.sqrt(np.maximum(both, 1.0)), 0.0))
    return np.stack(found)


def _spans(right: NDArray[np.float32], strip: Strip) -> list[NDArray[np.float64]]:
    """Return the columns' sums and sums of squares over as many rows as the parts have.

    One of each from each row on: all rows of a part's surroundings without those above and below.
    """
    m, bottom = _REACH, strip.along(np.array([p[3] for p in strip.places]))
    flat = right.ravel()
    at = (bottom - m) * strip.length + np.arange(strip.length)
    below = [flat[at + k * strip.length] for k in range(2 * m)]
    kinds = (cv2.REDUCE_SUM, cv2.REDUCE_SUM2)
    sums = np.concatenate([cv2.reduce(right, 0, k, dtype=cv2.CV_64F) for k in kinds])
    found = []
    for dy in range(2 * m + 1):
        out = np.array([*right[:dy], *below[dy:]], np.float64)
        found.append(sums - np.stack([np.add.reduce(out, 0), np.add.reduce(out * out, 0)]))
    return found


def _clear(likeness: NDArray[np.float64]) -> list[Found | None]:
    inner, outer = likeness[: len(_INNER)], likeness[len(_INNER) :]
    best = inner.max(axis=0)
    clear = (best >= CLEAR) & (outer.max(axis=0) < best - FALLS)
    nearest = (inner >= best - EQUAL).argmax(axis=0)
    return [
        (*_INNER[k], float(inner[k, n])) if sure else None
        for n, (k, sure) in enumerate(zip(nearest.tolist(), clear.tolist(), strict=True))
    ]
