"""Two pictures made comparable: one backdrop, one size, masks out, and what differs in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.geometry import Box

_BACKDROPS = (255, 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PicturePair:
    """The area both pictures share, as opaque RGB; ``differs`` is 1 where a byte differs."""

    expected: NDArray[np.uint8]
    actual: NDArray[np.uint8]
    differs: NDArray[np.uint8]
    scale: float
    expected_size: tuple[int, int]
    actual_size: tuple[int, int]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the shared area in device px."""
        return int(self.expected.shape[0]), int(self.expected.shape[1])

    @property
    def same_size(self) -> bool:
        """Whether the two pictures are equally large."""
        return self.expected_size == self.actual_size


def _over(image: NDArray[np.uint8], backdrop: NDArray[np.uint8] | int) -> NDArray[np.uint8]:
    """Return the RGB of an RGBA picture laid over a backdrop (one grey, or a picture)."""
    alpha = image[..., 3]
    if alpha.min(initial=255) == 255:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGBA2RGB), np.uint8)
    weight = alpha[..., None].astype(np.float32) / 255.0
    under = np.asarray(backdrop, np.float32)
    mixed = np.rint(image[..., :3] * weight + under * (1 - weight))
    return np.asarray(mixed, np.uint8)


def _difference(expected: NDArray[np.uint8], actual: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return 1 where any of three channels differs."""
    apart = cv2.absdiff(expected, actual)
    red, green, blue = cv2.split(apart)
    joined = cv2.bitwise_or(cv2.bitwise_or(red, green), blue)
    return np.asarray(np.minimum(joined, 1), np.uint8)


def _opaque(
    expected: NDArray[np.uint8], actual: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return both pictures without transparency.

    A transparent design shows the page's own colour, as the page itself does. Where both are
    transparent, the backdrop (white or black) is the one on which more differs: a white logo is
    invisible on white.
    """
    if actual[..., 3].min(initial=255) == 255:
        if expected[..., 3].min(initial=255) == 255:
            return _over(expected, 0), _over(actual, 0)
        clear = expected[..., 3] == 0
        seen = actual[..., :3][clear]
        page = np.median(seen, axis=0).astype(np.uint8) if len(seen) else np.uint8(255)
        return _over(expected, np.asarray(page)), _over(actual, 0)
    pairs = [(_over(expected, b), _over(actual, b)) for b in _BACKDROPS]
    return max(pairs, key=lambda pair: int(_difference(*pair).sum()))


def make_pair(
    expected: NDArray[np.uint8],
    actual: NDArray[np.uint8],
    *,
    scale: float,
    masks: tuple[Box, ...] = (),
) -> PicturePair:
    """Return the comparable pair of two RGBA pictures; *masks* are boxes in CSS px to ignore."""
    height, width = (min(a, b) for a, b in zip(expected.shape[:2], actual.shape[:2], strict=True))
    left, right = _opaque(expected[:height, :width], actual[:height, :width])
    if masks:
        right = right.copy()
        for mask in masks:
            x0, y0, x1, y1 = (max(v, 0) for v in mask.scaled(scale).pixels())
            right[y0:y1, x0:x1] = left[y0:y1, x0:x1]
    return PicturePair(
        expected=left,
        actual=right,
        differs=_difference(left, right),
        scale=scale,
        expected_size=(int(expected.shape[1]), int(expected.shape[0])),
        actual_size=(int(actual.shape[1]), int(actual.shape[0])),
    )
