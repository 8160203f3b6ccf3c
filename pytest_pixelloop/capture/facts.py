"""The facts that a page tells of its elements and of itself, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.element_facts import (
    NO_FACTS,
    ElementFacts,
    FontFace,
    PageFacts,
    TextRun,
)
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FLAGS = ("abridged", "cloaked", "fixed", "interactive", "disabled", "native", "roomy")


def read_element_facts(raw: Mapping[str, Any]) -> ElementFacts:
    """Return the facts of one element; what the record leaves out is as in a plain element."""
    if not raw:
        return NO_FACTS
    area = raw.get("area")
    return ElementFacts(
        runs=tuple(TextRun(box=Box(*run[:4]), hits=str(run[4])) for run in raw.get("runs", ())),
        hard=_edges(raw.get("hard")),
        soft=_edges(raw.get("soft")),
        opacity=float(raw.get("opacity", 1.0)),
        broken=str(raw.get("broken", "")),
        area=Box(*area) if area else None,
        **{name: bool(raw.get(name)) for name in _FLAGS},
    )


def read_page_facts(raw: Mapping[str, Any]) -> PageFacts:
    """Return the facts of the page."""
    return PageFacts(
        viewport=_pair(raw["viewport"]),
        scroll_size=_pair(raw["scroll_size"]),
        scroll=_pair(raw["scroll"]),
        scrolls=bool(raw["scrolls"]),
        left=float(raw["left"]),
        touch=bool(raw["touch"]),
        whole=bool(raw["whole"]),
        fonts=tuple(FontFace(family=str(f), status=str(s)) for f, s in raw["fonts"]),
    )


def _pair(values: Sequence[float]) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _edges(values: Sequence[float] | None) -> Box | None:
    """Return a box from its edges: left, top, right, bottom."""
    if values is None:
        return None
    left, top, right, bottom = values
    return Box(left, top, right - left, bottom - top)
