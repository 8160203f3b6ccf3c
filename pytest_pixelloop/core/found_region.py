"""A region with what the gate says about it: its severity, and its colours where they are flat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.explain import printable

if TYPE_CHECKING:
    from pytest_pixelloop.core.finding import Region
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.spot_groups import ColorChange

GRID = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRegion:
    """A region, the addend of the score it stands for, and its change of colour if it is one."""

    region: Region
    severity: float
    change: ColorChange | None = None


def px_delta_id(label: str, box: Box) -> str:
    """Return the identity of a finding outside of every node: its box on an 8 px grid."""
    x, y, w, h = box.snapped(GRID)
    return f"{label}/px:{x},{y},{w},{h}"


def printable_end(text: str, *, limit: int = 200) -> str:
    """Return *text* as printable does, cut at its beginning: the end of a path tells the most."""
    return cut_front(printable(text, limit=len(text) + 1), limit=limit)


def cut_front(text: str, *, limit: int) -> str:
    """Return the end of *text*, at most *limit* long, with a mark where something is missing."""
    return text if len(text) <= limit else "\N{HORIZONTAL ELLIPSIS}" + text[1 - limit :]
