"""Two pictures of any size on one canvas: nothing is resized, nothing is left out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.errors import ConfigurationError, UndeterminedError
from pytest_pixelloop.core.pixels import PixelDiff, check_picture, compare_pixels, mask_at
from pytest_pixelloop.core.yiq import MAX_DELTA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.geometry import Box

# An edge this close to a pixel's edge lies on it: what is left of the scale's rounding.
_ON_EDGE = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CanvasDiff:
    """Two pictures laid over each other at their top left corners, and how they differ.

    ``expected`` and ``actual`` have the size of the union, transparent where the picture has no
    pixel; ``diff`` is of that size. ``same_size`` tells that nothing had to be added.
    """

    expected: NDArray[np.uint8]
    actual: NDArray[np.uint8]
    diff: PixelDiff
    same_size: bool


def compare_on_canvas(
    expected: NDArray[np.uint8],
    actual: NDArray[np.uint8],
    *,
    threshold: float = 0.1,
    include_antialiased: bool = False,
    masks: Sequence[Box] = (),
) -> CanvasDiff:
    """Return how two pictures of any size differ, without the boxes *masks* (device px).

    The part both have is compared as compare_pixels does. A pixel that only one of them has is
    mismatched, with the largest distance; a corner that neither has is not counted.

    Raises ValueError as compare_pixels does, except for the sizes, ConfigurationError for a mask
    that is no box, and UndeterminedError when the masks leave nothing to compare.
    """
    check_picture(expected, "expected")
    check_picture(actual, "actual")
    height, width = (max(expected.shape[k], actual.shape[k]) for k in (0, 1))
    ignore = mask_of_boxes(masks, (height, width))
    if ignore is not None and not (_existing(expected, actual) & ~ignore).any():
        raise UndeterminedError(
            "the masks cover the whole picture: nothing is left to compare",
            reason="no-comparable-channel",
            expected="masks that leave a part of the frame",
        )
    same_size = expected.shape == actual.shape
    compare = compare_pixels if same_size else _compare_sizes
    diff = compare(
        expected,
        actual,
        threshold=threshold,
        include_antialiased=include_antialiased,
        ignore=ignore,
    )
    return CanvasDiff(
        expected=expected if same_size else _padded(expected, height, width),
        actual=actual if same_size else _padded(actual, height, width),
        diff=diff,
        same_size=same_size,
    )


def mask_of_boxes(boxes: Sequence[Box], shape: tuple[int, int]) -> NDArray[np.bool_] | None:
    """Return the mask (height, width) that is true inside the *boxes*; None without boxes.

    A box holds every pixel that it touches, from its left edge up to but not including its right
    one: what an element paints over half a pixel must not be compared.
    """
    if not boxes:
        return None
    height, width = shape
    mask = np.zeros(shape, np.bool_)
    for box in boxes:
        edges = (box.x, box.y, box.right, box.bottom)
        if not all(math.isfinite(edge) for edge in edges):
            raise ConfigurationError(
                f"mask {box.x},{box.y},{box.w},{box.h} is no box",
                expected="four finite numbers x,y,w,h in CSS px of the frame",
            )
        left, top = (max(math.floor(edge + _ON_EDGE), 0) for edge in edges[:2])
        right = min(math.ceil(box.right - _ON_EDGE), width)
        bottom = min(math.ceil(box.bottom - _ON_EDGE), height)
        if right > left and bottom > top:
            mask[top:bottom, left:right] = True
    return mask


def _existing(expected: NDArray[np.uint8], actual: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which pixels of the union canvas at least one picture has."""
    exists = np.zeros([max(expected.shape[k], actual.shape[k]) for k in (0, 1)], np.bool_)
    for image in (expected, actual):
        exists[: image.shape[0], : image.shape[1]] = True
    return exists


def _padded(image: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    canvas = np.zeros((height, width, 4), np.uint8)
    canvas[: image.shape[0], : image.shape[1]] = image
    return canvas


def _compare_sizes(
    expected: NDArray[np.uint8],
    actual: NDArray[np.uint8],
    *,
    threshold: float,
    include_antialiased: bool,
    ignore: NDArray[np.bool_] | None,
) -> PixelDiff:
    """Return the difference of pictures of two sizes, in the size of their union."""
    height, width = (min(expected.shape[k], actual.shape[k]) for k in (0, 1))
    one_sided = _existing(expected, actual)
    one_sided[:height, :width] = False
    hidden = None if ignore is None else ignore[:height, :width]
    if ignore is not None:
        one_sided &= ~ignore
    alone = int(np.count_nonzero(one_sided))
    if hidden is not None and hidden.all():
        shared = _nothing((height, width))
    else:
        shared = compare_pixels(
            expected[:height, :width],
            actual[:height, :width],
            threshold=threshold,
            include_antialiased=include_antialiased,
            ignore=hidden,
        )
    return _widened(shared, one_sided, alone=alone)


def _nothing(shape: tuple[int, int]) -> PixelDiff:
    """Return the difference of two pictures of which no pixel is compared."""
    nowhere = np.empty(0, np.intp)
    return PixelDiff(
        total=0,
        mismatch=0,
        antialiased=0,
        mask=mask_at(nowhere, shape),
        antialiased_mask=mask_at(nowhere, shape),
        positions=nowhere,
        deltas=np.empty(0, np.float64),
        antialiased_positions=nowhere,
        antialiased_deltas=np.empty(0, np.float64),
        identical=True,
    )


def _widened(shared: PixelDiff, one_sided: NDArray[np.bool_], *, alone: int) -> PixelDiff:
    """Return *shared* on the larger canvas, with the pixels that only one picture has."""
    width, canvas_width = shared.mask.shape[1], one_sided.shape[1]

    def moved(positions: NDArray[np.intp]) -> NDArray[np.intp]:
        rows, columns = np.divmod(positions, width)
        on_canvas: NDArray[np.intp] = rows * canvas_width + columns
        return on_canvas

    wrong, smooth = moved(shared.positions), moved(shared.antialiased_positions)
    mask = mask_at(wrong, one_sided.shape) | one_sided
    positions = np.flatnonzero(mask)
    deltas = np.full(positions.size, float(MAX_DELTA))
    deltas[np.searchsorted(positions, wrong)] = shared.deltas
    return replace(
        shared,
        total=shared.total + alone,
        mismatch=int(positions.size),
        mask=mask,
        antialiased_mask=mask_at(smooth, one_sided.shape),
        positions=positions,
        deltas=deltas,
        antialiased_positions=smooth,
        identical=shared.identical and not alone,
    )
