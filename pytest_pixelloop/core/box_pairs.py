"""Matching by structure and place: containers through what they hold, the rest by their boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.dom import is_picture, paints
from pytest_pixelloop.core.matches import FoundBy
from pytest_pixelloop.core.pairing import centre, is_text_node, node_order, overlap
from pytest_pixelloop.core.node_style import has_picture, node_paints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.pairing import Board

_SHAPES = frozenset(
    ("VECTOR", "BOOLEAN_OPERATION", "LINE", "STAR", "POLYGON", "REGULAR_POLYGON", "ELLIPSE")
)
_LEAST_STRUCTURE = 0.45
_LEAST_BOX = 0.55
_OUTSIDE = 0.6
_ORDER_CONFIDENCE = 0.5


def match_containers(board: Board) -> None:
    """Pair containers with the elements that hold what their children were paired with.

    From the inside out, so that of nested equal boxes the inner goes to the inner.
    """
    leaves = _leaf_elements(board)
    total = _counts_under(board, {m for found in leaves.values() for m in found})
    open_nodes = [i for i in board.open_nodes(text=False) if leaves.get(i.node.id)]
    for item in sorted(open_nodes, key=lambda i: (-i.depth, i.box.area, node_order(i))):
        _match_container(board, item, leaves[item.node.id], total)


def _match_container(
    board: Board, item: PlacedNode, inside: set[int], total: dict[int, int]
) -> None:
    counts = _counts_under(board, inside)
    box = board.drifted(item.box)
    wants_paint = node_paints(item.node)
    home = board.matched_ancestor(item)
    best: tuple[float, int, int] | None = None
    for index, held in counts.items():
        element = board.elements[index]
        if index in board.box_taken or (element.is_vector and element.tag != "svg"):
            continue
        if home is not None and not board.is_inside(index, home):
            continue
        share = 2 * held / (len(inside) + total[index])
        score = 0.45 * share + 0.4 * overlap(box, element.box)
        score += 0.15 if paints(element) is wants_paint else 0.0
        key = (round(score, 6), len(board.ancestors[index]), -index)
        if best is None or key > best:
            best = key
    if best is not None and best[0] >= _LEAST_STRUCTURE:
        board.take(
            item.node.id,
            -best[2],
            found_by=FoundBy.STRUCTURE,
            confidence=min(0.95, 0.25 + 0.75 * best[0]),
            is_text=False,
        )


def _leaf_elements(board: Board) -> dict[str, set[int]]:
    """Return by node the elements of all matched childless nodes and texts under it."""
    found: dict[str, set[int]] = {}
    for node_id, match in board.pairs.items():
        if not match.is_text and board.children(node_id):
            continue
        parent_id = board.nodes[node_id].parent_id
        while parent_id is not None:
            found.setdefault(parent_id, set()).add(match.element)
            above = board.nodes.get(parent_id)
            parent_id = above.parent_id if above else None
    return found


def _counts_under(board: Board, inside: set[int]) -> dict[int, int]:
    """Return how many of *inside* each of their ancestors, themselves included, holds."""
    counts: dict[int, int] = {}
    for index in inside:
        for above in (index, *board.ancestors[index]):
            counts[above] = counts.get(above, 0) + 1
    return counts


def match_boxes(board: Board) -> None:
    """Pair what is left by overlap, distance of the centres and kind; outer boxes first."""
    boxes = np.array([[e.box.x, e.box.y, e.box.w, e.box.h] for e in board.elements]).reshape(-1, 4)
    levels: dict[int, list[PlacedNode]] = {}
    for item in board.open_nodes(text=False):
        levels.setdefault(item.depth, []).append(item)
    for depth in sorted(levels):
        scored: list[tuple[float, int, int]] = []
        for n, item in enumerate(levels[depth]):
            scored.extend((-s, n, e) for s, e in _box_scores(board, item, boxes))
        for negative, n, e in sorted(scored):
            board.take(
                levels[depth][n].node.id,
                e,
                found_by=FoundBy.BOX,
                confidence=0.92 * -negative,
                is_text=False,
            )


def _box_scores(
    board: Board, item: PlacedNode, boxes: NDArray[np.float64]
) -> list[tuple[float, int]]:
    """Return score and index of the free elements that may be a node's."""
    box = board.drifted(item.box)
    rough = _overlaps((box.x, box.y, box.w, box.h), boxes)
    reach = (box.w + box.h) / 2 + 8
    middles = boxes[:, :2] + boxes[:, 2:] / 2
    x, y = centre(box)
    nearness = np.clip(1 - np.hypot(middles[:, 0] - x, middles[:, 1] - y) / reach, 0, 1)
    place = 0.55 * rough + 0.25 * nearness
    home = board.matched_ancestor(item)
    found: list[tuple[float, int]] = []
    for index in np.flatnonzero(place + 0.2 >= _LEAST_BOX).tolist():
        if index in board.box_taken:
            continue
        score = float(place[index]) + 0.2 * kind_likeness(item, board.elements[index])
        if home is not None and not board.is_inside(index, home):
            score *= _OUTSIDE
        if score >= _LEAST_BOX:
            found.append((round(score, 6), index))
    return found


def _overlaps(
    box: tuple[float, float, float, float], boxes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return intersection over union of one box with many, each grown by half a px."""
    x, y, w, h = box[0] - 0.5, box[1] - 0.5, box[2] + 1, box[3] + 1
    grown = boxes + np.array([-0.5, -0.5, 1.0, 1.0])
    width = np.minimum(x + w, grown[:, 0] + grown[:, 2]) - np.maximum(x, grown[:, 0])
    height = np.minimum(y + h, grown[:, 1] + grown[:, 3]) - np.maximum(y, grown[:, 1])
    shared = np.clip(width, 0, None) * np.clip(height, 0, None)
    union = w * h + grown[:, 2] * grown[:, 3] - shared
    return np.asarray(shared / union)


def kind_likeness(item: PlacedNode, element: Element) -> float:
    """Return 0..1: how well the kind of a node goes with the kind of an element."""
    if item.node.type in _SHAPES:
        if element.is_vector:
            return 1.0
        if is_picture(element):
            return 0.8
        return 0.7 if paints(element) else 0.3
    if has_picture(item.node):
        if is_picture(element) or "background-image" in element.style:
            return 1.0
        return 0.5
    if element.is_vector:
        return 0.8 if element.tag == "svg" else 0.4
    if is_picture(element):
        return 0.7
    return 1.0 if paints(element) is node_paints(item.node) else 0.6


def match_siblings(board: Board) -> None:
    """Pair the leftover children of matched parents in reading order where their number agrees."""
    by_parent: dict[int, list[int]] = {}
    for element in board.elements:
        if element.parent is not None:
            by_parent.setdefault(element.parent, []).append(element.index)
    parents = [(i, board.pairs[i].element) for i in board.nodes if i in board.pairs]
    for node_id, parent in parents:
        nodes = [
            board.nodes[c]
            for c in board.children(node_id)
            if c not in board.pairs and not is_text_node(board.nodes[c])
        ]
        free = [e for e in by_parent.get(parent, []) if e not in board.box_taken]
        if not nodes or len(nodes) != len(free):
            continue
        if any(kind_likeness(n, board.elements[e]) < 0.5 for n, e in zip(nodes, free, strict=True)):
            continue
        for item, index in zip(nodes, free, strict=True):
            board.take(
                item.node.id,
                index,
                found_by=FoundBy.ORDER,
                confidence=_ORDER_CONFIDENCE,
                is_text=False,
            )
