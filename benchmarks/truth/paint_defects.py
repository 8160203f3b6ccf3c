"""Defects of paint: colours, borders, corners, shadows, opacity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.truth import css
from benchmarks.truth.defect import (
    BACKGROUND,
    BORDER,
    TEXT_COLOUR,
    VISIBLE_DELTA_E,
    VISIBLE_ON_LINES,
    Defect,
    is_box,
    is_root,
    kind_of_defect,
    make,
    restyle,
    token_step,
)

if TYPE_CHECKING:
    import random

    from benchmarks.truth.cases import Element


@kind_of_defect("background")
def _background(element: Element, rng: random.Random) -> Defect | None:
    step = token_step(element.style["backgroundColor"], rng, least=VISIBLE_DELTA_E)
    if step is None or element.box[2] * element.box[3] < 36:
        return None
    old, new, delta = step
    return make(
        "background",
        element,
        restyle(element, background_color=new),
        f"{old} -> {new} (CIEDE2000 {delta:.1f})",
        properties=BACKGROUND,
    )


@kind_of_defect("text-color")
def _text_colour(element: Element, rng: random.Random) -> Defect | None:
    step = token_step(element.style["color"], rng, least=VISIBLE_ON_LINES)
    if step is None or not element.is_text:
        return None
    old, new, delta = step
    return make(
        "text-color",
        element,
        restyle(element, color=new),
        f"{old} -> {new} (CIEDE2000 {delta:.1f})",
        changed=element.text_ids,
        properties=TEXT_COLOUR,
    )


@kind_of_defect("icon-color")
def _icon_colour(element: Element, rng: random.Random) -> Defect | None:
    step = token_step(element.style["color"], rng, least=VISIBLE_ON_LINES)
    if step is None or not element.is_icon:
        return None
    old, new, delta = step
    return make(
        "icon-color",
        element,
        restyle(element, color=new),
        f"{old} -> {new} (CIEDE2000 {delta:.1f})",
        properties=(*TEXT_COLOUR, "stroke", "strokes"),
    )


@kind_of_defect("border-color")
def _border_colour(element: Element, rng: random.Random) -> Defect | None:
    sides = css.borders(element.style)
    widest = max(sides, key=lambda side: side[0])
    if widest[0] == 0 or not is_box(element):
        return None
    step = token_step(
        element.style["borderBottomColor" if sides[2][0] else "borderTopColor"],
        rng,
        least=VISIBLE_ON_LINES,
    )
    if step is None:
        return None
    old, new, delta = step
    return make(
        "border-color",
        element,
        restyle(element, border_color=new),
        f"{old} -> {new} (CIEDE2000 {delta:.1f})",
        properties=(*BORDER, "color"),
    )


@kind_of_defect("border-missing")
def _border_missing(element: Element, rng: random.Random) -> Defect | None:
    del rng
    sides = css.borders(element.style)
    if max(side[0] for side in sides) == 0 or not is_box(element):
        return None
    widest = max(sides, key=lambda side: side[0])
    if css.hexed(widest[1]) == css.hexed(css.colour(element.style["backgroundColor"])):
        return None
    return make(
        "border-missing",
        element,
        restyle(element, border_color="transparent"),
        "no border",
        properties=BORDER,
    )


@kind_of_defect("border-width")
def _border_width(element: Element, rng: random.Random) -> Defect | None:
    sides = [side[0] for side in css.borders(element.style)]
    if min(sides) == 0 or not is_box(element):
        return None
    more = rng.choice([1, 2]) if sides[0] <= 2 else 3
    return make(
        "border-width",
        element,
        restyle(element, border_width=f"{sides[0] + more}px"),
        f"{sides[0]} -> {sides[0] + more} px",
        spacing=True,
        properties=BORDER,
        layout=True,
    )


@kind_of_defect("radius")
def _radius(element: Element, rng: random.Random) -> Defect | None:
    w, h = element.box[2:]
    old = css.radii(element.style, w, h)[0]
    if old < 4 or element.is_icon:
        return None
    choices = [0.0, old / 2] if old >= 8 else [0.0]
    if old + 6 <= min(w, h) / 2:
        choices.append(old + 6)
    new = rng.choice(choices)
    return make(
        "radius",
        element,
        restyle(element, border_radius=f"{new}px"),
        f"{old} -> {new} px",
        properties=("border-radius", "radius", "corner-radius", "cornerRadius"),
    )


@kind_of_defect("shadow-missing")
def _shadow_missing(element: Element, rng: random.Random) -> Defect | None:
    del rng
    if not css.shadows(element.style["boxShadow"]):
        return None
    return make(
        "shadow-missing",
        element,
        restyle(element, box_shadow="none"),
        "no shadow",
        pixels=100,
        properties=("box-shadow", "shadow", "effects", "effect"),
    )


_LEVELS = (
    "0 1px 2px rgba(0,0,0,.05)",
    "0 1px 3px rgba(0,0,0,.1),0 1px 2px -1px rgba(0,0,0,.1)",
    "0 4px 6px -1px rgba(0,0,0,.1),0 2px 4px -2px rgba(0,0,0,.1)",
    "0 10px 15px -3px rgba(0,0,0,.1),0 4px 6px -4px rgba(0,0,0,.1)",
    "0 20px 25px -5px rgba(0,0,0,.1),0 8px 10px -6px rgba(0,0,0,.1)",
    "0 25px 50px -12px rgba(0,0,0,.25)",
)


@kind_of_defect("shadow-level")
def _shadow_level(element: Element, rng: random.Random) -> Defect | None:
    old = css.shadows(element.style["boxShadow"])
    if not old or old[0].blur == 0:
        return None
    reach = max(s.blur + abs(s.y) for s in old)
    other = [
        level
        for level, size in zip(_LEVELS, (3, 4, 10, 25, 45, 75), strict=True)
        if size > 2.2 * reach or size < reach / 2.2
    ]
    new = rng.choice(other)
    return make(
        "shadow-level",
        element,
        restyle(element, box_shadow=new),
        f"{element.style['boxShadow']} -> {new}",
        properties=("box-shadow", "shadow", "effects", "effect"),
        pixels=100,
    )


@kind_of_defect("opacity")
def _opacity(element: Element, rng: random.Random) -> Defect | None:
    if is_root(element) or float(element.style["opacity"]) < 1:
        return None
    if len(element.descendants()) > 12 or not (
        element.is_text or element.is_icon or css.paints(element.style) or "src" in element.layout
    ):
        return None
    new = rng.choice([0.8, 0.7, 0.6, 0.5])
    return make(
        "opacity",
        element,
        restyle(element, opacity=str(new)),
        f"1 -> {new}",
        spacing=True,
        properties=("opacity", *BACKGROUND),
    )
