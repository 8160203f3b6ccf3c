"""Ink on a plain backdrop: how much, in what colour, where, and whether it forms the same shapes.

Text and single-coloured icons are read as coverage (0 backdrop, 1 ink), so that a wrong colour of
the backdrop or of the ink does not hide, and is not mistaken for, a wrong shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRAIN = 5.0
"""Levels (0..255) by which a plain backdrop may vary: compression, dithering, blending."""
_STRAY_COVERAGE = 0.3
"""Coverage outside the other picture's 3x3 range that rasterisation does not explain."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ink:
    """The ink of one crop.

    ``total`` is the summed difference from the backdrop by channel (levels x device px);
    ``color`` the ink's own colour as far as strokes reach it; ``plain`` tells whether the
    backdrop is one colour, without which the rest means little.
    """

    backdrop: NDArray[np.float32]
    color: NDArray[np.float32]
    contrast: float
    coverage: NDArray[np.float32]
    total: NDArray[np.float64]
    plain: bool

    @property
    def amount(self) -> float:
        """Covered area in device px, were all ink as dark as its darkest part."""
        return float(np.linalg.norm(self.total)) / self.contrast


def plain_color(crop: NDArray[np.uint8]) -> tuple[NDArray[np.float32], float]:
    """Return the commonest colour of a crop and the share of pixels that have it."""
    flat = crop.reshape(-1, 3)
    if len(flat) > 6000:
        flat = flat[:: len(flat) // 3000]
    codes = (flat[:, 0] >> 3).astype(np.int32) << 10
    codes |= (flat[:, 1] >> 3).astype(np.int32) << 5
    codes |= flat[:, 2] >> 3
    common = int(np.bincount(codes).argmax())
    chosen = flat[codes == common]
    color = np.median(chosen, axis=0).astype(np.float32)
    near = np.abs(flat.astype(np.float32) - color).max(axis=1) <= GRAIN
    return color, float(near.mean())


def read_ink(
    crop: NDArray[np.uint8],
    *,
    backdrop: NDArray[np.float32],
    core: tuple[int, int, int, int],
    share: float = 1.0,
) -> Ink | None:
    """Return the ink of a crop on a known backdrop, None where *core* has none.

    *core* (left, top, right, bottom) is where the ink is known to be its owner's: it sets the
    direction and the scale of the coverage; around it the crop may show neighbours.
    """
    apart = crop.astype(np.float32) - backdrop
    size = np.abs(apart).max(axis=2)
    apart[size <= GRAIN] = 0.0
    own = apart[max(core[1], 0) : max(core[3], 0), max(core[0], 0) : max(core[2], 0)]
    own_size = size[max(core[1], 0) : max(core[3], 0), max(core[0], 0) : max(core[2], 0)]
    if not own_size.size or float(own_size.max()) <= GRAIN:
        return None
    direction = own[own_size > 0.5 * own_size.max()].sum(axis=0)
    length = float(np.linalg.norm(direction))
    if length == 0:
        return None
    direction /= length
    along = np.maximum(apart @ direction, 0.0)
    within = along[max(core[1], 0) : max(core[3], 0), max(core[0], 0) : max(core[2], 0)]
    values = within[within > GRAIN]
    if not values.size:
        return None
    at = max(values.size - max(3, values.size // 200), 0)
    peak = float(np.partition(values, at)[at:].mean())
    return Ink(
        backdrop=backdrop,
        color=backdrop + direction * peak,
        contrast=peak,
        coverage=np.minimum(along / peak, 1.25).astype(np.float32),
        total=own.sum(axis=(0, 1), dtype=np.float64),
        plain=share > 0.3,
    )


def ink_box(coverage: NDArray[np.float32]) -> tuple[int, int, int, int] | None:
    """Return (left, top, right, bottom) of the covered pixels, None for none."""
    columns = np.flatnonzero(coverage.max(axis=0) > 0.15)
    rows = np.flatnonzero(coverage.max(axis=1) > 0.15)
    if not len(columns) or not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def find(
    template: NDArray[np.float32], window: NDArray[np.float32], *, home: tuple[int, int]
) -> tuple[int, int, float]:
    """Return (dx, dy, likeness) of the template in the window, relative to *home* in it.

    Among nearly equal matches the one nearest to *home* counts: repeated content is everywhere.
    """
    method = cv2.TM_CCORR_NORMED if float(np.ptp(template)) < 1e-3 else cv2.TM_CCOEFF_NORMED
    likeness = cv2.matchTemplate(window, template, method)
    best = float(likeness.max())
    rows, columns = np.nonzero(likeness >= best - 0.01)
    distance = (columns - home[0]) ** 2 + (rows - home[1]) ** 2
    k = int(distance.argmin())
    return int(columns[k]) - home[0], int(rows[k]) - home[1], float(likeness[rows[k], columns[k]])


def shape_stray(expected: NDArray[np.float32], actual: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return by how much coverage lies outside the other picture's range, both ways."""
    kernel = np.ones((3, 3), np.uint8)
    result = np.zeros_like(expected)
    for tested, reference in ((actual, expected), (expected, actual)):
        high, low = cv2.dilate(reference, kernel), cv2.erode(reference, kernel)
        result = np.maximum(result, np.maximum(tested - high, low - tested))
    return np.maximum(np.minimum(result, 1.0) - _STRAY_COVERAGE, 0.0) / (1 - _STRAY_COVERAGE)


def worst_cluster(stray: NDArray[np.float32], *, side: int) -> tuple[float, int, int]:
    """Return the largest sum of *stray* in any square of *side* px, and that square's centre."""
    summed = cv2.boxFilter(stray, -1, (side, side), normalize=False, borderType=cv2.BORDER_CONSTANT)
    _, high, _, place = cv2.minMaxLoc(summed)
    return float(high), int(place[0]), int(place[1])


def spread(profile: NDArray[np.float64]) -> tuple[float, float]:
    """Return the centre and the standard deviation of a profile of ink, in px."""
    mass = float(profile.sum())
    if mass <= 0:
        return 0.0, 0.0
    at = np.arange(len(profile), dtype=np.float64)
    centre = float((profile * at).sum() / mass)
    return centre, float(np.sqrt(max((profile * (at - centre) ** 2).sum() / mass, 0.0)))
