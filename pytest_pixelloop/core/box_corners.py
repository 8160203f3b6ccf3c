"""The corners of a painted rectangle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_edges import FAINT
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.rectangles import Rect, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair

RADIUS_LIMIT = 2.2
"""CSS px by which a corner radius may differ."""


def judge_corners(
    pair: PicturePair,
    node: JudgedNode,
    *,
    moved: Rect,
    fills: tuple[NDArray[np.float32], NDArray[np.float32]],
) -> Draft | None:
    """Return the finding for corners of another radius, None for none."""
    scale = pair.scale
    small = min(node.rect[2] - node.rect[0], node.rect[3] - node.rect[1])
    side = min(round((node.radius + 4) * scale), small // 2)
    if side < 3:
        return None
    line = round(node.border * scale)
    areas = corner_areas(pair, node.rect, moved=moved, side=side, border=line, fills=fills)
    if not areas:
        return None
    median = sorted(areas, key=abs)[1]  # two corners at least must show it
    area = median / scale**2
    radius = min(node.radius, small / 2 / scale)
    square = radius**2 + area / (1 - np.pi / 4)
    actual = float(np.sqrt(max(square, 0.0)))
    arc = np.pi / 2 * max(radius, actual)
    blur = 1.5 + (0.3 if node.border > 0 else 0.15) * arc  # what smoothing a curve may add
    if (
        abs(actual - radius)
        <= max(
            RADIUS_LIMIT + (0.4 if node.border > 0 else 0.0),
            (0.35 if node.border > 0 else 0.15) * radius,
        )
        or abs(area) < blur
    ):
        return None
    return Draft(
        at=node.at,
        property="border-radius",
        strength=abs(actual - radius) / RADIUS_LIMIT,
        box=node.placed.box,
        expected=radius,
        actual=round(actual, 1),
        delta=actual - radius,
        unit="px",
        says=f"border-radius about {actual:.0f}px, expected {radius:g}px",
        confidence=0.8,
    )


def corner_areas(
    pair: PicturePair,
    rect: Rect,
    *,
    moved: Rect,
    side: int,
    border: int,
    fills: tuple[NDArray[np.float32], NDArray[np.float32]],
) -> list[float]:
    """Return by how much more each corner of the capture is cut off, in device px squared.

    *border* is the border's width in device px, *fills* the box's own colour in design and
    capture. Empty where inside and outside are too alike.
    """
    found = []
    for right, bottom in ((0, 0), (1, 0), (1, 1), (0, 1)):
        sides = ((pair.expected, rect), (pair.actual, moved))
        squares = [_corner(p, at, side=side, right=right, bottom=bottom) for p, at in sides]
        known = [s for s in squares if s is not None]
        if len(known) < 2:
            return []
        lines = [_line_color(s, border=border) for s in known]
        away = [float(np.linalg.norm(c - known[0][0, 0])) for c in lines]
        line = lines[int(np.argmax(away))]
        cuts = [
            _cut_off(s, colors=[f, line] if border else [f])
            for s, f in zip(known, fills, strict=True)
        ]
        if cuts[0] is None or cuts[1] is None:
            return []
        found.append(cuts[1] - cuts[0])
    return found


def _line_color(square: NDArray[np.float32], *, border: int) -> NDArray[np.float32]:
    """Return the colour of the border far from the curve: of its rows, the one unlike outside."""
    rows = square[2 : 3 + border, -1]
    away = np.linalg.norm(rows - square[0, 0], axis=1)
    return np.asarray(rows[int(away.argmax())], np.float32)


def _corner(
    picture: NDArray[np.uint8], place: Rect, *, side: int, right: int, bottom: int
) -> NDArray[np.float32] | None:
    """Return one corner with two px around it, turned so that outside is top left."""
    x = place[2] - side if right else place[0] - 2
    y = place[3] - side if bottom else place[1] - 2
    if x < 0 or y < 0:
        return None
    square = cut(picture, (x, y, x + side + 2, y + side + 2)).astype(np.float32)
    if square.shape[:2] != (side + 2, side + 2):
        return None
    if right:
        square = square[:, ::-1]
    return square[::-1] if bottom else square


def _cut_off(square: NDArray[np.float32], *, colors: list[NDArray[np.float32]]) -> float | None:
    """Return the area outside the curve but inside the two edges' lines."""
    outer = square[0, 0]
    outside = np.ones(square.shape[:2], np.float32)
    told = False
    for color in colors:
        axis = outer - color
        length = float((axis**2).sum())
        if length < (2 * FAINT) ** 2:
            continue
        told = True
        along = (square - color) @ axis / length
        off = np.linalg.norm(square - color - along[..., None] * axis, axis=2) > 0.5 * length**0.5
        outside = np.minimum(outside, np.where(off, 0.0, np.clip(along, 0.0, 1.0)))
    if not told:
        return None
    row, column = float(outside[-1].sum()), float(outside[:, -1].sum())
    size = len(square)
    return float(outside.sum()) - size * (row + column) + row * column
