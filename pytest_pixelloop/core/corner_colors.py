"""The colours of many corners, and where their edges lie, read from both pictures at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.corner_model import MARGIN, CornerColors, band_of, rim_of
from pytest_pixelloop.core.corner_places import halves
from pytest_pixelloop.core.pixel_runs import channels, runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.corner_model import CornerShape, Pixels
    from pytest_pixelloop.core.corner_places import CornerPixels

_UNEVEN = 4.0
"""Levels by which a fill may vary; what varies more is a picture."""
_FEW = 3
"""Pixels of the inside below which it has no colour."""
_STEP = 0.125
"""Device px at which the place of an edge is tried."""
_NONE = 1e-6
"""Weight below which a line has no part in a profile."""
_SLACKS = (0.6, 1.25)
"""Device px by which an edge may lie elsewhere, in the design and in the capture."""


def corner_colors(
    corners: CornerPixels, shapes: Sequence[CornerShape]
) -> tuple[CornerColors, NDArray[np.bool_]]:
    """Return the colours of corners, first in the design, then in the capture, and which have any.

    *shapes* are those of the corners, each once.
    """
    bands = [band_of(s) for s in shapes]
    known = np.array([len(b[0]) >= _FEW for b in bands], np.bool_)
    rims = [rim_of(s.size) for s in shapes]
    whole = [b if len(b[0]) >= _FEW else rim for b, rim in zip(bands, rims, strict=True)]
    outside, fill = (_medians(corners, places) for places in (rims, whole))
    profiles, lengths = _profiles(corners, shapes)
    places, colors = _edges(profiles, lengths, fill, shapes)
    return CornerColors(
        outside=outside,
        inside=fill,
        line=np.asarray((colors[:, 0] + colors[:, 1]) / 2, np.float32),
        x=places[:, 0],
        y=places[:, 1],
        shaded=np.array([s.shaded for s in (*shapes, *shapes)], np.bool_),
        fades=profiles[:, :, :MARGIN],
    ), known


def _medians(corners: CornerPixels, places: Sequence[Pixels]) -> NDArray[np.float32]:
    """Return the median colour at the *places* of each corner, in the design and the capture."""
    words, _ = corners.take(places)
    return runs_of(2 * [len(p[0]) for p in places]).colors(words).astype(np.float32)


def is_even(corner: CornerPixels, shape: CornerShape) -> bool:
    """Tell whether the inside of one corner is one colour in the design, and not a picture."""
    band, _ = halves(channels(corner.take([band_of(shape)])[0]).astype(np.int16))
    middle = np.sort(band, axis=0)[len(band) // 2]
    return float(np.sort(np.abs(band - middle), axis=None)[band.size // 2]) <= _UNEVEN


def _profiles(
    corners: CornerPixels, shapes: Sequence[CornerShape]
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return the profiles over the edges of corners, across and down, and how long they are.

    (corner, axis, row, channel); each is the mean over the last one to three rows or columns,
    where the edge is straight.
    """
    size, radius, line = np.array([(s.size, s.radius, s.line) for s in (*shapes, *shapes)]).T
    lengths = np.minimum(MARGIN + np.ceil(line) + 4, size).astype(np.intp)
    straight = np.clip(np.trunc(size - MARGIN - radius), 1, 3).astype(np.intp)
    nearer = np.arange(int(straight.max()))[None, None, :]
    beside = size.astype(np.intp)[:, None, None] - 1 - nearer
    within = np.minimum(np.arange(int(lengths.max()))[None, :, None], lengths[:, None, None] - 1)
    down, across = corners.down[:, None, None], corners.across[:, None, None]
    ways = np.stack([down * beside + across * within, down * within + across * beside], axis=1)
    seen = corners.words(corners.start[:, None, None, None] + ways)
    lines = seen.view(np.uint8).reshape(*seen.shape, 4)[..., :3]
    counted = nearer < straight[:, None, None]
    total = np.einsum("narlc,nrl->narc", lines.astype(np.float32), counted.astype(np.float32))
    return total / straight.astype(np.float32)[:, None, None, None], lengths


def _edges(
    profiles: NDArray[np.float32],
    lengths: NDArray[np.intp],
    fill: NDArray[np.float32],
    shapes: Sequence[CornerShape],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return where the edges of corners lie in their profiles, and the colours of their lines.

    (corner, axis) and (corner, axis, channel).
    """
    near = np.array([(s.x, s.y) for s in shapes], np.float32)
    line = np.repeat(np.array([s.line for s in shapes], np.float32), 2)
    own = np.arange(profiles.shape[2]) < lengths[: len(shapes), None, None]
    counted = np.repeat(own, 2, axis=0).astype(np.float64)
    found = [
        _fitted(
            part.reshape(-1, *part.shape[2:]),
            np.repeat(inside, 2, axis=0),
            near=near.reshape(-1),
            line=line,
            counted=counted,
            slack=slack,
        )
        for part, inside, slack in zip(halves(profiles), halves(fill), _SLACKS, strict=True)
    ]
    places = np.concatenate([f[0] for f in found]).reshape(-1, 2)
    colors = np.concatenate([f[1] for f in found]).reshape(-1, 2, 3)
    soft = np.flatnonzero([s.shaded and s.line <= 0 for s in (*shapes, *shapes)])
    if len(soft):
        colors[soft] = fill[soft, None]
        places[soft] = _shaded_edges(
            profiles[soft].reshape(-1, *profiles.shape[2:]),
            fill[soft].repeat(2, axis=0),
            near=near[soft % len(shapes)].reshape(-1),
        ).reshape(-1, 2)
    return places, colors


def _fitted(
    profiles: NDArray[np.float32],
    fill: NDArray[np.float32],
    *,
    near: NDArray[np.float32],
    line: NDArray[np.float32],
    counted: NDArray[np.float64],
    slack: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return where straight edges lie within *slack* of *near*, and the colours of their lines.

    A profile is (row, channel); rows *counted* 0 times do not belong to it. What is left is
    a square of sums: it is put together from the products of its terms, one a place.
    """
    away = np.arange(-slack, slack + 0.01, _STEP, dtype=np.float32)
    places = near[:, None] + away
    inset = np.arange(profiles.shape[1], dtype=np.float32) + np.float32(0.5) - places[..., None]
    outer = np.clip(inset + np.float32(0.5), 0, 1) * counted
    inner = np.clip(inset - line[:, None, None] + np.float32(0.5), 0, 1) * counted
    start, end = profiles[:, 0].astype(np.float64), fill.astype(np.float64)
    shown = (profiles - start[:, None]) * counted[:, 0, :, None]
    outer_shown, inner_shown = outer @ shown, inner @ shown
    twice, both, within = (
        np.einsum("nkf,nkf->nk", a, b) for a, b in ((outer, outer), (outer, inner), (inner, inner))
    )
    squares = [np.einsum("nc,nc->n", a, b)[:, None] for a, b in ((start, start), (start, end))]
    squares.append(np.einsum("nc,nc->n", end, end)[:, None])
    error = twice * squares[0] - 2 * both * squares[1] + within * squares[2]
    error += 2 * np.einsum("nkc,nc->nk", outer_shown, start)
    error -= 2 * np.einsum("nkc,nc->nk", inner_shown, end)
    error += np.einsum("nfc,nfc->n", shown, shown)[:, None]
    lined = outer_shown - inner_shown + (twice - both)[..., None] * start[:, None]
    lined -= (both - within)[..., None] * end[:, None]
    weight = (twice - 2 * both + within)[..., None]
    color = np.clip(np.where(weight > _NONE, lined / np.maximum(weight, _NONE), 0), 0, 255)
    error += np.einsum("nkc,nkc->nk", color, weight * color - 2 * lined)
    contrast = squares[0] - 2 * squares[1] + squares[2] + 1
    error += 0.02 * away.astype(np.float64) ** 2 * contrast
    best = error.argmin(axis=1)
    each = np.arange(len(best))
    return np.asarray(places[each, best], np.float32), np.asarray(color[each, best], np.float32)


def _shaded_edges(
    profiles: NDArray[np.float32], fill: NDArray[np.float32], *, near: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return where edges lie to which a shadow falls: behind the row that is darkest by it."""
    at = near.astype(np.intp)
    low = np.maximum(at - 2, 0)
    rows = low[:, None] + np.arange(6)
    within = rows < np.minimum(at + 3, profiles.shape[1])[:, None]
    shown = np.take_along_axis(profiles, np.minimum(rows, profiles.shape[1] - 1)[..., None], axis=1)
    off = np.sqrt(((shown - fill[:, None]) ** 2).sum(axis=2)) * within
    most = off.max(axis=1)
    dark = (off >= 0.75 * most[:, None]) & within
    last = 5 - dark[:, ::-1].argmax(axis=1)
    each = np.arange(len(last))
    rest = off[each, last + 1] / np.maximum(off[each, last], np.float32(1e-6))
    return np.asarray(np.where(most <= 1.0, near, low + last + 1 + rest), np.float32)
