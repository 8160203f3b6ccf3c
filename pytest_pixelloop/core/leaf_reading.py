"""What the capture shows where the design has a text or an icon: found, moved, changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from pytest_pixelloop.core.ground import UNEVEN, levelled
from pytest_pixelloop.core.ink import Ink, covered_like, plain_color
from pytest_pixelloop.core.ink_places import (
    Marks,
    around,
    extent_of,
    marks_of,
    touched,
    within_rim,
)
from pytest_pixelloop.core.ink_reading import InkCrop, read_inks
from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind
from pytest_pixelloop.core.leaf_measure import Meeting, measure
from pytest_pixelloop.core.leaf_search import NEAR, LeafSearch
from pytest_pixelloop.core.reading import Reading
from pytest_pixelloop.core.rectangles import Rect, cut, grown, inside, overlap, relative, shifted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.leaf_glance import Found
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.style_evidence import Witness


BEYOND = 1.5
"""CSS px by which ink may reach out of its element: italics, rounding."""


BESIDE = 3
"""Device px around ink that are still beside it."""
_SPREAD = np.ones((2 * BESIDE + 1, 2 * BESIDE + 1), np.uint8)


RIM = 2.0
"""CSS px at a text's ends where its neighbour may show: a shared pixel, a px of drift."""


def _gap(em: float) -> int:
    return max(round(0.35 * em), 2)


class _Sought(NamedTuple):
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


class _Drawn(NamedTuple):
    """What the design shows of a leaf; ``rect`` is where ink is."""

    sought: _Sought
    ink: Ink
    rect: Rect

    @property
    def gap(self) -> int:
        """The px between letters that still belong to one text."""
        return _gap(self.sought.em)


class _Shown(NamedTuple):
    """Where in the capture a leaf was found; ``there`` is the part of it to look at.

    ``core`` is where in that the design's ink comes to lie.
    """

    drawn: _Drawn
    there: Rect
    core: Rect
    shift: tuple[int, int]
    likeness: float

    @property
    def home(self) -> Rect:
        """Where in the design ``there`` would lie."""
        return shifted(self.there, -self.shift[0], -self.shift[1])


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

    def read(self, leaves: Sequence[JudgedNode]) -> dict[int, Reading]:
        """Return what the capture shows of each leaf, by its number and in their order."""
        found: dict[int, Reading] = {}
        sought = [s for s in map(self._sought, leaves) if s is not None]
        drawn: list[_Drawn] = []
        for (where, _), ink in zip(sought, read_inks([crop for _, crop in sought]), strict=True):
            seen = _drawn(where, ink)
            if seen is None:  # the design shows nothing here
                found[where.leaf.at] = Reading(at=where.leaf.at, readable=False)
            else:
                drawn.append(seen)
        shown: list[tuple[_Shown, InkCrop]] = []
        glances = self.search.glance([leaf.rect for leaf in drawn])
        for leaf, place in zip(drawn, glances, strict=True):
            there = self._shown(leaf, place)
            if isinstance(there, Reading):
                found[there.at] = there
            else:
                shown.append(there)
        meetings: list[Meeting] = []
        for (spot, _), ink in zip(shown, read_inks([crop for _, crop in shown]), strict=True):
            meeting = self._met(spot, ink)
            if meeting is None:
                found[spot.drawn.sought.leaf.at] = _gone(spot.drawn)
            else:
                meetings.append(meeting)
        for reading in measure(meetings, scale=self.pair.scale):
            found[reading.at] = reading
        return {leaf.at: found.get(leaf.at) or Reading(at=leaf.at) for leaf in leaves}

    def _sought(self, leaf: JudgedNode) -> tuple[_Sought, InkCrop] | None:
        """Return where to look for a leaf in the design, None where nothing differs near it."""
        scale, shape = self.pair.scale, self.pair.shape
        own = _ink_rect(leaf, scale, shape)
        near = round(NEAR * scale)
        if not cv2.countNonZero(cut(self.pair.differs, grown(own, near, near, shape))):
            return None
        em = em_px(leaf, scale)
        window = grown(own, round(0.15 * (own[2] - own[0]) + 4 * scale), round(0.35 * em), shape)
        color, share, exact, code = plain_color(cut(self.packed[0], own))
        even, place = None, own
        if exact < UNEVEN:
            even = levelled(cut(self.pair.expected, window), core=relative(own, window))
        if even is not None:
            place, crop, color, share = window, even.crop, even.color, even.share
        else:
            if code is not None:
                places = touched(cut(self.packed[0], own), code)
                rim = round(RIM * scale) if leaf.kind is Kind.TEXT else 0
                mine, box = within_rim(places, rim=rim, gap=_gap(em))
                own, place = shifted(mine, own[0], own[1]), shifted(box, own[0], own[1])
            crop = cut(self.pair.expected, place)
        where = _Sought(leaf, em, own, window, place, code, even is not None)
        return where, InkCrop(crop, color, relative(own, place), share)

    def _shown(self, drawn: _Drawn, place: Found | None) -> tuple[_Shown, InkCrop] | Reading:
        """Return where the capture shows a leaf; its reading where it shows none that is readable.

        *place* is where it was found at a glance.
        """
        where, shape = drawn.sought, self.pair.shape
        leaf = where.leaf
        dx, dy, likeness = place or self.search.locate(
            drawn.rect, self.pair.scale, hint=lambda: self._place(leaf)
        )
        moved = shifted(drawn.rect, dx, dy)
        spot, there = inside(moved, shape), inside(shifted(where.window, dx, dy), shape)
        if spot is None or there is None:
            return _gone(drawn)
        color, _, exact, code = plain_color(cut(self.packed[1], grown(spot, 2, 2, shape)))
        even = None
        if where.tilted:
            page = cut(self.pair.actual, there)
            even = levelled(page, core=relative(shifted(where.own, dx, dy), there))
            if even is None and exact < UNEVEN:
                return Reading(at=leaf.at, readable=False)
        if even is not None:
            crop, color = even.crop, even.color
        else:
            if code is not None:
                places = touched(cut(self.packed[1], there), code)
                near = around(places, relative(moved, there), gap=drawn.gap)
                there = shifted(near, there[0], there[1])
            crop = cut(self.pair.actual, there)
        core = relative(moved, there)
        return _Shown(drawn, there, core, (dx, dy), likeness), InkCrop(crop, color, core)

    def _met(self, shown: _Shown, seen: tuple[Ink, Marks] | None) -> Meeting | None:
        """Return both inks of a leaf, None where the capture has none of its."""
        if seen is None:
            return None
        drawn, core, scale = shown.drawn, shown.core, self.pair.scale
        leaf, (other, marks) = drawn.sought.leaf, seen
        if marks.beside(core) and self._without_neighbours(shown, other):
            marks = marks_of(other.coverage)
        extent = extent_of(other.coverage, marks, core, gap=drawn.gap)
        if extent is not None and max(core[0] - extent[0], extent[2] - core[2]) > 2 * scale:
            shift = shown.shift[0] / scale, shown.shift[1] / scale
            if self._without_others(leaf, other.coverage, left=shown.there[0], shift=shift):
                marks = marks_of(other.coverage)
                extent = extent_of(other.coverage, marks, core, gap=drawn.gap)
        if extent is None:
            return None
        return Meeting(
            leaf=leaf,
            ink=drawn.ink,
            other=other,
            template=cut(drawn.ink.coverage, relative(drawn.rect, drawn.sought.place)),
            rect=drawn.rect,
            core=core,
            extent=extent,
            em=drawn.sought.em,
            shift=shown.shift,
            likeness=shown.likeness,
        )

    def _without_neighbours(self, shown: _Shown, other: Ink) -> bool:
        """Take out of *other* what lies around its core and around the design's leaf alike.

        Return whether there may have been any.
        """
        drawn, home, core = shown.drawn, shown.home, shown.core
        where = drawn.sought
        box = overlap(grown(home, BESIDE, BESIDE, self.pair.shape), where.window)
        mine = relative(drawn.rect, box)
        if where.tilted:
            design = cut(drawn.ink.coverage, relative(box, where.place)).copy()
        else:
            if where.code is not None:
                places = touched(cut(self.packed[0], box), where.code)
                if cv2.countNonZero(places) <= cv2.countNonZero(cut(places, mine)):
                    return False
            design = covered_like(cut(self.pair.expected, box), drawn.ink)
        cut(design, mine)[:] = 0.0
        known = np.asarray(cv2.threshold(design, 0.1, 1, cv2.THRESH_BINARY)[1], np.uint8)
        if not cv2.countNonZero(known):
            return False
        x, y, right, bottom = relative(home, box)
        beside = np.asarray(cv2.dilate(known, _SPREAD))[y:bottom, x:right]
        cut(beside, core)[:] = 0
        other.coverage[beside > 0] = 0.0
        return True

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


def _drawn(sought: _Sought, seen: tuple[Ink, Marks] | None) -> _Drawn | None:
    """Return the design's ink in a leaf's box, None where there is none or no backdrop."""
    if seen is None or not seen[0].plain:
        return None
    own, place = sought.own, sought.place
    ink, marks = seen
    if sought.tilted:
        marks = marks_of(cut(ink.coverage, relative(own, place)))
    if marks.box is None:
        return None
    rect = shifted(marks.box, max(place[0], own[0]), max(place[1], own[1]))
    return _Drawn(sought, ink, rect)


def _gone(drawn: _Drawn) -> Reading:
    return Reading(
        at=drawn.sought.leaf.at,
        found=False,
        missing=True,
        ink_rect=drawn.rect,
        expected_ink=drawn.ink,
        likeness=0.0,
    )


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
        packed=(pair.expected_words, pair.actual_words),
        ask=ask,
    )
