"""What the capture shows where the design has a text or an icon: found, moved, changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.ground import UNEVEN, levelled
from pytest_pixelloop.core.ink import Ink, covered_like, plain_color, read_ink
from pytest_pixelloop.core.ink_places import (
    around,
    extent_of,
    ink_box,
    inked_beside,
    packed,
    touched,
    touched_box,
)
from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind
from pytest_pixelloop.core.leaf_measure import measure
from pytest_pixelloop.core.leaf_search import NEAR, LeafSearch
from pytest_pixelloop.core.reading import Reading
from pytest_pixelloop.core.rectangles import Rect, cut, grown, inside, overlap, relative, shifted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.style_evidence import Witness


BEYOND = 1.5
"""CSS px by which ink may reach out of its element: italics, rounding."""


BESIDE = 3
"""Device px around ink that are still beside it."""
_SPREAD = np.ones((2 * BESIDE + 1, 2 * BESIDE + 1), np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Drawn:
    """What the design shows of a leaf.

    ``own`` is its box, ``window`` what its ink may reach in the capture, ``place`` what the ink's
    coverage covers, ``rect`` where ink is. ``tilted``: it lies on a gradient that was taken out.
    """

    ink: Ink
    own: Rect
    window: Rect
    place: Rect
    rect: Rect
    tilted: bool


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
        em = em_px(leaf, scale)
        reach = round(0.15 * (x1 - x0) + 4 * scale), round(0.35 * em)
        window = grown((x0, y0, x1, y1), *reach, self.pair.shape)
        drawn = self._drawn((x0, y0, x1, y1), window)
        if drawn is None:
            return Reading(at=leaf.at, readable=False)  # the design shows nothing here
        return self._compare(leaf, drawn, em=em)

    def _drawn(self, own: Rect, window: Rect) -> _Drawn | None:
        """Return the design's ink in a box, None where there is none or no backdrop."""
        backdrop, share, exact = plain_color(cut(self.packed[0], own))
        even = None
        if exact < UNEVEN:
            even = levelled(cut(self.pair.expected, window), core=relative(own, window))
        if even is not None:
            place, crop, backdrop, share = window, even.crop, even.color, even.share
        else:
            places = touched(cut(self.packed[0], own), backdrop)
            place = own if places is None else shifted(touched_box(places), own[0], own[1])
            crop = cut(self.pair.expected, place)
        core = relative(own, place)
        ink = read_ink(crop, backdrop=backdrop, core=core, share=share)
        box = ink_box(cut(ink.coverage, core)) if ink else None
        if ink is None or box is None or not ink.plain:
            return None
        rect = shifted(box, max(place[0], own[0]), max(place[1], own[1]))
        return _Drawn(
            ink=ink, own=own, window=window, place=place, rect=rect, tilted=even is not None
        )

    def _compare(self, leaf: JudgedNode, drawn: _Drawn, *, em: float) -> Reading:
        scale, rect = self.pair.scale, drawn.rect
        dx, dy, likeness = self.search.locate(rect, scale, hint=lambda: self._place(leaf))
        gone = Reading(
            at=leaf.at,
            found=False,
            missing=True,
            ink_rect=rect,
            expected_ink=drawn.ink,
            likeness=0.0,
        )
        gap = max(round(0.35 * em), 2)
        shown = self._shown(drawn, dx, dy, gap=gap)
        if shown is None:
            return gone
        there, page, backdrop = shown
        if backdrop is None:
            return Reading(at=leaf.at, readable=False)
        core = relative(shifted(rect, dx, dy), there)
        other = read_ink(page, backdrop=backdrop, core=core)
        if other is None:
            return gone
        self._without_neighbours(drawn, other, core=core, home=shifted(there, -dx, -dy))
        extent = extent_of(other.coverage, core, gap=gap)
        if extent is not None and max(core[0] - extent[0], extent[2] - core[2]) > 2 * scale:
            shift = dx / scale, dy / scale
            if self._without_others(leaf, other.coverage, left=there[0], shift=shift):
                extent = extent_of(other.coverage, core, gap=gap)
        if extent is None:
            return gone
        return measure(
            leaf,
            drawn.ink,
            other,
            template=cut(drawn.ink.coverage, relative(rect, drawn.place)),
            core=core,
            extent=extent,
            em=em,
            scale=scale,
            shift=(dx, dy),
            likeness=likeness,
            rect=rect,
        )

    def _shown(
        self, drawn: _Drawn, dx: int, dy: int, *, gap: int
    ) -> tuple[Rect, NDArray[np.uint8], NDArray[np.float32] | None] | None:
        """Return the part of the capture to look at, its box, and what the ink there lies on.

        None where a leaf would lie outside the picture; no backdrop where there is none.
        """
        shape = self.pair.shape
        spot = inside(shifted(drawn.rect, dx, dy), shape)
        there = inside(shifted(drawn.window, dx, dy), shape)
        if spot is None or there is None:
            return None
        backdrop, _, exact = plain_color(cut(self.packed[1], grown(spot, 2, 2, shape)))
        if drawn.tilted:
            page = cut(self.pair.actual, there)
            even = levelled(page, core=relative(shifted(drawn.own, dx, dy), there))
            if even is not None:
                return there, even.crop, even.color
            if exact < UNEVEN:
                return there, page, None
        places = touched(cut(self.packed[1], there), backdrop)
        if places is not None:
            core = relative(shifted(drawn.rect, dx, dy), there)
            there = shifted(around(places, core, gap=gap), there[0], there[1])
        return there, cut(self.pair.actual, there), backdrop

    def _without_neighbours(self, drawn: _Drawn, other: Ink, *, core: Rect, home: Rect) -> None:
        """Take out of *other* what lies around its core and around the design's leaf alike.

        *home* is where in the design the other ink would lie.
        """
        if not inked_beside(other.coverage, core):
            return
        box = overlap(grown(home, BESIDE, BESIDE, self.pair.shape), drawn.window)
        mine = relative(drawn.rect, box)
        if drawn.tilted:
            design = cut(drawn.ink.coverage, relative(box, drawn.place)).copy()
        else:
            places = touched(cut(self.packed[0], box), drawn.ink.backdrop)
            if places is not None and not _beside(places, mine):
                return
            design = covered_like(cut(self.pair.expected, box), drawn.ink)
        cut(design, mine)[:] = 0.0
        known = np.asarray(cv2.threshold(design, 0.1, 1, cv2.THRESH_BINARY)[1], np.uint8)
        if not cv2.countNonZero(known):
            return
        x, y, right, bottom = relative(home, box)
        beside = np.asarray(cv2.dilate(known, _SPREAD))[y:bottom, x:right]
        cut(beside, core)[:] = 0
        other.coverage[beside > 0] = 0.0

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


def _beside(places: NDArray[np.uint8], mine: Rect) -> bool:
    """Tell whether anything is touched outside of a leaf's own ink."""
    return cv2.countNonZero(places) > cv2.countNonZero(cut(places, mine))


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
