"""The fills of painted rectangles, read where nothing is painted over them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_rules import is_rule
from pytest_pixelloop.core.box_shades import is_shaded, judge_shade
from pytest_pixelloop.core.color import color_differs, delta_e, hex_color
from pytest_pixelloop.core.covered import CURVE
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.rectangles import cut, inside, relative, shifted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect
    from pytest_pixelloop.core.tolerance import Tolerance

_SAMPLES = 2000
"""About how many pixels of a box are looked at."""
_LEAST = 0.2
"""Share of the bare area that must show one colour for it to be the fill."""
_COVERING = (Kind.BOX, Kind.PHOTO, Kind.DRAWING)
_FEW = 4
"""Pixels from which there is a bare area."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solid:
    """The nodes that cover what lies below them, in paint order.

    ``places`` are theirs among all nodes, ``rects`` (edge, node) where they lie, ``units`` the tops
    of the drawings they belong to, -1 for none.
    """

    places: Sequence[int]
    rects: NDArray[np.intp]
    units: NDArray[np.intp]

    @classmethod
    def of(cls, nodes: Sequence[JudgedNode]) -> _Solid:
        """Return the solid ones of all *nodes*."""
        some = [n for n in nodes if n.kind in _COVERING and not n.empty]
        return cls(
            places=[n.at for n in some],
            rects=np.array([n.rect for n in some], np.intp).reshape(-1, 4).T,
            units=np.array([n.unit if n.kind is Kind.DRAWING else -1 for n in some], np.intp),
        )

    def bare(self, node: JudgedNode, area: Rect, step: int) -> NDArray[np.bool_]:
        """Return where in every *step*-th pixel of an area a box is what is painted last."""
        x0, y0, x1, y1 = area
        mine = np.ones((len(range(y0, y1, step)), len(range(x0, x1, step))), np.bool_)
        first = bisect_right(self.places, node.at)
        left, top, right, bottom = self.rects[:, first:]
        over = (left < x1) & (top < y1) & (right > x0) & (bottom > y0)
        some = np.flatnonzero(over & (self.units[first:] != node.at))
        origin = np.array([x0, y0, x0, y0])[:, None]
        ends = np.maximum(-((origin - self.rects[:, first + some]) // step), 0)
        for column, row, last, end in ends.T.tolist():
            mine[row:end, column:last] = False
        return mine


def judge_fills(
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    places: Sequence[tuple[JudgedNode, Rect]],
    *,
    tolerance: Tolerance,
) -> list[Draft | None]:
    """Return for each box and the place it is at now the finding for a fill of another colour."""
    found: list[Draft | None] = []
    solid = _Solid.of(nodes)
    changed: set[int] = set()
    texts = [n for n in nodes if n.kind is Kind.TEXT and not n.empty]
    for node, moved in places:
        inset = int(np.ceil((node.border + 1) * pair.scale))
        shift = moved[0] - node.rect[0], moved[1] - node.rect[1]
        told = None
        if not is_rule(node, pair.scale):
            own = _own_fill(pair, solid, node, shift=shift, inset=inset)
            if own:
                told = _judge(node, own, tolerance=tolerance)
            elif is_shaded(node) and not changed & set(_above(node, nodes)):
                told = _shade(
                    pair, solid, node, moved, texts=texts, inset=inset, tolerance=tolerance
                )
        if told:
            changed.add(node.at)
        found.append(told)
    return found


def _above(node: JudgedNode, nodes: Sequence[JudgedNode]) -> Iterator[int]:
    """Yield what holds a node: where that has another fill, it shows through."""
    at = node.parent
    while at is not None:
        yield at
        at = nodes[at].parent


def _shade(
    pair: PicturePair,
    solid: _Solid,
    node: JudgedNode,
    moved: Rect,
    *,
    texts: Sequence[JudgedNode],
    inset: int,
    tolerance: Tolerance,
) -> Draft | None:
    """Return what is wrong with a fill of many colours, None where its box has another size."""
    x0, y0, x1, y1 = node.rect
    dx, dy = moved[0] - x0, moved[1] - y0
    slack = max(round(pair.scale), 1)
    if abs(moved[2] - x1 - dx) > slack or abs(moved[3] - y1 - dy) > slack:
        return None
    inset = max(inset, round(CURVE * min(node.radius * pair.scale, (x1 - x0) / 2, (y1 - y0) / 2)))
    area = x0 + inset, y0 + inset, x1 - inset, y1 - inset
    there = shifted(area, dx, dy)
    if area[2] <= area[0] or area[3] <= area[1] or inside(there, pair.shape) != there:
        return None
    step = max(int(np.sqrt((area[2] - area[0]) * (area[3] - area[1]) / _SAMPLES)), 1)
    before, after = (
        cut(pair.expected, area)[::step, ::step],
        cut(pair.actual, there)[::step, ::step],
    )
    if not (before != after).any():
        return None
    bare = solid.bare(node, area, step)
    for text in texts:  # in a small box letters may be most of a part
        left, top, right, bottom = relative(text.rect, area)
        if right > 0 and bottom > 0 and text.at > node.at:
            rows, columns = (
                slice(max(-(-a // step), 0), max(-(-b // step), 0))
                for a, b in ((top, bottom), (left, right))
            )
            bare[rows, columns] = False
    return judge_shade(node, before, after, bare, tolerance=tolerance)


def _own_fill(
    pair: PicturePair,
    solid: _Solid,
    node: JudgedNode,
    *,
    shift: tuple[int, int],
    inset: int,
) -> tuple[NDArray[np.float32], NDArray[np.float32], float] | None:
    """Return the colour of a box's own bare area in design and capture, and how uniform it is.

    None where the box shows no bare area, or where too few pixels differ for another colour. The
    colours are the commonest over the places at which the design shows its commonest colour.
    """
    x0, y0, x1, y1 = node.rect
    if x1 - x0 > 2 * inset + 2 and y1 - y0 > 2 * inset + 2:
        x0, y0, x1, y1 = x0 + inset, y0 + inset, x1 - inset, y1 - inset
    step = max(int(np.sqrt((x1 - x0) * (y1 - y0) / _SAMPLES)), 1)
    differs = pair.differs[y0:y1:step, x0:x1:step]
    if shift == (0, 0) and not differs.any():
        return None
    mine = solid.bare(node, (x0, y0, x1, y1), step)
    count = int(np.count_nonzero(mine))
    if count < _FEW:
        return None
    if shift == (0, 0) and 2 * int(np.count_nonzero(differs[mine])) < _LEAST * count:
        return None  # less than half of where the design shows its commonest colour
    codes = pair.expected_words[y0:y1:step, x0:x1:step][mine]
    common, often = _commonest(codes)
    if often < max(_LEAST * len(codes), _FEW):
        return None
    chosen = codes == common
    if shift == (0, 0):
        seen = pair.actual_words[y0:y1:step, x0:x1:step][mine][chosen]
    else:
        rows, columns = np.nonzero(mine)
        ys = y0 + rows[chosen] * step + shift[1]
        xs = x0 + columns[chosen] * step + shift[0]
        kept = (ys >= 0) & (xs >= 0) & (ys < pair.shape[0]) & (xs < pair.shape[1])
        seen = pair.actual_words[ys[kept], xs[kept]]
    if len(seen) < _FEW:
        return None
    other, often = _commonest(seen)
    return _color(common), _color(other), often / len(seen)


def _commonest(codes: NDArray[np.uint32]) -> tuple[int, int]:
    """Return the commonest pixel, of equally common ones the least, and how often it is there."""
    for quarter in (2, 1, 3):  # of three of the pixels one is the commonest, if most are
        code = int(codes[len(codes) * quarter // 4])
        often = int(np.count_nonzero(codes == code))
        if 2 * often > len(codes):
            return code, often
    values, counts = np.unique(codes, return_counts=True)
    best = int(counts.argmax())
    return int(values[best]), int(counts[best])


def _color(code: int) -> NDArray[np.float32]:
    return np.array([code], np.uint32).view(np.uint8)[:3].astype(np.float32)


def _judge(
    node: JudgedNode,
    own: tuple[NDArray[np.float32], NDArray[np.float32], float],
    *,
    tolerance: Tolerance,
) -> Draft | None:
    """Return the finding for a fill of another colour; *own* is what _own_fill returned."""
    expected, actual, share = own
    if share < 0.5 or not color_differs(expected, actual, tolerance=tolerance.color_delta_e):
        return None
    apart = delta_e(expected, actual)
    return Draft(
        at=node.at,
        property="background",
        strength=apart / max(tolerance.color_delta_e, 0.5),
        box=node.placed.box,
        says=f"background {hex_color(actual)}, expected {hex_color(expected)} "
        f"(CIEDE2000 {apart:.1f})",
        expected=hex_color(expected),
        actual=hex_color(actual),
        delta=apart,
        unit="CIEDE2000",
        confidence=min(share, 1.0),
    )
