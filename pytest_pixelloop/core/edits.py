"""What to write so that an element is what its node says: one CSS property with its value.

A finding says what is seen, an edit what to set. It is derived from the node, in CSS's words, and
aimed at the element that paints what is wrong. Where that element has the value already, setting
it would change nothing, and there is no edit.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pytest_pixelloop.core.bound_names import bound_name
from pytest_pixelloop.core.css_values import (
    Color,
    parse_color,
    parse_number,
    parse_shadows,
    same_value,
)
from pytest_pixelloop.core.edit_ask import SIDE, Ask, Declaration, carrier, colored
from pytest_pixelloop.core.edit_border import border
from pytest_pixelloop.core.edit_causes import find_cause, moved, size_causes
from pytest_pixelloop.core.edit_layout import LAYOUT
from pytest_pixelloop.core.edit_text import close, cut, drawing, ink, typed, words
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.finding import Edit, NodeRef
from pytest_pixelloop.core.node_style import (
    CORNERS,
    gradient_css,
    gradient_fill,
    radii_of,
    shadows_of,
    solid_fill,
)
from pytest_pixelloop.core.pairing import is_text_node
from pytest_pixelloop.core.style_edges import shadow_list
from pytest_pixelloop.core.style_scene import px_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_pixelloop.core.design import PlacedNode

_CLEAR = Color(0, 0, 0, 0)
_LIMIT = 1_000
_LOOKS = frozenset(("color", "background", "background-color", "image", "icon"))
_LETTERS = (
    "text",
    "font-family",
    "font-size",
    "font-weight",
    "font-style",
    "text-transform",
    "letter-spacing",
    "text-decoration",
    "color",
)


def edit_for(ask: Ask) -> Edit | None:
    """Return what to set, None where no single property is known to help."""
    found = next((d for d in _proposed(ask) if not same_value(d.value, d.actual)), None)
    if found is None:
        return None
    item = found.item or ask.item
    return Edit(
        node=NodeRef(id=item.node.id, name=item.node.name, path=item.path),
        selector=printable(found.element.selector, limit=_LIMIT),
        source=printable(found.element.source, limit=300) if found.element.source else None,
        property=found.property,
        value=printable(found.value, limit=_LIMIT),
        actual=printable(found.actual, limit=_LIMIT),
        variable=_variable(item, found.property),
    )


def _variable(item: PlacedNode, css_property: str) -> str | None:
    name = bound_name(item.node, css_property)
    return printable(name, limit=120) if name else None


def _proposed(ask: Ask) -> Iterator[Declaration]:
    """Yield what may repair it, the property that the finding names first."""
    plain = SIDE.sub("", ask.name)
    if ask.name in {"width", "height"}:
        yield from size_causes(ask)
    else:
        by_name = _WRITERS.get(plain) or LAYOUT.get(plain)
        writer = _radius if ask.name.endswith("-radius") else by_name
        yield from _said(writer(ask) if writer is not None else None)
    if ask.name in _LOOKS:
        yield from _said(_opacity(ask))
    if ask.name in _LETTERS:
        yield from _letters(ask)
    named = plain in LAYOUT or ask.name in {"position", "line-height"}
    axis = None if named else moved(ask)
    if named or axis is not None:
        yield from _said(find_cause(ask, axis=axis))
    if not is_text_node(ask.item) and not ask.element.is_vector:
        # Whatever is seen of a box: an edge that cannot be found may be one of another colour.
        for paint in (_background, border, _radius, _shadow, _opacity):
            yield from _said(paint(ask))


def _said(found: Declaration | None) -> Iterator[Declaration]:
    if found is not None:
        yield found


def _letters(ask: Ask) -> Iterator[Declaration]:
    """Yield what else makes letters look other than the design's, where the words are the same."""
    for name in _LETTERS:
        found = _WRITERS[name](dataclasses.replace(ask, name=name))
        if found is not None and not close(found):
            yield found
    yield from _said(cut(ask))


# What a box paints


def _background(ask: Ask) -> Declaration | None:
    item, element = ask.item, ask.element
    if is_text_node(item):
        return None
    gradient = gradient_fill(item.node)
    if gradient is not None:
        text = gradient_css(item.node)
        where = carrier(ask, lambda e: e.value("background-image") != "none")
        return (
            text
            and Declaration(
                element=where,
                property="background-image",
                value=text,
                actual=where.value("background-image"),
            )
        ) or None
    where = carrier(ask, lambda e: (parse_color(e.value("background-color")) or _CLEAR).a > 0)
    fill = solid_fill(item.node)
    if fill is None and item.node.properties.get("fills"):
        return None
    if fill is None:
        parent = ask.scene.nodes.get(item.parent_id or "")
        if where is element and (parse_color(element.value("background-color")) or _CLEAR).a <= 0:
            return _behind(ask, parent)
        fill = _CLEAR
    opacity = parse_number(where.value("opacity"))
    if item.node.opacity < 1 and (opacity is None or opacity >= 1):
        fill = fill.faded(item.node.opacity)
    return colored(where, "background-color", fill)


def _behind(ask: Ask, parent: PlacedNode | None) -> Declaration | None:
    """Return the edit of what shines through an element that paints nothing, nor should."""
    if parent is None:
        return None
    found = ask.scene.matches.element(parent.node.id)
    if found is None:
        return None
    return _background(
        Ask(scene=ask.scene, item=parent, element=found, name=ask.name, expected=ask.expected)
    )


def _radius(ask: Ask) -> Declaration | None:
    radii = radii_of(ask.item.node)
    where = carrier(ask, lambda e: any(e.value(f"border-{c}-radius") != "0px" for c in CORNERS))
    now = [where.value(f"border-{c}-radius") for c in CORNERS]
    wanted = [px_text(r) for r in radii]
    return Declaration(
        element=where,
        property="border-radius",
        value=wanted[0] if len(set(wanted)) == 1 else " ".join(wanted),
        actual=now[0] if len(set(now)) == 1 else " ".join(now),
    )


def _shadow(ask: Ask) -> Declaration | None:
    where = carrier(ask, lambda e: e.value("box-shadow") != "none")
    computed = where.value("box-shadow")
    drawn = parse_shadows(computed)
    return Declaration(
        element=where,
        property="box-shadow",
        value=shadow_list(shadows_of(ask.item.node)),
        actual=computed if drawn is None else shadow_list(drawn),
    )


def _opacity(ask: Ask) -> Declaration | None:
    """Return the opacity of the element, or of the one around it that fades it."""
    scene, item = ask.scene, ask.item
    pairs = [(item, ask.element)]
    above = scene.nodes.get(item.parent_id or "")
    while above is not None:
        found = scene.matches.element(above.node.id)
        if found is not None:
            pairs.append((above, found))
        above = scene.nodes.get(above.parent_id or "")
    for node, element in pairs:
        where = next((t for t in scene.twins(element) if t.value("opacity") != "1"), element)
        now = parse_number(where.value("opacity"))
        if now is not None and abs(now - node.node.opacity) > 0.01:
            return Declaration(
                element=where,
                property="opacity",
                value=f"{node.node.opacity:.3g}",
                actual=f"{now:.3g}",
            )
    return None


_WRITERS: Mapping[str, Callable[[Ask], Declaration | None]] = {
    "background": _background,
    "background-color": _background,
    "background-image": _background,
    "border": border,
    "border-width": border,
    "border-color": border,
    "box-shadow": _shadow,
    "opacity": _opacity,
    "text": words,
    "color": ink,
    "fill": drawing,
    "stroke": drawing,
    **dict.fromkeys(
        (
            "font-size",
            "font-weight",
            "font-family",
            "font-style",
            "line-height",
            "letter-spacing",
            "text-transform",
            "text-decoration",
            "text-decoration-line",
        ),
        typed,
    ),
}
