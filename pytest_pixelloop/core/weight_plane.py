"""What is left to attribute: which pixels are mismatched, and what each pixel weighs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.score import pixel_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.pixels import PixelDiff


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightPlane:
    """Mismatched pixels and weights of one comparison, both (height, width).

    ``weights`` also holds the smoothed pixels that touch a mismatched one. Whoever takes pixels
    blanks them in both arrays.
    """

    mismatched: NDArray[np.bool_]
    weights: NDArray[np.uint16]


def weight_plane(diff: PixelDiff) -> WeightPlane:
    """Return the plane of a comparison, of which nothing has been taken."""
    weights = np.zeros(diff.mask.shape, np.uint16)
    flat = weights.reshape(-1)
    flat[diff.positions] = pixel_weights(diff.deltas)
    if diff.antialiased:
        beside = cv2.dilate(diff.mask.view(np.uint8), np.ones((3, 3), np.uint8)).reshape(-1)
        touching = beside[diff.antialiased_positions] != 0
        flat[diff.antialiased_positions[touching]] = pixel_weights(
            diff.antialiased_deltas[touching]
        )
    return WeightPlane(mismatched=diff.mask.copy(), weights=weights)
