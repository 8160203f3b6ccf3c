"""The seeded defects: for each kind, who can have it, and what is done to the page."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.truth import css, icons, raster, tokens
from benchmarks.truth.cases import Element, accepted_ids
from benchmarks.truth.colour import difference
from benchmarks.truth.figma_json import node_id

Operation = dict[str, Any]
#: A colour step below this is not what a person sees, so it is no defect to find.
VISIBLE_DELTA_E = 2.3
#: Hairlines and icons carry few pixels: a step on them counts from here.
VISIBLE_ON_LINES = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One defect on one element, not yet put on the page.

    ``moves`` tells that it must displace or resize some box by 3 CSS px to count at all.
    """

    kind: str
    element: Element
    operations: tuple[Operation, ...]
    detail: str
    accepted: tuple[str, ...]
    changed: tuple[str, ...]
    properties: tuple[str, ...] = ()
    moves: bool = False
    layout: bool = False
    pixels: int = 24
    extra: bool = False


Maker = Callable[[Element, random.Random], Defect | None]
KINDS: dict[str, Maker] = {}

COLOUR_WORDS = ("color", "fill", "fills")
BACKGROUND = ("background", "background-color", "fill", "fills", "color", "background-image")
TEXT_COLOUR = (*COLOUR_WORDS, "text-color")
BORDER = ("border", "border-color", "border-width", "stroke", "strokes", "strokeWeight", "outline")
SIZE = ("width", "height", "size")
PLACE = ("position", "x", "y", "left", "top", "offset", "margin", "transform")


def _kind(name: str) -> Callable[[Maker], Maker]:
    def register(maker: Maker) -> Maker:
        KINDS[name] = maker
        return maker

    return register


def _style(element: Element, **values: str) -> tuple[Operation, ...]:
    named = {key.replace("_", "-"): value for key, value in values.items()}
    return ({"op": "style", "index": element.index, "css": named},)


def _defect(
    kind: str,
    element: Element,
    operations: tuple[Operation, ...],
    detail: str,
    *,
    changed: tuple[str, ...] | None = None,
    accepted: tuple[str, ...] | None = None,
    spacing: bool = False,
    **more: Any,
) -> Defect:
    return Defect(
        kind=kind,
        element=element,
        operations=operations,
        detail=detail,
        changed=element.ids if changed is None else changed,
        accepted=accepted_ids(element, spacing=spacing) if accepted is None else accepted,
        **more,
    )


def _step(value: str, rng: random.Random, *, least: float) -> tuple[str, str, float] | None:
    """Return old and new token and their CIEDE2000, None where no step is large enough."""
    paint = css.colour(value)
    if paint[3] < 1:
        return None
    old = css.hexed(paint)
    steps = [(new, difference(old, new)) for new in tokens.neighbours(old)]
    steps = [(new, delta) for new, delta in steps if delta >= least]
    if not steps:
        return None
    new, delta = rng.choice(steps)
    return old, new, delta


def _is_root(element: Element) -> bool:
    return element.parent is None


def _is_box(element: Element) -> bool:
    return not _is_root(element) and not element.is_icon and css.paints(element.style)


@_kind("background")
def _background(element: Element, rng: random.Random) -> Defect | None:
    step = _step(element.style["backgroundColor"], rng, least=VISIBLE_DELTA_E)
    if step is None or element.box[2] * element.box[3] < 36:
        return None
    old, new, delta = step
    return _defect(
        "background",
        element,
        _style(element, background_color=new),
        f"{old} -> {new} (CIEDE2000 {delta:.1f})",
        properties=BACKGROUND,
    )


@_kind("text-color")
def _text_colour(element: Element, rng: random.Random) -> Defect | None:
    step = _step(element.style["color"], rng, least=VISIBLE_ON_LINES)
    if step is None or not element.is_text:
        return None
    old, new, delta = step
    return _defect(
        "text-color",
        element,
        _style(element, color=new),
        f"{old} -> {new} (CIEDE2000 {delta:.1f})",
        changed=element.text_ids,
        properties=TEXT_COLOUR,
    )


@_kind("icon-color")
def _icon_colour(element: Element, rng: random.Random) -> Defect | None:
    step = _step(element.style["color"], rng, least=VISIBLE_ON_LINES)
    if step is None or not element.is_icon:
        return None
    old, new, delta = step
    return _defect(
        "icon-color",
        element,
        _style(element, color=new),
        f"{old} -> {new} (CIEDE2000 {delta:.1f})",
        properties=(*TEXT_COLOUR, "stroke", "strokes"),
    )


@_kind("border-color")
def _border_colour(element: Element, rng: random.Random) -> Defect | None:
    sides = css.borders(element.style)
    widest = max(sides, key=lambda side: side[0])
    if widest[0] == 0 or not _is_box(element):
        return None
    step = _step(element.style["borderBottomColor" if sides[2][0] else "borderTopColor"], rng, least=VISIBLE_ON_LINES)
    if step is None:
        return None
    old, new, delta = step
    return _defect(
        "border-color",
        element,
        _style(element, border_color=new),
        f"{old} -> {new} (CIEDE2000 {delta:.1f})",
        properties=(*BORDER, "color"),
    )


@_kind("border-missing")
def _border_missing(element: Element, rng: random.Random) -> Defect | None:
    del rng
    sides = css.borders(element.style)
    if max(side[0] for side in sides) == 0 or not _is_box(element):
        return None
    return _defect(
        "border-missing",
        element,
        _style(element, border_color="transparent"),
        "no border",
        properties=BORDER,
    )


@_kind("border-width")
def _border_width(element: Element, rng: random.Random) -> Defect | None:
    sides = [side[0] for side in css.borders(element.style)]
    if min(sides) == 0 or not _is_box(element):
        return None
    more = rng.choice([1, 2])
    return _defect(
        "border-width",
        element,
        _style(element, border_width=f"{sides[0] + more}px"),
        f"{sides[0]} -> {sides[0] + more} px",
        spacing=True,
        properties=BORDER,
        layout=True,
    )


@_kind("radius")
def _radius(element: Element, rng: random.Random) -> Defect | None:
    w, h = element.box[2:]
    old = css.radii(element.style, w, h)[0]
    if old < 4 or element.is_icon:
        return None
    choices = [0.0, old / 2] if old >= 8 else [0.0]
    if old + 6 <= min(w, h) / 2:
        choices.append(old + 6)
    new = rng.choice(choices)
    return _defect(
        "radius",
        element,
        _style(element, border_radius=f"{new}px"),
        f"{old} -> {new} px",
        properties=("border-radius", "radius", "corner-radius", "cornerRadius"),
    )


@_kind("shadow-missing")
def _shadow_missing(element: Element, rng: random.Random) -> Defect | None:
    del rng
    if not css.shadows(element.style["boxShadow"]):
        return None
    return _defect(
        "shadow-missing",
        element,
        _style(element, box_shadow="none"),
        "no shadow",
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


@_kind("shadow-level")
def _shadow_level(element: Element, rng: random.Random) -> Defect | None:
    old = css.shadows(element.style["boxShadow"])
    if not old or old[0].blur == 0:
        return None
    reach = max(s.blur + abs(s.y) for s in old)
    other = [level for level, size in zip(_LEVELS, (3, 4, 10, 25, 45, 75), strict=True)
             if size > 2.2 * reach or size < reach / 2.2]
    new = rng.choice(other)
    return _defect(
        "shadow-level",
        element,
        _style(element, box_shadow=new),
        f"{element.style['boxShadow']} -> {new}",
        properties=("box-shadow", "shadow", "effects", "effect"),
        pixels=60,
    )


@_kind("opacity")
def _opacity(element: Element, rng: random.Random) -> Defect | None:
    if _is_root(element) or float(element.style["opacity"]) < 1:
        return None
    if len(element.descendants()) > 12 or not (
        element.is_text or element.is_icon or css.paints(element.style) or "src" in element.layout
    ):
        return None
    new = rng.choice([0.8, 0.7, 0.6, 0.5])
    return _defect(
        "opacity",
        element,
        _style(element, opacity=str(new)),
        f"1 -> {new}",
        spacing=True,
        properties=("opacity", *BACKGROUND),
    )


@_kind("font-size")
def _font_size(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text or len(element.text) < 3:
        return None
    old = css.px(element.style["fontSize"])
    new = old + rng.choice([-2, -1, 1, 2])
    height = f"{css.line_height(element.style)}px"
    return _defect(
        "font-size",
        element,
        _style(element, font_size=f"{new}px", line_height=height),
        f"{old} -> {new} px",
        changed=element.text_ids,
        properties=("font-size", "size", "font", "text-size", "width"),
        layout=True,
    )


@_kind("font-weight")
def _font_weight(element: Element, rng: random.Random) -> Defect | None:
    old = int(element.style["fontWeight"])
    if not element.is_text or len(element.text) < 3 or old not in {400, 500, 600, 700}:
        return None
    family = css.family(element.style)
    if family == "Inter":
        new = rng.choice([w for w in (400, 500, 600, 700) if 100 <= abs(w - old) <= 200])
    else:
        new = 700 if old < 600 else 400
    return _defect(
        "font-weight",
        element,
        _style(element, font_weight=str(new)),
        f"{old} -> {new}",
        changed=element.text_ids,
        properties=("font-weight", "weight", "font"),
        layout=True,
    )


@_kind("font-family")
def _font_family(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text or len(element.text) < 4:
        return None
    old = css.family(element.style)
    new = rng.choice([f for f in ("Liberation Sans", "Liberation Serif", "Inter") if f != old])
    return _defect(
        "font-family",
        element,
        _style(element, font_family=f"'{new}'"),
        f"{old} -> {new}",
        changed=element.text_ids,
        properties=("font-family", "font", "font-size", "font-weight", "text", "characters"),
        layout=True,
    )


@_kind("line-height")
def _line_height(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text:
        return None
    old = css.line_height(element.style)
    new = old + rng.choice([-4, 4, 6, 8])
    return _defect(
        "line-height",
        element,
        _style(element, line_height=f"{new}px"),
        f"{old} -> {new} px",
        changed=element.text_ids,
        properties=("line-height", "height", *PLACE),
        moves=True,
        layout=True,
    )


@_kind("letter-spacing")
def _letter_spacing(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text or len(element.text) < 6:
        return None
    old = css.px(element.style["letterSpacing"])
    new = round(old + rng.choice([-0.5, 0.5, 0.8, 1.0]), 3)
    return _defect(
        "letter-spacing",
        element,
        _style(element, letter_spacing=f"{new}px"),
        f"{old} -> {new} px",
        changed=element.text_ids,
        properties=("letter-spacing", "width", "text-width"),
        moves=True,
        layout=True,
    )


@_kind("padding")
def _padding(element: Element, rng: random.Random) -> Defect | None:
    sides = {s: css.px(element.style[f"padding{s}"]) for s in ("Top", "Right", "Bottom", "Left")}
    used = [side for side, value in sides.items() if value >= 4]
    if not used or element.is_icon or _is_root(element):
        return None
    side = rng.choice(used)
    new = sides[side] + rng.choice([4, 6, 8] if sides[side] < 8 else [-6, -4, 4, 6, 8])
    return _defect(
        "padding",
        element,
        _style(element, **{f"padding_{side.lower()}": f"{new}px"}),
        f"{side.lower()} {sides[side]} -> {new} px",
        spacing=True,
        properties=("padding", f"padding-{side.lower()}", "paddings", *SIZE, *PLACE),
        moves=True,
        layout=True,
    )


@_kind("gap")
def _gap(element: Element, rng: random.Random) -> Defect | None:
    style = element.style
    if style["display"] not in {"flex", "grid"} or len(element.layout["children"]) < 2:
        return None
    row = style["display"] == "flex" and style["flexDirection"].startswith("row")
    old = css.px(style["columnGap" if row else "rowGap"])
    if old < 2:
        return None
    new = old + rng.choice([4, 6, 8] if old < 8 else [-5, -4, 4, 6, 8])
    return _defect(
        "gap",
        element,
        _style(element, **{"column_gap" if row else "row_gap": f"{new}px"}),
        f"{old} -> {new} px",
        spacing=True,
        properties=("gap", "row-gap", "column-gap", "itemSpacing", "item-spacing", "spacing",
                    *PLACE, *SIZE),
        moves=True,
        layout=True,
    )


@_kind("width")
def _width(element: Element, rng: random.Random) -> Defect | None:
    w, h = element.box[2:]
    if not _is_box(element) or w < 24 or h < 6:
        return None
    new = w + rng.choice([-24, -16, -12, -8, 8, 12, 16]) if w > 60 else w + rng.choice([-6, 6])
    return _defect(
        "width",
        element,
        _style(element, width=f"{new}px", flex="none", min_width="0", max_width="none"),
        f"{w} -> {new} px",
        spacing=True,
        properties=(*SIZE, *PLACE),
        moves=True,
        layout=True,
    )


@_kind("height")
def _height(element: Element, rng: random.Random) -> Defect | None:
    w, h = element.box[2:]
    if not _is_box(element) or w < 24 or h < 16 or h > 300:
        return None
    new = h + rng.choice([-6, 6, 8]) if h > 24 else h + rng.choice([4, 5])
    return _defect(
        "height",
        element,
        _style(element, height=f"{new}px", min_height="0"),
        f"{h} -> {new} px",
        spacing=True,
        properties=(*SIZE, *PLACE, "padding", "padding-top", "padding-bottom"),
        moves=True,
        layout=True,
    )


@_kind("shift")
def _shift(element: Element, rng: random.Random) -> Defect | None:
    if _is_root(element) or len(element.descendants()) > 12:
        return None
    if not (element.is_text or element.is_icon or css.paints(element.style) or "src" in element.layout):
        return None
    dx, dy = rng.choice([(3, 0), (-4, 0), (0, 3), (0, -4), (5, 3), (-6, 0), (0, 6)])
    return _defect(
        "shift",
        element,
        _style(element, position="relative", left=f"{dx}px", top=f"{dy}px"),
        f"{dx}, {dy} px",
        spacing=True,
        properties=PLACE,
        moves=True,
    )


@_kind("alignment")
def _alignment(element: Element, rng: random.Random) -> Defect | None:
    style = element.style
    if style["display"] == "flex" and element.layout["children"]:
        key = rng.choice(["justifyContent", "alignItems"])
        old = style[key]
        new = rng.choice([v for v in ("flex-start", "center", "flex-end") if v != old])
        named = {"justifyContent": "justify-content", "alignItems": "align-items"}[key]
        operations = _style(element, **{named: new})
        words = ("justify-content", "align-items", "alignment", "align", *PLACE)
    elif element.is_text and style["display"] == "block":
        old = style["textAlign"]
        new = rng.choice([v for v in ("left", "center", "right") if v != old])
        operations = _style(element, text_align=new)
        words = ("text-align", "alignment", "align", *PLACE)
    else:
        return None
    return _defect(
        "alignment",
        element,
        operations,
        f"{old} -> {new}",
        spacing=True,
        properties=words,
        moves=True,
        layout=True,
    )


def _solid_enough(element: Element) -> bool:
    if _is_root(element) or len(element.descendants()) > 14:
        return False
    return element.is_text or element.is_icon or "src" in element.layout or bool(
        element.layout["children"]
    ) or css.paints(element.style)


def _gone(kind: str, element: Element, operations: tuple[Operation, ...]) -> Defect | None:
    if not _solid_enough(element):
        return None
    inside = tuple(i for e in element.descendants() for i in e.ids)
    return _defect(
        kind,
        element,
        operations,
        element.text or element.layout["tag"],
        changed=inside,
        accepted=(*inside, *accepted_ids(element)),
        layout=kind == "missing-reflow",
    )


@_kind("missing")
def _missing(element: Element, rng: random.Random) -> Defect | None:
    del rng
    return _gone("missing", element, _style(element, visibility="hidden"))


@_kind("missing-reflow")
def _missing_reflow(element: Element, rng: random.Random) -> Defect | None:
    del rng
    return _gone("missing-reflow", element, ({"op": "remove", "index": element.index},))


@_kind("extra")
def _extra(element: Element, rng: random.Random) -> Defect | None:
    del rng
    parent = element.parent
    if not _solid_enough(element) or parent is None:
        return None
    near = parent.children()[element.place : element.place + 2]
    inside = tuple(i for e in near for i in e.ids)
    return _defect(
        "extra",
        element,
        ({"op": "clone", "index": element.index},),
        "painted twice",
        changed=(node_id(parent.index),),
        accepted=(node_id(parent.index), *inside),
        layout=True,
        extra=True,
    )


@_kind("swapped")
def _swapped(element: Element, rng: random.Random) -> Defect | None:
    parent = element.parent
    if not _solid_enough(element) or parent is None:
        return None
    others = [
        c
        for c in parent.children()
        if c.index > element.index
        and c.layout["tag"] == element.layout["tag"]
        and c.layout["class"] == element.layout["class"]
        and _solid_enough(c)
    ]
    if not others:
        return None
    other = rng.choice(others)
    inside = tuple(i for e in (*element.descendants(), *other.descendants()) for i in e.ids)
    return _defect(
        "swapped",
        element,
        ({"op": "swap", "index": element.index, "other": other.index},),
        f"with {other.text or node_id(other.index)}",
        changed=inside,
        accepted=(*inside, node_id(parent.index)),
        layout=True,
        pixels=60,
    )


_WORDS = (
    "Home View Edit Save Open Send Plan Team Note Sale Copy Next Week Mail Blue Gold "
    "Trail Order Email Price Total Month Local Phone Green House Light Quick River Smart "
    "Export Delete Launch Market Review Weekly Simple Garden Winter Orange Silver Update "
    "Account Archive Payment Billing Privacy Storage Catalog Support Morning Limited "
    "Delivery Schedule Customer Progress Language Download Practice Overview Homepage "
    "Dashboard Recurring Advantage Workspace Suggested Passwords Marketing Invitation "
    "Newsletters Permissions Information Integration Subscription"
).split()


@_kind("wrong-word")
def _wrong_word(element: Element, rng: random.Random) -> Defect | None:
    words = [w for w in element.text.split() if w.isalpha() and w.isascii() and len(w) >= 4]
    if not element.is_text or not words:
        return None
    old = rng.choice(words)
    fitting = [w for w in _WORDS if abs(len(w) - len(old)) <= 1 and w.lower() != old.lower()]
    if not fitting:
        return None
    new = rng.choice(fitting)
    new = new if old[0].isupper() else new.lower()
    return _defect(
        "wrong-word",
        element,
        ({"op": "text", "index": element.index, "from": old, "to": new},),
        f"{old} -> {new}",
        changed=element.text_ids,
        properties=("text", "characters", "content", "text-content"),
        layout=True,
    )


@_kind("wrong-digit")
def _wrong_digit(element: Element, rng: random.Random) -> Defect | None:
    digits = [c for c in element.text if c in "0123456789"]
    if not element.is_text or not digits:
        return None
    old = rng.choice(digits)
    new = rng.choice([d for d in "0123456789" if d != old and d != "1" and old != "1"] or ["4"])
    return _defect(
        "wrong-digit",
        element,
        ({"op": "text", "index": element.index, "from": old, "to": new},),
        f"{old} -> {new} in {element.text}",
        changed=element.text_ids,
        properties=("text", "characters", "content", "text-content"),
        pixels=8,
        layout=True,
    )


@_kind("clipped-text")
def _clipped(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text or len(element.text) < 8 or len(element.layout["lines"]) > 1:
        return None
    line = element.layout["lines"][0]
    width = round((line["right"] - line["left"]) * rng.uniform(0.5, 0.85), 1)
    return _defect(
        "clipped-text",
        element,
        _style(
            element,
            width=f"{width}px",
            overflow="hidden",
            white_space="nowrap",
            text_overflow=rng.choice(["clip", "ellipsis"]),
            flex="none",
        ),
        f"to {width} px",
        changed=element.text_ids,
        properties=("text", "characters", "content", "overflow", "width", "clip", "text-overflow"),
        layout=True,
    )


@_kind("wrong-icon")
def _wrong_icon(element: Element, rng: random.Random) -> Defect | None:
    del rng
    name = element.layout.get("icon")
    if not name:
        return None
    other = icons.CONFUSED[name]
    return _defect(
        "wrong-icon",
        element,
        ({"op": "inner", "index": element.index, "html": icons.SHAPES[other]},),
        f"{name} -> {other}",
        properties=(),
    )


@_kind("wrong-image")
def _wrong_image(element: Element, rng: random.Random) -> Defect | None:
    if "src" not in element.layout:
        return None
    w, h = (round(v) for v in element.box[2:])
    seed = rng.randrange(500, 900)
    maker = rng.choice([raster.photo, raster.product]) if w != h else raster.face
    picture = maker(seed, w * 2) if maker is raster.face else maker(seed, w * 2, h * 2)  # type: ignore[operator]
    return _defect(
        "wrong-image",
        element,
        ({"op": "source", "index": element.index, "src": raster.data_uri(picture)},),
        "another picture",
    )


@_kind("underline")
def _underline(element: Element, rng: random.Random) -> Defect | None:
    del rng
    if not element.is_text or len(element.text) < 4:
        return None
    had = element.style["textDecorationLine"] == "underline"
    return _defect(
        "underline",
        element,
        _style(element, text_decoration="none" if had else "underline"),
        "none" if had else "underlined",
        changed=element.text_ids,
        properties=("text-decoration", "text-decoration-line", "underline", "text"),
        pixels=8,
    )


def candidates(kind: str, page: list[Element], *, seed: str) -> Iterator[Defect]:
    """Yield the page's possible defects of *kind* in a seeded order."""
    rng = random.Random(f"{seed}/{kind}")
    order = list(page)
    rng.shuffle(order)
    for element in order:
        defect = KINDS[kind](element, rng)
        if defect is not None:
            yield defect
