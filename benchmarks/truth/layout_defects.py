"""Defects of layout: padding, gap, size, place, alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.truth import css
from benchmarks.truth.defect import (
    PLACE,
    SIZE,
    Defect,
    is_box,
    is_root,
    kind_of_defect,
    make,
    restyle,
)

if TYPE_CHECKING:
    import random

    from benchmarks.truth.cases import Element


@kind_of_defect("padding")
def _padding(element: Element, rng: random.Random) -> Defect | None:
    sides = {s: css.px(element.style[f"padding{s}"]) for s in ("Top", "Right", "Bottom", "Left")}
    used = [side for side, value in sides.items() if value >= 4]
    if not used or element.is_icon or is_root(element):
        return None
    side = rng.choice(used)
    new = sides[side] + rng.choice([4, 6, 8] if sides[side] < 8 else [-6, -4, 4, 6, 8])
    return make(
        "padding",
        element,
        restyle(element, **{f"padding_{side.lower()}": f"{new}px"}),
        f"{side.lower()} {sides[side]} -> {new} px",
        outward=True,
        spacing=True,
        properties=("padding", f"padding-{side.lower()}", "paddings", *SIZE, *PLACE),
        moves=True,
        layout=True,
    )


@kind_of_defect("gap")
def _gap(element: Element, rng: random.Random) -> Defect | None:
    style = element.style
    if style["display"] not in {"flex", "grid"} or len(element.layout["children"]) < 2:
        return None
    row = style["display"] == "flex" and style["flexDirection"].startswith("row")
    old = css.px(style["columnGap" if row else "rowGap"])
    if old < 2:
        return None
    new = old + rng.choice([4, 6, 8] if old < 8 else [-5, -4, 4, 6, 8])
    return make(
        "gap",
        element,
        restyle(element, **{"column_gap" if row else "row_gap": f"{new}px"}),
        f"{old} -> {new} px",
        spacing=True,
        properties=(
            "gap",
            "row-gap",
            "column-gap",
            "itemSpacing",
            "item-spacing",
            "spacing",
            *PLACE,
            *SIZE,
        ),
        moves=True,
        layout=True,
    )


@kind_of_defect("width")
def _width(element: Element, rng: random.Random) -> Defect | None:
    w, h = element.box[2:]
    if not is_box(element) or w < 24 or h < 6:
        return None
    new = w + rng.choice([-24, -16, -12, -8, 8, 12, 16]) if w > 60 else w + rng.choice([-6, 6])
    return make(
        "width",
        element,
        restyle(element, width=f"{new}px", flex="none", min_width="0", max_width="none"),
        f"{w} -> {new} px",
        spacing=True,
        properties=(*SIZE, *PLACE),
        moves=True,
        layout=True,
    )


@kind_of_defect("height")
def _height(element: Element, rng: random.Random) -> Defect | None:
    w, h = element.box[2:]
    if not is_box(element) or w < 24 or h < 16 or h > 300:
        return None
    new = h + rng.choice([-6, 6, 8]) if h > 24 else h + rng.choice([4, 5])
    return make(
        "height",
        element,
        restyle(element, height=f"{new}px", min_height="0"),
        f"{h} -> {new} px",
        outward=True,
        spacing=True,
        properties=(*SIZE, *PLACE, "padding", "padding-top", "padding-bottom"),
        moves=True,
        layout=True,
    )


@kind_of_defect("shift")
def _shift(element: Element, rng: random.Random) -> Defect | None:
    if is_root(element) or len(element.descendants()) > 12:
        return None
    if not (
        element.is_text or element.is_icon or css.paints(element.style) or "src" in element.layout
    ):
        return None
    dx, dy = rng.choice([(3, 0), (-4, 0), (0, 3), (0, -4), (5, 3), (-6, 0), (0, 6)])
    return make(
        "shift",
        element,
        restyle(element, position="relative", left=f"{dx}px", top=f"{dy}px"),
        f"{dx}, {dy} px",
        spacing=True,
        properties=PLACE,
        moves=True,
    )


@kind_of_defect("alignment")
def _alignment(element: Element, rng: random.Random) -> Defect | None:
    style = element.style
    if style["display"] == "flex" and element.layout["children"]:
        key = rng.choice(["justifyContent", "alignItems"])
        old = style[key]
        new = rng.choice([v for v in ("flex-start", "center", "flex-end") if v != old])
        named = {"justifyContent": "justify-content", "alignItems": "align-items"}[key]
        operations = restyle(element, **{named: new})
        words: tuple[str, ...] = ("justify-content", "align-items", "alignment", "align", *PLACE)
    elif element.is_text and style["display"] == "block":
        old = style["textAlign"]
        new = rng.choice([v for v in ("left", "center", "right") if v != old])
        operations = restyle(element, text_align=new)
        words = ("text-align", "alignment", "align", *PLACE)
    else:
        return None
    return make(
        "alignment",
        element,
        operations,
        f"{old} -> {new}",
        spacing=True,
        properties=words,
        moves=True,
        layout=True,
    )
