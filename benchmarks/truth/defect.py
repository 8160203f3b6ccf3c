"""What a seeded defect is, and the pieces all kinds are made of."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.truth import css, tokens
from benchmarks.truth.cases import Element, accepted_ids
from benchmarks.truth.colour import difference

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


def kind_of_defect(name: str) -> Callable[[Maker], Maker]:
    def register(maker: Maker) -> Maker:
        KINDS[name] = maker
        return maker

    return register


def restyle(element: Element, **values: str) -> tuple[Operation, ...]:
    named = {key.replace("_", "-"): value for key, value in values.items()}
    return ({"op": "style", "index": element.index, "css": named},)


def make(
    kind: str,
    element: Element,
    operations: tuple[Operation, ...],
    detail: str,
    *,
    changed: tuple[str, ...] | None = None,
    accepted: tuple[str, ...] | None = None,
    spacing: bool = False,
    outward: bool = False,
    **more: Any,
) -> Defect:
    return Defect(
        kind=kind,
        element=element,
        operations=operations,
        detail=detail,
        changed=element.ids if changed is None else changed,
        accepted=accepted_ids(element, spacing=spacing, outward=outward)
        if accepted is None
        else accepted,
        **more,
    )


def token_step(value: str, rng: random.Random, *, least: float) -> tuple[str, str, float] | None:
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


def is_root(element: Element) -> bool:
    return element.parent is None


def is_box(element: Element) -> bool:
    return not is_root(element) and not element.is_icon and css.paints(element.style)


def is_solid(element: Element) -> bool:
    if is_root(element) or len(element.descendants()) > 14:
        return False
    return (
        element.is_text
        or element.is_icon
        or "src" in element.layout
        or bool(element.layout["children"])
        or css.paints(element.style)
    )
