"""Axis-aligned boxes in CSS px or device px; which of the two is said where a box is used."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Box:
    """A box by its left edge, top edge, width and height. Fractions are kept."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """The bottom edge."""
        return self.y + self.h

    @property
    def area(self) -> float:
        """Width times height; 0 for an empty box."""
        return max(self.w, 0.0) * max(self.h, 0.0)

    def shifted(self, dx: float, dy: float) -> Box:
        """Return the box moved by (dx, dy)."""
        return Box(self.x + dx, self.y + dy, self.w, self.h)

    def scaled(self, factor: float) -> Box:
        """Return the box with every number multiplied by *factor*."""
        return Box(self.x * factor, self.y * factor, self.w * factor, self.h * factor)

    def grown(self, by: float) -> Box:
        """Return the box with each side moved outwards by *by*."""
        return Box(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)

    def intersection(self, other: Box) -> Box | None:
        """Return the part both boxes share, None when they share no area."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        w, h = min(self.right, other.right) - x, min(self.bottom, other.bottom) - y
        return Box(x, y, w, h) if w > 0 and h > 0 else None

    def contains(self, other: Box, *, slack: float = 0.0) -> bool:
        """Tell whether *other* lies inside, give or take *slack*."""
        return (
            other.x >= self.x - slack
            and other.y >= self.y - slack
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )

    def snapped(self, grid: int) -> tuple[int, int, int, int]:
        """Return integer x, y, w, h of the smallest box on a *grid* that holds this one."""
        x, y = math.floor(self.x / grid) * grid, math.floor(self.y / grid) * grid
        right, bottom = math.ceil(self.right / grid) * grid, math.ceil(self.bottom / grid) * grid
        return x, y, right - x, bottom - y

    def pixels(self) -> tuple[int, int, int, int]:
        """Return integer left, top, right, bottom of the pixels this box touches by half or more.

        Edges are rounded half up, so neighbours that share a fractional edge share no pixel.
        """
        return (
            math.floor(self.x + 0.5),
            math.floor(self.y + 0.5),
            math.floor(self.right + 0.5),
            math.floor(self.bottom + 0.5),
        )

    def as_list(self) -> list[float]:
        """Return [x, y, w, h] rounded to 3 decimals, integers where whole: what reports hold."""
        return [int(v) if v == int(v) else round(v, 3) for v in (self.x, self.y, self.w, self.h)]


def union(boxes: Iterable[Box]) -> Box | None:
    """Return the smallest box that holds all *boxes*, None for none."""
    items = list(boxes)
    if len(items) < 2:
        return items[0] if items else None
    x, y = min(b.x for b in items), min(b.y for b in items)
    return Box(x, y, max(b.right for b in items) - x, max(b.bottom for b in items) - y)
