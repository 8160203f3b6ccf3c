"""What a text lies on where that is no single colour: a gradient, taken out of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    seen = part[::step, ::step].astype(np.float64)
    rows, columns = np.mgrid[0:height:step, 0:width:step]
    place = np.stack([np.ones(rows.size), columns.ravel() / width, rows.ravel() / height], axis=1)
    colors = seen.reshape(-1, 3)
    plane, off = _plane(place, colors)
    share = float((off <= GRAIN).mean())
    if share < EVEN:
        return None
    y, x = np.mgrid[0 : crop.shape[0], 0 : crop.shape[1]].astype(np.float32)
    x, y = (x - max(core[0], 0)) / width, (y - max(core[1], 0)) / height
    middle = plane[0] + plane[1] / 2 + plane[2] / 2
    tilt = (x - 0.5)[..., None] * plane[1] + (y - 0.5)[..., None] * plane[2]
    even = np.clip(np.rint(crop - tilt), 0, 255).astype(np.uint8)
    return Ground(crop=even, color=np.asarray(middle, np.float32), share=share)


def _plane(
    place: NDArray[np.float64], colors: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the plane (3 coefficients by 3 channels) and how far each pixel lies from it."""
    kept = np.ones(len(place), np.bool_)
    plane: NDArray[np.float64] = np.zeros((3, 3))
    off: NDArray[np.float64] = np.zeros(len(place))
    for _ in range(_ROUNDS):
        some = place[kept]
        normal = some.T @ some + 1e-9 * np.eye(3)
        plane = np.asarray(np.linalg.solve(normal, some.T @ colors[kept]), np.float64)
        off = np.asarray(np.abs(colors - place @ plane).max(axis=1), np.float64)
        kept = off <= max(float(np.median(off)), 0.5)
    return plane, off
