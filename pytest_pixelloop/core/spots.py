"""The pixels that regions are made of: where they are and what they weigh."""

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
class Spots:
    """Pixels of a picture (``shape`` is height, width): first the mismatched ones, ascending.

    ``positions`` are flat indices, ``weights`` theirs; the first ``mismatched`` of them are
    mismatched, the others are smoothed pixels that touch a mismatched one.
    """

    shape: tuple[int, int]
    positions: NDArray[np.intp]
    weights: NDArray[np.uint16]
    mismatched: int

    def chosen(self, which: NDArray[np.bool_]) -> Spots:
        """Return the spots for which *which* is true."""
        return Spots(
            shape=self.shape,
            positions=self.positions[which],
            weights=self.weights[which],
            mismatched=int(np.count_nonzero(which[: self.mismatched])),
        )

    def rows_and_columns(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return y and x of the spots."""
        y = (self.positions // self.shape[1]).astype(np.int32)
        x = (self.positions - y * np.intp(self.shape[1])).astype(np.int32)
        return y, x


def spots_of(diff: PixelDiff) -> Spots:
    """Return the pixels of a comparison that count."""
    height, width = diff.mask.shape
    positions, deltas = diff.positions, diff.deltas
    if diff.antialiased and diff.mismatch:
        beside = cv2.dilate(diff.mask.view(np.uint8), np.ones((3, 3), np.uint8)).reshape(-1)
        touching = beside[diff.antialiased_positions] != 0
        positions = np.concatenate([positions, diff.antialiased_positions[touching]])
        deltas = np.concatenate([deltas, diff.antialiased_deltas[touching]])
    return Spots(
        shape=(height, width),
        positions=positions,
        weights=pixel_weights(deltas),
        mismatched=diff.mismatch,
    )
