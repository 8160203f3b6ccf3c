"""Where nodes stand against the design: offsets of their edges, measured or told by what is inside.

Along an axis every node has an offset of its leading and of its trailing edge. What paints has
edges to measure; a group that paints nothing stands where its content stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_pixelloop.core.judged_nodes import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.judged_nodes import JudgedNode

SAME = 1.25
"""CSS px by which two offsets may differ and still come from the same change."""
_ELSEWHERE = 3.0
"""CSS px from which content tells that an unseen edge did not go with the one that was seen."""
_EDGED = (Kind.BOX, Kind.PHOTO)
_FAR = float("inf")
_NOWHERE = (_FAR, -_FAR)
_NONE: frozenset[int] = frozenset()
Span = tuple[float, float]
"""Offset of the leading and of the trailing edge along one axis, in CSS px."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """A node's offsets along x and y; None where nothing of it could be placed."""

    x: Span | None = None
    y: Span | None = None

    def along(self, axis: int) -> Span | None:
        """Return the offsets along axis 0 (x) or 1 (y)."""
        return self.y if axis else self.x


Edges = tuple[float | None, float | None]
"""The same as far as it was seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """Siblings that lie beside each other along an axis: one of a row, all of a column.

    ``members`` are the nodes in it, ``spans`` the offsets of those that could be placed, ``span``
    what most of them share, None where none could be placed. ``end`` is where the track ends:
    further out where a member has outgrown the others. ``stretched`` are groups whose first part
    has moved and whose last has not, as that of most members: it is the group that is narrower or
    wider, not its content that is out of place.
    """

    members: tuple[int, ...]
    spans: Mapping[int, Span]
    span: Span | None
    end: float = 0.0
    stretched: frozenset[int] = frozenset()

    @property
    def size(self) -> float:
        """By how much the track is larger than in the design, 0 where that is not known."""
        return self.span[1] - self.span[0] if self.span else 0.0


def low(node: JudgedNode, axis: int) -> float:
    """Return the leading edge of a node in the design, in CSS px."""
    return node.placed.box.y if axis else node.placed.box.x


def high(node: JudgedNode, axis: int) -> float:
    """Return the trailing edge of a node in the design, in CSS px."""
    return node.placed.box.bottom if axis else node.placed.box.right


def mode(values: Sequence[float], *, near: float) -> float:
    """Return the value that most of *values* share; of equally common ones the nearest to *near*.

    Values within SAME of each other are shared; what is returned is their median.
    """
    ordered = sorted(values)
    if ordered[-1] - ordered[0] <= SAME:
        return _middle(ordered)
    best: list[float] = []
    for start, value in enumerate(ordered):
        group = [v for v in ordered[start:] if v - value <= SAME]
        closer = bool(best) and abs(group[0] - near) < abs(best[0] - near)
        if len(group) > len(best) or (len(group) == len(best) and closer):
            best = group
    return _middle(best)


def _middle(ordered: Sequence[float]) -> float:
    """Return the median of sorted values."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The offsets of all nodes of a screen, from those that were measured.

    What is inside a node must have been measured before the node is asked about: ``divided`` and
    ``known`` keep the answers. ``reach`` is by axis and node the least and the largest offset that
    was seen of it and in it.
    """

    nodes: Sequence[JudgedNode]
    measured: Mapping[int, Placing]
    reach: tuple[list[Span], list[Span]]
    divided: dict[tuple[int, int], list[list[JudgedNode]]] = field(default_factory=dict)
    known: dict[tuple[int, int, float], list[Track]] = field(default_factory=dict)

    def own(self, at: int, axis: int) -> Span | None:
        """Return what was seen of a node's own edges."""
        placing = self.measured.get(at)
        if placing is None:
            return None
        return placing.y if axis else placing.x

    def span(self, at: int, axis: int, *, near: float) -> Span | None:
        """Return a node's offsets: its own, else those of its content.

        *near* is where the node would be had it only followed its surroundings: what decides
        where the content is divided.
        """
        own = self.own(at, axis)
        if own is not None:
            return own
        known = [t for t in self.tracks(at, axis, near=near) if t.span is not None]
        if not known or known[0].span is None:
            return None
        return known[0].span[0], known[-1].end

    def outermost(self, at: int, axis: int, *, near: float) -> Span | None:
        """Return where the first child's leading and the last child's trailing edge went."""
        spans = {
            child: span for t in self.tracks(at, axis, near=near) for child, span in t.spans.items()
        }
        if not spans:
            return None
        first = min(spans, key=lambda c: (low(self.nodes[c], axis), c))
        last = max(spans, key=lambda c: (high(self.nodes[c], axis), -c))
        return spans[first][0], spans[last][1]

    def _divided(self, at: int, axis: int, span: Span, *, near: float) -> bool:
        """Tell whether a group's first part has left the place where another part has stayed."""
        if abs(span[0] - near) <= SAME or self.own(at, axis) is not None:
            return False
        tracks = self.tracks(at, axis, near=near)
        return any(t.span is not None and abs(t.span[0] - near) <= SAME for t in tracks)

    def tracks(self, at: int, axis: int, *, near: float) -> list[Track]:
        """Return the children of a node in the order of an axis, those beside each other as one."""
        if not self.nodes[at].children:
            return []
        tracks = self.known.get((at, axis, near))
        if tracks is None:
            tracks = [self._track(group, axis, near=near) for group in self._groups(at, axis)]
            self.known[at, axis, near] = tracks
        return tracks

    def _groups(self, at: int, axis: int) -> list[list[JudgedNode]]:
        """Return the children of a node in the order of an axis, those beside each other as one."""
        groups = self.divided.get((at, axis))
        if groups is not None:
            return groups
        children = [self.nodes[c] for c in self.nodes[at].children if self._flows(c)]
        ordered = sorted([(low(n, axis), n.at, high(n, axis)) for n in children])
        groups = []
        end = -_FAR
        for begin, child, outer in ordered:
            if groups and begin < end - 1.0:
                groups[-1].append(self.nodes[child])
            else:
                groups.append([self.nodes[child]])
            end = max(end, outer)
        self.divided[at, axis] = groups
        return groups

    def _flows(self, at: int) -> bool:
        node = self.nodes[at]
        return not node.empty and node.node.properties.get("layoutPositioning") != "ABSOLUTE"

    def _track(self, group: Sequence[JudgedNode], axis: int, *, near: float) -> Track:
        spans: dict[int, Span] = {}
        for node in group:
            span = self.span(node.at, axis, near=near)
            if span is not None:
                spans[node.at] = span
        members = tuple([n.at for n in group])
        if not spans:
            return Track(members=members, spans=spans, span=None)
        stretched = self._stretched(spans, axis, near=near)
        if len(spans) == 1:
            ((first, last),) = spans.values()
        else:
            first = mode([s[0] for s in spans.values()], near=near)
            edged = [s for at, s in spans.items() if self._edged(at) or at in stretched]
            last = mode([s[1] for s in edged or spans.values()], near=first)
        return Track(
            members=members,
            spans=spans,
            span=(first, last),
            end=self._end(spans, axis, last=last),
            stretched=stretched,
        )

    def _stretched(self, spans: dict[int, Span], axis: int, *, near: float) -> frozenset[int]:
        """Return which groups are narrower or wider; of others that are divided take the part.

        That is the one which has stayed: it is where the group begins.
        """
        divided = [at for at, s in spans.items() if self._divided(at, axis, s, near=near)]
        if not divided:
            return _NONE
        common = mode([s[0] for s in spans.values()], near=near)
        alike = [at for at, s in spans.items() if abs(s[0] - common) <= SAME]
        stretched: set[int] = set()
        for at in divided:
            if at in alike and len(alike) > max(1, len(spans) / 2):
                stretched.add(at)
            else:
                spans[at] = near, spans[at][1]
        return frozenset(stretched)

    def _edged(self, at: int) -> bool:
        return self.nodes[at].kind in _EDGED

    def _end(self, spans: Mapping[int, Span], axis: int, *, last: float) -> float:
        larger = [at for at, s in spans.items() if s[1] - s[0] > SAME and self._edged(at)]
        if not larger:
            return last
        outer = max(high(self.nodes[at], axis) for at in spans)
        return max([last, *(high(self.nodes[at], axis) + spans[at][1] - outer for at in larger)])


def settled(nodes: Sequence[JudgedNode], seen: Mapping[int, tuple[Edges, Edges]]) -> Places:
    """Return the placings of nodes of which perhaps only one edge was seen along an axis.

    The other edge is where the content tells, else where the one that was seen went.
    """
    found: dict[int, Placing] = {}
    reach = [_NOWHERE] * len(nodes), [_NOWHERE] * len(nodes)
    places = Places(nodes=nodes, measured=found, reach=reach)
    for node in reversed(nodes):  # children come after their parents
        at, edges = node.at, seen.get(node.at)
        if edges is not None:
            x, y = (_settled(places, at, axis, edges[axis]) for axis in (0, 1))
            found[at] = Placing(x=x, y=y)
            for known, own in zip(reach, (x, y), strict=True):
                if own is not None:
                    known[at] = min(known[at][0], *own), max(known[at][1], *own)
        above = node.parent
        if above is not None:
            for known in reach:
                (least, most), (first, last) = known[above], known[at]
                if first < least or last > most:
                    known[above] = min(least, first), max(most, last)
    return places


def _settled(places: Places, at: int, axis: int, edges: Edges) -> Span | None:
    first, last = edges
    known = first if first is not None else last
    if known is None:
        return None
    if first is not None and last is not None:
        return first, last
    inner, (least, most) = None, places.reach[axis][at]
    if max(known - least, most - known) > _ELSEWHERE:
        inner = places.outermost(at, axis, near=known)
    unlike = inner and abs(inner[0 if first is None else 1] - known) > _ELSEWHERE
    begin, end = inner if inner and unlike else (known, known)
    return (first if first is not None else begin, last if last is not None else end)
