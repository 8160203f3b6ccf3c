"""The pixels that regions are made of: where they are and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
        touching = _beside(diff.mask, diff.antialiased_positions)
        positions = np.concatenate([positions, diff.antialiased_positions[touching]])
        deltas = np.concatenate([deltas, diff.antialiased_deltas[touching]])
    return Spots(
        shape=(height, width),
        positions=positions,
        weights=pixel_weights(deltas),
        mismatched=diff.mismatch,
    )


def _beside(mask: NDArray[np.bool_], positions: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which pixels at the flat *positions* have a neighbour in *mask*, or are in it."""
    height, width = mask.shape
    flat = mask.reshape(-1)
    y, x = np.divmod(positions, width)
    columns = (np.maximum(x - 1, 0), x, np.minimum(x + 1, width - 1))
    beside = np.zeros(positions.size, np.bool_)
    for row in (np.maximum(y - 1, 0), y, np.minimum(y + 1, height - 1)):
        first = row * width
        for column in columns:
            beside |= flat.take(first + column)
    return beside
