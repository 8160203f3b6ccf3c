"""From the readings of a painted rectangle to what is wrong with its look, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_reading import (
    SIDES,
    Edge,
    corner_areas,
    own_fill,
    read_edge,
    read_line,
    shadow_mass,
)
from pytest_pixelloop.core.color import color_differs, delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect
    from pytest_pixelloop.core.tolerance import Tolerance

LINE_LIMIT = 2.5
"""CIEDE2000 by which a border may differ: it is a few rows that no rasteriser places alike."""
CURVED_LIMIT = 11.0
"""The same for circles and pills, whose border is straight for a pixel or two only."""
RADIUS_LIMIT = 2.2
"""CSS px by which a corner radius may differ."""
SHADOW_SHARE = 0.5
"""By how much of itself a shadow may differ: rasterisers blur by different kernels."""
SIDE_DARKENED = 2.0
"""Levels x CSS px by which a side is darker than in the design; what lies beside a box darkens one
or two sides, a shadow three."""
UNEXPECTED_SHADOW = 24.0
"""Levels x CSS px, all sides together, from which a box without a shadow has one."""
SEEN_SHADOW = 1.0
"""Levels x CSS px from which a shadow of the design can be told from what lies around the box."""
SHADOW_LIMIT = 2.0
"""Levels x CSS px by which it may differ beyond that."""


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
        _fill(node, own, tolerance=tolerance) if own else None,
        _border(node, reading, scale=scale),
        _radius(pair, node, moved=moved, fills=own[:2]) if own else None,
    ]
    reading.drafts.extend(d for d in found if d)
    shadow = _shadow(pair, node, reading)
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


def _fill(
    node: JudgedNode,
    own: tuple[NDArray[np.float32], NDArray[np.float32], float],
    *,
    tolerance: Tolerance,
) -> Draft | None:
    expected, actual, share = own
    if share < 0.5 or not color_differs(expected, actual, tolerance=tolerance.color_delta_e):
        return None
    apart = delta_e(expected, actual)
    return Draft(
        at=node.at,
        property="background",
        strength=apart / max(tolerance.color_delta_e, 0.5),
        box=node.placed.box,
        says=f"background {hex_color(actual)}, expected {hex_color(expected)} "
        f"(CIEDE2000 {apart:.1f})",
        expected=hex_color(expected),
        actual=hex_color(actual),
        delta=apart,
        unit="CIEDE2000",
        confidence=min(share, 1.0),
    )


def _border(node: JudgedNode, reading: BoxReading, *, scale: float) -> Draft | None:
    round_all = 2.5 * node.radius >= min(node.placed.box.w, node.placed.box.h)
    limit = CURVED_LIMIT if round_all else LINE_LIMIT
    worst: tuple[float, Draft] | None = None
    for edge, width in zip(reading.edges, node.borders, strict=True):
        if edge is None or width <= 0:
            continue
        line = read_line(edge, width=width, scale=scale)
        if line is None:
            continue
        if float(np.abs(line.expected - line.actual).max()) <= 1.0:
            continue
        apart = delta_e(np.clip(line.expected, 0, 255), np.clip(line.actual, 0, 255))
        if apart <= limit or (worst and apart <= worst[0]):
            continue
        wider = (line.actual_width - line.expected_width) / scale
        if abs(wider) >= 0.6:
            draft = Draft(
                at=node.at,
                property="border-width",
                strength=apart / limit,
                box=node.placed.box,
                expected=width,
                actual=round(max(width + wider, 0), 1),
                delta=wider,
                unit="px",
                says=f"border {max(width + wider, 0):.1f}px wide on the {edge.side}, "
                f"expected {width:g}px",
            )
        else:
            draft = Draft(
                at=node.at,
                property="border-color",
                strength=apart / limit,
                box=node.placed.box,
                expected=hex_color(line.expected),
                actual=hex_color(line.actual),
                delta=apart,
                unit="CIEDE2000",
                says=f"border-color {hex_color(line.actual)} on the {edge.side}, expected "
                f"{hex_color(line.expected)} (CIEDE2000 {apart:.1f})",
            )
        worst = (apart, draft)
    return worst[1] if worst else None


def _radius(
    pair: PicturePair,
    node: JudgedNode,
    *,
    moved: Rect,
    fills: tuple[NDArray[np.float32], NDArray[np.float32]],
) -> Draft | None:
    scale = pair.scale
    small = min(node.rect[2] - node.rect[0], node.rect[3] - node.rect[1])
    side = min(round((node.radius + 4) * scale), small // 2)
    if side < 3:
        return None
    line = round(node.border * scale)
    areas = corner_areas(pair, node.rect, moved=moved, side=side, border=line, fills=fills)
    if not areas:
        return None
    median = sorted(areas, key=abs)[1]  # two corners at least must show it
    area = median / scale**2
    radius = min(node.radius, small / 2 / scale)
    square = radius**2 + area / (1 - np.pi / 4)
    actual = float(np.sqrt(max(square, 0.0)))
    arc = np.pi / 2 * max(radius, actual)
    blur = 1.5 + (0.3 if node.border > 0 else 0.15) * arc  # what smoothing a curve may add
    if (
        abs(actual - radius)
        <= max(
            RADIUS_LIMIT + (0.4 if node.border > 0 else 0.0),
            (0.35 if node.border > 0 else 0.15) * radius,
        )
        or abs(area) < blur
    ):
        return None
    return Draft(
        at=node.at,
        property="border-radius",
        strength=abs(actual - radius) / RADIUS_LIMIT,
        box=node.placed.box,
        expected=radius,
        actual=round(actual, 1),
        delta=actual - radius,
        unit="px",
        says=f"border-radius about {actual:.0f}px, expected {radius:g}px",
        confidence=0.8,
    )


def _shadow(pair: PicturePair, node: JudgedNode, reading: BoxReading) -> Draft | None:
    if node.shadow_reach <= 0 and (node.color is None or node.parent is None):
        return None
    expected = actual = 0.0
    darkened = 0
    for side in SIDES:
        masses = shadow_mass(pair, side, node.rect, moved=reading.moved, reach=node.shadow_reach)
        if masses is not None:
            expected, actual = expected + masses[0], actual + masses[1]
            darkened += masses[1] - masses[0] > SIDE_DARKENED
    limit = SHADOW_SHARE * max(abs(expected), abs(actual)) + SHADOW_LIMIT
    if node.shadow_reach <= 0:
        # Nothing is expected here; what the surroundings do by themselves is seen in both.
        if abs(expected) > 2 * SHADOW_LIMIT or actual < UNEXPECTED_SHADOW or darkened < 3:
            return None
    elif expected < SEEN_SHADOW or abs(actual - expected) <= limit:
        return None  # alike, or lost in what lies around it: a shadow darkens
    word = "stronger" if abs(actual) > abs(expected) else "weaker"
    if abs(actual) < 0.3 * abs(expected):
        word = "no"
    return Draft(
        at=node.at,
        property="box-shadow",
        strength=abs(actual - expected) / limit,
        box=node.placed.box,
        says=f"{word} shadow ({actual:.0f} against {expected:.0f} levels x px)",
        expected=round(expected, 1),
        actual=round(actual, 1),
        delta=actual - expected,
        unit="levels px",
        confidence=0.7,
    )
