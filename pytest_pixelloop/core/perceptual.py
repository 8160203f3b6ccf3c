"""Pixels tested against the range of colours around the same place: edges lenient, areas exact.

Two rasterisers put an edge up to half a pixel apart and spread it over one or two pixels. In
either case each pixel's colour lies between the colours that the other picture has within one
pixel. A colour outside that range is content that the other picture does not have there.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

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
    lightness, red, yellow = cv2.split(cv2.max(above, below))
    across = cv2.add(red, yellow)
    return np.asarray(cv2.add(cv2.convertScaleAbs(lightness, alpha=_LIGHTNESS), across), np.uint8)


def strays_both_ways(expected: Bytes, actual: Bytes, *, radius: int = 1) -> Bytes:
    """Return the larger of the two one-way tests, pixel by pixel."""
    there = stray(actual, expected, radius=radius)
    back = stray(expected, actual, radius=radius)
    return np.asarray(cv2.max(there, back), np.uint8)
