"""From design nodes to page elements: anchors, then text, then structure, then boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.anchors import match_anchors
from pytest_pixelloop.core.box_pairs import match_boxes, match_containers, match_siblings
from pytest_pixelloop.core.matches import Matches
from pytest_pixelloop.core.pairing import Board
from pytest_pixelloop.core.text_pairs import match_similar_texts, match_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import DomSnapshot

#: Scores from which a container counts: before and after drawings were looked for.
_SURE, _LIKELY = 0.85, 0.5


def match(placed: Iterable[PlacedNode], snapshot: DomSnapshot) -> Matches:
    """Return which element of *snapshot* is which node, each with a confidence 0..1.

    One to one: a node has at most one element, an element at most one node for its box and one
    for its text. The answer does not depend on the order of *placed*. What finds no partner is
    listed. A snapshot that is not meaningful matches nothing.
    """
    board = Board(placed, snapshot)
    if not snapshot.meaningful:
        return Matches(snapshot=snapshot, unmatched_nodes=tuple(sorted(board.nodes)))
    anchors = match_anchors(board)
    board.refresh()
    match_texts(board)
    match_containers(board, least=_SURE)
    match_similar_texts(board)
    match_boxes(board, drawn_only=True)
    match_containers(board, least=_LIKELY)
    match_boxes(board, drawn_only=False)
    match_siblings(board)
    pairs = tuple(board.pairs[i] for i in sorted(board.pairs))
    taken = board.box_taken.keys() | board.text_taken.keys()
    return Matches(
        snapshot=snapshot,
        pairs=pairs,
        unmatched_nodes=tuple(sorted(i for i in board.nodes if i not in board.pairs)),
        unmatched_elements=tuple(
            e.index for e in snapshot.elements if e.index not in taken and e.tag != "body"
        ),
        anchors=anchors,
        by_node={m.node_id: m for m in pairs},
        looks=board.looked_at,
    )
