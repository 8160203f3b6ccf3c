"""What is left when every node has been looked at: content that no node accounts for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.covered import is_opaque
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.moved_content import Shifts
from pytest_pixelloop.core.perceptual import STRAY, stray, stray_at, to_lab_bytes
from pytest_pixelloop.core.rectangles import Rect, cut, grown
from pytest_pixelloop.core.shadow_residue import casts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.box_judgement import BoxReading
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.placings import Span
    from pytest_pixelloop.core.reading import Reading
    from pytest_pixelloop.core.tolerance import Tolerance

SLACK = 2.5
"""CSS px around what is accounted for that are accounted for too."""
LEAST_AREA = 6.0
"""CSS px squared of stray pixels from which something is there."""
_ALIKE = 8.0
"""Levels by which a colour may be off and still be the one told."""
LEAST_SIDE = 3.0
"""CSS px: thinner remains are edges, unless they are long."""
LEAST_LENGTH = 40.0
"""CSS px from which a thin remain is a line that somebody drew."""
_FEW = 20_000
"""Pixels up to which it is quicker to look at each than at whole pictures."""
_LAB_PER_DELTA_E = 3.0
"""How many units of Lab a user's tolerance of one CIEDE2000 may be worth away from grey."""


def residue(
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    readings: Mapping[int, Reading],
    boxes: Mapping[int, BoxReading],
    drafts: Iterable[Draft],
    *,
    spans: Callable[[], Mapping[tuple[int, int], Span]],
    tolerance: Tolerance,
) -> list[Draft]:
    """Return a draft for each container that shows something the design has not there.

    *spans* tells the offsets of nodes by position and axis: what the design shows there and what
    has gone along is not extra.
    """
    limit = max(STRAY, tolerance.color_delta_e * _LAB_PER_DELTA_E)
    left = pair.differs.copy()
    told = {d.at: d.actual for d in drafts if d.property in {"background", "opacity", "image"}}
    _account_leaves(left, nodes, readings, scale=pair.scale)
    _account_boxes(left, pair, nodes, boxes, told)
    left = _strays(left, pair, limit=limit)
    if not left.any():
        return []
    shifts = Shifts(pair=pair, nodes=nodes, spans=spans(), limit=limit)
    return _components(left, pair, nodes, shifts)


def _strays(left: NDArray[np.uint8], pair: PicturePair, *, limit: float) -> NDArray[np.uint8]:
    """Return 1 for those of the pixels of *left* that smoothing does not explain."""
    count = cv2.countNonZero(left)
    if not count:
        return left
    if count > _FEW:
        x, y, width, height = cv2.boundingRect(left)
        part = grown((x, y, x + width, y + height), 1, 1, pair.shape)
        apart = stray(to_lab_bytes(cut(pair.actual, part)), to_lab_bytes(cut(pair.expected, part)))
        found = np.zeros_like(left)
        cut(found, part)[:] = cut(left, part) & (apart > limit)
        return found
    found = np.zeros_like(left)  # few are left once everything is accounted for
    columns, rows = np.asarray(cv2.findNonZero(left), np.intp).reshape(-1, 2).T
    apart = stray_at(pair.actual, pair.expected, rows, columns)
    found[rows, columns] = apart > limit
    return found


def _account_leaves(
    left: NDArray[np.uint8],
    nodes: Sequence[JudgedNode],
    readings: Mapping[int, Reading],
    *,
    scale: float,
) -> None:
    """Take out of *left* where leaves are in the design and where they were found."""
    slack = round(SLACK * scale)
    for at, reading in readings.items():
        rect = reading.ink_rect or nodes[at].rect
        dx, dy = round(reading.shift[0] * scale), round(reading.shift[1] * scale)
        low, top, right, bottom = (round(e * scale) for e in reading.edges)
        x0, y0, x1, y1 = rect
        seen = (x0 + dx + low, y0 + dy + top, x1 + dx + right, y1 + dy + bottom)
        for place in dict.fromkeys((rect, seen, nodes[at].whole or rect)):
            _clear(left, place, slack)


def _account_boxes(
    left: NDArray[np.uint8],
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    boxes: Mapping[int, BoxReading],
    told: Mapping[int | None, object],
) -> None:
    """Take out of *left* the edges of boxes, and what shows a colour that was told already."""
    scale, shape = pair.scale, pair.shape
    slack = round(SLACK * scale)
    for at, box in boxes.items():
        node = nodes[at]
        if node.parent is None:
            if at in told:
                _clear_color(left, pair, node.rect, told[at])
            continue  # the frame's edges are the picture's: nothing smooths them
        reach = slack + round(node.border * scale) + round(node.shadow_reach * scale)
        places = (node.rect,) if box.moved == node.rect else (node.rect, box.moved)
        ax0, ay0, ax1, ay1 = map(min, *places) if len(places) > 1 else node.rect
        bx0, by0, bx1, by1 = map(max, *places) if len(places) > 1 else node.rect
        bands = (  # from where each edge was to where it is
            (ax0, ay0, bx0, by1), (ax1, ay0, bx1, by1), (ax0, ay0, bx1, by0), (ax0, ay1, bx1, by1)
        )  # fmt: skip
        for band in bands:
            _clear(left, band, reach)
        for rect in places:
            if at in told:
                _clear_color(left, pair, grown(rect, slack, slack, shape), told[at])
            x0, y0, x1, y1 = rect
            curve = round(node.radius * scale * 0.4) + slack
            if curve <= reach:
                continue  # the bands hold the corners
            for x, y in ((x0, y0), (x1, y0), (x0, y1), (x1, y1)):
                _clear(left, (x, y, x, y), curve)


def _clear(left: NDArray[np.uint8], rect: Rect, reach: int) -> None:
    """Take out of *left* a box grown by *reach* on each side."""
    x0, y0, x1, y1 = rect[0] - reach, rect[1] - reach, rect[2] + reach, rect[3] + reach
    if x1 > 0 and y1 > 0:
        left[max(0, y0) : y1, max(0, x0) : x1] = 0


def _clear_color(left: NDArray[np.uint8], pair: PicturePair, rect: Rect, color: object) -> None:
    """Take out of *left* what shows the colour that a finding has told already."""
    x0, y0, x1, y1 = rect
    if not isinstance(color, str):
        left[y0:y1, x0:x1] = 0
        return
    told = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], np.float64)
    low, high = np.clip(told - _ALIKE, 0, 255), np.clip(told + _ALIKE, 0, 255)
    same = cv2.inRange(pair.actual[y0:y1, x0:x1], low, high)
    left[y0:y1, x0:x1] &= same == 0


def _components(
    left: NDArray[np.uint8], pair: PicturePair, nodes: Sequence[JudgedNode], shifts: Shifts
) -> list[Draft]:
    scale = pair.scale
    reach = max(round(4 * scale), 1)
    joined = cv2.dilate(left, np.ones((reach, 2 * reach), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    drafts: dict[int, Draft] = {}
    for k in range(1, count):
        x, y, w, h = (int(v) for v in stats[k, :4])
        inside = (labels[y : y + h, x : x + w] == k) & (left[y : y + h, x : x + w] > 0)
        ys, xs = np.nonzero(inside)
        area = len(ys) / scale**2
        if area < LEAST_AREA:
            continue
        rect = (x + int(xs.min()), y + int(ys.min()), x + int(xs.max()) + 1, y + int(ys.max()) + 1)
        sides = sorted((rect[2] - rect[0], rect[3] - rect[1]))
        if sides[0] < LEAST_SIDE * scale and sides[1] < LEAST_LENGTH * scale:
            continue
        at = _container(rect, nodes)
        if at is None or shifts.explain(rect, inside, (x, y)):
            continue
        box = Box(
            rect[0] / scale,
            rect[1] / scale,
            (rect[2] - rect[0]) / scale,
            (rect[3] - rect[1]) / scale,
        )
        caster = casts(rect, inside, (x, y), pair=pair, nodes=nodes)
        if caster is not None:
            drafts.setdefault(-1 - caster, _shadow(nodes[caster], area))
            continue
        draft = Draft(
            at=at,
            property="extra",
            kind="extra",
            strength=area / LEAST_AREA,
            box=box,
            says=f"something that the design has not, {box.w:.0f}x{box.h:.0f}px at "
            f"{box.x:.0f},{box.y:.0f}",
            expected="nothing",
            actual="something",
            delta=area,
            unit="px2",
        )
        if at not in drafts or drafts[at].strength < draft.strength:
            drafts[at] = draft
    return list(drafts.values())


def _shadow(node: JudgedNode, area: float) -> Draft:
    return Draft(
        at=node.at,
        property="box-shadow",
        strength=min(area / LEAST_AREA, 20.0),
        box=node.placed.box,
        says="a shadow that the design has not, or a longer one",
        delta=area,
        unit="px2",
        confidence=0.7,
    )


def _container(rect: Rect, nodes: Sequence[JudgedNode]) -> int | None:
    """Return the deepest container whose box holds the middle of *rect* and can be seen there."""
    x, y = (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2
    found: int | None = None
    for node in nodes:
        x0, y0, x1, y1 = node.rect
        holds = node.kind in (Kind.BOX, Kind.GROUP) and x0 <= x < x1 and y0 <= y < y1
        if not holds:
            continue
        deeper = found is None or node.placed.depth >= nodes[found].placed.depth
        if deeper or is_opaque(node):  # what came before lies under it
            found = node.at
    return found
