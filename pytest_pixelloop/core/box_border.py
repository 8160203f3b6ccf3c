"""The border of a painted rectangle, read by its mass across the edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_edges import FAINT, Edge
from pytest_pixelloop.core.color import delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode

LINE_LIMIT = 2.5
"""CIEDE2000 by which a border may differ: it is a few rows that no rasteriser places alike."""
CURVED_LIMIT = 11.0
"""The same for circles and pills, whose border is straight for a pixel or two only."""


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


def judge_border(node: JudgedNode, edges: Sequence[Edge | None], *, scale: float) -> Draft | None:
    """Return the finding for the side whose border differs most, None for none."""
    round_all = 2.5 * node.radius >= min(node.placed.box.w, node.placed.box.h)
    limit = CURVED_LIMIT if round_all else LINE_LIMIT
    worst: tuple[float, Draft] | None = None
    for edge, width in zip(edges, node.borders, strict=True):
        if edge is None or width <= 0:
            continue
        line = read_line(edge, width=width, scale=scale)
        if line is None:
            continue
        if float(np.abs(line.expected - line.actual).max()) <= 1.0:
            continue
        apart = delta_e(np.clip(line.expected, 0, 255), np.clip(line.actual, 0, 255))
        if apart <= limit or (worst and apart <= worst[0]):
            continue
        wider = (line.actual_width - line.expected_width) / scale
        if abs(wider) >= 0.6:
            draft = Draft(
                at=node.at,
                property="border-width",
                strength=apart / limit,
                box=node.placed.box,
                expected=width,
                actual=round(max(width + wider, 0), 1),
                delta=wider,
                unit="px",
                says=f"border {max(width + wider, 0):.1f}px wide on the {edge.side}, "
                f"expected {width:g}px",
            )
        else:
            draft = Draft(
                at=node.at,
                property="border-color",
                strength=apart / limit,
                box=node.placed.box,
                expected=hex_color(line.expected),
                actual=hex_color(line.actual),
                delta=apart,
                unit="CIEDE2000",
                says=f"border-color {hex_color(line.actual)} on the {edge.side}, expected "
                f"{hex_color(line.expected)} (CIEDE2000 {apart:.1f})",
            )
        worst = (apart, draft)
    return worst[1] if worst else None
