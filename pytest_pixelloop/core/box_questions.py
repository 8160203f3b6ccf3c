"""What to ask of each box of a page: where its edges may have gone, and how far they may reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_judgement import STILL, BoxQuestion
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.moves import Moves
from pytest_pixelloop.core.pixel_runs import runs_of
from pytest_pixelloop.core.rectangles import grown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.reading import Reading
    from pytest_pixelloop.core.rectangles import Rect

_RIM = 2.0
"""CSS px around a box in which nothing may differ for it to be where it was."""
_SOLID = (Kind.BOX, Kind.PHOTO, Kind.DRAWING)


def box_questions(
    pair: PicturePair, nodes: Sequence[JudgedNode], readings: Mapping[int, Reading]
) -> list[BoxQuestion]:
    """Return a question for each box that shows, in paint order."""
    moves = Moves.of(nodes, readings, scale=pair.scale)
    anywhere = moves.any
    boxes = [n for n in nodes if n.kind is Kind.BOX and not n.empty]
    rooms = _rooms(boxes, nodes, readings)
    return [
        BoxQuestion(
            node=node,
            hints=moves.around(node) if anywhere and not _is_untouched(pair, node) else STILL,
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
    places: dict[int, Rect] = {}
    for node in nodes:
        reading = readings.get(node.at)
        place = reading.ink_rect if reading is not None else None
        if place is None and node.kind in _SOLID:
            place = node.rect
        if place is not None:
            places[node.at] = place
    below: dict[int, list[Rect]] = {}
    for node in reversed(nodes):
        own = below[node.at] = []
        for child in node.children:
            if child in places:
                own.append(places[child])
            own.extend(below.get(child, ()))
    edges = np.array([b.rect for b in boxes], np.int64).reshape(-1, 4)
    size = edges[:, 2:] - edges[:, :2]
    rooms = np.concatenate([size, size], axis=1)
    filled = [k for k, box in enumerate(boxes) if below[box.at]]
    if filled:
        runs = runs_of([len(below[boxes[k].at]) for k in filled])
        inside = np.array([place for k in filled for place in below[boxes[k].at]], np.int64)
        box = np.array(filled)[runs.owner]
        far = (inside - edges[box]) * (1, 1, -1, -1)
        near = np.minimum.reduceat(np.where(far > 0, far, rooms[box]), runs.starts)
        rooms[filled] = np.minimum(near, rooms[filled])
    return rooms
