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
    px_delta_id,
    sampled,
)
from pytest_pixelloop.core.score import TILE, WEIGHT_UNIT, tile_severities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pytest_pixelloop.core.found_region import Words

    Rect = tuple[int, int, int, int]

_BLOCK = 1 << 18
_FAR = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """Sums over the differing pixels of each cell, flat; ``shape`` is rows, columns.

    ``bounds`` are the cells' left, top, right, bottom in device px, half open.
    """

    shape: tuple[int, int]
    pixels: NDArray[np.int64]
    weight: NDArray[np.int64]
    bounds: tuple[NDArray[np.int64], ...]


def loose_regions(
    plane: NDArray[np.uint16],
    *,
    label: str,
    scale: float,
    pictures: tuple[Words, Words] | None = None,
) -> list[FoundRegion]:
    """Return the regions of the weights in *plane* (height, width), in no particular order.

    The severities share those of the tiles, so that their sum does not depend on how the pixels
    are cut into regions.
    """
    positions = np.flatnonzero(plane)
    if not positions.size:
        return []
    cells = _cells(plane, positions, scale=scale)
    severity = _shared_severity(cells, scale=scale)
    occupied = (cells.pixels > 0).astype(np.uint8).reshape(cells.shape)
    count, labels = cv2.connectedComponents(occupied, connectivity=8)
    components = labels.astype(np.int32).ravel()
    groups = _groups(cells, components, count - 1, label=label, scale=scale)
    return [
        _region(delta_id, members, cells, severity, scale=scale, plane=plane, pictures=pictures)
        for delta_id, members in groups.items()
    ]


def _cells(plane: NDArray[np.uint16], positions: NDArray[np.intp], *, scale: float) -> _Cells:
    height, width = plane.shape
    row_of = ((np.arange(height) + 0.5) / (GRID * scale)).astype(np.int64)
    column_of = ((np.arange(width) + 0.5) / (GRID * scale)).astype(np.int64)
    shape = (int(row_of[-1]) + 1, int(column_of[-1]) + 1)
    size = shape[0] * shape[1]
    pixels, weight = np.zeros(size, np.int64), np.zeros(size, np.int64)
    lowest = [np.full(size, _FAR, np.int64) for _ in range(2)]
    highest = [np.zeros(size, np.int64) for _ in range(2)]
    flat = plane.reshape(-1)
    for block in _blocks(positions):
        y, x = np.divmod(block, width)
        cell = row_of[y] * shape[1] + column_of[x]
        pixels += np.bincount(cell, minlength=size)
        # Whole numbers below 2**53: the float sums are exact.
        weight += np.bincount(cell, flat[block], minlength=size).astype(np.int64)
        for axis, values in enumerate((x, y)):
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


def _groups(
    cells: _Cells, labels: NDArray[np.int32], count: int, *, label: str, scale: float
) -> dict[str, NDArray[np.intp]]:
    """Return the cells of each region by delta_id.

    Two components that interlock can have one and the same box: one identity is one region.
    """
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(1, count + 2))
    groups: dict[str, list[NDArray[np.intp]]] = {}
    for number in range(count):
        members = order[starts[number] : starts[number + 1]]
        box = css_box(_bounds(cells, members), scale)
        groups.setdefault(px_delta_id(label, box), []).append(members)
    return {delta_id: np.sort(np.concatenate(parts)) for delta_id, parts in groups.items()}


def _bounds(cells: _Cells, members: NDArray[np.intp]) -> Rect:
    left, top, right, bottom = (bound[members] for bound in cells.bounds)
    return int(left.min()), int(top.min()), int(right.max()), int(bottom.max())


def _region(
    delta_id: str,
    members: NDArray[np.intp],
    cells: _Cells,
    severity: NDArray[np.float64],
    *,
    scale: float,
    plane: NDArray[np.uint16],
    pictures: tuple[Words, Words] | None,
) -> FoundRegion:
    left, top, right, bottom = rect = _bounds(cells, members)
    pixels = int(cells.pixels[members].sum())
    region = Region(
        delta_id=delta_id,
        node=None,
        box=css_box(rect, scale),
        pixels=pixels,
        mismatch_ratio=pixels / ((right - left) * (bottom - top)),
        weight=int(cells.weight[members].sum()) / WEIGHT_UNIT,
    )
    change = None
    if pictures is not None:
        held = plane[top:bottom, left:right] != 0
        colors = [sampled(side[top:bottom, left:right][held]) for side in pictures]
        change = flat_change(colors[:1], colors[1:])
    return FoundRegion(region=region, severity=float(severity[members].sum()), change=change)
