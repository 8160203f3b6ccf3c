"""All nodes of one comparison: read leaves, then boxes, then what moved, then what is extra."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_judgement import BoxReading, read_box
from pytest_pixelloop.core.calibration import calibrate
from pytest_pixelloop.core.comparability import incomparable_nodes, incomparable_pictures
from pytest_pixelloop.core.glyphs import GLYPH_LIMIT
from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind
from pytest_pixelloop.core.layout_causes import LayoutJudge, Placing, complete
from pytest_pixelloop.core.leaf_judgement import judge_leaf
from pytest_pixelloop.core.leaf_reading import make_reader
from pytest_pixelloop.core.leaf_witnesses import LeafWitnesses
from pytest_pixelloop.core.moves import Moves
from pytest_pixelloop.core.photo_judgement import judge_photo
from pytest_pixelloop.core.rectangles import grown
from pytest_pixelloop.core.residue import residue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.reading import Reading
    from pytest_pixelloop.core.style_evidence import Witnesses
    from pytest_pixelloop.core.tolerance import Tolerance

_STILL = ((0, 0), (0, 0), (0, 0), (0, 0))
_RESIZES = {
    "text",
    "text-transform",
    "font-family",
    "font-style",
    "font-size",
    "font-weight",
    "letter-spacing",
    "line-height",
    "missing",
    "extra",
    "icon",
    "image",
}


def owner_map(nodes: Sequence[JudgedNode], shape: tuple[int, int]) -> NDArray[np.int16]:
    """Return by device px which box, drawing or photo is painted last, -1 for none."""
    owners = np.full(shape, -1, np.int16)
    for node in nodes:
        if node.kind in (Kind.BOX, Kind.PHOTO, Kind.DRAWING) and not node.empty:
            x0, y0, x1, y1 = node.rect
            owners[y0:y1, x0:x1] = node.at if node.kind is not Kind.DRAWING else node.unit
    return owners


def is_leaf(node: JudgedNode) -> bool:
    """Tell whether a node is read as a whole: a text or the top of a drawing."""
    return not node.empty and node.unit == node.at and node.kind in (Kind.TEXT, Kind.DRAWING)


def compare_nodes(
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    *,
    witnesses: Witnesses,
    tolerance: Tolerance,
) -> list[Draft]:
    """Return what differs, one draft a cause."""
    whole = incomparable_pictures(pair)
    if whole is not None:
        return [whole]
    asked = LeafWitnesses(nodes=nodes, witnesses=witnesses)
    reader = make_reader(pair, hint=asked.shift)
    readings = {n.at: asked.settled(n, reader.read(n)) for n in nodes if is_leaf(n)}
    drafts: list[Draft] = []
    for node in nodes:
        if node.kind is Kind.PHOTO and not node.empty:
            readings[node.at], found = judge_photo(reader, node)
            drafts += found
    whole = incomparable_nodes(pair, nodes, readings)
    if whole is not None:
        return [whole]
    common = calibrate(r for r in readings.values() if nodes[r.at].kind is Kind.TEXT)
    for at, reading in readings.items():
        if nodes[at].kind is Kind.PHOTO:
            continue
        drafts += judge_leaf(
            nodes[at],
            reading,
            common,
            witness=partial(asked.of, nodes[at]),
            tolerance=tolerance,
            scale=pair.scale,
        )
    boxes = _read_boxes(pair, nodes, readings, tolerance=tolerance)
    for box in boxes.values():
        drafts += box.drafts
    drafts += residue(pair, nodes, readings, boxes, drafts, tolerance=tolerance)
    told = frozenset(d.at for d in drafts if d.at is not None)
    measured = _measured(readings, boxes, told=told, drop=common.drop)
    for node in nodes:
        if node.parent is None:  # the frame is the picture itself: it cannot have moved
            measured[node.at] = Placing(x=(0.0, 0.0), y=(0.0, 0.0))
    touched = frozenset(d.at for d in drafts if d.at is not None and d.property in _RESIZES)
    placings = complete(nodes, measured)
    drafts += LayoutJudge(
        nodes=nodes,
        placings=placings,
        measured=measured,
        touched=touched,
        limit=tolerance.pixel,
    ).judge()
    return drafts


def _read_boxes(
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    readings: dict[int, Reading],
    *,
    tolerance: Tolerance,
) -> dict[int, BoxReading]:
    owners = owner_map(nodes, pair.shape)
    moves = Moves(nodes=nodes, readings=readings, scale=pair.scale)
    boxes: dict[int, BoxReading] = {}
    for node in nodes:
        if node.kind is not Kind.BOX or node.empty:
            continue
        rooms = _rooms(node, nodes, readings)
        hints = _STILL if _is_untouched(pair, node) else moves.around(node)
        box = read_box(pair, node, owners, hints=hints, rooms=rooms, tolerance=tolerance)
        if hints != _STILL and all(offset is None for offset in box.offsets):
            # It did not go where its neighbours went: it may have stayed.
            box = read_box(pair, node, owners, hints=_STILL, rooms=rooms, tolerance=tolerance)
        boxes[node.at] = box
    return boxes


def _is_untouched(pair: PicturePair, node: JudgedNode) -> bool:
    """Tell whether no pixel in or around the node differs: whatever moved, it did not."""
    rim = max(round(2 * pair.scale), 1)
    x0, y0, x1, y1 = grown(node.rect, rim, rim, pair.shape)
    return not pair.differs[y0:y1, x0:x1].any()


def _rooms(
    node: JudgedNode, nodes: Sequence[JudgedNode], readings: dict[int, Reading]
) -> tuple[int, int, int, int]:
    """Return how far the ink inside a box lies from its left, top, right and bottom edge."""
    x0, y0, x1, y1 = node.rect
    rooms = [x1 - x0, y1 - y0, x1 - x0, y1 - y0]
    stack = list(node.children)
    while stack:
        at = stack.pop()
        stack.extend(nodes[at].children)
        child = readings[at].ink_rect if at in readings else None
        if child is None and nodes[at].kind in (Kind.BOX, Kind.PHOTO, Kind.DRAWING):
            child = nodes[at].rect
        if child is not None:
            far = (child[0] - x0, child[1] - y0, x1 - child[2], y1 - child[3])
            rooms = [min(r, f) if f > 0 else r for r, f in zip(rooms, far, strict=True)]
    return rooms[0], rooms[1], rooms[2], rooms[3]


def _measured(
    readings: dict[int, Reading],
    boxes: dict[int, BoxReading],
    *,
    told: frozenset[int],
    drop: float,
) -> dict[int, Placing]:
    placings: dict[int, Placing] = {}
    for at, r in readings.items():
        if not r.found or not r.readable:
            continue
        x, y = r.shift[0], r.shift[1] - (drop if r.expected_ink is not None else 0.0)
        other = r.mismatch > GLYPH_LIMIT and at in told
        edges = r.edges if other else (0.0, 0.0, 0.0, 0.0)  # else it is as large
        placings[at] = Placing(x=(x + edges[0], x + edges[2]), y=(y + edges[1], y + edges[3]))
    for at, b in boxes.items():
        left, top, right, bottom = b.offsets
        placings[at] = Placing(x=_span(left, right), y=_span(top, bottom))
    return placings


def _span(low: float | None, high: float | None) -> tuple[float, float] | None:
    if low is None and high is None:
        return None
    return (low if low is not None else high or 0.0, high if high is not None else low or 0.0)
