"""Where things stand: one cause for everything that one cause has moved.

Every node has an offset of its leading and trailing edge against the design. Along an axis, the
steps between one edge and the next are what somebody changed: the step from a container's edge to
its first child is padding, from child to child a gap, across a child its size. Everything that
merely follows has no step of its own, and what a change of size pushes about is its consequence.
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_pixelloop.core import layout_drafts as drafts
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.layout_alignment import turned_to
from pytest_pixelloop.core.layout_rows import (
    LEAST,
    Row,
    RowJudge,
    between,
    clicked,
    rooms,
    roomy,
    steps_of,
)
from pytest_pixelloop.core.node_style import told_sizing
from pytest_pixelloop.core.placings import SAME, Places, Span, Track, high, low

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.judged_nodes import JudgedNode


_PART = 0.95
"""Share of its container up to which a node may be a part of it, as a bar is of a chart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Container:
    """A node whose children lie over each other along an axis, with those of them that changed.

    ``shared``: it is one track of several, and what its members have in common is judged already.
    """

    node: JudgedNode
    axis: int
    track: Track
    frame: Span
    seen: bool
    flagged: frozenset[int]
    shared: bool = False


@dataclass(slots=True, kw_only=True)
class LayoutJudge:
    """Looks for the steps; ``touched`` are nodes whose own finding explains a change of size.

    What has gone nowhere inside is not looked through.
    """

    places: Places
    touched: frozenset[int]
    limit: float
    found: list[Draft] = field(default_factory=list)
    _spans: dict[tuple[int, int], Span] = field(default_factory=dict)
    _holding: set[int] = field(default_factory=set)
    _still: list[tuple[int, int, Span]] = field(default_factory=list)

    def judge(self) -> list[Draft]:
        """Return the layout findings of the whole tree: the innermost cause of each change."""
        for touched in self.touched:
            here: int | None = touched
            while here is not None and here not in self._holding:
                self._holding.add(here)
                here = self._nodes[here].parent
        for axis in (0, 1):
            for node in self._nodes:
                if node.parent is None:
                    span = self.places.own(node.at, axis) or (0.0, 0.0)
                    self._visit(node.at, axis, span)
        return self.found

    def spans(self) -> Mapping[tuple[int, int], Span]:
        """Return the offsets of every node, by its place and axis, once all has been judged."""
        while self._still:
            at, axis, span = self._still.pop()
            self._spans[at, axis] = span
            tracks = self.places.tracks(at, axis, near=span[0])
            self._still += [(child, axis, inner) for child, inner, *_ in _inside(tracks, span)]
        return self._spans

    @property
    def _nodes(self) -> Sequence[JudgedNode]:
        return self.places.nodes

    def _visit(
        self, at: int, axis: int, span: Span, *, spread: bool = False, pushed: bool = False
    ) -> bool:
        """Judge what is inside a node; return whether something there explains its size.

        *spread* tells that its content takes the room there is, *pushed* that what follows it has
        gone as far as its trailing edge.
        """
        self._spans[at, axis] = span
        if not self._nodes[at].children:
            return at in self.touched
        first, last = self.places.reach[axis][at]
        if at not in self._holding and self._least(max(last, *span) - min(first, *span)):
            self._still.append((at, axis, span))
            return False
        tracks = self.places.tracks(at, axis, near=span[0])
        flagged: set[int] = set()
        for child, inner, track, after in _inside(tracks, span):
            follows = after.span if after else None
            went = pushed if follows is None else abs(follows[0] - inner[1]) <= SAME
            if self._visit(child, axis, inner, spread=child in track.stretched, pushed=went):
                flagged.add(child)
        found: list[Draft] = []
        if any(t.spans for t in tracks) and not self._calm(tracks, span):
            changed = frozenset(flagged)
            if len(tracks) == 1:
                found = self._column(at, axis, tracks[0], span, changed)
            else:
                found = self._row(at, axis, tracks, span, changed, spread=spread, pushed=pushed)
        self._keep(at, axis, found)
        return at in self.touched or bool(flagged) or bool(found)

    def _least(self, apart: float) -> bool:
        """Tell whether what lies so far apart at most cannot hold a step that counts."""
        return apart < min(LEAST, self.limit / 2)

    def _calm(self, tracks: Sequence[Track], frame: Span) -> bool:
        """Tell whether nothing has gone so far from anything else that any step could count."""
        gone = [*frame, *(t.end for t in tracks if t.span is not None)]
        for track in tracks:
            for span in (*track.spans.values(), track.span or frame):
                gone += span
        return self._least(max(gone) - min(gone))

    def _row(
        self,
        at: int,
        axis: int,
        tracks: list[Track],
        frame: Span,
        changed: frozenset[int],
        *,
        spread: bool,
        pushed: bool,
    ) -> list[Draft]:
        node = self._nodes[at]
        placed = [t for t in tracks if t.span is not None]
        row = Row(
            node=node,
            axis=axis,
            tracks=placed,
            frame=frame,
            seen=self.places.own(at, axis) is not None,
            free=[any(m in changed for m in t.members) for t in placed],
            vague=[
                any(m in changed and self._vague(m, t, axis) for m in t.members) for t in placed
            ],
            own=[any(m in self.touched for m in t.members) for t in placed],
            freed=between(tracks, self.touched | changed),
            steps=steps_of(placed, frame),
            spread=spread or roomy(node, axis, placed, self._nodes),
            pushed=pushed,
        )
        found = RowJudge(nodes=self._nodes, limit=self.limit).judge(row)
        for track in placed:
            if len(track.members) > 1 and track.span is not None:
                inside = _Container(
                    node=node,
                    axis=axis,
                    track=track,
                    frame=track.span,
                    seen=row.seen,
                    flagged=changed,
                    shared=True,
                )
                found += [d for m in self._misfits(inside) for d in self._one(inside, m)]
        return found

    def _vague(self, at: int, track: Track, axis: int) -> bool:
        """Tell whether the edges of a changed node were not seen, or have changed with it."""
        if self.places.own(at, axis) is None or self._nodes[at].kind not in (Kind.BOX, Kind.PHOTO):
            return True
        return at in self.touched or self._sized(track, at)

    def _keep(self, at: int, axis: int, found: Sequence[Draft]) -> None:
        """Keep causes; each weighs by how much it has displaced in its container or beside."""
        if not found:
            return
        parent = self._nodes[at].parent
        moved = self._displaced(at, axis)
        if not moved and parent is not None:
            moved = self._displaced(parent, axis)
        self.found += [dataclasses.replace(draft, reach=moved) for draft in found]

    def _displaced(self, at: int, axis: int) -> int:
        """Return how many leaves have left their places in a node, wherever it has gone itself."""
        base = self._spans[at, axis][0]
        spans = (self.places.own(leaf, axis) for leaf in self._leaves(at))
        return sum(span is not None and abs(span[0] - base) > self.limit for span in spans)

    def _leaves(self, at: int) -> Iterator[int]:
        stack = [at]
        while stack:
            here = stack.pop()
            if not self._nodes[here].children:
                yield here
            stack.extend(self._nodes[here].children)

    # Across a column

    def _column(
        self, at: int, axis: int, track: Track, span: Span, changed: frozenset[int]
    ) -> list[Draft]:
        """Judge children that lie over each other along the axis against the container's edges."""
        seen = self.places.own(at, axis) is not None
        column = _Container(
            node=self._nodes[at],
            axis=axis,
            track=track,
            frame=span if seen else track.span or span,
            seen=seen,
            flagged=changed,
        )
        led = self._led(column)
        if led:
            return led
        off = self._misfits(column)
        turned = turned_to(column.node, axis, track, off, self._nodes, limit=self.limit)
        if turned is not None:
            return [turned]
        wide = self._narrowed(column)
        if wide is not None and seen:
            return self._paddings(column, wide)
        together = [m for m in off if self._shares(track, m)]
        found: list[Draft] = []
        if seen and len(together) > max(1, len(track.spans) / 2):
            found = self._content(column, sized=any(self._sized(track, m) for m in off))
            off = [m for m in off if m not in together]
        return found + [d for m in off for d in self._one(column, m)]

    def _narrowed(self, column: _Container) -> Span | None:
        """Return where the children that take the whole width went, if all of them alike."""
        axis, spans = column.axis, column.track.spans
        edged = [m for m in spans if self._nodes[m].kind in (Kind.BOX, Kind.PHOTO)]
        if not edged:
            return None
        first = min(low(self._nodes[m], axis) for m in edged)
        last = max(high(self._nodes[m], axis) for m in edged)
        wide = [
            spans[m]
            for m in edged
            if m not in column.flagged
            and low(self._nodes[m], axis) <= first + 1.0
            and high(self._nodes[m], axis) >= last - 1.0
        ]
        grown = column.frame[1] - column.frame[0]
        if len(wide) < 2 or abs(wide[0][1] - wide[0][0] - grown) <= self.limit:
            return None
        alike = all(abs(a - b) <= SAME for s in wide for a, b in zip(s, wide[0], strict=True))
        return wide[0] if alike else None

    def _led(self, column: _Container) -> list[Draft]:
        """Return the paddings of a container that has grown with them, as the design words it."""
        frame, span = column.frame, column.track.span
        if not column.seen or span is None or abs(frame[1] - frame[0]) <= self.limit:
            return []
        members = [m for m in column.track.spans if m not in column.flagged]
        if not members or any(self._sized(column.track, m) for m in members):
            return []
        starts = drafts.alignment(column.node, column.axis) in {"MIN", "BASELINE"}
        lead = span[0] - frame[0]
        around = rooms(column.node, column.axis, (column.track,), self._nodes)
        if drafts.attached(around, lead, grown=frame[1] - frame[0]):
            return []
        if (
            starts
            and abs(lead) > self.limit
            and all(self._shares(column.track, m) for m in members)
        ):
            return [drafts.padding(column.node, column.axis, 0, lead, around[0], limit=self.limit)]
        if starts and told_sizing(column.node.node, column.axis) == "HUG" and not column.flagged:
            return self._paddings(column, span)
        return []

    def _sized(self, track: Track, member: int) -> bool:
        return abs(track.spans[member][1] - track.spans[member][0]) > self.limit

    def _shares(self, track: Track, member: int) -> bool:
        span, shared = track.spans[member], track.span or (0.0, 0.0)
        return abs(span[0] - shared[0]) <= SAME and abs(span[1] - shared[1]) <= SAME

    def _content(self, column: _Container, *, sized: bool) -> list[Draft]:
        """Judge content that has moved or grown as a whole: padding, or alignment."""
        span = column.track.span or column.frame
        if sized:
            return self._paddings(column, span)
        room = rooms(column.node, column.axis, (column.track,), self._nodes)
        lead = span[0] - column.frame[0]
        grown = column.frame[1] - column.frame[0]
        return [drafts.content(column.node, column.axis, lead, room, grown=grown, limit=self.limit)]

    def _paddings(self, column: _Container, span: Span) -> list[Draft]:
        room = rooms(column.node, column.axis, (column.track,), self._nodes)
        steps = span[0] - column.frame[0], column.frame[1] - span[1]
        return [
            drafts.padding(column.node, column.axis, end, step, room[end], limit=self.limit)
            for end, step in enumerate(steps)
            if abs(step) > self.limit
        ]

    def _one(self, column: _Container, member: int) -> list[Draft]:
        """Judge one child that does not go with its container."""
        first, last = column.track.spans[member]
        change, step = last - first, first - column.frame[0]
        node, alone = self._nodes[member], len(column.track.members) == len(column.node.children)
        if node.kind is Kind.GROUP and column.seen and alone and abs(change) > self.limit:
            return self._paddings(column, (first, last))  # nobody sees a group's own edges
        shown = clicked(member, self._nodes)
        moved = abs(step) > self.limit
        grown = abs(change - column.frame[1] + column.frame[0]) > self.limit or not moved
        if abs(change) > self.limit and grown:
            return [drafts.size(shown, column.axis, change, limit=self.limit)]
        return [drafts.position(shown, column.axis, step, limit=self.limit)] if moved else []

    def _misfits(self, column: _Container) -> list[int]:
        """Return the members that neither stay, nor follow the middle or the end, nor stretch."""
        grown = column.frame[1] - column.frame[0]
        off = []
        for member, (first, last) in column.track.spans.items():
            if member in column.flagged:
                continue
            size, step = last - first, first - column.frame[0]
            if abs(size) > self.limit:
                stretch = abs(size - grown) <= SAME + 0.05 * abs(grown)
                stretch = stretch and not self._firm(column, member)
                share = self._share(column, member)
                said = told_sizing(self._nodes[member].node, column.axis)
                loose = said in {None, "FILL"} and share < _PART
                part = loose and abs(size - grown * share) <= SAME
                fits = (stretch and abs(step) <= self.limit) or part
            else:
                ways = [0.0] if abs(grown) <= self.limit else [0.0, grown / 2, grown]
                fits = any(abs(step - w) <= (self.limit if w == 0 else SAME) for w in ways)
            if not fits:
                off.append(member)
        return off

    def _firm(self, column: _Container, member: int) -> bool:
        """Tell whether a node has a size of its own: the container is then as large as it is.

        Without a word in the design: others that are as large in the design have kept their size.
        """
        axis = column.axis
        node, said = self._nodes[member], told_sizing(self._nodes[member].node, axis)
        if column.shared:
            return False
        if said is not None:
            return said != "FILL"
        return any(
            self._nodes[m].kind in (Kind.BOX, Kind.PHOTO)
            and not self._sized(column.track, m)
            and high(self._nodes[m], axis) - low(self._nodes[m], axis)
            >= high(node, axis) - low(node, axis) - 1.0
            for m in column.track.spans
        )

    def _share(self, column: _Container, member: int) -> float:
        """Return how much of its container a node takes up along the axis."""
        child, node, axis = self._nodes[member], column.node, column.axis
        whole = high(node, axis) - low(node, axis)
        return (high(child, axis) - low(child, axis)) / whole if whole > 0 else 1.0


def _inside(tracks: Sequence[Track], span: Span) -> Iterator[tuple[int, Span, Track, Track | None]]:
    """Yield what lies in tracks: each node, its offsets, its track and the one after that."""
    for track, after in itertools.zip_longest(tracks, tracks[1:]):
        for child in track.members:
            yield child, track.spans.get(child, track.span or span), track, after
