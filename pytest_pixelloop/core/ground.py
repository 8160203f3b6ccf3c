"""What a text lies on where that is no single colour: a gradient, taken out of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.ink import GRAIN
from pytest_pixelloop.core.rectangles import Rect, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNEVEN = 0.5
"""Share of one colour below which a backdrop may be a gradient."""
EVEN = 0.45
"""Share of pixels that must lie on a plane for it to be the backdrop: ink is the smaller part."""
_ROUNDS = 6
_SAMPLES = 800


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ground:
    """A crop on an even backdrop of *color*; *share* of its pixels show it."""

    crop: NDArray[np.uint8]
    color: NDArray[np.float32]
    share: float


def levelled(crop: NDArray[np.uint8], *, core: Rect) -> Ground | None:
    """Return a crop without the linear gradient that lies under the ink in *core*.

    The plane that most pixels lie on, found by keeping the better half of them in each round. None
    where there is no such plane: a photo, a pattern, two areas.
    """
    part = cut(crop, core)
    height, width = part.shape[:2]
    if height < 4 or width < 4:
        return None
    step = max(int((height * width / _SAMPLES) ** 0.5), 1)
    seen = part[::step, ::step]
    rows, columns = np.mgrid[0:height:step, 0:width:step]
    place = np.stack([np.ones(rows.size), columns.ravel() / width, rows.ravel() / height])
    plane, off = _plane(place, seen.reshape(-1, 3).T.astype(np.float64))
    share = float((off <= GRAIN).mean())
    if share < EVEN:
        return None
    down = (np.arange(crop.shape[0]) - max(core[1], 0)) / height - 0.5
    across = (np.arange(crop.shape[1]) - max(core[0], 0)) / width - 0.5
    middle = plane[0] + plane[1] / 2 + plane[2] / 2
    tilt = np.outer(down, plane[2]).astype(np.float32)[:, None]
    tilt = tilt + np.outer(across, plane[1]).astype(np.float32)
    even = np.asarray(cv2.subtract(crop, tilt, dtype=cv2.CV_8U), np.uint8)
    return Ground(crop=even, color=np.asarray(middle, np.float32), share=share)


def _plane(
    place: NDArray[np.float64], colors: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the plane (3 coefficients by 3 channels) and how far each pixel lies from it."""
    kept = np.ones(place.shape[1], np.float64)
    plane: NDArray[np.float64] = np.zeros((3, 3))
    off: NDArray[np.float64] = np.zeros(place.shape[1])
    half = len(off) // 2
    for _ in range(_ROUNDS):
        some = place * kept
        normal = some @ place.T + 1e-9 * np.eye(3)
        plane = np.asarray(np.linalg.solve(normal, some @ colors.T), np.float64)
        off = np.maximum.reduce(np.abs(colors - plane.T @ place))
        middle = float(np.partition(off, half)[half])
        before, kept = kept, (off <= max(middle, 0.5)).astype(np.float64)
        if np.array_equal(before, kept):
            break
    return plane, off
