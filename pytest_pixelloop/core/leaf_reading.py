"""What the capture shows where the design has a text or an icon: found, moved, changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2

from pytest_pixelloop.core.backdrops import HALF, Plain, backdrops, plain_color
from pytest_pixelloop.core.ground import UNEVEN, levelled
from pytest_pixelloop.core.ink_places import (
    Marks,
    around,
    extent_of,
    inked,
    marks_of,
    touched,
    touched_box,
    within_rim,
)
from pytest_pixelloop.core.ink_reading import InkCrop, read_inks
from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind
from pytest_pixelloop.core.leaf_measure import Meeting, measure
from pytest_pixelloop.core.leaf_neighbours import without_neighbours
from pytest_pixelloop.core.leaf_places import Drawn, Shown, Sought, em_px, gap_px, ink_rect
from pytest_pixelloop.core.leaf_search import NEAR, LeafSearch
from pytest_pixelloop.core.reading import Reading
from pytest_pixelloop.core.rectangles import Rect, cut, grown, inside, relative, shifted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.ink import Ink
    from pytest_pixelloop.core.leaf_glance import Found
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.style_evidence import Witness


BEYOND = 1.5
"""CSS px by which ink may reach out of its element: italics, rounding."""
RIM = 0.4
"""Part of the em at a text's ends where others may show, and at least...

The round end of what holds the text."""
SHARED = 2.0
"""...CSS px: a pixel that neighbours share, a px of drift."""


def _nobody(leaf: JudgedNode) -> Witness | None:
    del leaf
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeafReader:
    """Reads leaves of one pair; ``ask`` gives what a leaf's element says."""

    pair: PicturePair
    search: LeafSearch
    ask: Callable[[JudgedNode], Witness | None] = _nobody

    def read(self, leaves: Sequence[JudgedNode]) -> dict[int, Reading]:
        """Return what the capture shows of each leaf, by its number and in their order."""
        found: dict[int, Reading] = {}
        changed = [(leaf, own) for leaf in leaves if (own := self._changed(leaf)) is not None]
        grounds = backdrops(self.pair.expected_words, [own for _, own in changed])
        sought = [
            self._sought(leaf, own, *ground)
            for (leaf, own), ground in zip(changed, grounds, strict=True)
        ]
        drawn: list[Drawn] = []
        for (where, _), ink in zip(sought, read_inks([crop for _, crop in sought]), strict=True):
            seen = _drawn(where, ink)
            if seen is None:  # the design shows nothing here
                found[where.leaf.at] = Reading(at=where.leaf.at, readable=False)
            else:
                drawn.append(seen)
        shown: list[tuple[Shown, InkCrop]] = []
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

    def _changed(self, leaf: JudgedNode) -> Rect | None:
        """Return a leaf's box in the design, None where nothing differs near it."""
        scale, shape = self.pair.scale, self.pair.shape
        own, near = ink_rect(leaf, scale, shape), round(NEAR * scale)
        around_it = cut(self.pair.differs, grown(own, near, near, shape))
        return own if cv2.countNonZero(around_it) else None

    def _sought(
        self, leaf: JudgedNode, own: Rect, ground: Plain, marks: Marks
    ) -> tuple[Sought, InkCrop]:
        """Return where to look for a leaf in the design; *marks* are what is not its *ground*."""
        scale = self.pair.scale
        em = em_px(leaf, scale)
        reach = round(0.15 * (own[2] - own[0]) + 4 * scale), round(0.35 * em)
        window = grown(own, *reach, self.pair.shape)
        color, share, exact, code = ground
        even, place = None, own
        if exact < UNEVEN:
            even = levelled(cut(self.pair.expected, window), core=relative(own, window))
        if even is not None:
            place, crop, color, share = window, even.crop, even.color, even.share
        else:
            if code is not None:
                own, box = self._touched(leaf, own, code, marks, em=em)
                place = shifted(box, own[0], own[1])
            crop = cut(self.pair.expected, place)
        where = Sought(leaf, em, own, window, place, code, even is not None)
        return where, InkCrop(crop, color, relative(own, place), share, levelled=even is not None)

    def _touched(
        self, leaf: JudgedNode, own: Rect, code: int, marks: Marks, *, em: float
    ) -> tuple[Rect, Rect]:
        """Return a leaf's box without what others show at its ends, and the box of ink in it."""
        if leaf.kind is Kind.TEXT:
            rim = round(max(RIM * em, SHARED * self.pair.scale))
            mine = within_rim(marks, rim=rim, gap=gap_px(em))
            if mine != (0, 0, own[2] - own[0], own[3] - own[1]):
                own = shifted(mine, own[0], own[1])
                return own, touched_box(touched(cut(self.pair.expected_words, own), code))
        return own, marks.box or (0, 0, 0, 0)

    def _shown(self, drawn: Drawn, place: Found | None) -> tuple[Shown, InkCrop] | Reading:
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
        (color, _, exact, _), places = self._beneath(drawn, spot, there)
        even = None
        if where.tilted:
            page = cut(self.pair.actual, there)
            even = levelled(page, core=relative(shifted(where.own, dx, dy), there))
            if even is None and exact < UNEVEN:
                return Reading(at=leaf.at, readable=False)
        if even is not None:
            crop, color = even.crop, even.color
        else:
            if places is not None:
                near = around(places, relative(moved, there), gap=drawn.gap)
                there = shifted(near, there[0], there[1])
            crop = cut(self.pair.actual, there)
        core = relative(moved, there)
        return Shown(drawn, there, core, (dx, dy), likeness), InkCrop(
            crop, color, core, levelled=even is not None
        )

    def _beneath(
        self, drawn: Drawn, spot: Rect, there: Rect
    ) -> tuple[Plain, NDArray[np.uint8] | None]:
        """Return what a leaf's ink at *spot* lies on, and what is not of it around there.

        Most often it is the design's colour.
        """
        codes, near = self.pair.actual_words, grown(spot, 2, 2, self.pair.shape)
        code = drawn.sought.code
        if code is not None:
            places = touched(cut(codes, there), code)
            part = cut(places, relative(near, there))
            exact = 1 - cv2.countNonZero(part) / max(part.size, 1)
            if exact > HALF:  # no other one can be commoner
                return Plain(drawn.ink.backdrop, exact, exact, code), places
        plain = plain_color(cut(codes, near))
        if plain.code is None:
            return plain, None
        return plain, touched(cut(codes, there), plain.code)

    def _met(self, shown: Shown, seen: tuple[Ink, Marks] | None) -> Meeting | None:
        """Return both inks of a leaf, None where the capture has none of its."""
        if seen is None:
            return None
        drawn, core, scale = shown.drawn, shown.core, self.pair.scale
        leaf, (other, marks) = drawn.sought.leaf, seen
        if marks.beside(core) and without_neighbours(self.pair, shown, other.coverage):
            marks = marks_of(inked(other.coverage))
        extent = extent_of(other.coverage, marks, core, gap=drawn.gap)
        if extent is not None and _farthest(core, extent) > 2 * scale:
            shift = shown.shift[0] / scale, shown.shift[1] / scale
            if self._without_others(leaf, other.coverage, there=shown.there, shift=shift):
                marks = marks_of(inked(other.coverage))
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

    def _place(self, leaf: JudgedNode) -> tuple[float, float] | None:
        heard = self.ask(leaf)
        return heard.shift if heard is not None else None

    def _without_others(
        self,
        leaf: JudgedNode,
        coverage: NDArray[np.float32],
        *,
        there: Rect,
        shift: tuple[float, float],
    ) -> bool:
        """Take out of *coverage* what lies beside the leaf's element, and tell whether any does.

        What came close to a text is not part of it. *there* is where the coverage lies.
        """
        heard = self.ask(leaf)
        if heard is None or not heard.lies_at(shift):
            return False
        scale = self.pair.scale
        for (first, last), start, along in (
            (heard.span, there[0], coverage.T),
            (heard.rows, there[1], coverage),
        ):
            low = max(round((first - BEYOND) * scale) - start, 0)
            high = max(round((last + BEYOND) * scale) - start, 0)
            along[:low] = 0.0
            along[high:] = 0.0
        return True


def _farthest(core: Rect, extent: Rect) -> int:
    """Return how far ink reaches beyond its place."""
    return max(core[0] - extent[0], core[1] - extent[1], extent[2] - core[2], extent[3] - core[3])


def _drawn(sought: Sought, seen: tuple[Ink, Marks] | None) -> Drawn | None:
    """Return the design's ink in a leaf's box, None where there is none or no backdrop."""
    if seen is None or not seen[0].plain:
        return None
    own, place = sought.own, sought.place
    ink, marks = seen
    if sought.tilted:
        marks = marks_of(inked(cut(ink.coverage, relative(own, place))))
    if marks.box is None:
        return None
    rect = shifted(marks.box, max(place[0], own[0]), max(place[1], own[1]))
    return Drawn(sought, ink, rect)


def _gone(drawn: Drawn) -> Reading:
    return Reading(
        at=drawn.sought.leaf.at,
        found=False,
        missing=True,
        ink_rect=drawn.rect,
        expected_ink=drawn.ink,
        likeness=0.0,
    )
