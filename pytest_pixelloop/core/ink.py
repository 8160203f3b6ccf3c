"""Ink on a plain backdrop: how much, in what colour, where, and whether it forms the same shapes.

Text and single-coloured icons are read as coverage (0 backdrop, 1 ink), so that a wrong colour of
the backdrop or of the ink does not hide, and is not mistaken for, a wrong shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from cv2.typing import MatLike
    from numpy.typing import NDArray

GRAIN = 5.0
"""Levels (0..255) by which a plain backdrop may vary: compression, dithering, blending."""
PLAIN = 0.3
"""Share of a crop that one colour must have to be its backdrop."""
FULL = np.float32(1.25)
"""Coverage above which there is no more: ink is darkest in few places."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ink:
    """The ink of one crop.

    ``total`` is the summed difference from the backdrop by channel (levels x device px);
    ``color`` the ink's own colour as far as strokes reach it; ``plain`` tells whether the
    backdrop is one colour, without which the rest means little; ``tint`` is how much of the ink is
    off its own colour: sub-pixel text has coloured fringes. ``levelled``: a gradient was taken out.
    """

    backdrop: NDArray[np.float32]
    color: NDArray[np.float32]
    contrast: float
    coverage: NDArray[np.float32]
    total: NDArray[np.float64]
    plain: bool
    tint: float = 0.0
    levelled: bool = False


def covered_like(crop: NDArray[np.uint8], ink: Ink) -> NDArray[np.float32]:
    """Return the coverage of another crop of the same picture by the same ink."""
    ground = np.array((*ink.backdrop.tolist(), 0.0), np.float64)
    size = largest_channel(cv2.absdiff(crop, ground))
    inked = cv2.threshold(size, GRAIN, 1, cv2.THRESH_BINARY)[1]
    apart = cv2.subtract(crop, ground, dtype=cv2.CV_32F)
    direction = (ink.color - ink.backdrop)[None] * np.float32(1 / ink.contrast)
    along = np.asarray(cv2.copyTo(cv2.transform(apart, direction), inked), np.float32)
    return np.asarray(np.clip(along * np.float32(1 / ink.contrast), 0, FULL), np.float32)


def largest_channel(apart: MatLike) -> NDArray[np.uint8]:
    """Return the largest of three channels."""
    red, green, blue = cv2.split(apart)
    return np.asarray(cv2.max(cv2.max(red, green), blue), np.uint8)


def find(
    template: NDArray[np.float32] | NDArray[np.uint8],
    window: NDArray[np.float32] | NDArray[np.uint8],
    *,
    home: tuple[int, int],
) -> tuple[int, int, float]:
    """Return (dx, dy, likeness) of the template in the window, relative to *home* in it.

    Among nearly equal matches the one nearest to *home* counts: repeated content is everywhere.
    """
    low, high, *_ = cv2.minMaxLoc(template)
    method = cv2.TM_CCORR_NORMED if high - low < 1e-3 else cv2.TM_CCOEFF_NORMED
    # As floats it takes half the time.
    places = window.astype(np.float32, copy=False), template.astype(np.float32, copy=False)
    likeness = cv2.matchTemplate(*places, method)
    best = cv2.minMaxLoc(likeness)[1]
    rows, columns = np.nonzero(likeness >= best - 0.01)
    x, y = min(
        zip(columns.tolist(), rows.tolist(), strict=True),
        key=lambda place: (place[0] - home[0]) ** 2 + (place[1] - home[1]) ** 2,
    )
    return x - home[0], y - home[1], float(likeness[y, x])
