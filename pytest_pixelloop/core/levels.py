"""Matching levels: what of a region is judged, and what of it may differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.screenshot_words import read_target


class Level(StrEnum):
    """How much of a region is judged.

    ``strict``: everything, as outside of any region. ``layout``: where things are and how large.
    ``ignore_colors``: everything but colours. ``text``: the words only. ``data``: everything but
    the words, the pictures, and what follows from their length. ``ignore``: nothing, as a mask.
    """

    STRICT = "strict"
    LAYOUT = "layout"
    IGNORE_COLORS = "ignore_colors"
    TEXT = "text"
    DATA = "data"
    IGNORE = "ignore"


LEVELS = tuple(str(level) for level in Level)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionWish:
    """A region as a user names it: a Box, a Locator, or a text (CSS, a node's name or id)."""

    target: Any
    level: Level

    @property
    def words(self) -> str:
        """The target in words that stay; a Locator's own text holds the address of its page."""
        if isinstance(self.target, str):
            return self.target
        if isinstance(self.target, Box):
            return ",".join(f"{v:g}" for v in self.target.as_list())
        return type(self.target).__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A region found: ``boxes`` in CSS px of the frame, or the ids of design nodes.

    ``nodes`` are the nodes named, which means all that is inside them too.
    """

    words: str
    level: Level
    boxes: tuple[Box, ...] = ()
    nodes: tuple[str, ...] = ()

    def as_record(self) -> dict[str, Any]:
        """Return the region as reports hold it."""
        return {
            "region": self.words,
            "level": str(self.level),
            "boxes": [box.as_list() for box in self.boxes],
            "nodes": list(self.nodes),
        }


def check_regions(value: object, *, where: str) -> tuple[RegionWish, ...]:
    """Return the regions that a mapping target -> level names.

    Raises ConfigurationError for something else, an unknown level, or a target that is none.
    """
    if value is None:
        return ()
    if not isinstance(value, Mapping):
        raise ConfigurationError(
            f"{value!r} is no mapping of regions",
            where=where,
            expected='target: level, as {".price": "data", "12:345": "layout"}; levels are '
            + ", ".join(LEVELS),
        )
    found = []
    for target, level in value.items():
        if level not in LEVELS:
            raise ConfigurationError(
                f"unknown matching level {level!r}",
                where=f"region {target!r}, {where}",
                expected="one of " + ", ".join(LEVELS),
            )
        place = f"region {target!r}, {where}"
        read = read_target(target, where=place, what="region")
        found.append(RegionWish(target=read, level=Level(level)))
    return tuple(found)


def lay_regions_over(*layers: tuple[RegionWish, ...]) -> tuple[RegionWish, ...]:
    """Return the regions that hold, weakest layer first; one target named twice has one level."""
    merged: dict[Any, RegionWish] = {}
    for layer in layers:
        for wish in layer:
            merged.pop(wish.target, None)
            merged[wish.target] = wish
    return tuple(merged.values())


def refuse_unjudged_levels(regions: tuple[Region, ...], *, gate: str, has_nodes: bool) -> None:
    """Raise ConfigurationError for a level that the gate cannot keep apart from the others.

    Only the design gate, and only with a node tree, knows what of a difference is colour, place
    or words. ``strict`` is everything, and ``ignore`` has become a mask.
    """
    if gate == "design" and has_nodes:
        return
    why = f"the gate {gate} counts pixels" if gate != "design" else "the design has no node tree"
    for region in regions:
        if region.level is not Level.STRICT:
            raise ConfigurationError(
                f"the matching level {region.level} cannot be had: {why}",
                where=f"region {region.words!r}",
                expected="strict or ignore; the others need gate=design and a design with nodes",
            )
