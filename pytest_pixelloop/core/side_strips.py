"""What lies across the sides of rectangles: the median profiles, for many sides at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_pixelloop.core.pixel_runs import runs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDES = ("left", "top", "right", "bottom")
"""In the order of the numbers of a rectangle."""
_SAMPLES = 24
"""Lines along a side of which the median is taken: so many, where it is as long, up to twice."""


class Stretch(NamedTuple):
    """Which pixels along each of many sides are looked at; ``samples`` is 0 for none."""

    low: NDArray[np.intp]
    step: NDArray[np.intp]
    samples: NDArray[np.intp]


def stretch_of(
    ends: tuple[NDArray[np.intp], NDArray[np.intp]],
    bound: NDArray[np.intp],
    curve: NDArray[np.intp],
    *,
    least: int = 0,
) -> Stretch:
    """Return what is looked at of sides between two *ends* in pictures of *bound* px along them.

    A fifth at either end of a side is left out, and the *curve* of a round corner; where less than
    *least* px are left, only what lies beyond the picture.
    """
    start, end = ends
    trim = np.maximum((end - start) // 5, np.minimum(curve, (end - start) // 2 - 1))
    low, high = np.maximum(start + trim, 0), np.minimum(end - trim, bound)
    short = high - low < least
    low = np.where(short, np.maximum(start, 0), low)
    long = np.where(short, np.minimum(end, bound), high) - low
    step = np.maximum(long // _SAMPLES, 1)
    return Stretch(low, step, np.maximum(-(-long // step), 0))


class Strips(NamedTuple):
    """Sides of rectangles (by their place in SIDES), and how far their profiles go, in device px.

    ``rect`` is (side, 4); ``out`` and ``into`` are how far outwards and inwards, ``curve`` how
    much of the corners is round.
    """

    side: NDArray[np.intp]
    rect: NDArray[np.intp]
    out: NDArray[np.intp]
    into: NDArray[np.intp]
    curve: NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profiles:
    """Colours across sides, (side, row, channel), outside first.

    They are as long as the longest, and show their last row again from ``lengths`` on. Rows that
    are not ``known`` lie beyond the picture and show its last pixel; a side that is not
    ``present`` lies outside of it as a whole.
    """

    colors: NDArray[np.uint8]
    lengths: NDArray[np.intp]
    known: NDArray[np.bool_]
    present: NDArray[np.bool_]


def read_strips(words: NDArray[np.uint32], strips: Strips) -> Profiles:
    """Return the profiles across sides in a picture, a pixel one number.

    Each colour is the median along the side; of an even number of samples the higher one.
    """
    height, width = int(words.shape[0]), int(words.shape[1])
    upright, near = strips.side % 2 == 0, strips.side < 2
    left, top, right, bottom = strips.rect.T
    ends = np.where(upright, top, left), np.where(upright, bottom, right)
    last = np.where(upright, width - 1, height - 1)
    row, wide = np.where(upright, 1, width), np.where(upright, width, 1)
    stretch = stretch_of(ends, np.where(upright, height, width), strips.curve, least=1)
    edge = np.take_along_axis(strips.rect, strips.side[:, None], axis=1)[:, 0]
    first = np.where(near, edge - strips.out, edge - 1 + strips.out)
    lengths = strips.out + strips.into
    rows = np.minimum(np.arange(int(lengths.max(initial=1))), lengths[:, None] - 1)
    across = first[:, None] + np.where(near, 1, -1)[:, None] * rows
    inside = np.clip(across, 0, last[:, None])
    places = inside * row[:, None]
    places += (stretch.low * wide)[:, None]
    colors = np.zeros((*rows.shape, 3), np.uint8)
    present = stretch.samples > 0
    shown = present[:, None] & (np.arange(rows.shape[1]) < lengths[:, None])
    if shown.any():
        some = np.flatnonzero(present)
        samples = np.repeat(stretch.samples[some], lengths[some])
        strides = np.repeat((stretch.step * wide)[some], lengths[some])
        colors[shown] = _medians(words.reshape(-1), places[shown], strides, samples)
        colors = colors[np.arange(len(rows))[:, None], rows]
    return Profiles(colors=colors, lengths=lengths, known=inside == across, present=present)


def _medians(
    flat: NDArray[np.uint32],
    places: NDArray[np.intp],
    strides: NDArray[np.intp],
    samples: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return the median colours of rows that begin at *places*, of so many *samples* each."""
    runs = runs_of(samples)
    begin = places - runs.starts * strides
    at = begin[runs.owner] + strides[runs.owner] * np.arange(len(runs.owner))
    return runs.upper_colors(flat.take(at))
