"""Colour distance in YIQ as npm ``pixelmatch`` 7.2 computes it, on whole arrays of pixels.

A pixel is a 32-bit word holding R, G, B, A as bytes in memory order. Sums are written in the
order in which the JavaScript evaluates them: float64 addition is not associative, and a mask has
to be bit-identical.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Channels = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
    Differences = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

# The largest squared distance two colours can have.
MAX_DELTA = 35215
LUMA = (0.29889531, 0.58662247, 0.11448223)
WHOLE_LUMA = (29889531.0, 58662247.0, 11448223.0)
_IN_PHASE = (0.59597799, 0.27417610, 0.32180189)
_QUADRATURE = (0.21147017, 0.52261711, 0.31114694)
_DARK = 48
_ALPHA = np.array([0, 0, 0, 255], np.uint8).view(np.uint32)[0]
_GOLDEN = 1.618033988749895


def channels(words: NDArray[np.uint32]) -> Channels:
    """Return R, G, B and A of pixel words, each in the shape of *words*."""
    parts = words[..., np.newaxis].view(np.uint8)
    red, green, blue, alpha = (parts[..., k].astype(np.int32) for k in range(4))
    return red, green, blue, alpha


def color_delta(
    expected: NDArray[np.uint32], actual: NDArray[np.uint32], offsets: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the squared YIQ distance of pixel words, 0 to 35215.

    *offsets* are the byte offsets of the pixels in the picture: they choose the squares of the
    checkerboard that shows through transparent pixels.
    """
    red, green, blue = (
        _plain_differences(expected, actual)
        if _opaque(expected) and _opaque(actual)
        else _differences(channels(expected), channels(actual), offsets)
    )
    luma = red * LUMA[0] + green * LUMA[1] + blue * LUMA[2]
    in_phase = red * _IN_PHASE[0] - green * _IN_PHASE[1] - blue * _IN_PHASE[2]
    quadrature = red * _QUADRATURE[0] - green * _QUADRATURE[1] + blue * _QUADRATURE[2]
    delta: NDArray[np.float64] = (
        0.5053 * luma * luma + 0.299 * in_phase * in_phase + 0.1957 * quadrature * quadrature
    )
    return delta


def brightness_delta(
    centre: NDArray[np.uint32], neighbours: NDArray[np.uint32], offsets: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return how much brighter *centre* is than each of its *neighbours*.

    *neighbours* has one row a direction; *offsets* are the byte offsets of the centres. Sign, zero
    and order are those of pixelmatch's figure; the scale is 1e8 times as large between opaque
    pixels, where whole numbers do: LUMA has 8 decimals, and no two colours have one luma, so that
    JavaScript's rounding can neither make nor break a tie.
    """
    if _opaque(centre) and _opaque(neighbours):
        exact: NDArray[np.float64] = _whole_luma(centre) - _whole_luma(neighbours)
        return exact
    red, green, blue = _differences(channels(centre), channels(neighbours), offsets)
    luma: NDArray[np.float64] = red * LUMA[0] + green * LUMA[1] + blue * LUMA[2]
    return luma


def _whole_luma(words: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return 1e8 times the luma: a whole number below 2**53, so that float64 is exact."""
    parts = words[..., np.newaxis].view(np.uint8)
    red, green, blue = (
        np.multiply(parts[..., k], WHOLE_LUMA[k], dtype=np.float64) for k in range(3)
    )
    luma: NDArray[np.float64] = red + green + blue
    return luma


def _opaque(words: NDArray[np.uint32]) -> bool:
    return bool(np.bitwise_and.reduce(words, axis=None) & _ALPHA == _ALPHA)


def _plain_differences(expected: NDArray[np.uint32], actual: NDArray[np.uint32]) -> Differences:
    """Return the differences of R, G and B of opaque pixels."""
    first = expected[..., np.newaxis].view(np.uint8)
    second = actual[..., np.newaxis].view(np.uint8)
    red, green, blue = (
        np.subtract(first[..., k], second[..., k], dtype=np.float64) for k in range(3)
    )
    return red, green, blue


def _differences(first: Channels, second: Channels, offsets: NDArray[np.intp]) -> Differences:
    """Return the differences of R, G and B over the checkerboard.

    For two opaque pixels the blend is exact, (255 * difference) / 255, so one path serves all.
    """
    alpha1, alpha2 = first[3], second[3]
    uncovered = alpha1 - alpha2
    green, blue = _checkerboard(offsets)
    return (
        (first[0] * alpha1 - second[0] * alpha2 - _DARK * uncovered) / 255,
        (first[1] * alpha1 - second[1] * alpha2 - green * uncovered) / 255,
        (first[2] * alpha1 - second[2] * alpha2 - blue * uncovered) / 255,
    )


def _checkerboard(offsets: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the backdrop's G and B. Its R is always dark: a pixel's byte offset is even."""
    green = _DARK + 159 * ((offsets / _GOLDEN).astype(np.intp) % 2)
    blue = _DARK + 159 * ((offsets / (_GOLDEN + 1)).astype(np.intp) % 2)
    return green, blue
