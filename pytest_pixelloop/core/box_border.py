"""The border of a painted rectangle: one line across each edge, drawn anew by what it may be.

Each side's profile is outside, line, inside. Where the line lies between the pixels is free within
a pixel, as rasterisers place it: no other colour, width or absence is told that this explains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.box_edges import FAINT, Edge
from pytest_pixelloop.core.color import delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.node_style import solid_fill, stroke_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode

LINE_LIMIT = 2.5
"""CIEDE2000 by which a border may differ: it is a few rows that no rasteriser places alike."""
GONE = 0.35
"""Share of a border's contrast below which it is not there, and..."""
SEEN = 1.5
"""...CIEDE2000 to the fill from which one sees that it is not."""
TELLING = 3.0
"""How many times better than the design's border another one must explain a side."""
_NOISE = 4.0
"""Squared levels a side that rasterisation leaves unexplained."""
_PLACED = 0.05
"""Device px to which an edge can be placed: by so much of the steps beside it a row may be off."""
_SLIP = 1.0
"""CSS px by which a line may lie elsewhere."""
_STEPS = 24
"""Places a CSS px at which the line is tried."""
_STRAIGHT = 4.0
"""CSS px of a side between its corners below which it is a curve."""
_WHOLE = 0.02
"""Device px by which a place may be off and still be a whole pixel's."""
_CURVED = 2.5
"""Rows of a line that a curve may cost, in units of its limit."""
_WIDTHS = (-2.0, -1.0, 1.0, 2.0, 3.0)
"""CSS px by which other widths are tried."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """One side's border, and what is left unexplained by each thing it may be in the capture.

    ``color`` is the design's, ``actual`` the colour that explains the capture best at the design's
    ``width``, ``wide`` the other width that does; ``limit`` is the CIEDE2000 from which a colour is
    another; ``noise`` what may be left unexplained;
    ``inside`` is what lies within; ``rows`` is how many rows of pixels the line fills.
    Lengths are CSS px, rests squared levels.
    """

    side: str
    width: float
    rows: float
    limit: float
    noise: float
    color: NDArray[np.float64]
    inside: NDArray[np.float64]
    actual: NDArray[np.float64]
    wide: float
    as_designed: float
    recolored: float
    resized: float

    def told(self, rest: float) -> bool:
        """Tell whether *rest* is so much less than the design's border leaves unexplained."""
        return self.as_designed >= TELLING * (rest + self.noise)

    @property
    def apart(self) -> float:
        """CIEDE2000 of the line's colour to the design's."""
        return delta_e(self.color, self.actual)

    @property
    def is_wider(self) -> bool:
        """Whether another width explains the side."""
        return self.told(self.resized) and self.resized <= self.recolored + self.noise

    @property
    def is_recolored(self) -> bool:
        """Whether another colour explains the side: all of the line must have changed to it."""
        change = float(((self.actual - self.color) ** 2).sum()) * self.rows
        return self.told(self.recolored) and self.as_designed - self.recolored >= 0.2 * change

    @property
    def is_gone(self) -> bool:
        """Whether the side rather shows what lies within the border instead of it."""
        depth, left = self.color - self.inside, self.actual - self.inside
        square = float((depth**2).sum())
        share = float((left * depth).sum()) / max(square, 1e-6)
        seen = square >= FAINT**2 * 3 and delta_e(self.color, self.inside) >= SEEN
        better = self.as_designed >= self.recolored + self.noise
        return better and seen and abs(share) <= GONE

    @property
    def differs(self) -> bool:
        """Whether the side's border is another than the design's."""
        return self.is_wider or (self.is_recolored and self.apart > self.limit)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scene:
    """The design's profile taken apart: rows outside and inside, the line between at ``place``.

    ``fade`` is how unsure the outside is next to it, in squared levels.
    """

    outside: NDArray[np.float64]
    inside: NDArray[np.float64]
    color: NDArray[np.float64]
    place: float
    width: float
    fade: float

    def shares(
        self, places: NDArray[np.float64], width: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how much of each row is line and how much is inside, (place, row, 1)."""
        inset = np.arange(len(self.outside)) + 0.5 - places[:, None]
        outer, inner = np.clip(inset + 0.5, 0, 1), np.clip(inset - width + 0.5, 0, 1)
        return (outer - inner)[..., None], inner[..., None]


def _scene(profile: NDArray[np.float64], *, near: float, width: float) -> _Scene | None:
    """Return the design's side as a scene: the place within half a pixel that explains it best."""
    blurred = 0.6 if abs(near - round(near)) > _WHOLE else 0.0
    last, first = (
        int(np.floor(near - blurred + _WHOLE)) - 1,
        int(np.ceil(near + width + blurred - _WHOLE)),
    )
    if last < 0 or first >= len(profile):
        return None
    rows = np.arange(len(profile))[:, None]
    fade = profile[last] - profile[max(last - 1, 0)]  # a shadow goes on darkening to the edge
    outside = np.where(rows <= last, profile, profile[last] + fade * np.minimum(rows - last, 2))
    inside = np.where(rows >= first, profile, profile[first])
    blank = _Scene(
        outside=outside, inside=inside, color=np.zeros(3), place=near, width=width, fade=0
    )
    places = near + np.linspace(-0.6, 0.6, 13)
    line, inner = blank.shares(places, width)
    rest = profile - (1 - line - inner) * outside - inner * inside
    colors = np.clip((line * rest).sum(axis=1) / np.maximum((line**2).sum(axis=1), 1e-6), 0, 255)
    errors = ((rest - line * colors[:, None]) ** 2).sum(axis=(1, 2))
    best, told = int(errors.argmin()), len(places) // 2
    if errors[told] <= TELLING * (errors[best] + _NOISE):
        best = told  # where the node file has it, as long as the picture does not say otherwise
    return _Scene(
        outside=outside,
        inside=inside,
        color=colors[best],
        place=float(places[best]),
        width=width,
        fade=float((fade**2).sum()) / 8,
    )


def read_line(
    edge: Edge, *, near: float, width: float, scale: float, curved: bool = False
) -> Line | None:
    """Return how one side's border shows; *near* is where the design has it, in device px.

    *width* is in CSS px. A *curved* side is straight for a pixel or two only: no two rasterisers
    make the same of it.
    """
    known = ~np.isnan(edge.expected[:, 0]) & ~np.isnan(edge.actual[:, 0])
    if not known.all():
        return None
    expected, actual = edge.expected.astype(np.float64), edge.actual.astype(np.float64)
    scene = _scene(expected, near=near, width=width * scale)
    if scene is None:
        return None
    low = max(int(near - 2 * scale) - 1, 0)
    high = min(int(np.ceil(near + (width + 2) * scale)) + 1, len(expected))
    shade = actual[low] - expected[low]
    away = np.arange(-_STEPS, _STEPS + 1) / _STEPS  # whole pixels are among the places
    places = np.rint(scene.place * _STEPS) / _STEPS + away * _SLIP * scale
    cost = _NOISE / 4 * away**2
    line, inner = scene.shares(places, scene.width)
    backdrop = (1 - line - inner) * (scene.outside + shade) + inner * scene.inside
    rest = (actual - backdrop - line * scene.color)[:, low:high]
    designed = (rest**2).sum(axis=(1, 2)) + cost
    inked = line[:, low:high]
    change = (inked * rest).sum(axis=1) / np.maximum((inked**2).sum(axis=1), 1e-6)
    changed = ((rest - inked * change[:, None]) ** 2).sum(axis=(1, 2)) + cost
    best = int(changed.argmin())
    row = min(int(near), len(scene.inside) - 1)
    steps = (scene.inside[row] - scene.color, scene.outside[row] - scene.color)
    unsure = _PLACED**2 * sum(float((step**2).sum()) for step in steps)
    resized, wide = np.inf, width
    for more in _WIDTHS:
        if width + more <= 0 or near + (width + more) * scale >= high - 0.5:
            continue
        line, inner = scene.shares(places, (width + more) * scale)
        shown = (1 - line - inner) * (scene.outside + shade) + inner * scene.inside
        left = (((actual - shown - line * scene.color)[:, low:high]) ** 2).sum(axis=(1, 2)) + cost
        if float(left.min()) < resized:
            resized, wide = float(left.min()), width + more
    return Line(
        side=edge.side,
        width=width,
        rows=width * scale,
        limit=LINE_LIMIT * (1 + (_CURVED / (width * scale) if curved else 0)),
        noise=_NOISE + scene.fade + unsure,
        color=scene.color,
        inside=scene.inside[row],
        actual=np.clip(scene.color + change[best], 0, 255),
        wide=wide,
        as_designed=float(designed.min()),
        recolored=float(changed[best]),
        resized=resized,
    )


def _near(node: JudgedNode, edge: Edge, *, width: float, scale: float) -> float:
    """Return where in an edge's profile the design's line begins, in device px."""
    box, rect = node.placed.box.scaled(scale), node.rect
    within = {
        "left": box.x - rect[0],
        "top": box.y - rect[1],
        "right": rect[2] - box.right,
        "bottom": rect[3] - box.bottom,
    }[edge.side]
    stroke = stroke_of(node.node)
    beyond = {"OUTSIDE": 1.0, "CENTER": 0.5}.get(stroke.align if stroke else "", 0.0)
    return edge.zero + within - beyond * width * scale


def judge_border(node: JudgedNode, edges: Sequence[Edge | None], *, scale: float) -> Draft | None:
    """Return the finding for the side whose border differs most, None for none."""
    lines = []
    for edge, width in zip(edges, node.borders, strict=True):
        if edge is None or width <= 0:
            continue
        near = _near(node, edge, width=width, scale=scale)
        if abs(near - edge.zero) > (width + 1) * scale:
            continue  # cut off by the picture or an ancestor
        long = node.placed.box.h if edge.side in ("left", "right") else node.placed.box.w
        curved = long - 2 * node.radius < _STRAIGHT
        line = read_line(edge, near=near, width=width, scale=scale, curved=curved)
        if line is not None:
            lines.append(line)
    # A border of the fill's own colour cannot be seen to be gone or wider: only to be another.
    gone = [] if _is_of_the_fill(node) else _gone(lines)
    differing = gone or [line for line in lines if line.differs]
    if 2 * len(differing) < max(len(lines), 1):
        return None  # one side alone is something beside the box, or in it
    return _draft(node, max(differing, key=lambda line: line.as_designed))


def _is_of_the_fill(node: JudgedNode) -> bool:
    """Tell whether the design gives the border the colour of the fill that it goes around."""
    stroke, fill = stroke_of(node.node), solid_fill(node.node)
    if stroke is None or stroke.color is None or fill is None or min(stroke.color.a, fill.a) < 1:
        return False
    return delta_e(stroke.color.rgb, fill.rgb) < SEEN


def _gone(lines: Sequence[Line]) -> list[Line]:
    """Return the sides that show no border, where together they leave no doubt.

    By itself a side without a line looks much like one whose edge has slipped outwards.
    """
    gone = [line for line in lines if line.is_gone]
    designed = sum(line.as_designed for line in lines)
    without = sum(line.recolored + line.noise for line in lines)
    return gone if 2 * len(gone) >= len(lines) and designed >= TELLING * without else []


def _draft(node: JudgedNode, line: Line) -> Draft:
    strength = max(line.apart / line.limit, 1.0)
    if line.is_wider or line.is_gone:
        wide = line.wide if line.is_wider else 0.0
        shown = f"border {wide:g}px wide" if wide else "no border"
        return Draft(
            at=node.at,
            property="border-width",
            strength=strength,
            box=node.placed.box,
            expected=line.width,
            actual=wide,
            delta=wide - line.width,
            unit="px",
            says=f"{shown} on the {line.side}, expected {line.width:g}px",
        )
    return Draft(
        at=node.at,
        property="border-color",
        strength=strength,
        box=node.placed.box,
        expected=hex_color(line.color),
        actual=hex_color(line.actual),
        delta=line.apart,
        unit="CIEDE2000",
        says=f"border-color {hex_color(line.actual)} on the {line.side}, expected "
        f"{hex_color(line.color)} (CIEDE2000 {line.apart:.1f})",
    )
