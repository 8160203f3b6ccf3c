"""The shadow of a painted rectangle: what changed around it, held against what its shadow adds.

A matched filter: along each side the change is the median over the side's length, so that what
lies here and there beside the box does not count, and the whole fall-off is judged at once: a
shadow of a few levels is plain over all its pixels where no single pixel is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_edges import SIDES
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.node_style import shadows_of
from pytest_pixelloop.core.rectangles import cut, grown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.css_values import Shadow
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

REACH = 24.0
"""CSS px outside an edge in which a shadow is looked for."""
SLIP = 0.5
"""CSS px by which a side's shadow may lie elsewhere: edges are snapped, shadows with them."""
_SAMPLES = 40
_STEP = 8.0
"""Levels from one CSS px to the next beyond the design's own shadow: the edge of something else."""
_JUMP = 14.0
"""The same in the capture, whose shadow may be a stronger one."""
_NEAR = 3.0
"""CSS px by which a box may have moved and still be held against its old surroundings."""
_EVEN = 1.0
"""Levels by which the darkening along a side may vary where it is a shadow."""
_ROUNDED = 1.0
"""Levels of darkening that rounding may make."""
_ROUNDING = 0.3
"""Levels of uncertainty in a median of whole levels."""
_SAME = 1.5
"""Levels by which the far ends of the sides may differ where the backdrop itself has changed."""
SEEN = 12.0
"""Squared levels, all sides together, from which a shadow of the design can be seen."""
TELLING = 2.0
"""How far beyond the noise a change must lie."""
GONE = 0.55
"""Share of a shadow that must be gone; rasterisers differ by a third with their blurs."""
OTHER = 0.25
"""Change in units of the shadow's own energy from which it is another shadow."""
SIDE_DARKENED = 2.0
"""Levels x CSS px by which a side is darker than in the design; what lies beside a box darkens one
or two sides, a shadow three."""
UNEXPECTED = 12.0
"""Levels x CSS px, all sides together, from which a box without a shadow has one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flank:
    """What lies outside one side, from the edge outwards; one entry a device px, in grey levels.

    ``own`` is what the design's shadow adds, ``slips`` what it adds when it lies a little off;
    ``expected`` and ``actual`` are medians along the side, ``change`` the median difference,
    ``noise`` how sure that is.
    """

    side: str
    own: NDArray[np.float32]
    slips: NDArray[np.float32]
    expected: NDArray[np.float32]
    actual: NDArray[np.float32]
    change: NDArray[np.float32]
    noise: NDArray[np.float32]


def read_flank(
    pair: PicturePair, side: str, node: JudgedNode, *, moved: Rect, shadows: Sequence[Shadow]
) -> Flank | None:
    """Return what lies outside one side of a box, None at the end of the picture."""
    scale = pair.scale
    lines = []
    for picture, rect in ((pair.expected, node.rect), (pair.actual, moved)):
        count, curve = round(REACH * scale), round(node.radius * scale)
        taken = _lines(picture, side, rect, count=count, curve=curve)
        if taken is None:
            return None
        lines.append(taken)
    samples = min(len(lines[0]), len(lines[1]))
    count = min(lines[0].shape[1], lines[1].shape[1])
    if samples < 1 or count < 2:
        return None
    left, right = (a[_spread(len(a), samples), :count] for a in lines)
    middle = np.median(right - left, axis=0)
    noise = np.median(np.abs(right - left - middle), axis=0) * 1.86 / np.sqrt(samples)
    expected, actual = np.median(left, axis=0), np.median(right, axis=0)
    box = node.placed.box.scaled(scale)
    edge = {"left": box.x, "top": box.y, "right": box.right, "bottom": box.bottom}[side]
    drawn = node.rect[SIDES.index(side)]
    ahead = edge - drawn if side in ("left", "top") else drawn - edge
    places = (np.arange(count) + 0.5 + max(ahead, 0.0)) / scale
    size = (node.placed.box.w, node.placed.box.h)
    own = shade(shadows, places, side, size, level=_level(expected))
    stop = min(
        _calm(expected, own, _STEP / scale), _calm(actual, own, _JUMP / scale), _flat(expected, own)
    )
    if stop < 2:
        return None
    own = shade(shadows, places[:stop], side, size, level=float(expected[stop - 1]))
    slips = np.stack(
        [
            shade(shadows, places[:stop] + s, side, size, level=float(expected[stop - 1])) - own
            for s in np.linspace(-SLIP, SLIP, 5)
        ]
    )
    return Flank(
        side=side,
        own=own,
        slips=slips,
        actual=actual[:stop],
        expected=expected[:stop],
        change=middle[:stop],
        noise=noise[:stop] + _ROUNDING,
    )


def _level(gray: NDArray[np.float32]) -> float:
    return float(np.median(gray))


def _flat(gray: NDArray[np.float32], own: NDArray[np.float32]) -> int:
    """Return up to where the design shows the shadow and a flat backdrop only."""
    reach = int(np.count_nonzero(np.abs(own) > 0.5))
    if reach >= len(gray):
        return len(gray)
    off = np.flatnonzero(np.abs(gray[reach:] - gray[reach]) > 3.0)
    return reach + int(off[0]) if len(off) else len(gray)


def _spread(length: int, samples: int) -> NDArray[np.intp]:
    return np.linspace(0, length - 1, samples).round().astype(np.intp)


def _lines(
    picture: NDArray[np.uint8], side: str, rect: Rect, *, count: int, curve: int
) -> NDArray[np.float32] | None:
    """Return grey lines outwards from one side, (samples, distance); None at the picture's end."""
    x0, y0, x1, y1 = rect
    height, width = picture.shape[:2]
    low, high, end = (y0, y1, height) if side in ("left", "right") else (x0, x1, width)
    trim = max((high - low) // 5, min(curve, (high - low) // 2 - 1))
    low, high = max(low + trim, 0), min(high - trim, end)
    step = max((high - low) // _SAMPLES, 1)
    if high <= low:
        return None
    if side == "left":
        area = picture[low:high:step, max(x0 - count, 0) : max(x0, 0)][:, ::-1]
    elif side == "right":
        area = picture[low:high:step, max(x1, 0) : x1 + count]
    elif side == "top":
        area = picture[max(y0 - count, 0) : max(y0, 0), low:high:step][::-1].swapaxes(0, 1)
    else:
        area = picture[max(y1, 0) : y1 + count, low:high:step].swapaxes(0, 1)
    return area.mean(axis=2, dtype=np.float32) if area.shape[1] else None


def _calm(gray: NDArray[np.float32], own: NDArray[np.float32], step: float) -> int:
    """Return up to which distance a profile is smooth: a jump is the edge of something else."""
    limit = step + 1.5 * np.abs(np.diff(own))
    jumps = np.flatnonzero(np.abs(np.diff(gray)) > limit)
    return int(jumps[0]) + 1 if len(jumps) else len(gray)


def shade(
    shadows: Sequence[Shadow],
    places: NDArray[np.float64],
    side: str,
    size: tuple[float, float],
    *,
    level: float,
) -> NDArray[np.float32]:
    """Return the grey levels that shadows add at *places* outside a side, by Gaussian blur.

    *size* is the box's width and height, *places* are CSS px from its edge, *level* is the grey of
    what lies around it.
    """
    across, along = size if side in ("left", "right") else size[::-1]
    shown = np.full(len(places), level, np.float64)
    for shadow in reversed(shadows):
        ahead = {"left": -shadow.x, "right": shadow.x, "top": -shadow.y, "bottom": shadow.y}[side]
        beyond = places - ahead - shadow.spread
        sigma = max(shadow.blur / 2, 0.3)
        thick, long = across + 2 * shadow.spread, along + 2 * shadow.spread
        if thick <= 0 or long <= 0:
            continue
        cover = _below(-beyond / sigma) - _below(-(beyond + thick) / sigma)
        alpha = shadow.color.a * cover * erf(long / 2 / sigma / sqrt(2))
        shown = shown * (1 - alpha) + alpha * float(np.mean(shadow.color.rgb))
    return np.asarray(shown - level, np.float32)


def _below(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal distribution function."""
    return np.array([0.5 * (1 + erf(v / sqrt(2))) for v in z])


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowReading:
    """How a shadow differs: squared grey levels over all sides.

    ``energy`` is what the design's shadow adds, ``change`` what came or went beyond a slip of the
    edges, ``noise`` what is uncertain in that. ``share`` is the part of the shadow's own profile
    that came (-1: all of it went). ``masses`` are by how much it got darker, by side, in
    levels x CSS px.
    """

    energy: float
    change: float
    noise: float
    share: float
    masses: tuple[float, ...]


def read_shadow(flanks: Sequence[Flank], *, scale: float) -> ShadowReading:
    """Return how the surroundings of a box changed, held against its shadow."""
    common = _common(flanks)
    energy = change = noise = product = 0.0
    masses = []
    for flank in flanks:
        own, came = flank.own, flank.change - common
        keep = np.ones(len(own), np.bool_)
        # The first row may hold a part of the box itself, where its edge lies between pixels.
        keep[0] = abs(flank.actual[0] - flank.actual[1]) <= 1.5 * abs(own[0] - own[1]) + 3
        energy += float((own[keep] ** 2).sum())
        change += float(((came - flank.slips) ** 2)[:, keep].sum(axis=1).min())
        noise += float((flank.noise[keep] ** 2).sum())
        product += float((own * came)[keep].sum())
        masses.append(float(np.maximum(-came[keep] - _ROUNDED, 0).sum()) / scale)
    share = product / max(energy, 1e-6)
    return ShadowReading(
        energy=energy, change=change, noise=noise, share=share, masses=tuple(masses)
    )


def _common(flanks: Sequence[Flank]) -> float:
    """Return by how much the backdrop itself has changed: alike at the far end of all sides."""
    ends = np.array([f.change[-1] for f in flanks])
    middle = float(np.median(ends)) if len(ends) else 0.0
    return middle if len(ends) > 1 and float(np.abs(ends - middle).max()) <= _SAME else 0.0


def judge_shadow(pair: PicturePair, node: JudgedNode, *, moved: Rect) -> Draft | None:
    """Return the finding for a shadow that differs, None for none."""
    shadows = [s for s in shadows_of(node.node) if not s.inset]
    if not shadows and (node.color is None or node.parent is None):
        return None
    if moved == node.rect and not _changed_around(pair, node.rect):
        return None
    flanks = [
        f
        for side in SIDES
        if (f := read_flank(pair, side, node, moved=moved, shadows=shadows)) is not None
    ]
    reading = read_shadow(flanks, scale=pair.scale)
    if shadows:
        return _changed(node, reading)
    far = max(abs(a - b) for a, b in zip(moved, node.rect, strict=True))
    uneven = any(float(f.noise.max()) > _EVEN for f in flanks)  # a photo, put down anew
    if far > _NEAR * pair.scale or uneven:
        return None
    return _unexpected(node, reading)


def _changed(node: JudgedNode, reading: ShadowReading) -> Draft | None:
    """Return the finding where the design's shadow can be seen and another, or none, is there."""
    if reading.energy < max(SEEN, TELLING * reading.noise):
        return None
    gone, other = -reading.share / GONE, reading.change / reading.energy / OTHER
    if reading.change < TELLING * reading.noise or max(gone, other) <= 1:
        return None
    word = "no" if reading.share < -0.75 else "a weaker" if reading.share < 0 else "a stronger"
    return _draft(node, f"{word} shadow than in the design", max(gone, other), reading)


def _unexpected(node: JudgedNode, reading: ShadowReading) -> Draft | None:
    """Return the finding for a shadow where the design has none."""
    darkened, mass = sum(m > SIDE_DARKENED for m in reading.masses), sum(reading.masses)
    if darkened < 3 or mass < UNEXPECTED:
        return None
    return _draft(node, "a shadow, expected none", mass / UNEXPECTED, reading)


def _changed_around(pair: PicturePair, rect: Rect) -> bool:
    reach = round(REACH * pair.scale)
    x0, y0, x1, y1 = rect
    wx0, wy0, wx1, wy1 = grown(rect, reach, reach, pair.shape)
    bands = ((wx0, y0, x0, y1), (x0, wy0, x1, y0), (x1, y0, wx1, y1), (x0, y1, x1, wy1))
    return any(cut(pair.differs, band).any() for band in bands)


def _draft(node: JudgedNode, says: str, strength: float, reading: ShadowReading) -> Draft:
    return Draft(
        at=node.at,
        property="box-shadow",
        strength=strength,
        box=node.placed.box,
        says=says,
        expected=1.0,
        actual=round(1 + reading.share, 2),
        delta=reading.share,
        unit="ratio",
        confidence=0.7,
    )
