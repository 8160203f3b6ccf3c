"""Whether two inks are the same letters, however a rasteriser set them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.ink import profiles, spread

if TYPE_CHECKING:
    from cv2.typing import MatLike
    from numpy.typing import NDArray

GLYPH_LIMIT = 0.105
"""How unlike the worst letter of a text may be: the closest pair of digits lies above."""
CALM_LIMIT = 0.05
"""How unlike it may be where all other letters of the same text are alike."""
ODD_ONE = 6.0
"""How many times more unlike than usual in its text a letter is the odd one."""
DRIFT = 1.5
"""CSS px by which a letter may stand elsewhere than the whole text."""
LONGER = 0.04
"""Part of its length by which a line may be drawn out to see whether its letters are the same."""
_FULL = np.float32(1)
_STEPS_ACROSS = (0.0, -0.5, 0.5, -1.0, 1.0, -1.5, 1.5, -0.25, 0.25, -0.75, 0.75)
_STEPS_DOWN = (0.0, -0.5, 0.5, -1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Laid:
    """The inks of one text as coverage, laid on each other: the same rows, the same columns.

    ``em`` and ``pitch`` are in device px; ``pitch`` is from line to line, 0 for unknown.
    """

    expected: NDArray[np.float32]
    actual: NDArray[np.float32]
    em: float
    scale: float
    pitch: float = 0.0


def glyph_mismatch(laid: Laid, *, until: float = GLYPH_LIMIT, drift: float = DRIFT) -> float:
    """Return how unlike the worst letter-wide part of two inks is: 0 the same, 1 nothing shared.

    Each part is laid on the other by half pixels first, because rounded advances let the letters
    of a line drift, by up to *drift* CSS px; both are blurred by what anti-aliasing may spread.
    Lines are looked at one by one. Parts are no longer laid better once all are below *until*.
    """
    steps = _steps(drift * laid.scale) if drift > DRIFT else _STEPS_ACROSS
    return max(_line_mismatch(laid, rows, until=until, steps=steps) for rows in _bands(laid))


def _steps(drift: float) -> tuple[float, ...]:
    halves = int(2 * drift)
    return tuple(sign * k / 2 for k in range(halves + 1) for sign in ((1, -1) if k else (1,)))


def _bands(laid: Laid) -> list[slice]:
    """Return the rows of each line: cut where the least ink lies, about a line's pitch apart."""
    height, pitch = len(laid.expected), laid.pitch
    count = 1 + round((height - 0.85 * laid.em) / pitch) if pitch > 0 else 1
    if count <= 1:
        return [slice(0, height)]
    ink = laid.expected.sum(axis=1)
    cuts = [0]
    for k in range(1, count):
        low, high = max(round((k - 0.4) * pitch), cuts[-1] + 1), round((k + 0.1) * pitch)
        if high <= low or high >= height:
            break
        cuts.append(low + int(ink[low:high].argmin()))
    return [slice(a, b) for a, b in zip(cuts, [*cuts[1:], height], strict=True)]


def _line_mismatch(laid: Laid, rows: slice, *, until: float, steps: tuple[float, ...]) -> float:
    left, right = _blurred(laid.expected[rows], laid.actual[rows], 0.6 * laid.scale**0.5)
    width = max(round(0.6 * laid.em), 4)
    square = _squared(left)
    both = _summed(square + _squared(right), width)
    inked = both[both > 0.1 * float(np.maximum.reduce(both))]
    if not len(inked):
        return 0.0
    floor = 0.5 * _ranked(inked, 0.6)
    apart = _summed(_squared(left - right), width)
    worst = np.asarray(apart / np.maximum(both, np.float32(floor)), np.float32)
    high = float(np.maximum.reduce(worst))
    if high <= min(CALM_LIMIT, until):
        return high
    alone = high > ODD_ONE * (_ranked(worst[worst > 0], 0.7) + 0.004)
    limit = min(CALM_LIMIT if alone else GLYPH_LIMIT, until)
    moved = _centred(left, right)
    apart = _summed(_squared(left - moved), width)
    both = _summed(square + _squared(moved), width)
    worst = np.asarray(np.minimum(worst, apart / np.maximum(both, floor)), np.float32)
    high = float(worst.max())
    bad = np.flatnonzero(worst > limit)
    if not len(bad):
        return high
    start, end = max(int(bad[0]) - width, 0), min(int(bad[-1]) + width + 1, left.shape[1])
    best = worst[start:end]
    left = left[:, start:end]
    for base in _set_alike(laid, rows, right):
        best = _closest(left, base[:, start:end], best, width, floor, limit=limit, steps=steps)
        if float(best.max()) <= limit:
            return float(best.max())
    return max(float(best.max()), GLYPH_LIMIT * 1.01 if alone else 0.0)


def _centred(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the second ink moved by parts of a pixel so that its middle is the first one's."""
    (x, y), (other_x, other_y) = _middle(left), _middle(right)
    across = min(max(x - other_x, -DRIFT), DRIFT)
    down = min(max(y - other_y, -DRIFT), DRIFT)
    matrix = np.array([[1, 0, across], [0, 1, down]], np.float32)
    moved = cv2.warpAffine(right, matrix, (right.shape[1], right.shape[0]))
    return np.asarray(moved, np.float32)


def _middle(ink: NDArray[np.float32]) -> tuple[float, float]:
    columns, rows = profiles(ink)
    return spread(columns)[0], spread(rows)[0]


def _ranked(values: NDArray[np.float32], part: float) -> float:
    """Return the value that *part* of the others are below."""
    at = min(int(part * len(values)), len(values) - 1)
    return float(np.partition(values, at)[at])


def _set_alike(laid: Laid, rows: slice, blurred: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Return the capture's line as it is, and drawn out to the length that the design's has.

    Rounded advances make a line longer as a whole; whether it is too long is judged elsewhere.
    """
    ends = []
    for coverage in (laid.expected[rows], laid.actual[rows]):
        inked = np.flatnonzero(coverage.max(axis=0) > 0.3)
        if not len(inked):
            return [blurred]
        ends.append((float(inked[0]), float(inked[-1] + 1)))
    (a0, a1), (b0, b1) = ends
    ratio = (a1 - a0) / (b1 - b0)
    if abs((a1 - a0) - (b1 - b0)) < DRIFT or abs(ratio - 1) > LONGER:
        return [blurred]
    # blurred has three px more on each side
    matrix = np.array([[ratio, 0, a0 + 3 - ratio * (b0 + 3)], [0, 1, 0]], np.float32)
    drawn = cv2.warpAffine(blurred, matrix, (blurred.shape[1], blurred.shape[0]))
    return [blurred, np.asarray(drawn, np.float32)]


def _closest(
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    best: NDArray[np.float32],
    width: int,
    floor: float,
    *,
    limit: float,
    steps: tuple[float, ...],
) -> NDArray[np.float32]:
    """Return how unlike each part is where it fits best; *best* is what is known already."""
    square = _squared(left)
    for stretch, middle in _stretches(left, right):
        for dy in _STEPS_DOWN:
            for dx in steps:
                down = dy + middle * (1 - stretch)
                matrix = np.array([[1, 0, dx], [0, stretch, down]], np.float32)
                moved = cv2.warpAffine(right, matrix, (right.shape[1], right.shape[0]))
                apart = _summed(_squared(left - moved), width)
                both = _summed(square + _squared(moved), width)
                best = np.asarray(np.minimum(best, apart / np.maximum(both, floor)), np.float32)
            if float(best.max()) <= limit:
                return best
    return best


def _stretches(left: NDArray[np.float32], right: NDArray[np.float32]) -> list[tuple[float, float]]:
    """Return the vertical stretches to try: none, and the one that hinting explains.

    Hinting moves a letter's top and bottom to whole pixels, so a letter may grow by one.
    """
    (_, deep), (other, high) = (spread(profiles(a)[1]) for a in (left, right))
    tries = [(1.0, other)]
    if high > 0 and 0 < abs(deep - high) < 0.45:  # 0.29 px of spread is one px of height
        tries.append((deep / high, other))
    return tries


def _blurred(
    expected: NDArray[np.float32], actual: NDArray[np.float32], sigma: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return two inks of one size blurred, with three px of nothing around each."""
    height, width = expected.shape
    sheet = np.zeros((2 * height + 12, width + 6), np.float32)  # both in one go
    np.minimum(expected, _FULL, out=sheet[3 : height + 3, 3:-3])
    np.minimum(actual, _FULL, out=sheet[height + 9 : -3, 3:-3])
    blurred = np.asarray(cv2.GaussianBlur(sheet, (0, 0), sigma), np.float32)
    return blurred[: height + 6], blurred[height + 6 :]


def _squared(ink: MatLike) -> NDArray[np.float32]:
    """Return the sum of the squares of each column."""
    return np.asarray(cv2.reduce(ink, 0, cv2.REDUCE_SUM2), np.float32)


def _summed(profile: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Return the sum of *width* px around each one of a row."""
    summed = cv2.boxFilter(profile, -1, (width, 1), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(summed[0], np.float32)
