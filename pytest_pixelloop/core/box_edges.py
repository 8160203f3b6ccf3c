"""The four edges of a painted rectangle: where the design has them and the capture shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.rectangles import Rect, shifted

if TYPE_CHECKING:
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

SIDES = ("left", "top", "right", "bottom")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edge:
    """One side of a box.

    ``offset`` is how far it lies from the design's place, outwards or inwards, in device px along
    the axis (right and down positive), None where it cannot be told.

    ``expected`` and ``actual`` are the profiles across it, from outside to inside, a moved edge
    laid on the design's give or take a CSS px. ``zero`` is the place of the design's edge in them.
    ``likeness`` is -1..1.
    """

    side: str
    offset: int | None
    likeness: float
    expected: NDArray[np.float32]
    actual: NDArray[np.float32]
    zero: int


def strip(
    picture: NDArray[np.uint8], side: str, rect: Rect, *, out: int, into: int, radius: int = 0
) -> NDArray[np.float32]:
    """Return the median profile across one side, outside first; empty where the picture ends.

    A fifth at either end is left out, and the curves of round corners.
    """
    x0, y0, x1, y1 = rect
    height, width = picture.shape[:2]
    if side in ("left", "right"):
        at, sign = (x0, 1) if side == "left" else (x1, -1)
        trim = max((y1 - y0) // 5, min(radius, (y1 - y0) // 2 - 1))
        low, high = max(y0 + trim, 0), min(y1 - trim, height)
        low, high = (max(y0, 0), min(y1, height)) if high - low < 1 else (low, high)
        places = at + sign * np.arange(-out, into) - (0 if sign > 0 else 1)
        bound = width
    else:
        at, sign = (y0, 1) if side == "top" else (y1, -1)
        trim = max((x1 - x0) // 5, min(radius, (x1 - x0) // 2 - 1))
        low, high = max(x0 + trim, 0), min(x1 - trim, width)
        low, high = (max(x0, 0), min(x1, width)) if high - low < 1 else (low, high)
        places = at + sign * np.arange(-out, into) - (0 if sign > 0 else 1)
        bound = height
    if high <= low:
        return np.zeros((0, 3), np.float32)
    clipped = np.clip(places, 0, bound - 1)
    step = max((high - low) // 40, 1)
    if side in ("left", "right"):
        lines = np.sort(picture[low:high:step][:, clipped], axis=0)
        found = lines[len(lines) // 2]
    else:
        lines = np.sort(picture[clipped][:, low:high:step], axis=1)
        found = lines[:, lines.shape[1] // 2]
    profile = found.astype(np.float32)
    if places.min() < 0 or places.max() >= bound:
        profile[(places < 0) | (places >= bound)] = np.nan
    return np.asarray(profile, np.float32)


def read_edge(
    pair: PicturePair,
    side: str,
    rect: Rect,
    *,
    hint: tuple[int, int] = (0, 0),
    border: float = 0.0,
    radius: float = 0.0,
    room: int = 1000,
    reach: float = REACH,
) -> Edge | None:
    """Return how one side of a rectangle shows in the capture, None where the design has no edge.

    *hint* is where the whole rectangle is already known to have moved, *room* how far its content
    lies inside the edge; both in device px. *reach* is how far the edge is looked for, in CSS px.
    """
    scale = pair.scale
    across = rect[2] - rect[0] if side in ("left", "right") else rect[3] - rect[1]
    out, into = (
        round(OUT * scale),
        max(min(round((IN + border) * scale), across // 2, room - 1), round(border * scale) + 1),
    )
    curve = round(radius * scale)
    expected = strip(pair.expected, side, rect, out=out, into=into, radius=curve)
    if not len(expected) or np.isnan(expected).any(axis=1).sum() >= out - 1:
        return None
    contrast = float((np.nanmax(expected, axis=0) - np.nanmin(expected, axis=0)).max())
    if contrast < FAINT:
        return None
    far = round(reach * scale)
    moved = shifted(rect, *hint)
    wide = strip(pair.actual, side, moved, out=out + far, into=into + far, radius=curve)
    if not len(wide):
        return None
    return _aligned(side, expected, wide, reach=far, hint=hint, zero=out, scale=scale)


def _aligned(
    side: str,
    expected: NDArray[np.float32],
    wide: NDArray[np.float32],
    *,
    reach: int,
    hint: tuple[int, int],
    zero: int,
    scale: float,
) -> Edge:
    other = np.diff(_softened(wide), axis=0)
    scores = _scores(np.diff(_softened(expected), axis=0), other)
    ranked = scores - 0.01 * np.abs(np.arange(-reach, reach + 1)) / max(reach, 1)
    best = int(ranked.argmax())
    home, likeness = _home(expected, other, reach=reach, scale=scale)
    near = likeness >= 0.5 and likeness >= scores[best] - 0.25
    best, score = (home, likeness) if near else (best, float(scores[best]))
    k = best - reach
    sign = 1 if side in ("left", "top") else -1
    along = hint[0] if side in ("left", "right") else hint[1]
    found = score >= (0.5 if near else 0.8)
    at = best if found and not near else reach  # a px more or less is for the readers to place
    actual = wide[at : at + len(expected)]
    return Edge(
        side=side,
        offset=sign * k + along if found else None,
        likeness=score,
        expected=expected,
        actual=actual,
        zero=zero,
    )


def _scores(slope: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return how alike a profile's steps are at each place of another."""
    windows = np.lib.stride_tricks.sliding_window_view(other, len(slope), axis=0)
    products = np.einsum("kcs,sc->k", windows, slope)
    norms = np.sqrt(np.einsum("kcs,kcs->k", windows, windows) * float((slope**2).sum()))
    return np.asarray(np.divide(products, norms, out=np.zeros_like(products), where=norms > 0))


def _home(
    expected: NDArray[np.float32], other: NDArray[np.float32], *, reach: int, scale: float
) -> tuple[int, float]:
    """Return the place at home, give or take one CSS px, and the likeness there.

    Between two pixels an edge is two half rows for one rasteriser and one whole row for another:
    the design's profile is also laid half a pixel to either side.
    """
    slack = max(round(scale), 1)
    around = other[reach - slack : reach + slack + len(expected) - 1]
    padded = np.concatenate([expected[:1], expected, expected[-1:]])
    before, after = (padded[:-2] + expected) / 2, (expected + padded[2:]) / 2
    halves = [np.asarray(p, np.float32) for p in (before, expected, after)]
    scores = np.max([_scores(np.diff(_softened(p), axis=0), around) for p in halves], axis=0)
    ranked = scores - 0.02 * np.abs(np.arange(-slack, slack + 1)) / slack
    best = int(ranked.argmax())
    return reach - slack + best, float(scores[best])


def _softened(profile: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the profile blurred by a pixel: a hairline on two rows is the one on either."""
    filled = profile
    if np.isnan(profile[0, 0]) or np.isnan(profile[-1, 0]):
        filled = profile.copy()
        good = np.flatnonzero(~np.isnan(profile[:, 0]))
        if not len(good):
            return np.zeros_like(profile)
        filled[: good[0]] = profile[good[0]]
        filled[good[-1] + 1 :] = profile[good[-1]]
    padded = np.concatenate([filled[:1], filled, filled[-1:]])
    return np.asarray(padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4, np.float32)
