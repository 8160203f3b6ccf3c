"""What a matching level takes out of the judgement: which findings of which nodes do not gate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_pixelloop.core.attributing import property_family
from pytest_pixelloop.core.draft_finding import finish
from pytest_pixelloop.core.geometry import Box, union
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.levels import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.finding import Finding
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.levels import Region

INSIDE = 0.5
"""Share of a node's box from which it is inside a region."""
_LAYOUT = frozenset(
    ("missing", "extra", "position", "width", "height", "size", "gap", "padding", "alignment")
)
_COLORS = frozenset(("color", "fill", "stroke", "background", "border-color", "opacity"))
_WORDS_FREE = (Level.DATA, Level.LAYOUT)
_CONTENT = frozenset(("text", "image"))
_ALONG = frozenset(("width", "min-width", "column-gap", "padding-left", "padding-right"))


class JudgedLevels:
    """The regions of one comparison, asked by node. Of several the smallest one holds."""

    def __init__(self, regions: Sequence[Region], nodes: Sequence[JudgedNode]) -> None:
        self._nodes = nodes
        self._named: dict[int, Region] = {}
        self._boxes = [(box, r) for r in regions if not r.nodes for box in r.boxes]
        by_id = {node.node.id: node.at for node in nodes}
        self._areas: dict[int, float] = {}
        for region in regions:
            for node_id in region.nodes:
                at = by_id.get(node_id)
                if at is not None:
                    self._named[at] = region

    @property
    def strict(self) -> bool:
        """Whether everything is judged everywhere."""
        return not self._named and not self._boxes

    def of(self, at: int, box: Box | None = None) -> Region | None:
        """Return the region that a node is in, or *box* (CSS px of the frame) on that node."""
        if self.strict:
            return None
        place = self._nodes[at].placed.box if box is None else box
        found = [
            (area_box.area, region)
            for area_box, region in self._boxes
            if (shared := area_box.intersection(place)) is not None
            and (
                shared.area >= INSIDE * max(place.area, 1e-9)
                or (box is None and self._shorter(at, area_box, shared, region))
            )
        ]
        here: int | None = at
        while here is not None:
            if here in self._named:
                found.append((self._nodes[here].placed.box.area, self._named[here]))
                break
            here = self._nodes[here].parent
        return min(found, key=lambda item: item[0])[1] if found else None

    def _shorter(self, at: int, area: Box, shared: Box, region: Region) -> bool:
        """Tell whether a region on the page is a text of fewer words than the node *at*."""
        return (
            region.level in _WORDS_FREE
            and self._nodes[at].kind is Kind.TEXT
            and shared.area >= INSIDE * area.area
            and shared.h >= INSIDE * self._nodes[at].placed.box.h
        )

    def level(self, at: int) -> Level:
        """Return the level that a node is judged by."""
        region = self.of(at)
        return region.level if region is not None else Level.STRICT

    def words_free(self, at: int) -> bool:
        """Tell whether a text may have other words: then its letters tell of nothing else."""
        return self.level(at) in _WORDS_FREE

    def split(
        self, drafts: Iterable[Draft], *, gone: Callable[[Sequence[Draft]], Collection[int]]
    ) -> tuple[list[Draft], list[tuple[Draft, Region]]]:
        """Return the drafts that gate, and those that do not with the region they are in.

        *gone* tells which nodes of drafts cannot be seen: no level but ``text`` lets that pass.
        """
        items = list(drafts)
        if self.strict:
            return items, []
        lost = gone(items)
        placed = [(_told_gone(d, lost), self._region(d)) for d in self._apart(items)]
        changed = {id(r) for d, r in placed if r is not None and d.property in _CONTENT}
        longer = _longer_words(placed)
        gating: list[Draft] = []
        kept: list[tuple[Draft, Region]] = []
        for draft, found in placed:
            region = longer.get(id(draft)) or found
            if id(draft) in longer and region is not None:
                kept.append((draft, region))
            elif region is None or self._gates(draft, region, follows=id(region) in changed):
                gating.append(draft)
            else:
                kept.append((draft, region))
        return gating, kept

    def _apart(self, drafts: Iterable[Draft]) -> list[Draft]:
        """Return the drafts, each symptom on its own where its cause lies in a region.

        A cause that is let pass must not take along what lies outside of the region.
        """
        found: list[Draft] = []
        for draft in drafts:
            region = self._region(draft)
            lenient = region is not None and region.level is not Level.STRICT
            free = lenient and draft.property in _CONTENT
            if lenient and not free and draft.symptoms:
                found += [replace(part, symptoms=()) for part in draft.whole()]
            else:
                found.append(draft)
        return found

    def _region(self, draft: Draft) -> Region | None:
        # Of a page that cannot be compared nothing else was looked at: that always counts.
        if draft.at is None or draft.kind == "incomparable":
            return None
        return self.of(draft.at, draft.box if draft.property == "extra" else None)

    def _gates(self, draft: Draft, region: Region, *, follows: bool) -> bool:
        name, level = draft.property, region.level
        if level is Level.LAYOUT:
            return property_family(name) in _LAYOUT
        if level is Level.IGNORE_COLORS:
            return property_family(name) not in _COLORS
        if level is Level.TEXT:
            at = draft.at
            text = at is not None and self._nodes[at].kind is Kind.TEXT
            return name == "text" or (name == "missing" and text)
        if level is Level.DATA:
            return name not in _CONTENT and not (follows and _along_x(draft))
        return level is not Level.IGNORE


def _told_gone(draft: Draft, lost: Collection[int]) -> Draft:
    """Return a draft about the look of a node that is not there as what it is."""
    if draft.at not in lost or draft.property not in ("background", "image"):
        return draft
    says = "not there: its place is as what is around it"
    return replace(draft, property="missing", kind="missing", says=says)


def _longer_words(placed: Sequence[tuple[Draft, Region | None]]) -> dict[int, Region]:
    """Return by id the drafts that are the end of longer words at level data, with the region.

    It lies in the row of the changed text and goes on where that ends. Of a region that was found
    on the page it lies inside.
    """
    extras = [(draft, region) for draft, region in placed if draft.property == "extra"]
    found: dict[int, Region] = {}
    for text, region in placed:
        if text.property != "text" or region is None or region.level is not Level.DATA:
            continue
        reach = text.box
        for draft, own in sorted(extras, key=lambda item: _gap(item[0].box, text.box)):
            if own is (None if region.nodes else region) and _goes_on(draft.box, reach):
                found[id(draft)] = region
                reach = union((reach, draft.box)) or reach
    return found


def _gap(one: Box, other: Box) -> float:
    """Return how far two boxes are apart to the left or right, in CSS px."""
    return max(one.x - other.right, other.x - one.right, 0.0)


def _goes_on(box: Box, text: Box) -> bool:
    """Tell whether *box* is in the row of a text, a word's distance or less away from it."""
    row = min(box.bottom, text.bottom) - max(box.y, text.y)
    return row >= INSIDE * box.h and _gap(box, text) <= text.h


def _along_x(draft: Draft) -> bool:
    """Tell whether a draft is about a width, or a place to the left or right."""
    return draft.property in _ALONG or " left" in draft.says or " right" in draft.says


def kept_findings(
    kept: Iterable[tuple[Draft, Region]], nodes: Sequence[JudgedNode], *, label: str
) -> tuple[Finding, ...]:
    """Return findings that do not gate, each with the level and the region that let it pass."""
    found = []
    for draft, region in kept:
        (finding,), _ = finish([draft], nodes, label=label)
        found.append(
            replace(
                finding,
                gating=False,
                share=0.0,
                matching={"level": str(region.level), "region": region.words},
            )
        )
    return tuple(found)
