"""Style of edges: the border of a node and its shadows against those of its element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import (
    Color,
    Shadow,
    parse_color,
    parse_number,
    parse_px,
    parse_shadows,
)
from pytest_pixelloop.core.node_style import SIDES, Stroke, shadows_of, stroke_of, visible_paints
from pytest_pixelloop.core.style_scene import px_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.style_scene import Claims


def painted(twins: list[Element]) -> Color | None:
    """Return the first background of an element and its twins, opacity in it."""
    for twin in twins:
        color = parse_color(twin.value("background-color"))
        if color is not None and color.a > 0:
            opacity = parse_number(twin.value("opacity"))
            return color.faded(1.0 if opacity is None else opacity)
    return None


def _sides_of(element: Element) -> tuple[list[float], list[Color | None]]:
    """Return the widths and colours of the sides of an element's border."""
    widths: list[float] = []
    colors: list[Color | None] = []
    for side in SIDES:
        drawn = element.value(f"border-{side}-style") not in {"none", "hidden"}
        width = parse_px(element.value(f"border-{side}-width")) if drawn else 0.0
        color = parse_color(element.value(f"border-{side}-color"))
        clear = color is not None and color.a <= 0
        widths.append(0.0 if clear or width is None else width)
        colors.append(color)
    return widths, colors


def _rings(element: Element) -> list[tuple[float, Color]]:
    """Return the outline and the ring-like shadows of an element: what draws a border otherwise."""
    found: list[tuple[float, Color]] = []
    if element.value("outline-style") not in {"none", "auto"}:
        width = parse_px(element.value("outline-width"))
        color = parse_color(element.value("outline-color"))
        if width and color is not None and color.a > 0:
            found.append((width, color))
    shadows = parse_shadows(element.value("box-shadow")) or ()
    found.extend((s.spread, s.color) for s in shadows if is_ring(s))
    return found


def is_ring(shadow: Shadow) -> bool:
    """Tell whether a shadow is nothing but a line around the box."""
    return shadow.x == shadow.y == shadow.blur == 0 and shadow.spread > 0 and shadow.color.a > 0


def compare_border(claims: Claims, twins: list[Element]) -> None:
    """Compare a node's stroke with the border, outline or ring-like shadow that answers best."""
    stroke = stroke_of(claims.node)
    if stroke is None:
        if any(stroke_of(t.node) for t in claims.scene.node_twins(claims.item)[1:]):
            return  # another node of the same box has the stroke, and is compared itself
        stroke = Stroke(color=None, widths=(0.0, 0.0, 0.0, 0.0), align="INSIDE")
        twins = claims.scene.own_twins(claims.element)
    rings = any(is_ring(s) for s in shadows_of(claims.node))
    best: list[tuple[int, list[float], list[Color | None]]] = []
    for twin in twins:
        options = [_sides_of(twin)]
        if not rings:
            options.extend(([w] * 4, [c] * 4) for w, c in _rings(twin))
        best.extend((_wrong_sides(claims, stroke, w, c), w, c) for w, c in options if any(w))
    if not best:
        best.append((0, [0.0] * 4, [None] * 4))
    _, widths, colors = min(best, key=lambda b: b[0])
    if not any(stroke.widths) and _is_unseen(claims, twins, colors):
        return
    _claim_border(claims, stroke, widths, colors)


def _is_unseen(claims: Claims, twins: list[Element], colors: list[Color | None]) -> bool:
    """Tell whether a border has the colour of the box that it is drawn on."""
    behind = claims.scene.backdrop(claims.element)
    fill = painted(twins)
    ground = behind if fill is None else fill.over(behind)
    return all(c is None or claims.scene.same_color(ground, c.over(ground))[0] for c in colors)


def _wrong_sides(
    claims: Claims, stroke: Stroke, widths: list[float], colors: list[Color | None]
) -> int:
    limit = claims.scene.tolerance.border
    wrong = sum(abs(w - s) > limit for w, s in zip(widths, stroke.widths, strict=True))
    behind = claims.scene.backdrop(claims.element)
    for width, color in zip(widths, colors, strict=True):
        if width and color is not None and stroke.color is not None:
            same, _ = claims.scene.same_color(stroke.color.over(behind), color.over(behind))
            wrong += not same
    return wrong


def _claim_border(
    claims: Claims, stroke: Stroke, widths: list[float], colors: list[Color | None]
) -> None:
    limit = claims.scene.tolerance.border
    off = [i for i in range(4) if abs(widths[i] - stroke.widths[i]) > limit]
    if off:
        groups = {(stroke.widths[i], widths[i]) for i in off}
        if len(off) == 4 and len(groups) == 1:
            expected, actual = groups.pop()
            claims.length("border-width", expected=expected, actual=actual, tolerance=limit)
        else:
            for i in off:
                claims.length(
                    f"border-{SIDES[i]}-width",
                    expected=stroke.widths[i],
                    actual=widths[i],
                    tolerance=limit,
                )
    if stroke.color is None:
        return
    for i in range(4):
        color = colors[i]
        if widths[i] and stroke.widths[i] and color is not None:
            before = len(claims.found)
            claims.color("border-color", expected=stroke.color, actual=color)
            if len(claims.found) > before:
                return


def compare_shadow(claims: Claims, twins: list[Element]) -> None:
    """Compare a node's shadows with those that its element, or a twin of it, casts."""
    if any("drop-shadow(" in t.value("filter") for t in twins):
        return
    wanted = shadows_of(claims.node)
    if wanted and not visible_paints(claims.node, "fills"):
        return  # Figma shadows the children of a frame without fill
    others = claims.scene.node_twins(claims.item)[1:]
    if any(shadows_of(o.node) for o in others):
        return
    actual = _drawn_shadows(
        twins if wanted else claims.scene.own_twins(claims.element),
        rings=any(is_ring(s) for s in wanted),
    )
    if actual is None:
        return
    left = list(actual)
    worst: tuple[float, Shadow, Shadow] | None = None
    for shadow in wanted:
        same_kind = [s for s in left if s.inset is shadow.inset]
        if not same_kind:
            claims.add("box-shadow", expected=shadow_list(wanted), actual=shadow_list(actual))
            return
        nearest = min(same_kind, key=lambda s: _shadow_distance(shadow, s))
        left.remove(nearest)
        distance = _shadow_distance(shadow, nearest)
        if not _same_shadow(claims, shadow, nearest) and (worst is None or distance > worst[0]):
            worst = (distance, shadow, nearest)
    if worst is not None:
        claims.add(
            "box-shadow",
            expected=shadow_list(wanted),
            actual=shadow_list(actual),
            delta=worst[0],
            unit="px",
            tolerance=claims.scene.tolerance.shadow,
        )
    elif left:
        claims.add("box-shadow", expected=shadow_list(wanted), actual=shadow_list(actual))


def _drawn_shadows(twins: list[Element], *, rings: bool) -> list[Shadow] | None:
    """Return the shadows that are seen and, without *rings*, are no border; None if unreadable."""
    found: list[Shadow] = []
    for twin in twins:
        shadows = parse_shadows(twin.value("box-shadow"))
        if shadows is None:
            return None
        found.extend(s for s in shadows if s.color.a > 0 and (rings or not is_ring(s)))
    return found


def _shadow_distance(first: Shadow, second: Shadow) -> float:
    return max(
        abs(first.x - second.x),
        abs(first.y - second.y),
        abs(first.blur - second.blur),
        abs(first.spread - second.spread),
    )


def _same_shadow(claims: Claims, wanted: Shadow, actual: Shadow) -> bool:
    limits = claims.scene.tolerance
    if _shadow_distance(wanted, actual) > limits.shadow + 1e-6:
        return False
    if abs(wanted.color.a - actual.color.a) > limits.alpha + 1e-6:
        return False
    same, _ = claims.scene.same_color(Color(*wanted.color.rgb), Color(*actual.color.rgb))
    return same


def shadow_list(shadows: Iterable[Shadow]) -> str:
    """Return shadows as ``box-shadow`` takes them, ``none`` when there are none."""
    return ", ".join(_shadow_text(s) for s in shadows) or "none"


def _shadow_text(shadow: Shadow) -> str:
    """Return a shadow as CSS orders it: x y blur spread colour, inset."""
    lengths = (shadow.x, shadow.y, shadow.blur, shadow.spread)
    text = " ".join(px_text(v) for v in lengths) + f" {shadow.color}"
    return text + (" inset" if shadow.inset else "")
