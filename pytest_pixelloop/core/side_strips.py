"""What lies across one side of a rectangle: the median profile, for many sides at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_pixelloop.core.pixel_runs import runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.rectangles import Rect

_SAMPLES = 40
"""Lines along a side of which the median is taken: so many, where it is as long, up to twice."""


class Strip(NamedTuple):
    """A side of a rectangle, and how far its profile goes outwards and inwards, in device px.

    A fifth at either end of the side is left out, and the curves of round corners.
    """

    side: str
    rect: Rect
    out: int
    into: int
    curve: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """Colours across a side, (row, channel), outside first.

    Rows ``beyond`` the picture, None for none, show its last pixel.
    """

    colors: NDArray[np.uint8]
    beyond: NDArray[np.bool_] | None

    def known(self) -> NDArray[np.float32]:
        """Return the colours, NaN beyond the picture."""
        shown = self.colors.astype(np.float32)
        if self.beyond is not None:
            shown[self.beyond] = np.nan
        return shown


class _Line(NamedTuple):
    """Where a strip lies along the axis across it and along the side; lengths in pixels."""

    first: int
    sign: int
    rows: int
    bound: int
    low: int
    step: int
    samples: int
    upright: bool


def _line(strip: Strip, shape: tuple[int, int]) -> _Line | None:
    x0, y0, x1, y1 = strip.rect
    upright = strip.side in ("left", "right")
    start, end, along, across = (y0, y1, *shape) if upright else (x0, x1, shape[1], shape[0])
    trim = max((end - start) // 5, min(strip.curve, (end - start) // 2 - 1))
    low, high = max(start + trim, 0), min(end - trim, along)
    if high - low < 1:
        low, high = max(start, 0), min(end, along)
    if high <= low:
        return None
    step = max((high - low) // _SAMPLES, 1)
    if strip.side in ("left", "top"):
        first, sign = (x0 if upright else y0) - strip.out, 1
    else:
        first, sign = (x1 if upright else y1) - 1 + strip.out, -1
    return _Line(
        first=first,
        sign=sign,
        rows=strip.out + strip.into,
        bound=across,
        low=low,
        step=step,
        samples=-(-(high - low) // step),
        upright=upright,
    )


def read_strips(words: NDArray[np.uint32], strips: Sequence[Strip]) -> list[Profile | None]:
    """Return the profile across each side, None where the side lies outside of the picture.

    *words* is the picture, a pixel one number.
    """
    lines = [_line(strip, (words.shape[0], words.shape[1])) for strip in strips]
    known = [line for line in lines if line is not None]
    if not known:
        return [None] * len(strips)
    places, strides = _places(known, words.shape[1])
    colors = _medians(words.reshape(-1), places, strides, known)
    found: list[Profile | None] = []
    at = 0
    for line in lines:
        if line is None:
            found.append(None)
            continue
        beyond = None
        last = line.first + line.sign * (line.rows - 1)
        if min(line.first, last) < 0 or max(line.first, last) >= line.bound:
            each = line.first + line.sign * np.arange(line.rows)
            beyond = (each < 0) | (each >= line.bound)
        found.append(Profile(colors=colors[at : at + line.rows], beyond=beyond))
        at += line.rows
    return found


def _places(lines: Sequence[_Line], width: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where each row of each strip begins in the flat picture, and the step along it."""
    first, sign, rows, bound, low, step, _, upright = np.array(lines, np.intp).T
    runs = runs_of(rows)
    each = runs.owner
    row = np.arange(len(each)) - runs.starts[each]
    across = np.clip(first[each] + sign[each] * row, 0, bound[each] - 1)
    wide = np.where(upright, width, 1)
    places = across * np.where(upright, 1, width)[each] + (low * wide)[each]
    return places, (step * wide)[each]


def _medians(
    flat: NDArray[np.uint32],
    places: NDArray[np.intp],
    strides: NDArray[np.intp],
    lines: Sequence[_Line],
) -> NDArray[np.uint8]:
    """Return the median colour of each row; of an even number of samples the higher one."""
    samples = np.repeat([line.samples for line in lines], [line.rows for line in lines])
    runs = runs_of(samples)
    sample = np.arange(len(runs.owner)) - runs.starts[runs.owner]
    seen = flat.take(places[runs.owner] + strides[runs.owner] * sample)
    middle = seen[runs.starts + samples // 2]
    alike = np.add.reduceat(seen == middle[runs.owner], runs.starts, dtype=np.intp)
    found = np.ascontiguousarray(middle).view(np.uint8).reshape(-1, 4)[:, :3].copy()
    mixed = np.flatnonzero(2 * alike <= samples)  # elsewhere most samples have one colour
    if len(mixed):
        keep = np.zeros(len(samples), np.bool_)
        keep[mixed] = True
        some = seen[keep[runs.owner]].view(np.uint8).reshape(-1, 4)[:, :3]
        found[mixed] = runs_of(samples[mixed]).upper_medians(some)
    return found
