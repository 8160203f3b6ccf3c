"""What a style check must know beyond one node and one element: neighbours, twins, backdrops."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pytest_pixelloop.core.color import delta_e
from pytest_pixelloop.core.css_values import Color, parse_color
from pytest_pixelloop.core.element_looks import drawn_by
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.node_looks import looks_of
from pytest_pixelloop.core.pairing import is_text_node, node_order
from pytest_pixelloop.core.style_difference import StyleDifference, StyleTolerance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.element_looks import ElementLooks
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.matches import Match, Matches
    from pytest_pixelloop.core.node_looks import NodeLooks

WHITE = Color(255, 255, 255)
_SAME_BOX = 1.0
_STRAIGHT = 0.001


class Scene:
    """The design and the page of one comparison, as style checks ask about them.

    What is asked again and again is found out once.
    """

    def __init__(
        self,
        placed: Iterable[PlacedNode],
        matches: Matches,
        *,
        tolerance: StyleTolerance | None = None,
    ) -> None:
        self.placed = tuple(placed)
        self.matches = matches
        self.elements: Sequence[Element] = matches.snapshot.elements
        self.tolerance = tolerance or StyleTolerance()
        self.laid_out: dict[str, list[StyleDifference]] = {}
        """What is known already of how nodes are laid out otherwise, by their ids."""
        self.right_types: set[tuple[object, ...]] = set()
        """Types of the design, each with that of an element, which did not differ."""
        self.nodes: dict[str, PlacedNode] = {}
        for item in sorted(self.placed, key=node_order):
            self.nodes.setdefault(item.node.id, item)
        self._box_owner = {m.element: m.node_id for m in matches.pairs if not m.is_text}
        self._below: dict[int, list[int]] = {}
        for element in self.elements:
            if element.parent is not None:
                self._below.setdefault(element.parent, []).append(element.index)
        self._children: dict[str, list[PlacedNode]] = {}
        for item in self.nodes.values():
            if item.parent_id is not None:
                self._children.setdefault(item.parent_id, []).append(item)
        self.turned: set[str] = set()
        """The nodes that are turned, or lie in one that is."""
        for node_id, item in self.nodes.items():  # parents come first: the least deep are
            if abs(item.node.rotation) > _STRAIGHT or item.parent_id in self.turned:
                self.turned.add(node_id)
        self._twins: dict[int, tuple[Element, ...]] = {}
        self._node_twins: dict[str, tuple[PlacedNode, ...]] = {}
        self._looks = dict(matches.looks)
        self._drawn: dict[int, ElementLooks] = {}

    def looks(self, item: PlacedNode) -> NodeLooks:
        """Return what a node paints itself."""
        known = self._looks.get(item.node.id)
        if known is None:
            known = self._looks[item.node.id] = looks_of(item.node)
        return known

    def drawn(self, element: Element) -> ElementLooks:
        """Return what an element paints itself."""
        known = self._drawn.get(element.index)
        if known is None:
            known = self._drawn[element.index] = drawn_by(element)
        return known

    def children(self, node_id: str) -> Sequence[PlacedNode]:
        """Return the visible children of a node from top to bottom, left to right."""
        return self._children.get(node_id, ())

    def box_match(self, node_id: str) -> Match | None:
        """Return a node's match when it is sure enough to claim something."""
        found = self.matches.by_node.get(node_id)
        return found if found is not None and found.confidence >= CONFIDENT else None

    def below(self, element: Element) -> list[Element]:
        """Return the children of an element that are in the snapshot."""
        return [self.elements[i] for i in self._below.get(element.index, ())]

    def inside(self, element: Element) -> list[Element]:
        """Return everything under an element, in document order."""
        found: list[Element] = []
        stack = list(reversed(self.below(element)))
        while stack:
            top = stack.pop()
            found.append(top)
            stack.extend(reversed(self.below(top)))
        return found

    def twins(self, element: Element) -> tuple[Element, ...]:
        """Return the elements with the same box, itself first: wrappers around it and inside it.

        What a design says of one node may be said by any of them.
        """
        known = self._twins.get(element.index)
        if known is None:
            known = self._twins[element.index] = tuple(self._same_boxes(element))
        return known

    def _same_boxes(self, element: Element) -> list[Element]:
        found, box = [element], element.box
        above = element.parent
        while above is not None and same_box(self.elements[above].box, box):
            found.append(self.elements[above])
            above = self.elements[above].parent
        stack = self.below(element)
        for child in stack:  # grows on the way
            if same_box(child.box, box) and not child.is_vector:
                found.append(child)
                stack.extend(self.below(child))
        return found

    def own_twins(self, element: Element) -> tuple[Element, ...]:
        """Return the twins that no other node has as its element: what they paint is nobody's."""
        return tuple(
            t
            for t in self.twins(element)
            if t.index == element.index or t.index not in self._box_owner
        )

    def node_twins(self, item: PlacedNode) -> tuple[PlacedNode, ...]:
        """Return the nodes with the same box, itself first: those around it and those in it."""
        known = self._node_twins.get(item.node.id)
        if known is None:
            known = self._node_twins[item.node.id] = tuple(self._same_nodes(item))
        return known

    def _same_nodes(self, item: PlacedNode) -> list[PlacedNode]:
        found = [item]
        above = self.nodes.get(item.parent_id or "")
        while above is not None and same_box(above.box, item.box):
            found.append(above)
            above = self.nodes.get(above.parent_id or "")
        stack = list(self.children(item.node.id))
        for child in stack:  # grows on the way
            if same_box(child.box, item.box) and not is_text_node(child):
                found.append(child)
                stack.extend(self.children(child.node.id))
        return found

    def backdrop(self, element: Element) -> Color:
        """Return the colour behind an element, as far as plain backgrounds tell; else white."""
        return WHITE if element.parent is None else self._grounds[element.parent]

    @cached_property
    def _grounds(self) -> list[Color]:
        """The colour that each element puts behind what it holds."""
        found: list[Color] = []
        for element in self.elements:  # parents come first
            ground = WHITE if element.parent is None else found[element.parent]
            color = parse_color(element.value("background-color"))
            found.append(color.over(ground) if color is not None and color.a > 0 else ground)
        return found

    def design_backdrop(self, item: PlacedNode) -> Color | None:
        """Return the colour behind a node, None when a picture or nothing lies there."""
        above = self.nodes.get(item.parent_id or "")
        while above is not None:
            fill = self.looks(above).fill
            if fill is not None and fill.a >= 1:
                return fill
            above = self.nodes.get(above.parent_id or "")
        return None

    def same_color(self, expected: Color, actual: Color) -> tuple[bool, float]:
        """Tell whether two opaque colours are the same within the tolerance, and CIEDE2000."""
        limit = self.tolerance.color_channel
        if (
            abs(expected.r - actual.r) <= limit
            and abs(expected.g - actual.g) <= limit
            and abs(expected.b - actual.b) <= limit
        ):
            return True, 0.0
        distance = round(delta_e(expected.rgb, actual.rgb), 2)
        return distance <= self.tolerance.color_delta_e, distance


class Claims:
    """The differences found for one node, as they are found."""

    def __init__(self, scene: Scene, item: PlacedNode, match: Match) -> None:
        self.scene = scene
        self.item = item
        self.node = item.node
        self.match = match
        self.element = scene.elements[match.element]
        self.looks = scene.looks(item)
        self.found: list[StyleDifference] = []

    def add(
        self,
        name: str,
        *,
        expected: str,
        actual: str,
        delta: float | None = None,
        unit: str | None = None,
        tolerance: float | None = None,
        factor: float = 1.0,
        diagnosis: bool = False,
    ) -> None:
        """Note a difference; *factor* lowers the confidence where the evidence is weaker."""
        self.found.append(
            StyleDifference(
                node_id=self.node.id,
                element=self.element.index,
                property=name,
                expected=expected,
                actual=actual,
                delta=None if delta is None else round(delta, 3),
                unit=unit,
                tolerance=tolerance,
                confidence=round(self.match.confidence * factor, 4),
                diagnosis=diagnosis,
            )
        )

    def length(
        self, name: str, *, expected: float, actual: float, tolerance: float, factor: float = 1.0
    ) -> None:
        """Note two lengths in px when they are further apart than *tolerance*."""
        if abs(actual - expected) > tolerance + 1e-6:
            self.add(
                name,
                expected=px_text(expected),
                actual=px_text(actual),
                delta=actual - expected,
                unit="px",
                tolerance=tolerance,
                factor=factor,
            )

    def color(self, name: str, *, expected: Color, actual: Color, factor: float = 1.0) -> None:
        """Note two colours when they are further apart than the tolerance, seen on the page."""
        if expected == actual:
            return
        behind = self.scene.backdrop(self.element)
        same, distance = self.scene.same_color(expected.over(behind), actual.over(behind))
        if not same:
            self.add(
                name,
                expected=str(expected),
                actual="transparent" if actual.a <= 0 else str(actual),
                delta=distance,
                unit="CIEDE2000",
                tolerance=self.scene.tolerance.color_delta_e,
                factor=factor,
            )


def px_text(value: float) -> str:
    """Return a length as CSS writes it."""
    return f"{round(value, 2):g}px"


def same_box(first: Box, second: Box) -> bool:
    """Tell whether two boxes are the same within a px on each side."""
    return (
        abs(first.y - second.y) <= _SAME_BOX
        and abs(first.x - second.x) <= _SAME_BOX
        and abs(first.right - second.right) <= _SAME_BOX
        and abs(first.bottom - second.bottom) <= _SAME_BOX
    )
