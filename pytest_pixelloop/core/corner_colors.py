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
    """Return the colours of corners whose edges lie within *slack*, and which have any.

    All *shapes* are shaded, or none is.
    """
    bands = [band_of(s) for s in shapes]
    known = np.array([len(b[0]) >= _FEW for b in bands], np.bool_)
    whole = [b if k else rim_of(s.size) for b, k, s in zip(bands, known, shapes, strict=True)]
    band, _, runs = corners.take(whole)
    inside = runs.medians(band)
    spread = np.abs(2 * band.astype(np.int32) - np.rint(2 * inside[runs.owner]).astype(np.int32))
    even = runs_of(3 * runs.lengths).medians(spread.reshape(-1)) <= 2 * _UNEVEN
    rim, _, around = corners.take([rim_of(s.size) for s in shapes])
    profiles = _profiles(corners, shapes)
    fill = inside.astype(np.float32)
    near = np.array([(s.x, s.y) for s in shapes], np.float32)
    line = np.array([s.line for s in shapes], np.float32)
    count = len(shapes)
    places = np.zeros((2, count), np.float32)
    colors = np.zeros((2, count, 3), np.float32)
    shaded = shapes[0].shaded
    slipped = np.array([shaded and s.line <= 0 for s in shapes], np.bool_)
    for (_, axis), (which, found) in profiles.items():
        for k, profile in zip(which.tolist(), found, strict=True):
            if slipped[k]:
                places[axis, k] = _shaded_edge(profile, fill[k], near=float(near[k, axis]))
                colors[axis, k] = fill[k]
        some = ~slipped[which]
        if some.any():
            kept = which[some]
            places[axis, kept], colors[axis, kept] = _edges(
                found[some], fill[kept], near=near[kept, axis], line=line[kept], slack=slack
            )
    fades = None
    if shaded:
        fades = np.zeros((count, 2, MARGIN, 3), np.float32)
        for (_, axis), (which, found) in profiles.items():
            fades[which, axis] = found[:, :MARGIN]
    return CornerColors(
        outside=around.medians(rim).astype(np.float32),
        inside=fill,
        line=np.asarray((colors[0] + colors[1]) / 2, np.float32),
        even=even,
        x=places[0],
        y=places[1],
        fades=fades,
    ), known


def _profiles(
    corners: CornerPixels, shapes: Sequence[CornerShape]
) -> dict[tuple[int, int], tuple[NDArray[np.intp], NDArray[np.float32]]]:
    """Return by length and axis (0: across) which corners have what profile over their edges.

    Each is the mean over the last one to three rows or columns, where the edge is straight.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for k, shape in enumerate(shapes):
        far = min(MARGIN + int(np.ceil(shape.line)) + 4, shape.size)
        straight = min(max(int(shape.size - MARGIN - shape.radius), 1), 3)
        groups.setdefault((far, straight), []).append(k)
    found: dict[tuple[int, int], list[tuple[NDArray[np.intp], NDArray[np.float32]]]] = {}
    for (far, straight), members in groups.items():
        which = np.array(members, np.intp)
        some = corners.of(which)
        last = np.array([shapes[k].size - straight for k in members], np.intp)
        beside = last[:, None, None] + np.arange(straight)[None, None, :]
        along = np.arange(far)[None, :, None]
        for axis in (0, 1):
            rows, columns = (beside, along) if axis == 0 else (along, beside)
            at = some.start[:, None, None] + some.down[:, None, None] * rows
            at = at + some.across[:, None, None] * columns
            lines = corners.pixels.take(at, axis=0).mean(axis=2, dtype=np.float32)
            found.setdefault((far, axis), []).append((which, lines))
    return {
        key: (np.concatenate([w for w, _ in parts]), np.concatenate([p for _, p in parts]))
        for key, parts in found.items()
    }


def _edges(
    profiles: NDArray[np.float32],
    fill: NDArray[np.float32],
    *,
    near: NDArray[np.float32],
    line: NDArray[np.float32],
    slack: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return where straight edges lie in the profiles across them, and the colours of their lines.

    A profile is (row, channel).
    """
    outside = profiles[:, 0]
    away = np.arange(-slack, slack + 0.01, _STEP, dtype=np.float32)
    places = near[:, None] + away
    rows = np.arange(profiles.shape[1], dtype=np.float32) + np.float32(0.5)
    inset = rows - places[..., None]
    outer = np.clip(inset + np.float32(0.5), 0, 1)
    inner = np.clip(inset - line[:, None, None] + np.float32(0.5), 0, 1)
    share = outer - inner
    backdrop = (1 - outer)[..., None] * outside[:, None, None]
    rest = profiles[:, None] - backdrop - inner[..., None] * fill[:, None, None]
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
