"""A painted rectangle as the capture shows it: its four edges, border, shadow, corners and fill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.rectangles import Rect, cut, shifted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair

OUT = 5.0
"""CSS px outside an edge that belong to its profile."""
IN = 5.0
"""CSS px inside an edge that belong to its profile."""
REACH = 26.0
"""CSS px by which an edge is looked for on either side of where it should be."""
FAINT = 3.0
"""Levels (0..255): an edge with less contrast cannot be placed."""
SHADOW_REACH = 24.0
"""CSS px outside an edge in which a shadow is looked for."""

SIDES = ("left", "top", "right", "bottom")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edge:
    """One side of a box.

    ``offset`` is how far it lies from the design's place, outwards or inwards, in device px along
    the axis (right and down positive), None where it cannot be told.

    ``expected`` and ``actual`` are the aligned profiles across it, from outside to inside.
    ``zero`` is the place of the design's edge in them. ``likeness`` is -1..1.
    """

    side: str
    offset: int | None
    likeness: float
    expected: NDArray[np.float32]
    actual: NDArray[np.float32]
    zero: int


def _strip(
    picture: NDArray[np.uint8], side: str, rect: Rect, *, out: int, into: int, radius: int = 0
) -> NDArray[np.float32]:
    """Return the median profile across one side, outside first; empty where the picture ends.

    A fifth at either end is left out, and the curves of round corners.
    """
    x0, y0, x1, y1 = rect
    height, width = picture.shape[:2]
    if side in ("left", "right"):
        at, sign = (x0, 1) if side == "left" else (x1, -1)
        trim = max((y1 - y0) // 5, min(radius, (y1 - y0) // 2 - 1))
        low, high = max(y0 + trim, 0), min(y1 - trim, height)
        low, high = (max(y0, 0), min(y1, height)) if high - low < 1 else (low, high)
        places = at + sign * np.arange(-out, into) - (0 if sign > 0 else 1)
        bound = width
    else:
        at, sign = (y0, 1) if side == "top" else (y1, -1)
        trim = max((x1 - x0) // 5, min(radius, (x1 - x0) // 2 - 1))
        low, high = max(x0 + trim, 0), min(x1 - trim, width)
        low, high = (max(x0, 0), min(x1, width)) if high - low < 1 else (low, high)
        places = at + sign * np.arange(-out, into) - (0 if sign > 0 else 1)
        bound = height
    if high <= low:
        return np.zeros((0, 3), np.float32)
    clipped = np.clip(places, 0, bound - 1)
    step = max((high - low) // 40, 1)
    if side in ("left", "right"):
        lines = np.sort(picture[low:high:step][:, clipped], axis=0)
        found = lines[len(lines) // 2]
    else:
        lines = np.sort(picture[clipped][:, low:high:step], axis=1)
        found = lines[:, lines.shape[1] // 2]
    profile = found.astype(np.float32)
    if places.min() < 0 or places.max() >= bound:
        profile[(places < 0) | (places >= bound)] = np.nan
    return np.asarray(profile, np.float32)


def read_edge(
    pair: PicturePair,
    side: str,
    rect: Rect,
    *,
    hint: tuple[int, int] = (0, 0),
    border: float = 0.0,
    radius: float = 0.0,
    room: int = 1000,
) -> Edge | None:
    """Return how one side of a rectangle shows in the capture, None where the design has no edge.

    *hint* is where the whole rectangle is already known to have moved, *room* how far its content
    lies inside the edge; both in device px.
    """
    scale = pair.scale
    across = rect[2] - rect[0] if side in ("left", "right") else rect[3] - rect[1]
    out, into = (
        round(OUT * scale),
        max(min(round((IN + border) * scale), across // 2, room - 1), round(border * scale) + 1),
    )
    curve = round(radius * scale)
    expected = _strip(pair.expected, side, rect, out=out, into=into, radius=curve)
    if not len(expected) or np.isnan(expected).any(axis=1).sum() >= out - 1:
        return None
    contrast = float((np.nanmax(expected, axis=0) - np.nanmin(expected, axis=0)).max())
    if contrast < FAINT:
        return None
    reach = round(REACH * scale)
    moved = shifted(rect, *hint)
    wide = _strip(pair.actual, side, moved, out=out + reach, into=into + reach, radius=curve)
    if not len(wide):
        return None
    return _aligned(side, expected, wide, reach=reach, hint=hint, zero=out)


def _aligned(
    side: str,
    expected: NDArray[np.float32],
    wide: NDArray[np.float32],
    *,
    reach: int,
    hint: tuple[int, int],
    zero: int,
) -> Edge:
    slope = np.diff(_softened(expected), axis=0)
    other = np.diff(_softened(wide), axis=0)
    windows = np.lib.stride_tricks.sliding_window_view(other, len(slope), axis=0)
    products = np.einsum("kcs,sc->k", windows, slope)
    norms = np.sqrt(np.einsum("kcs,kcs->k", windows, windows) * float((slope**2).sum()))
    scores = np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)
    distance = np.abs(np.arange(-reach, reach + 1))
    ranked = scores - 0.01 * distance / max(reach, 1)
    best = int(ranked.argmax())
    if scores[reach] >= 0.5 and scores[reach] >= scores[best] - 0.25:
        best = reach
    k = best - reach
    actual = wide[best : best + len(expected)]
    sign = 1 if side in ("left", "top") else -1
    along = hint[0] if side in ("left", "right") else hint[1]
    found = float(scores[best]) >= (0.5 if best == reach else 0.8)
    return Edge(
        side=side,
        offset=sign * k + along if found else None,
        likeness=float(scores[best]),
        expected=expected,
        actual=actual,
        zero=zero,
    )


def _softened(profile: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the profile blurred by a pixel: a hairline on two rows is the one on either."""
    filled = profile
    if np.isnan(profile[0, 0]) or np.isnan(profile[-1, 0]):
        filled = profile.copy()
        good = np.flatnonzero(~np.isnan(profile[:, 0]))
        if not len(good):
            return np.zeros_like(profile)
        filled[: good[0]] = profile[good[0]]
        filled[good[-1] + 1 :] = profile[good[-1]]
    padded = np.concatenate([filled[:1], filled, filled[-1:]])
    return np.asarray(padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4, np.float32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """The border on one side, as the colour it would have at the design's width."""

    expected: NDArray[np.float32]
    actual: NDArray[np.float32]
    inner: NDArray[np.float32]
    expected_width: float
    actual_width: float


def read_line(edge: Edge, *, width: float, scale: float) -> Line | None:
    """Return the border that a side's profiles hold: by mass, which no rasteriser changes.

    A hairline between pixels is two half lines for one rasteriser and one whole line for another;
    the sum over the rows is the same.
    """
    span = max(width, 1.0) * scale
    slack = round(1.0 * scale)
    low, high = edge.zero - slack, edge.zero + int(np.ceil(span)) + slack
    if low < 1 or high >= len(edge.expected):
        return None
    found = []
    for profile in (edge.expected, edge.actual):
        outer, inner = profile[low - 1], profile[high]
        if np.isnan(profile[low - 1 : high + 1]).any():
            return None
        base = np.where(np.arange(low, high)[:, None] < edge.zero, outer, inner)
        mass = (profile[low:high] - base).sum(axis=0)
        found.append((outer, inner, mass))
    (outer_e, inner_e, mass_e), (_outer_a, inner_a, mass_a) = found
    color_e, color_a = inner_e + mass_e / span, inner_a + mass_a / span
    step = (inner_e - outer_e) / span  # what one px of misplacement adds
    square = float((step**2).sum())
    if square > 0:
        slip = float(((color_e - color_a) * step).sum()) / square
        color_a = color_a + np.clip(slip, -0.8, 0.8) * step
    return Line(
        expected=color_e,
        actual=color_a,
        inner=inner_a,
        expected_width=_width(edge.expected, color_e, edge.zero, scale=scale),
        actual_width=_width(edge.actual, color_e, edge.zero, scale=scale),
    )


def _width(
    profile: NDArray[np.float32], color: NDArray[np.float32], zero: int, *, scale: float
) -> float:
    """Return how wide a line of *color* is at *zero*, in device px, partial rows included."""
    far = min(zero + round(4 * scale), len(profile) - 1)
    inner = profile[far]
    depth = color - inner
    square = float((depth**2).sum())
    if square < FAINT**2:
        return 0.0
    share = ((profile[max(zero - 1, 0) : far] - inner) * depth).sum(axis=1) / square
    return float(np.clip(np.nan_to_num(share), 0.0, 1.0).sum())


def shadow_mass(
    pair: PicturePair, side: str, rect: Rect, *, moved: Rect, reach: float
) -> tuple[float, float] | None:
    """Return how much darker it gets towards a side, design and capture, in levels x CSS px.

    *reach* is how far the design's shadow goes, in CSS px. The row next to the edge is left out:
    a border between two pixels lies half in it.
    """
    scale = pair.scale
    out = round(SHADOW_REACH * scale)
    found = []
    for picture, place in ((pair.expected, rect), (pair.actual, moved)):
        profile = _strip(picture, side, place, out=out, into=1)
        if not len(profile):
            return None
        gray = profile.mean(axis=1)[: out - 1]
        found.append(gray[::-1])  # from the edge outwards
    known = ~(np.isnan(found[0]) | np.isnan(found[1]))
    length = int(known.argmin()) if not known.all() else len(known)
    if length < 2:
        return None
    expected, actual = found[0][:length], found[1][:length]
    own = min(round(reach * scale) + 1, length)
    stop = min(own + _calm(expected[own:], scale), own + _calm(actual[own:], scale), length)
    if stop < 2:
        return None
    level_e, level_a = float(expected[stop - 1]), float(actual[stop - 1])
    if float(np.ptp(actual[:stop])) > 2.0 and abs(level_a - level_e) < 40:
        level_a = level_e  # a wider shadow still darkens the place where the design's has ended
    return (
        float((level_e - expected[:stop]).sum() / scale),
        float((level_a - actual[:stop]).sum() / scale),
    )


def _calm(gray: NDArray[np.float32], scale: float) -> int:
    """Return up to which distance a profile is smooth: a jump is the edge of something else."""
    if len(gray) < 2:
        return len(gray)
    jumps = np.flatnonzero(np.abs(np.diff(gray)) > 14.0 / scale)
    return int(jumps[0]) + 1 if len(jumps) else len(gray)


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


def own_fill(
    pair: PicturePair,
    node: JudgedNode,
    owners: NDArray[np.int16],
    *,
    shift: tuple[int, int],
    inset: int,
) -> tuple[NDArray[np.float32], NDArray[np.float32], float] | None:
    """Return the colour of a box's own bare area in design and capture, and how uniform it is.

    None where the box shows no bare area. The colours are medians over the places at which the
    design shows its commonest colour.
    """
    x0, y0, x1, y1 = node.rect
    if x1 - x0 > 2 * inset + 2 and y1 - y0 > 2 * inset + 2:
        x0, y0, x1, y1 = x0 + inset, y0 + inset, x1 - inset, y1 - inset
    step = max(int(np.sqrt((x1 - x0) * (y1 - y0) / 4000)), 1)
    mine = owners[y0:y1:step, x0:x1:step] == node.at
    if int(mine.sum()) < 4:
        return None
    colors = pair.expected[y0:y1:step, x0:x1:step][mine]
    codes = colors.astype(np.int32) @ np.array([65536, 256, 1])
    values, counts = np.unique(codes, return_counts=True)
    common = int(values[counts.argmax()])
    if counts.max() < max(0.2 * len(codes), 4):
        return None
    rows, columns = np.nonzero(mine)
    chosen = codes == common
    ys = y0 + rows[chosen] * step + shift[1]
    xs = x0 + columns[chosen] * step + shift[0]
    kept = (ys >= 0) & (xs >= 0) & (ys < pair.shape[0]) & (xs < pair.shape[1])
    if int(kept.sum()) < 4:
        return None
    seen = pair.actual[ys[kept], xs[kept]]
    codes = seen.astype(np.int32) @ np.array([65536, 256, 1])
    values, counts = np.unique(codes, return_counts=True)
    other = int(values[counts.argmax()])
    return _color(common), _color(other), float(counts.max() / len(codes))


def _color(code: int) -> NDArray[np.float32]:
    return np.array([code >> 16, code >> 8 & 255, code & 255], np.float32)
