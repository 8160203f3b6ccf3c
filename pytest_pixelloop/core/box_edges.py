"""The four edges of painted rectangles: where the design has them and the capture shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_pixelloop.core.pixel_runs import runs_of
from pytest_pixelloop.core.rectangles import Rect, shifted
from pytest_pixelloop.core.side_strips import Profile, Strip, read_strips

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.picture_pair import PicturePair

OUT = 5.0
"""CSS px outside an edge that belong to its profile."""
IN = 5.0
"""CSS px inside an edge that belong to its profile."""
REACH = 26.0
"""CSS px by which an edge is looked for on either side of where it should be."""
FAINT = 3.0
"""Levels (0..255): an edge with less contrast cannot be placed."""
_AT_HOME = 0.5
"""Likeness from which an edge is where it should be, unless it is..."""
_BETTER = 0.25
"""...by so much more alike elsewhere."""
_ELSEWHERE = 0.8
"""Likeness from which it is found in another place."""

_EXACT = 1e-3
"""What rounding may do to a likeness."""

SIDES = ("left", "top", "right", "bottom")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edge:
    """One side of a box.

    ``offset`` is how far it lies from the design's place, outwards or inwards, in device px along
    the axis (right and down positive), None where it cannot be told.

    ``expected`` and ``actual`` are the profiles across it, from outside to inside, a moved edge
    laid on the design's give or take a CSS px. ``zero`` is the place of the design's edge in them.
    """

    side: str
    offset: int | None
    expected: NDArray[np.float32]
    actual: NDArray[np.float32]
    zero: int


class EdgeQuestion(NamedTuple):
    """A side of a rectangle to look for.

    ``hint`` is where the whole rectangle is already known to have moved, ``room`` how far its
    content lies inside the edge; both in device px. ``border`` and ``radius`` are in CSS px.
    """

    side: str
    rect: Rect
    hint: tuple[int, int] = (0, 0)
    border: float = 0.0
    radius: float = 0.0
    room: int = 1000

    def strip(self, rect: Rect, scale: float, *, more: int = 0) -> Strip:
        """Return what to read across the side of *rect*, *more* px at either end."""
        x0, y0, x1, y1 = self.rect
        across = x1 - x0 if self.side in ("left", "right") else y1 - y0
        out = round(OUT * scale)
        least = round(self.border * scale) + 1
        into = max(min(round((IN + self.border) * scale), across // 2, self.room - 1), least)
        return Strip(self.side, rect, out + more, into + more, round(self.radius * scale))


def read_edges(pair: PicturePair, questions: Sequence[EdgeQuestion]) -> list[Edge | None]:
    """Return how sides show in the capture, None where the design has no edge.

    First each is looked for at home; only what is not plainly there is looked for further away.
    """
    scale, out = pair.scale, round(OUT * pair.scale)
    told = read_strips(pair.expected_words, [q.strip(q.rect, scale) for q in questions])
    seen = _with_edge(told, out)
    slack = max(round(scale), 1)
    near = _captured(pair, questions, list(seen), more=slack + 1)
    found: list[Edge | None] = [None] * len(questions)
    homes: dict[int, tuple[int, float]] = {}
    for group in _alike(near):
        expected = np.stack([seen[k].colors for k in group]).astype(np.float32)
        around = np.stack([near[k].colors for k in group]).astype(np.float32)
        homes.update(zip(group, _homes(expected, around, slack=slack), strict=True))
    doubtful = [k for k, (_, likeness) in homes.items() if likeness < 1 - _BETTER + _EXACT]
    elsewhere = _elsewhere(pair, questions, seen, doubtful)
    for k, (shift, likeness) in homes.items():
        question, actual = questions[k], near[k].known()[slack + 1 : -slack - 1]
        far, other, moved = elsewhere.get(k, (shift, 0.0, actual))
        if likeness >= _AT_HOME and likeness >= other - _BETTER:
            offset: int | None = shift  # a px more or less is for the readers to place
        else:
            offset = far if other >= _ELSEWHERE else None
            actual = actual if offset is None else moved
        along = question.hint[0] if question.side in ("left", "right") else question.hint[1]
        sign = 1 if question.side in ("left", "top") else -1
        found[k] = Edge(
            side=question.side,
            offset=None if offset is None else sign * offset + along,
            expected=seen[k].known(),
            actual=actual,
            zero=out,
        )
    return found


def _with_edge(profiles: Sequence[Profile | None], out: int) -> dict[int, Profile]:
    """Return the profiles that show an edge, and enough of the *out* px that lie outside of it."""
    whole = {
        k: p
        for k, p in enumerate(profiles)
        if p is not None and (p.beyond is None or int(p.beyond.sum()) < out - 1)
    }
    if not whole:
        return {}
    starts = runs_of([len(p.colors) for p in whole.values()]).starts
    colors = np.concatenate([p.colors for p in whole.values()])
    steps = np.maximum.reduceat(colors, starts) - np.minimum.reduceat(colors, starts)
    seen = (steps.max(axis=1) >= FAINT).tolist()
    return {k: p for (k, p), edged in zip(whole.items(), seen, strict=True) if edged}


def _captured(
    pair: PicturePair, questions: Sequence[EdgeQuestion], which: Sequence[int], *, more: int
) -> dict[int, Profile]:
    """Return the capture's profiles, *more* px longer at either end, of sides that it shows."""
    strips = [
        questions[k].strip(shifted(questions[k].rect, *questions[k].hint), pair.scale, more=more)
        for k in which
    ]
    profiles = read_strips(pair.actual_words, strips)
    return {k: p for k, p in zip(which, profiles, strict=True) if p is not None}


def _alike(profiles: Mapping[int, Profile]) -> list[list[int]]:
    """Return the profiles that are equally long, to be held against each other at once."""
    groups: dict[int, list[int]] = {}
    for k, profile in profiles.items():
        groups.setdefault(len(profile.colors), []).append(k)
    return list(groups.values())


def _homes(
    expected: NDArray[np.float32], around: NDArray[np.float32], *, slack: int
) -> list[tuple[int, float]]:
    """Return by how many px, *slack* at most, each edge lies off its place, and the likeness there.

    Between two pixels an edge is two half rows for one rasteriser and one whole row for another:
    the design's profile is also laid half a pixel to either side.
    """
    padded = np.concatenate([expected[:, :1], expected, expected[:, -1:]], axis=1)
    halves = np.stack([(padded[:, :-2] + expected) / 2, expected, (expected + padded[:, 2:]) / 2])
    slopes = np.diff(_softened(halves), axis=2)
    other = np.diff(_softened(around)[:, 1:-1], axis=1)
    scores = _scores(slopes, other).max(axis=0)
    ranked = scores - 0.02 * np.abs(np.arange(-slack, slack + 1)) / slack
    best = ranked.argmax(axis=1)
    likeness = scores[np.arange(len(best)), best]
    return list(zip((best - slack).tolist(), likeness.tolist(), strict=True))


def _elsewhere(
    pair: PicturePair,
    questions: Sequence[EdgeQuestion],
    told: Mapping[int, Profile],
    which: Sequence[int],
) -> dict[int, tuple[int, float, NDArray[np.float32]]]:
    """Return where sides are most alike within REACH, how much so, and the profile there."""
    far = round(REACH * pair.scale)
    wide = _captured(pair, questions, which, more=far)
    found: dict[int, tuple[int, float, NDArray[np.float32]]] = {}
    for group in _alike(wide):
        expected = np.stack([told[k].colors for k in group]).astype(np.float32)
        around = np.stack([wide[k].colors for k in group]).astype(np.float32)
        slopes = np.diff(_softened(expected), axis=1)
        scores = _scores(slopes[None], np.diff(_softened(around), axis=1))[0]
        ranked = scores - 0.01 * np.abs(np.arange(-far, far + 1)) / max(far, 1)
        for k, best, row in zip(group, ranked.argmax(axis=1).tolist(), scores, strict=True):
            length = len(told[k].colors)
            found[k] = best - far, float(row[best]), wide[k].known()[best : best + length]
    return found


def _scores(slopes: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return how alike the steps of profiles are at each place of others, -1..1.

    *slopes* is (way to lay it, profile, step, channel), *other* (profile, step, channel).
    """
    windows = np.lib.stride_tricks.sliding_window_view(other, slopes.shape[2], axis=1)
    products = np.einsum("nkcs,hnsc->hnk", windows, slopes)
    energy = np.einsum("hnsc,hnsc->hn", slopes, slopes)[..., None]
    norms = np.sqrt(np.einsum("nkcs,nkcs->nk", windows, windows) * energy)
    return np.asarray(np.divide(products, norms, out=np.zeros_like(products), where=norms > 0))


def _softened(profiles: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return profiles blurred by a pixel: a hairline on two rows is the one on either."""
    first, last = profiles[..., :1, :], profiles[..., -1:, :]
    padded = np.concatenate([first, profiles, last], axis=-2)
    soft = padded[..., :-2, :] / 4 + padded[..., 1:-1, :] / 2 + padded[..., 2:, :] / 4
    return np.asarray(soft, np.float32)
