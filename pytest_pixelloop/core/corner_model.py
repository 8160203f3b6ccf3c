"""What a round corner of one fill and one border looks like, for any radius.

A corner is turned so that outside is top left; lengths in it are device px.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARGIN = 4
"""Device px around a corner that are outside of it in any case."""
_UNEVEN = 4.0
"""Levels by which a fill may vary; what varies more is a picture."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CornerColors:
    """The colours a corner is made of, and where its two edges lie.

    ``outside`` and ``inside`` are one colour each or a picture of the corner's size; ``fades`` are
    the rows outwards from the two edges, where a shadow lies outside.
    """

    outside: NDArray[np.float32]
    inside: NDArray[np.float32]
    line: NDArray[np.float32]
    even: bool
    x: float
    y: float
    fades: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None

    def contrast(self, line: float) -> float:
        """Return the largest distance in RGB between two neighbouring parts."""
        pairs = [(self.outside, self.inside)]
        if line > 0:
            pairs = [(self.outside, self.line), (self.line, self.inside)]
        if self.fades is not None:
            pairs += [(fade[-1], self.inside) for fade in self.fades]
        return max(float(np.linalg.norm(a - b)) for a, b in pairs)

    def painted_like(
        self,
        pixels: NDArray[np.float32],
        told: CornerColors,
        *,
        radius: float,
        line: float,
    ) -> CornerColors:
        """Return these colours with the design's own pixels where it has outside or a picture.

        Shadows and pictures are no single colour; *pixels* and *told* are the design's.
        """
        inset = inset_of(len(pixels), np.array([radius], np.float32), told.x, told.y)[0, ..., None]
        outside = np.where(inset < -0.5, pixels + (self.outside - told.outside), self.outside)
        inside = self.inside
        if not told.even:
            inside = np.where(inset > line + 0.5, pixels, self.inside)
        return replace(
            self,
            fades=None,
            outside=np.asarray(outside, np.float32),
            inside=np.asarray(inside, np.float32),
        )


def inset_of(size: int, radii: NDArray[np.float32], x: float, y: float) -> NDArray[np.float32]:
    """Return how far inside the curve each pixel's middle lies, (radius, row, column)."""
    across = (np.arange(size, dtype=np.float32) + np.float32(0.5 - x))[None, None, :]
    down = (np.arange(size, dtype=np.float32) + np.float32(0.5 - y))[None, :, None]
    r = radii[:, None, None]
    curved = r - np.hypot(r - across, r - down)
    straight = np.minimum(across, down)
    return np.asarray(np.where((across < r) & (down < r), curved, straight), np.float32)


@lru_cache(maxsize=64)
def zone_of(size: int, most: int, *, beyond: float = 1.0) -> NDArray[np.bool_]:
    """Return the pixels that tell radii up to *most* apart, *beyond* the edges included."""
    inset = inset_of(size, np.array([0, most], np.float32), MARGIN, MARGIN)
    zone = np.asarray((inset[0] > -beyond) & (inset[1] < 1.5), np.bool_)
    zone.flags.writeable = False
    return zone


def drawn(
    colors: CornerColors, size: int, radii: NDArray[np.float32], line: float
) -> NDArray[np.float32]:
    """Return what a corner shows at each radius, (radius, row, column, channel)."""
    inset = inset_of(size, radii, colors.x, colors.y)
    outside = colors.outside if colors.fades is None else _faded(colors, inset, radii)
    outer = np.clip(inset + 0.5, 0, 1)[..., None]
    if line <= 0:
        return np.asarray(outside + outer * (colors.inside - outside), np.float32)
    inner = np.clip(inset - line + 0.5, 0, 1)[..., None]
    shown = (1 - outer) * outside + (outer - inner) * colors.line + inner * colors.inside
    return np.asarray(shown, np.float32)


def _faded(
    colors: CornerColors, inset: NDArray[np.float32], radii: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the shadow around a corner: as beside the edge that lies nearer in direction."""
    assert colors.fades is not None
    size = inset.shape[-1]
    centre = np.arange(size, dtype=np.float32) + 0.5
    r = radii[:, None, None]
    west = np.maximum(r - (centre - colors.x)[None, None, :], 0) ** 2
    north = np.maximum(r - (centre - colors.y)[None, :, None], 0) ** 2
    share = (west / np.maximum(west + north, 1e-6))[..., None]
    beside, above = (
        _outwards(fade, at, inset)
        for fade, at in zip(colors.fades, (colors.x, colors.y), strict=True)
    )
    return np.asarray(share * beside + (1 - share) * above, np.float32)


def _outwards(
    fade: NDArray[np.float32], at: float, inset: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the colours of a row outwards from an edge, by the distance to it."""
    distances = at - (np.arange(len(fade)) + 0.5)
    clean = distances >= 0.5
    clean[0] = True
    places, colors = distances[clean][::-1], fade[clean][::-1]
    return np.stack([np.interp(-inset, places, c) for c in colors.T], axis=-1).astype(np.float32)


def corner_colors(
    pixels: NDArray[np.float32],
    *,
    radius: float,
    line: float,
    near: tuple[float, float],
    slack: float,
    shaded: bool = False,
) -> CornerColors | None:
    """Return the colours of a corner and where its edges lie within *slack* of *near* (x, y).

    *shaded* tells that a shadow lies outside.
    """
    size = len(pixels)
    inset = inset_of(size, np.array([radius], np.float32), *near)[0]
    band = pixels[(inset > line + 1.5) & (inset < line + 6)]
    if len(band) < 3:
        return None
    inside = np.median(band, axis=0)
    outside = np.median(np.concatenate([pixels[0], pixels[1:, 0]]), axis=0)
    far = min(MARGIN + int(np.ceil(line)) + 4, size)
    straight = int(np.clip(size - MARGIN - radius, 1, 3))
    down, across = pixels[:far, -straight:].mean(axis=1), pixels[-straight:, :far].mean(axis=0)
    if shaded and line <= 0:
        x, y = (_shaded_edge(p, inside, near=n) for p, n in zip((across, down), near, strict=True))
        first = second = inside
    else:
        y, first = _edge(down, inside, near=near[1], slack=slack, line=line)
        x, second = _edge(across, inside, near=near[0], slack=slack, line=line)
    return CornerColors(
        outside=outside,
        inside=inside,
        line=np.asarray((first + second) / 2, np.float32),
        even=float(np.median(np.abs(band - inside))) <= _UNEVEN,
        x=x,
        y=y,
        fades=(across[:MARGIN], down[:MARGIN]) if shaded else None,
    )


def _edge(
    profile: NDArray[np.float32],
    fill: NDArray[np.float32],
    *,
    near: float,
    slack: float,
    line: float,
) -> tuple[float, NDArray[np.float32]]:
    """Return where a straight edge lies in a profile across it, and the colour of its line."""
    outside = profile[0]
    places = near + np.arange(-slack, slack + 0.01, 0.125, dtype=np.float32)
    inset = np.arange(len(profile), dtype=np.float32)[None, :] + 0.5 - places[:, None]
    outer = np.clip(inset + 0.5, 0, 1)[..., None]
    inner = np.clip(inset - line + 0.5, 0, 1)[..., None]
    rest = profile - (1 - outer) * outside - inner * fill
    share = outer - inner
    weight = np.maximum((share**2).sum(axis=1), 1e-6)
    color = np.clip((share * rest).sum(axis=1) / weight, 0, 255)
    error = ((rest - share * color[:, None, :]) ** 2).sum(axis=(1, 2))
    error += 0.02 * (places - near) ** 2 * float(((outside - fill) ** 2).sum() + 1)
    best = int(error.argmin())
    return float(places[best]), color[best]


def _shaded_edge(profile: NDArray[np.float32], fill: NDArray[np.float32], *, near: float) -> float:
    """Return where an edge lies to which a shadow falls: behind the row that is darkest by it."""
    low = max(int(near) - 2, 0)
    off = np.linalg.norm(profile[low : int(near) + 3] - fill, axis=1)
    if float(off.max()) <= 1.0:
        return near
    last = int(np.flatnonzero(off >= 0.75 * off.max())[-1])
    rest = float(off[last + 1] / off[last]) if last + 1 < len(off) else 0.0
    return low + last + 1 + rest
