"""A design without nodes: the differing parts of two pictures as regions of their own."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.bare_score import region_charges
from pytest_pixelloop.core.color import color_differs, delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.perceptual import STRAY, strays_both_ways, to_lab_bytes
from pytest_pixelloop.core.rectangles import Rect, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.tolerance import Tolerance

GRID = 8
"""CSS px to which the identity of a region is snapped, so that it survives small changes."""
SAME_RASTERISER = 0.9
"""Share of the contours that are equal to the byte where one rasteriser drew both pictures."""
SAME_PLACES = 0.98
"""Share of the contours that both pictures have in the same pixels, whatever their colour."""
_REACH = 3
_CONTOUR = 12
_LEAST_AREA = 2.0


def compare_pictures(pair: PicturePair, *, label: str, tolerance: Tolerance) -> list[Draft]:
    """Return a draft for each region in which two pictures differ visibly.

    Where one rasteriser drew both, nothing is excused as rasterisation: a shift of one px and a
    single pixel of another colour are then real.
    """
    moved = _whole_shift(pair)
    if moved is not None:
        return [_shift(pair, moved, label=label)]
    exact = _equal_contours(pair.expected, pair.actual, pair.differs) >= SAME_RASTERISER
    wrong = _visibly(pair, tolerance=tolerance) if exact else _leniently(pair, tolerance=tolerance)
    return _regions(pair, wrong, label=label, least=0.0 if exact else _LEAST_AREA)


def _contours(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return 1 where a picture has an edge."""
    gray = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    kernel = np.ones((3, 3), np.uint8)
    span = cv2.subtract(cv2.dilate(gray, kernel), cv2.erode(gray, kernel))
    return np.asarray(np.asarray(span) > _CONTOUR, np.uint8)


def _equal_contours(
    expected: NDArray[np.uint8], actual: NDArray[np.uint8], differs: NDArray[np.uint8]
) -> float:
    first, second = _contours(expected), _contours(actual)
    edges = cv2.bitwise_or(first, second)
    count = cv2.countNonZero(edges)
    if not count:
        return 1.0  # flat pictures: no contour that a rasteriser could have drawn otherwise
    if cv2.countNonZero(cv2.bitwise_and(first, second)) >= SAME_PLACES * count:
        return 1.0  # the same lines to the pixel, perhaps in another colour
    return 1 - cv2.countNonZero(cv2.bitwise_and(edges, differs)) / count


def _whole_shift(pair: PicturePair) -> tuple[int, int] | None:
    """Return the shift in device px after which all contours are equal to the byte, if any."""
    height, width = pair.shape
    reach = round(_REACH * pair.scale)
    if min(height, width) <= 4 * reach or not cv2.countNonZero(_contours(pair.expected)):
        return None
    best: tuple[float, tuple[int, int]] = (SAME_RASTERISER, (0, 0))
    inner = pair.expected[reach : height - reach, reach : width - reach]
    found = cv2.matchTemplate(_gray(pair.actual), _gray(inner), cv2.TM_SQDIFF)
    _, _, (x, y), _ = cv2.minMaxLoc(found)
    shift = (x - reach, y - reach)
    if shift == (0, 0):
        return None
    there = pair.actual[y : y + inner.shape[0], x : x + inner.shape[1]]
    apart = np.asarray(cv2.absdiff(inner, there).max(axis=2) > 0, np.uint8)
    share = _equal_contours(inner, there, apart)
    return shift if share > best[0] else None


def _gray(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)


def _visibly(pair: PicturePair, *, tolerance: Tolerance) -> NDArray[np.uint8]:
    """Return 1 where the colours of a pixel are visibly different, each pair of colours once."""
    ys, xs = np.nonzero(pair.differs)
    weights = np.array([65536, 256, 1], np.int64)
    left = pair.expected[ys, xs].astype(np.int64) @ weights
    right = pair.actual[ys, xs].astype(np.int64) @ weights
    pairs, where = np.unique(left << 24 | right, return_inverse=True)
    seen = np.array([_apart(int(p), tolerance) for p in pairs], np.uint8)
    wrong = np.zeros(pair.shape, np.uint8)
    wrong[ys, xs] = seen[where]
    return wrong


def _apart(code: int, tolerance: Tolerance) -> bool:
    return color_differs(_rgb(code >> 24), _rgb(code), tolerance=tolerance.color_delta_e)


def _rgb(code: int) -> tuple[int, int, int]:
    return code >> 16 & 255, code >> 8 & 255, code & 255


def _leniently(pair: PicturePair, *, tolerance: Tolerance) -> NDArray[np.uint8]:
    """Return 1 where a colour is outside the other picture's range, or a flat area is off."""
    expected, actual = to_lab_bytes(pair.expected), to_lab_bytes(pair.actual)
    radius = max(round(pair.scale), 1)
    stray = strays_both_ways(expected, actual, radius=radius)
    wrong = np.asarray(stray > STRAY, np.uint8)
    kernel = np.ones((2 * radius + 3, 2 * radius + 3), np.uint8)
    edges = cv2.dilate(cv2.bitwise_or(_contours(pair.expected), _contours(pair.actual)), kernel)
    flat = np.asarray(cv2.bitwise_and(pair.differs, 1 - np.asarray(edges, np.uint8)), np.uint8)
    if cv2.countNonZero(flat):
        wrong |= _flat_areas(pair, flat, tolerance=tolerance)
    return wrong


def _flat_areas(
    pair: PicturePair, flat: NDArray[np.uint8], *, tolerance: Tolerance
) -> NDArray[np.uint8]:
    """Return 1 on the connected flat areas whose median colours differ visibly."""
    out = np.zeros(pair.shape, np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(flat, connectivity=4)
    for k in range(1, count):
        x, y, w, h, area = (int(v) for v in stats[k])
        if area < 16 * pair.scale**2:
            continue
        mine = labels[y : y + h, x : x + w] == k
        left = np.median(pair.expected[y : y + h, x : x + w][mine], axis=0)
        right = np.median(pair.actual[y : y + h, x : x + w][mine], axis=0)
        if color_differs(left, right, tolerance=tolerance.color_delta_e):
            out[y : y + h, x : x + w][mine] = 1
    return out


def _regions(
    pair: PicturePair, wrong: NDArray[np.uint8], *, label: str, least: float
) -> list[Draft]:
    scale = pair.scale
    reach = max(round(GRID * scale), 1)
    joined = cv2.dilate(wrong, np.ones((reach, reach), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    labels[wrong == 0] = 0
    areas = np.bincount(labels.ravel(), minlength=count) / scale**2
    labels[(areas <= least)[labels]] = 0
    charges = region_charges(pair, np.asarray(labels, np.int32), count)
    drafts: dict[str, Draft] = {}
    for k in range(1, count):
        if areas[k] <= least:
            continue
        x, y, w, h = (int(v) for v in stats[k, :4])
        inside = labels[y : y + h, x : x + w] == k
        ys, xs = np.nonzero(inside)
        rect = (x + int(xs.min()), y + int(ys.min()), x + int(xs.max()) + 1, y + int(ys.max()) + 1)
        chosen = cut(labels, rect) == k
        draft = _region(pair, rect, chosen=chosen, charge=float(charges[k]), label=label)
        kept = drafts.get(str(draft.delta_id))
        if kept is not None:
            larger = max(kept, draft, key=lambda d: d.charge or 0.0)
            both = (kept.charge or 0.0) + (draft.charge or 0.0)
            draft = dataclasses.replace(larger, charge=both)
        drafts[str(draft.delta_id)] = draft
    return list(drafts.values())


def _box(rect: Rect, scale: float) -> Box:
    return Box(
        rect[0] / scale, rect[1] / scale, (rect[2] - rect[0]) / scale, (rect[3] - rect[1]) / scale
    )


def _identity(label: str, box: Box) -> str:
    return f"{label}/px:" + ",".join(str(v) for v in box.snapped(GRID))


def _region(
    pair: PicturePair, rect: Rect, *, chosen: NDArray[np.bool_], charge: float, label: str
) -> Draft:
    box = _box(rect, pair.scale)
    left = np.median(cut(pair.expected, rect)[chosen], axis=0)
    right = np.median(cut(pair.actual, rect)[chosen], axis=0)
    apart = delta_e(left, right)
    return Draft(
        at=None,
        delta_id=_identity(label, box),
        property="region",
        strength=charge,
        charge=charge,
        box=box,
        expected=hex_color(left),
        actual=hex_color(right),
        delta=apart,
        unit="CIEDE2000",
        says=f"region {box.w:g}x{box.h:g}px at {box.x:g},{box.y:g}: {hex_color(right)}, expected "
        f"{hex_color(left)} (CIEDE2000 {apart:.1f})",
    )


def _shift(pair: PicturePair, moved: tuple[int, int], *, label: str) -> Draft:
    box = _box((0, 0, pair.shape[1], pair.shape[0]), pair.scale)
    dx, dy = moved[0] / pair.scale, moved[1] / pair.scale
    return Draft(
        at=None,
        delta_id=_identity(label, box),
        property="position",
        strength=max(abs(dx), abs(dy)),
        box=box,
        expected=[0, 0],
        actual=[dx, dy],
        delta=max(abs(dx), abs(dy)),
        unit="px",
        says=f"everything is moved by {dx:g},{dy:g}px",
    )
