"""The score of the pixel comparison, version ``pixel-1``. docs/score.md shows why it is this one.

A pixel weighs as much as its colour is off, from 0 to 1 (white for black is 0.97). The mismatched
pixels of one owner, a design node or the ``px:`` regions together, are summed tile by tile (96 x 96
CSS px, from the node's corner), with the smoothed pixels that touch them: a shape's rim is part of
the shape, and how much of it is smoothed depends on the screen. A tile counts with the square root
of its weighted area in CSS px squared, and the score is the sum over all tiles.

Weights are whole numbers of 1/32768, so that sums are exact in any order and on any machine.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.yiq import MAX_DELTA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

SCORE_VERSION = "pixel-1"
WEIGHT_UNIT = 1 << 15
TILE = 96


def pixel_weights(deltas: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Return the weights of pixels by their squared YIQ distance, in units of 1/32768, at least 1.

    The distance enters as a distance, not squared: half the error in a colour is half the weight.
    """
    distance = np.sqrt(np.minimum(deltas / MAX_DELTA, 1.0))
    weights: NDArray[np.uint16] = np.maximum(np.rint(distance * WEIGHT_UNIT), 1).astype(np.uint16)
    return weights


def tile_severities(weights: NDArray[np.int64], *, scale: float) -> NDArray[np.float64]:
    """Return the severities, in CSS px, of tiles with the summed pixel *weights*."""
    severity: NDArray[np.float64] = np.sqrt(weights / WEIGHT_UNIT) / scale
    return severity


def size_severity(expected: tuple[int, int], actual: tuple[int, int], *, scale: float) -> float:
    """Return the severity of a wrong size: 1 + what width and height are off by, in CSS px."""
    off = abs(expected[0] - actual[0]) + abs(expected[1] - actual[1])
    return 1.0 + off / scale


def total(severities: Iterable[float]) -> float:
    """Return the sum of *severities*, exactly rounded, so that their order does not matter."""
    return math.fsum(severities)
