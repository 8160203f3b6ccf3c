"""Style of boxes: fill, border, corners, opacity, shadow and blur of a node and its element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import Color, parse_gradient
from pytest_pixelloop.core.dom import is_picture
from pytest_pixelloop.core.element_looks import BARE as NOTHING_DRAWN
from pytest_pixelloop.core.node_looks import BARE as NOTHING_PAINTED
from pytest_pixelloop.core.node_style import CORNERS
from pytest_pixelloop.core.style_edges import (
    compare_border,
    compare_shadow,
    is_bordered_by,
    painted,
)
from pytest_pixelloop.core.style_scene import px_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.style_scene import Claims


def compare_box(claims: Claims) -> None:
    """Compare what a node paints itself with what its element, or a twin of it, paints."""
    if claims.element.is_vector:
        return
    twins = claims.scene.twins(claims.element)
    if _is_bare(claims, twins) or _is_same(claims, twins):
        return
    if not any(t.pseudo for t in twins):
        # ::before and ::after may paint anything: then nothing is claimed of these.
        _background(claims, twins)
        compare_border(claims, twins)
        compare_shadow(claims, twins)
    _radius(claims, twins)
    _opacity(claims, twins)
    _blur(claims, twins)


def _is_bare(claims: Claims, twins: Sequence[Element]) -> bool:
    """Tell whether neither side paints anything: most nodes only hold others."""
    scene = claims.scene
    return (
        claims.looks is NOTHING_PAINTED
        and all(scene.drawn(t) is NOTHING_DRAWN for t in twins)
        and all(n.node.opacity == 1 for n in scene.node_twins(claims.item))
    )


def _is_same(claims: Claims, twins: Sequence[Element]) -> bool:
    """Tell whether a node and its element, without others of the same box, paint just the same."""
    if len(twins) > 1 or len(claims.scene.node_twins(claims.item)) > 1:
        return False
    looks, drawn = claims.looks, claims.scene.drawn(claims.element)
    return (
        looks.gradient is None
        and drawn.image is None
        and _wanted_fill(claims) == drawn.fill
        and is_bordered_by(looks.stroke, drawn)
        and looks.shadows == drawn.shadows
        and looks.radii == drawn.corners
        and claims.node.opacity == drawn.opacity
        and looks.blur / 2 == drawn.blur
        and looks.behind / 2 == drawn.behind
        and not drawn.drops
    )


def _background(claims: Claims, twins: Sequence[Element]) -> None:
    looks = claims.looks
    if looks.picture or any(is_picture(t) for t in twins):
        return
    drawn = (claims.scene.drawn(t).image for t in twins)
    images = [image for image in drawn if image is not None]
    if looks.gradient is not None:
        _gradient(claims, images)
        return
    if images:
        if not looks.filled and not _twin_fill(claims):
            claims.add("background-image", expected="none", actual=images[0][:80], factor=0.9)
        return
    wanted = _wanted_fill(claims)
    actual = painted(claims, twins)
    if wanted == actual:
        return
    if wanted is None:
        _unwanted_fill(claims, painted(claims, claims.scene.own_twins(claims.element)))
    elif actual is None:
        behind = claims.scene.backdrop(twins[-1])
        same, distance = claims.scene.same_color(wanted.over(behind), behind)
        if not same:
            claims.add(
                "background-color",
                expected=str(wanted),
                actual=f"transparent (on {behind})",
                delta=distance,
                unit="CIEDE2000",
                tolerance=claims.scene.tolerance.color_delta_e,
            )
    else:
        claims.color("background-color", expected=wanted, actual=actual)


def _wanted_fill(claims: Claims) -> Color | None:
    """Return a node's fill, its opacity in it: a page may write one as the other."""
    fill = claims.looks.fill
    if fill is None:
        return None
    return fill.faded(claims.node.opacity) if claims.node.opacity < 1 else fill


def _twin_fill(claims: Claims) -> bool:
    return any(claims.scene.looks(t).filled for t in claims.scene.node_twins(claims.item))


def _unwanted_fill(claims: Claims, actual: Color | None) -> None:
    """Note a background where the design has none and another colour would be seen."""
    if actual is None or _twin_fill(claims):
        return  # another node of the same box has the fill, and is compared itself
    behind = claims.scene.design_backdrop(claims.item) or claims.scene.backdrop(claims.element)
    same, distance = claims.scene.same_color(behind, actual.over(behind))
    if not same:
        claims.add(
            "background-color",
            expected="transparent",
            actual=str(actual),
            delta=distance,
            unit="CIEDE2000",
            tolerance=claims.scene.tolerance.color_delta_e,
        )


def _gradient(claims: Claims, images: list[str]) -> None:
    wanted = claims.looks.gradient
    if wanted is None or wanted.kind == "diamond":
        return
    drawn = [g for g in (parse_gradient(i) for i in images) if g is not None]
    if not drawn:
        if not images:
            claims.add("background-image", expected=f"{wanted.kind}-gradient", actual="none")
        return
    actual = drawn[0]
    if actual.kind != wanted.kind:
        claims.add(
            "background-image",
            expected=f"{wanted.kind}-gradient",
            actual=f"{actual.kind}-gradient",
            factor=0.8,
        )
        return
    if wanted.angle is not None and actual.angle is not None:
        turn = abs((actual.angle - wanted.angle + 180) % 360 - 180)
        if turn > claims.scene.tolerance.gradient_angle:
            claims.add(
                "background-image",
                expected=f"linear-gradient at {wanted.angle:.4g}deg",
                actual=f"linear-gradient at {actual.angle:.4g}deg",
                delta=turn,
                unit="deg",
                tolerance=claims.scene.tolerance.gradient_angle,
            )
            return
    if len(wanted.stops) == len(actual.stops):
        for (first, _), (second, _) in zip(wanted.stops, actual.stops, strict=True):
            before = len(claims.found)
            claims.color("background-image", expected=first, actual=second, factor=0.9)
            if len(claims.found) > before:
                return


def _radius(claims: Claims, twins: Sequence[Element]) -> None:
    scene, wanted = claims.scene, claims.looks.radii
    clips = claims.node.clips and bool(scene.children(claims.node.id))
    drawn = [(t, scene.drawn(t)) for t in twins]
    if not (claims.looks.paints or clips or any(d.paints for _, d in drawn)):
        return  # corners of a box that paints nothing cannot be seen
    shown = [(t, d.corners) for t, d in drawn if d.corners is not None]
    if not shown or any(not _wrong_corners(claims, wanted, *s) for s in shown):
        return
    for other in scene.node_twins(claims.item)[1:]:
        theirs = scene.looks(other).radii
        if any(theirs) and any(not _wrong_corners(claims, theirs, *s) for s in shown):
            return  # the corners belong to another node of the same box
    twin, actual = next((s for s in shown if any(s[1])), shown[0])
    wrong = _wrong_corners(claims, wanted, twin, actual)
    limit = claims.scene.tolerance.radius
    if len({(round(wanted[i], 2), round(actual[i], 2)) for i in range(4)}) == 1:
        claims.length("border-radius", expected=wanted[0], actual=actual[0], tolerance=limit)
        return
    for i in wrong:
        name = f"border-{CORNERS[i]}-radius"
        claims.length(name, expected=wanted[i], actual=actual[i], tolerance=limit)


def _wrong_corners(
    claims: Claims, wanted: tuple[float, ...], twin: Element, actual: tuple[float, ...]
) -> list[int]:
    """Return which corners differ; two corners that are as round as can be never do."""
    if wanted == actual:
        return []
    limit = claims.scene.tolerance.radius + 1e-6
    most = min(claims.item.box.w, claims.item.box.h) / 2
    their_most = min(twin.box.w, twin.box.h) / 2
    return [
        i
        for i in range(4)
        if abs(wanted[i] - actual[i]) > limit
        and not (wanted[i] >= most - limit and actual[i] >= their_most - limit)
    ]


def _opacity(claims: Claims, twins: Sequence[Element]) -> None:
    wanted, actual = claims.node.opacity, 1.0
    for twin in twins:
        actual *= claims.scene.drawn(twin).opacity
    for other in claims.scene.node_twins(claims.item)[1:]:
        wanted *= other.node.opacity
    limit = claims.scene.tolerance.opacity
    if abs(wanted - actual) <= limit + 1e-6:
        return
    fill, drawn = _wanted_fill(claims), painted(claims, twins)
    if fill is not None and drawn is not None and abs(fill.a - drawn.a) <= limit:
        return  # done through the alpha of the colour
    claims.add(
        "opacity",
        expected=f"{wanted:.3g}",
        actual=f"{actual:.3g}",
        delta=actual - wanted,
        unit="",
        tolerance=limit,
    )


def _blur(claims: Claims, twins: Sequence[Element]) -> None:
    """Compare layer and background blur: CSS counts half of Figma's radius."""
    drawn = [claims.scene.drawn(t) for t in twins]
    for name, radius, blurs in (
        ("filter", claims.looks.blur, [d.blur for d in drawn]),
        ("backdrop-filter", claims.looks.behind, [d.behind for d in drawn]),
    ):
        known = [b for b in blurs if b is not None]
        if len(known) < len(blurs):
            continue
        wanted, actual = radius / 2, max(known, default=0.0)
        if abs(actual - wanted) > claims.scene.tolerance.shadow:
            claims.add(
                name,
                expected=f"blur({px_text(wanted)})",
                actual=f"blur({px_text(actual)})",
                delta=actual - wanted,
                unit="px",
                tolerance=claims.scene.tolerance.shadow,
            )
