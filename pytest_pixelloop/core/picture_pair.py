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
    """The area both pictures share, as opaque RGB; ``differs`` is 1 where a byte differs.

    The ``words`` are the same pictures, a pixel one whole number.
    """

    expected: NDArray[np.uint8]
    actual: NDArray[np.uint8]
    expected_words: NDArray[np.uint32]
    actual_words: NDArray[np.uint32]
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
    weight = image[..., 3:].astype(np.float32) / 255.0
    under = np.asarray(backdrop, np.float32)
    mixed = np.rint(image[..., :3] * weight + under * (1 - weight))
    return np.asarray(mixed, np.uint8)


def _words(picture: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return an RGB or an opaque RGBA picture as one number a pixel."""
    whole = picture if picture.shape[2] == 4 else cv2.cvtColor(picture, cv2.COLOR_RGB2RGBA)
    return np.ascontiguousarray(whole).view(np.uint32)[..., 0]


def _difference(expected: NDArray[np.uint32], actual: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return 1 where any channel differs."""
    return np.asarray(expected != actual).view(np.uint8)


def _is_opaque(image: NDArray[np.uint8]) -> bool:
    if not image.size:
        return True
    every = np.bitwise_and.reduce(_words(image), axis=None)
    return bool(np.array([every], np.uint32).view(np.uint8)[3] == 255)


def _bare(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the RGB of an opaque picture."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGBA2RGB), np.uint8)


def _opaque(
    expected: NDArray[np.uint8], actual: NDArray[np.uint8], *, solid: tuple[bool, bool]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return both pictures without transparency; *solid* tells which have none.

    A transparent design shows the page's own colour, as the page itself does. Where both are
    transparent, the backdrop (white or black) is the one on which more differs: a white logo is
    invisible on white.
    """
    if solid[1]:
        if solid[0]:
            return _bare(expected), _bare(actual)
        clear = expected[..., 3] == 0
        seen = actual[..., :3][clear]
        page = np.median(seen, axis=0).astype(np.uint8) if len(seen) else np.uint8(255)
        return _over(expected, np.asarray(page)), _bare(actual)
    pairs = [(_over(expected, b), _over(actual, b)) for b in _BACKDROPS]
    return max(pairs, key=lambda pair: int(_difference(*map(_words, pair)).sum()))


def make_pair(
    expected: NDArray[np.uint8],
    actual: NDArray[np.uint8],
    *,
    scale: float,
    masks: tuple[Box, ...] = (),
) -> PicturePair:
    """Return the comparable pair of two RGBA pictures; *masks* are boxes in CSS px to ignore."""
    height, width = (min(a, b) for a, b in zip(expected.shape[:2], actual.shape[:2], strict=True))
    whole = expected[:height, :width], actual[:height, :width]
    solid = _is_opaque(whole[0]), _is_opaque(whole[1])
    left, right = _opaque(*whole, solid=solid)
    if masks:
        right = right.copy()
        for mask in masks:
            x0, y0, x1, y1 = (max(v, 0) for v in mask.scaled(scale).pixels())
            right[y0:y1, x0:x1] = left[y0:y1, x0:x1]
    words = [_words(p) for p in (whole if all(solid) and not masks else (left, right))]
    return PicturePair(
        expected=left,
        actual=right,
        expected_words=words[0],
        actual_words=words[1],
        differs=_difference(*words),
        scale=scale,
        expected_size=(int(expected.shape[1]), int(expected.shape[0])),
        actual_size=(int(actual.shape[1]), int(actual.shape[0])),
    )
