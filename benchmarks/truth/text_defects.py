"""Defects of type: size, weight, family, line height, letter spacing, underline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.truth import css
from benchmarks.truth.defect import (
    PLACE,
    Defect,
    kind_of_defect,
    make,
    restyle,
)

if TYPE_CHECKING:
    import random

    from benchmarks.truth.cases import Element


@kind_of_defect("font-size")
def _font_size(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text or len(element.text) < 3:
        return None
    old = css.px(element.style["fontSize"])
    new = old + rng.choice([-2, -1, 1, 2])
    height = f"{css.line_height(element.style)}px"
    return make(
        "font-size",
        element,
        restyle(element, font_size=f"{new}px", line_height=height),
        f"{old} -> {new} px",
        changed=element.text_ids,
        properties=("font-size", "size", "font", "text-size", "width"),
        layout=True,
    )


@kind_of_defect("font-weight")
def _font_weight(element: Element, rng: random.Random) -> Defect | None:
    old = int(element.style["fontWeight"])
    if not element.is_text or len(element.text) < 3 or old not in {400, 500, 600, 700}:
        return None
    family = css.family(element.style)
    if family == "Inter":
        new = rng.choice([w for w in (400, 500, 600, 700) if 100 <= abs(w - old) <= 200])
    else:
        new = 700 if old < 600 else 400
    return make(
        "font-weight",
        element,
        restyle(element, font_weight=str(new)),
        f"{old} -> {new}",
        changed=element.text_ids,
        properties=("font-weight", "weight", "font"),
        layout=True,
    )


@kind_of_defect("font-family")
def _font_family(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text or len(element.text) < 4:
        return None
    old = css.family(element.style)
    new = rng.choice([f for f in ("Liberation Sans", "Liberation Serif", "Inter") if f != old])
    return make(
        "font-family",
        element,
        restyle(element, font_family=f"'{new}'"),
        f"{old} -> {new}",
        changed=element.text_ids,
        properties=("font-family", "font", "font-size", "font-weight", "text", "characters"),
        layout=True,
    )


@kind_of_defect("line-height")
def _line_height(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text:
        return None
    old = css.line_height(element.style)
    new = old + rng.choice([-4, 4, 6, 8])
    return make(
        "line-height",
        element,
        restyle(element, line_height=f"{new}px"),
        f"{old} -> {new} px",
        outward=True,
        changed=element.text_ids,
        properties=("line-height", "height", *PLACE),
        moves=True,
        layout=True,
    )


@kind_of_defect("letter-spacing")
def _letter_spacing(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text or len(element.text) < 6:
        return None
    old = css.px(element.style["letterSpacing"])
    new = round(old + rng.choice([-0.5, 0.5, 0.8, 1.0]), 3)
    return make(
        "letter-spacing",
        element,
        restyle(element, letter_spacing=f"{new}px"),
        f"{old} -> {new} px",
        changed=element.text_ids,
        properties=("letter-spacing", "width", "text-width"),
        moves=True,
        layout=True,
    )


@kind_of_defect("underline")
def _underline(element: Element, rng: random.Random) -> Defect | None:
    del rng
    if not element.is_text or len(element.text) < 4:
        return None
    had = element.style["textDecorationLine"] == "underline"
    return make(
        "underline",
        element,
        restyle(element, text_decoration="none" if had else "underline"),
        "none" if had else "underlined",
        changed=element.text_ids,
        properties=("text-decoration", "text-decoration-line", "underline", "text"),
        pixels=8,
    )
