"""Pixel comparison with exactly the semantics of npm ``pixelmatch`` 7.2, vectorised.

The colour distance is that of Y. Kotsarenko and F. Ramos, "Measuring perceived color difference
using YIQ NTSC transmission color space in mobile applications" (2010); the anti-aliasing rule is
in antialiasing.py. All arithmetic is float64 in the order in which the JavaScript writes it, so
that a mask is bit-identical and not merely close. pixelmatch 8 measures in OKLab and counts
other pixels: that is why every report names the comparator's version.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_pixelloop.core.antialiasing import Picture, antialiased
from pytest_pixelloop.core.yiq import LUMA, MAX_DELTA, color_delta

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

COMPARATOR: Mapping[str, Any] = MappingProxyType(
    {"name": "pixelmatch", "version": "7.2", "color_space": "yiq"}
)
# Pixels compared, and differing pixels looked at, in one go: large enough that numpy's overhead per
# call vanishes, small enough that a page on which every pixel differs needs some MB of working
# memory, not GB.
BAND = 1 << 18
BLOCK = 1 << 15
FADE = 0.1
FADE_ROWS = 64
RED = (255, 0, 0, 255)
YELLOW = (255, 255, 0, 255)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PixelDiff:
    """Which pixels differ, and by how much.

    ``total`` counts the pixels compared. ``mask`` holds the mismatched pixels and
    ``antialiased_mask`` those above the threshold that anti-aliasing explains; both have the
    pictures' height and width. ``positions`` are the flat indices of the mismatched pixels,
    ascending, and ``deltas`` their squared YIQ distances (0 to 35215) in that order;
    ``antialiased_positions`` and ``antialiased_deltas`` say the same of the others.
    ``identical`` tells that no compared pixel differs in any byte.
    """

    total: int
    mismatch: int
    antialiased: int
    mask: NDArray[np.bool_]
    antialiased_mask: NDArray[np.bool_]
    positions: NDArray[np.intp]
    deltas: NDArray[np.float64]
    antialiased_positions: NDArray[np.intp]
    antialiased_deltas: NDArray[np.float64]
    identical: bool

    @property
    def confidence(self) -> float:
        """The share of compared pixels that match, 0 to 1."""
        return (self.total - self.mismatch) / self.total

    def as_record(self) -> dict[str, Any]:
        """Return the figures as reports hold them."""
        return {
            "total": self.total,
            "mismatch": self.mismatch,
            "ratio": self.mismatch / self.total,
            "antialiased": self.antialiased,
        }


def comparator_record(*, threshold: float, include_antialiased: bool = False) -> dict[str, Any]:
    """Return what a report says about how its pixels were compared."""
    return {
        "name": COMPARATOR["name"],
        "version": COMPARATOR["version"],
        "parameters": {
            "threshold": threshold,
            "include_antialiased": include_antialiased,
            "color_space": COMPARATOR["color_space"],
            "checkerboard": True,
        },
    }


def compare_pixels(
    expected: NDArray[np.uint8],
    actual: NDArray[np.uint8],
    *,
    threshold: float = 0.1,
    include_antialiased: bool = False,
    ignore: NDArray[np.bool_] | None = None,
) -> PixelDiff:
    """Return the pixels of two RGBA pictures of one size that differ, as pixelmatch 7.2 does.

    *threshold* runs from 0 (every visible difference) to 1. With *include_antialiased* the
    anti-aliasing rule is off. Pixels under *ignore* (height, width) are treated as if they lay
    outside of the picture: they are not counted, and what they show decides nothing.

    Raises ValueError for anything that is no RGBA uint8 picture, for two sizes, an empty picture,
    a threshold outside 0..1, and when *ignore* leaves nothing to compare.
    """
    check_picture(expected, "expected")
    check_picture(actual, "actual")
    if expected.shape != actual.shape:
        raise ValueError(f"the sizes differ: expected {_size(expected)}, actual {_size(actual)} px")
    if not (math.isfinite(threshold) and 0 <= threshold <= 1):
        raise ValueError(f"threshold {threshold!r} is not a number from 0 to 1")
    pair = (Picture(words=as_words(expected)), Picture(words=as_words(actual)))
    hidden = _checked_ignore(ignore, expected)
    found = _Found(total=expected.shape[0] * expected.shape[1])
    if hidden is not None:
        found.total -= int(np.count_nonzero(hidden))
    if expected is not actual:
        limit = MAX_DELTA * threshold * threshold
        for positions in _differing(pair, hidden):
            found.identical = False
            words = pair[0].flat.take(positions), pair[1].flat.take(positions)
            delta = color_delta(*words, 4 * positions)
            above = delta > limit
            found.add(positions[above], delta[above], pair, hidden, smooth=not include_antialiased)
    return found.result(expected.shape[:2])


def check_picture(image: object, name: str) -> None:
    """Raise ValueError, naming what was given, unless *image* is a non-empty RGBA uint8 array."""
    if not isinstance(image, np.ndarray):
        raise ValueError(f"{name} is no picture but {type(image).__name__}")  # noqa: TRY004
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 4:
        raise ValueError(
            f"{name} has shape {image.shape} and type {image.dtype}, not (height, width, 4) uint8"
        )
    if image.size == 0:
        raise ValueError(f"{name} is empty: {_size(image)} px")


def _size(image: NDArray[np.uint8]) -> str:
    return f"{image.shape[1]}x{image.shape[0]}"


def as_words(image: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the picture as one 32-bit word a pixel; a view where the memory allows it."""
    return np.ascontiguousarray(image).view(np.uint32)[..., 0]


def _checked_ignore(
    ignore: NDArray[np.bool_] | None, image: NDArray[np.uint8]
) -> NDArray[np.bool_] | None:
    if ignore is None:
        return None
    if ignore.shape != image.shape[:2] or ignore.dtype != np.bool_:
        raise ValueError(
            f"the ignore mask has shape {ignore.shape} and type {ignore.dtype}, "
            f"not {image.shape[:2]} bool"
        )
    if ignore.all():
        raise ValueError("the masks cover the whole picture: nothing is left to compare")
    return np.ascontiguousarray(ignore) if ignore.any() else None


def _differing(
    pair: tuple[Picture, Picture], hidden: NDArray[np.bool_] | None
) -> Iterator[NDArray[np.intp]]:
    """Yield the flat indices of the compared pixels that differ in any byte, block by block."""
    height, width = pair[0].words.shape
    step = max(1, BAND // width)
    for top in range(0, height, step):
        rows = slice(top, top + step)
        unequal = pair[0].words[rows] != pair[1].words[rows]
        if hidden is not None:
            unequal &= ~hidden[rows]
        positions = np.flatnonzero(unequal) + top * width
        for start in range(0, positions.size, BLOCK):
            yield positions[start : start + BLOCK]


class _Found:
    """What has been found so far, block by block."""

    def __init__(self, *, total: int) -> None:
        self.total = total
        self.identical = True
        self._wrong: list[NDArray[np.intp]] = [np.empty(0, np.intp)]
        self._deltas: list[NDArray[np.float64]] = [np.empty(0, np.float64)]
        self._smooth: list[NDArray[np.intp]] = [np.empty(0, np.intp)]
        self._smooth_deltas: list[NDArray[np.float64]] = [np.empty(0, np.float64)]

    def add(
        self,
        positions: NDArray[np.intp],
        deltas: NDArray[np.float64],
        pair: tuple[Picture, Picture],
        hidden: NDArray[np.bool_] | None,
        *,
        smooth: bool,
    ) -> None:
        """Take pixels above the threshold; with *smooth*, tell smoothed ones from wrong ones."""
        if smooth and positions.size:
            explained = antialiased(pair, positions, ignore=hidden)
            self._smooth.append(positions[explained])
            self._smooth_deltas.append(deltas[explained])
            positions, deltas = positions[~explained], deltas[~explained]
        self._wrong.append(positions)
        self._deltas.append(deltas)

    def result(self, shape: tuple[int, ...]) -> PixelDiff:
        """Return all of it for pictures of *shape* (height, width)."""
        positions, smooth = np.concatenate(self._wrong), np.concatenate(self._smooth)
        return PixelDiff(
            total=self.total,
            mismatch=int(positions.size),
            antialiased=int(smooth.size),
            mask=mask_at(positions, shape),
            antialiased_mask=mask_at(smooth, shape),
            positions=positions,
            deltas=np.concatenate(self._deltas),
            antialiased_positions=smooth,
            antialiased_deltas=np.concatenate(self._smooth_deltas),
            identical=self.identical,
        )


def mask_at(positions: NDArray[np.intp], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return the mask of *shape* that is true at the flat *positions*."""
    mask = np.zeros(shape, np.bool_)
    mask.reshape(-1)[positions] = True
    return mask


def paint_diff(
    expected: NDArray[np.uint8], actual: NDArray[np.uint8], diff: PixelDiff
) -> NDArray[np.uint8]:
    """Return pixelmatch's picture of a comparison: faded grey, mismatches red, smoothing yellow.

    Sizes as paint_diff_mask says.
    """
    picture = paint_diff_mask(expected, actual, diff.mask)
    picture[diff.antialiased_mask] = YELLOW
    return picture


def paint_diff_mask(
    expected: NDArray[np.uint8], actual: NDArray[np.uint8], mask: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """Return *expected* as faded grey with the pixels of *mask* in red, in the mask's size.

    Where the mask is larger than *expected*, as after a size mismatch, the background is
    *actual*, and white where neither has a pixel.
    """
    check_picture(expected, "expected")
    check_picture(actual, "actual")
    picture = np.full((*mask.shape, 4), 255, np.uint8)
    if expected.shape != actual.shape:
        _fade_into(picture, actual)
    _fade_into(picture, expected)
    picture[mask] = RED
    return picture


def _fade_into(picture: NDArray[np.uint8], background: NDArray[np.uint8]) -> None:
    """Draw *background* as faded grey into the top left of *picture*, as far as it reaches."""
    height = min(picture.shape[0], background.shape[0])
    width = min(picture.shape[1], background.shape[1])
    for top in range(0, height, FADE_ROWS):
        rows = slice(top, min(top + FADE_ROWS, height))
        red, green, blue, alpha = (background[rows, :width, k].astype(np.float64) for k in range(4))
        luma = red * LUMA[0] + green * LUMA[1] + blue * LUMA[2]
        grey = 255 + (luma - 255) * FADE * alpha / 255
        # A cast cuts the fraction off, as writing to a Uint8Array does.
        picture[rows, :width, :3] = grey.astype(np.uint8)[..., np.newaxis]
