"""From the readings of painted rectangles to what is wrong with their look, and where they lie.

One look at a time over all boxes of a page: their edges first, then, where those have gone, their
fills, borders, corners and shadows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from pytest_pixelloop.core.box_border import judge_borders
from pytest_pixelloop.core.box_corners import judge_corners
from pytest_pixelloop.core.box_edges import EdgeQuestion, Edges, read_edges
from pytest_pixelloop.core.box_fill import judge_fills
from pytest_pixelloop.core.box_rules import HAIRLINE, judge_rules
from pytest_pixelloop.core.box_shadow import judge_shadows
from pytest_pixelloop.core.judged_nodes import paints
from pytest_pixelloop.core.rectangles import shifted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.moves import Shift
    from pytest_pixelloop.core.photo_judgement import Frame
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect
    from pytest_pixelloop.core.tolerance import Tolerance

STILL: tuple[Shift, Shift, Shift, Shift] = ((0, 0), (0, 0), (0, 0), (0, 0))


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoxesRead:
    """The boxes of a page as read, and what is wrong with the look of them and of photos' frames.

    The drafts of frames come first, then those of boxes, box by box.
    """

    boxes: list[BoxReading]
    drafts: list[Draft]


def read_boxes(
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    questions: Sequence[BoxQuestion],
    frames: Sequence[Frame] = (),
    *,
    tolerance: Tolerance,
) -> BoxesRead:
    """Return where the edges of rectangles lie, and what is wrong with their look."""
    readings = _placed(pair, questions)
    boxes = [q.node for q in questions]
    places = [(node, reading.moved) for node, reading in zip(boxes, readings, strict=True)]
    sides = [(node, reading.edges) for node, reading in zip(boxes, readings, strict=True)]
    framed, rounded = _around_photos(pair, frames)
    borders = judge_borders([*framed, *sides], scale=pair.scale)
    corners = judge_corners(pair, [*rounded, *places])
    looks = zip(
        judge_fills(pair, nodes, places, tolerance=tolerance),
        judge_rules(pair, places, tolerance=tolerance),
        borders[len(framed) :],
        corners[len(rounded) :],
        judge_shadows(pair, places),
        strict=True,
    )
    found = [*borders[: len(framed)], *corners[: len(rounded)], *chain.from_iterable(looks)]
    return BoxesRead(boxes=readings, drafts=[draft for draft in found if draft])


def _around_photos(
    pair: PicturePair, frames: Sequence[Frame]
) -> tuple[list[tuple[JudgedNode, Edges]], list[tuple[JudgedNode, Rect]]]:
    """Return the edges of the photos that have a border, and what rounds photos, where it is."""
    framed = [f for f in frames if f.photo.border > 0]
    asked = [
        EdgeQuestion(f.photo.rect, [f.shift] * 4, f.photo.border, f.photo.radius) for f in framed
    ]
    edges = zip((f.photo for f in framed), read_edges(pair, asked), strict=True)
    rounded = [(f.rounding, f.shift) for f in frames if f.rounding is not None]
    return list(edges), [(node, shifted(node.rect, *shift)) for node, shift in rounded]


def _placed(pair: PicturePair, questions: Sequence[BoxQuestion]) -> list[BoxReading]:
    """Return where boxes lie; one that did not go where its neighbours went may have stayed."""
    hints = [q.hints for q in questions]
    edges = _edges(pair, questions, hints)
    lost = [
        k
        for k, found in enumerate(edges)
        if hints[k] != STILL and all(e is None or e.offset is None for e in found)
    ]
    again = _edges(pair, [questions[k] for k in lost], [STILL] * len(lost))
    for k, found in zip(lost, again, strict=True):
        hints[k], edges[k] = STILL, found
    readings = []
    for question, found, hint in zip(questions, edges, hints, strict=True):
        offsets = [None if e is None else e.offset for e in found]
        known = tuple(None if o is None else o / pair.scale for o in offsets)
        readings.append(
            BoxReading(
                at=question.node.at,
                edges=found,
                offsets=(known[0], known[1], known[2], known[3]),
                moved=_moved(question.node.rect, offsets, hint),
            )
        )
    return readings


def _edges(
    pair: PicturePair, questions: Sequence[BoxQuestion], hints: Sequence[tuple[Shift, ...]]
) -> list[Edges]:
    asked = [
        EdgeQuestion(
            q.node.rect, each, q.node.border, q.node.radius, q.rooms, _painted_sides(q.node)
        )
        for q, each in zip(questions, hints, strict=True)
    ]
    return read_edges(pair, asked)


def _painted_sides(node: JudgedNode) -> tuple[bool, ...]:
    """Tell which sides of a box can be seen: of one with a border alone, those that have it.

    The ends of a line are no sides: a row of pixels there may be anything.
    """
    filled = node.shadow_reach > 0 or bool(paints(node.node, "fills"))
    box = node.placed.box
    ends = (box.h <= HAIRLINE, box.w <= HAIRLINE) * 2
    return tuple(
        (filled or width > 0) and not hidden and not end
        for width, hidden, end in zip(node.borders, node.hidden, ends, strict=True)
    )


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
