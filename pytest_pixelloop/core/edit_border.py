"""Edits of a border: its width, its colour, or all of it where the element has none yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import Color, parse_color, parse_px
from pytest_pixelloop.core.edit_ask import SIDE, Ask, Declaration, carrier
from pytest_pixelloop.core.node_style import SIDES, stroke_of
from pytest_pixelloop.core.style_scene import px_text

if TYPE_CHECKING:
    from pytest_pixelloop.core.dom import Element


def border(ask: Ask) -> Declaration | None:
    """Return the width, the colour, or the whole border where the element has none yet."""
    stroke = stroke_of(ask.item.node)
    side = SIDE.search(ask.name)
    where = carrier(ask, lambda e: any(_line(e, s) for s in SIDES))
    if stroke is None:
        name = f"border{side[0] if side else ''}"
        return Declaration(element=where, property=name, value="none", actual=_lines(where))
    if stroke.color is None:
        return None
    drawn = [i for i, w in enumerate(stroke.widths) if w > 0]
    wrong = [i for i in range(4) if abs(_line(where, SIDES[i]) - stroke.widths[i]) > 0.25]
    if ask.name == "border-color" and not wrong:
        return _color_of_border(where, stroke.color, drawn)
    if side is not None:
        wrong = [SIDES.index(side[1])]
    if not wrong:
        return _color_of_border(where, stroke.color, drawn)
    some = wrong[0]
    if len({stroke.widths[i] for i in range(4)}) == 1 and len(wrong) > 1:
        name, width = "border", stroke.widths[0]
    else:
        name, width = f"border-{SIDES[some]}", stroke.widths[some]
    if _line(where, SIDES[some]) > 0 and width > 0:
        return Declaration(
            element=where,
            property=f"{name}-width",
            value=px_text(width),
            actual=px_text(_line(where, SIDES[some])),
        )
    value = f"{px_text(width)} solid {stroke.color}" if width > 0 else "none"
    return Declaration(element=where, property=name, value=value, actual=_lines(where))


def _line(element: Element, side: str) -> float:
    if element.value(f"border-{side}-style") in {"none", "hidden"}:
        return 0.0
    color = parse_color(element.value(f"border-{side}-color"))
    if color is not None and color.a <= 0:
        return 0.0
    return parse_px(element.value(f"border-{side}-width")) or 0.0


def _lines(element: Element) -> str:
    widths = [_line(element, side) for side in SIDES]
    if not any(widths):
        return "none"
    return " ".join(px_text(w) for w in (widths[:1] if len(set(widths)) == 1 else widths))


def _color_of_border(element: Element, color: Color, drawn: list[int]) -> Declaration:
    name = "border-color" if len(drawn) > 1 else f"border-{SIDES[drawn[0]]}-color"
    now = parse_color(element.value(f"border-{SIDES[drawn[0]]}-color"))
    return Declaration(element=element, property=name, value=str(color), actual=str(now or ""))
