"""Several findings that are one: what is gone as a whole, what shines through."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judged_nodes import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.reading import Reading

LEAST = 3
"""Leaves from which a group whose leaves are all lost is lost itself."""
SLACK = 3.0
"""CSS px by which what was pushed on may begin before what was inserted."""
MOST_GAP = 48.0
"""CSS px by which something may be pushed further than what was inserted is large: the gap."""
LARGE = 24.0
"""CSS px of something inserted from which what follows may no longer be found."""
EVEN = 0.1
"""By how much the contrast of faded things may differ."""
PALE = 0.93
"""Share of its contrast below which something is faded."""
_PALER = frozenset(
    {"color", "background", "border-color", "opacity", "icon", "image", "font-weight", "box-shadow"}
)
_LOOKS = frozenset({"background", "border-width"})
"""What is wrong with a box that is not there."""


def fold(
    drafts: Iterable[Draft], nodes: Sequence[JudgedNode], readings: Mapping[int, Reading]
) -> list[Draft]:
    """Return the findings with those that are one told once; the score stays what it was."""
    lost = frozenset(at for at, r in readings.items() if r.missing or not r.found)
    found = _elsewhere(_shining_through(list(drafts), nodes), nodes, readings)
    found = _inserted(found, nodes, lost)
    return _gone(_faded(found, nodes, readings), nodes, lost)


def _elsewhere(
    drafts: list[Draft], nodes: Sequence[JudgedNode], readings: Mapping[int, Reading]
) -> list[Draft]:
    """Tell that a leaf has moved where it is missing and something of its size came up beside."""
    inner: dict[int, list[int]] = {}
    found = list(drafts)
    extras = [i for i, d in enumerate(drafts) if d.property == "extra" and d.at is not None]
    for i, gone in enumerate(drafts):
        reading = readings.get(gone.at) if gone.at is not None else None
        ink = reading.ink_rect if reading else None
        if gone.property != "missing" or gone.at is None or ink is None:
            continue
        node = nodes[gone.at]
        scale = (node.rect[2] - node.rect[0]) / max(node.placed.box.w, 1.0)
        box = Box(*(v / scale for v in (ink[0], ink[1], ink[2] - ink[0], ink[3] - ink[1])))
        for k in extras:
            other = drafts[k]
            if other.at is None or not _inside(gone.at, other.at, nodes):
                continue
            step = _step(box, other.box)
            if step is not None:
                inner[len(found)] = [i, k]
                found.append(_gone_to(gone, node, *step))
                extras.remove(k)
                break
    return _folded(found, inner)


def _step(box: Box, other: Box) -> tuple[int, float] | None:
    """Return axis and distance by which a box of about the same size lies beside another."""
    if abs(box.w - other.w) > SLACK or abs(box.h - other.h) > SLACK:
        return None
    across, down = other.x - box.x, other.y - box.y
    if min(abs(across), abs(down)) > SLACK:
        return None
    return (0, across) if abs(across) > abs(down) else (1, down)


def _gone_to(gone: Draft, node: JudgedNode, axis: int, step: float) -> Draft:
    way = ("right" if step > 0 else "left", "down" if step > 0 else "up")[axis]
    return dataclasses.replace(
        gone,
        property="position",
        kind="changed",
        box=node.placed.box,
        says=f"{abs(step):.0f}px too far {way}",
        expected=None,
        actual=None,
        delta=step,
        unit="px",
        confidence=0.8,
        charge=0.0,
        symptoms=(),
    )


def _inserted(
    drafts: list[Draft], nodes: Sequence[JudgedNode], lost: frozenset[int]
) -> list[Draft]:
    """Let what was inserted stand for all that it has pushed on: what follows in its container."""
    inner: dict[int, list[int]] = {}
    for i, extra in enumerate(drafts):
        if extra.property != "extra" or extra.at is None:
            continue
        for axis, (begin, extent) in enumerate(
            ((extra.box.x, extra.box.w), (extra.box.y, extra.box.h))
        ):
            for k, d in enumerate(drafts):
                if d.at is None or k == i or not _inside(d.at, extra.at, nodes) or d.at == extra.at:
                    continue
                box = nodes[d.at].placed.box
                after = (box.y if axis else box.x) >= begin - SLACK
                pushed = (
                    d.property == "position"
                    and d.delta is not None
                    and (0 <= d.delta - extent <= MOST_GAP)
                )
                gone = d.at in lost and extent >= LARGE
                if after and _overlaps(extra.box, box, axis) and (pushed or gone):
                    inner.setdefault(i, []).append(k)
    taken: set[int] = set()
    for i, parts in inner.items():
        inner[i] = [k for k in dict.fromkeys(parts) if k not in taken and k not in inner]
        taken.update(inner[i])
    return _folded(drafts, inner)


def _overlaps(first: Box, second: Box, axis: int) -> bool:
    """Tell whether two boxes lie over each other across the axis."""
    if axis:
        return first.x < second.right and second.x < first.right
    return first.y < second.bottom and second.y < first.bottom


def _faded(
    drafts: list[Draft], nodes: Sequence[JudgedNode], readings: Mapping[int, Reading]
) -> list[Draft]:
    """Tell once that a container lets its backdrop through: all in it is paler by as much."""
    paler = {d.at for d in drafts if d.property in _PALER}
    if not paler:
        return drafts
    inner: dict[int, list[int]] = {}
    taken: set[int] = set()
    found = list(drafts)
    for node in nodes:
        leaves = [at for at in _leaves(node.at, nodes) if at in readings]
        ratios = [readings[at].contrast_ratio for at in leaves]
        if node.parent is None or not node.children or len(leaves) < 2:
            continue
        if any(at not in paler for at in leaves) or max(ratios) > PALE:
            continue
        if max(ratios) - min(ratios) > EVEN:
            continue
        parts = [
            i
            for i, d in enumerate(drafts)
            if d.at is not None
            and d.property in _PALER
            and i not in taken
            and _inside(d.at, node.at, nodes)
        ]
        if not parts:
            continue  # told of what holds it already
        taken.update(parts)
        inner[len(found)] = parts
        found.append(_opacity(node, sum(ratios) / len(ratios)))
    return _folded(found, inner)


def _opacity(node: JudgedNode, ratio: float) -> Draft:
    return Draft(
        at=node.at,
        property="opacity",
        strength=(1 - ratio) * 10,
        box=node.placed.box,
        says=f"opacity about {ratio:.2f}, expected 1",
        expected=1.0,
        actual=round(ratio, 2),
        delta=round(ratio - 1, 2),
        unit="ratio",
        confidence=0.8,
        charge=0.0,
    )


def _shining_through(drafts: list[Draft], nodes: Sequence[JudgedNode]) -> list[Draft]:
    """Leave out the colour of what has no fill: one sees the fill of what lies behind it."""
    told = {
        (d.at, d.expected, d.actual): i for i, d in enumerate(drafts) if d.property == "background"
    }
    inner: dict[int, list[int]] = {}
    for (at, expected, actual), i in told.items():
        above, behind = at, None
        while above is not None and not _filled(nodes[above]):
            above = nodes[above].parent
            behind = told.get((above, expected, actual), behind)
        if behind is not None:
            inner.setdefault(behind, []).append(i)
    return _folded(drafts, inner)


def _filled(node: JudgedNode) -> bool:
    return node.color is not None and node.color[3] >= 1.0


def _gone(drafts: list[Draft], nodes: Sequence[JudgedNode], lost: frozenset[int]) -> list[Draft]:
    """Tell once that a group is gone when none of its leaves is found where it should be."""
    bare = {d.at for d in drafts if d.property in _LOOKS}
    lost &= {d.at for d in drafts if d.at is not None}
    if not lost:
        return drafts
    whole: dict[int, list[int]] = {}
    for node in nodes:
        if node.parent is None or not node.children or node.unit != node.at:
            continue
        leaves = _leaves(node.at, nodes)
        least = 1 if node.at in bare else LEAST
        if len(leaves) >= least and all(a in lost for a in leaves):
            whole[node.at] = leaves
    found = list(drafts)
    dropped: set[int] = set()
    for at, leaves in whole.items():
        if _within(nodes[at].parent, whole, nodes):
            continue
        parts = [i for i, d in enumerate(drafts) if d.at is not None and _inside(d.at, at, nodes)]
        dropped.update(parts)
        found.append(_group(nodes[at], [drafts[i] for i in parts], len(leaves)))
    return [d for i, d in enumerate(found) if i not in dropped]


def _group(node: JudgedNode, parts: list[Draft], leaves: int) -> Draft:
    first = max(parts, key=lambda d: (d.weigh(), -(d.at or 0)))
    return dataclasses.replace(
        first,
        at=node.at,
        property="missing",
        kind="missing",
        box=node.placed.box,
        says="not there: " + _counted(leaves),
        expected=leaves,
        actual=0,
        delta=None,
        unit=None,
        charge=0.0,  # what it stands for is what it weighs
        symptoms=tuple(parts),
    )


def _within(at: int | None, whole: Mapping[int, list[int]], nodes: Sequence[JudgedNode]) -> bool:
    while at is not None and at not in whole:
        at = nodes[at].parent
    return at is not None


def _counted(leaves: int) -> str:
    return "its content was not found" if leaves == 1 else f"none of its {leaves} parts was found"


def _inside(at: int, above: int, nodes: Sequence[JudgedNode]) -> bool:
    here: int | None = at
    while here is not None and here != above:
        here = nodes[here].parent
    return here == above


def _leaves(at: int, nodes: Sequence[JudgedNode]) -> list[int]:
    found, stack = [], [at]
    while stack:
        node = nodes[stack.pop()]
        leaf = node.kind in (Kind.TEXT, Kind.DRAWING, Kind.PHOTO) and not node.empty
        if leaf and node.unit == node.at:
            found.append(node.at)
        else:
            stack.extend(node.children)
    return found


def _folded(drafts: list[Draft], inner: Mapping[int, list[int]]) -> list[Draft]:
    """Return the drafts without those that others stand for."""
    if not inner:
        return drafts
    dropped = {i for parts in inner.values() for i in parts}
    found = []
    for i, draft in enumerate(drafts):
        if i in dropped:
            continue
        parts = [drafts[k] for k in inner.get(i, ())]
        whole = (*draft.symptoms, *parts)
        found.append(dataclasses.replace(draft, symptoms=whole) if parts else draft)
    return found
