"""The score of the pixel comparison, version ``pixel-1``. docs/score.md derives the formula.

A pixel weighs from 1/2 (its colour is just off) to 1 (black for white). The mismatched pixels of
one owner, a design node or the ``px:`` regions together, are summed tile by tile (96 x 96 CSS px,
from the node's corner); a tile counts with the square root of its weighted area, and the score is
the sum over all tiles of all owners. Weights are whole numbers of 1/32768, so that sums are exact
in any order and on any machine.
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
    """Return the weights of pixels by their squared YIQ distance, in units of 1/32768.

    The distance enters as a distance, not squared: halving a colour's error halves the part of
    the weight that depends on it.
    """
    distance = np.sqrt(np.minimum(deltas / MAX_DELTA, 1.0))
    return np.rint((0.5 + 0.5 * distance) * WEIGHT_UNIT).astype(np.uint16)


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
