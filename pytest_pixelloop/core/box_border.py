"""The borders of painted rectangles: another colour or width than the design's, or none."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_lines import (
    AT_HOME,
    AWAY,
    SEEN,
    TELLING,
    WHOLE,
    LineQuestion,
    read_scenes,
)
from pytest_pixelloop.core.color import delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.node_style import solid_fill, stroke_of, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_pixelloop.core.box_edges import Edge
    from pytest_pixelloop.core.box_lines import Line
    from pytest_pixelloop.core.judged_nodes import JudgedNode

_BEYOND = {"OUTSIDE": 1.0, "CENTER": 0.5}
"""How much of a stroke lies outside of its box."""
_BEGUN = 0.4
"""Part of the strongest step towards a line from which it has begun."""
_STRAIGHT = 4.0
"""CSS px of a side between its corners below which it is a curve."""


def judge_borders(
    asked: Sequence[tuple[JudgedNode, Sequence[Edge | None]]], *, scale: float
) -> list[Draft | None]:
    """Return for each box and its edges the finding for the side whose border differs most."""
    sides = [(at, q) for at, (n, edges) in enumerate(asked) for q in _questions(n, edges, scale)]
    found: list[Draft | None] = [None] * len(asked)
    scenes, kept = read_scenes([q for _, q in sides], scale=scale)
    boxes = [sides[k][0] for k in kept]
    for away in (AT_HOME, AWAY):
        some = _doubtful(boxes, scenes.calm(away).tolist())
        scenes, boxes = scenes.of(np.array(some, np.intp)), [boxes[k] for k in some]
    groups: dict[int, list[Line]] = {}
    for at, line in zip(boxes, scenes.lines(), strict=True):
        groups.setdefault(at, []).append(line)
    for at, lines in groups.items():
        found[at] = _judge(asked[at][0], lines)
    return found


def _doubtful(boxes: Sequence[int], calm: Sequence[bool]) -> list[int]:
    """Return the sides, by the box of each, of boxes of which at least half are not *calm*.

    Of a side that the design's border explains nothing is told, and less than half is no finding.
    """
    total, open_ = Counter(boxes), Counter(b for b, c in zip(boxes, calm, strict=True) if not c)
    return [k for k, box in enumerate(boxes) if 2 * open_[box] >= total[box]]


def _questions(
    node: JudgedNode, edges: Sequence[Edge | None], scale: float
) -> Iterator[LineQuestion]:
    """Yield the sides of a box that have a border and can be seen."""
    if node.border <= 0:
        return
    align = word(node.node.properties, "strokeAlign")
    beyond = _BEYOND.get(align, 0.0)
    whole, box, rect = node.placed.box, node.placed.box.scaled(scale), node.rect
    within = box.x - rect[0], box.y - rect[1], rect[2] - box.right, rect[3] - box.bottom
    for edge, width, inset, long in zip(
        edges, node.borders, within, (whole.h, whole.w, whole.h, whole.w), strict=True
    ):
        if edge is None or width <= 0:
            continue
        near = edge.zero + inset - beyond * width * scale
        if abs(near - edge.zero) > (width + 1) * scale:
            continue  # cut off by the picture or an ancestor
        if not align:
            near = _shown_at(edge, near, width * scale)
        yield LineQuestion(edge, near, width, long - 2 * node.radius < _STRAIGHT)


def _shown_at(edge: Edge, near: float, width: float) -> float:
    """Return where the picture has a line whose node does not say how it lies on its box's edge.

    Lengths in device px. Within the box, unless the last row that then were outside of it begins
    something already, and a stronger step half or all of the line's width further out.
    """
    steps = np.abs(np.diff(edge.expected.astype(np.float64), axis=0)).max(axis=1)
    last = math.floor(near + WHOLE) - 2  # the step into that row
    if not 0 <= last < len(steps) or steps[last] < _BEGUN * steps[: last + 2].max():
        return near
    places = [near, near - width / 2, near - width]
    rows = [min(max(round(place), 1), len(steps)) - 1 for place in places]
    return places[int(np.argmax(steps[rows]))]


def _judge(node: JudgedNode, lines: Sequence[Line]) -> Draft | None:
    gone = _gone(lines)
    if gone and _is_of_the_fill(node):
        gone = []  # a border of the fill's own colour cannot be seen to be gone: only to be another
    differing = gone or [line for line in lines if line.differs and not _as_declared(node, line)]
    if 2 * len(differing) < max(len(lines), 1):
        return None  # one side alone is something beside the box, or in it
    return _draft(node, max(differing, key=lambda line: line.as_designed))


def _is_of_the_fill(node: JudgedNode) -> bool:
    """Tell whether the design gives the border the colour of the fill that it goes around."""
    stroke, fill = stroke_of(node.node), solid_fill(node.node)
    if stroke is None or stroke.color is None or fill is None or min(stroke.color.a, fill.a) < 1:
        return False
    return delta_e(stroke.color.rgb, fill.rgb) < SEEN


def _as_declared(node: JudgedNode, line: Line) -> bool:
    """Tell whether a line has the colour that the design's node declares.

    The design's own picture may not show it: its line lies between two pixels of other colours.
    """
    stroke = stroke_of(node.node)
    if stroke is None or stroke.color is None or stroke.color.a * node.shown < 1:
        return False
    another = line.is_wider or line.is_gone
    return not another and delta_e(stroke.color.rgb, line.actual) < SEEN


def _gone(lines: Sequence[Line]) -> list[Line]:
    """Return the sides that show no border, where together they leave no doubt.

    By itself a side without a line looks much like one whose edge has slipped outwards.
    """
    designed = sum(line.as_designed for line in lines)
    without = sum(line.recolored + line.noise for line in lines)
    if designed < TELLING * without:
        return []
    gone = [line for line in lines if line.is_gone]
    return gone if 2 * len(gone) >= len(lines) else []


def _draft(node: JudgedNode, line: Line) -> Draft:
    strength = max(line.apart / line.limit, 1.0)
    if line.is_wider or line.is_gone:
        wide = line.wide if line.is_wider else 0.0
        shown = f"border {wide:g}px wide" if wide else "no border"
        return Draft(
            at=node.at,
            property="border-width",
            strength=strength,
            box=node.placed.box,
            expected=line.width,
            actual=wide,
            delta=wide - line.width,
            unit="px",
            says=f"{shown} on the {line.side}, expected {line.width:g}px",
        )
    return Draft(
        at=node.at,
        property="border-color",
        strength=strength,
        box=node.placed.box,
        expected=hex_color(line.color),
        actual=hex_color(line.actual),
        delta=line.apart,
        unit="CIEDE2000",
        says=f"border-color {hex_color(line.actual)} on the {line.side}, expected "
        f"{hex_color(line.color)} (CIEDE2000 {line.apart:.1f})",
    )
