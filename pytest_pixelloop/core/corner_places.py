"""Where the corners of painted rectangles lie in both pictures, and at which enough has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from pytest_pixelloop.core.corner_model import MARGIN, CornerShape, straight_of, zone_of
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.node_style import radii_of
from pytest_pixelloop.core.pixel_runs import runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.corner_model import Pixels
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.pixel_runs import Runs
    from pytest_pixelloop.core.rectangles import Rect

ROOM = 12.0
"""CSS px beyond the design's radius up to which others are tried."""
SEEN = 8.0
"""Distance in RGB from which inside, line and outside can be told apart."""
GAIN = 0.9
"""CSS px squared, wrong by the corner's whole contrast, that another radius must explain: so much
must have changed at least."""
_FAINT = 0.2
"""Share of a corner's contrast below which the change of a pixel is smoothing or noise."""
_SHARP = 0.0, 0.0, 0.0, 0.0
_SMALLEST = 3
"""Device px that a corner must have to tell anything."""
_T = TypeVar("_T", bound=np.generic)
_RIGHT = (False, True, True, False)
_BOTTOM = (False, False, True, True)
_SIDEWAYS, _UPRIGHT = [0, 2, 2, 0], [1, 1, 3, 3]
"""The edges that meet in each corner."""
_ACROSS = np.array([1, -1, -1, 1], np.intp)
_DOWN = np.array([1, 1, -1, -1], np.intp)


class CornerPlace(NamedTuple):
    """One corner of one box: what the design says of it, and how large its radius may be.

    ``box`` is the box's place among those asked for, ``told`` its radius in CSS px, ``alike`` how
    many corners of the box share it. ``most`` is the largest radius it can show, in device px.
    """

    box: int
    told: float
    alike: int
    most: float
    shape: CornerShape


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CornerPixels:
    """Where corners lie in both pictures, each turned so that outside is top left.

    ``pictures`` are design and capture, flat, a pixel one number. The first half of the entries
    lies in the design, the second half, the same corners, in the capture. ``start`` is the
    outermost pixel of each, ``down`` and ``across`` are the steps to the next row and column.
    """

    pictures: tuple[NDArray[np.uint32], NDArray[np.uint32]]
    start: NDArray[np.intp]
    down: NDArray[np.intp]
    across: NDArray[np.intp]

    def of(self, which: NDArray[np.intp]) -> CornerPixels:
        """Return some of the corners, in both pictures."""
        both = np.concatenate([which, which + len(self.start) // 2])
        return CornerPixels(
            pictures=self.pictures,
            start=self.start[both],
            down=self.down[both],
            across=self.across[both],
        )

    def words(self, at: NDArray[np.intp]) -> NDArray[np.uint32]:
        """Return the pixels at flat places, the first half of them in the design."""
        half = len(at) // 2
        return np.concatenate([self.pictures[0].take(at[:half]), self.pictures[1].take(at[half:])])

    def take(self, places: Sequence[Pixels]) -> tuple[NDArray[np.uint32], Runs]:
        """Return the pixels at the *places* of each corner, design first, one after the other."""
        runs = runs_of([len(p[0]) for p in places])
        rows, columns = (np.concatenate([p[axis] for p in places]) for axis in (0, 1))
        return self.at(runs.owner, rows, columns), runs

    def at(
        self, corner: NDArray[np.intp], rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> NDArray[np.uint32]:
        """Return pixels by their corner, row and column, first those of the design."""
        (down, _), (across, _) = halves(self.down), halves(self.across)
        along = down[corner] * rows + across[corner] * columns
        return self.words(np.concatenate([start[corner] + along for start in halves(self.start)]))

    def first(self) -> NDArray[np.uint32]:
        """Return the outermost pixel of each corner."""
        return self.words(self.start)


def changed_corners(
    pair: PicturePair, asked: Sequence[tuple[JudgedNode, Rect]]
) -> tuple[list[CornerPlace], CornerPixels]:
    """Return the corners of boxes, and the places these are at now, where enough has changed.

    Where the edges lie and how they are smoothed is no matter of the radius: a corner has changed
    by what changed otherwise than the straight edges that go from it.
    """
    places, pixels = _all_corners(pair, asked)
    if not places:
        return places, pixels
    words, runs = pixels.take([zone_of(p.shape) for p in places])
    before, after = halves(words)
    outside = halves(pixels.first())[0][runs.owner]
    highest = runs.largest(_squares(_change(outside, before)))
    some = np.flatnonzero(before != after)
    owner = runs.owner[some]
    beside = [straight_of(p.shape) for p in places]
    rows, columns = (np.concatenate([b[axis] for b in beside])[some] for axis in (0, 1))
    change = _change(before[some], after[some])
    straight = _change(*halves(pixels.at(owner, rows, columns)))
    less = np.minimum(_squares(change), _squares(change - straight))
    counted = np.where(less >= _FAINT**2 * highest[owner], less, 0)
    apart = np.bincount(owner, counted, minlength=len(places))
    kept = (highest >= SEEN**2) & (apart >= GAIN * highest * pair.scale**2)
    which = np.flatnonzero(kept)
    return [places[k] for k in which.tolist()], pixels.of(which)


def halves(entries: NDArray[_T]) -> tuple[NDArray[_T], NDArray[_T]]:
    """Return what belongs to the design and what to the capture."""
    half = len(entries) // 2
    return entries[:half], entries[half:]


def _change(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return by how much pixels differ, (pixel, channel)."""
    before, after = (w.view(np.uint8).reshape(-1, 4) for w in (first, second))
    return np.subtract(after, before, dtype=np.int32)


def _squares(change: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.asarray(np.einsum("pc,pc->p", change, change), np.int32)


def _all_corners(
    pair: PicturePair, asked: Sequence[tuple[JudgedNode, Rect]]
) -> tuple[list[CornerPlace], CornerPixels]:
    """Return the corners of boxes that lie in both pictures and at which something can be told."""
    nodes, scale, (height, width) = [node for node, _ in asked], pair.scale, pair.shape
    rects = np.array([[n.rect for n in nodes], [moved for _, moved in asked]], np.intp)
    rects = rects.reshape(2, len(nodes), 4)  # of no boxes there are none
    left, top, right, bottom = np.moveaxis(rects[..., None], 2, 0)
    small = np.minimum(right - left, bottom - top).min(axis=0)
    radii = [radii_of(n.node) if n.radius > 0 or n.kind is not Kind.BOX else _SHARP for n in nodes]
    told = np.array(radii, np.float64).reshape(-1, 4)
    most = np.minimum((told + ROOM) * scale, small / 2)
    side = np.minimum(np.ceil(most).astype(np.intp) + 3, small // 2)
    borders = np.array([n.borders for n in nodes], np.float64).reshape(-1, 4)
    line = borders[:, _SIDEWAYS]
    kept = (side >= _SMALLEST) & (line == borders[:, _UPRIGHT])
    x = np.where(_RIGHT, right + MARGIN - 1, left - MARGIN)
    y = np.where(_BOTTOM, bottom + MARGIN - 1, top - MARGIN)
    far = side + MARGIN - 1
    for first, last, end in ((x, x + _ACROSS * far, width), (y, y + _DOWN * far, height)):
        kept &= ((np.minimum(first, last) >= 0) & (np.maximum(first, last) < end)).all(axis=0)
    which = np.flatnonzero(kept.reshape(-1))
    pixels = CornerPixels(
        pictures=(pair.expected_words.reshape(-1), pair.actual_words.reshape(-1)),
        start=(y * width + x).reshape(2, -1)[:, which].reshape(-1),
        down=np.tile(np.tile(_DOWN * width, len(nodes))[which], 2),
        across=np.tile(np.tile(_ACROSS, len(nodes))[which], 2),
    )
    sizes = _Sizes(told, line, most, side + MARGIN)
    return _told(nodes, rects[0], which, sizes, scale=scale), pixels


class _Sizes(NamedTuple):
    """By box and corner: radius and line in CSS px, largest radius and size in device px."""

    told: NDArray[np.float64]
    line: NDArray[np.float64]
    most: NDArray[np.float64]
    size: NDArray[np.intp]


def _told(
    nodes: Sequence[JudgedNode],
    rects: NDArray[np.intp],
    which: NDArray[np.intp],
    sizes: _Sizes,
    *,
    scale: float,
) -> list[CornerPlace]:
    """Return what the design says of the corners *which*, counted box by box."""
    told, line, most, size = sizes
    boxes, corners = np.divmod(which, 4)
    inset = MARGIN + _within(nodes, rects, scale)
    shaded = np.array([n.shadow_reach > 0 for n in nodes], np.bool_)
    shapes = zip(
        size[boxes, corners].tolist(),
        most[boxes, corners].astype(np.intp).tolist(),
        (told * scale)[boxes, corners].tolist(),
        (line * scale)[boxes, corners].tolist(),
        inset[:, _SIDEWAYS][boxes, corners].tolist(),
        inset[:, _UPRIGHT][boxes, corners].tolist(),
        shaded[boxes].tolist(),
        strict=True,
    )
    alike = (told[:, :, None] == told[:, None, :]).sum(axis=2)
    places = zip(
        boxes.tolist(),
        *(v[boxes, corners].tolist() for v in (told, alike, most)),
        (CornerShape(*shape) for shape in shapes),
        strict=True,
    )
    return [CornerPlace(*place) for place in places]


def _within(
    nodes: Sequence[JudgedNode], rects: NDArray[np.intp], scale: float
) -> NDArray[np.float64]:
    """Return how far within its pixels each edge of boxes lies, (box, edge)."""
    boxes = [n.placed.box for n in nodes]
    whole = np.array([(b.x, b.y, b.w, b.h) for b in boxes]).reshape(-1, 4) * scale
    whole[:, 2:] += whole[:, :2]
    return np.asarray((whole - rects) * (1, 1, -1, -1), np.float64)
