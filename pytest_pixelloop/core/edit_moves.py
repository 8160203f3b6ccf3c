"""Where things lie in their containers, on the page and in the design."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_pixelloop.core.edit_ask import Declaration
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.pairing import is_text_node

if TYPE_CHECKING:
    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.style_scene import Scene

MOVED = 1.5
"""CSS px from which something lies elsewhere in its container."""
LINE = 4.0
"""CSS px that the lines of a text may lie from its box."""


def is_off(
    scene: Scene, item: PlacedNode, element: Element, child: PlacedNode, axis: int | None
) -> bool:
    """Tell whether a child lies elsewhere in its container, along an axis or along any."""
    across = abs(step(scene, item, element, child, 0) or 0.0)
    down = abs(step(scene, item, element, child, 1) or 0.0)
    if is_text_node(child) and down < LINE:
        down = 0.0
    return {0: across, 1: down, None: max(across, down)}[axis] > MOVED


def step(
    scene: Scene, item: PlacedNode, element: Element, child: PlacedNode, axis: int
) -> float | None:
    """Return how far a child lies from its place in its container, None where it is not known."""
    found = scene.matches.by_node.get(child.node.id)
    if found is None or found.confidence < CONFIDENT:
        return None
    inner = scene.elements[found.element]
    # A block of text has its lines where it wants; an inline one is where its lines are.
    block = abs(inner.box.w - child.box.w) <= 2 * MOVED
    box = inner.text_box if found.is_text and not block else inner.box
    if axis:
        return (box.y - element.box.y) - (child.box.y - item.box.y)
    return (box.x - element.box.x) - (child.box.x - item.box.x)


def room_after(scene: Scene, item: PlacedNode, element: Element) -> float:
    """Return by how much more room is on the right of a node's content than in the design."""
    ends = []
    for child in scene.children(item.node.id):
        found = scene.matches.by_node.get(child.node.id)
        if found is not None and found.confidence >= CONFIDENT:
            inner = scene.elements[found.element]
            block = abs(inner.box.right - element.box.right) <= abs(
                item.box.right - child.box.right
            )
            box = inner.text_box if found.is_text and not block else inner.box
            ends.append((child.box.right, box.right))
    if not ends:
        return math.inf
    wanted, shown = (max(e[side] for e in ends) for side in (0, 1))
    return (element.box.right - shown) - (item.box.right - wanted)


def taken_out(scene: Scene, item: PlacedNode) -> Declaration | None:
    """Return that an element which the design leaves in the flow is shifted out of its place."""
    parent = scene.nodes.get(item.parent_id or "")
    found = scene.matches.element(item.node.id)
    if parent is None or found is None:
        return None
    if item.node.properties.get("layoutPositioning") == "ABSOLUTE" or not _alone(scene, item):
        return None
    for element in (found, *(scene.elements[i] for i in _wrappers(scene, found))):
        if element.value("position") == "relative" and not any(
            e.value("position") == "absolute" for e in scene.inside(element)
        ):
            return Declaration(
                element=element, property="position", value="static", actual="relative"
            )
    return None


def _alone(scene: Scene, item: PlacedNode) -> bool:
    """Tell whether a node's element has left its place and those beside it have not."""
    parent = scene.nodes[item.parent_id or ""]
    home = scene.matches.element(parent.node.id, confidence=CONFIDENT)
    if home is None:
        return False
    off = [
        c.node.id for c in scene.children(parent.node.id) if is_off(scene, parent, home, c, None)
    ]
    return off == [item.node.id]


def _wrappers(scene: Scene, element: Element) -> list[int]:
    return [t.index for t in scene.twins(element) if t.index < element.index]
