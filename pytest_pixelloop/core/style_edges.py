"""Style of edges: the border of a node and its shadows against those of its element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import Color, Shadow
from pytest_pixelloop.core.element_looks import ElementLooks, Line, is_ring
from pytest_pixelloop.core.node_style import SIDES, Stroke
from pytest_pixelloop.core.style_scene import px_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.style_scene import Claims

_NO_STROKE = Stroke(color=None, widths=(0.0, 0.0, 0.0, 0.0), align="INSIDE")
_NO_LINE: Line = ((0.0,) * 4, (None,) * 4)


def painted(claims: Claims, twins: Iterable[Element]) -> Color | None:
    """Return the first background of an element and its twins, opacity in it."""
    fills = (claims.scene.drawn(t).fill for t in twins)
    return next((fill for fill in fills if fill is not None), None)


def is_bordered_by(stroke: Stroke | None, drawn: ElementLooks) -> bool:
    """Tell whether an element's border is just the stroke, on every side that has any."""
    if stroke is None or drawn.borders is None:
        return stroke is None and drawn.borders is None and not drawn.rings
    widths, colors = drawn.borders
    return widths == stroke.widths and all(
        not width or color == stroke.color for width, color in zip(widths, colors, strict=True)
    )


def compare_border(claims: Claims, twins: Sequence[Element]) -> None:
    """Compare a node's stroke with the border, outline or ring-like shadow that answers best."""
    scene, stroke = claims.scene, claims.looks.stroke
    if stroke is None:
        if any(scene.looks(t).stroke for t in scene.node_twins(claims.item)[1:]):
            return  # another node of the same box has the stroke, and is compared itself
        stroke = _NO_STROKE
        twins = scene.own_twins(claims.element)
    rings = any(is_ring(s) for s in claims.looks.shadows)
    lines: list[Line] = []
    for twin in twins:
        drawn = scene.drawn(twin)
        lines.extend([drawn.borders] if drawn.borders is not None else [])
        lines.extend(() if rings else drawn.rings)
    widths, colors = _NO_LINE
    if len(lines) > 1:
        widths, colors = min(lines, key=lambda line: _wrong_sides(claims, stroke, *line))
    elif lines:
        widths, colors = lines[0]
    if stroke is _NO_STROKE and _is_unseen(claims, twins, colors):
        return
    _claim_border(claims, stroke, widths, colors)


def _is_unseen(claims: Claims, twins: Sequence[Element], colors: Sequence[Color | None]) -> bool:
    """Tell whether a border has the colour of the box that it is drawn on."""
    if colors is _NO_LINE[1]:
        return True
    behind = claims.scene.backdrop(claims.element)
    fill = painted(claims, twins)
    ground = behind if fill is None else fill.over(behind)
    return all(c is None or claims.scene.same_color(ground, c.over(ground))[0] for c in colors)


def _wrong_sides(
    claims: Claims, stroke: Stroke, widths: Sequence[float], colors: Sequence[Color | None]
) -> int:
    limit = claims.scene.tolerance.border
    wrong = sum(abs(w - s) > limit for w, s in zip(widths, stroke.widths, strict=True))
    if stroke.color is None:
        return wrong
    behind = claims.scene.backdrop(claims.element)
    wanted = stroke.color.over(behind)
    for width, color in zip(widths, colors, strict=True):
        if width and color is not None and color != stroke.color:
            wrong += not claims.scene.same_color(wanted, color.over(behind))[0]
    return wrong


def _claim_border(
    claims: Claims, stroke: Stroke, widths: Sequence[float], colors: Sequence[Color | None]
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


def compare_shadow(claims: Claims, twins: Sequence[Element]) -> None:
    """Compare a node's shadows with those that its element, or a twin of it, casts."""
    scene, wanted = claims.scene, claims.looks.shadows
    if any(scene.drawn(t).drops for t in twins):
        return
    if wanted and not claims.looks.filled:
        return  # Figma shadows the children of a frame without fill
    if any(scene.looks(o).shadows for o in scene.node_twins(claims.item)[1:]):
        return
    actual = _drawn_shadows(
        claims,
        twins if wanted else scene.own_twins(claims.element),
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


def _drawn_shadows(claims: Claims, twins: Sequence[Element], *, rings: bool) -> list[Shadow] | None:
    """Return the shadows that are seen and, without *rings*, are no border; None if unreadable."""
    found: list[Shadow] = []
    for twin in twins:
        shadows = claims.scene.drawn(twin).shadows
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
