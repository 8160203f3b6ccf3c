"""What has changed along a row: paddings, gaps, sizes and places, one step after the other."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core import layout_drafts as drafts
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.node_style import told_sizing
from pytest_pixelloop.core.placings import SAME, Span, Track, high, low

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.judged_nodes import JudgedNode

LEAST = 0.75
"""CSS px of a step that is one: what lies below is a pixel's rounding."""
_SURE = 1.25
"""CSS px of each of several equal steps that are one cause although each is within the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The tracks of a container that could be placed, and the steps before, between, after them.

    ``frame`` is how far the container's own edges have gone, ``seen`` whether it has edges to see.
    ``free`` are tracks in which a change was found that explains their size, ``vague`` those of
    them whose edges were not seen where they should be, ``own`` those that were changed themselves,
    ``freed`` the same as free for what lies between two tracks and could not be placed. ``spread``:
    the content takes the room that there is. ``pushed``: what follows the container has gone as far
    as its trailing edge.
    """

    node: JudgedNode
    axis: int
    tracks: Sequence[Track]
    frame: Span
    seen: bool
    free: Sequence[bool]
    vague: Sequence[bool]
    own: Sequence[bool]
    freed: Sequence[bool]
    steps: list[float]
    spread: bool
    pushed: bool

    @property
    def grown(self) -> float:
        """By how much the container itself is larger."""
        return self.frame[1] - self.frame[0]

    @property
    def gaps(self) -> list[float]:
        """The steps between one track and the next."""
        return self.steps[1:-1]

    @property
    def excused(self) -> bool:
        """Whether something inside explains that other things in the row have moved."""
        return any(self.vague) or any(self.freed)


def clicked(at: int, nodes: Sequence[JudgedNode]) -> JudgedNode:
    """Return what a person would click: of wrappers around a single node, that node."""
    node = nodes[at]
    while node.kind is Kind.GROUP and len(node.children) == 1:
        node = nodes[node.children[0]]
    return node


def rooms(
    node: JudgedNode, axis: int, tracks: Sequence[Track], nodes: Sequence[JudgedNode]
) -> tuple[float, float]:
    """Return the design's room before and after a container's content along an axis."""
    inside = [nodes[m] for t in tracks for m in t.members]
    before = min(low(n, axis) for n in inside) - low(node, axis)
    return before, high(node, axis) - max(high(n, axis) for n in inside)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowJudge:
    """Tells the causes from the steps of one row."""

    nodes: Sequence[JudgedNode]
    limit: float

    def judge(self, row: Row) -> list[Draft]:
        """Return what has changed in the row."""
        found = self._singles(row)
        grown = [
            k for k, t in enumerate(row.tracks) if abs(t.size) > self.limit and not row.free[k]
        ]
        if grown:
            return found + self._sizes(row, grown)
        return found + (self._beside_changes(row) if row.excused else self._steps(row))

    def _singles(self, row: Row) -> list[Draft]:
        """Take out of the steps what one track alone has done: gone its way, or grown in place."""
        found = []
        for k, track in enumerate(row.tracks):
            if row.free[k] or abs(track.size) > self.limit or len(row.tracks) < 2:
                continue
            before, after = row.steps[k], row.steps[k + 1]
            member = clicked(track.members[0], self.nodes)
            if abs(before) > self.limit and abs(before + after) <= SAME and len(track.spans) == 1:
                found.append(drafts.position(member, row.axis, before, limit=self.limit))
            elif self._in_place(row, before, after):
                line = member.kind is Kind.TEXT and row.axis == 1
                found.append(
                    drafts.line_height(member, before + after, limit=self.limit)
                    if line
                    else drafts.size(member, row.axis, before + after, limit=self.limit)
                )
            else:
                continue
            row.steps[k] = row.steps[k + 1] = 0.0
        return found

    def _in_place(self, row: Row, before: float, after: float) -> bool:
        """Tell whether a track takes more or less room, as much before as after its content."""
        both = min(abs(before), abs(after)) >= LEAST and before * after > 0
        if not both or abs(before - after) > 2 * SAME or abs(before + after) <= self.limit:
            return False
        return len(row.tracks) <= 2 or not self._even(row.gaps)  # else it is the gap that changed

    def _even(self, gaps: Sequence[float]) -> bool:
        return bool(gaps) and max(gaps) - min(gaps) <= SAME and min(map(abs, gaps)) >= _SURE

    def _sizes(self, row: Row, grown: list[int]) -> list[Draft]:
        sizes = [row.tracks[k].size for k in grown]
        apart = max(sizes) - min(sizes)
        if len(grown) == len(row.tracks) and max(sizes) * min(sizes) > 0:  # all of them, one way
            if apart <= SAME + 0.1 * max(abs(s) for s in sizes):
                return self._all_alike(row, sizes[0])
            if abs(row.grown) > self.limit:
                return []  # they follow the container, which is judged where it stands itself
        inner = [
            k
            for k, t in enumerate(row.tracks)
            if row.free[k] and abs(t.size) > self.limit and t.size * sizes[0] < 0
        ]
        if inner and apart <= SAME:
            grown = inner  # the others, all alike, leave it the room that it takes
        firm = [k for k in grown if not self._fills(row, k)]
        if not firm:
            if row.excused:
                return []  # they take the room that what has changed leaves
            changed = [i for i, g in enumerate(row.gaps) if abs(g) > self.limit]
            total = sum(row.gaps[i] for i in changed)
            if changed and total * sum(sizes) < 0 and abs(row.grown) <= self.limit:
                return [self._gap(row, changed[0])]
        return [
            drafts.size(member, row.axis, row.tracks[k].size, limit=self.limit)
            for k in firm or grown
            for member in self._drivers(row.tracks[k], row.axis)
        ]

    def _all_alike(self, row: Row, change: float) -> list[Draft]:
        """Judge tracks that all have grown by as much: the room between or around them changed."""
        if self._even(row.gaps) and row.gaps[0] * change < 0:
            return [self._gap(row, 0)]
        if not row.seen or abs(row.grown) > self.limit:
            return []  # they follow the container
        return self._around(row)

    def _fills(self, row: Row, k: int) -> bool:
        return any(drafts.grows(self.nodes[m], row.axis) for m in row.tracks[k].members)

    def _beside_changes(self, row: Row) -> list[Draft]:
        """Judge the steps that no changed track explains: those it does not lie beside.

        Where children follow each other from the start, a change inside of one moves only what
        comes after it: the step before it is one of its own.
        """
        starts = drafts.flow(row.node) == row.axis and not row.spread
        filled = any(self._fills(row, k) for k in range(len(row.tracks)))
        starts = starts and (filled or drafts.alignment(row.node, row.axis) == "MIN")
        loose = []
        for i, gap in enumerate(row.gaps):
            before, after = row.vague[i] or row.freed[i], row.vague[i + 1]
            inside = starts and not row.own[i + 1]
            if abs(gap) > self.limit and not before and (not after or inside):
                loose.append(i)
        firm = starts and any(row.vague[i + 1] for i in loose)
        shared = len(row.gaps) > 1 and self._even(row.gaps)
        if (len(loose) > 1 or firm) and not shared:
            return self._gap_or_positions(row, loose)
        return []  # a single one takes what a change leaves

    def _steps(self, row: Row) -> list[Draft]:
        apart = sum(row.gaps)
        if row.spread and abs(apart - row.grown) <= SAME and abs(row.grown) >= LEAST:
            return []  # it takes the room that there is
        lead = row.steps[0]
        if row.spread and row.seen and abs(row.grown) <= self.limit and abs(lead) > self.limit:
            return self._around(row)
        changed = [i for i, gap in enumerate(row.gaps) if abs(gap) > self.limit]
        found = self._gap_or_positions(row, changed) if changed else []
        if row.seen and abs(lead) > self.limit:
            if not self._follows(row, lead):
                room = rooms(row.node, row.axis, row.tracks, self.nodes)
                found.append(
                    drafts.content(
                        row.node, row.axis, lead, room, grown=row.grown, limit=self.limit
                    )
                )
        elif not changed and abs(apart) > self.limit and self._even(row.gaps):
            widest = max(range(len(row.gaps)), key=lambda i: abs(row.gaps[i]))
            found.append(self._gap(row, widest))
        return found or self._trailing(row)

    def _around(self, row: Row) -> list[Draft]:
        """Return the paddings of content that takes the room there is: gaps make up for them."""
        room = rooms(row.node, row.axis, row.tracks, self.nodes)
        return [
            drafts.padding(row.node, row.axis, end, step, room[end], limit=self.limit)
            for end, step in ((0, row.steps[0]), (1, row.steps[-1]))
            if abs(step) > self.limit
        ]

    def _trailing(self, row: Row) -> list[Draft]:
        """Return that a container which is as large as its content has other room after it."""
        step = row.steps[-1]
        if abs(row.steps[0]) > self.limit:
            return []
        if told_sizing(row.node.node, row.axis) != "HUG" or not row.seen or abs(step) <= self.limit:
            return []
        room = rooms(row.node, row.axis, row.tracks, self.nodes)
        return [drafts.padding(row.node, row.axis, 1, step, room[1], limit=self.limit)]

    def _follows(self, row: Row, step: float) -> bool:
        """Tell whether content went with the middle or the end of a container that has grown."""
        if abs(row.grown) <= self.limit:
            return False
        room = rooms(row.node, row.axis, row.tracks, self.nodes)
        if drafts.attached(room, step, grown=row.grown):
            return True
        if drafts.alignment(row.node, row.axis) in {"MIN", "BASELINE"}:
            return False
        return min(abs(step - row.grown / 2), abs(step - row.grown)) <= SAME

    def _gap_or_positions(self, row: Row, changed: list[int]) -> list[Draft]:
        gaps = row.gaps
        one_way = len({gaps[i] > 0 for i in changed}) == 1
        hugged = abs(row.grown - gaps[0]) <= SAME and (row.seen or row.pushed)
        pushed = len(gaps) == 1 and hugged
        if one_way and (len(changed) >= max(2, len(gaps) - 1) or pushed):
            return [self._gap(row, changed[len(changed) // 2])]
        return [
            self._gap(row, i)
            if len(row.tracks[i + 1].members) > 1
            else drafts.position(
                clicked(row.tracks[i + 1].members[0], self.nodes),
                row.axis,
                gaps[i],
                limit=self.limit,
            )
            for i in changed
        ]

    def _gap(self, row: Row, i: int) -> Draft:
        first = max(row.tracks[i].members, key=lambda m: high(self.nodes[m], row.axis))
        second = min(row.tracks[i + 1].members, key=lambda m: low(self.nodes[m], row.axis))
        pair = self.nodes[first], self.nodes[second]
        return drafts.gap(row.node, pair, row.axis, row.gaps[i], limit=self.limit)

    def _drivers(self, track: Track, axis: int) -> list[JudgedNode]:
        """Return the members that may give a track its size: those with the least room inside."""
        room: dict[int, float] = {}
        for at in track.spans:
            node = self.nodes[at]
            inside = [high(self.nodes[c], axis) for c in node.children]
            room[at] = high(node, axis) - max(inside) if inside else 0.0
        least = min(room.values())
        return [clicked(at, self.nodes) for at, r in room.items() if r <= least + 1.0]


def steps_of(tracks: Sequence[Track], frame: Span) -> list[float]:
    """Return the steps from a container's edge to the first track, from each to the next, out."""
    spans = [t.span or frame for t in tracks]
    between = [b[0] - a.end for a, b in zip(tracks, spans[1:], strict=False)]
    return [spans[0][0] - frame[0], *between, frame[1] - tracks[-1].end]


def roomy(
    node: JudgedNode, axis: int, tracks: Sequence[Track], nodes: Sequence[JudgedNode]
) -> bool:
    """Tell whether the design leaves room between children: more than it asks for."""
    if drafts.flow(node) != axis:
        return False
    if drafts.alignment(node, axis) == "SPACE_BETWEEN":
        return True
    least = float(node.node.properties.get("itemSpacing") or 0.0)
    ends = [max(high(nodes[m], axis) for m in t.members) for t in tracks]
    starts = [min(low(nodes[m], axis) for m in t.members) for t in tracks]
    return any(b - a > least + 1.0 for a, b in zip(ends, starts[1:], strict=False))


def between(tracks: Sequence[Track], changed: frozenset[int]) -> list[bool]:
    """Return for each two placed tracks in turn whether something between them has changed."""
    known = [k for k, t in enumerate(tracks) if t.span is not None]
    return [
        any(m in changed for t in tracks[a + 1 : b] for m in t.members)
        for a, b in itertools.pairwise(known)
    ]
