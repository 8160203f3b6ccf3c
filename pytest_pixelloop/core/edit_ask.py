"""What an edit is asked for: a property of a node, on the element that shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.css_values import Color, parse_color

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.style_scene import Scene


#: The side in the name of a property: ``border-top-width``.
SIDE = re.compile(r"-(top|right|bottom|left)(?=-|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question: which declaration makes *element* show what *item* is, as to *name*.

    ``expected`` is what the finding says, None where it says nothing; ``message`` is its sentence.
    """

    scene: Scene
    item: PlacedNode
    element: Element
    name: str
    expected: Any = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A property and its value on an element, and what the element has now.

    ``item`` is the node that says so, None for the one that was asked about.
    """

    element: Element
    property: str
    value: str
    actual: str
    item: PlacedNode | None = None


def carrier(ask: Ask, shows: Callable[[Element], bool]) -> Element:
    """Return the element of the same box that shows something, else the matched one."""
    return next((t for t in ask.scene.twins(ask.element) if shows(t)), ask.element)


def colored(element: Element, name: str, color: Color) -> Declaration:
    """Return a colour as a declaration, in CSS's words."""
    now = parse_color(element.value(name))
    return Declaration(
        element=element,
        property=name,
        value="transparent" if color.a <= 0 else str(color),
        actual="transparent" if now is not None and now.a <= 0 else str(now or element.value(name)),
    )
