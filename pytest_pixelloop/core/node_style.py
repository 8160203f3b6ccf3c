"""What a design node says of its looks, read tolerantly from the raw properties of the REST API.

Field words and their defaults: FIGMA REST API specification. A value of the wrong type counts as
absent: a design file is input like any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.css_values import Color, Gradient, Shadow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_pixelloop.core.design import DesignNode

SIDES = ("top", "right", "bottom", "left")
_PADDINGS = tuple(f"padding{side.title()}" for side in SIDES)
CORNERS = ("top-left", "top-right", "bottom-right", "bottom-left")
_SIZINGS = ("layoutSizingHorizontal", "layoutSizingVertical")
_NUMBERS = (int, float)
_GRADIENTS = {
    "GRADIENT_LINEAR": "linear",
    "GRADIENT_RADIAL": "radial",
    "GRADIENT_ANGULAR": "conic",
    "GRADIENT_DIAMOND": "diamond",
}


def number(properties: Mapping[str, Any], key: str) -> float | None:
    """Return a finite number, None when absent or of another type."""
    value = properties.get(key)
    if value is None or isinstance(value, bool) or not isinstance(value, _NUMBERS):
        return None
    return float(value) if math.isfinite(value) else None


def word(properties: Mapping[str, Any], key: str, *, default: str = "") -> str:
    """Return a text, *default* when absent or of another type."""
    value = properties.get(key)
    return value if isinstance(value, str) else default


def text_style(node: DesignNode) -> Mapping[str, Any]:
    """Return the ``style`` object of a text node, {} when there is none."""
    style = node.properties.get("style")
    return style if isinstance(style, dict) else {}


def visible_paints(node: DesignNode, key: str) -> list[dict[str, Any]]:
    """Return the visible paints of ``fills`` or ``strokes``, bottom first."""
    paints = node.properties.get(key)
    if not paints or not isinstance(paints, list):
        return []
    return [p for p in paints if isinstance(p, dict) and _is_visible(p)]


def _is_visible(paint: Mapping[str, Any]) -> bool:
    opacity = number(paint, "opacity")
    return paint.get("visible") is not False and (opacity is None or opacity > 0)


def paint_color(paint: Mapping[str, Any]) -> Color | None:
    """Return the colour of a solid paint: alpha is that of the colour times the paint's."""
    if paint.get("type") != "SOLID":
        return None
    color = _color(paint.get("color"))
    opacity = number(paint, "opacity")
    return color if color is None or opacity is None else color.faded(opacity)


def _color(value: object) -> Color | None:
    """Return a colour of floats 0..1 as 0..255: ``round(c * 255)`` is exact on real files."""
    if not isinstance(value, dict):
        return None
    r, g, b, a = number(value, "r"), number(value, "g"), number(value, "b"), number(value, "a")
    if r is None or g is None or b is None:
        return None
    return _srgb(r, g, b, 1.0 if a is None else a)


@lru_cache(4096)
def _srgb(r: float, g: float, b: float, alpha: float) -> Color:
    red, green, blue = (float(min(255, max(0, math.floor(v * 255 + 0.5)))) for v in (r, g, b))
    return Color(red, green, blue, alpha)


def solid_fill(node: DesignNode) -> Color | None:
    """Return the colour of a node whose visible fills are all solid; several are painted over.

    None without a fill, and when a picture or gradient is among them.
    """
    return painted_over(visible_paints(node, "fills"))


def painted_over(paints: Iterable[Mapping[str, Any]]) -> Color | None:
    """Return the colour of solid paints over each other, None without any or with another."""
    result: Color | None = None
    for paint in paints:
        color = paint_color(paint)
        if color is None:
            return None
        result = color if result is None or color.a >= 1 else _blend(color, result)
    return result


def _blend(top: Color, below: Color) -> Color:
    alpha = top.a + below.a * (1 - top.a)
    if alpha <= 0:
        return Color(0, 0, 0, 0)
    r, g, b = (
        (t * top.a + u * below.a * (1 - top.a)) / alpha
        for t, u in zip(top.rgb, below.rgb, strict=True)
    )
    return Color(r, g, b, alpha)


def gradient_fill(node: DesignNode) -> Gradient | None:
    """Return the topmost visible fill as a gradient, None when it is none.

    The angle is the CSS one: handles are in 0..1 of the box, so the box's sides come in.
    """
    paints = visible_paints(node, "fills")
    kind = _GRADIENTS.get(word(paints[-1], "type")) if paints else None
    if kind is None:
        return None
    paint = paints[-1]
    raw = paint.get("gradientStops")
    stops: list[tuple[Color, float | None]] = []
    for stop in raw if isinstance(raw, list) else []:
        color = _color(stop.get("color")) if isinstance(stop, dict) else None
        if color is not None:
            opacity = number(paint, "opacity")
            stops.append((color.faded(1.0 if opacity is None else opacity), None))
    return Gradient(
        kind=kind, angle=_angle(node, paint) if kind == "linear" else None, stops=tuple(stops)
    )


def _angle(node: DesignNode, paint: Mapping[str, Any]) -> float | None:
    handles = paint.get("gradientHandlePositions")
    if not isinstance(handles, list) or len(handles) < 2 or node.box is None:
        return None
    ends = [h for h in handles[:2] if isinstance(h, dict)]
    if len(ends) < 2:
        return None
    x1, y1, x2, y2 = (number(h, k) for h in ends for k in "xy")
    if x1 is None or y1 is None or x2 is None or y2 is None:
        return None
    turn = math.atan2((y2 - y1) * node.box.h, (x2 - x1) * node.box.w)
    return (math.degrees(turn) + 90) % 360


def gradient_css(node: DesignNode) -> str | None:
    """Return the topmost visible fill as CSS writes a linear gradient, None where it is none.

    Handles lie anywhere in the box, CSS counts along a line through its middle: the stops are put
    where they are seen.
    """
    paints = visible_paints(node, "fills")
    box, paint = node.box, paints[-1] if paints else {}
    if word(paint, "type") != "GRADIENT_LINEAR" or box is None:
        return None
    handles, stops, angle = (
        paint.get("gradientHandlePositions"),
        paint.get("gradientStops"),
        _angle(node, paint),
    )
    if angle is None or not isinstance(handles, list) or not isinstance(stops, list):
        return None
    turn = math.radians(angle)
    way = math.sin(turn), -math.cos(turn)
    length = abs(box.w * way[0]) + abs(box.h * way[1])
    ends = []
    for handle in handles[:2]:
        x, y = (number(handle, k) or 0.0 for k in "xy")
        ends.append(((x - 0.5) * box.w * way[0] + (y - 0.5) * box.h * way[1]) / length + 0.5)
    opacity = number(paint, "opacity")
    words = []
    for stop in stops:
        color = _color(stop.get("color")) if isinstance(stop, dict) else None
        at = number(stop, "position") if isinstance(stop, dict) else None
        if color is None or at is None:
            return None
        shown = color.faded(1.0 if opacity is None else opacity)
        words.append(f"{shown} {100 * (ends[0] + at * (ends[1] - ends[0])):.4g}%")
    return f"linear-gradient({angle:.4g}deg, {', '.join(words)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A node's stroke: its colour (None for a gradient) and its width on each side in CSS px.

    ``align`` is INSIDE, CENTER or OUTSIDE.
    """

    color: Color | None
    widths: tuple[float, float, float, float]
    align: str


def stroke_of(node: DesignNode) -> Stroke | None:
    """Return the stroke of a node, None when no side is drawn."""
    paints = visible_paints(node, "strokes")
    if not paints:
        return None
    each = node.properties.get("individualStrokeWeights")
    weight = number(node.properties, "strokeWeight")
    whole = 1.0 if weight is None else weight
    sides = [whole] * 4
    if isinstance(each, dict):
        sides = [number(each, side) or 0.0 for side in SIDES]
    if not any(sides):
        return None
    return Stroke(
        color=paint_color(paints[-1]),
        widths=(sides[0], sides[1], sides[2], sides[3]),
        align=word(node.properties, "strokeAlign", default="INSIDE"),
    )


def radii_of(node: DesignNode) -> tuple[float, float, float, float]:
    """Return the corner radii, top left first, clockwise; clamped to half the shorter side."""
    box = node.box
    limit = min(box.w, box.h) / 2 if box else math.inf
    if node.type == "ELLIPSE":
        return limit, limit, limit, limit
    each = node.properties.get("rectangleCornerRadii")
    if isinstance(each, list) and len(each) == 4:
        named = {str(i): v for i, v in enumerate(each)}
        values = [number(named, str(i)) or 0.0 for i in range(4)]
    else:
        values = [number(node.properties, "cornerRadius") or 0.0] * 4
    a, b, c, d = (min(max(v, 0.0), limit) for v in values)
    return a, b, c, d


def effects_of(node: DesignNode, kind: str) -> list[dict[str, Any]]:
    """Return the visible effects of one type (``DROP_SHADOW``, ``LAYER_BLUR``...)."""
    effects = node.properties.get("effects")
    if not effects or not isinstance(effects, list):
        return []
    return [
        e
        for e in effects
        if isinstance(e, dict) and e.get("type") == kind and e.get("visible") is not False
    ]


def shadows_of(node: DesignNode) -> tuple[Shadow, ...]:
    """Return the shadows of a node as CSS has them, drop shadows and inner ones."""
    found: list[Shadow] = []
    for kind in ("DROP_SHADOW", "INNER_SHADOW"):
        for effect in effects_of(node, kind):
            offset = effect.get("offset")
            offset = offset if isinstance(offset, dict) else {}
            color = _color(effect.get("color"))
            if color is None or color.a <= 0:
                continue
            found.append(
                Shadow(
                    x=number(offset, "x") or 0.0,
                    y=number(offset, "y") or 0.0,
                    blur=number(effect, "radius") or 0.0,
                    spread=number(effect, "spread") or 0.0,
                    color=color,
                    inset=kind == "INNER_SHADOW",
                )
            )
    return tuple(found)


def padding_of(node: DesignNode) -> tuple[float, float, float, float] | None:
    """Return the padding of an auto-layout frame (top, right, bottom, left), None without one."""
    if word(node.properties, "layoutMode", default="NONE") not in {"HORIZONTAL", "VERTICAL"}:
        return None
    a, b, c, d = (number(node.properties, key) or 0.0 for key in _PADDINGS)
    return a, b, c, d


def told_sizing(node: DesignNode, axis: int) -> str | None:
    """Return FIXED, HUG or FILL along axis 0 (x) or 1 (y), None where the design says nothing."""
    return word(node.properties, _SIZINGS[axis]) or None


def sizing_of(node: DesignNode, *, horizontal: bool) -> str:
    """Return FIXED, HUG or FILL for an axis of a node, from new and old fields."""
    told = told_sizing(node, 0 if horizontal else 1)
    if told is not None:
        return told
    if node.type == "TEXT":
        resize = word(text_style(node), "textAutoResize", default="NONE")
        if resize == "WIDTH_AND_HEIGHT":
            return "HUG"
        return "HUG" if resize == "HEIGHT" and not horizontal else "FIXED"
    mode = word(node.properties, "layoutMode", default="NONE")
    if mode in {"HORIZONTAL", "VERTICAL"}:
        main = (mode == "HORIZONTAL") is horizontal
        key = "primaryAxisSizingMode" if main else "counterAxisSizingMode"
        return "FIXED" if node.properties.get(key) == "FIXED" else "HUG"
    return "FIXED"
