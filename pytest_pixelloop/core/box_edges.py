"""The four edges of painted rectangles: where the design has them and the capture shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_pixelloop.core.side_strips import SIDES, Profiles, Strips, read_strips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

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

FREE = 1000
"""Device px of room that are no limit."""


class Edge(NamedTuple):
    """One side of a box.

    ``offset`` is how far it lies from the design's place, outwards or inwards, in device px along
    the axis (right and down positive), None where it cannot be told.

    ``expected`` and ``actual`` are the profiles across it, from outside to inside, a moved edge
    laid on the design's give or take a CSS px. ``zero`` is the place of the design's edge in them;
    they are ``whole`` where both pictures show all of them.
    """

    side: str
    offset: int | None
    expected: NDArray[np.float32]
    actual: NDArray[np.float32]
    zero: int
    whole: bool


class EdgeQuestion(NamedTuple):
    """A rectangle whose four sides to look for.

    ``hints`` are where each is already known to have moved, ``rooms`` how far the content lies
    inside; both in device px. ``border`` and ``radius`` are in CSS px; ``shown`` tells which sides
    can be seen.
    """

    rect: Rect
    hints: Sequence[tuple[int, int]]
    border: float = 0.0
    radius: float = 0.0
    rooms: Sequence[int] = (FREE, FREE, FREE, FREE)
    shown: Sequence[bool] = (True, True, True, True)


Edges = tuple[Edge | None, Edge | None, Edge | None, Edge | None]


def read_edges(pair: PicturePair, questions: Sequence[EdgeQuestion]) -> list[Edges]:
    """Return how the sides of rectangles show in the capture, None where the design has no edge.

    First each is looked for at home; only what is not plainly there is looked for further away.
    """
    if not questions:
        return []
    strips, hints = _strips(questions, pair.scale)
    told = read_strips(pair.expected_words, strips)
    zero, slack = round(OUT * pair.scale), max(round(pair.scale), 1)
    shown = np.array([q.shown for q in questions]).reshape(-1)
    which = np.flatnonzero(_with_edge(told, zero) & shown)
    near = _captured(pair, _some_of(strips, which), hints[which], more=slack + 1)
    which, near = which[near.present], _some(near, np.flatnonzero(near.present))
    found: list[Edge | None] = [None] * len(strips.side)
    if not len(which):
        return _by_four(found)
    told = _some(told, which)
    offsets, actual, whole = _looked_for(pair, _some_of(strips, which), hints[which], told, near)
    expected, lengths = told.colors.astype(np.float32), told.lengths.tolist()
    for k, (at, offset) in enumerate(zip(which.tolist(), offsets, strict=True)):
        side, hint = at % 4, questions[at // 4].hints[at % 4][at % 2]
        outwards = offset if offset is None or side < 2 else -offset
        found[at] = Edge(
            side=SIDES[side],
            offset=None if outwards is None else outwards + hint,
            expected=expected[k, : lengths[k]],
            actual=actual[k, : lengths[k]],
            zero=zero,
            whole=whole[k],
        )
    return _by_four(found)


def _looked_for(
    pair: PicturePair, strips: Strips, hints: NDArray[np.intp], told: Profiles, near: Profiles
) -> tuple[list[int | None], NDArray[np.float32], list[bool]]:
    """Return how far outwards sides were found, the profiles there, and which of them are whole.

    *told* are the design's profiles, *near* the capture's around the same places.
    """
    more = int(near.lengths[0] - told.lengths[0]) // 2
    rows = slice(more, -more)
    actual = near.colors[:, rows].astype(np.float32)
    beyond = np.arange(actual.shape[1]) >= told.lengths[:, None]
    shown = np.asarray(told.known & (near.known[:, rows] | beyond))
    whole: list[bool] = np.logical_and.reduce(shown, axis=1).tolist()
    shifts, likeness = _homes(told, near, slack=more - 1)
    offsets: list[int | None] = list(shifts)
    doubtful = [k for k, v in enumerate(likeness) if v < 1 - _BETTER + _EXACT]
    if doubtful:
        some = np.array(doubtful)
        reach = round(REACH * pair.scale)
        wide = _captured(pair, _some_of(strips, some), hints[some], more=reach)
        far = _elsewhere(_some(told, some), wide)
        for k, shift, other, moved, seen in zip(doubtful, *far, strict=True):
            if likeness[k] >= _AT_HOME and likeness[k] >= other - _BETTER:
                continue  # a px more or less is for the readers to place
            offsets[k] = shift if other >= _ELSEWHERE else None
            if offsets[k] is not None:
                actual[k, : len(moved)], whole[k] = moved, whole[k] and seen
    return offsets, actual, whole


def _some_of(strips: Strips, which: NDArray[np.intp]) -> Strips:
    return Strips(*(v[which] for v in strips))


def _by_four(found: Sequence[Edge | None]) -> list[Edges]:
    return list(zip(found[::4], found[1::4], found[2::4], found[3::4], strict=True))


def _strips(questions: Sequence[EdgeQuestion], scale: float) -> tuple[Strips, NDArray[np.intp]]:
    """Return what to read across the sides of rectangles in the design, and the hints."""
    rect = np.array([q.rect for q in questions], np.intp).repeat(4, axis=0)
    side = np.tile(np.arange(4), len(questions))
    border = np.array([q.border for q in questions]).repeat(4)
    room = np.array([q.rooms for q in questions], np.intp).reshape(-1)
    curve = np.rint(np.array([q.radius for q in questions]) * scale).astype(np.intp).repeat(4)
    size = np.where(side % 2, rect[:, 3] - rect[:, 1], rect[:, 2] - rect[:, 0])
    far = np.rint((IN + border) * scale).astype(np.intp)
    least = np.rint(border * scale).astype(np.intp) + 1
    into = np.maximum(np.minimum(np.minimum(far, size // 2), room - 1), least)
    hints = np.array([q.hints for q in questions], np.intp).reshape(-1, 2)
    return Strips(side, rect, np.full(len(side), round(OUT * scale)), into, curve), hints


def _with_edge(profiles: Profiles, out: int) -> NDArray[np.bool_]:
    """Return which profiles show an edge, and enough of the *out* px that lie outside of it."""
    steps = profiles.colors.max(axis=1) - profiles.colors.min(axis=1)
    rows = np.arange(profiles.known.shape[1]) < profiles.lengths[:, None]
    beyond = np.count_nonzero(~profiles.known & rows, axis=1)
    outside = (beyond == 0) | (beyond < out - 1)
    return np.asarray(profiles.present & outside & (steps.max(axis=1) >= FAINT))


def _captured(pair: PicturePair, strips: Strips, hints: NDArray[np.intp], *, more: int) -> Profiles:
    """Return the capture's profiles of sides, *more* px longer at either end."""
    side, rect, out, into, curve = strips
    moved = rect + np.tile(hints, 2)
    return read_strips(pair.actual_words, Strips(side, moved, out + more, into + more, curve))


def _some(profiles: Profiles, which: NDArray[np.intp]) -> Profiles:
    """Return some of the profiles, no longer than the longest of them."""
    rows = slice(int(profiles.lengths[which].max(initial=0)))
    return Profiles(
        colors=profiles.colors[which, rows],
        lengths=profiles.lengths[which],
        known=profiles.known[which, rows],
        present=profiles.present[which],
    )


def _homes(told: Profiles, near: Profiles, *, slack: int) -> tuple[list[int], list[float]]:
    """Return by how many px, *slack* at most, each edge lies off its place, and the likeness there.

    Between two pixels an edge is two half rows for one rasteriser and one whole row for another:
    the design's profile is also laid half a pixel to either side. Where light and dark have changed
    places, it is the same edge between other colours.
    """
    expected = told.colors.astype(np.float32)
    padded = np.concatenate([expected[:, :1], expected, expected[:, -1:]], axis=1)
    halves = np.stack([(padded[:, :-2] + expected) / 2, expected, (expected + padded[:, 2:]) / 2])
    other = np.diff(_softened(near.colors.astype(np.float32))[:, 1:-1], axis=1)
    laid = _scores(np.diff(_softened(halves), axis=2), other, told.lengths)
    scores, turned = laid.max(axis=0), -laid.min(axis=0)
    flipped = (scores.max(axis=1) < _AT_HOME) & (turned.max(axis=1) >= _ELSEWHERE)
    scores = np.where(flipped[:, None], turned, scores)
    ranked = scores - 0.02 * np.abs(np.arange(-slack, slack + 1)) / slack
    best = ranked.argmax(axis=1)
    return (best - slack).tolist(), scores[np.arange(len(best)), best].tolist()


def _elsewhere(
    told: Profiles, wide: Profiles
) -> tuple[list[int], list[float], list[NDArray[np.uint8]], list[bool]]:
    """Return where sides are most alike in *wide* ones, how much so, and the profiles there.

    The last tells which of these lie in the picture as a whole.
    """
    lengths, far = told.lengths, int(wide.lengths[0] - told.lengths[0]) // 2
    slopes = np.diff(_softened(told.colors.astype(np.float32)), axis=1)
    other = np.diff(_softened(wide.colors.astype(np.float32)), axis=1)
    scores = _scores(slopes[None], other, lengths)[0]
    ranked = scores - 0.01 * np.abs(np.arange(-far, far + 1)) / max(far, 1)
    best = ranked.argmax(axis=1)
    spans = [slice(b, b + n) for b, n in zip(best.tolist(), lengths.tolist(), strict=True)]
    return (
        (best - far).tolist(),
        scores[np.arange(len(best)), best].tolist(),
        [colors[span] for colors, span in zip(wide.colors, spans, strict=True)],
        [bool(known[span].all()) for known, span in zip(wide.known, spans, strict=True)],
    )


def _scores(
    slopes: NDArray[np.float32], other: NDArray[np.float32], lengths: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return how alike the steps of profiles are at each place of others, -1..1.

    *slopes* is (way to lay it, profile, step, channel), *other* (profile, step, channel), *lengths*
    how many rows each profile has.
    """
    steps = slopes.shape[2]
    counted = (np.arange(1, steps + 1) < lengths[:, None]).astype(np.float32)
    slopes = slopes * counted[..., None]
    windows = np.lib.stride_tricks.sliding_window_view(other, steps, axis=1)
    products = np.einsum("nkcs,hnsc->hnk", windows, slopes)
    energy = np.einsum("hnsc,hnsc->hn", slopes, slopes)[..., None]
    squares = np.einsum("nsc,nsc->ns", other, other)
    around = np.lib.stride_tricks.sliding_window_view(squares, steps, axis=1)
    norms = np.sqrt(np.einsum("nks,ns->nk", around, counted) * energy)
    return np.asarray(np.divide(products, norms, out=np.zeros_like(products), where=norms > 0))


def _softened(profiles: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return profiles blurred by a pixel: a hairline on two rows is the one on either."""
    first, last = profiles[..., :1, :], profiles[..., -1:, :]
    padded = np.concatenate([first, profiles, last], axis=-2)
    soft = padded[..., :-2, :] / 4 + padded[..., 1:-1, :] / 2 + padded[..., 2:, :] / 4
    return np.asarray(soft, np.float32)
