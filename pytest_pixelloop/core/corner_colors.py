"""The colours of many corners, and where their edges lie, read from a picture at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.corner_model import MARGIN, CornerColors, band_of, rim_of
from pytest_pixelloop.core.pixel_runs import runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.corner_model import CornerShape, Pixels
    from pytest_pixelloop.core.pixel_runs import Runs

_UNEVEN = 4.0
"""Levels by which a fill may vary; what varies more is a picture."""
_FEW = 3
"""Pixels of the inside below which it has no colour."""
_STEP = 0.125
"""Device px at which the place of an edge is tried."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CornerPixels:
    """Where corners lie in one picture, each turned so that outside is top left.

    ``pixels`` is the picture, flat; ``start`` is the outermost pixel of each corner, ``down`` and
    ``across`` are the steps to the next row and column.
    """

    pixels: NDArray[np.uint8]
    start: NDArray[np.intp]
    down: NDArray[np.intp]
    across: NDArray[np.intp]

    def of(self, which: NDArray[np.intp]) -> CornerPixels:
        """Return some of the corners."""
        return CornerPixels(
            pixels=self.pixels,
            start=self.start[which],
            down=self.down[which],
            across=self.across[which],
        )

    def take(self, places: Sequence[Pixels]) -> tuple[NDArray[np.uint8], Pixels, Runs]:
        """Return the pixels at the *places* of each corner, one after the other, flat."""
        rows, columns = (np.concatenate([p[axis] for p in places]) for axis in (0, 1))
        runs = runs_of([len(p[0]) for p in places])
        at = self.start[runs.owner] + self.down[runs.owner] * rows
        at += self.across[runs.owner] * columns
        return self.pixels.take(at, axis=0), (rows, columns), runs

    def first(self) -> NDArray[np.uint8]:
        """Return the outermost pixel of each corner."""
        return self.pixels.take(self.start, axis=0)


def corner_colors(
    corners: CornerPixels, shapes: Sequence[CornerShape], *, slack: float
) -> tuple[CornerColors, NDArray[np.bool_]]:
    """Return the colours of corners whose edges lie within *slack*, and which have any."""
    bands = [band_of(s) for s in shapes]
    known = np.array([len(b[0]) >= _FEW for b in bands], np.bool_)
    whole = [b if k else rim_of(s.size) for b, k, s in zip(bands, known, shapes, strict=True)]
    band, _, runs = corners.take(whole)
    inside = runs.medians(band)
    spread = np.abs(2 * band.astype(np.int32) - np.rint(2 * inside).astype(np.int32)[runs.owner])
    even = runs_of(3 * runs.lengths).medians(spread.reshape(-1)) <= 2 * _UNEVEN
    rim, _, around = corners.take([rim_of(s.size) for s in shapes])
    fill = inside.astype(np.float32)
    profiles, lengths = _profiles(corners, shapes)
    places, colors = _edges(profiles, lengths, fill, shapes, slack=slack)
    return CornerColors(
        outside=around.medians(rim).astype(np.float32),
        inside=fill,
        line=np.asarray((colors[:, 0] + colors[:, 1]) / 2, np.float32),
        even=even,
        x=places[:, 0],
        y=places[:, 1],
        shaded=np.array([s.shaded for s in shapes], np.bool_),
        fades=profiles[:, :, :MARGIN],
    ), known


def _profiles(
    corners: CornerPixels, shapes: Sequence[CornerShape]
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return the profiles over the edges of corners, across and down, and how long they are.

    (corner, axis, row, channel); each is the mean over the last one to three rows or columns,
    where the edge is straight.
    """
    lengths = np.array([min(MARGIN + int(np.ceil(s.line)) + 4, s.size) for s in shapes], np.intp)
    straight = [min(max(int(s.size - MARGIN - s.radius), 1), 3) for s in shapes]
    last = np.array([s.size - n for s, n in zip(shapes, straight, strict=True)], np.intp)
    found = np.zeros((len(shapes), 2, int(lengths.max()), 3), np.float32)
    along = np.arange(found.shape[2])[None, :, None]
    for count in sorted(set(straight)):
        which = np.flatnonzero(np.array(straight) == count)
        some = corners.of(which)
        beside = last[which, None, None] + np.arange(count)[None, None, :]
        within = np.minimum(along, lengths[which, None, None] - 1)
        start, down, across = (v[:, None, None] for v in (some.start, some.down, some.across))
        for axis, at in enumerate(
            (down * beside + across * within, down * within + across * beside)
        ):
            lines = corners.pixels.take(start + at, axis=0)
            found[which, axis] = lines.sum(axis=2, dtype=np.float32) / np.float32(count)
    return found, lengths


def _edges(
    profiles: NDArray[np.float32],
    lengths: NDArray[np.intp],
    fill: NDArray[np.float32],
    shapes: Sequence[CornerShape],
    *,
    slack: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return where the edges of corners lie in their profiles, and the colours of their lines.

    (corner, axis) and (corner, axis, channel).
    """
    near = np.array([(s.x, s.y) for s in shapes], np.float32)
    line = np.array([s.line for s in shapes], np.float32)
    rows = np.arange(profiles.shape[2])
    places, colors = _fitted(
        profiles.reshape(-1, *profiles.shape[2:]),
        np.repeat(fill, 2, axis=0),
        near=near.reshape(-1),
        line=np.repeat(line, 2),
        counted=np.repeat((rows < lengths[:, None]).astype(np.float32), 2, axis=0),
        slack=slack,
    )
    places, colors = places.reshape(-1, 2), colors.reshape(-1, 2, 3)
    for k, shape in enumerate(shapes):
        if shape.shaded and shape.line <= 0:
            colors[k] = fill[k]
            for axis in (0, 1):
                profile = profiles[k, axis, : lengths[k]]
                places[k, axis] = _shaded_edge(profile, fill[k], near=float(near[k, axis]))
    return places, colors


def _fitted(
    profiles: NDArray[np.float32],
    fill: NDArray[np.float32],
    *,
    near: NDArray[np.float32],
    line: NDArray[np.float32],
    counted: NDArray[np.float32],
    slack: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return where straight edges lie within *slack* of *near*, and the colours of their lines.

    A profile is (row, channel); *counted* are 0 for rows that do not belong to it.
    """
    outside = profiles[:, 0]
    away = np.arange(-slack, slack + 0.01, _STEP, dtype=np.float32)
    places = near[:, None] + away
    rows = np.arange(profiles.shape[1], dtype=np.float32) + np.float32(0.5)
    inset = rows - places[..., None]
    outer = np.clip(inset + np.float32(0.5), 0, 1)
    inner = np.clip(inset - line[:, None, None] + np.float32(0.5), 0, 1)
    share = (outer - inner) * counted[:, None]
    rest = profiles[:, None] - outside[:, None, None] + outer[..., None] * outside[:, None, None]
    rest -= inner[..., None] * fill[:, None, None]
    rest *= counted[:, None, :, None]
    weight = np.maximum((share**2).sum(axis=2), np.float32(1e-6))
    color = np.clip(np.einsum("nkf,nkfc->nkc", share, rest) / weight[..., None], 0, 255)
    left = rest - share[..., None] * color[:, :, None]
    error = np.einsum("nkfc,nkfc->nk", left, left)
    contrast = ((outside - fill) ** 2).sum(axis=1) + 1
    error += np.float32(0.02) * away**2 * contrast[:, None]
    best = error.argmin(axis=1)
    each = np.arange(len(best))
    return np.asarray(places[each, best], np.float32), np.asarray(color[each, best], np.float32)


def _shaded_edge(profile: NDArray[np.float32], fill: NDArray[np.float32], *, near: float) -> float:
    """Return where an edge lies to which a shadow falls: behind the row that is darkest by it."""
    low = max(int(near) - 2, 0)
    rows = profile[low : int(near) + 3] - fill
    off = np.sqrt((rows**2).sum(axis=1)).tolist()
    most = max(off)
    if most <= 1.0:
        return near
    last = max(k for k, value in enumerate(off) if value >= 0.75 * most)
    rest = off[last + 1] / off[last] if last + 1 < len(off) else 0.0
    return float(low + last + 1 + rest)
