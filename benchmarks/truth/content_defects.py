"""Defects of content: missing, extra, swapped, and the wrong word, digit, icon, picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.truth import icons, raster
from benchmarks.truth.cases import Element, accepted_ids
from benchmarks.truth.defect import (
    Defect,
    Operation,
    is_solid,
    kind_of_defect,
    make,
    restyle,
)
from benchmarks.truth.figma_json import node_id

if TYPE_CHECKING:
    import random


def _gone(kind: str, element: Element, operations: tuple[Operation, ...]) -> Defect | None:
    if not is_solid(element):
        return None
    inside = tuple(i for e in element.descendants() for i in e.ids)
    return make(
        kind,
        element,
        operations,
        element.text or element.layout["tag"],
        changed=inside,
        accepted=(*inside, *accepted_ids(element)),
        layout=kind == "missing-reflow",
    )


@kind_of_defect("missing")
def _missing(element: Element, rng: random.Random) -> Defect | None:
    del rng
    return _gone("missing", element, restyle(element, visibility="hidden"))


@kind_of_defect("missing-reflow")
def _missing_reflow(element: Element, rng: random.Random) -> Defect | None:
    del rng
    return _gone("missing-reflow", element, ({"op": "remove", "index": element.index},))


@kind_of_defect("extra")
def _extra(element: Element, rng: random.Random) -> Defect | None:
    del rng
    parent = element.parent
    if not is_solid(element) or parent is None:
        return None
    near = parent.children()[element.place : element.place + 2]
    inside = tuple(i for e in near for i in e.ids)
    return make(
        "extra",
        element,
        ({"op": "clone", "index": element.index},),
        "painted twice",
        changed=(node_id(parent.index),),
        accepted=(node_id(parent.index), *inside),
        layout=True,
        extra=True,
    )


@kind_of_defect("swapped")
def _swapped(element: Element, rng: random.Random) -> Defect | None:
    parent = element.parent
    if not is_solid(element) or parent is None:
        return None
    others = [
        c
        for c in parent.children()
        if c.index > element.index
        and c.layout["tag"] == element.layout["tag"]
        and c.layout["class"] == element.layout["class"]
        and is_solid(c)
    ]
    if not others:
        return None
    other = rng.choice(others)
    inside = tuple(i for e in (*element.descendants(), *other.descendants()) for i in e.ids)
    return make(
        "swapped",
        element,
        ({"op": "swap", "index": element.index, "other": other.index},),
        f"with {other.text or node_id(other.index)}",
        changed=inside,
        accepted=(*inside, node_id(parent.index)),
        layout=True,
        pixels=60,
    )


_WORDS = """
Home View Edit Save Open Send Plan Team Note Sale Copy Next Week Mail Blue Gold Trail Order
Email Price Total Month Local Phone Green House Light Quick River Smart Export Delete Launch
Market Review Weekly Simple Garden Winter Orange Silver Update Account Archive Payment Billing
Privacy Storage Catalog Support Morning Limited Delivery Schedule Customer Progress Language
Download Practice Overview Homepage Dashboard Recurring Advantage Workspace Suggested Passwords
Marketing Invitation Newsletters Permissions Information Integration Subscription
""".split()  # noqa: SIM905 - a list of words reads as words


@kind_of_defect("wrong-word")
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
    return make(
        "wrong-word",
        element,
        ({"op": "text", "index": element.index, "from": old, "to": new},),
        f"{old} -> {new}",
        changed=element.text_ids,
        properties=("text", "characters", "content", "text-content"),
        layout=True,
    )


@kind_of_defect("wrong-digit")
def _wrong_digit(element: Element, rng: random.Random) -> Defect | None:
    digits = [c for c in element.text if c in "0123456789"]
    if not element.is_text or not digits:
        return None
    old = rng.choice(digits)
    new = rng.choice([d for d in "0123456789" if d not in (old, "1") and old != "1"] or ["4"])
    return make(
        "wrong-digit",
        element,
        ({"op": "text", "index": element.index, "from": old, "to": new},),
        f"{old} -> {new} in {element.text}",
        changed=element.text_ids,
        properties=("text", "characters", "content", "text-content"),
        pixels=8,
        layout=True,
    )


@kind_of_defect("clipped-text")
def _clipped(element: Element, rng: random.Random) -> Defect | None:
    if not element.is_text or len(element.text) < 8 or len(element.layout["lines"]) > 1:
        return None
    line = element.layout["lines"][0]
    width = round((line["right"] - line["left"]) * rng.uniform(0.5, 0.85), 1)
    return make(
        "clipped-text",
        element,
        restyle(
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


@kind_of_defect("wrong-icon")
def _wrong_icon(element: Element, rng: random.Random) -> Defect | None:
    del rng
    name = element.layout.get("icon")
    if not name:
        return None
    other = icons.CONFUSED[name]
    return make(
        "wrong-icon",
        element,
        ({"op": "inner", "index": element.index, "html": icons.SHAPES[other]},),
        f"{name} -> {other}",
        properties=(),
    )


@kind_of_defect("wrong-image")
def _wrong_image(element: Element, rng: random.Random) -> Defect | None:
    if "src" not in element.layout:
        return None
    w, h = (round(v) for v in element.box[2:])
    seed = rng.randrange(500, 900)
    if round(w) == round(h):
        picture = raster.face(seed, w * 2)
    elif rng.random() < 0.5:
        picture = raster.photo(seed, w * 2, h * 2)
    else:
        picture = raster.product(seed, w * 2, h * 2)
    return make(
        "wrong-image",
        element,
        ({"op": "source", "index": element.index, "src": raster.data_uri(picture)},),
        "another picture",
    )
