"""Rectangles on the device px grid of a page, and the tiles a large one is captured in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

SAFE_SIDE = 16_384
"""Device px in one direction up to which one picture is asked for: the texture size that GPUs have
in common. Beyond it Chromium has cut, repeated or blanked the rest."""
TILE_SIDE = 8_192


def round_half_up(value: float) -> int:
    """Return the nearest whole number, halves up: how Chromium sizes a picture at 1.5."""
    return math.floor(value + 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """What a picture shows: device px of the page, counted from the page's top left corner.

    A picture is always asked for on whole device px: Chromium then copies pixels, whereas an edge
    between two of them would be interpolated.
    """

    left: int
    top: int
    width: int
    height: int
    scale: float

    @property
    def css(self) -> Box:
        """The same rectangle in CSS px."""
        return Box(
            self.left / self.scale,
            self.top / self.scale,
            self.width / self.scale,
            self.height / self.scale,
        )

    def tiles(self) -> Iterator[Iterator[Area]]:
        """Yield rows of tiles that cover the area; one row of one tile when it is small enough."""
        tall = self.height if self.height <= SAFE_SIDE else TILE_SIDE
        wide = self.width if self.width <= SAFE_SIDE else TILE_SIDE
        for top in range(0, self.height, tall):
            yield (
                Area(
                    left=self.left + left,
                    top=self.top + top,
                    width=min(wide, self.width - left),
                    height=min(tall, self.height - top),
                    scale=self.scale,
                )
                for left in range(0, self.width, wide)
            )


def area_of(box: Box, scale: float) -> Area:
    """Return the area of *box* (CSS px): its size rounded on its own, never by where it lies.

    So an element at a fractional offset gives the same size wherever it is, and its painted edge
    is at most 1 device px off.
    """
    return Area(
        left=round_half_up(box.x * scale),
        top=round_half_up(box.y * scale),
        width=max(round_half_up(box.w * scale), 1),
        height=max(round_half_up(box.h * scale), 1),
        scale=scale,
    )
