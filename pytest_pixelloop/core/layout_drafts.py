"""What a step in the layout is called, and what it should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.node_style import told_sizing
from pytest_pixelloop.core.placings import SAME, high, low

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.judged_nodes import JudgedNode

_SIDES = (("left", "right"), ("top", "bottom"))
_EDGE = ("Left", "Right"), ("Top", "Bottom")
_MIDDLE = 2.0
"""CSS px by which content may be off the middle and still count as centred."""


def flow(node: JudgedNode) -> int | None:
    """Return the axis along which a node's auto layout puts its children, None without one."""
    return {"HORIZONTAL": 0, "VERTICAL": 1}.get(str(node.node.properties.get("layoutMode")))


def alignment(node: JudgedNode, axis: int) -> str | None:
    """Return MIN, CENTER, MAX, SPACE_BETWEEN or BASELINE, None where the design does not say."""
    along = flow(node)
    if along is None:
        return None
    key = "primaryAxisAlignItems" if axis == along else "counterAxisAlignItems"
    return str(node.node.properties.get(key) or "MIN")


def grows(node: JudgedNode, axis: int) -> bool:
    """Tell whether the design lets a node take the room that is left along an axis."""
    said = told_sizing(node.node, axis)
    return said == "FILL" or (
        said is None and float(node.node.properties.get("layoutGrow") or 0) > 0
    )


def size(node: JudgedNode, axis: int, change: float, *, limit: float) -> Draft:
    """Return that a node is larger or smaller than in the design."""
    name = "height" if axis else "width"
    expected = node.placed.box.h if axis else node.placed.box.w
    return _valued(node, name, expected, change, limit=limit)


def line_height(node: JudgedNode, change: float, *, limit: float) -> Draft:
    """Return that a single line of text takes more or less room, the same above and below."""
    style = node.node.properties.get("style")
    value = style.get("lineHeightPx") if isinstance(style, dict) else None
    expected = float(value) if isinstance(value, int | float) else node.placed.box.h
    return _valued(node, "line-height", expected, change, limit=limit, confidence=0.7)


def gap(
    node: JudgedNode, pair: Sequence[JudgedNode], axis: int, change: float, *, limit: float
) -> Draft:
    """Return that the children of a node are further apart or closer together."""
    declared = node.node.properties.get("itemSpacing") if flow(node) == axis else None
    first, second = pair
    between = low(second, axis) - high(first, axis)
    expected = float(declared) if isinstance(declared, int | float) else between
    return _valued(node, "gap", expected, change, limit=limit)


def padding(
    node: JudgedNode, axis: int, end: int, change: float, room: float, *, limit: float
) -> Draft:
    """Return that the room on one side of a node's content is another: *end* 0 leading, 1 trailing.

    *room* is what it is in the design; what the design declares goes before.
    """
    declared = node.node.properties.get(f"padding{_EDGE[axis][end]}")
    if flow(node) is not None and isinstance(declared, int | float):
        room = float(declared)
    return _valued(node, f"padding-{_SIDES[axis][end]}", room, change, limit=limit)


def aligned(node: JudgedNode, axis: int, step: float, *, limit: float) -> Draft:
    """Return that a node's content starts, ends or is centred where it should not."""
    way = _way(axis, step)
    says = f"content {abs(step):g}px too far {way} (alignment)"
    return _moved(node, "alignment", step, says, limit=limit)


def position(node: JudgedNode, axis: int, step: float, *, limit: float) -> Draft:
    """Return that a node alone stands elsewhere."""
    says = f"{abs(step):g}px too far {_way(axis, step)}"
    return _moved(node, "position", step, says, limit=limit)


def attached(rooms: tuple[float, float], step: float, *, grown: float) -> bool:
    """Tell whether content that lies in the middle or at the end went with it as a node grew.

    *rooms* are before and after the content in the design: what lies at an end has less there.
    """
    before, after = rooms
    if abs(before - after) <= _MIDDLE:
        return abs(step - grown / 2) <= SAME
    return before > after + _MIDDLE and abs(step - grown) <= SAME


def content(
    node: JudgedNode,
    axis: int,
    step: float,
    rooms: tuple[float, float],
    *,
    grown: float,
    limit: float,
) -> Draft:
    """Return all content displaced alike: alignment where it leaves or reaches middle or end.

    *rooms* are before and after the content in the design, *grown* is how much larger the node is:
    what follows a change of its size has not been aligned otherwise.
    """
    before, after = rooms
    centred = abs(before - after) <= _MIDDLE
    far = abs(step) >= 0.5 * min(before, after)
    will_be = not centred and abs((before + step) - (after - step)) <= _MIDDLE
    end = not centred and abs((after - step) - before) <= _MIDDLE
    if abs(grown) <= limit and ((centred and far) or will_be or end):
        return aligned(node, axis, step, limit=limit)
    return padding(node, axis, 0, step, before, limit=limit)


def _way(axis: int, step: float) -> str:
    return ("right" if step > 0 else "left", "down" if step > 0 else "up")[axis]


def _valued(
    node: JudgedNode,
    name: str,
    expected: float,
    change: float,
    *,
    limit: float,
    confidence: float = 1.0,
) -> Draft:
    actual = max(expected + change, 0.0)
    about = "about " if confidence < 1 else ""
    return Draft(
        at=node.at,
        property=name,
        strength=abs(change) / max(limit, 0.5),
        box=node.placed.box,
        expected=round(expected, 2),
        actual=round(actual, 2),
        delta=change,
        unit="px",
        says=f"{name} {about}{round(actual, 2):g}px, expected {round(expected, 2):g}px",
        confidence=confidence,
    )


def _moved(node: JudgedNode, name: str, step: float, says: str, *, limit: float) -> Draft:
    return Draft(
        at=node.at,
        property=name,
        strength=abs(step) / max(limit, 0.5),
        box=node.placed.box,
        delta=step,
        unit="px",
        says=says,
    )
