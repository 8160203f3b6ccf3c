"""What lies outside the sides of painted rectangles, and what a shadow would add there.

A matched filter needs one line a side: the median over the side's length, so that what lies here
and there beside a box does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import erf, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_pixelloop.core.box_edges import SIDES
from pytest_pixelloop.core.node_style import shadows_of
from pytest_pixelloop.core.pixel_runs import Runs, runs_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.css_values import Shadow
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

REACH = 24.0
"""CSS px outside an edge in which a shadow is looked for."""
SLIP = 0.5
"""CSS px by which a side's shadow may lie elsewhere: edges are snapped, shadows with them."""
_SLIPS = (-SLIP, -SLIP / 2, 0.0, SLIP / 2, SLIP)
_HOME = _SLIPS.index(0.0)
_SAMPLES = 40
_STEP = 8.0
"""Levels from one CSS px to the next beyond the design's own shadow: the edge of something else."""
_JUMP = 14.0
"""The same in the capture, whose shadow may be a stronger one."""
_FLAT = 3.0
"""Levels by which a flat backdrop may vary."""
_SHOWS = 0.5
"""Levels that a shadow adds where it can be seen."""
_ROUNDING = 0.3
"""Levels of uncertainty in a median of whole levels."""
_TOP = 3 * 255
"""The sum of three channels at most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flank:
    """What lies outside one side, from the edge outwards; one entry a device px, in grey levels.

    ``own`` is what the design's shadow adds, ``slips`` what it adds when it lies a little off;
    ``expected`` and ``actual`` are medians along the side, ``change`` the median difference,
    ``noise`` how sure that is.
    """

    side: str
    own: NDArray[np.float32]
    slips: NDArray[np.float32]
    expected: NDArray[np.float32]
    actual: NDArray[np.float32]
    change: NDArray[np.float32]
    noise: NDArray[np.float32]


class FlankPlace(NamedTuple):
    """One side of a box in both pictures: *rows* outwards of *samples* pixels each.

    ``box`` is the box's place among those asked for. By picture: the first row's place across,
    and the places along the side.
    """

    box: int
    side: str
    rows: int
    samples: int
    firsts: tuple[int, int]
    alongs: tuple[NDArray[np.intp], NDArray[np.intp]]


def flank_places(
    node: JudgedNode, moved: Rect, *, box: int, shape: tuple[int, int], scale: float
) -> list[FlankPlace]:
    """Return where the sides of a box are to be looked at, those that lie in both pictures."""
    found = []
    for side in SIDES:
        lines = [
            _along(rect, side, shape, round(node.radius * scale)) for rect in (node.rect, moved)
        ]
        ends = [_room(rect, side, shape) for rect in (node.rect, moved)]
        count = min(round(REACH * scale), *(room for _, room in ends))
        samples = min(len(line) for line in lines)
        if samples < 1 or count < 2:
            continue
        first, second = (_spread(line, samples) for line in lines)
        found.append(
            FlankPlace(box, side, count, samples, (ends[0][0], ends[1][0]), (first, second))
        )
    return found


def _along(rect: Rect, side: str, shape: tuple[int, int], curve: int) -> range:
    """Return the places along a side that are looked at: not at its ends."""
    upright = side in ("left", "right")
    low, high, end = (rect[1], rect[3], shape[0]) if upright else (rect[0], rect[2], shape[1])
    trim = max((high - low) // 5, min(curve, (high - low) // 2 - 1))
    low, high = max(low + trim, 0), min(high - trim, end)
    return range(low, high, max((high - low) // _SAMPLES, 1))


def _room(rect: Rect, side: str, shape: tuple[int, int]) -> tuple[int, int]:
    """Return the row or column just outside a side, and how many there are from there on."""
    if side in ("left", "top"):
        first = rect[0 if side == "left" else 1]
        return first - 1, first
    first = max(rect[2 if side == "right" else 3], 0)
    return first, (shape[1] if side == "right" else shape[0]) - first


def _spread(line: range, samples: int) -> NDArray[np.intp]:
    places = np.arange(line.start, line.stop, line.step, dtype=np.intp)
    if len(places) == samples:
        return places
    return places[np.linspace(0, len(places) - 1, samples).round().astype(np.intp)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pixels:
    """The pixels of flanks in design and capture, sample by sample, row by row, flank by flank."""

    seen: tuple[NDArray[np.uint32], NDArray[np.uint32]]
    samples: Runs
    rows: Runs


def _pixels(pair: PicturePair, places: Sequence[FlankPlace]) -> _Pixels:
    rows = runs_of([p.rows for p in places])
    samples = runs_of(np.repeat([p.samples for p in places], rows.lengths))
    width = pair.shape[1]
    expected, actual = (
        words.reshape(-1).take(np.concatenate([_indices(p, which, width) for p in places]))
        for which, words in enumerate((pair.expected_words, pair.actual_words))
    )
    return _Pixels(seen=(expected, actual), samples=samples, rows=rows)


def _indices(place: FlankPlace, which: int, width: int) -> NDArray[np.intp]:
    """Return where a flank's pixels are in the flat picture, row by row outwards."""
    outwards = -1 if place.side in ("left", "top") else 1
    across, along = (1, width) if place.side in ("left", "right") else (width, 1)
    rows = (place.firsts[which] + outwards * np.arange(place.rows)) * across
    return np.asarray(rows[:, None] + place.alongs[which] * along).reshape(-1)


def still_flanks(pair: PicturePair, places: Sequence[FlankPlace]) -> list[bool]:
    """Return for each flank whether most of each row is as in the design: no median can differ."""
    if not places:
        return []
    pixels = _pixels(pair, places)
    runs = pixels.samples
    other = pixels.seen[0] != pixels.seen[1]
    moving = 2 * np.add.reduceat(other, runs.starts, dtype=np.intp) >= runs.lengths
    return [not m for m in np.logical_or.reduceat(moving, pixels.rows.starts).tolist()]


def read_flanks(
    pair: PicturePair, places: Sequence[FlankPlace], boxes: Sequence[JudgedNode]
) -> list[Flank | None]:
    """Return what lies outside of sides, None where nothing can be told; *boxes* by place.box."""
    if not places:
        return []
    lines, rows = _measured(pair, places)
    shadows = {p.box: _outer(boxes[p.box]) for p in places}
    found: list[Flank | None] = [None] * len(places)
    for count in sorted({p.rows for p in places}):
        group = [k for k, p in enumerate(places) if p.rows == count]
        whole = np.stack([lines[:, rows.starts[k] : rows.starts[k] + count] for k in group])
        covers = [_covers_of(places[k], boxes[places[k].box], shadows, pair.scale) for k in group]
        own = np.zeros((len(group), count), np.float32)
        levels = np.median(whole[:, 0], axis=1)
        for row, cover, k, level in zip(own, covers, group, levels.tolist(), strict=True):
            if len(cover):
                row[:] = _shade(cover[:, _HOME], shadows[places[k].box], level=level)
        stops = _stops(whole[:, 0], whole[:, 1], own, scale=pair.scale).tolist()
        for k, cover, part, stop in zip(group, covers, whole, stops, strict=True):
            if stop >= 2:
                found[k] = _flank(places[k].side, part[:, :stop], cover, shadows[places[k].box])
    return found


def _measured(pair: PicturePair, places: Sequence[FlankPlace]) -> tuple[NDArray[np.float32], Runs]:
    """Return by row the medians of design and capture, of the change, and how unsure that is."""
    pixels = _pixels(pair, places)
    runs = pixels.samples
    left, right = (_levels(words) for words in pixels.seen)  # three levels in one: whole numbers
    change = runs.medians(right - left + _TOP) - _TOP
    off = np.abs(2 * (right - left) - np.rint(2 * change).astype(np.int32)[runs.owner])
    spread = runs.medians(off) / 2 * 1.86 / np.sqrt(runs.lengths)
    whole = [runs.medians(left), runs.medians(right), change, spread]
    return np.asarray(np.stack(whole) / 3, np.float32), pixels.rows


def _outer(node: JudgedNode) -> tuple[Shadow, ...]:
    return tuple(s for s in shadows_of(node.node) if not s.inset)


def _levels(words: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return the sum of the three channels."""
    low = np.uint32(255)
    total = (words & low) + ((words >> np.uint32(8)) & low) + ((words >> np.uint32(16)) & low)
    return np.asarray(total, np.int32)


def _covers_of(
    place: FlankPlace,
    node: JudgedNode,
    shadows: Mapping[int, tuple[Shadow, ...]],
    scale: float,
) -> NDArray[np.float64]:
    """Return how much each shadow of a box covers of the rows outside a side."""
    some, side = shadows[place.box], place.side
    box, at = node.placed.box.scaled(scale), SIDES.index(place.side)
    edge = (box.x, box.y, box.right, box.bottom)[at]
    ahead = edge - node.rect[at] if at < 2 else node.rect[at] - edge
    size = (node.placed.box.w, node.placed.box.h)
    return _covers(some, side, size, max(ahead, 0.0), place.rows, scale)


def _flank(
    side: str,
    lines: NDArray[np.float32],
    covers: NDArray[np.float64],
    shadows: Sequence[Shadow],
) -> Flank:
    expected, actual, change, noise = lines
    if shadows:
        slips = _shade(covers[..., : len(expected)], shadows, level=float(expected[-1]))
    else:
        slips = np.zeros((len(_SLIPS), len(expected)), np.float32)
    return Flank(
        side=side,
        own=slips[_HOME],
        slips=slips - slips[_HOME],
        actual=actual,
        expected=expected,
        change=change,
        noise=noise + np.float32(_ROUNDING),
    )


def _stops(
    expected: NDArray[np.float32],
    actual: NDArray[np.float32],
    own: NDArray[np.float32],
    *,
    scale: float,
) -> NDArray[np.intp]:
    """Return up to which row each side shows its box's shadow and a calm, flat backdrop only."""
    count = expected.shape[1]
    bend = 1.5 * np.abs(np.diff(own, axis=1))
    jumps = np.abs(np.diff(expected, axis=1)) > _STEP / scale + bend
    jumps |= np.abs(np.diff(actual, axis=1)) > _JUMP / scale + bend
    calm = np.where(jumps.any(axis=1), jumps.argmax(axis=1) + 1, count)
    reach = np.count_nonzero(np.abs(own) > _SHOWS, axis=1)
    base = expected[np.arange(len(reach)), np.minimum(reach, count - 1)]
    off = np.abs(expected - base[:, None]) > _FLAT
    off &= np.arange(count) >= reach[:, None]
    flat = np.where(off.any(axis=1), off.argmax(axis=1), count)
    return np.asarray(np.minimum(calm, flat), np.intp)


@lru_cache(maxsize=512)
def _covers(
    shadows: tuple[Shadow, ...],
    side: str,
    size: tuple[float, float],
    ahead: float,
    count: int,
    scale: float,
) -> NDArray[np.float64]:
    """Return how much each shadow covers of each row outside a side, (shadow, slip, row).

    By Gaussian blur, for each slip. *size* is the box's width and height in CSS px, the rows begin
    *ahead* device px from its edge.
    """
    across, along = size if side in ("left", "right") else size[::-1]
    places = (np.arange(count) + 0.5 + ahead) / scale + np.array(_SLIPS)[:, None]
    found = np.zeros((len(shadows), *places.shape))
    for cover, shadow in zip(found, shadows, strict=True):
        moved = {"left": -shadow.x, "right": shadow.x, "top": -shadow.y, "bottom": shadow.y}[side]
        beyond = places - moved - shadow.spread
        sigma = max(shadow.blur / 2, 0.3)
        thick, long = across + 2 * shadow.spread, along + 2 * shadow.spread
        if thick > 0 and long > 0:
            inner = _below(-beyond / sigma) - _below(-(beyond + thick) / sigma)
            cover[:] = shadow.color.a * inner * erf(long / 2 / sigma / sqrt(2))
    found.flags.writeable = False
    return found


def _below(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal distribution function."""
    values = [0.5 * (1 + erf(v)) for v in (z.reshape(-1) / sqrt(2)).tolist()]
    return np.array(values).reshape(z.shape)


def _shade(
    covers: NDArray[np.float64], shadows: Sequence[Shadow], *, level: float
) -> NDArray[np.float32]:
    """Return the grey levels that shadows add; *level* is the grey of what lies around."""
    shown = np.full(covers.shape[1:], level)
    for cover, shadow in zip(covers[::-1], reversed(shadows), strict=True):
        shown = shown * (1 - cover) + cover * (sum(shadow.color.rgb) / 3)
    return np.asarray(shown - level, np.float32)
