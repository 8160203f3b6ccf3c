"""From the readings of painted rectangles to what is wrong with their look, and where they lie.

One look at a time over all boxes of a page: their edges first, then, where those have gone, their
fills, borders, corners and shadows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_pixelloop.core.box_border import judge_border
from pytest_pixelloop.core.box_corners import judge_corners
from pytest_pixelloop.core.box_edges import SIDES, Edge, read_edge
from pytest_pixelloop.core.box_fill import judge_fills
from pytest_pixelloop.core.box_shadow import judge_shadow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.moves import Shift
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect
    from pytest_pixelloop.core.tolerance import Tolerance

STILL: tuple[Shift, Shift, Shift, Shift] = ((0, 0), (0, 0), (0, 0), (0, 0))
Edges = tuple[Edge | None, Edge | None, Edge | None, Edge | None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoxQuestion:
    """A box to look at: where its edges may have gone, and the room that its content leaves.

    ``hints`` and ``rooms`` are in device px, for the left, top, right and bottom edge.
    """

    node: JudgedNode
    hints: tuple[Shift, Shift, Shift, Shift] = STILL
    rooms: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoxReading:
    """A rectangle's edges as found: offsets in CSS px (left, top, right, bottom), None unknown."""

    at: int
    edges: Edges = (None, None, None, None)
    offsets: tuple[float | None, float | None, float | None, float | None] = (None,) * 4
    moved: Rect = (0, 0, 0, 0)
    drafts: list[Draft] = field(default_factory=list)


def read_boxes(
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    questions: Sequence[BoxQuestion],
    *,
    tolerance: Tolerance,
) -> list[BoxReading]:
    """Return where the edges of rectangles lie, and what is wrong with their look."""
    readings = [_placed(pair, question) for question in questions]
    boxes = [q.node for q in questions]
    places = [(node, reading.moved) for node, reading in zip(boxes, readings, strict=True)]
    fills = judge_fills(pair, nodes, places, tolerance=tolerance)
    corners = judge_corners(pair, places)
    for k, (node, reading) in enumerate(zip(boxes, readings, strict=True)):
        found = (
            fills[k],
            judge_border(node, reading.edges, scale=pair.scale),
            corners[k],
            judge_shadow(pair, node, moved=reading.moved),
        )
        reading.drafts.extend(draft for draft in found if draft)
    return readings


def _placed(pair: PicturePair, question: BoxQuestion) -> BoxReading:
    """Return where a box lies; one that did not go where its neighbours went may have stayed."""
    hints = question.hints
    edges = _edges(pair, question, hints)
    if hints != STILL and all(e is None or e.offset is None for e in edges):
        hints = STILL
        edges = _edges(pair, question, hints)
    offsets = [None if e is None else e.offset for e in edges]
    known = tuple(None if o is None else o / pair.scale for o in offsets)
    return BoxReading(
        at=question.node.at,
        edges=edges,
        offsets=(known[0], known[1], known[2], known[3]),
        moved=_moved(question.node.rect, offsets, hints),
    )


def _edges(
    pair: PicturePair, question: BoxQuestion, hints: tuple[Shift, Shift, Shift, Shift]
) -> Edges:
    node = question.node
    left, top, right, bottom = (
        read_edge(
            pair, side, node.rect, hint=hint, border=node.border, radius=node.radius, room=room
        )
        for side, room, hint in zip(SIDES, question.rooms, hints, strict=True)
    )
    return left, top, right, bottom


def _moved(rect: Rect, offsets: list[int | None], hints: tuple[Shift, ...]) -> Rect:
    """Return the rectangle with each edge where it was found, else where its neighbours went."""
    known = [
        o if o is not None else h[k % 2]
        for k, (o, h) in enumerate(zip(offsets, hints, strict=True))
    ]
    if offsets[0] is None and offsets[2] is not None and hints[0] == (0, 0):
        known[0] = offsets[2]
    if offsets[1] is None and offsets[3] is not None and hints[1] == (0, 0):
        known[1] = offsets[3]
    left, top, right, bottom = known
    moved = (rect[0] + left, rect[1] + top, rect[2] + right, rect[3] + bottom)
    if moved[2] <= moved[0] or moved[3] <= moved[1]:
        return rect
    return moved
