"""What of each node can be seen: what lies under an opaque box is not judged.

The picture shows the box there, not the node: a page behind a dialog, a card under another one.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind, paints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.rectangles import Rect

_PLAIN = ("NORMAL", "PASS_THROUGH", None)
CURVE = 0.3
"""Part of a radius by which a rounded corner leaves its box's corner open."""
_COVERED = 0.3
"""Share of a side under other boxes from which it cannot be followed."""
_AT_ONCE = 256
"""Nodes that are held against boxes at once: all of a large design's would fill the memory."""
_SHARED = 1
"""Device px that a box and its neighbour both touch where they meet between two pixels."""
_LINE = 3
"""Device px up to which a box is a line: what crosses it is read with it."""


def visible_nodes(nodes: Sequence[JudgedNode], *, scale: float) -> tuple[JudgedNode, ...]:
    """Return the nodes with what can be seen of each as its ``rect``; what is hidden is empty.

    Of a text or drawing under an opaque box the largest part beside it is kept, and of a text
    across the side of another box its largest part on one backdrop.
    """
    found = list(nodes)
    over = _meetings(nodes)
    if not over:
        return tuple(nodes)
    opaque = [is_opaque(node) for node in nodes]
    for at, others in over.items():
        node = nodes[at]
        rect = node.rect
        for k in others:
            if k > at and opaque[k]:
                rect = _beside(rect, nodes[k], whole=not _is_leaf(node), scale=scale)
        if node.shadow_reach > 0 and _is_nothing(rect):
            continue  # its shadow may show
        if node.kind is Kind.TEXT and not _is_nothing(rect):
            floor = _floor(node, opaque, nodes)
            for k in others:
                if k > floor and not (k > at and opaque[k]) and _fills(nodes[k]):
                    rect = _one_side(rect, nodes[k].rect)
        hidden = _hidden_sides(node, [nodes[k] for k in others if k > at and opaque[k]])
        if rect != node.rect or any(hidden):
            cut = node.rect if rect != node.rect and not _is_nothing(rect) else None
            found[at] = replace(node, rect=rect, whole=cut, hidden=hidden)
    return tuple(found)


def _meetings(nodes: Sequence[JudgedNode]) -> dict[int, list[int]]:
    """Return which painted boxes share pixels with each node that is neither in them nor above."""
    ends = list(range(len(nodes)))
    for node in reversed(nodes):
        if node.parent is not None:
            ends[node.parent] = max(ends[node.parent], ends[node.at])
    boxes = np.array(
        [n.at for n in nodes if n.kind in (Kind.BOX, Kind.PHOTO) and not n.empty], np.int64
    )
    rects, last = np.array([n.rect for n in nodes], np.int64).reshape(-1, 4), np.array(ends)
    over: dict[int, list[int]] = {}
    downwards = rects[:, 1].argsort(kind="stable")
    for start in range(0, len(nodes), _AT_ONCE):
        at = downwards[start : start + _AT_ONCE]
        top, bottom = int(rects[at, 1].min()), int(rects[at, 3].max())
        of = boxes[(rects[boxes, 1] < bottom) & (rects[boxes, 3] > top)]
        for first, second in np.argwhere(_meet(at, of, rects, last)).tolist():
            over.setdefault(int(at[first]), []).append(int(of[second]))
    return over


def _meet(
    at: NDArray[np.int64], of: NDArray[np.int64], rects: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which of some nodes share pixels with which boxes, neither of them in the other."""
    mine, theirs = rects[at][:, None], rects[of][None]
    first, second = at[:, None], of[None]
    apart = ((second < first) | (second > last[at][:, None])) & (
        (first < second) | (first > last[of][None])
    )
    return np.asarray(
        apart
        & (np.maximum(mine[..., 0], theirs[..., 0]) < np.minimum(mine[..., 2], theirs[..., 2]))
        & (np.maximum(mine[..., 1], theirs[..., 1]) < np.minimum(mine[..., 3], theirs[..., 3]))
    )


def is_opaque(node: JudgedNode) -> bool:
    """Tell whether nothing is seen through a box."""
    if node.kind is not Kind.BOX or node.shown < 1 or node.node.rotation:
        return False
    properties = node.node.properties
    if properties.get("blendMode") not in _PLAIN:
        return False
    if any(e.get("type") == "LAYER_BLUR" for e in properties.get("effects") or ()):
        return False
    return any(_is_solid(paint) for paint in paints(node.node, "fills"))


def _is_solid(paint: Any) -> bool:
    if paint.get("opacity", 1.0) < 1 or paint.get("blendMode") not in _PLAIN:
        return False
    if paint.get("type") == "SOLID":
        return float((paint.get("color") or {}).get("a", 1.0)) >= 1
    stops = paint.get("gradientStops") or ()
    return bool(stops) and all(float((s.get("color") or {}).get("a", 1.0)) >= 1 for s in stops)


def _fills(node: JudgedNode) -> bool:
    """Tell whether a box changes what is seen in it: more than a line, and filled."""
    wide, high = node.rect[2] - node.rect[0], node.rect[3] - node.rect[1]
    return min(wide, high) > _LINE and bool(paints(node.node, "fills"))


def _is_leaf(node: JudgedNode) -> bool:
    return node.kind in (Kind.TEXT, Kind.DRAWING) and node.unit == node.at


def _is_nothing(rect: Rect) -> bool:
    return rect[2] <= rect[0] or rect[3] <= rect[1]


def _beside(rect: Rect, cover: JudgedNode, *, whole: bool, scale: float) -> Rect:
    """Return the largest part of a rectangle beside a cover and the shadow that it casts.

    With *whole* all or nothing: the rectangle itself as long as any of it shows.
    """
    open_ = -round(CURVE * cover.radius * scale)  # what its rounded corners leave of it
    if not any(_area(part) for part in _parts(rect, cover.rect, out=open_)):
        return 0, 0, 0, 0
    if whole:
        return rect
    best = max(_parts(rect, cover.rect, out=round(cover.shadow_reach * scale)), key=_area)
    return best if _area(best) else (0, 0, 0, 0)


def _hidden_sides(node: JudgedNode, covers: Sequence[JudgedNode]) -> tuple[bool, bool, bool, bool]:
    """Tell which sides of a box lie under others: left, top, right, bottom."""
    x0, y0, x1, y1 = node.rect
    under = [0, 0, 0, 0]
    for cover in covers:
        left, top, right, bottom = cover.rect
        across, down = min(right, x1) - max(left, x0), min(bottom, y1) - max(top, y0)
        for side, place in ((0, x0), (2, x1)):
            under[side] += down if left + _SHARED < place < right - _SHARED else 0
        for side, place in ((1, y0), (3, y1)):
            under[side] += across if top + _SHARED < place < bottom - _SHARED else 0
    long = (y1 - y0, x1 - x0, y1 - y0, x1 - x0)
    first, second, third, fourth = (
        u > _COVERED * side for u, side in zip(under, long, strict=True)
    )
    return first, second, third, fourth


def _parts(rect: Rect, cover: Rect, *, out: int) -> tuple[Rect, ...]:
    """Return what of a rectangle lies left, right, above and below of a cover grown by *out*."""
    return (
        (rect[0], rect[1], min(rect[2], cover[0] - out), rect[3]),
        (max(rect[0], cover[2] + out), rect[1], rect[2], rect[3]),
        (rect[0], rect[1], rect[2], min(rect[3], cover[1] - out)),
        (rect[0], max(rect[1], cover[3] + out), rect[2], rect[3]),
    )


def _area(rect: Rect) -> int:
    return max(rect[2] - rect[0], 0) * max(rect[3] - rect[1], 0)


def _one_side(rect: Rect, other: Rect) -> Rect:
    """Return the larger part of a text on one side of another box's sides that cross it."""
    if other[1] > rect[1] or other[3] < rect[3]:
        return rect  # it ends within the line
    sides = [x for x in (other[0], other[2]) if rect[0] < x < rect[2]]
    cuts = [rect[0], *sides, rect[2]]
    spans = [(low + (low in sides), high - (high in sides)) for low, high in pairwise(cuts)]
    low, high = max(spans, key=lambda span: span[1] - span[0])
    return low, rect[1], high, rect[3]


def _floor(node: JudgedNode, opaque: Sequence[bool], nodes: Sequence[JudgedNode]) -> int:
    """Return the last opaque box that a node lies on with all of it, -1 for none."""
    x0, y0, x1, y1 = node.rect
    for at in range(node.at - 1, -1, -1):
        left, top, right, bottom = nodes[at].rect
        if opaque[at] and left <= x0 and top <= y0 and right >= x1 and bottom >= y1:
            return at
    return -1
