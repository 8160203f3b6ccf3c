"""A region with what the gate says about it: its severity, and its colours where they are flat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.finding import Region

    Words = NDArray[np.uint32]

GRID = 8
FLAT_SHARE = 0.9
# Fewer pixels are a speck: calling its colour the region's would send a fixer astray.
FEWEST = 9
# Enough pixels to tell a flat colour; more would only take time.
SAMPLE = 1 << 14


@dataclass(frozen=True, slots=True, kw_only=True)
class ColorChange:
    """One colour that has become another one, both as (R, G, B, A)."""

    expected: tuple[int, int, int, int]
    actual: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRegion:
    """A region, the addend of the score it stands for, and its change of colour if it is one."""

    region: Region
    severity: float
    change: ColorChange | None = None


def css_box(rect: tuple[int, int, int, int], scale: float) -> Box:
    """Return the device px *rect* (left, top, right, bottom) as a box in CSS px."""
    left, top, right, bottom = (round(edge / scale, 6) for edge in rect)
    return Box(left, top, right - left, bottom - top)


def px_delta_id(label: str, box: Box) -> str:
    """Return the identity of a finding outside of every node: its box on an 8 px grid."""
    x, y, w, h = box.snapped(GRID)
    return f"{label}/px:{x},{y},{w},{h}"


def printable_end(text: str, *, limit: int = 200) -> str:
    """Return *text* as printable does, cut at its beginning: the end of a path tells the most."""
    flat = printable(text, limit=len(text) + 1)
    return flat if len(flat) <= limit else "\N{HORIZONTAL ELLIPSIS}" + flat[1 - limit :]


def sampled(words: Words) -> Words:
    """Return at most about SAMPLE of *words*, evenly spread, always the same ones."""
    return words[:: max(1, words.size // SAMPLE)]


def flat_change(expected: Sequence[Words], actual: Sequence[Words]) -> ColorChange | None:
    """Return the change of colour of a region's pixels; None unless both sides are flat.

    Flat means that one colour has 90 % of the pixels or more.
    """
    before = _dominant(np.concatenate(expected)) if expected else None
    after = _dominant(np.concatenate(actual)) if actual else None
    if before is None or after is None:
        return None
    return ColorChange(expected=before, actual=after)


def _dominant(words: Words) -> tuple[int, int, int, int] | None:
    if words.size < FEWEST:
        return None
    # A value that more than half of all have is the median, whatever the values mean.
    middle = words.size // 2
    value = np.partition(words, middle)[middle]
    if np.count_nonzero(words == value) < FLAT_SHARE * words.size:
        return None
    red, green, blue, alpha = (int(part) for part in np.array([value], np.uint32).view(np.uint8))
    return red, green, blue, alpha
