"""Matching by structure and place: containers through what they hold, the rest by their boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.dom import is_picture
from pytest_pixelloop.core.matches import FoundBy
from pytest_pixelloop.core.pairing import is_text_node, overlap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.pairing import Board

_SHAPES = frozenset(
    ("VECTOR", "BOOLEAN_OPERATION", "LINE", "STAR", "POLYGON", "REGULAR_POLYGON", "ELLIPSE")
)
_LEAST_BOX = 0.55
_OUTSIDE = 0.6
_AT_ONCE = 64
"""Nodes that are held against all elements in one go."""
_ORDER_CONFIDENCE, _ROW_CONFIDENCE = 0.5, 0.85


def match_containers(board: Board, *, least: float) -> None:
    """Pair containers with the elements that hold what their children were paired with.

    The surest first; of nested equal boxes the innermost first, so that the inner goes to the
    inner. *least* is the score 0..1 from which a pair counts.
    """
    leaves = _leaf_elements(board)
    total = _counts_under(board, {m for found in leaves.values() for m in found})
    scored: list[tuple[float, int, int, int, int]] = []
    nodes = [i for i in board.open_nodes(text=False) if leaves.get(i.node.id)]
    for n, item in enumerate(nodes):
        scored.extend(
            (-score, -item.depth, -len(board.ancestors[index]), n, index)
            for score, index in _container_scores(board, item, leaves[item.node.id], total, least)
        )
    for negative, _, _, n, index in sorted(scored):
        if _fits(board, nodes[n], index):
            board.take(
                nodes[n].node.id,
                index,
                found_by=FoundBy.STRUCTURE,
                confidence=min(0.96, -negative),
                is_text=False,
            )
    board.refresh()


def _container_scores(
    board: Board, item: PlacedNode, inside: set[int], total: dict[int, int], least: float
) -> Iterator[tuple[float, int]]:
    """Yield the scores, from *least*, of the elements that hold any of what lies in a container.

    By how much of it they hold and of nothing else, by overlap, and by whether both are painted.
    """
    box = board.drifted(item)
    wants_paint = board.looks(item).paints
    for index, held in _counts_under(board, inside).items():
        element = board.elements[index]
        if index in board.box_taken or (element.is_vector and element.tag != "svg"):
            continue
        share = 2 * held / (len(inside) + total[index])
        if 0.45 * share + 0.56 < least:
            continue  # however well the rest goes
        score = 0.45 * share + 0.4 * overlap(box, element.box)
        score += 0.15 if board.is_painted(index) is wants_paint else 0.0
        # The element of a text is a frame as well only where nothing else is.
        score -= 0.05 if index in board.text_taken else 0.0
        # Rounded, so that equal boxes tie and depth decides.
        score = round(score, 2)
        if score >= least:
            yield score, index


def _fits(board: Board, item: PlacedNode, index: int) -> bool:
    """Tell whether an element lies inside what the node's parents have, and holds its children."""
    home = board.matched_ancestor(item)
    if home is not None and (home == index or not board.is_inside(index, home)):
        return False
    for child in board.matched_boxes_below(item.node.id):
        if child == index or not board.is_inside(child, index):
            return False
    return True


def _leaf_elements(board: Board) -> dict[str, set[int]]:
    """Return by node the elements of all matched childless nodes and texts under it."""
    found: dict[str, set[int]] = {}
    for node_id, match in board.pairs.items():
        if not match.is_text and board.children(node_id):
            continue
        for above in board.above[node_id]:
            found.setdefault(above, set()).add(match.element)
    return found


def _counts_under(board: Board, inside: set[int]) -> dict[int, int]:
    """Return how many of *inside* each of their ancestors, themselves included, holds."""
    counts: dict[int, int] = {}
    for index in inside:
        for above in (index, *board.ancestors[index]):
            counts[above] = counts.get(above, 0) + 1
    return counts


def match_boxes(board: Board, *, drawn_only: bool) -> None:
    """Pair what is left by order in the parent, overlap, distance and kind; outer boxes first.

    *drawn_only* leaves out the nodes that hold something paired already: match_containers knows
    more about them.
    """
    boxes = _Boxes.of(board.elements)
    held = _leaf_elements(board) if drawn_only else {}
    levels: dict[int, list[PlacedNode]] = {}
    for item in board.open_nodes(text=False):
        if item.node.id not in held:
            levels.setdefault(item.depth, []).append(item)
    for depth in sorted(levels):
        for parent_id in sorted({i.parent_id for i in levels[depth] if i.parent_id is not None}):
            _match_row(board, parent_id, alike=True)
        left = [item for item in levels[depth] if item.node.id not in board.pairs]
        scored: list[tuple[float, int, int]] = []
        for start in range(0, len(left), _AT_ONCE):
            found = _box_scores(board, left[start : start + _AT_ONCE], boxes)
            scored.extend((-score, start + n, e) for score, n, e in found)
        for negative, n, e in sorted(scored):
            board.take(
                left[n].node.id,
                e,
                found_by=FoundBy.BOX,
                confidence=0.92 * -negative,
                is_text=False,
            )
    board.refresh()


def _box_scores(
    board: Board, items: Sequence[PlacedNode], boxes: _Boxes
) -> Iterator[tuple[float, int, int]]:
    """Yield score, node and element for the free elements that may be one of some nodes.

    Looked for where its neighbours went, and where it is in its parent.
    """
    drifted, beside = [board.drifted(item) for item in items], []
    homes: list[int | None] = []
    for n, item in enumerate(items):
        parent = board.matched_parent(item)
        if parent is None:
            homes.append(None)
            beside.append(drifted[n])
            continue
        home = board.pairs[parent.node.id].element
        at = board.elements[home].box
        homes.append(home)
        beside.append(item.box.shifted(at.x - parent.box.x, at.y - parent.box.y))
    place = np.maximum(boxes.places(drifted), boxes.places(beside))
    rows, columns = np.nonzero(place + 0.2 >= _LEAST_BOX)
    for n, index in zip(rows.tolist(), columns.tolist(), strict=True):
        if index in board.box_taken:
            continue
        score = float(place[n, index])
        score += 0.2 * kind_likeness(items[n], index, board)
        inside = homes[n]
        if inside is not None and not board.is_inside(index, inside):
            score *= _OUTSIDE
        if score >= _LEAST_BOX:
            yield round(score, 6), n, index


@dataclass(frozen=True, slots=True, kw_only=True)
class _Boxes:
    """The boxes of all elements, each grown by half a px, edge by edge."""

    left: NDArray[np.float64]
    top: NDArray[np.float64]
    right: NDArray[np.float64]
    bottom: NDArray[np.float64]
    area: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @classmethod
    def of(cls, elements: Sequence[Element]) -> _Boxes:
        """Return the boxes of *elements*; ``x`` and ``y`` are their middles."""
        x, y, w, h = (
            np.array([(e.box.x, e.box.y, e.box.w, e.box.h) for e in elements], np.float64)
            .reshape(-1, 4)
            .T
        )
        return cls(
            left=x - 0.5,
            top=y - 0.5,
            right=x - 0.5 + (w + 1.0),
            bottom=y - 0.5 + (h + 1.0),
            area=(w + 1.0) * (h + 1.0),
            x=x + w / 2,
            y=y + h / 2,
        )

    def places(self, boxes: Sequence[Box]) -> NDArray[np.float64]:
        """Return up to 0.8 by box and element: overlap, and nearness of the middles."""
        edges = np.array([(b.x, b.y, b.w, b.h) for b in boxes], np.float64)
        x, y, w, h = edges.T[:, :, None]
        far = np.hypot(self.x - (x + w / 2), self.y - (y + h / 2))
        nearness = np.maximum(1 - far / ((w + h) / 2 + 8), 0)
        return np.asarray(0.55 * self._overlaps(x, y, w, h) + 0.25 * nearness)

    def _overlaps(
        self,
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        w: NDArray[np.float64],
        h: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return intersection over union of boxes, grown as well, with all."""
        left, top, wide, high = x - 0.5, y - 0.5, w + 1, h + 1
        width = np.minimum(self.right, left + wide) - np.maximum(self.left, left)
        height = np.minimum(self.bottom, top + high) - np.maximum(self.top, top)
        shared = np.maximum(width, 0) * np.maximum(height, 0)
        return np.asarray(shared / (wide * high + self.area - shared))


def kind_likeness(item: PlacedNode, index: int, board: Board) -> float:
    """Return 0..1: how well the kind of a node goes with the kind of an element."""
    element = board.elements[index]
    picture = is_picture(element)
    if item.node.type in _SHAPES:
        if element.is_vector:
            return 1.0
        return 0.8 if picture else (0.7 if board.is_painted(index) else 0.3)
    if board.looks(item).picture:
        return 1.0 if picture or "background-image" in element.style else 0.5
    if element.is_vector:
        return 0.8 if element.tag == "svg" else 0.1
    if picture:
        return 0.7
    return 1.0 if board.is_painted(index) is board.looks(item).paints else 0.6


def match_siblings(board: Board) -> None:
    """Pair the leftover children of matched parents in reading order where their number agrees."""
    for node_id in board.nodes:
        _match_row(board, node_id, alike=False)


def _match_row(board: Board, parent_id: str, *, alike: bool) -> None:
    """Pair the open children of one matched node in order with the free children of its element.

    Only when there are as many of each; *alike* asks for about the same sizes, too.
    """
    parent = board.pairs.get(parent_id)
    if parent is None or parent.is_text:
        return
    children = board.children(parent_id)
    left = [c for c in children if c not in board.pairs]
    if not left:
        return
    # In a page's order: of two in a row, neither comes first for being taller.
    order = sorted(left, key=board.reading_order.__getitem__)
    nodes = [n for n in (board.nodes[c] for c in order) if not is_text_node(n)]
    below = board.inside.get(parent.element, [])
    # One of several says nothing about which; an only child does.
    if not nodes or (alike and len(nodes) < 2 and (len(children) > 1 or len(below) > 1)):
        return
    free = [
        e
        for e in below
        if e not in board.box_taken and e not in board.text_taken and not board.holds_taken(e)
    ]
    if len(nodes) != len(free):
        return
    rows = list(zip(nodes, free, strict=True))
    if any(kind_likeness(n, e, board) < 0.5 for n, e in rows):
        return
    if alike and not all(_same_size(n.box, board.elements[e].box) for n, e in rows):
        return
    for item, index in rows:
        board.take(
            item.node.id,
            index,
            found_by=FoundBy.ORDER,
            confidence=_ROW_CONFIDENCE if alike else _ORDER_CONFIDENCE,
            is_text=False,
        )


def _same_size(first: Box, second: Box) -> bool:
    return abs(first.w - second.w) <= max(2.0, 0.1 * first.w) and abs(first.h - second.h) <= max(
        2.0, 0.1 * first.h
    )
