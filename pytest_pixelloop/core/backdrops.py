"""What texts and drawings lie on: the commonest colour around them, and what is not of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from pytest_pixelloop.core.ink import GRAIN, PLAIN
from pytest_pixelloop.core.ink_places import Marks, marks_of, marks_on, touched
from pytest_pixelloop.core.rectangles import cut
from pytest_pixelloop.core.strips import strips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.rectangles import Rect

HALF = 0.5
"""Share of one colour above which no other one can be commoner."""


class Plain(NamedTuple):
    """The commonest colour of a crop, the shares of it that have about it and just it.

    ``code`` is the colour as one number, None for one that is not that of any pixel.
    """

    color: NDArray[np.float32]
    share: float
    exact: float
    code: int | None


def backdrops(codes: NDArray[np.uint32], rects: Sequence[Rect]) -> list[tuple[Plain, Marks]]:
    """Return the commonest colour in each box of a packed picture, and where there is any other.

    Most often it is that of the first px; other boxes are looked at one by one. None of them is
    empty, and where the colour is that of no px the marks mean nothing.
    """
    found: dict[int, tuple[Plain, Marks]] = {}
    for strip in strips([(y1 - y0, x1 - x0) for x0, y0, x1, y1 in rects]):
        boxes = [rects[k] for k in strip.picks]
        firsts = [int(codes[y0, x0]) for x0, y0, _, _ in boxes]
        bare = strip.along(np.array(firsts, np.uint32))
        sheet = np.empty((strip.height, strip.length), np.uint32)
        sheet[:] = bare
        for part, box in zip(strip.parts(sheet), boxes, strict=True):
            part[:] = cut(codes, box)
        other = np.not_equal(sheet, bare).view(np.uint8)
        sums = np.asarray(cv2.reduce(other, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S)[0])
        many, marks = strip.summed(sums).tolist(), marks_on(other, strip)
        for n, (k, box, first) in enumerate(zip(strip.picks, boxes, firsts, strict=True)):
            exact = 1 - many[n] / ((box[2] - box[0]) * (box[3] - box[1]))
            if exact > HALF:  # no other one can be commoner
                found[k] = Plain(_channels_of(first), exact, exact, first), marks[n]
            else:
                found[k] = _looked_at(cut(codes, box))
    return [found[k] for k in range(len(rects))]


def _looked_at(crop: NDArray[np.uint32]) -> tuple[Plain, Marks]:
    plain = plain_color(crop)
    return plain, marks_of(touched(crop, plain.code or 0))


def plain_color(crop: NDArray[np.uint32]) -> Plain:
    """Return the commonest colour of a packed crop.

    A few hundred pixels tell: the backdrop is most of a text's box.
    """
    step = max(int((crop.shape[0] * crop.shape[1] / 600) ** 0.5), 1)
    sample = crop[step // 2 :: step, step // 2 :: step]
    first = int(sample[0, 0])
    exact = int(np.count_nonzero(sample == first)) / sample.size
    if exact > HALF:  # no other one can be commoner
        return Plain(_channels_of(first), exact, exact, first)
    codes = np.sort(sample, axis=None)
    ends = np.empty(int(np.count_nonzero(codes[1:] != codes[:-1])) + 2, np.intp)
    ends[0], ends[-1] = -1, len(codes) - 1
    ends[1:-1] = np.flatnonzero(codes[1:] != codes[:-1])
    counts = ends[1:] - ends[:-1]
    k = int(counts.argmax())
    if counts[k] < 0.15 * len(codes):  # grainy: the middle of the commonest coarse colour
        return Plain(*_coarse(codes), float(counts[k]) / len(codes), None)
    code = int(codes[ends[k + 1]])
    color, exact = _channels_of(code), float(counts[k]) / len(codes)
    if exact > PLAIN:
        return Plain(color, exact, exact, code)
    near = np.abs(_channels(codes) - color).max(axis=1) <= GRAIN
    return Plain(color, float(near.mean()), exact, code)


@lru_cache(maxsize=256)
def _channels_of(code: int) -> NDArray[np.float32]:
    color = np.array((code & 255, code >> 8 & 255, code >> 16 & 255), np.float32)
    color.flags.writeable = False
    return color


def _channels(codes: NDArray[np.uint32]) -> NDArray[np.int32]:
    return codes.view(np.uint8).reshape(-1, 4)[:, :3].astype(np.int32)


def _coarse(packed_colors: NDArray[np.uint32]) -> tuple[NDArray[np.float32], float]:
    flat = _channels(packed_colors)
    codes = (flat[:, 0] >> 3 << 10) | (flat[:, 1] >> 3 << 5) | flat[:, 2] >> 3
    chosen = flat[codes == int(np.bincount(codes).argmax())]
    color = np.median(chosen, axis=0).astype(np.float32)
    near = np.abs(flat - color).max(axis=1) <= GRAIN
    return color, float(near.mean())
