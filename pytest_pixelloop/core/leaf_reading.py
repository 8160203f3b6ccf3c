"""What the capture shows where the design has a text or an icon: found, moved, changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.ground import UNEVEN, levelled
from pytest_pixelloop.core.ink import Ink, ink_box, packed, plain_color, read_ink
from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind
from pytest_pixelloop.core.leaf_measure import extent_of, measure
from pytest_pixelloop.core.leaf_search import NEAR, LeafSearch
from pytest_pixelloop.core.reading import Reading
from pytest_pixelloop.core.rectangles import Rect, cut, grown, inside, relative, shifted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.style_evidence import Witness


BEYOND = 1.5
"""CSS px by which ink may reach out of its element: italics, rounding."""


_AROUND = np.ones((7, 7), np.uint8)
"""Three px around ink are still beside it."""


def _nobody(leaf: JudgedNode) -> Witness | None:
    del leaf
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeafReader:
    """Reads leaves of one pair; ``ask`` gives what a leaf's element says."""

    pair: PicturePair
    search: LeafSearch
    packed: tuple[NDArray[np.uint32], NDArray[np.uint32]]
    ask: Callable[[JudgedNode], Witness | None] = _nobody

    def read(self, leaf: JudgedNode) -> Reading:
        """Return what the capture shows of a leaf."""
        scale = self.pair.scale
        x0, y0, x1, y1 = _ink_rect(leaf, scale, self.pair.shape)
        near = round(NEAR * scale)
        wx0, wy0, wx1, wy1 = grown((x0, y0, x1, y1), near, near, self.pair.shape)
        if not cv2.countNonZero(self.pair.differs[wy0:wy1, wx0:wx1]):
            return Reading(at=leaf.at)
        backdrop, share, exact = plain_color(self.packed[0][y0:y1, x0:x1])
        em = em_px(leaf, scale)
        reach = round(0.15 * (x1 - x0) + 4 * scale), round(0.35 * em)
        window = grown((x0, y0, x1, y1), *reach, self.pair.shape)
        own = relative((x0, y0, x1, y1), window)
        around = cut(self.pair.expected, window)
        even = levelled(around, core=own) if exact < UNEVEN else None
        if even is not None:
            around, backdrop, share = even.crop, even.color, even.share
        ink = read_ink(around, backdrop=backdrop, core=own, share=share)
        box = ink_box(cut(ink.coverage, own)) if ink else None
        if ink is None or box is None:
            return Reading(at=leaf.at, readable=False)  # the design shows nothing here
        if not ink.plain:
            return Reading(at=leaf.at, readable=False)
        rect = (x0 + box[0], y0 + box[1], x0 + box[2], y0 + box[3])
        tilted = (x0, y0, x1, y1) if even is not None else None
        return self._compare(leaf, ink, window=window, rect=rect, em=em, tilted=tilted)

    def _compare(
        self,
        leaf: JudgedNode,
        ink: Ink,
        *,
        window: Rect,
        rect: Rect,
        em: float,
        tilted: Rect | None,
    ) -> Reading:
        scale, shape = self.pair.scale, self.pair.shape
        dx, dy, likeness = self.search.locate(rect, scale, hint=lambda: self._place(leaf))
        spot = inside(shifted(rect, dx, dy), shape)
        gone = Reading(
            at=leaf.at, found=False, missing=True, ink_rect=rect, expected_ink=ink, likeness=0.0
        )
        if spot is None:
            return gone
        backdrop, _, exact = plain_color(cut(self.packed[1], grown(spot, 2, 2, shape)))
        there = inside(shifted(window, dx, dy), shape)
        if there is None:
            return gone
        core = relative(shifted(rect, dx, dy), there)
        page = cut(self.pair.actual, there)
        if tilted is not None:
            even = levelled(page, core=relative(shifted(tilted, dx, dy), there))
            if even is not None:
                page, backdrop = even.crop, even.color
            elif exact < UNEVEN:
                return Reading(at=leaf.at, readable=False)
        other = read_ink(page, backdrop=backdrop, core=core)
        if other is None:
            return gone
        mine = relative(rect, window)
        _without_neighbours(
            ink.coverage,
            other,
            mine=mine,
            core=core,
            offset=(there[0] - dx - window[0], there[1] - dy - window[1]),
        )
        gap = max(round(0.35 * em), 2)
        extent = extent_of(other.coverage, core, gap=gap)
        if extent is not None and max(core[0] - extent[0], extent[2] - core[2]) > 2 * scale:
            shift = dx / scale, dy / scale
            if self._without_others(leaf, other.coverage, left=there[0], shift=shift):
                extent = extent_of(other.coverage, core, gap=gap)
        if extent is None:
            return gone
        x0, y0 = rect[0] - window[0], rect[1] - window[1]
        template = ink.coverage[y0 : y0 + rect[3] - rect[1], x0 : x0 + rect[2] - rect[0]]
        return measure(
            leaf,
            ink,
            other,
            template=template,
            core=core,
            extent=extent,
            em=em,
            scale=scale,
            shift=(dx, dy),
            likeness=likeness,
            rect=rect,
        )

    def _place(self, leaf: JudgedNode) -> tuple[float, float] | None:
        heard = self.ask(leaf)
        return heard.shift if heard is not None else None

    def _without_others(
        self,
        leaf: JudgedNode,
        coverage: NDArray[np.float32],
        *,
        left: int,
        shift: tuple[float, float],
    ) -> bool:
        """Take out of *coverage* what lies beside the leaf's element, and tell whether any does.

        What came close to a text is not part of it. *left* is where the coverage begins.
        """
        heard = self.ask(leaf)
        if heard is None or not heard.lies_at(shift):
            return False
        scale = self.pair.scale
        low = max(round((heard.span[0] - BEYOND) * scale) - left, 0)
        high = max(round((heard.span[1] + BEYOND) * scale) - left, 0)
        coverage[:, :low] = 0.0
        coverage[:, high:] = 0.0
        return True


def _without_neighbours(
    around: NDArray[np.float32],
    other: Ink,
    *,
    mine: Rect,
    core: Rect,
    offset: tuple[int, int],
) -> None:
    """Take out of *other* what lies around its core and around the design's leaf alike."""
    x0, y0, x1, y1 = mine
    sides = around[:y0], around[y1:], around[y0:y1, :x0], around[y0:y1, x1:]
    if not any(side.size and cv2.norm(side, cv2.NORM_INF) > 0.1 for side in sides):
        return
    neighbours = around.copy()
    neighbours[y0:y1, x0:x1] = 0.0
    beside = cv2.threshold(neighbours, 0.1, 1, cv2.THRESH_BINARY)[1].astype(np.uint8)
    spread_out = cv2.dilate(beside, _AROUND)
    x, y = offset
    height, width = other.coverage.shape
    known = np.zeros((height, width), np.bool_)
    part = spread_out[max(y, 0) : max(y, 0) + height, max(x, 0) : max(x, 0) + width]
    known[: part.shape[0], : part.shape[1]] = part
    x0, y0, x1, y1 = (max(v, 0) for v in core)
    known[y0:y1, x0:x1] = False
    other.coverage[known] = 0.0


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


def _ink_rect(leaf: JudgedNode, scale: float, shape: tuple[int, int]) -> Rect:
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
    return grown(leaf.rect, 0, slack, shape)


def make_reader(
    pair: PicturePair,
    search: LeafSearch,
    *,
    ask: Callable[[JudgedNode], Witness | None] = _nobody,
) -> LeafReader:
    """Return a reader over the pair; *search* looks for the leaves in it."""
    return LeafReader(
        pair=pair,
        search=search,
        packed=(packed(pair.expected), packed(pair.actual)),
        ask=ask,
    )
