"""The corners of a painted rectangle: which radius explains what the two pictures show there.

Two hypotheses are held against the pixels: the design's radius, wherever between the pixels the
edges lie, and every other one. Evidence is only what another radius explains much better than the
design's, where the design's own picture says the opposite: how a rasteriser smooths a curve is
explained by neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.corner_model import MARGIN, CornerColors, corner_colors, drawn, zone_of
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.node_style import radii_of
from pytest_pixelloop.core.rectangles import Rect, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair

RADIUS_LIMIT = 1.5
"""CSS px by which a corner radius may differ, and..."""
RADIUS_SHARE = 0.15
"""...the share of itself."""
GAIN = 0.9
"""CSS px squared, wrong by the corner's whole contrast, that another radius must explain."""
RIVALS = 2.5
"""How many times better than the design's radius another one must explain the corner."""
_FEW = 0.3
"""CSS px squared that no radius explains: smoothing."""
_SAME = 0.5
"""CSS px by which a radius may be off and still be the same."""
_MUDDLED = 2.0
"""CSS px squared from which one colour a part does not explain the design's own corner."""
_SEEN = 8.0
"""Distance in RGB from which inside, line and outside can be told apart."""
_RADII = 20
"""How many other radii are tried."""
_ROOM = 12.0
"""CSS px beyond the design's radius up to which others are tried."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corner:
    """What each radius leaves unexplained of one corner, in CSS px squared.

    ``radii`` are in CSS px; ``expected`` and ``actual`` hold what is left of design and capture.
    """

    radius: float
    radii: NDArray[np.float32]
    expected: NDArray[np.float32]
    actual: NDArray[np.float32]

    def about(self, slack: float) -> NDArray[np.bool_]:
        """Return which radii are the design's, as told or as painted, give or take *slack*."""
        painted = float(self.radii[int(self.expected.argmin())])
        low, high = min(self.radius, painted) - slack, max(self.radius, painted) + slack
        return np.asarray((self.radii >= low) & (self.radii <= high))

    def speaks_for(self, rival: int) -> bool:
        """Tell whether this corner alone shows the rival's radius, where the design's does not."""
        own = self.about(_SAME)
        null, best = float(self.actual[own].min()), float(self.actual[rival])
        against = float(self.expected[rival] - self.expected[own].min())
        gain = null - best
        return gain >= GAIN and null >= RIVALS * (best + _FEW) and against >= gain / 3


def _turned(
    picture: NDArray[np.uint8], place: Rect, *, side: int, right: int, bottom: int
) -> NDArray[np.float32] | None:
    """Return one corner with a margin around it, turned so that outside is top left."""
    x = place[2] - side if right else place[0] - MARGIN
    y = place[3] - side if bottom else place[1] - MARGIN
    size = side + MARGIN
    if x < 0 or y < 0 or x + size > picture.shape[1] or y + size > picture.shape[0]:
        return None
    square = cut(picture, (x, y, x + size, y + size))
    square = square[:, ::-1] if right else square
    return (square[::-1] if bottom else square).astype(np.float32)


def read_corner(
    pair: PicturePair, node: JudgedNode, *, moved: Rect, right: int, bottom: int
) -> Corner | None:
    """Return how well each radius explains one corner; None where nothing can be told."""
    scale, rect, box = pair.scale, node.rect, node.placed.box.scaled(pair.scale)
    small = min(rect[2] - rect[0], rect[3] - rect[1], moved[2] - moved[0], moved[3] - moved[1])
    radius = (
        radii_of(node.node)[(3 if bottom else 0) if not right else (2 if bottom else 1)] * scale
    )
    most = min(radius + _ROOM * scale, small / 2)
    side = min(int(np.ceil(most)) + 3, small // 2)
    lines = node.borders[2 if right else 0], node.borders[3 if bottom else 1]
    if side < 3 or lines[0] != lines[1]:
        return None
    expected, actual = (
        _turned(p, at, side=side, right=right, bottom=bottom)
        for p, at in ((pair.expected, rect), (pair.actual, moved))
    )
    if expected is None or actual is None:
        return None
    shaded = node.shadow_reach > 0
    zone = zone_of(len(expected), int(most), beyond=0.0 if shaded else 1.0)
    if not _changed(expected[zone], actual[zone], outside=expected[0, 0], scale=scale):
        return None
    line = lines[0] * scale
    near = (
        MARGIN + (rect[2] - box.right if right else box.x - rect[0]),
        MARGIN + (rect[3] - box.bottom if bottom else box.y - rect[1]),
    )
    told, seen = (
        corner_colors(p, radius=radius, line=line, near=near, slack=slack, shaded=shaded)
        for p, slack in ((expected, 0.6), (actual, 1.25))
    )
    if told is None or seen is None or told.contrast(line) < _SEEN:
        return None
    unit = told.contrast(line) ** 2 * scale**2
    radii = np.unique(np.append(np.linspace(0, most, _RADII), radius)).astype(np.float32)
    left = _left(expected, told, radii, line=line, zone=zone) / unit
    if float(left.min()) > _MUDDLED:  # a picture, inside or outside: it is what the design shows
        known = told.painted_like(expected, told, radius=radius, line=line)
        left = _left(expected, known, radii, line=line, zone=zone) / unit
        seen = seen.painted_like(expected, told, radius=radius, line=line)
    return Corner(
        radius=radius / scale,
        radii=radii / np.float32(scale),
        expected=left,
        actual=_left(actual, seen, radii, line=line, zone=zone) / unit,
    )


def _changed(
    expected: NDArray[np.float32],
    actual: NDArray[np.float32],
    *,
    outside: NDArray[np.float32],
    scale: float,
) -> bool:
    """Tell whether the pixels changed by as much as another radius must explain."""
    apart = float(((actual - expected) ** 2).sum())
    contrast = float(((expected - outside) ** 2).sum(axis=1).max())
    return contrast >= _SEEN**2 and apart >= GAIN / 2 * contrast * scale**2


def _left(
    pixels: NDArray[np.float32],
    colors: CornerColors,
    radii: NDArray[np.float32],
    *,
    line: float,
    zone: NDArray[np.bool_],
) -> NDArray[np.float32]:
    off = drawn(colors, len(pixels), radii, line)[:, zone] - pixels[zone]
    return np.asarray((off**2).sum(axis=(1, 2)), np.float32)


def judge_corners(pair: PicturePair, node: JudgedNode, *, moved: Rect) -> Draft | None:
    """Return the finding for corners of another radius, None for none."""
    radii = radii_of(node.node)
    found: dict[float, list[Corner]] = {}
    for k, (right, bottom) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
        corner = read_corner(pair, node, moved=moved, right=right, bottom=bottom)
        if corner is not None:
            found.setdefault(radii[k], []).append(corner)
    drafts = [_judge(node, corners, of=radii.count(r)) for r, corners in found.items()]
    known = [d for d in drafts if d is not None]
    return max(known, key=lambda d: d.strength) if known else None


def _judge(node: JudgedNode, corners: list[Corner], *, of: int) -> Draft | None:
    """Return the finding for corners that share a radius in the design; *of* is how many do."""
    radius = corners[0].radius
    slack = max(RADIUS_LIMIT, RADIUS_SHARE * radius)
    own = np.any([c.about(slack) for c in corners], axis=0)
    if own.all():
        return None
    left = np.where(own, np.inf, np.sum([c.actual for c in corners], axis=0))
    rival = int(left.argmin())
    agreeing = sum(c.speaks_for(rival) for c in corners)
    if agreeing < max(min(2, of), len(corners) / 2):
        return None
    actual = float(corners[0].radii[rival])
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
