"""What to ask of each box of a page: where its edges may have gone, and how far they may reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_judgement import STILL, BoxQuestion
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.moves import Moves
from pytest_pixelloop.core.rectangles import grown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.reading import Reading

_RIM = 2.0
"""CSS px around a box in which nothing may differ for it to be where it was."""
_SOLID = (Kind.BOX, Kind.PHOTO, Kind.DRAWING)


def box_questions(
    pair: PicturePair, nodes: Sequence[JudgedNode], readings: Mapping[int, Reading]
) -> list[BoxQuestion]:
    """Return a question for each box that shows, in paint order."""
    moves = Moves(nodes=nodes, readings=readings, scale=pair.scale)
    boxes = [n for n in nodes if n.kind is Kind.BOX and not n.empty]
    rooms = _rooms(boxes, nodes, readings)
    return [
        BoxQuestion(
            node=node,
            hints=STILL if _is_untouched(pair, node) else moves.around(node),
            rooms=(room[0], room[1], room[2], room[3]),
        )
        for node, room in zip(boxes, rooms.tolist(), strict=True)
    ]


def _is_untouched(pair: PicturePair, node: JudgedNode) -> bool:
    """Tell whether no pixel in or around the node differs: whatever moved, it did not."""
    rim = max(round(_RIM * pair.scale), 1)
    x0, y0, x1, y1 = grown(node.rect, rim, rim, pair.shape)
    return not pair.differs[y0:y1, x0:x1].any()


def _rooms(
    boxes: Sequence[JudgedNode], nodes: Sequence[JudgedNode], readings: Mapping[int, Reading]
) -> NDArray[np.int64]:
    """Return how far the ink inside each box lies from its left, top, right and bottom edge."""
    below: dict[int, list[int]] = {}
    for node in reversed(nodes):
        below[node.at] = [d for c in node.children for d in (c, *below.get(c, ()))]
    solid, places = np.zeros(len(nodes), np.bool_), np.zeros((len(nodes), 4), np.int64)
    for node in nodes:
        reading = readings.get(node.at)
        place = reading.ink_rect if reading is not None else None
        if place is None and node.kind in _SOLID:
            place = node.rect
        if place is not None:
            solid[node.at], places[node.at] = True, place
    inwards = np.array([1, 1, -1, -1])
    rooms = np.zeros((len(boxes), 4), np.int64)
    for k, box in enumerate(boxes):
        edges = np.array(box.rect)
        width, height = edges[2] - edges[0], edges[3] - edges[1]
        whole = np.array([[width, height, width, height]])
        inside = np.array([d for d in below[box.at] if solid[d]], np.intp)
        far = (places[inside] - edges) * inwards
        rooms[k] = np.concatenate([whole, np.where(far > 0, far, whole)]).min(axis=0)
    return rooms
