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
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.corner_colors import corner_colors, is_even
from pytest_pixelloop.core.corner_model import (
    CornerColors,
    drawn_each,
    inset_of,
    left_by,
    radii_up_to,
    zone_of,
)
from pytest_pixelloop.core.corner_places import (
    GAIN,
    SEEN,
    CornerPixels,
    CornerPlace,
    changed_corners,
    halves,
)
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.pixel_runs import channels, runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.corner_model import CornerShape
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

RADIUS_LIMIT = 1.5
"""CSS px by which a corner radius may differ, and..."""
RADIUS_SHARE = 0.15
"""...the share of itself."""
RIVALS = 2.5
"""How many times better than the design's radius another one must explain the corner."""
_FEW = 0.3
"""CSS px squared that no radius explains: smoothing."""
_SAME = 0.5
"""CSS px by which a radius may be off and still be the same."""
_MUDDLED = 2.0
"""CSS px squared from which one colour a part does not explain the design's own corner."""


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


def _groups(places: Sequence[CornerPlace]) -> list[list[int]]:
    """Return the corners that share a box and a radius."""
    found: dict[tuple[int, float], list[int]] = {}
    for k, place in enumerate(places):
        found.setdefault((place.box, place.told), []).append(k)
    return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Readings:
    """The colours of corners in design and capture, and what the design's radius leaves of these.

    ``shows`` are the pixels that tell, design first; ``starts`` is where those of each corner begin
    in either half. ``seen`` tells where the parts of a corner can be told apart; ``actual_left`` is
    what is left in the capture, in CSS px squared. ``muddled`` are those corners of which much is,
    where the design's own shows a picture.
    """

    places: Sequence[CornerPlace]
    pixels: CornerPixels
    told: CornerColors
    shown: CornerColors
    shows: NDArray[np.uint32]
    starts: Sequence[int]
    unit: NDArray[np.float32]
    seen: Sequence[bool]
    actual_left: Sequence[float]
    muddled: Sequence[bool]

    def captures(
        self, group: Sequence[int], needed: float
    ) -> dict[int, NDArray[np.float32]] | None:
        """Return what the radii leave of corners of a group, in the capture, as far as known.

        None where too few of them may yet show another radius than the design's.
        """
        fits: dict[int, NDArray[np.float32]] = {}
        open_ = 0
        for tried, k in enumerate(group):
            if open_ >= needed or open_ + len(group) - tried < needed:
                break
            null = self.actual_left[k]
            if null < GAIN:
                continue  # the design's own radius explains it
            if self.muddled[k]:
                open_ += 1  # that can only be told by looking closely
                continue
            fits[k] = self._left(self._pixels(k)[1], self.shown.of(k), k)
            open_ += _is_better(null, float(fits[k].min()))
        return fits if open_ >= needed else None

    def corner(self, k: int, known: NDArray[np.float32] | None, *, scale: float) -> Corner:
        """Return what every radius leaves of one corner; *known* is that of the capture."""
        design, actual = self._pixels(k)
        left = self._left(design, self.told.of(k), k)
        if float(left.min()) > _MUDDLED:  # inside or outside is what the design shows there
            told, shown = self._painted_like(design, k)
            left, known = self._left(design, told, k), self._left(actual, shown, k)
        if known is None:
            known = self._left(actual, self.shown.of(k), k)
        return Corner(
            radius=self.places[k].told,
            radii=np.asarray(self._radii(k) / scale, np.float32),
            expected=left,
            actual=known,
        )

    def _radii(self, k: int) -> NDArray[np.float32]:
        """Return the radii that one corner is held against, in device px."""
        return radii_up_to(self.places[k].most, self.places[k].shape.radius)

    def _pixels(self, k: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return what design and capture show at a corner."""
        start = self.starts[k]
        span = slice(start, start + len(zone_of(self.places[k].shape)[0]))
        first, second = (channels(half[span]) for half in halves(self.shows))
        return first.astype(np.float32), second.astype(np.float32)

    def _left(
        self, pixels: NDArray[np.float32], colors: CornerColors, k: int
    ) -> NDArray[np.float32]:
        """Return what each radius leaves of a corner's *pixels*."""
        shape = self.places[k].shape
        left = left_by(self._radii(k), pixels, colors, zone_of(shape), line=shape.line)
        return np.asarray(left / self.unit[k], np.float32)

    def _painted_like(
        self, design: NDArray[np.float32], k: int
    ) -> tuple[CornerColors, CornerColors]:
        """Return the colours of a corner with the *design*'s own pixels where they are many."""
        shape, told = self.places[k].shape, self.told.of(k)
        rows, columns = zone_of(shape)
        across = np.asarray(columns + np.float32(0.5) - told.x, np.float32)
        down = np.asarray(rows + np.float32(0.5) - told.y, np.float32)
        inset = inset_of(across, down, np.asarray(shape.radius, np.float32))
        even = is_even(self.pixels.of(np.array([k])), shape)
        first, second = (
            colors.painted_like(design, told, inset=inset, line=shape.line, even=even)
            for colors in (told, self.shown.of(k))
        )
        return first, second


def _read(pair: PicturePair, places: Sequence[CornerPlace], pixels: CornerPixels) -> _Readings:
    """Return the colours of corners, and what the design's radius leaves of them."""
    shapes = [p.shape for p in places]
    colors, known = corner_colors(pixels, shapes)
    told, shown = (colors.of(half) for half in halves(np.arange(2 * len(shapes))))
    words, runs = pixels.take([zone_of(s) for s in shapes])
    contrast = told.contrast(np.array([s.line for s in shapes], np.float32))
    unit = np.maximum(contrast, np.float32(1e-3)) ** 2 * np.float32(pair.scale**2)
    left = _own_left(shown, shapes, halves(words)[1]) / unit
    seen = known & (contrast >= SEEN)
    muddled = np.zeros(len(shapes), np.bool_)
    some = np.flatnonzero(seen & (left >= GAIN))
    if len(some):
        zones = np.isin(runs.owner, some)
        own = _own_left(told.of(some), [shapes[k] for k in some], halves(words)[0][zones])
        muddled[some] = own / unit[some] > _MUDDLED
    return _Readings(
        places=places,
        pixels=pixels,
        told=told,
        shown=shown,
        shows=words,
        starts=runs.starts.tolist(),
        unit=unit,
        seen=seen.tolist(),
        actual_left=left.tolist(),
        muddled=muddled.tolist(),
    )


def _own_left(
    colors: CornerColors, shapes: Sequence[CornerShape], words: NDArray[np.uint32]
) -> NDArray[np.float32]:
    """Return the squared levels that the design's radius leaves of corners of one picture."""
    radius, line = np.array([(s.radius, s.line) for s in shapes], np.float32).T
    zones = [zone_of(s) for s in shapes]
    off = drawn_each(colors, zones, radius, line) - channels(words)
    sums = runs_of([len(z[0]) for z in zones]).sums(np.einsum("pc,pc->p", off, off))
    return np.asarray(sums, np.float32)


def judge_corners(
    pair: PicturePair, asked: Sequence[tuple[JudgedNode, Rect]]
) -> list[Draft | None]:
    """Return for each box and the place it is at now the finding for corners of another radius."""
    found: list[list[Draft]] = [[] for _ in asked]
    changed, pixels = changed_corners(pair, asked)
    enough = [g for g in _groups(changed) if len(g) >= _needed(changed[g[0]], len(g))]
    some = [k for g in enough for k in g]
    if some:
        places = [changed[k] for k in some]
        readings = _read(pair, places, pixels.of(np.array(some)))
        for group in _groups(places):
            box = places[group[0]].box
            draft = _judge(asked[box][0], readings, group, scale=pair.scale)
            if draft is not None:
                found[box].append(draft)
    return [max(drafts, key=lambda d: d.strength) if drafts else None for drafts in found]


def _needed(place: CornerPlace, known: int) -> float:
    """Return how many corners must agree that share a radius, where *known* can be read."""
    return max(min(2, place.alike), known / 2)


def _judge(
    node: JudgedNode, readings: _Readings, group: Sequence[int], *, scale: float
) -> Draft | None:
    """Return the finding for corners that share a radius in the design."""
    group = [k for k in group if readings.seen[k]]
    if not group:
        return None
    radius = readings.places[group[0]].told
    needed = _needed(readings.places[group[0]], len(group))
    captures = readings.captures(group, needed)
    if captures is None:
        return None  # the design's own radius explains too many of them
    slack = max(RADIUS_LIMIT, RADIUS_SHARE * radius)
    corners: list[Corner] = []
    silent = 0
    for k in group:
        corners.append(readings.corner(k, captures.get(k), scale=scale))
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
