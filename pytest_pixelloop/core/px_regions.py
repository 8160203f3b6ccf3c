"""Pixels that no design node holds, as ``px:`` regions on an 8 px grid.

The picture is laid out in cells of 8 x 8 CSS px. Cells that hold a differing pixel and touch, also
at a corner, are one region: what lies less than 8 CSS px apart is always together, what lies 16
apart never. Cells at fixed places give the same identity to the same place in every iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.finding import Region
from pytest_pixelloop.core.found_region import (
    GRID,
    FoundRegion,
    css_box,
    flat_change,
    sampled,
)
from pytest_pixelloop.core.score import TILE, WEIGHT_UNIT, tile_severities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pytest_pixelloop.core.found_region import Words
    from pytest_pixelloop.core.weight_plane import WeightPlane

_BLOCK = 1 << 18
_FAR = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """Sums over the pixels of each cell, flat; ``shape`` is rows, columns.

    ``pixels`` counts the mismatched ones and ``bounds`` are their left, top, right, bottom in
    device px, half open; ``weight`` is that of all.
    """

    shape: tuple[int, int]
    pixels: NDArray[np.int64]
    weight: NDArray[np.int64]
    bounds: tuple[NDArray[np.int64], ...]


def loose_regions(
    plane: WeightPlane,
    *,
    label: str,
    scale: float,
    pictures: tuple[Words, Words] | None = None,
) -> list[FoundRegion]:
    """Return the regions of what is left in *plane*, in no particular order.

    The severities share those of the tiles, so that their sum does not depend on how the pixels
    are cut into regions.
    """
    if not plane.mismatched.any():
        return []
    cells = _cells(plane, scale=scale)
    occupied = (cells.weight > 0).astype(np.uint8).reshape(cells.shape)
    count, labels = cv2.connectedComponents(occupied, connectivity=8)
    members = _members(labels.astype(np.int32).ravel(), count - 1)
    for smoothing in members:
        if not cells.pixels[smoothing].any():  # it touched what a node has taken
            cells.weight[smoothing] = 0
    severity = _shared_severity(cells, scale=scale)
    return [
        _region(one, cells, severity, label=label, scale=scale, plane=plane, pictures=pictures)
        for one in members
        if cells.pixels[one].any()
    ]


def _cells(plane: WeightPlane, *, scale: float) -> _Cells:
    height, width = plane.weights.shape
    row_of = ((np.arange(height) + 0.5) / (GRID * scale)).astype(np.int64)
    column_of = ((np.arange(width) + 0.5) / (GRID * scale)).astype(np.int64)
    shape = (int(row_of[-1]) + 1, int(column_of[-1]) + 1)
    size = shape[0] * shape[1]
    pixels, weight = np.zeros(size, np.int64), np.zeros(size, np.int64)
    lowest = [np.full(size, _FAR, np.int64) for _ in range(2)]
    highest = [np.zeros(size, np.int64) for _ in range(2)]
    weights, mismatched = plane.weights.reshape(-1), plane.mismatched.reshape(-1)
    for block in _blocks(np.flatnonzero(weights)):
        y, x = np.divmod(block, width)
        cell = row_of[y] * shape[1] + column_of[x]
        # Whole numbers below 2**53: the float sums are exact.
        weight += np.bincount(cell, weights[block], minlength=size).astype(np.int64)
        wrong = mismatched[block]
        cell = cell[wrong]
        pixels += np.bincount(cell, minlength=size)
        for axis, values in enumerate((x[wrong], y[wrong])):
            np.minimum.at(lowest[axis], cell, values)
            np.maximum.at(highest[axis], cell, values + 1)
    return _Cells(shape=shape, pixels=pixels, weight=weight, bounds=(*lowest, *highest))


def _blocks(positions: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    for start in range(0, positions.size, _BLOCK):
        yield positions[start : start + _BLOCK]


def _shared_severity(cells: _Cells, *, scale: float) -> NDArray[np.float64]:
    """Return each cell's part of the severity of its tile, by weight."""
    side = TILE // GRID
    rows, columns = np.divmod(np.arange(cells.pixels.size), cells.shape[1])
    tile = rows // side * (cells.shape[1] // side + 1) + columns // side
    sums = np.bincount(tile, cells.weight).astype(np.int64)
    whole = tile_severities(sums, scale=scale)
    share: NDArray[np.float64] = whole[tile] * cells.weight / np.maximum(sums[tile], 1)
    return share


def _members(labels: NDArray[np.int32], count: int) -> list[NDArray[np.intp]]:
    """Return the cells of each component, ascending."""
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(1, count + 2))
    return [order[starts[number] : starts[number + 1]] for number in range(count)]


def _on_grid(members: NDArray[np.intp], columns: int) -> str:
    """Return the box of some cells in CSS px, as x,y,w,h.

    It names one region only: of two shapes that fill one box to all four sides, one would have to
    cross the other, and shapes that touch are one region.
    """
    y, x = np.divmod(members, columns)
    left, top = int(x.min()) * GRID, int(y.min()) * GRID
    return f"{left},{top},{(int(x.max()) + 1) * GRID - left},{(int(y.max()) + 1) * GRID - top}"


def _region(
    members: NDArray[np.intp],
    cells: _Cells,
    severity: NDArray[np.float64],
    *,
    label: str,
    scale: float,
    plane: WeightPlane,
    pictures: tuple[Words, Words] | None,
) -> FoundRegion:
    wrong = members[cells.pixels[members] > 0]
    bounds = [bound[wrong] for bound in cells.bounds]
    left, top = int(bounds[0].min()), int(bounds[1].min())
    right, bottom = int(bounds[2].max()), int(bounds[3].max())
    pixels = int(cells.pixels[wrong].sum())
    region = Region(
        delta_id=f"{label}/px:{_on_grid(wrong, cells.shape[1])}",
        node=None,
        box=css_box((left, top, right, bottom), scale),
        pixels=pixels,
        mismatch_ratio=pixels / ((right - left) * (bottom - top)),
        weight=int(cells.weight[members].sum()) / WEIGHT_UNIT,
    )
    change = None
    if pictures is not None:
        held = plane.mismatched[top:bottom, left:right]
        colors = [sampled(side[top:bottom, left:right][held]) for side in pictures]
        change = flat_change(colors[:1], colors[1:])
    return FoundRegion(region=region, severity=float(severity[members].sum()), change=change)
