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
PLAIN = 0.3
"""Share of a crop that one colour must have to be its backdrop."""
_STRAY_COVERAGE = 0.3
"""Coverage outside the other picture's 3x3 range that rasterisation does not explain."""


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

    @property
    def amount(self) -> float:
        """Covered area in device px, were all ink as dark as its darkest part."""
        return float(np.linalg.norm(self.total)) / self.contrast


def packed(picture: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return an RGB picture as one number a pixel, so that colours can be counted."""
    rgba = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2RGBA), np.uint8)
    return rgba.view(np.uint32)[..., 0]


def plain_color(crop: NDArray[np.uint32]) -> tuple[NDArray[np.float32], float, float]:
    """Return the commonest colour of a packed crop and the shares that have about it and have it.

    A few hundred pixels tell: the backdrop is most of a text's box.
    """
    step = max(int((crop.shape[0] * crop.shape[1] / 600) ** 0.5), 1)
    codes = np.sort(crop[step // 2 :: step, step // 2 :: step], axis=None)
    ends = np.empty(int(np.count_nonzero(codes[1:] != codes[:-1])) + 2, np.intp)
    ends[0], ends[-1] = -1, len(codes) - 1
    ends[1:-1] = np.flatnonzero(codes[1:] != codes[:-1])
    counts = ends[1:] - ends[:-1]
    k = int(counts.argmax())
    if counts[k] < 0.15 * len(codes):  # grainy: the middle of the commonest coarse colour
        return *_coarse(codes), float(counts[k]) / len(codes)
    color = _channels(codes[ends[k + 1] : ends[k + 1] + 1])[0].astype(np.float32)
    exact = float(counts[k]) / len(codes)
    if exact > PLAIN:
        return color, exact, exact
    near = np.abs(_channels(codes) - color).max(axis=1) <= GRAIN
    return color, float(near.mean()), exact


def _channels(codes: NDArray[np.uint32]) -> NDArray[np.int32]:
    return codes.view(np.uint8).reshape(-1, 4)[:, :3].astype(np.int32)


def _coarse(packed_colors: NDArray[np.uint32]) -> tuple[NDArray[np.float32], float]:
    flat = _channels(packed_colors)
    codes = (flat[:, 0] >> 3 << 10) | (flat[:, 1] >> 3 << 5) | flat[:, 2] >> 3
    chosen = flat[codes == int(np.bincount(codes).argmax())]
    color = np.median(chosen, axis=0).astype(np.float32)
    near = np.abs(flat - color).max(axis=1) <= GRAIN
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
    x0, y0, x1, y1 = (max(v, 0) for v in core)
    ground = np.array([*backdrop, 0.0], np.float64)
    size = _largest(np.asarray(cv2.absdiff(crop, ground), np.uint8))
    own_size = size[y0:y1, x0:x1]
    if not own_size.size:
        return None
    deepest = cv2.minMaxLoc(own_size)[1]
    if deepest <= GRAIN:
        return None
    apart = np.asarray(cv2.subtract(crop, ground, dtype=cv2.CV_32F), np.float32)
    own = apart[y0:y1, x0:x1]
    strong = np.asarray(own_size > 0.5 * deepest, np.uint8)
    direction = np.array(cv2.mean(own, mask=strong)[:3], np.float32)
    length = float(np.linalg.norm(direction))
    if length == 0:
        return None
    direction /= length
    inked = np.asarray(size > GRAIN, np.uint8)
    along = np.asarray(cv2.copyTo(cv2.transform(apart, direction[None]), inked), np.float32)
    own_along = along[y0:y1, x0:x1]
    values = own_along[own_along > GRAIN]
    if not values.size:
        return None
    at = max(values.size - max(3, values.size // 200), 0)
    values.partition(at)
    peak = float(values[at:].mean())
    covered = inked[y0:y1, x0:x1]
    total = np.array(cv2.mean(own, mask=covered)[:3]) * cv2.countNonZero(covered)
    some = own_along[::2]  # every other row tells whether there are fringes
    fringe = own[::2] - some[..., None] * direction
    fringed = float(cv2.norm(fringe, cv2.NORM_L1)) / max(float(some.sum()), 1.0)
    coverage = np.minimum(np.maximum(along * np.float32(1 / peak), 0), np.float32(1.25))
    return Ink(
        backdrop=backdrop,
        color=backdrop + direction * peak,
        contrast=peak,
        coverage=np.asarray(coverage, np.float32),
        total=total,
        plain=share > PLAIN,
        tint=fringed,
    )


def _largest(apart: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the largest of three channels."""
    red, green, blue = cv2.split(apart)
    return np.asarray(cv2.max(cv2.max(red, green), blue), np.uint8)


def ink_box(coverage: NDArray[np.float32]) -> tuple[int, int, int, int] | None:
    """Return (left, top, right, bottom) of the covered pixels, None for none."""
    columns = np.flatnonzero(coverage.max(axis=0) > 0.15)
    rows = np.flatnonzero(coverage.max(axis=1) > 0.15)
    if not len(columns) or not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def find(
    template: NDArray[np.float32] | NDArray[np.uint8],
    window: NDArray[np.float32] | NDArray[np.uint8],
    *,
    home: tuple[int, int],
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
    beyond = np.maximum(np.minimum(result, 1.0) - _STRAY_COVERAGE, 0.0)
    return np.asarray(beyond / (1 - _STRAY_COVERAGE), np.float32)


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
    centre = float(profile @ at) / mass
    at -= centre
    return centre, float(profile @ (at * at) / mass) ** 0.5
