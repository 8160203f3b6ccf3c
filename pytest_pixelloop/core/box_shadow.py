"""The shadow of a painted rectangle: what changed around it, held against what its shadow adds.

A matched filter: along each side the change is the median over the side's length, so that what
lies here and there beside the box does not count, and the whole fall-off is judged at once: a
shadow of a few levels is plain over all its pixels where no single pixel is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_flanks import (
    REACH,
    Flank,
    FlankPlace,
    flank_places,
    read_flanks,
    still_flanks,
)
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.node_style import shadows_of
from pytest_pixelloop.core.rectangles import cut, grown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

_NEAR = 3.0
"""CSS px by which a box may have moved and still be held against its old surroundings."""
_OPEN = 2
"""Sides that are as they were from which a box without a shadow has none: too few are left."""
_EVEN = 1.0
"""Levels by which the darkening along a side may vary where it is a shadow."""
_ROUNDED = 1.0
"""Levels of darkening that rounding may make."""
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


def judge_shadows(
    pair: PicturePair, asked: Sequence[tuple[JudgedNode, Rect]]
) -> list[Draft | None]:
    """Return for each box and the place it is at now the finding for a shadow that differs."""
    shaded = [any(not s.inset for s in shadows_of(node.node)) for node, _ in asked]
    places = [
        place
        for at, (node, moved) in enumerate(asked)
        if (shaded[at] or (node.color is not None and node.parent is not None))
        for place in _places(pair, node, moved, at)
    ]
    still: dict[int, int] = {}
    for place, calm in zip(places, still_flanks(pair, places), strict=True):
        still[place.box] = still.get(place.box, 0) + calm
    total = Counter(place.box for place in places)
    # What is the same on all sides is the shadow it was; a new one darkens at least three.
    kept = {k for k in total if still[k] < (total[k] if shaded[k] else _OPEN)}
    wanted = [place for place in places if place.box in kept]
    flanks: list[list[Flank]] = [[] for _ in asked]
    for place, flank in zip(wanted, read_flanks(pair, wanted, [n for n, _ in asked]), strict=True):
        if flank is not None:
            flanks[place.box].append(flank)
    return [
        _judge(node, found, moved=moved, shaded=shaded[at], scale=pair.scale)
        if at in kept
        else None
        for at, ((node, moved), found) in enumerate(zip(asked, flanks, strict=True))
    ]


def _places(pair: PicturePair, node: JudgedNode, moved: Rect, at: int) -> list[FlankPlace]:
    """Return the flanks of a box, none where nothing around it has changed."""
    if moved == node.rect and not _changed_around(pair, node.rect):
        return []
    return flank_places(node, moved, box=at, shape=pair.shape, scale=pair.scale)


def _judge(
    node: JudgedNode, flanks: Sequence[Flank], *, moved: Rect, shaded: bool, scale: float
) -> Draft | None:
    reading = read_shadow(flanks, scale=scale)
    if shaded:
        return _changed(node, reading)
    far = max(abs(a - b) for a, b in zip(moved, node.rect, strict=True))
    uneven = any(float(f.noise.max()) > _EVEN for f in flanks)  # a photo, put down anew
    if far > _NEAR * scale or uneven:
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
