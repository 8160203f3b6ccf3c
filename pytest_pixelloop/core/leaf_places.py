"""Where a leaf is: where it may be in the design, where its ink is, where the capture shows it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind
from pytest_pixelloop.core.rectangles import Rect, grown, shifted

if TYPE_CHECKING:
    from pytest_pixelloop.core.ink import Ink


class Sought(NamedTuple):
    """A leaf and where to look for it.

    ``own`` is its box in the design, ``window`` what its ink may reach in the capture, ``place``
    what the ink's coverage covers. ``code`` is the colour it lies on as one number, None for none.
    ``tilted``: it lies on a gradient that was taken out.
    """

    leaf: JudgedNode
    em: float
    own: Rect
    window: Rect
    place: Rect
    code: int | None
    tilted: bool


class Drawn(NamedTuple):
    """What the design shows of a leaf; ``rect`` is where ink is."""

    sought: Sought
    ink: Ink
    rect: Rect

    @property
    def gap(self) -> int:
        """The px between letters that still belong to one text."""
        return gap_px(self.sought.em)


class Shown(NamedTuple):
    """Where in the capture a leaf was found; ``there`` is the part of it to look at.

    ``core`` is where in that the design's ink comes to lie.
    """

    drawn: Drawn
    there: Rect
    core: Rect
    shift: tuple[int, int]
    likeness: float

    @property
    def home(self) -> Rect:
        """Where in the design ``there`` would lie."""
        return shifted(self.there, -self.shift[0], -self.shift[1])


def em_px(leaf: JudgedNode, scale: float) -> float:
    """Return the size by which a leaf's details are measured, in device px."""
    if leaf.kind is Kind.TEXT:
        style = leaf.node.properties.get("style")
        size = style.get("fontSize") if isinstance(style, dict) else None
        if isinstance(size, int | float) and size > 0:
            return float(size) * scale
        return min(float(leaf.rect[3] - leaf.rect[1]), 16.0 * scale)
    return min(
        max(float(min(leaf.rect[2] - leaf.rect[0], leaf.rect[3] - leaf.rect[1])), 4.0), 24.0 * scale
    )


def ink_rect(leaf: JudgedNode, scale: float, shape: tuple[int, int]) -> Rect:
    """Return where the leaf's ink may lie: 1.45 em about the middle of a line.

    Descenders reach out of a tight line box; in a loose one other things lie beside the ink.
    """
    if leaf.kind is not Kind.TEXT:
        return grown(leaf.rect, round(scale), round(scale), shape)
    style = leaf.node.properties.get("style")
    line = style.get("lineHeightPx") if isinstance(style, dict) else None
    em = em_px(leaf, scale)
    if not isinstance(line, int | float) or line <= 0:
        return leaf.rect
    slack = round((em * 1.45 - float(line) * scale) / 2)
    if slack < 0 and abs(leaf.placed.box.h / line - round(leaf.placed.box.h / line)) > 0.1:
        return leaf.rect  # the box is not made of whole lines: the text may lie anywhere in it
    return grown(leaf.rect, 0, slack, shape) if slack >= 0 else _middle(leaf, scale, -slack)


def _middle(leaf: JudgedNode, scale: float, slack: int) -> Rect:
    """Return what is seen of a text's box without *slack* px at its top and bottom."""
    x0, y0, x1, y1 = leaf.rect
    box = leaf.placed.box
    top = max(y0, math.floor(box.y * scale + 0.01) + slack)
    bottom = min(y1, math.ceil(box.bottom * scale - 0.01) - slack)
    return (x0, top, x1, bottom) if top < bottom else leaf.rect


def gap_px(em: float) -> int:
    """Return the px between letters that still belong to one text."""
    return max(round(0.35 * em), 2)
