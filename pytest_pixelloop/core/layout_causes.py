"""Where things stand: one cause for everything that one cause has moved.

Every node has an offset of its leading and trailing edge against the design. Along an axis, the
steps between one edge and the next are what somebody changed: the step from a container's edge to
its first child is padding, from child to child a gap, across a child its size. Everything that
merely follows has no step of its own.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.judged_nodes import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.judged_nodes import JudgedNode

_SAME = 1.25
"""CSS px by which two steps may differ and still be the same change."""
_LEAST = 0.75
"""CSS px of a step that is one: what lies below is a pixel's rounding."""
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
    """Return the placings; a node that paints nothing has those of its outermost children."""
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
    """Looks for the steps; ``touched`` are nodes whose own finding explains a change of size.

    ``measured`` holds what was seen of the nodes' own edges, not what their children tell.
    """

    nodes: Sequence[JudgedNode]
    placings: Mapping[int, Placing]
    measured: Mapping[int, Placing]
    touched: frozenset[int]
    limit: float

    def judge(self) -> list[Draft]:
        """Return the layout findings of the whole tree: the innermost cause of each change."""
        drafts: list[Draft] = []
        caused: tuple[set[int], set[int]] = (set(), set())  # by axis: something inside explains it
        for at in self.touched:
            for axis in (0, 1):
                self._mark(at, caused[axis])
        for node in reversed(self.nodes):
            if not node.children:
                continue
            for axis in (0, 1):
                found = self._container(node, axis, caused[axis])
                for draft in found:
                    if draft.at is not None:
                        self._mark(draft.at, caused[axis])
                drafts += found
        return drafts

    def _mark(self, at: int, caused: set[int]) -> None:
        here: int | None = at
        while here is not None and here not in caused:
            caused.add(here)
            here = self.nodes[here].parent

    def _container(self, node: JudgedNode, axis: int, caused: set[int]) -> list[Draft]:
        own = self.measured.get(node.at)
        own_span = own.along(axis) if own else None
        items = [
            (self.nodes[c], span)
            for c in node.children
            if (p := self.placings.get(c)) is not None and (span := p.along(axis)) is not None
        ]
        if not items:
            return []
        items.sort(key=lambda item: (_low(item[0], axis), item[0].at))
        base = own_span[0] if own_span else self._inherited(node, axis)
        grows = own_span[1] - own_span[0] if own_span else 0.0
        if all(abs(s[0] - base) <= self.limit and abs(s[1] - base) <= self.limit for _, s in items):
            return []
        if node.at in self.touched or any(c in caused for c in node.children):
            return []  # what a child's own change pushes about is no finding of its own
        if abs(grows) > self.limit and self._follow(items, base, grows):
            return []  # content that keeps to the start, the middle or the end of what has grown
        if self._is_row(items, axis):
            return self._along(node, axis, items, base, grows)
        return self._across(node, axis, items, base, grows)

    def _follow(self, items: Sequence[tuple[JudgedNode, Span]], base: float, grows: float) -> bool:
        """Tell whether every child stays, follows by half or in full, or stretches along."""
        sized = [s for _, s in items if abs(s[1] - s[0]) > self.limit]
        if sized and len(sized) < len(items):
            return False
        for _, (low, high) in items:
            for edge in (low - base, high - base):
                if min(abs(edge), abs(edge - grows / 2), abs(edge - grows)) > _SAME:
                    return False
        return True

    def _inherited(self, node: JudgedNode, axis: int) -> float:
        """Return the offset of the nearest ancestor whose edges were seen."""
        parent = node.parent
        while parent is not None:
            placing = self.measured.get(parent)
            span = placing.along(axis) if placing else None
            if span is not None:
                return self._carried(node, axis, span)
            parent = self.nodes[parent].parent
        return 0.0

    def _carried(self, node: JudgedNode, axis: int, span: Span) -> float:
        """Return the base of a node without edges: where its own content as a whole has gone."""
        own = self.placings.get(node.at)
        content = own.along(axis) if own else None
        if content is None:
            return span[0]
        return content[0] if len(node.children) > 1 else span[0]

    def _is_row(self, items: Sequence[tuple[JudgedNode, Span]], axis: int) -> bool:
        return len(items) > 1 and all(
            _low(b, axis) >= _high(a, axis) - 1.0 for (a, _), (b, _) in itertools.pairwise(items)
        )

    def _along(
        self,
        node: JudgedNode,
        axis: int,
        items: Sequence[tuple[JudgedNode, Span]],
        base: float,
        grows: float,
    ) -> list[Draft]:
        sizes = [s[1] - s[0] for _, s in items]
        big = [i for i, s in enumerate(sizes) if abs(s) > self.limit]
        if big and not self._all_alike(sizes, grows):
            return [self._size(items[i][0], axis, sizes[i]) for i in big]
        steps = [items[0][1][0] - base]
        steps += [b[1][0] - a[1][1] for a, b in itertools.pairwise(items)]
        around = self._around(items, steps, axis)
        if around:
            return [around]
        gaps = steps[1:]
        changed = [i for i, g in enumerate(gaps) if abs(g) > self.limit]
        if changed:
            alike = len({g > 0 for g in (gaps[i] for i in changed)}) == 1
            pushed = len(gaps) == 1 and not (node.at in self.measured and abs(grows) <= _SAME)
            if alike and (len(changed) >= max(2, len(gaps) - 1) or pushed):
                return [self._draft(node, "gap", gaps[changed[len(changed) // 2]], axis)]
            i = changed[0]
            return [self._draft(items[i + 1][0], "position", gaps[i], axis)]
        if abs(steps[0]) > self.limit:
            return [self._content(node, items, steps[0], axis)]
        worst = max(items, key=lambda item: abs(item[1][0] - base))
        return [self._draft(node, "gap", worst[1][0] - base, axis)]

    def _around(
        self, items: Sequence[tuple[JudgedNode, Span]], steps: Sequence[float], axis: int
    ) -> Draft | None:
        """Return the one item that grew about its middle: the same step before it and after it."""
        for (item, _), before, after in zip(items, steps, steps[1:], strict=False):
            grown_by = before + after
            both = before * after > 0 and min(abs(before), abs(after)) >= _LEAST
            if both and abs(before - after) <= 2 * _SAME and abs(grown_by) > self.limit:
                if item.kind is Kind.TEXT and axis == 1:
                    return self._line_height(item, grown_by)
                return self._size(item, axis, grown_by)
        return None

    def _all_alike(self, sizes: Sequence[float], grows: float) -> bool:
        """Tell whether all sizes follow the container's own."""
        return abs(grows) > self.limit and all(s * grows >= 0 for s in sizes)

    def _across(
        self,
        node: JudgedNode,
        axis: int,
        items: Sequence[tuple[JudgedNode, Span]],
        base: float,
        grows: float,
    ) -> list[Draft]:
        off = [(n, s) for n, s in items if max(abs(s[0] - base), abs(s[1] - base)) > self.limit]
        sizes = {n.at: s[1] - s[0] for n, s in off}
        follows = [n for n, _ in off if abs(sizes[n.at] - grows) <= _SAME + 0.05 * abs(grows)]
        if abs(grows) > self.limit and len(follows) == len(off):
            return []  # stretched with the container
        sized = [n for n, _ in off if abs(sizes[n.at]) > self.limit]
        one_way = len({sizes[n.at] > 0 for n in sized}) == 1
        if len(sized) > 1 and len(sized) > len(items) / 2 and one_way:
            change = max((sizes[n.at] for n in sized), key=abs)
            return [self._size(node, axis, change)]
        if sized:
            return [self._size(n, axis, sizes[n.at]) for n in sized]
        if len(off) == len(items) and len(items) > 1:
            return [self._content(node, items, off[0][1][0] - base, axis)]
        return [self._draft(n, "position", s[0] - base, axis) for n, s in off]

    def _content(
        self,
        node: JudgedNode,
        items: Sequence[tuple[JudgedNode, Span]],
        step: float,
        axis: int,
    ) -> Draft:
        """Return all content displaced alike: alignment where it leaves or reaches the middle."""
        before = min(_low(n, axis) for n, _ in items) - _low(node, axis)
        after = _high(node, axis) - max(_high(n, axis) for n, _ in items)
        centred = abs(before - after) <= 2.0
        will_be = abs((before + step) - (after - step)) <= 2.0
        end = abs((after - step) - before) <= 2.0
        far = abs(step) >= 0.5 * min(before, after)
        if (centred and far) or will_be or end:
            return self._draft(node, "alignment", step, axis)
        return self._draft(node, "padding", step, axis)

    def _line_height(self, node: JudgedNode, change: float) -> Draft:
        style = node.node.properties.get("style")
        value = style.get("lineHeightPx") if isinstance(style, dict) else None
        expected = float(value) if isinstance(value, int | float) else node.placed.box.h
        return Draft(
            at=node.at,
            property="line-height",
            strength=abs(change) / max(self.limit, 0.5),
            box=node.placed.box,
            expected=round(expected, 2),
            actual=round(expected + change, 2),
            delta=change,
            unit="px",
            says=f"line-height about {expected + change:g}px, expected {expected:g}px",
            confidence=0.7,
        )

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
            "alignment": f"content {abs(step):g}px too far {way} (alignment)",
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
