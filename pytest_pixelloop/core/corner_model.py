"""What a round corner of one fill and one border looks like, for any radius.

A corner is turned so that outside is top left; lengths in it are device px. Everything works on
many corners as on one: colours may be (3,) for one corner or (pixel, 3) for the pixels of many.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Pixels = tuple["NDArray[np.intp]", "NDArray[np.intp]"]
"""Rows and columns of some pixels of a corner."""
_RADII = 20
"""How many other radii are tried."""
MARGIN = 4
"""Device px around a corner that are outside of it in any case."""


class CornerShape(NamedTuple):
    """What the design says of one corner: a square of *size* px, its edges begin near x and y.

    ``most`` is the largest radius that it can show; ``line`` is the border; ``shaded`` tells that
    a shadow lies outside.
    """

    size: int
    most: int
    radius: float
    line: float
    x: float
    y: float
    shaded: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CornerColors:
    """The colours corners are made of, and where their two edges lie.

    ``fades`` are the rows outwards from the two edges, (..., 2, MARGIN, 3): what lies outside
    where that is ``shaded``.
    """

    outside: NDArray[np.float32]
    inside: NDArray[np.float32]
    line: NDArray[np.float32]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    shaded: NDArray[np.bool_]
    fades: NDArray[np.float32]

    def of(self, which: NDArray[np.intp] | slice | int) -> CornerColors:
        """Return the colours of some corners, or one entry for each pixel of many."""
        return CornerColors(
            outside=self.outside[which],
            inside=self.inside[which],
            line=self.line[which],
            x=self.x[which],
            y=self.y[which],
            shaded=self.shaded[which],
            fades=self.fades[which],
        )

    def contrast(self, line: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the largest distance in RGB between two neighbouring parts, by corner."""
        bare = _apart(self.outside, self.inside)
        lined = np.maximum(_apart(self.outside, self.line), _apart(self.line, self.inside))
        most = np.where(line > 0, lined, bare)
        beside = _apart(self.fades[..., -1, :], self.inside[..., None, :]).max(axis=-1)
        return np.asarray(np.where(self.shaded, np.maximum(most, beside), most), np.float32)

    def painted_like(
        self,
        pixels: NDArray[np.float32],
        told: CornerColors,
        *,
        inset: NDArray[np.float32],
        line: float,
        even: bool,
    ) -> CornerColors:
        """Return these colours with the design's own *pixels* where it has outside or a picture.

        Shadows and pictures are no single colour; *told* are the design's, *even* tells that its
        inside is one, *inset* how far inside of its curve each pixel lies. For one corner.
        """
        depth = inset[..., None]
        outside = np.where(depth < -0.5, pixels + (self.outside - told.outside), self.outside)
        inside = self.inside
        if not even:
            inside = np.where(depth > line + 0.5, pixels, self.inside)
        return replace(
            self,
            shaded=np.zeros((), np.bool_),
            outside=np.asarray(outside, np.float32),
            inside=np.asarray(inside, np.float32),
        )


def _apart(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.sqrt(((first - second) ** 2).sum(axis=-1)))


def inset_of(
    across: NDArray[np.float32], down: NDArray[np.float32], radii: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return how far inside the curve points lie that are *across* and *down* from the edges."""
    curved = radii - np.sqrt((radii - across) ** 2 + (radii - down) ** 2)
    within = (across < radii) & (down < radii)
    return np.asarray(np.where(within, curved, np.minimum(across, down)), np.float32)


def _insets(size: int, radius: float, x: float, y: float) -> NDArray[np.float32]:
    middles = np.arange(size, dtype=np.float32) + np.float32(0.5)
    across, down = (middles - np.float32(x))[None, :], (middles - np.float32(y))[:, None]
    return inset_of(across, down, np.asarray(radius, np.float32))


@lru_cache(maxsize=512)
def _zone(size: int, most: int, *, beyond: float) -> Pixels:
    sharp, round_ = (_insets(size, float(r), MARGIN, MARGIN) for r in (0, most))
    return _frozen((sharp > -beyond) & (round_ < 1.5))


def zone_of(shape: CornerShape) -> Pixels:
    """Return the pixels that tell the radii apart that a corner can show."""
    return _zone(shape.size, shape.most, beyond=0.0 if shape.shaded else 1.0)


@lru_cache(maxsize=512)
def _straight(size: int, most: int, *, beyond: float) -> Pixels:
    rows, columns = _zone(size, most, beyond=beyond)
    above = rows < columns
    beside = np.where(above, rows, size - 1), np.where(above, size - 1, columns)
    for axis in beside:
        axis.flags.writeable = False
    return beside


def straight_of(shape: CornerShape) -> Pixels:
    """Return for each of these pixels the one as near to its edge where that is straight."""
    return _straight(shape.size, shape.most, beyond=0.0 if shape.shaded else 1.0)


@lru_cache(maxsize=1024)
def _band(size: int, radius: float, line: float, x: float, y: float) -> Pixels:
    inset = _insets(size, radius, x, y)
    return _frozen((inset > line + 1.5) & (inset < line + 6))


def band_of(shape: CornerShape) -> Pixels:
    """Return the pixels just within the border, where the design has them."""
    return _band(shape.size, shape.radius, shape.line, shape.x, shape.y)


@lru_cache(maxsize=64)
def rim_of(size: int) -> Pixels:
    """Return the outermost row and column of a corner."""
    places = np.zeros((size, size), np.bool_)
    places[0, :] = places[:, 0] = True
    return _frozen(places)


def _frozen(places: NDArray[np.bool_]) -> Pixels:
    rows, columns = np.nonzero(places)
    rows.flags.writeable = columns.flags.writeable = False
    return rows, columns


@lru_cache(maxsize=512)
def radii_up_to(most: float, own: float) -> NDArray[np.float32]:
    """Return the radii that a corner is held against: evenly from none to the *most*, and its own.

    In device px, ascending.
    """
    tried = np.unique(np.append(np.linspace(0, most, _RADII), own)).astype(np.float32)
    tried.flags.writeable = False
    return tried


def left_by(
    radii: NDArray[np.float32],
    pixels: NDArray[np.float32],
    colors: CornerColors,
    places: Pixels,
    *,
    line: float,
) -> NDArray[np.float64]:
    """Return the squared levels that each radius leaves of the *pixels* of one corner."""
    across = np.asarray(places[1] + np.float32(0.5) - colors.x, np.float32)
    down = np.asarray(places[0] + np.float32(0.5) - colors.y, np.float32)
    inset = inset_of(across, down, radii[:, None])
    if colors.shaded:
        outside = _faded(colors, (across, down), inset, radii[:, None])
        off = _mixed(outside, colors.line, colors.inside, inset, line) - pixels
        return np.asarray(np.einsum("rpc,rpc->r", off, off), np.float64)
    # A square of a sum: only how much is covered goes by radius, only the colours by channel.
    outer = np.clip(inset + np.float32(0.5), 0, 1).astype(np.float64)
    bare = np.asarray(colors.outside - pixels, np.float64)
    if line <= 0:
        step = np.broadcast_to(colors.inside - colors.outside, bare.shape)
        left = outer**2 @ _dot(step, step) + outer @ (2 * _dot(bare, step))
        return np.asarray(left + _dot(bare, bare).sum())
    inner = np.clip(inset - np.float32(line - 0.5), 0, 1).astype(np.float64)
    first = np.broadcast_to(colors.line - colors.outside, bare.shape)
    second = np.broadcast_to(colors.inside - colors.line, bare.shape)
    squares = outer**2 @ _dot(first, first) + inner**2 @ _dot(second, second)
    products = outer @ _dot(bare, first) + inner @ _dot(bare, second)
    products += (outer * inner) @ _dot(first, second)
    return np.asarray(squares + 2 * products + _dot(bare, bare).sum())


def _dot(first: NDArray[np.floating], second: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.asarray(np.einsum("pc,pc->p", first, second, dtype=np.float64))


def drawn_each(
    colors: CornerColors,
    places: Sequence[Pixels],
    radii: NDArray[np.float32],
    line: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return what pixels of many corners show, (pixel, channel), one corner after the other."""
    owner = np.repeat(np.arange(len(places)), [len(p[0]) for p in places])
    rows, columns = (np.concatenate([p[axis] for p in places]) + np.float32(0.5) for axis in (0, 1))
    across = np.asarray(columns - colors.x[owner], np.float32)
    down = np.asarray(rows - colors.y[owner], np.float32)
    inset = inset_of(across, down, radii[owner])
    outside = colors.outside[owner]
    some = np.flatnonzero(colors.shaded[owner])
    if len(some):
        at = owner[some]
        place = across[some], down[some]
        outside[some] = _faded(colors.of(at), place, inset[some], radii[at])
    return _mixed(outside, colors.line[owner], colors.inside[owner], inset, line[owner])


def _mixed(
    outside: NDArray[np.float32],
    line: NDArray[np.float32],
    inside: NDArray[np.float32],
    inset: NDArray[np.float32],
    width: NDArray[np.float32] | float,
) -> NDArray[np.float32]:
    outer = np.clip(inset + np.float32(0.5), 0, 1)[..., None]
    inner = np.clip(inset - width + np.float32(0.5), 0, 1)[..., None]
    return np.asarray(outside + outer * (line - outside) + inner * (inside - line), np.float32)


def _faded(
    colors: CornerColors,
    place: tuple[NDArray[np.float32], NDArray[np.float32]],
    inset: NDArray[np.float32],
    radii: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the shadow around a corner: as beside the edge that lies nearer in direction."""
    west, north = (np.maximum(radii - p, 0) ** 2 for p in place)
    share = (west / np.maximum(west + north, np.float32(1e-6)))[..., None]
    beside = _outwards(colors.fades[..., 0, :, :], colors.x, inset)
    above = _outwards(colors.fades[..., 1, :, :], colors.y, inset)
    return np.asarray(above + share * (beside - above), np.float32)


def _outwards(
    fade: NDArray[np.float32], at: NDArray[np.float32], inset: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the colours of a row outwards from an edge, by the distance to it."""
    last = np.clip(np.floor(at), 1, fade.shape[-2]) - 1  # beyond it the row holds the edge itself
    place = np.minimum(at - np.float32(0.5) + inset, last)
    gaps = np.arange(fade.shape[-2] - 1, dtype=np.float32)
    steps = np.asarray(np.clip(place[..., None] - gaps, 0, 1), np.float32)
    return np.asarray(fade[..., 0, :] + _weighted(steps, np.diff(fade, axis=-2)), np.float32)


def _weighted(steps: NDArray[np.float32], colors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the sums of colours by weight: of one row for all pixels, or of a row for each."""
    if colors.ndim == 2:
        return np.asarray(steps @ colors, np.float32)
    return np.asarray(np.einsum("pk,pkc->pc", steps, colors), np.float32)
