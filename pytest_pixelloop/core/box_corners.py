"""The corners of painted rectangles: which radius explains what the two pictures show there.

Two hypotheses are held against the pixels: the design's radius, wherever between the pixels the
edges lie, and every other one. Evidence is only what another radius explains much better than the
design's, where the design's own picture says the opposite: how a rasteriser smooths a curve is
explained by neither.

All corners of a page are looked at together. Most are done with once it is known that too little
has changed, or that the design's radius explains it; only for the rest are other radii tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_pixelloop.core.corner_colors import CornerPixels, corner_colors
from pytest_pixelloop.core.corner_model import (
    MARGIN,
    CornerColors,
    CornerShape,
    drawn,
    drawn_each,
    inset_of,
    zone_of,
)
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.node_style import radii_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.corner_model import Pixels
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

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
_SLACKS = (0.6, 1.25)
"""Device px by which an edge may lie elsewhere, in the design and in the capture."""


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
        return _is_better(null, best) and against >= (null - best) / 3

    @property
    def speaks(self) -> bool:
        """Whether it may speak for any rival."""
        return _is_better(float(self.actual[self.about(_SAME)].min()), float(self.actual.min()))


def _is_better(null: float, best: float) -> bool:
    """Tell whether what another radius leaves is so much less than what the design's does."""
    return null - best >= GAIN and null >= RIVALS * (best + _FEW)


class _Place(NamedTuple):
    """One corner of one box: what the design says of it, and where it lies in both pictures.

    ``box`` is the box's place among those asked for, ``told`` its radius in CSS px. A start is the
    outermost pixel (x, y), ``turn`` the directions inwards along x and y.
    """

    box: int
    told: float
    shape: CornerShape
    most: float
    starts: tuple[tuple[int, int], tuple[int, int]]
    turn: tuple[int, int]


def _places(pair: PicturePair, node: JudgedNode, *, at: int, moved: Rect) -> Iterator[_Place]:
    """Yield the corners of a box at which something can be told."""
    scale, rect, box = pair.scale, node.rect, node.placed.box.scaled(pair.scale)
    small = min(rect[2] - rect[0], rect[3] - rect[1], moved[2] - moved[0], moved[3] - moved[1])
    height, width = pair.shape
    shaded = node.shadow_reach > 0
    told = radii_of(node.node)
    for k, (right, bottom) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
        radius = told[k] * scale
        most = min(radius + _ROOM * scale, small / 2)
        side = min(int(np.ceil(most)) + 3, small // 2)
        lines = node.borders[2 if right else 0], node.borders[3 if bottom else 1]
        if side < 3 or lines[0] != lines[1]:
            continue
        turn = -1 if right else 1, -1 if bottom else 1
        starts = tuple(
            (
                place[2] + MARGIN - 1 if right else place[0] - MARGIN,
                place[3] + MARGIN - 1 if bottom else place[1] - MARGIN,
            )
            for place in (rect, moved)
        )
        far = side + MARGIN - 1
        if not all(
            0 <= min(x, x + turn[0] * far) <= max(x, x + turn[0] * far) < width
            and 0 <= min(y, y + turn[1] * far) <= max(y, y + turn[1] * far) < height
            for x, y in starts
        ):
            continue
        shape = CornerShape(
            size=side + MARGIN,
            most=int(most),
            radius=radius,
            line=lines[0] * scale,
            x=MARGIN + (rect[2] - box.right if right else box.x - rect[0]),
            y=MARGIN + (rect[3] - box.bottom if bottom else box.y - rect[1]),
            shaded=shaded,
        )
        yield _Place(at, told[k], shape, most, (starts[0], starts[1]), turn)


def _pixels(picture: NDArray[np.uint8], places: Sequence[_Place], *, which: int) -> CornerPixels:
    """Return where corners lie in the design (*which* 0) or in the capture (1)."""
    width = picture.shape[1]
    starts = np.array([p.starts[which] for p in places], np.intp)
    turns = np.array([p.turn for p in places], np.intp)
    return CornerPixels(
        pixels=picture.reshape(-1, 3),
        start=starts[:, 1] * width + starts[:, 0],
        down=turns[:, 1] * width,
        across=turns[:, 0],
    )


def _changed(pair: PicturePair, places: Sequence[_Place]) -> list[_Place]:
    """Return the corners that changed by as much as another radius must explain."""
    far = [p for p in places if p.starts[0] != p.starts[1] or _differs(pair, p)]
    if not far:
        return []
    zones = [zone_of(p.shape) for p in far]
    corners = _pixels(pair.expected, far, which=0)
    expected, _, runs = corners.take(zones)
    actual, _, _ = _pixels(pair.actual, far, which=1).take(zones)
    apart = runs.sums(((actual.astype(np.int32) - expected) ** 2).sum(axis=1))
    outside = corners.first().astype(np.int32)[runs.owner]
    contrast = runs.largest(((expected - outside) ** 2).sum(axis=1))
    kept = (contrast >= _SEEN**2) & (apart >= GAIN / 2 * contrast * pair.scale**2)
    return [p for p, k in zip(far, kept.tolist(), strict=True) if k]


def _differs(pair: PicturePair, place: _Place) -> bool:
    (x, y), (right, down), size = place.starts[0], place.turn, place.shape.size
    x, y = (x if right > 0 else x - size + 1), (y if down > 0 else y - size + 1)
    return bool(pair.differs[y : y + size, x : x + size].any())


def _groups(places: Sequence[_Place]) -> list[list[int]]:
    """Return the corners that share a box and a radius, where there may be enough of them."""
    found: dict[tuple[int, float], list[int]] = {}
    for k, place in enumerate(places):
        found.setdefault((place.box, place.told), []).append(k)
    return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Readings:
    """The colours of corners in design and capture, and what the design's radius leaves of each.

    ``seen`` tells where the parts of a corner can be told apart. Lefts are in CSS px squared.
    """

    places: Sequence[_Place]
    expected: CornerPixels
    actual: CornerPixels
    told: CornerColors
    shown: CornerColors
    unit: NDArray[np.float32]
    seen: NDArray[np.bool_]
    expected_left: NDArray[np.float32]
    actual_left: NDArray[np.float32]

    def can_tell(self, group: Sequence[int], needed: float) -> bool:
        """Tell whether so many corners of a group may yet show another radius than the design's."""
        open_, left = 0, len(group)
        for k in group:
            if open_ >= needed or open_ + left < needed:
                break
            left -= 1
            open_ += self._is_open(k)
        return open_ >= needed

    def _is_open(self, k: int) -> bool:
        """Tell whether another radius may explain the capture so much better than the design's.

        Where the design shows a picture, that can only be told by looking closely.
        """
        if self.expected_left[k] > _MUDDLED:
            return True
        null = float(self.actual_left[k])
        if null < GAIN:
            return False
        return _is_better(null, float(self._capture(k, self.shown.of(k), self.radii(k)).min()))

    def radii(self, k: int) -> NDArray[np.float32]:
        """Return the radii that one corner is held against, in device px."""
        place = self.places[k]
        tried = np.append(np.linspace(0, place.most, _RADII), place.shape.radius)
        return np.unique(tried).astype(np.float32)

    def corner(self, k: int, *, scale: float) -> Corner:
        """Return what every radius leaves of one corner."""
        shape, radii = self.places[k].shape, self.radii(k)
        expected, zone, _ = self.expected.of(np.array([k])).take([zone_of(shape)])
        design = expected.astype(np.float32)
        told, shown = self.told.of(k), self.shown.of(k)
        left = _left(design, told, zone, radii, line=shape.line) / self.unit[k]
        if float(left.min()) > _MUDDLED:  # a picture, inside or outside: it is what it shows
            across = np.asarray(zone[1] + np.float32(0.5) - told.x, np.float32)
            down = np.asarray(zone[0] + np.float32(0.5) - told.y, np.float32)
            inset = inset_of(across, down, np.asarray(shape.radius, np.float32))
            known = told.painted_like(design, told, inset=inset, line=shape.line)
            left = _left(design, known, zone, radii, line=shape.line) / self.unit[k]
            shown = shown.painted_like(design, told, inset=inset, line=shape.line)
        return Corner(
            radius=self.places[k].told,
            radii=np.asarray(radii / scale, np.float32),
            expected=left,
            actual=self._capture(k, shown, radii),
        )

    def _capture(
        self, k: int, shown: CornerColors, radii: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return what each radius leaves of a corner of the capture."""
        shape = self.places[k].shape
        actual, zone, _ = self.actual.of(np.array([k])).take([zone_of(shape)])
        left = _left(actual.astype(np.float32), shown, zone, radii, line=shape.line)
        return np.asarray(left / self.unit[k], np.float32)


def _left(
    pixels: NDArray[np.float32],
    colors: CornerColors,
    zone: Pixels,
    radii: NDArray[np.float32],
    *,
    line: float,
) -> NDArray[np.float32]:
    off = drawn(colors, zone, radii, line) - pixels
    return np.asarray(np.einsum("rpc,rpc->r", off, off), np.float32)


def _read(pair: PicturePair, places: Sequence[_Place]) -> _Readings:
    """Return the colours of corners, and what the design's radius leaves of them."""
    shapes = [p.shape for p in places]
    radius = np.array([s.radius for s in shapes], np.float32)
    line = np.array([s.line for s in shapes], np.float32)
    zones = [zone_of(s) for s in shapes]
    read = []
    for which, picture in enumerate((pair.expected, pair.actual)):
        corners = _pixels(picture, places, which=which)
        colors, known = corner_colors(corners, shapes, slack=_SLACKS[which])
        pixels, at, runs = corners.take(zones)
        off = drawn_each(colors, runs.owner, at, radius, line) - pixels
        read.append((corners, colors, known, runs.sums((off**2).sum(axis=1))))
    (expected, told, known, own), (actual, shown, also, other) = read
    contrast = told.contrast(line)
    unit = np.maximum(contrast, np.float32(1e-3)) ** 2 * np.float32(pair.scale**2)
    return _Readings(
        places=places,
        expected=expected,
        actual=actual,
        told=told,
        shown=shown,
        unit=unit,
        seen=known & also & (contrast >= _SEEN),
        expected_left=np.asarray(own / unit, np.float32),
        actual_left=np.asarray(other / unit, np.float32),
    )


def judge_corners(
    pair: PicturePair, asked: Sequence[tuple[JudgedNode, Rect]]
) -> list[Draft | None]:
    """Return for each box and the place it is at now the finding for corners of another radius."""
    places = [
        p for at, (n, moved) in enumerate(asked) for p in _places(pair, n, at=at, moved=moved)
    ]
    found: list[list[Draft]] = [[] for _ in asked]
    changed = _changed(pair, places)
    enough = [g for g in _groups(changed) if len(g) >= _needed(asked, changed[g[0]], len(g))]
    some = [changed[k] for g in enough for k in g]
    if some:
        readings = _read(pair, some)
        for group in _groups(some):
            node = asked[some[group[0]].box][0]
            draft = _judge(node, readings, group, scale=pair.scale)
            if draft is not None:
                found[some[group[0]].box].append(draft)
    return [max(drafts, key=lambda d: d.strength) if drafts else None for drafts in found]


def _needed(asked: Sequence[tuple[JudgedNode, Rect]], place: _Place, known: int) -> float:
    """Return how many corners must agree that share a radius, where *known* can be read."""
    alike = radii_of(asked[place.box][0].node).count(place.told)
    return max(min(2, alike), known / 2)


def _judge(
    node: JudgedNode, readings: _Readings, group: Sequence[int], *, scale: float
) -> Draft | None:
    """Return the finding for corners that share a radius in the design."""
    group = [k for k in group if readings.seen[k]]
    if not group:
        return None
    radius = readings.places[group[0]].told
    needed = max(min(2, radii_of(node.node).count(radius)), len(group) / 2)
    if not readings.can_tell(group, needed):
        return None  # the design's own radius explains too many of them
    slack = max(RADIUS_LIMIT, RADIUS_SHARE * radius)
    corners: list[Corner] = []
    silent = 0
    for k in group:
        corners.append(readings.corner(k, scale=scale))
        silent += not corners[-1].speaks
        if len(group) - silent < needed:
            return None
    own = np.any([c.about(slack) for c in corners], axis=0)
    if own.all():
        return None
    left = np.where(own, np.inf, np.sum([c.actual for c in corners], axis=0))
    rival = int(left.argmin())
    if sum(c.speaks_for(rival) for c in corners) < needed:
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
