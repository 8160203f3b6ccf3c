"""The design nodes that may hold a differing pixel, and which of them does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.spots import Spots

# Side in device px of the squares in which nodes without a difference are passed over.
COARSE = 32
_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Holders:
    """Nodes with pixels of their own, those that may take first coming first.

    Row by row: ``begin`` and ``end`` are x, y of the first pixel and of the one past the last,
    ``corner`` is the exact corner in device px, ``group`` the number of the node's id. Nodes that
    share an id (a damaged file) are one group. By group: ``nodes`` is the node that stands for
    it, ``own_pixels`` what all its nodes show.
    """

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    corner: NDArray[np.float64]
    group: NDArray[np.int64]
    nodes: tuple[PlacedNode, ...]
    own_pixels: NDArray[np.int64]

    def owners(self, spots: Spots) -> NDArray[np.int64]:
        """Return the number of the holder of each spot, -1 where there is none."""
        y, x = spots.rows_and_columns()
        # Only rows and columns that have a spot are painted: how many came before each edge.
        rows, columns = _numbered(y, spots.shape[0]), _numbered(x, spots.shape[1])
        count = len(self.group)
        kind = np.uint16 if count < np.iinfo(np.uint16).max else np.int32
        plane = np.zeros((rows[-1], columns[-1]), kind)
        rects = np.stack(
            [
                *(columns[self.begin[:, 0]], rows[self.begin[:, 1]]),
                *(columns[self.end[:, 0]], rows[self.end[:, 1]]),
            ],
            axis=1,
        ).tolist()
        for number in range(count - 1, -1, -1):  # who may take first is painted last
            left, top, right, bottom = rects[number]
            plane[top:bottom, left:right] = number + 1
        owner: NDArray[np.int64] = plane[rows[y], columns[x]].astype(np.int64) - 1
        return owner


def _numbered(used: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Return for 0..size how many different numbers in *used* lie below."""
    seen = np.zeros(size, np.bool_)
    seen[used] = True
    numbers: NDArray[np.int64] = np.concatenate([[0], np.cumsum(seen)])
    return numbers


def holders_of(placed: Sequence[PlacedNode], spots: Spots, *, scale: float) -> Holders:
    """Return the holders among *placed* for *spots*; *scale* is device px per CSS px."""
    corner, begin, end = _rectangles(placed, spots.shape, scale=scale)
    shown = (end > begin).all(axis=1) & _touched(spots, begin, end)
    order = sorted(np.flatnonzero(shown).tolist(), key=lambda k: _rank(placed[k]))
    ids: dict[str, int] = {}
    group = [ids.setdefault(placed[k].node.id, len(ids)) for k in order]
    nodes: dict[int, PlacedNode] = {}
    own = np.zeros(len(ids), np.int64)
    areas = (end - begin).clip(0).prod(axis=1).tolist()
    for node, area in zip(placed, areas, strict=True):
        number = ids.get(node.node.id)
        if number is not None and area:
            own[number] += area
            known = nodes.get(number)
            if known is None or (node.depth, node.path) < (known.depth, known.path):
                nodes[number] = node
    return Holders(
        begin=begin[order],
        end=end[order],
        corner=corner[order],
        group=np.array(group, np.int64),
        nodes=tuple(nodes[number] for number in range(len(ids))),
        own_pixels=own,
    )


def _rank(placed: PlacedNode) -> tuple[int, float, str, float, float]:
    """Return the key by which nodes take pixels; nodes that differ in nothing of it are one."""
    return (-placed.depth, placed.box.area, placed.node.id, placed.box.x, placed.box.y)


def _rectangles(
    placed: Sequence[PlacedNode], shape: tuple[int, int], *, scale: float
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each node's exact corner, first pixel and pixel past the last, in device px."""
    boxes = np.array([(n.box.x, n.box.y, n.box.w, n.box.h) for n in placed], np.float64)
    clips = np.array([(n.clip.x, n.clip.y, n.clip.w, n.clip.h) for n in placed], np.float64)
    first = np.maximum(boxes[:, :2], clips[:, :2])
    last = np.minimum(boxes[:, :2] + boxes[:, 2:], clips[:, :2] + clips[:, 2:])
    corner = np.nan_to_num(first * scale)
    limit = (shape[1], shape[0])
    begin, end = (
        # Half up, as Box.pixels rounds, so that neighbours share no pixel; rounded before that,
        # so that the noise in sums like 10.3 + 0.2 makes no gap between them.
        np.floor(np.round(edge, 6) + 0.5).clip(0, limit).astype(np.int64)
        for edge in (corner, np.nan_to_num(last * scale))
    )
    return corner, begin, end


def _touched(spots: Spots, begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rectangles may hold a spot, judged by squares of COARSE device px."""
    height, width = spots.shape
    squares = np.zeros((-(-height // COARSE), -(-width // COARSE)), np.bool_)
    for start in range(0, spots.positions.size, _BLOCK):
        y, x = np.divmod(spots.positions[start : start + _BLOCK], width)
        squares[y // COARSE, x // COARSE] = True
    counts = np.zeros((squares.shape[0] + 1, squares.shape[1] + 1), np.int64)
    counts[1:, 1:] = squares.cumsum(axis=0, dtype=np.int64).cumsum(axis=1)
    (left, top), (right, bottom) = (begin // COARSE).T, (-(-end // COARSE)).T
    inside = counts[bottom, right] - counts[top, right] - counts[bottom, left] + counts[top, left]
    touched: NDArray[np.bool_] = inside > 0
    return touched
