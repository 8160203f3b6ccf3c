"""Lines drawn as boxes: rules, dividers, tracks. All of such a box is edge, and read by its ink.

The sum of what a line adds to what lies on either side does not depend on whether a rasteriser
puts it on one row of pixels or on two halves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_lines import GONE, LINE_LIMIT, SEEN
from pytest_pixelloop.core.color import color_differs, delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.judged_nodes import paints
from pytest_pixelloop.core.rectangles import grown, inside, shifted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect
    from pytest_pixelloop.core.tolerance import Tolerance

THIN = 4.0
"""CSS px up to which a box is a line."""
HAIRLINE = 2.0
"""CSS px up to which it is a line and nothing else: its length is told here."""
_LONG = 12.0
"""CSS px from which it can be followed."""
_BESIDE = 3.0
"""CSS px on either side that are looked at: a line that moved less is still itself."""
_PLACES = 40
"""Places along a line that are looked at, up to twice as many."""
_SHARE = 0.25
"""Share of them that must lie on one ground."""
_GRAIN = 3.0
"""Levels by which that may vary."""
_HALF = 0.5
"""Share of a line's ink from which it is there."""
_SHORT = 0.9
"""Share of a line's length below which it is shorter."""
_WIDER = 1.4
"""How many times the ink makes a line of the same colour a thicker one."""
_WHOLE = 0.05
"""CSS px by which a thickness may be off and still be whole pixels."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rule:
    """A line as one picture shows it: what lies beside it, what it adds to that, its deepest row.

    ``ink`` is summed across, in levels x device px; ``there`` is on how much of the design's length
    it shows.
    """

    ground: NDArray[np.float64]
    ink: NDArray[np.float64]
    deepest: NDArray[np.float64]
    there: float = 1.0

    def color(self, thick: float) -> NDArray[np.float32]:
        """Return the colour that makes this ink in a line of *thick* device px."""
        return np.clip(self.ground + self.ink / thick, 0, 255).astype(np.float32)


def is_rule(node: JudgedNode, scale: float) -> bool:
    """Tell whether a box is a line: no part of it is away from its edges."""
    return min(node.rect[2] - node.rect[0], node.rect[3] - node.rect[1]) <= THIN * scale


def judge_rules(
    pair: PicturePair, places: Sequence[tuple[JudgedNode, Rect]], *, tolerance: Tolerance
) -> list[Draft | None]:
    """Return for each box that is a line what is wrong with it; None for others."""
    found: list[Draft | None] = []
    for node, moved in places:
        told = None
        if _can_be_read(pair, node, moved):
            shift = moved[0] - node.rect[0], moved[1] - node.rect[1]
            rules = _read(pair, node, shift)
            if rules is not None:
                told = _judge(node, *rules, scale=pair.scale, tolerance=tolerance)
        found.append(told)
    return found


def _can_be_read(pair: PicturePair, node: JudgedNode, moved: Rect) -> bool:
    x0, y0, x1, y1 = node.rect
    if not is_rule(node, pair.scale) or node.border > 0 or not paints(node.node, "fills"):
        return False
    if max(x1 - x0, y1 - y0) < _LONG * pair.scale or any(node.hidden):
        return False
    beside = round(_BESIDE * pair.scale)
    return any(
        pair.differs[top:bottom, left:right].any()
        for left, top, right, bottom in (
            grown(rect, beside, beside, pair.shape) for rect in (node.rect, moved)
        )
    )


def _read(
    pair: PicturePair, node: JudgedNode, shift: tuple[int, int]
) -> tuple[_Rule, _Rule] | None:
    """Return a line as both pictures show it, where it lies on the commonest ground.

    It may cross others: only places where the same lies on either side, all along in the design
    and in the capture, tell of it.
    """
    before = _lines(pair.expected, node.rect, pair.scale)
    after = _lines(pair.actual, shifted(node.rect, *shift), pair.scale)
    if before is None or after is None or before.shape != after.shape:
        return None
    plain = _plain(before)
    if np.count_nonzero(plain) < max(_SHARE * len(plain), 3):
        return None
    both = plain & _plain(after)
    if 2 * np.count_nonzero(both) < np.count_nonzero(plain):
        return None
    first, second = _rule(before[both]), _rule(after[both])
    ink = first.ink
    return first, replace(second, there=_there(after[both], ink) / _there(before[both], ink))


def _there(lines: NDArray[np.float64], ink: NDArray[np.float64]) -> float:
    """Return at how many of the places there is about as much ink as there should be; never 0."""
    inked = (lines - lines[:, :1]).sum(axis=1) @ ink >= _HALF * float(ink @ ink)
    return max(float(np.mean(inked)), 1 / len(lines))


def _lines(picture: NDArray[np.uint8], rect: Rect, scale: float) -> NDArray[np.float64] | None:
    """Return the pixels across a line at some places along it, (place, row, channel)."""
    x0, y0, x1, y1 = rect
    upright = y1 - y0 > x1 - x0
    beside = round(_BESIDE * scale)
    if upright:
        x0, x1 = x0 - beside, x1 + beside
    else:
        y0, y1 = y0 - beside, y1 + beside
    if inside((x0, y0, x1, y1), (picture.shape[0], picture.shape[1])) != (x0, y0, x1, y1):
        return None
    crop = picture[y0:y1, x0:x1]
    along = crop if upright else crop.transpose(1, 0, 2)
    step = max(len(along) // _PLACES, 1)
    return np.asarray(along[step // 2 :: step], np.float64)


def _plain(lines: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell at which places both sides of a line show the colour that most of them show."""
    ends = lines[:, (0, -1)]
    middle = np.median(ends.reshape(-1, 3), axis=0)
    return np.asarray(np.abs(ends - middle).max(axis=(1, 2)) <= _GRAIN)


def _rule(lines: NDArray[np.float64]) -> _Rule:
    apart = lines - lines[:, :1]
    ink = np.median(apart.sum(axis=1), axis=0)
    rows = np.median(lines, axis=0)
    ground = np.median(lines[:, 0], axis=0)
    return _Rule(
        ground=ground, ink=ink, deepest=rows[int(np.abs(rows - ground).sum(axis=1).argmax())]
    )


def _judge(
    node: JudgedNode, before: _Rule, after: _Rule, *, scale: float, tolerance: Tolerance
) -> Draft | None:
    box = node.placed.box
    thick = min(box.w, box.h) * scale
    size = float(before.ink @ before.ink)
    wanted = before.color(thick)
    if thick <= 0 or size <= 0 or delta_e(before.ground.astype(np.float32), wanted) < SEEN:
        return None
    share = float(after.ink @ before.ink) / size
    if share < GONE and float(np.linalg.norm(after.ink)) < 0.5 * size**0.5:
        return _gone(node)
    long = max(box.w, box.h)
    if after.there < _SHORT and long * (1 - after.there) > max(tolerance.pixel, 1.0):
        return _sized(node, long, round(long * after.there, 1), across=box.w >= box.h)
    grounds = [rule.ground.astype(np.float32) for rule in (before, after)]
    if color_differs(*grounds, tolerance=tolerance.color_delta_e):
        return None  # what lies beside it is told, and may show through it
    limit = max(LINE_LIMIT, tolerance.color_delta_e)
    same = delta_e(after.deepest.astype(np.float32), wanted) < limit
    if same and share >= _WIDER:
        return _sized(node, thick / scale, round(thick * share) / scale, across=box.w < box.h)
    return _recolored(node, wanted, after, thick, scale=scale, limit=limit)


def _gone(node: JudgedNode) -> Draft:
    return Draft(
        at=node.at,
        property="missing",
        kind="missing",
        strength=2.0,
        box=node.placed.box,
        says="missing on the page",
        expected="present",
        actual="missing",
    )


def _sized(node: JudgedNode, expected: float, actual: float, *, across: bool) -> Draft:
    name = "width" if across else "height"
    return Draft(
        at=node.at,
        property=name,
        strength=abs(actual - expected),
        box=node.placed.box,
        says=f"{name} {actual:g}px, expected {expected:g}px",
        expected=expected,
        actual=actual,
        delta=actual - expected,
        unit="px",
    )


def _recolored(
    node: JudgedNode,
    wanted: NDArray[np.float32],
    after: _Rule,
    thick: float,
    *,
    scale: float,
    limit: float,
) -> Draft | None:
    """Return the finding for another colour, unless a line of whole pixels explains the ink."""
    possible = [thick]
    if abs(thick / scale - round(thick / scale)) > _WHOLE:
        possible += [t for t in (np.floor(thick), np.ceil(thick)) if t > 0]
    apart, color = min(
        ((delta_e(wanted, c), c) for c in (after.color(float(t)) for t in possible)),
        key=lambda pair: pair[0],
    )
    if apart < limit:
        return None
    return Draft(
        at=node.at,
        property="background",
        strength=apart / limit,
        box=node.placed.box,
        says=f"background {hex_color(color)}, expected {hex_color(wanted)} (CIEDE2000 {apart:.1f})",
        expected=hex_color(wanted),
        actual=hex_color(color),
        delta=apart,
        unit="CIEDE2000",
        confidence=0.8,
    )
