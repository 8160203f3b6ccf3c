"""The lines that borders are: each side's profile taken apart, and drawn anew by what it may be.

A profile is outside, line, inside. Where the line lies between the pixels is free within a pixel,
as rasterisers place it: no other colour, width or absence is told that this explains. All sides of
a page are looked at together; most are done with when the design's own line explains them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_pixelloop.core.box_edges import FAINT, Edge
from pytest_pixelloop.core.color import ciede2000, srgb_to_lab

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
_NEAR = np.linspace(-0.6, 0.6, 13)
"""Device px around its place in which the design's own line is looked for."""
AWAY = np.arange(-_STEPS, _STEPS + 1) / _STEPS  # whole pixels are among the places
"""Places in units of the slip at which a line is tried."""
AT_HOME = np.zeros(1)
_COST = _NOISE / 4
"""Squared levels that a line costs at the end of its slip."""
WHOLE = 0.02
"""Device px by which a place may be off and still be a whole pixel's."""
_CURVED = 2.5
"""Rows of a line that a curve may cost, in units of its limit."""
_WIDTHS = (-2.0, -1.0, 1.0, 2.0, 3.0)
"""CSS px by which other widths are tried."""


class LineQuestion(NamedTuple):
    """A side with a border: *near* is where the design has it, in device px, *width* in CSS px.

    A *curved* side is straight for a pixel or two only: no two rasterisers make the same of it.
    """

    edge: Edge
    near: float
    width: float
    curved: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """One side's border, and what is left unexplained by each thing it may be in the capture.

    ``color`` is the design's, ``actual`` the colour that explains the capture best at the design's
    ``width``, ``apart`` how far that is off (CIEDE2000), ``wide`` the other width that does;
    ``limit`` is the CIEDE2000 from which a colour is another; ``noise`` what may be left
    unexplained; ``inside`` is what lies within, ``contrast`` how far that is off the design's
    colour; ``rows`` is how many rows of pixels the line fills.
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
    apart: float
    contrast: float
    wide: float
    as_designed: float
    recolored: float
    resized: float

    def told(self, rest: float) -> bool:
        """Tell whether *rest* is so much less than the design's border leaves unexplained."""
        return self.as_designed >= TELLING * (rest + self.noise)

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
        if self.as_designed < self.recolored + self.noise:
            return False
        depth, left = self.color - self.inside, self.actual - self.inside
        square = float((depth**2).sum())
        share = float((left * depth).sum()) / max(square, 1e-6)
        if abs(share) > GONE or square < FAINT**2 * 3:
            return False
        return self.contrast >= SEEN

    @property
    def differs(self) -> bool:
        """Whether the side's border is another than the design's."""
        return self.is_wider or (self.is_recolored and self.apart > self.limit)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scenes:
    """Profiles taken apart: rows ``outside`` and ``inside``, a line of ``color`` between them.

    (line, row, channel), as long as the longest of them; ``low`` and ``high`` are the rows that
    count of each, ``within`` what lies inside next to the line. ``place`` and ``width`` are in
    device px; ``noise`` is what may be left unexplained, in squared levels.
    """

    questions: Sequence[LineQuestion]
    scale: float
    actual: NDArray[np.float64]
    outside: NDArray[np.float64]
    inside: NDArray[np.float64]
    color: NDArray[np.float64]
    within: NDArray[np.float64]
    place: NDArray[np.float64]
    width: NDArray[np.float64]
    low: NDArray[np.intp]
    high: NDArray[np.intp]
    noise: NDArray[np.float64]

    def of(self, which: NDArray[np.intp]) -> Scenes:
        """Return some of them."""
        return Scenes(
            questions=[self.questions[k] for k in which.tolist()],
            scale=self.scale,
            actual=self.actual[which],
            outside=self.outside[which],
            inside=self.inside[which],
            color=self.color[which],
            within=self.within[which],
            place=self.place[which],
            width=self.width[which],
            low=self.low[which],
            high=self.high[which],
            noise=self.noise[which],
        )

    def sums(self, away: NDArray[np.float64], *, more: float = 0.0) -> Sums:
        """Return what the design's line leaves of the capture, and how that goes with the line.

        At each place that many CSS px *away*, *more* CSS px wider. Only the rows that count do.
        """
        home = np.rint(self.place * _STEPS) / _STEPS
        places = home[:, None] + away * _SLIP * self.scale
        rows = np.arange(int(self.low.min(initial=0)), int(self.high.max(initial=1)))
        return summed(
            self.actual[:, rows],
            (self.outside[:, rows], self.inside[:, rows]),
            _shares(places, self.width + more * self.scale, rows),
            color=self.color,
            counted=(rows >= self.low[:, None]) & (rows < self.high[:, None]),
        )

    def calm(self, away: NDArray[np.float64] = AWAY) -> NDArray[np.bool_]:
        """Return which sides the design's line explains at a place: nothing else can be told."""
        left = self.sums(away).left + _COST * away**2
        return np.asarray(left.min(axis=1, initial=np.inf) < self.noise)

    def lines(self) -> list[Line]:
        """Return what each thing that the sides may show leaves unexplained."""
        if not len(self.questions):
            return []
        sums, cost = self.sums(AWAY), _COST * AWAY**2
        designed = (sums.left + cost).min(axis=1)
        lined, weight = sums.lined, np.maximum(sums.weight, 1e-6)
        changed = sums.left - (lined**2).sum(axis=2) / weight + cost
        each, best = np.arange(len(changed)), changed.argmin(axis=1)
        change = lined[each, best] / weight[each, best, None]
        actual = np.clip(self.color + change, 0, 255)
        others = srgb_to_lab(np.stack([actual, self.within]))
        apart, contrast = ciede2000(srgb_to_lab(self.color), others).tolist()
        resized, wide = self._resized(designed >= TELLING * self.noise)
        return [
            Line(
                side=question.edge.side,
                width=question.width,
                rows=question.width * self.scale,
                limit=LINE_LIMIT * (1 + (_CURVED / (self.width[k]) if question.curved else 0)),
                noise=float(self.noise[k]),
                color=self.color[k],
                inside=self.within[k],
                actual=actual[k],
                apart=apart[k],
                contrast=contrast[k],
                wide=float(wide[k]),
                as_designed=float(designed[k]),
                recolored=float(changed[k, best[k]]),
                resized=float(resized[k]),
            )
            for k, question in enumerate(self.questions)
        ]

    def _resized(self, open_: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the best other width leaves unexplained, and that width.

        Only of those *open_*: the others' own width leaves too little.
        """
        width = np.array([q.width for q in self.questions])
        near = np.array([q.near for q in self.questions])
        best, wide = np.full(len(width), np.inf), width.copy()
        for more in _WIDTHS:
            ends = near + (width + more) * self.scale < self.high - 0.5
            which = np.flatnonzero(open_ & (width + more > 0) & ends)
            if len(which):
                left = (self.of(which).sums(AWAY, more=more).left + _COST * AWAY**2).min(axis=1)
                better = which[left < best[which]]
                best[better], wide[better] = left[left < best[which]], width[better] + more
        return best, wide


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sums:
    """What lines leave of profiles at each place tried, (side, place), in squared levels.

    ``terms`` are the shares of rows, their squares and products; ``factors`` what goes with them in
    the product of what is left with the line.
    """

    left: NDArray[np.float64]
    terms: NDArray[np.float64]
    factors: NDArray[np.float64]

    @property
    def lined(self) -> NDArray[np.float64]:
        """The product of what is left with the line, by channel."""
        return np.asarray(self.terms[..., : self.factors.shape[1]] @ self.factors)

    @property
    def weight(self) -> NDArray[np.float64]:
        """The product of the line with itself: ``lined / weight`` is what its colour is off."""
        count = self.factors.shape[1] // 3
        return np.asarray(self.terms[..., count : 2 * count].sum(axis=2))


def summed(
    pixels: NDArray[np.float64],
    around: tuple[NDArray[np.float64], NDArray[np.float64]],
    shares: tuple[NDArray[np.float64], NDArray[np.float64]],
    *,
    color: NDArray[np.float64],
    counted: NDArray[np.bool_],
) -> Sums:
    """Return what lines, one *color* a side, leave of the rows of *pixels* that are *counted*.

    *around* are the rows outside and inside, *shares* how much of each row is line and inside,
    (side, place, row). What is left is a square of a sum: it is put together from the products of
    its terms, of which only the shares go by place and only the colours by channel.
    """
    line, inner = (share * counted[:, None] for share in shares)
    bare = (pixels - around[0]) * counted[..., None]
    over, step = around[0] - color[:, None], around[0] - around[1]
    squares = [(bare, over, 2), (over, over, 1), (over, step, 2), (bare, step, 2), (step, step, 1)]
    products = np.concatenate([n * np.einsum("nra,nra->nr", a, b) for a, b, n in squares], axis=1)
    terms = np.concatenate([line, line**2, line * inner, inner, inner**2], axis=2)
    left = (terms @ products[..., None])[..., 0] + (bare**2).sum(axis=(1, 2))[:, None]
    return Sums(left=left, terms=terms, factors=np.concatenate([bare, over, step], axis=1))


def _shares(
    places: NDArray[np.float64], width: NDArray[np.float64], rows: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how much of each row is line and how much is inside, (line, place, row)."""
    inset = (rows + 0.5 - places[..., None]).astype(np.float32)  # as such it is clipped fast
    outer = np.clip(inset + np.float32(0.5), 0, 1).astype(np.float64)
    inner = np.clip(inset - width[:, None, None].astype(np.float32) + np.float32(0.5), 0, 1)
    return outer - inner, inner.astype(np.float64)


def read_scenes(questions: Sequence[LineQuestion], *, scale: float) -> tuple[Scenes, list[int]]:
    """Return the sides as scenes, and which of *questions* they are: what is not whole is none."""
    kept = _whole(questions, scale)
    some = [questions[k] for k in kept]
    length = np.array([len(q.edge.expected) for q in some], np.intp)
    expected, actual = (np.zeros((len(some), int(length.max(initial=1)), 3)) for _ in range(2))
    if some:
        filled = np.arange(expected.shape[1]) < length[:, None]
        expected[filled] = np.concatenate([q.edge.expected for q in some])
        actual[filled] = np.concatenate([q.edge.actual for q in some])
    near = np.array([q.near for q in some])
    width = np.array([q.width for q in some]) * scale
    last, first = _ends(near, width)
    each, rows = np.arange(len(some)), np.arange(expected.shape[1])[None, :, None]
    edge, inner = expected[each, last], expected[each, first]
    fade = edge - expected[each, np.maximum(last - 1, 0)]  # a shadow darkens up to the edge
    beyond = np.minimum(rows - last[:, None, None], 2)
    outside = np.where(beyond <= 0, expected, edge[:, None] + fade[:, None] * beyond)
    inside = np.where(rows >= first[:, None, None], expected, inner[:, None])
    color, place = _designed(expected, (outside, inside), near, width, length)
    low = np.maximum(np.trunc(near - 2 * scale).astype(np.intp) - 1, 0)
    high = np.minimum(np.ceil(near + width + 2 * scale).astype(np.intp) + 1, length)
    row = np.minimum(np.trunc(near).astype(np.intp), length - 1)
    within = inside[each, row]
    steps = ((within - color) ** 2).sum(axis=1) + ((outside[each, row] - color) ** 2).sum(axis=1)
    shade = actual[each, low] - expected[each, low]
    return Scenes(
        questions=some,
        scale=scale,
        actual=actual,
        outside=outside + shade[:, None],
        inside=inside,
        color=color,
        within=within,
        place=place,
        width=width,
        low=low,
        high=high,
        noise=_NOISE + (fade**2).sum(axis=1) / 8 + _PLACED**2 * steps,
    ), kept


def _whole(questions: Sequence[LineQuestion], scale: float) -> list[int]:
    """Return which sides show outside, line and inside, in both pictures."""
    near = np.array([q.near for q in questions], np.float64)
    width = np.array([q.width * scale for q in questions], np.float64)
    last, first = (ends.tolist() for ends in _ends(near, width))
    return [
        k
        for k, q in enumerate(questions)
        if last[k] >= 0 and first[k] < len(q.edge.expected) and q.edge.whole
    ]


def _ends(
    near: NDArray[np.float64], width: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the last row that is outside only, and the first that is inside only."""
    blurred = np.where(np.abs(near - np.rint(near)) > WHOLE, 0.6, 0.0)
    last = np.floor(near - blurred + WHOLE).astype(np.intp) - 1
    return last, np.ceil(near + width + blurred - WHOLE).astype(np.intp)


def _designed(
    expected: NDArray[np.float64],
    around: tuple[NDArray[np.float64], NDArray[np.float64]],
    near: NDArray[np.float64],
    width: NDArray[np.float64],
    length: NDArray[np.intp],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the colours of the design's lines, and the places that explain its picture best.

    Where the node file has them, as long as the picture does not say otherwise.
    """
    places, rows = near[:, None] + _NEAR, np.arange(expected.shape[1])
    known, none = rows < length[:, None], np.zeros((len(near), 3))
    shares = _shares(places, width, rows)
    sums = summed(expected, around, shares, color=none, counted=known)
    lined, weight = sums.lined, sums.weight[..., None]
    colors = np.clip(lined / np.maximum(weight, 1e-6), 0, 255)
    errors = sums.left + (colors * (colors * weight - 2 * lined)).sum(axis=2)
    each, best = np.arange(len(near)), errors.argmin(axis=1)
    told = len(_NEAR) // 2
    best = np.where(errors[:, told] <= TELLING * (errors[each, best] + _NOISE), told, best)
    return colors[each, best], places[each, best]
