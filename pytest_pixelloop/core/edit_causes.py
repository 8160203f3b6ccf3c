"""Which declaration moves things: the search where what is seen is not what is set wrongly.

A box that is 24 px too narrow shows as padding of its container, a line height as a gap. Where the
property that a finding names is right on the page, the elements around are asked one by one, as
the design nests them, for the one whose own layout is not the design's.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import parse_px
from pytest_pixelloop.core.edit_ask import Ask, Declaration
from pytest_pixelloop.core.edit_border import border as _border
from pytest_pixelloop.core.edit_layout import LAYOUT, grid_gaps
from pytest_pixelloop.core.edit_moves import LINE, MOVED, is_off, room_after, step, taken_out
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.node_style import number, padding_of, sizing_of, text_style, told_sizing
from pytest_pixelloop.core.pairing import is_text_node
from pytest_pixelloop.core.style_edges import compare_border
from pytest_pixelloop.core.style_layout import compare_layout
from pytest_pixelloop.core.style_scene import Claims, px_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.matches import Match
    from pytest_pixelloop.core.style_difference import StyleDifference
    from pytest_pixelloop.core.style_scene import Scene

_LARGER = 1.5
_INSET = 2.5
_ACROSS = ("left", "right", "width", "column")
_DOWN = ("top", "bottom", "height", "row")
_SIZES = frozenset(("width", "height"))
_TYPE = {"font-size": "fontSize", "line-height": "lineHeightPx"}
_VERTICAL = frozenset(("up", "down"))


def find_cause(ask: Ask, *, axis: int | None = None) -> Declaration | None:
    """Return the declaration that has moved or sized what *ask* is about, None where unknown.

    *axis* is along which to look: 0 across, 1 down; None reads it from what is asked. What the
    design sets is asked for in the whole page before any size that only follows from others.
    """
    axis = _axis(ask) if axis is None else axis
    start: PlacedNode | None = ask.item
    if ask.name == "position" or moved(ask) is not None:
        loose = taken_out(ask.scene, ask.item)
        if loose is not None:
            return loose
    if ask.name == "position" or is_text_node(ask.item):
        start = ask.scene.nodes.get(ask.item.parent_id or "")
    for follows in (False, True):
        item, seen = start, frozenset[str]()
        while item is not None and item.parent_id is not None:
            looked = _Look(scene=ask.scene, axis=axis, follows=follows, seen=seen)
            found = next(looked.causes(item), None)
            if found is not None:
                return found
            seen |= {item.node.id}
            item = ask.scene.nodes.get(item.parent_id)
    return None


def size_causes(ask: Ask) -> Iterator[Declaration]:
    """Yield what may repair a width or height: what squeezes it, what is in it, what drives it."""
    scene, axis = ask.scene, 0 if ask.name == "width" else 1
    look = _Look(scene=scene, axis=axis, follows=False, seen=frozenset())
    parent = scene.nodes.get(ask.item.parent_id or "")
    if parent is not None and parent.parent_id is not None:
        yield from look.own(parent)
    item = ask.item
    if told_sizing(item.node, axis) != "FIXED":
        yield from look.causes(item)
        item = _filler(scene, item, axis) if axis else _driver(scene, item, axis)
    element = ask.element if item is ask.item else scene.matches.element(item.node.id)
    if element is not None:
        sized = LAYOUT[ask.name](dataclasses.replace(ask, item=item, element=element))
        if sized is not None:
            yield dataclasses.replace(sized, item=item)


def _filler(scene: Scene, item: PlacedNode, axis: int) -> PlacedNode:
    """Return the node inside of a node that makes it as large as it is: boxes grow downwards."""
    grown = _grown(scene, item, axis)
    while grown:
        inside = [
            c
            for c in scene.children(item.node.id)
            if not is_text_node(c) and abs(_grown(scene, c, axis) - grown) <= MOVED
        ]
        if len(inside) != 1:
            break
        item = inside[0]
    return item


def _grown(scene: Scene, item: PlacedNode, axis: int) -> float:
    """Return by how much the element of a node is larger than the node, 0 where unknown."""
    found = scene.matches.by_node.get(item.node.id)
    if found is None or found.is_text or found.confidence < CONFIDENT:
        return 0.0
    box = scene.elements[found.element].box
    return box.h - item.box.h if axis else box.w - item.box.w


def _driver(scene: Scene, item: PlacedNode, axis: int) -> PlacedNode:
    """Return the node whose size gives a node its own: around it, or beside it and larger."""
    grown = _grown(scene, item, axis)
    while grown:
        parent = scene.nodes.get(item.parent_id or "")
        if parent is None or parent.parent_id is None:
            break
        if abs(_grown(scene, parent, axis) - grown) > MOVED:
            beside = scene.children(parent.node.id)
            largest = max(beside, key=lambda c: -_grown(scene, c, axis) * grown)
            other = _grown(scene, largest, axis)
            if other * grown < 0 and abs(other) >= _LARGER * abs(grown):
                return largest
            break
        item = parent
    return item


def moved(ask: Ask) -> int | None:
    """Return along which axis the asked element lies elsewhere than its node, None where it is."""
    box = ask.element.text_box if is_text_node(ask.item) else ask.element.box
    node, slack = ask.item.box, MOVED
    across, down = abs(box.x - node.x), abs(box.y - node.y)
    if is_text_node(ask.item):
        down, slack = max(down - LINE, 0.0), MOVED + 1.0
    else:
        across = max(across, abs(box.w - node.w))
        down = max(down, abs(box.h - node.h))
    if max(across, down) <= slack:
        return None
    return 0 if across > down else 1


def _axis(ask: Ask) -> int | None:
    """Return 0 for what goes across, 1 for what goes down, None where nothing tells."""
    if ask.name == "border-width":
        return None
    if any(w in ask.name.replace("-width", "-") for w in _ACROSS):
        return 0
    if any(w in ask.name for w in _DOWN):
        return 1
    words = set(ask.message.replace("(", " ").split())
    if words & {"left", "right"}:
        return 0
    return 1 if words & _VERTICAL else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """One look through a part of the tree.

    ``follows`` asks for the sizes that follow from what is around or inside, and for nothing else.
    ``seen`` are nodes whose insides were looked through.
    """

    scene: Scene
    axis: int | None
    follows: bool
    seen: frozenset[str]

    def causes(self, item: PlacedNode) -> Iterator[Declaration]:
        """Yield what is set otherwise in a node or below it; what is inside before its size."""
        scene = self.scene
        match = scene.matches.by_node.get(item.node.id)
        if match is not None and match.confidence < CONFIDENT:
            match = None
        if is_text_node(item):
            if match is not None and not self.follows:
                yield from _of_type(scene.elements[match.element], item, self.axis)
            return
        if not self.follows:
            yield from self.own(item)
        for child in scene.children(item.node.id):
            if child.node.id not in self.seen:
                yield from self.causes(child)
        if match is not None:
            sized = [d for d in _differences(scene, item, match) if d.property in _SIZES]
            firm = [d for d in sized if _is_fixed(item, d) is not self.follows]
            for declared in self._declared(item, match, firm):
                axis = 0 if declared.property == "width" else 1
                driver = _driver(scene, item, axis) if self.follows and not axis else item
                yield self._of_driver(driver, declared) or declared
            if not self.follows:
                yield from _turned(scene, item, scene.elements[match.element], self.axis)
                yield from self._loose(item)

    def _loose(self, item: PlacedNode) -> Iterator[Declaration]:
        for child in self.scene.children(item.node.id):
            loose = taken_out(self.scene, child)
            if loose is not None:
                yield loose

    def own(self, item: PlacedNode) -> Iterator[Declaration]:
        """Yield what a node's element itself sets otherwise: padding, gap, border."""
        match = self.scene.matches.by_node.get(item.node.id)
        if match is None or match.confidence < CONFIDENT or match.is_text:
            return
        said = _differences(self.scene, item, match)
        yield from self._declared(item, match, [d for d in said if d.property not in _SIZES])
        if padding_of(item.node) is None:
            yield from self._inset(item, self.scene.elements[match.element])
            yield from grid_gaps(self.scene, item, self.scene.elements[match.element], self.axis)

    def _inset(self, item: PlacedNode, element: Element) -> Iterator[Declaration]:
        """Yield a padding that shows, of a node of which the design says none."""
        for side, axis in (("left", 0), ("top", 1)):
            now = parse_px(element.value(f"padding-{side}")) or 0.0
            if self.axis not in {axis, None} or now <= 0:
                continue
            steps = [
                went
                for child in self.scene.children(item.node.id)
                if (went := step(self.scene, item, element, child, axis)) is not None
            ]
            # All of it went one way, as far: texts may lie a little off their boxes.
            if not steps or max(steps) - min(steps) > 1.0 or abs(steps[0]) <= _INSET:
                continue
            if axis and abs(_grown(self.scene, item, axis) - steps[0]) > MOVED:
                continue  # what has gone down in a box of the same height was aligned otherwise
            if not axis and abs(room_after(self.scene, item, element)) > MOVED:
                continue  # as has what is nearer to the other side
            yield Declaration(
                element=element,
                property=f"padding-{side}",
                value=px_text(max(round(now - steps[0]), 0)),
                actual=px_text(now),
                item=item,
            )

    def _of_driver(self, driver: PlacedNode, declared: Declaration) -> Declaration | None:
        element = self.scene.matches.element(driver.node.id)
        if driver is declared.item or element is None:
            return None
        name = declared.property
        sized = LAYOUT[name](Ask(scene=self.scene, item=driver, element=element, name=name))
        return sized and dataclasses.replace(sized, item=driver)

    def _declared(
        self, item: PlacedNode, match: Match, said: list[StyleDifference]
    ) -> Iterator[Declaration]:
        for found in said:
            ask = Ask(
                scene=self.scene,
                item=item,
                element=self.scene.elements[match.element],
                name=found.property,
                expected=found.expected,
            )
            if self.axis is not None and _axis(ask) not in {self.axis, None}:
                continue
            writer = _border if "border" in found.property else LAYOUT[_plain(found.property)]
            declared = writer(ask)
            if declared is not None and declared.value != declared.actual:
                yield dataclasses.replace(declared, item=item)


def _is_fixed(item: PlacedNode, found: StyleDifference) -> bool:
    return sizing_of(item.node, horizontal=found.property == "width") == "FIXED"


def _differences(scene: Scene, item: PlacedNode, match: Match) -> list[StyleDifference]:
    known = scene.laid_out.get(item.node.id)
    if known is not None:  # every finding looks through the same tree
        return known
    claims = Claims(scene, item, match)
    if not claims.element.transformed:
        compare_layout(claims)
    if not claims.element.is_vector:
        compare_border(claims, scene.twins(claims.element))
    found = [
        d
        for d in claims.found
        if d.property not in {"left", "top"} and not d.property.endswith("color")
    ]
    scene.laid_out[item.node.id] = found
    return found


def _plain(name: str) -> str:
    return "padding" if name.startswith("padding") else name


def _of_type(element: Element, item: PlacedNode, axis: int | None) -> Iterator[Declaration]:
    """Yield the size of type and the height of lines that are not the design's."""
    for name, key in _TYPE.items():
        wanted = number(text_style(item.node), key)
        now = parse_px(element.value(name))
        if wanted is None or now is None or (name == "line-height" and axis == 0):
            continue
        if abs(wanted - now) > 0.5:
            yield Declaration(
                element=element,
                property=name,
                value=px_text(wanted),
                actual=px_text(now),
                item=item,
            )


def _turned(
    scene: Scene, item: PlacedNode, element: Element, axis: int | None
) -> Iterator[Declaration]:
    """Yield the alignment that is another, where children lie elsewhere in their container."""
    if not any(is_off(scene, item, element, child, axis) for child in scene.children(item.node.id)):
        return
    declared = LAYOUT["alignment"](Ask(scene=scene, item=item, element=element, name="alignment"))
    if declared is not None:
        yield dataclasses.replace(declared, item=item)
