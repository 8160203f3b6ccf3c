"""Pixels that no design node holds, as ``px:`` regions on an 8 px grid.

The picture is laid out in cells of 8 x 8 CSS px. Cells that hold a differing pixel and touch, also
at a corner, are one region: what lies less than 8 CSS px apart is always together, what lies 16
apart never. Cells at fixed places give the same identity to the same place in every iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.finding import Region
from pytest_pixelloop.core.found_region import GRID, FoundRegion
from pytest_pixelloop.core.score import TILE, WEIGHT_UNIT, tile_severities
from pytest_pixelloop.core.spot_groups import grouped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.spot_groups import Words
    from pytest_pixelloop.core.spots import Spots


def loose_regions(
    spots: Spots,
    *,
    label: str,
    scale: float,
    pictures: tuple[Words, Words] | None = None,
) -> list[FoundRegion]:
    """Return the regions of *spots*, in no particular order.

    The severities share those of the tiles, so that their sum does not depend on how the pixels
    are cut into regions.
    """
    if not spots.mismatched:
        return []
    cell, columns, rows = _cells(spots, scale=scale)
    occupied = np.zeros(rows * columns, np.uint8)
    occupied[cell] = 1
    count, labels = cv2.connectedComponents(occupied.reshape(rows, columns), connectivity=8)
    component = labels.reshape(-1)[cell].astype(np.int64)
    wrong = component[: spots.mismatched]
    counted = np.bincount(wrong, minlength=count) > 0
    # Smoothing may be left alone here, where it touched what a node holds.
    weights = np.where(counted[component], spots.weights, 0)
    severity = _shared_severity(cell, columns, weights, scale=scale)
    by_component = np.bincount(component, severity, minlength=count).tolist()
    weight = np.bincount(component, weights, minlength=count).tolist()
    boxes = _grid_boxes(cell[: spots.mismatched], columns, wrong, count)
    return [
        FoundRegion(
            region=Region(
                delta_id=f"{label}/px:{boxes[group.number]}",
                node=None,
                box=group.box,
                pixels=group.pixels,
                mismatch_ratio=group.pixels / group.area,
                weight=weight[group.number] / WEIGHT_UNIT,
            ),
            severity=by_component[group.number],
            change=group.change,
        )
        for group in grouped(spots, wrong, scale=scale, pictures=pictures)
    ]


def _cells(spots: Spots, *, scale: float) -> tuple[NDArray[np.int64], int, int]:
    """Return the cell of each spot, row by row, and how many columns and rows there are."""
    y, x = spots.rows_and_columns()
    height, width = spots.shape
    row_of = ((np.arange(height) + 0.5) / (GRID * scale)).astype(np.int64)
    column_of = ((np.arange(width) + 0.5) / (GRID * scale)).astype(np.int64)
    columns, rows = int(column_of[-1]) + 1, int(row_of[-1]) + 1
    cell: NDArray[np.int64] = row_of[y] * columns + column_of[x]
    return cell, columns, rows


def _shared_severity(
    cell: NDArray[np.int64], columns: int, weights: NDArray[np.int64], *, scale: float
) -> NDArray[np.float64]:
    """Return each spot's part of the severity of its tile, by weight."""
    side = TILE // GRID
    tile = cell // columns // side * (columns // side + 1) + cell % columns // side
    # Whole numbers below 2**53: the float sums are exact.
    sums = np.bincount(tile, weights).astype(np.int64)
    per_weight = tile_severities(sums, scale=scale) / np.maximum(sums, 1)
    share: NDArray[np.float64] = per_weight[tile] * weights
    return share


def _grid_boxes(
    cell: NDArray[np.int64], columns: int, component: NDArray[np.int64], count: int
) -> list[str]:
    """Return the box of each component's cells in CSS px, as x,y,w,h.

    It names one region only: of two shapes that fill one box to all four sides, one would have to
    cross the other, and shapes that touch are one region.
    """
    used, index = np.unique(cell, return_index=True)
    row, column = np.divmod(used, columns)
    owner = component[index]
    first, last = np.full((2, count), np.iinfo(np.int64).max), np.zeros((2, count), np.int64)
    for axis, values in enumerate((column, row)):
        np.minimum.at(first[axis], owner, values * GRID)
        np.maximum.at(last[axis], owner, (values + 1) * GRID)
    return [
        f"{x},{y},{right - x},{bottom - y}"
        for x, y, right, bottom in np.vstack([first, last]).T.tolist()
    ]
