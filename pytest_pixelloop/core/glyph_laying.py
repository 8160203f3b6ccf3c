"""Two inks of one line laid on each other part by part: letters drift, and hinting stretches them.

Rounded advances move each letter of a line a little; hinting sets its top and bottom on whole px.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

DRIFT = 1.5
"""CSS px by which a letter may stand elsewhere than the whole text."""
MARGIN = 3
"""Px of nothing around a blurred line."""
LONGER = 0.04
"""Part of its length by which a line may be drawn out to see whether its letters are the same."""
_STEPS_ACROSS = (0.0, -0.5, 0.5, -1.0, 1.0, -1.5, 1.5, -0.25, 0.25, -0.75, 0.75)
_STEPS_DOWN = (0.0, -0.5, 0.5, -1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnlikeLine:
    """A line of which some parts are unlike.

    ``inks`` is its coverage in the design and in the capture, ``left`` and ``right`` are the same
    blurred and with a margin. ``worst`` is how unlike each part of *letter* px is, by its middle;
    ``floor`` is the ink below which a part counts as little.
    """

    inks: tuple[NDArray[np.float32], NDArray[np.float32]]
    left: NDArray[np.float32]
    right: NDArray[np.float32]
    worst: NDArray[np.float32]
    letter: int
    floor: float


def laid_closely(line: UnlikeLine, *, limit: float, reach: float) -> float:
    """Return how unlike the worst part of a line is where each fits best.

    Parts may stand up to *reach* px elsewhere; they are not laid better once all are below *limit*.
    """
    bad = np.flatnonzero(line.worst > limit)
    start = max(int(bad[0]) - line.letter, 0)
    end = min(int(bad[-1]) + line.letter + 1, line.left.shape[1])
    best = line.worst[start:end]
    left = line.left[:, start:end]
    for base in _set_alike(line.inks, line.right):
        for unlike in _laid(left, base[:, start:end], line, _steps(reach)):
            best = np.minimum(best, unlike)
            if float(best.max()) <= limit:
                return float(best.max())
    return float(best.max())


def _set_alike(
    inks: tuple[NDArray[np.float32], NDArray[np.float32]], blurred: NDArray[np.float32]
) -> list[NDArray[np.float32]]:
    """Return the capture's line as it is, and drawn out to the length that the design's has.

    Rounded advances make a line longer as a whole; whether it is too long is judged elsewhere.
    """
    ends = []
    for coverage in inks:
        inked = np.flatnonzero(np.maximum.reduce(coverage, 0) > 0.3)
        if not len(inked):
            return [blurred]
        ends.append((float(inked[0]), float(inked[-1] + 1)))
    (a0, a1), (b0, b1) = ends
    ratio = (a1 - a0) / (b1 - b0)
    if abs((a1 - a0) - (b1 - b0)) < DRIFT or abs(ratio - 1) > LONGER:
        return [blurred]
    matrix = np.array([[ratio, 0, a0 + MARGIN - ratio * (b0 + MARGIN)], [0, 1, 0]], np.float32)
    drawn = cv2.warpAffine(blurred, matrix, (blurred.shape[1], blurred.shape[0]))
    return [blurred, np.asarray(drawn, np.float32)]


def _laid(
    left: NDArray[np.float32], right: NDArray[np.float32], line: UnlikeLine, steps: _Steps
) -> Iterator[NDArray[np.float32]]:
    """Yield how unlike each part is where it fits best across, for one place down after another."""
    square = _squared(left)
    height, width = right.shape
    pad = steps.pad
    for stretch, middle in _stretches(line):
        for dy in _STEPS_DOWN:
            moved = np.zeros((height, width + 2 * pad), np.float32)
            matrix = np.array([[1, 0, 0], [0, stretch, dy + middle * (1 - stretch)]], np.float32)
            moved[:, pad : pad + width] = cv2.warpAffine(right, matrix, (width, height))
            shared, own = steps.products(left, moved)
            both = _summed(square + own, line.letter)
            apart = both - 2 * _summed(shared, line.letter)
            yield np.minimum.reduce(apart / np.maximum(both, np.float32(line.floor)), 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Steps:
    """Steps across by parts of a px: ``part`` of the ink ``whole`` px on, the rest one px less.

    Ink between two px is a mixture of both, so that all steps follow from those by whole px.
    """

    whole: NDArray[np.intp]
    part: NDArray[np.float32]
    pad: int

    def products(
        self, left: NDArray[np.float32], moved: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return by step and column the sums of left times moved ink and of moved ink squared.

        *moved* has ``pad`` empty columns more on each side.
        """
        height, width = left.shape
        down, across = moved.strides
        many = 2 * self.pad + 1
        windows = np.ndarray((height, many, width), np.float32, moved, 0, (down, across, across))
        shared = np.einsum("hw,hjw->jw", left, windows)
        here = (self.pad - self.whole)[:, None] + np.arange(width)
        squares = _squared(moved)
        mixed = np.einsum("hw,hw->w", moved[:, :-1], moved[:, 1:])
        near, far = (1 - self.part)[:, None], self.part[:, None]
        own = near * near * squares[here] + far * far * squares[here - 1]
        own += 2 * near * far * mixed[here - 1]
        first = self.pad - self.whole
        return near * shared[first] + far * shared[first - 1], own


@lru_cache(maxsize=64)
def _steps(reach: float) -> _Steps:
    across = np.array(_STEPS_ACROSS)
    if reach > DRIFT:
        across = np.arange(-int(2 * reach), int(2 * reach) + 1) / 2
    whole = np.floor(across)
    return _Steps(
        whole=whole.astype(np.intp),
        part=(across - whole).astype(np.float32),
        pad=int(max(-whole.min(), whole.max() + 1)),
    )


def _stretches(line: UnlikeLine) -> Iterator[tuple[float, float]]:
    """Yield the vertical stretches to try and their middles: none, and what hinting explains.

    Hinting moves a letter's top and bottom to whole pixels, so a letter may grow by one. That is
    alike in all of the line; in a part of it other letters tell something else.
    """
    yield 1.0, 0.0
    (_, deep), (middle, high) = _down(line.left), _down(line.right)
    if high > 0 and 0 < abs(deep - high) < 0.45:  # 0.29 px of spread is one px of height
        yield deep / high, middle


def _down(ink: NDArray[np.float32]) -> tuple[float, float]:
    """Return how far down an ink's middle lies and the standard deviation from it, in px."""
    rows = np.add.reduce(ink, 1, dtype=np.float64)
    mass, first, second = (np.arange(len(rows)) ** np.arange(3)[:, None] @ rows).tolist()
    if mass <= 0:
        return 0.0, 0.0
    middle = first / mass
    return middle, math.sqrt(max(second / mass - middle * middle, 0.0))


def _squared(ink: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the sum of the squares of each column."""
    return np.asarray(cv2.reduce(ink, 0, cv2.REDUCE_SUM2)[0], np.float32)


def _summed(rows: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Return the sum of *width* px around each one of each row."""
    summed = cv2.boxFilter(rows, -1, (width, 1), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(summed, np.float32)
