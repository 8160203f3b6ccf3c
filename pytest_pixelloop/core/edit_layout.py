"""Edits of layout: padding, gap, size, place and alignment of an element, as CSS writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import parse_px
from pytest_pixelloop.core.edit_ask import Ask, Declaration
from pytest_pixelloop.core.node_style import SIDES, text_style, word
from pytest_pixelloop.core.pairing import is_text_node
from pytest_pixelloop.core.style_scene import px_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.style_scene import Scene

_TEXT_ALIGN = {"LEFT": "left", "RIGHT": "right", "CENTER": "center", "JUSTIFIED": "justify"}
_RIGHT = 1.0
"""CSS px within which a length of the page is the design's."""
_FLEX_ALIGN = {
    "MIN": "flex-start",
    "CENTER": "center",
    "MAX": "flex-end",
    "SPACE_BETWEEN": "space-between",
    "BASELINE": "baseline",
}


def _padding(ask: Ask) -> Declaration | None:
    """Return the padding of the design, None where it is there already and something else moves."""
    wanted = _wanted_px(ask)
    side = next((s for s in SIDES if ask.name.endswith(f"-{s}")), "top")
    now = parse_px(ask.element.value(f"padding-{side}"))
    if wanted is None or now is None or is_text_node(ask.item):
        return None
    border = _edge(ask.element, side) - now
    if min(abs(now - wanted), abs(now + border - wanted)) <= _RIGHT:
        return None
    if isinstance(ask.expected, int | float):
        wanted = max(wanted - border, 0.0)  # seen from the edge of the box
    return Declaration(
        element=ask.element,
        property=ask.name,
        value=px_text(wanted),
        actual=px_text(now),
    )


def _gap(ask: Ask) -> Declaration | None:
    element = ask.element
    wanted = _wanted_px(ask)
    if wanted is None or not _is_flexible(element):
        return None
    names = [ask.name]
    if ask.name == "gap":
        mode = word(ask.item.node.properties, "layoutMode")
        both = {"HORIZONTAL": ["column-gap"], "VERTICAL": ["row-gap"]}
        names = both.get(mode, ["row-gap", "column-gap"])
    for name in names:
        now = parse_px(element.value(name)) or 0.0
        if abs(now - wanted) > _RIGHT:
            return Declaration(
                element=element, property=name, value=px_text(wanted), actual=px_text(now)
            )
    return None


def grid_gaps(
    scene: Scene, item: PlacedNode, element: Element, axis: int | None
) -> Iterator[Declaration]:
    """Yield the gaps of a grid that are not the design's, which says nothing of them itself.

    Where the page shows the gap that its element has, and the design another one.
    """
    if not _is_flexible(element):
        return
    for along, name in ((1, "row-gap"), (0, "column-gap")):
        now = parse_px(element.value(name)) or 0.0
        if axis not in {along, None} or now <= 0:
            continue
        pairs = [
            (child.box, scene.elements[found.element].box)
            for child in scene.children(item.node.id)
            if (found := scene.box_match(child.node.id)) is not None and not found.is_text
        ]
        wanted, shown = (_first_gap([p[side] for p in pairs], along) for side in (0, 1))
        if wanted is None or shown is None or abs(shown - now) > _RIGHT:
            continue
        if abs(wanted - now) > _RIGHT:
            yield Declaration(
                element=element,
                property=name,
                value=px_text(round(wanted, 1)),
                actual=px_text(now),
                item=item,
            )


def _first_gap(boxes: list[Box], axis: int) -> float | None:
    """Return the room between the first two tracks of boxes along an axis, None for one track."""
    spans = [(b.y, b.bottom) if axis else (b.x, b.right) for b in boxes]
    if not spans:
        return None
    first = min(spans)[0]
    end = max(e for s, e in spans if s <= first + _RIGHT)
    starts = [s for s, _ in spans if s >= end - _RIGHT]
    return min(starts) - end if starts else None


def _size(ask: Ask) -> Declaration | None:
    """Return a width or height as the element's box-sizing counts it."""
    element, box = ask.element, ask.item.box
    if is_text_node(ask.item) or ask.item.parent_id is None:
        return None
    wanted = box.w if ask.name == "width" else box.h
    now = element.box.w if ask.name == "width" else element.box.h
    if abs(now - wanted) <= _RIGHT:
        return None
    less = 0.0
    if element.value("box-sizing") == "content-box" and not element.is_vector:
        ends = ("left", "right") if ask.name == "width" else ("top", "bottom")
        less = sum(_edge(element, side) for side in ends)
    return Declaration(
        element=element,
        property=ask.name,
        value=px_text(max(wanted - less, 0.0)),
        actual=px_text(max(now - less, 0.0)),
    )


def _edge(element: Element, side: str) -> float:
    drawn = element.value(f"border-{side}-style") not in {"none", "hidden"}
    border = parse_px(element.value(f"border-{side}-width")) or 0.0
    return (parse_px(element.value(f"padding-{side}")) or 0.0) + (border if drawn else 0.0)


def _place(ask: Ask) -> Declaration | None:
    """Return ``left`` or ``top`` of an element that is positioned; in the flow it has no place."""
    if ask.element.value("position") == "static" or ask.name not in {"left", "top"}:
        return None
    wanted = _wanted_px(ask)
    return (
        None
        if wanted is None
        else Declaration(
            element=ask.element,
            property=ask.name,
            value=px_text(wanted),
            actual="",
        )
    )


def _alignment(ask: Ask) -> Declaration | None:
    """Return what aligns the content of an element as its node does."""
    element, properties = ask.element, ask.item.node.properties
    if is_text_node(ask.item) or ask.name == "text-align":
        wanted = _TEXT_ALIGN.get(word(text_style(ask.item.node), "textAlignHorizontal"), "left")
        return Declaration(
            element=element,
            property="text-align",
            value=wanted,
            actual=element.value("text-align"),
        )
    mode = word(properties, "layoutMode")
    if mode not in {"HORIZONTAL", "VERTICAL"} or not _is_flexible(element):
        return None
    for key, name in (
        ("primaryAxisAlignItems", "justify-content"),
        ("counterAxisAlignItems", "align-items"),
    ):
        wanted = _FLEX_ALIGN.get(word(properties, key, default="MIN"), "flex-start")
        now = element.value(name)
        plain = {"normal": "flex-start", "start": "flex-start", "end": "flex-end"}.get(now, now)
        if plain == "stretch" and wanted == "flex-start":
            continue
        if name == "align-items" and now == "normal":
            plain = "flex-start"
        if plain != wanted:
            return Declaration(element=element, property=name, value=wanted, actual=now)
    return None


def _is_flexible(element: Element) -> bool:
    return any(w in element.value("display") for w in ("flex", "grid"))


def _wanted_px(ask: Ask) -> float | None:
    if isinstance(ask.expected, int | float) and not isinstance(ask.expected, bool):
        return float(ask.expected)
    return parse_px(ask.expected) if isinstance(ask.expected, str) else None


LAYOUT: Mapping[str, Callable[[Ask], Declaration | None]] = {
    "padding": _padding,
    "gap": _gap,
    "row-gap": _gap,
    "column-gap": _gap,
    "width": _size,
    "height": _size,
    "left": _place,
    "top": _place,
    "alignment": _alignment,
    "text-align": _alignment,
}
