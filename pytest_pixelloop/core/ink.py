"""Ink on a plain backdrop: how much, in what colour, where, and whether it forms the same shapes.

Text and single-coloured icons are read as coverage (0 backdrop, 1 ink), so that a wrong colour of
the backdrop or of the ink does not hide, and is not mistaken for, a wrong shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

if TYPE_CHECKING:
    from cv2.typing import MatLike
    from numpy.typing import NDArray

GRAIN = 5.0
"""Levels (0..255) by which a plain backdrop may vary: compression, dithering, blending."""
PLAIN = 0.3
"""Share of a crop that one colour must have to be its backdrop."""
HALF = 0.5
"""Share of one colour above which no other one can be commoner."""
FULL = np.float32(1.25)
"""Coverage above which there is no more: ink is darkest in few places."""
_PLACES = 4096
_MOMENTS = np.arange(_PLACES, dtype=np.float64) ** np.arange(3)[:, None]
"""The place to the power of 0, 1 and 2 for as many px as most texts are long."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ink:
    """The ink of one crop.

    ``total`` is the summed difference from the backdrop by channel (levels x device px);
    ``color`` the ink's own colour as far as strokes reach it; ``plain`` tells whether the
    backdrop is one colour, without which the rest means little; ``tint`` is how much of the ink is
    off its own colour: sub-pixel text has coloured fringes.
    """

    backdrop: NDArray[np.float32]
    color: NDArray[np.float32]
    contrast: float
    coverage: NDArray[np.float32]
    total: NDArray[np.float64]
    plain: bool
    tint: float = 0.0


class Plain(NamedTuple):
    """The commonest colour of a crop, the shares of it that have about it and just it.

    ``code`` is the colour as one number, None for one that is not that of any pixel.
    """

    color: NDArray[np.float32]
    share: float
    exact: float
    code: int | None


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


def covered_like(crop: NDArray[np.uint8], ink: Ink) -> NDArray[np.float32]:
    """Return the coverage of another crop of the same picture by the same ink."""
    ground = np.array((*ink.backdrop.tolist(), 0.0), np.float64)
    size = largest_channel(cv2.absdiff(crop, ground))
    inked = cv2.threshold(size, GRAIN, 1, cv2.THRESH_BINARY)[1]
    apart = cv2.subtract(crop, ground, dtype=cv2.CV_32F)
    direction = (ink.color - ink.backdrop)[None] * np.float32(1 / ink.contrast)
    along = np.asarray(cv2.copyTo(cv2.transform(apart, direction), inked), np.float32)
    return np.asarray(np.clip(along * np.float32(1 / ink.contrast), 0, FULL), np.float32)


def largest_channel(apart: MatLike) -> NDArray[np.uint8]:
    """Return the largest of three channels."""
    red, green, blue = cv2.split(apart)
    return np.asarray(cv2.max(cv2.max(red, green), blue), np.uint8)


def find(
    template: NDArray[np.float32] | NDArray[np.uint8],
    window: NDArray[np.float32] | NDArray[np.uint8],
    *,
    home: tuple[int, int],
) -> tuple[int, int, float]:
    """Return (dx, dy, likeness) of the template in the window, relative to *home* in it.

    Among nearly equal matches the one nearest to *home* counts: repeated content is everywhere.
    """
    low, high, *_ = cv2.minMaxLoc(template)
    method = cv2.TM_CCORR_NORMED if high - low < 1e-3 else cv2.TM_CCOEFF_NORMED
    # As floats it takes half the time.
    places = window.astype(np.float32, copy=False), template.astype(np.float32, copy=False)
    likeness = cv2.matchTemplate(*places, method)
    best = cv2.minMaxLoc(likeness)[1]
    rows, columns = np.nonzero(likeness >= best - 0.01)
    x, y = min(
        zip(columns.tolist(), rows.tolist(), strict=True),
        key=lambda place: (place[0] - home[0]) ** 2 + (place[1] - home[1]) ** 2,
    )
    return x - home[0], y - home[1], float(likeness[y, x])


def profiles(ink: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums of an ink's columns and of its rows."""
    columns = cv2.reduce(ink, 0, cv2.REDUCE_SUM, dtype=cv2.CV_64F)
    rows = cv2.reduce(ink, 1, cv2.REDUCE_SUM, dtype=cv2.CV_64F)
    return np.asarray(columns, np.float64).ravel(), np.asarray(rows, np.float64).ravel()


def spread(profile: NDArray[np.float64]) -> tuple[float, float]:
    """Return the centre and the standard deviation of a profile of ink, in px."""
    length = len(profile)
    powers = _MOMENTS[:, :length]
    if length > _PLACES:
        powers = np.arange(length, dtype=np.float64) ** np.arange(3)[:, None]
    mass, first, second = (powers @ profile).tolist()
    if mass <= 0:
        return 0.0, 0.0
    centre = first / mass
    return centre, max(second / mass - centre * centre, 0.0) ** 0.5
