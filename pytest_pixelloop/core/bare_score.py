"""What the differing parts of two pictures count: by their area and by how far colours are off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.perceptual import to_lab_bytes
from pytest_pixelloop.core.score import TILE, WEIGHT_UNIT, tile_severities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.picture_pair import PicturePair

FARTHEST = 255.0
"""Distance in 8-bit Lab from which a pixel weighs 1: about that of white and black."""
LEAST = 0.05
"""What a pixel weighs at least: that it differs visibly was decided before."""


def region_charges(pair: PicturePair, labels: NDArray[np.int32], count: int) -> NDArray[np.float64]:
    """Return what each of *count* labelled regions counts; label 0 is none.

    As in the pixel score: weighted area, its square root taken tile by tile (96 x 96 CSS px of the
    frame), each tile shared out by weight. Regions that grow together thus never count less.
    """
    ys, xs = np.nonzero(labels)
    region = labels[ys, xs]
    left, right = (to_lab_bytes(p)[ys, xs].astype(np.float64) for p in (pair.expected, pair.actual))
    apart = np.sqrt(((left - right) ** 2).sum(axis=1)) / FARTHEST
    weights = np.rint(np.clip(apart, LEAST, 1.0) * WEIGHT_UNIT).astype(np.int64)
    side = TILE * pair.scale
    columns = int(pair.shape[1] // side) + 1
    tile = (ys // side).astype(np.int64) * columns + (xs // side).astype(np.int64)
    sums = np.zeros(int(tile.max(initial=0)) + 1, np.int64)
    np.add.at(sums, tile, weights)
    each = weights * (tile_severities(sums, scale=pair.scale) / np.maximum(sums, 1))[tile]
    charges: NDArray[np.float64] = np.bincount(region, each, minlength=count).astype(np.float64)
    return charges
