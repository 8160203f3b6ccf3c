"""What lies outside the sides of painted rectangles, and what a shadow would add there.

A matched filter needs one line a side: the median over the side's length, so that what lies here
and there beside a box does not count. All sides of a page are read together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_pixelloop.core.node_style import shadows_of
from pytest_pixelloop.core.pixel_runs import Runs, runs_of
from pytest_pixelloop.core.shadow_covers import HOME, covers_of, packed, shaded
from pytest_pixelloop.core.side_strips import stretch_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.css_values import Shadow
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

REACH = 24.0
"""CSS px outside an edge in which a shadow is looked for."""
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
class Flanks:
    """What lies outside sides, from the edge outwards; (side, row), in device px and grey levels.

    ``box`` is each one's box among those asked for; only the first ``rows`` of each count.
    ``own`` is what the design's shadow adds, ``slips`` (side, slip, row) what it adds when it lies
    a little off; ``actual`` is the median along the side in the capture, ``change`` the median
    difference, ``noise`` how sure that is.
    """

    box: NDArray[np.intp]
    rows: NDArray[np.intp]
    own: NDArray[np.float32]
    slips: NDArray[np.float32]
    actual: NDArray[np.float32]
    change: NDArray[np.float32]
    noise: NDArray[np.float32]


class FlankPlaces(NamedTuple):
    """Sides of boxes in both pictures: so many ``rows`` outwards of so many ``samples`` each.

    ``box`` is the box's place among those asked for, ``side`` the place in SIDES. By picture,
    (2, side): the ``first`` row's place across, the ``low`` place along the side, the ``step`` to
    the next one and how many there are in all.
    """

    box: NDArray[np.intp]
    side: NDArray[np.intp]
    rows: NDArray[np.intp]
    samples: NDArray[np.intp]
    first: NDArray[np.intp]
    low: NDArray[np.intp]
    step: NDArray[np.intp]
    all: NDArray[np.intp]

    def of(self, which: NDArray[np.bool_]) -> FlankPlaces:
        """Return some of them."""
        return FlankPlaces(*(field[..., which] for field in self))


def flank_places(
    asked: Sequence[tuple[JudgedNode, Rect]],
    boxes: Sequence[int],
    *,
    shape: tuple[int, int],
    scale: float,
) -> FlankPlaces:
    """Return where the sides of *boxes* are to be looked at, those that lie in both pictures."""
    some, (height, width) = [asked[k] for k in boxes], shape
    rects = np.array([[n.rect for n, _ in some], [moved for _, moved in some]], np.intp)
    rects = rects.reshape(2, len(some), 4)
    side = np.tile(np.arange(4), len(some))
    edges = rects.reshape(2, -1)
    left, top, right, bottom = np.moveaxis(rects.repeat(4, axis=1), 2, 0)
    upright, near = side % 2 == 0, side < 2
    curve = np.rint(np.array([n.radius for n, _ in some]) * scale).astype(np.intp).repeat(4)
    ends = np.where(upright, top, left), np.where(upright, bottom, right)
    stretch = stretch_of(ends, np.where(upright, height, width), curve)
    outside = np.maximum(edges, 0)
    first = np.where(near, edges - 1, outside)
    room = np.where(near, edges, np.where(upright, width, height) - outside)
    rows = np.minimum(room.min(axis=0), round(REACH * scale))
    samples = stretch.samples.min(axis=0)
    box = np.array(boxes, np.intp).repeat(4)
    places = FlankPlaces(box, side, rows, samples, first, *stretch)
    return places.of((samples >= 1) & (rows >= 2))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlankPixels:
    """The pixels of flanks in design and capture, sample by sample, row by row, flank by flank."""

    seen: tuple[NDArray[np.uint32], NDArray[np.uint32]]
    samples: Runs
    rows: Runs

    def still(self) -> NDArray[np.bool_]:
        """Return for each flank whether most of each row is as in the design: none can differ."""
        other = np.add.reduceat(self.seen[0] != self.seen[1], self.samples.starts, dtype=np.intp)
        moving = 2 * other >= self.samples.lengths
        return ~np.logical_or.reduceat(moving, self.rows.starts)

    def of(self, which: NDArray[np.bool_]) -> FlankPixels:
        """Return the pixels of some flanks."""
        rows = which[self.rows.owner]
        every = rows[self.samples.owner]
        return FlankPixels(
            seen=(self.seen[0][every], self.seen[1][every]),
            samples=runs_of(self.samples.lengths[rows]),
            rows=runs_of(self.rows.lengths[which]),
        )


def flank_pixels(pair: PicturePair, places: FlankPlaces) -> FlankPixels:
    """Return the pixels of flanks, of at least one."""
    rows = runs_of(places.rows)
    samples = runs_of(places.samples[rows.owner])
    row, sample = (np.arange(len(r.owner)) - r.starts[r.owner] for r in (rows, samples))
    width, upright = pair.shape[1], places.side % 2 == 0
    along = np.where(upright, width, 1)
    across = np.where(upright, 1, width)
    outwards = (np.where(places.side < 2, -1, 1) * across)[rows.owner] * row
    seen: list[NDArray[np.uint32]] = []
    at = last = None
    for which, words in enumerate((pair.expected_words, pair.actual_words)):
        now = places.first[which], places.low[which], places.step[which], places.all[which]
        if (
            at is None
            or last is None
            or any((a != b).any() for a, b in zip(now, last, strict=True))
        ):
            first, low, step, every = now
            begin = (first * across + low * along)[rows.owner] + outwards
            stride = (step * along)[rows.owner]
            chosen = sample
            if (every != places.samples).any():
                ratio = (every - 1) / np.maximum(places.samples - 1, 1)
                chosen = np.rint(ratio[rows.owner][samples.owner] * sample).astype(np.intp)
            at, last = begin[samples.owner] + stride[samples.owner] * chosen, now
        seen.append(words.reshape(-1).take(at))
    return FlankPixels(seen=(seen[0], seen[1]), samples=samples, rows=rows)


def outer_shadows(node: JudgedNode) -> tuple[Shadow, ...]:
    """Return the shadows that a box throws around itself."""
    if not node.node.properties.get("effects"):
        return ()
    return tuple(s for s in shadows_of(node.node) if not s.inset)


def read_flanks(
    pair: PicturePair, places: FlankPlaces, pixels: FlankPixels, boxes: Sequence[JudgedNode]
) -> Flanks:
    """Return what lies outside of sides, those of which something can be told."""
    count = int(places.rows.max())
    rows = pixels.rows.starts[:, None] + np.minimum(np.arange(count), places.rows[:, None] - 1)
    expected, actual, change, noise = _measured(pixels)[:, rows]
    sides = list(zip(places.box.tolist(), places.side.tolist(), places.rows.tolist(), strict=True))
    outer = {k: outer_shadows(boxes[k]) for k in set(places.box.tolist())}
    covers = packed(
        [
            covers_of(boxes[k], outer[k], side, rows=length, scale=pair.scale)
            for k, side, length in sides
        ],
        count,
    )
    grays = np.zeros(covers.shape[:2])
    for gray, (k, _, _) in zip(grays, sides, strict=True):
        gray[: len(outer[k])] = [sum(s.color.rgb) / 3 for s in outer[k]]
    levels = _middles(expected, places.rows)
    own = shaded(covers[:, :, HOME : HOME + 1], grays, levels)[:, 0]
    stops = _stops(expected, actual, own, rows=places.rows, scale=pair.scale)
    last = expected[np.arange(len(stops)), np.maximum(stops, 1) - 1].astype(np.float64)
    slips = shaded(covers, grays, last)
    told = stops >= 2
    home = slips[told, HOME]
    return Flanks(
        box=places.box[told],
        rows=stops[told],
        own=home,
        slips=slips[told] - home[:, None],
        actual=actual[told],
        change=change[told],
        noise=noise[told] + np.float32(_ROUNDING),
    )


def _measured(pixels: FlankPixels) -> NDArray[np.float32]:
    """Return by row the medians of design and capture, of the change, and how unsure that is."""
    runs = pixels.samples
    left, right = (_levels(words) for words in pixels.seen)  # three levels in one: whole numbers
    change = runs.medians(right - left + _TOP) - _TOP
    off = np.abs(2 * (right - left) - np.rint(2 * change).astype(np.int32)[runs.owner])
    spread = runs.medians(off) / 2 * 1.86 / np.sqrt(runs.lengths)
    whole = [runs.medians(left), runs.medians(right), change, spread]
    return np.asarray(np.stack(whole) / 3, np.float32)


def _middles(lines: NDArray[np.float32], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the median of the first *rows* of each line."""
    beyond = np.arange(lines.shape[1]) >= rows[:, None]
    ordered = np.sort(np.where(beyond, np.inf, lines), axis=1)
    each = np.arange(len(rows))
    return np.asarray((ordered[each, (rows - 1) // 2] + ordered[each, rows // 2]) / 2)


def _levels(words: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return the sum of the three channels."""
    low = np.uint32(255)
    total = (words & low) + ((words >> np.uint32(8)) & low) + ((words >> np.uint32(16)) & low)
    return np.asarray(total, np.int32)


def _stops(
    expected: NDArray[np.float32],
    actual: NDArray[np.float32],
    own: NDArray[np.float32],
    *,
    rows: NDArray[np.intp],
    scale: float,
) -> NDArray[np.intp]:
    """Return up to which row each side shows its box's shadow and a calm, flat backdrop only."""
    places = np.arange(expected.shape[1])
    bend = 1.5 * np.abs(np.diff(own, axis=1))
    jumps = np.abs(np.diff(expected, axis=1)) > _STEP / scale + bend
    jumps |= np.abs(np.diff(actual, axis=1)) > _JUMP / scale + bend
    jumps &= places[1:] < rows[:, None]
    calm = np.where(jumps.any(axis=1), jumps.argmax(axis=1) + 1, rows)
    inside = places < rows[:, None]
    reach = np.count_nonzero((np.abs(own) > _SHOWS) & inside, axis=1)
    base = expected[np.arange(len(reach)), np.minimum(reach, rows - 1)]
    off = (np.abs(expected - base[:, None]) > _FLAT) & inside
    off &= places >= reach[:, None]
    flat = np.where(off.any(axis=1), off.argmax(axis=1), rows)
    return np.asarray(np.minimum(calm, flat), np.intp)
