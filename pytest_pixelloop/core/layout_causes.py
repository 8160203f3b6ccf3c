"""Where things stand: one cause for everything that one cause has moved.

Every node has an offset of its leading and trailing edge against the design. Along an axis, the
steps between one edge and the next are what somebody changed: the step from a container's edge to
its first child is padding, from child to child a gap, across a child its size. Everything that
merely follows has no step of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.draft_finding import Draft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.judged_nodes import JudgedNode

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


def _low(node: JudgedNode, axis: int) -> float:
    return node.placed.box.y if axis else node.placed.box.x


def _high(node: JudgedNode, axis: int) -> float:
    return node.placed.box.bottom if axis else node.placed.box.right


def complete(nodes: Sequence[JudgedNode], measured: Mapping[int, Placing]) -> dict[int, Placing]:
    """Return the placings, those of nodes that paint nothing taken from their outermost children."""
    placings = dict(measured)
    for node in reversed(nodes):
        known = placings.get(node.at)
        spans: list[Span | None] = []
        for axis in (0, 1):
            span = known.along(axis) if known else None
            if span is None:
                span = _from_children(node, nodes, placings, axis)
            spans.append(span)
        if any(s is not None for s in spans):
            placings[node.at] = Placing(x=spans[0], y=spans[1])
    return placings


def _from_children(
    node: JudgedNode,
    nodes: Sequence[JudgedNode],
    placings: Mapping[int, Placing],
    axis: int,
) -> Span | None:
    found = [
        (nodes[c], span)
        for c in node.children
        if (p := placings.get(c)) is not None and (span := p.along(axis)) is not None
    ]
    if not found:
        return None
    first = min(found, key=lambda item: (_low(item[0], axis), item[0].at))
    last = max(found, key=lambda item: (_high(item[0], axis), -item[0].at))
    return first[1][0], last[1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutJudge:
    """Looks for the steps; ``touched`` are nodes whose own finding explains a change of size."""

    nodes: Sequence[JudgedNode]
    placings: Mapping[int, Placing]
    touched: frozenset[int]
    limit: float

    def judge(self) -> list[Draft]:
        """Return the layout findings of the whole tree."""
        drafts: list[Draft] = []
        explained = self._with_ancestors(self.touched)
        for node in self.nodes:
            if not node.children:
                continue
            for axis in (0, 1):
                drafts += self._container(node, axis, explained)
        return drafts

    def _with_ancestors(self, at: frozenset[int]) -> frozenset[int]:
        found = set(at)
        for i in at:
            parent = self.nodes[i].parent
            while parent is not None and parent not in found:
                found.add(parent)
                parent = self.nodes[parent].parent
        return frozenset(found)

    def _container(self, node: JudgedNode, axis: int, explained: frozenset[int]) -> list[Draft]:
        own = self.placings.get(node.at)
        own_span = own.along(axis) if own else None
        base = own_span[0] if own_span else 0.0
        items = [
            (self.nodes[c], span)
            for c in node.children
            if (p := self.placings.get(c)) is not None and (span := p.along(axis)) is not None
        ]
        if not items:
            return []
        items.sort(key=lambda item: (_low(item[0], axis), item[0].at))
        if all(abs(s[0] - base) <= self.limit and abs(s[1] - base) <= self.limit for _, s in items):
            return []
        if any(c in explained for c in node.children):
            return []  # what a child's own change pushes about is no finding of its own
        if self._is_row(items, axis):
            return self._along(node, axis, items, base, own_span)
        return self._across(node, axis, items, base)

    def _is_row(self, items: Sequence[tuple[JudgedNode, Span]], axis: int) -> bool:
        return (
            all(
                _low(b, axis) >= _high(a, axis) - 1.0
                for (a, _), (b, _) in zip(items, items[1:], strict=False)
            )
            and len(items) > 1
        )

    def _along(
        self,
        node: JudgedNode,
        axis: int,
        items: Sequence[tuple[JudgedNode, Span]],
        base: float,
        own: Span | None,
    ) -> list[Draft]:
        lead = items[0][1][0] - base
        gaps = [b[1][0] - a[1][1] for a, b in zip(items, items[1:], strict=False)]
        sizes = [s[1] - s[0] for _, s in items]
        big = [i for i, s in enumerate(sizes) if abs(s) > self.limit]
        drafts = [self._size(items[i][0], axis, sizes[i]) for i in big]
        if drafts:
            return drafts
        changed = [i for i, g in enumerate(gaps) if abs(g) > self.limit]
        if changed:
            if len(changed) >= max(2, len(gaps) - 1) or len(gaps) == 1:
                step = sorted(gaps[i] for i in changed)[len(changed) // 2]
                return [self._draft(node, "gap", step, axis)]
            i = changed[0]
            if len(changed) == 2 and changed[1] == i + 1 and abs(gaps[i] + gaps[i + 1]) < 1.5:
                return [self._draft(items[i + 1][0], "position", gaps[i], axis)]
            return [self._draft(items[i + 1][0], "position", gaps[i], axis)]
        if abs(lead) > self.limit:
            return [self._draft(node, "padding", lead, axis)]
        worst = max(items, key=lambda item: abs(item[1][0] - base))
        if own is not None and abs(worst[1][0] - base) <= self.limit:
            return []
        return [self._draft(node, "gap", worst[1][0] - base, axis)]

    def _across(
        self, node: JudgedNode, axis: int, items: Sequence[tuple[JudgedNode, Span]], base: float
    ) -> list[Draft]:
        off = [(n, s) for n, s in items if max(abs(s[0] - base), abs(s[1] - base)) > self.limit]
        sized = [(n, s) for n, s in off if abs(s[1] - s[0]) > self.limit]
        if sized and len(sized) < len(items):
            return [self._size(n, axis, s[1] - s[0]) for n, s in sized]
        if len(off) == len(items) and len(items) > 1:
            return [self._draft(node, "padding", off[0][1][0] - base or off[0][1][1] - base, axis)]
        drafts = []
        for n, s in off:
            size = s[1] - s[0]
            if abs(size) > self.limit:
                drafts.append(self._size(n, axis, size))
            else:
                drafts.append(self._draft(n, "position", s[0] - base, axis))
        return drafts

    def _size(self, node: JudgedNode, axis: int, change: float) -> Draft:
        name = "height" if axis else "width"
        expected = node.placed.box.h if axis else node.placed.box.w
        return Draft(
            at=node.at,
            property=name,
            strength=abs(change) / max(self.limit, 0.5),
            box=node.placed.box,
            expected=round(expected, 2),
            actual=round(expected + change, 2),
            delta=change,
            unit="px",
            says=f"{name} {expected + change:g}px, expected {expected:g}px",
        )

    def _draft(self, node: JudgedNode, name: str, step: float, axis: int) -> Draft:
        way = ("right" if step > 0 else "left", "down" if step > 0 else "up")[axis]
        more = "more" if step > 0 else "less"
        says = {
            "position": f"{abs(step):g}px too far {way}",
            "padding": f"content {abs(step):g}px too far {way} (padding or alignment)",
            "gap": f"gap {abs(step):g}px {more} than in the design",
        }[name]
        return Draft(
            at=node.at,
            property=name,
            strength=abs(step) / max(self.limit, 0.5),
            box=node.placed.box,
            delta=step,
            unit="px",
            says=says,
        )
