"""Small pictures of what a finding is about: the design's part and the page's, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.store.atomic import write_bytes_atomic
from pytest_pixelloop.store.images import encode_png, read_image

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

FOLDER = "crops"
#: CSS px around the box, and the largest part that is shown.
AROUND = 12.0
LARGEST = (480.0, 360.0)
_LINE = 2
_BETWEEN = (255, 0, 255, 255)


def write_crops(
    folder: Path,
    boxes: Sequence[tuple[str, Sequence[float]]],
    *,
    expected: str,
    actual: str,
    scale: float,
) -> tuple[str | None, ...]:
    """Write one PNG a named box below ``crops/`` of *folder*; return their paths in it, in order.

    *expected* and *actual* are pictures in *folder*; boxes are x, y, width, height in CSS px. What
    is there already stays. None where a picture cannot be read: a brief is not worth an error.
    """
    wanted = [f"{FOLDER}/{name}.png" for name, _ in boxes]
    if all((folder / w).exists() for w in wanted):
        return tuple(wanted)
    try:
        left = read_image(folder / expected, name=expected)
        right = read_image(folder / actual, name=actual)
        for path, (_, box) in zip(wanted, boxes, strict=True):
            crop = _pair(left, right, [v * scale for v in box], scale=scale)
            write_bytes_atomic(folder / path, encode_png(crop))
    except (PixelloopError, OSError):
        return tuple(None for _ in wanted)
    return tuple(wanted)


def _pair(
    left: NDArray[np.uint8], right: NDArray[np.uint8], box: Sequence[float], *, scale: float
) -> NDArray[np.uint8]:
    x, y, w, h = box
    around = AROUND * scale
    width = round(min(w + 2 * around, LARGEST[0] * scale))
    height = round(min(h + 2 * around, LARGEST[1] * scale))
    x0, y0 = max(round(x - around), 0), max(round(y - around), 0)
    width, height = max(width, 1), max(height, 1)
    line = np.full((height, max(round(_LINE * scale), 1), 4), _BETWEEN, np.uint8)
    parts = [_cut(picture, x0, y0, width, height) for picture in (left, right)]
    return np.concatenate([parts[0], line, parts[1]], axis=1)


def _cut(picture: NDArray[np.uint8], x: int, y: int, width: int, height: int) -> NDArray[np.uint8]:
    """Return a part of a picture, clear where the picture does not reach."""
    found = np.zeros((height, width, 4), np.uint8)
    part = picture[y : y + height, x : x + width]
    found[: part.shape[0], : part.shape[1]] = part
    return found
