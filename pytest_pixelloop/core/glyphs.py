"""Whether two inks are the same letters, however a rasteriser set them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.ink import spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

GLYPH_LIMIT = 0.105
"""How unlike the worst letter of a text may be: the closest pair of digits lies above."""
CALM_LIMIT = 0.05
"""How unlike it may be where all other letters of the same text are alike."""
ODD_ONE = 6.0
"""How many times more unlike than usual in its text a letter is the odd one."""
_STEPS_ACROSS = (0.0, -0.5, 0.5, -1.0, 1.0, -1.5, 1.5, -0.25, 0.25, -0.75, 0.75)
_STEPS_DOWN = (0.0, -0.5, 0.5, -1.0, 1.0)


def glyph_mismatch(
    expected: NDArray[np.float32], actual: NDArray[np.float32], *, em: float, scale: float
) -> float:
    """Return how unlike the worst letter-wide part of two inks is: 0 the same, 1 nothing shared.

    Each part is laid on the other by half pixels first, because rounded advances let the letters
    of a line drift; both are blurred by what anti-aliasing may spread.
    """
    left, right = (_blurred(a, 0.6 * scale**0.5) for a in (expected, actual))
    width = max(round(0.6 * em), 4)
    square, other = (left**2).sum(axis=0), (right**2).sum(axis=0)
    floor = 0.5 * float(np.percentile(_summed(square + other, width), 60))
    worst = _summed(((left - right) ** 2).sum(axis=0), width) / np.maximum(
        _summed(square + other, width), floor
    )
    usual = float(np.percentile(worst[worst > 0], 70)) if (worst > 0).any() else 0.0
    high = float(worst.max())
    alone = high > CALM_LIMIT and high > ODD_ONE * (usual + 0.004)
    limit = CALM_LIMIT if alone else GLYPH_LIMIT
    bad = np.flatnonzero(worst > limit)
    if not len(bad):
        return high
    start, end = max(int(bad[0]) - width, 0), min(int(bad[-1]) + width + 1, left.shape[1])
    best = worst[start:end]
    left, right = left[:, start:end], right[:, start:end]
    for stretch, middle in _stretches(left, right):
        for dy in _STEPS_DOWN:
            for dx in _STEPS_ACROSS:
                down = dy + middle * (1 - stretch)
                matrix = np.array([[1, 0, dx], [0, stretch, down]], np.float32)
                moved = cv2.warpAffine(right, matrix, (right.shape[1], right.shape[0]))
                apart = _summed(((left - moved) ** 2).sum(axis=0), width)
                both = _summed((left**2).sum(axis=0) + (moved**2).sum(axis=0), width)
                best = np.minimum(best, apart / np.maximum(both, floor))
            if float(best.max()) <= limit:
                return float(best.max())
    return max(float(best.max()), GLYPH_LIMIT * 1.01 if alone else 0.0)


def _stretches(left: NDArray[np.float32], right: NDArray[np.float32]) -> list[tuple[float, float]]:
    """Return the vertical stretches to try: none, and the one that hinting explains.

    Hinting moves a letter's top and bottom to whole pixels, so a letter may grow by one.
    """
    (centre, deep), (other, high) = (spread(a.sum(axis=1, dtype=np.float64)) for a in (left, right))
    tries = [(1.0, other)]
    if high > 0 and 0 < abs(deep - high) < 0.45:  # 0.29 px of spread is one px of height
        tries.append((deep / high, other))
    del centre
    return tries


def _blurred(coverage: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    padded = cv2.copyMakeBorder(np.minimum(coverage, 1), 3, 3, 3, 3, cv2.BORDER_CONSTANT)
    return np.asarray(cv2.GaussianBlur(padded, (0, 0), sigma), np.float32)


def _summed(profile: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    row = cv2.boxFilter(
        profile.astype(np.float32)[None],
        -1,
        (width, 1),
        normalize=False,
        borderType=cv2.BORDER_CONSTANT,
    )
    return np.asarray(row[0], np.float32)
