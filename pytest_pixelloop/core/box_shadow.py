"""The shadow of a painted rectangle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_edges import SIDES, strip
from pytest_pixelloop.core.draft_finding import Draft

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

SHADOW_REACH = 24.0
"""CSS px outside an edge in which a shadow is looked for."""
SHADOW_SHARE = 0.5
"""By how much of itself a shadow may differ: rasterisers blur by different kernels."""
SIDE_DARKENED = 2.0
"""Levels x CSS px by which a side is darker than in the design; what lies beside a box darkens one
or two sides, a shadow three."""
UNEXPECTED_SHADOW = 24.0
"""Levels x CSS px, all sides together, from which a box without a shadow has one."""
SEEN_SHADOW = 1.0
"""Levels x CSS px from which a shadow of the design can be told from what lies around the box."""
SHADOW_LIMIT = 2.0
"""Levels x CSS px by which it may differ beyond that."""


def judge_shadow(pair: PicturePair, node: JudgedNode, *, moved: Rect) -> Draft | None:
    """Return the finding for a shadow that differs, None for none."""
    if node.shadow_reach <= 0 and (node.color is None or node.parent is None):
        return None
    expected = actual = 0.0
    darkened = 0
    for side in SIDES:
        masses = shadow_mass(pair, side, node.rect, moved=moved, reach=node.shadow_reach)
        if masses is not None:
            expected, actual = expected + masses[0], actual + masses[1]
            darkened += masses[1] - masses[0] > SIDE_DARKENED
    limit = SHADOW_SHARE * max(abs(expected), abs(actual)) + SHADOW_LIMIT
    if node.shadow_reach <= 0:
        # Nothing is expected here; what the surroundings do by themselves is seen in both.
        if abs(expected) > 2 * SHADOW_LIMIT or actual < UNEXPECTED_SHADOW or darkened < 3:
            return None
    elif expected < SEEN_SHADOW or abs(actual - expected) <= limit:
        return None  # alike, or lost in what lies around it: a shadow darkens
    word = "stronger" if abs(actual) > abs(expected) else "weaker"
    if abs(actual) < 0.3 * abs(expected):
        word = "no"
    return Draft(
        at=node.at,
        property="box-shadow",
        strength=abs(actual - expected) / limit,
        box=node.placed.box,
        says=f"{word} shadow ({actual:.0f} against {expected:.0f} levels x px)",
        expected=round(expected, 1),
        actual=round(actual, 1),
        delta=actual - expected,
        unit="levels px",
        confidence=0.7,
    )


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
        profile = strip(picture, side, place, out=out, into=1)
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
