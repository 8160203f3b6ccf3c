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
    from numpy.typing import NDArray

Pixels = tuple["NDArray[np.intp]", "NDArray[np.intp]"]
"""Rows and columns of some pixels of a corner."""
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
    where that is ``shaded``. ``even`` tells where the inside is one colour.
    """

    outside: NDArray[np.float32]
    inside: NDArray[np.float32]
    line: NDArray[np.float32]
    even: NDArray[np.bool_]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    shaded: NDArray[np.bool_]
    fades: NDArray[np.float32]

    def of(self, which: NDArray[np.intp] | int) -> CornerColors:
        """Return the colours of some corners, or one entry for each pixel of many."""
        return CornerColors(
            outside=self.outside[which],
            inside=self.inside[which],
            line=self.line[which],
            even=self.even[which],
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
    ) -> CornerColors:
        """Return these colours with the design's own *pixels* where it has outside or a picture.

        Shadows and pictures are no single colour; *told* are the design's, *inset* says how far
        inside of its curve each pixel lies. For one corner.
        """
        depth = inset[..., None]
        outside = np.where(depth < -0.5, pixels + (self.outside - told.outside), self.outside)
        inside = self.inside
        if not told.even:
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


def drawn(
    colors: CornerColors, places: Pixels, radii: NDArray[np.float32], line: float
) -> NDArray[np.float32]:
    """Return what pixels of one corner show at each radius, (radius, pixel, channel)."""
    across = np.asarray(places[1] + np.float32(0.5) - colors.x, np.float32)
    down = np.asarray(places[0] + np.float32(0.5) - colors.y, np.float32)
    inset = inset_of(across, down, radii[:, None])
    outside = colors.outside
    if colors.shaded:
        outside = _faded(colors, (across, down), inset, radii[:, None])
    return _mixed(outside, colors.line, colors.inside, inset, line)


def drawn_each(
    colors: CornerColors,
    owner: NDArray[np.intp],
    places: Pixels,
    radii: NDArray[np.float32],
    line: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return what pixels of many corners show, (pixel, channel); *owner* is each one's corner.

    *radii* and *line* are one for each corner.
    """
    across = np.asarray(places[1] + np.float32(0.5) - colors.x[owner], np.float32)
    down = np.asarray(places[0] + np.float32(0.5) - colors.y[owner], np.float32)
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
