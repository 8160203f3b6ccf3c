"""Photos: the same picture or another, whatever compression and resampling did to it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.ink import find
from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind
from pytest_pixelloop.core.leaf_search import CERTAIN, FAR, NEAR
from pytest_pixelloop.core.reading import Reading
from pytest_pixelloop.core.rectangles import cut, grown, inside, relative, shifted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.leaf_reading import LeafReader
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

_HOME = 0.995
"""Correlation from which a photo is where it should be."""
_FLAT = 8.0
"""Levels by which a photo must vary to be found by."""
_SHARPER = 0.9
"""Share of a limit up to which unblurred pictures leave no doubt: at the rim a blur adds weight."""
SAME_PICTURE = 0.7
"""Correlation of two blurred pictures from which they show the same."""
FADED = 0.12
"""Relative contrast by which a photo may differ."""
OTHER_COLORS = 11.0
"""Mean difference in levels (0..255) of two blurred pictures that show the same."""


def judge_photo(reader: LeafReader, node: JudgedNode) -> tuple[Reading, list[Draft]]:
    """Return where a photo is and what is wrong with it, if anything."""
    pair, rect = reader.pair, node.rect
    near = round(NEAR * pair.scale)
    window = grown(rect, near, near, pair.shape)
    same = Reading(at=node.at)
    if not cut(pair.differs, window).any():
        return same, []
    blur = max(1.2 * pair.scale, 1.0)
    dx, dy, likeness = 0, 0, _raw_likeness(reader, rect)
    if likeness < _HOME:
        template = _softened(cut(reader.search.gray_expected, rect), blur)
        if float(np.ptp(template)) < _FLAT:
            return dataclasses.replace(same, readable=False), []  # nothing to find it by
        dx, dy, likeness = _locate(reader, template, node, blur=blur, reach=(near, near))
        if likeness < SAME_PICTURE:
            reach = (round(FAR[0] * pair.scale), round(FAR[1] * pair.scale))
            far = _locate(reader, template, node, blur=blur, reach=reach)
            dx, dy, likeness = far if far[2] >= SAME_PICTURE else (dx, dy, likeness)
    box = node.placed.box
    if likeness < SAME_PICTURE:
        wrong = Draft(
            at=node.at,
            property="image",
            strength=(1 - likeness) / (1 - SAME_PICTURE),
            box=box,
            says="another picture than in the design",
            delta=1 - likeness,
            unit="mismatch",
        )
        return Reading(at=node.at, found=False, likeness=likeness), [wrong]
    reading = Reading(
        at=node.at, shift=(dx / pair.scale, dy / pair.scale), likeness=likeness, ink_rect=rect
    )
    spot = inside(shifted(rect, dx, dy), pair.shape)
    if (
        spot is None
        or spot[2] - spot[0] != rect[2] - rect[0]
        or spot[3] - spot[1] != rect[3] - rect[1]
    ):
        return reading, []
    unlike = _unlike(cut(pair.expected, rect), cut(pair.actual, spot), node, blur=blur)
    return reading, [unlike] if unlike else []


class Frame(NamedTuple):
    """What goes around a photo that was found: its own border, and the node that rounds it.

    ``shift`` is where it has gone, in device px.
    """

    photo: JudgedNode
    shift: tuple[int, int]
    rounding: JudgedNode | None


def photo_frames(
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    photos: Sequence[tuple[JudgedNode, Reading]],
) -> list[Frame]:
    """Return the frames of the photos in whose place anything differs."""
    return [
        Frame(
            photo,
            (round(reading.shift[0] * pair.scale), round(reading.shift[1] * pair.scale)),
            _rounding(nodes, photo),
        )
        for photo, reading in photos
        if reading.found and cut(pair.differs, photo.rect).any()
    ]


def _rounding(nodes: Sequence[JudgedNode], photo: JudgedNode) -> JudgedNode | None:
    """Return what rounds a photo's corners: itself, or what clips it and is no box of its own."""
    node = photo
    while node.radius <= 0:
        if node.parent is None or nodes[node.parent].rect != photo.rect:
            return None
        node = nodes[node.parent]
        if node.kind is not Kind.GROUP or not node.node.clips:
            return None
    return node


def _softened(gray: NDArray[np.uint8], blur: float) -> NDArray[np.uint8]:
    return np.asarray(cv2.GaussianBlur(gray, (0, 0), blur), np.uint8)


def _raw_likeness(reader: LeafReader, rect: Rect) -> float:
    """Return how alike a photo's own pixels are at home: blurred they are no less so.

    0 where they vary too little to be told by.
    """
    sides = [cut(g, rect) for g in (reader.search.gray_expected, reader.search.gray_actual)]
    return correlation(*sides) if float(cv2.meanStdDev(sides[0])[1][0, 0]) >= _FLAT else 0.0


def correlation(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> float:
    """Return the correlation -1..1 of two equally large pictures, 0 for flat ones.

    By the means of squares, which takes a fiftieth of what matching a template takes.
    """
    (mean, spread), (other, wide) = cv2.meanStdDev(first), cv2.meanStdDev(second)
    product = float(spread[0, 0] * wide[0, 0])
    if product <= 0:
        return 0.0
    apart = cv2.norm(first, second, cv2.NORM_L2SQR) / first.size
    squares = float(spread[0, 0] ** 2 + wide[0, 0] ** 2 + (mean[0, 0] - other[0, 0]) ** 2)
    return (squares - apart) / 2 / product


def _locate(
    reader: LeafReader,
    template: NDArray[np.uint8],
    node: JudgedNode,
    *,
    blur: float,
    reach: tuple[int, int],
) -> tuple[int, int, float]:
    window = grown(node.rect, *reach, reader.pair.shape)
    area = _softened(cut(reader.search.gray_actual, window), blur)
    if area.shape[0] < template.shape[0] or area.shape[1] < template.shape[1]:
        return 0, 0, 0.0
    home = relative(node.rect, window)
    there = cut(area, home)
    if there.shape == template.shape:
        likeness = correlation(there, template)
        if likeness >= _HOME:
            return 0, 0, likeness  # nowhere can it be so much more alike that it would count
    return find(template, area, home=(home[0], home[1]))


def _unlike(
    expected: NDArray[np.uint8], actual: NDArray[np.uint8], node: JudgedNode, *, blur: float
) -> Draft | None:
    """Return the finding for other colours in the same place: a faded or another picture."""
    sharp = np.ascontiguousarray(expected), np.ascontiguousarray(actual)
    if cv2.norm(sharp[0], sharp[1], cv2.NORM_L1) <= _SHARPER * OTHER_COLORS * expected.size:
        return None  # what is blurred is no further apart
    soft = [cv2.GaussianBlur(p, (0, 0), blur) for p in sharp]
    apart = sum(cv2.sumElems(cv2.absdiff(soft[0], soft[1]))) / soft[0].size
    if apart <= OTHER_COLORS:
        return None
    left, right = (np.asarray(p, np.float32) for p in soft)
    contrast = float(right.std(axis=(0, 1)).sum() / max(left.std(axis=(0, 1)).sum(), 1e-3))
    likeness = float(cv2.matchTemplate(right, left, cv2.TM_CCOEFF_NORMED)[0, 0])
    if contrast < 1 - FADED and likeness > CERTAIN:
        return Draft(
            at=node.at,
            property="opacity",
            strength=abs(contrast - 1) / FADED,
            box=node.placed.box,
            says=f"picture at {contrast:.0%} of its contrast (opacity)",
            expected=1.0,
            actual=round(contrast, 2),
            delta=contrast - 1,
            unit="ratio",
            confidence=0.7,
        )
    return Draft(
        at=node.at,
        property="image",
        strength=apart / OTHER_COLORS,
        box=node.placed.box,
        says="another picture than in the design",
        delta=apart,
        unit="levels",
    )
