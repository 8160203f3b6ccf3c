"""From the readings of a painted rectangle to what is wrong with its look, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_border import judge_border
from pytest_pixelloop.core.box_corners import judge_corners
from pytest_pixelloop.core.box_edges import SIDES, Edge, read_edge
from pytest_pixelloop.core.box_fill import judge_fill, own_fill
from pytest_pixelloop.core.box_shadow import judge_shadow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect
    from pytest_pixelloop.core.tolerance import Tolerance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoxReading:
    """A rectangle's edges as found: offsets in CSS px (left, top, right, bottom), None unknown."""

    at: int
    edges: tuple[Edge | None, Edge | None, Edge | None, Edge | None] = (None, None, None, None)
    offsets: tuple[float | None, float | None, float | None, float | None] = (None,) * 4
    moved: Rect = (0, 0, 0, 0)
    drafts: list[Draft] = field(default_factory=list)


def read_box(
    pair: PicturePair,
    node: JudgedNode,
    owners: NDArray[np.int16],
    *,
    hints: tuple[tuple[int, int], ...],
    rooms: tuple[int, int, int, int],
    tolerance: Tolerance,
) -> BoxReading:
    """Return where a rectangle's edges lie, and what is wrong with its look."""
    scale = pair.scale
    border = node.border
    edges = tuple(
        read_edge(pair, side, node.rect, hint=hint, border=border, radius=node.radius, room=room)
        for side, room, hint in zip(SIDES, rooms, hints, strict=True)
    )
    offsets = [None if e is None or e.offset is None else e.offset for e in edges]
    moved = _moved(node.rect, offsets, hints)
    known = tuple(None if o is None else o / scale for o in offsets)
    reading = BoxReading(
        at=node.at,
        edges=(edges[0], edges[1], edges[2], edges[3]),
        offsets=(known[0], known[1], known[2], known[3]),
        moved=moved,
    )
    inset = int(np.ceil((border + 1) * scale))
    shift = (moved[0] - node.rect[0], moved[1] - node.rect[1])
    own = own_fill(pair, node, owners, shift=shift, inset=inset) if not _thin(node, scale) else None
    found = [
        judge_fill(node, own, tolerance=tolerance) if own else None,
        judge_border(node, reading.edges, scale=scale),
        judge_corners(pair, node, moved=moved),
    ]
    reading.drafts.extend(d for d in found if d)
    shadow = judge_shadow(pair, node, moved=reading.moved)
    if shadow:
        reading.drafts.append(shadow)
    return reading


def _moved(rect: Rect, offsets: list[int | None], hints: tuple[tuple[int, int], ...]) -> Rect:
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


def _thin(node: JudgedNode, scale: float) -> bool:
    """Tell whether a box is a line: no part of it is away from its edges."""
    return min(node.rect[2] - node.rect[0], node.rect[3] - node.rect[1]) <= 4 * scale
