"""The shadow of a painted rectangle: what changed around it, held against what its shadow adds.

A matched filter: along each side the change is the median over the side's length, so that what
lies here and there beside the box does not count, and the whole fall-off is judged at once: a
shadow of a few levels is plain over all its pixels where no single pixel is.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_flanks import (
    REACH,
    Flanks,
    flank_pixels,
    flank_places,
    outer_shadows,
    read_flanks,
)
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.rectangles import cut, grown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
    levels x CSS px; ``unsure`` is by how many levels the change varies most along a side.
    """

    energy: float
    change: float
    noise: float
    share: float
    masses: tuple[float, ...]
    unsure: float


def read_shadows(flanks: Flanks, *, scale: float) -> dict[int, ShadowReading]:
    """Return how the surroundings of each box changed, held against its shadow."""
    rows = np.arange(flanks.own.shape[1])
    keep = rows < flanks.rows[:, None]
    # The first row may hold a part of the box itself, where its edge lies between pixels.
    step, rise = (np.abs(v[:, 0] - v[:, 1]) for v in (flanks.actual, flanks.own))
    keep[:, 0] = step <= 1.5 * rise + 3
    own, noise = flanks.own * keep, flanks.noise * keep
    came = (flanks.change - _common(flanks)[:, None]) * keep
    left = ((came[:, None] - flanks.slips * keep[:, None]) ** 2).sum(axis=2).min(axis=1)
    masses = np.maximum(-came - _ROUNDED, 0).sum(axis=1) / scale
    sides = zip(
        flanks.box.tolist(),
        (own**2).sum(axis=1).tolist(),
        left.tolist(),
        (noise**2).sum(axis=1).tolist(),
        (own * came).sum(axis=1).tolist(),
        masses.tolist(),
        (flanks.noise * (rows < flanks.rows[:, None])).max(axis=1).tolist(),
        strict=True,
    )
    boxes: dict[int, list[tuple[float, ...]]] = {}
    for box, *measured in sides:
        boxes.setdefault(box, []).append(tuple(measured))
    found = {}
    for box, measures in boxes.items():
        energies, changes, noises, products, darker, unsure = zip(*measures, strict=True)
        found[box] = ShadowReading(
            energy=sum(energies),
            change=sum(changes),
            noise=sum(noises),
            share=sum(products) / max(sum(energies), 1e-6),
            masses=darker,
            unsure=max(unsure),
        )
    return found


def _common(flanks: Flanks) -> NDArray[np.float64]:
    """Return by how much the backdrop itself has changed: alike at the far end of all sides."""
    ends = flanks.change[np.arange(len(flanks.rows)), flanks.rows - 1].tolist()
    sides: dict[int, list[int]] = {}
    for k, box in enumerate(flanks.box.tolist()):
        sides.setdefault(box, []).append(k)
    common = np.zeros(len(ends))
    for some in sides.values():
        levels = [ends[k] for k in some]
        middle = median(levels)
        if len(some) > 1 and max(abs(level - middle) for level in levels) <= _SAME:
            common[some] = middle
    return common


def judge_shadows(
    pair: PicturePair, asked: Sequence[tuple[JudgedNode, Rect]]
) -> list[Draft | None]:
    """Return for each box and the place it is at now the finding for a shadow that differs."""
    found: list[Draft | None] = [None] * len(asked)
    shaded = [bool(outer_shadows(node)) for node, _ in asked]
    some = [
        at
        for at, (node, moved) in enumerate(asked)
        if (shaded[at] or (node.color is not None and node.parent is not None))
        and (moved != node.rect or _changed_around(pair, node.rect))
    ]
    places = flank_places(asked, some, shape=pair.shape, scale=pair.scale)
    if not len(places.box):
        return found
    pixels = flank_pixels(pair, places)
    still, total = (
        np.bincount(places.box, weights, len(asked)) for weights in (pixels.still(), None)
    )
    # What is the same on all sides is the shadow it was; a new one darkens at least three.
    kept = (total > 0) & (still < np.where(shaded, total, _OPEN))
    wanted = kept[places.box]
    if not wanted.any():
        return found
    flanks = read_flanks(pair, places.of(wanted), pixels.of(wanted), [n for n, _ in asked])
    for at, reading in read_shadows(flanks, scale=pair.scale).items():
        node, moved = asked[at]
        found[at] = _judge(node, reading, moved=moved, shaded=shaded[at], scale=pair.scale)
    return found


def _judge(
    node: JudgedNode, reading: ShadowReading, *, moved: Rect, shaded: bool, scale: float
) -> Draft | None:
    if shaded:
        return _changed(node, reading)
    far = max(abs(a - b) for a, b in zip(moved, node.rect, strict=True))
    if far > _NEAR * scale or reading.unsure > _EVEN:  # a photo, put down anew
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
