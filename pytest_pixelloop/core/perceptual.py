"""Pixels tested against the range of colours around the same place: edges lenient, areas exact.

Two rasterisers put an edge up to half a pixel apart and spread it over one or two pixels. In
either case each pixel's colour lies between the colours that the other picture has within one
pixel. A colour outside that range is content that the other picture does not have there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cv2.typing import MatLike

Bytes = NDArray[np.uint8]

STRAY = 6
"""How far outside the range (Lab units) a colour must lie to count: re-encoding stays below."""

_LIGHTNESS = 100 / 255  # OpenCV stores L* as 0..255


def to_lab_bytes(rgb: Bytes) -> Bytes:
    """Return 8-bit Lab of an RGB picture, as OpenCV packs it."""
    return np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2LAB), np.uint8)


def stray(tested: Bytes, reference: Bytes, *, radius: int = 1) -> Bytes:
    """Return by how many Lab units each pixel lies outside the reference's range around it."""
    kernel = np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)
    above = cv2.subtract(tested, cv2.dilate(reference, kernel))
    below = cv2.subtract(cv2.erode(reference, kernel), tested)
    return _added(cv2.max(above, below))


def stray_at(
    tested: Bytes, reference: Bytes, rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> Bytes:
    """Return the same of some pixels of two RGB pictures alone, in their order."""
    height, width = reference.shape[:2]
    down, across = np.repeat((-1, 0, 1), 3), np.tile((-1, 0, 1), 3)
    y = np.clip(rows[:, None] + down, 0, height - 1)
    x = np.clip(columns[:, None] + across, 0, width - 1)
    around = to_lab_bytes(reference[y, x])
    here = to_lab_bytes(tested[rows, columns][:, None])[:, 0]
    above = cv2.subtract(here, around.max(axis=1))
    below = cv2.subtract(around.min(axis=1), here)
    return _added(cv2.max(above, below)[:, None])[:, 0]


def _added(apart: MatLike) -> Bytes:
    """Return what three bytes of Lab come to, in Lab units."""
    lightness, red, yellow = cv2.split(apart)
    across = cv2.add(red, yellow)
    return np.asarray(cv2.add(cv2.convertScaleAbs(lightness, alpha=_LIGHTNESS), across), np.uint8)


def strays_both_ways(expected: Bytes, actual: Bytes, *, radius: int = 1) -> Bytes:
    """Return the larger of the two one-way tests, pixel by pixel."""
    there = stray(actual, expected, radius=radius)
    back = stray(expected, actual, radius=radius)
    return np.asarray(cv2.max(there, back), np.uint8)
