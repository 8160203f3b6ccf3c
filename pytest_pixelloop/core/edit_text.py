"""Edits of texts and drawings: words, type and ink, as CSS writes them."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import (
    Color,
    parse_color,
    parse_families,
    parse_number,
    parse_px,
)
from pytest_pixelloop.core.dom import normalise_text
from pytest_pixelloop.core.edit_ask import Ask, Declaration, colored
from pytest_pixelloop.core.node_style import number, solid_fill, stroke_of, text_style, word
from pytest_pixelloop.core.pairing import is_text_node
from pytest_pixelloop.core.style_scene import px_text
from pytest_pixelloop.core.style_text import family_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.style_scene import Scene

_TRANSFORM = {"UPPER": "uppercase", "LOWER": "lowercase", "TITLE": "capitalize"}
_LINES = {"UNDERLINE": "underline", "STRIKETHROUGH": "line-through"}


def _text_place(ask: Ask) -> tuple[PlacedNode, Element] | None:
    """Return the text node and its element: the node itself, or its only text."""
    if is_text_node(ask.item):
        return ask.item, ask.element
    texts = [c for c in ask.scene.children(ask.item.node.id) if is_text_node(c)]
    if len(texts) != 1:
        return None
    found = ask.scene.matches.element(texts[0].node.id)
    return None if found is None else (texts[0], found)


def words(ask: Ask) -> Declaration | None:
    """Return the words of the design."""
    place = _text_place(ask)
    if place is None:
        return None
    item, element = place
    wanted = normalise_text(item.node.characters or "")
    now = normalise_text(element.text or element.label)
    return Declaration(element=element, property="text", value=wanted, actual=now, item=item)


def typed(ask: Ask) -> Declaration | None:
    """Return a property of type: size, weight, family, height of lines, spacing, case, lines."""
    place = _text_place(ask)
    if place is None:
        return None
    item, element = place
    value = _typed_value(ask.name, text_style(item.node))
    if value is None:
        return None
    name = "text-decoration-line" if ask.name == "text-decoration" else ask.name
    return Declaration(
        element=element, property=name, value=value, actual=element.value(name), item=item
    )


def _typed_value(name: str, style: Mapping[str, object]) -> str | None:  # noqa: PLR0911 - a table
    if name in {"font-size", "line-height"}:
        value = number(style, {"font-size": "fontSize", "line-height": "lineHeightPx"}[name])
        return None if value is None else px_text(value)
    if name == "font-weight":
        value = number(style, "fontWeight")
        return None if value is None else f"{value:g}"
    if name == "letter-spacing":
        value = number(style, "letterSpacing") or 0.0
        return px_text(value) if value else "normal"
    if name == "font-family":
        family = word(style, "fontFamily")
        return f'"{family}"' if " " in family else family or None
    if name == "font-style":
        slanted = style.get("italic") is True or "italic" in word(style, "fontStyle").lower()
        return "italic" if slanted else "normal"
    if name == "text-transform":
        return _TRANSFORM.get(word(style, "textCase"), "none")
    return _LINES.get(word(style, "textDecoration"), "none")


def ink(ask: Ask) -> Declaration | None:
    """Return the colour of a text, of the only text in a box, or of a drawing."""
    if not is_text_node(ask.item):
        drawn = drawing(ask)
        if drawn is not None:
            return drawn
    place = _text_place(ask)
    fill = solid_fill(place[0].node) if place else None
    if place is None or fill is None:
        return None
    item, element = place
    opacity = parse_number(element.value("opacity"))
    if item.node.opacity < 1 and (opacity is None or opacity >= 1):
        fill = fill.faded(item.node.opacity)
    return dataclasses.replace(colored(element, "color", fill), item=item)


def drawing(ask: Ask) -> Declaration | None:
    """Return the colour of a drawn shape, set where the shapes of a drawing inherit it from."""
    scene, around = ask.scene, ask.element
    shapes = [e for e in (around, *scene.inside(around)) if e.is_vector]
    stroke = stroke_of(ask.item.node)
    wanted = solid_fill(ask.item.node) or (stroke.color if stroke else None)
    if wanted is None:
        colors = {str(c) for c in _colors_below(scene, ask.item)}
        wanted = parse_color(colors.pop()) if len(colors) == 1 else None
    if wanted is None:
        return None
    for shape in shapes:
        for name in ("stroke", "fill"):
            now = shape.value(name)
            color = parse_color(now)
            if color is None or color.a <= 0 or str(color) == str(wanted):
                continue
            below = [e for e in scene.inside(shape) if e.is_vector]
            if not below or any(e.value(name) == now for e in below):
                return colored(shape, name, wanted)
    return None


def _colors_below(scene: Scene, item: PlacedNode) -> list[Color]:
    found, stack = [], list(scene.children(item.node.id))
    while stack:
        child = stack.pop()
        stroke = stroke_of(child.node)
        color = solid_fill(child.node) or (stroke.color if stroke else None)
        if color is not None:
            found.append(color)
        stack.extend(scene.children(child.node.id))
    return found


def close(found: Declaration) -> bool:
    """Tell whether two spellings are of one value: fonts by any name, lengths within half a px."""
    if found.property == "font-family":
        stack = parse_families(found.actual)
        return bool(stack) and family_key(stack[0]) == family_key(found.value.strip('"'))
    one, two = parse_px(found.value), parse_px(found.actual)
    if found.property == "letter-spacing":
        return abs((one or 0.0) - (two or 0.0)) <= 0.1
    return one is not None and two is not None and abs(one - two) <= 0.5


def cut(ask: Ask) -> Declaration | None:
    """Return the width of a text's element that is too narrow to show all of it."""
    if not is_text_node(ask.item) or ask.element.box.w >= ask.item.box.w - 1.5:
        return None
    return Declaration(
        element=ask.element,
        property="width",
        value=px_text(math.ceil(ask.item.box.w)),
        actual=px_text(ask.element.box.w),
    )
