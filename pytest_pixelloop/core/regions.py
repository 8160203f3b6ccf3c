"""From a mask of differing pixels to regions: which design node holds them, or which ``px:`` box.

A pixel belongs to the deepest node whose box, within its clip, holds the pixel's centre; of
several equally deep ones to the smallest, then to the one whose id sorts first. The order in
which nodes come decides nothing, and only places where pixels differ cost time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.finding import NodeRef, Region
from pytest_pixelloop.core.found_region import (
    FoundRegion,
    css_box,
    flat_change,
    printable_end,
    sampled,
)
from pytest_pixelloop.core.px_regions import loose_regions
from pytest_pixelloop.core.score import TILE, WEIGHT_UNIT, tile_severities, total
from pytest_pixelloop.core.weight_plane import weight_plane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.found_region import Words
    from pytest_pixelloop.core.pixels import PixelDiff
    from pytest_pixelloop.core.weight_plane import WeightPlane

    Rect = tuple[int, int, int, int]


def attribute(
    diff: PixelDiff, placed: Sequence[PlacedNode], *, label: str, scale: float
) -> tuple[Region, ...]:
    """Return the regions of the mismatched pixels, worst first, then by delta_id.

    *placed* are the visible nodes (core/design.place_nodes), empty for a bare picture; *scale* is
    device px per CSS px. Every mismatched pixel is in exactly one region.
    """
    return tuple(found.region for found in find_regions(diff, placed, label=label, scale=scale))


def find_regions(
    diff: PixelDiff,
    placed: Sequence[PlacedNode],
    *,
    label: str,
    scale: float,
    pictures: tuple[Words, Words] | None = None,
) -> tuple[FoundRegion, ...]:
    """Return what attribute returns, with severities.

    Given the *pictures* (expected, actual) as one 32-bit word a pixel, a region whose pixels
    change from one colour to another also says from which to which.
    """
    plane = weight_plane(diff)
    parts = _take_nodes(plane, placed, scale=scale, pictures=pictures)
    found = [part.found(label=label, scale=scale) for part in parts]
    found.extend(loose_regions(plane, label=label, scale=scale, pictures=pictures))
    return tuple(sorted(found, key=lambda f: (-f.severity, f.region.delta_id)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Holder:
    """A node, the pixels it may hold (left, top, right, bottom, half open), its exact corner."""

    placed: PlacedNode
    rect: Rect
    corner: tuple[float, float]


class _Part:
    """What one node holds so far. Nodes that share an id (a damaged file) are one part."""

    def __init__(self) -> None:
        self.holders: list[_Holder] = []
        self.pixels = 0
        self.weight = 0
        self.severities: list[float] = []
        self.tight: list[Rect] = []
        self.expected: list[Words] = []
        self.actual: list[Words] = []

    def take(
        self,
        plane: WeightPlane,
        rect: Rect,
        corner: tuple[float, float],
        *,
        scale: float,
        pictures: tuple[Words, Words] | None,
    ) -> int:
        """Take what *plane* has inside *rect*, blank it, and return how many are mismatched."""
        left, top, right, bottom = rect
        held = plane.mismatched[top:bottom, left:right]
        count = cv2.countNonZero(held.view(np.uint8))
        if not count:
            return 0
        x, y, w, h = cv2.boundingRect(held.view(np.uint8))
        tight = (left + x, top + y, left + x + w, top + y + h)
        weights = plane.weights[top:bottom, left:right]
        sums = _tile_sums(weights, rect, corner, scale=scale)
        self.pixels += count
        self.weight += int(sums.sum())
        self.severities.extend(tile_severities(sums, scale=scale).ravel().tolist())
        self.tight.append(tight)
        for side, kept in zip(pictures or (), (self.expected, self.actual), strict=False):
            kept.append(sampled(side[top:bottom, left:right][held]))
        held[...] = False
        weights[...] = 0
        return int(count)

    def found(self, *, label: str, scale: float) -> FoundRegion:
        """Return the region of everything taken."""
        placed = min((h.placed for h in self.holders), key=lambda p: (p.depth, p.path))
        node_id = printable(placed.node.id, limit=len(placed.node.id) + 1)
        edges = list(zip(*self.tight, strict=True))
        own = sum((r - x) * (b - y) for x, y, r, b in (h.rect for h in self.holders))
        region = Region(
            delta_id=f"{label}/node:{node_id}",
            node=NodeRef(
                id=node_id, name=printable(placed.node.name), path=printable_end(placed.path)
            ),
            box=css_box((min(edges[0]), min(edges[1]), max(edges[2]), max(edges[3])), scale),
            pixels=self.pixels,
            mismatch_ratio=self.pixels / own,
            weight=self.weight / WEIGHT_UNIT,
        )
        return FoundRegion(
            region=region,
            severity=total(self.severities),
            change=flat_change(self.expected, self.actual),
        )


def _take_nodes(
    plane: WeightPlane,
    placed: Sequence[PlacedNode],
    *,
    scale: float,
    pictures: tuple[Words, Words] | None,
) -> list[_Part]:
    """Move the pixels that nodes hold from *plane* into parts, deepest nodes first."""
    mismatched = plane.mismatched.view(np.uint8)
    left = cv2.countNonZero(mismatched)
    if not left:
        return []
    holders = _holders(placed, scale, mismatched.shape)
    x, y, w, h = cv2.boundingRect(cv2.dilate(mismatched, np.ones((3, 3), np.uint8)))
    parts: dict[str, _Part] = {}
    for holder in holders:
        part = parts.setdefault(holder.placed.node.id, _Part())
        part.holders.append(holder)
        rect = _shared(holder.rect, (x, y, x + w, y + h))
        if left and rect is not None:
            left -= part.take(plane, rect, holder.corner, scale=scale, pictures=pictures)
    return [part for part in parts.values() if part.pixels]


def _holders(placed: Sequence[PlacedNode], scale: float, shape: tuple[int, ...]) -> list[_Holder]:
    """Return the nodes that may hold a pixel of a picture, in the order in which they may take."""
    canvas = (0, 0, shape[1], shape[0])
    holders = []
    for node in placed:
        visible = node.box.intersection(node.clip)
        rect = None if visible is None else _shared(visible.scaled(scale).pixels(), canvas)
        if visible is not None and rect is not None:
            corner = (visible.x * scale, visible.y * scale)
            holders.append(_Holder(placed=node, rect=rect, corner=corner))
    holders.sort(key=lambda h: (-h.placed.depth, h.placed.box.area, h.placed.node.id, h.rect))
    return holders


def _shared(first: Rect, second: Rect) -> Rect | None:
    left, top = max(first[0], second[0]), max(first[1], second[1])
    right, bottom = min(first[2], second[2]), min(first[3], second[3])
    return (left, top, right, bottom) if right > left and bottom > top else None


def _tile_sums(
    window: NDArray[np.uint16], rect: Rect, corner: tuple[float, float], *, scale: float
) -> NDArray[np.int64]:
    """Return the summed weights of *window*, which lies at *rect*, by tiles from *corner* on."""
    columns = _tile_starts(rect[0], rect[2], corner[0], scale=scale)
    rows = _tile_starts(rect[1], rect[3], corner[1], scale=scale)
    sums = np.zeros((len(rows), len(columns)), np.int64)
    for number, (top, bottom) in enumerate(pairwise([*rows, window.shape[0]])):
        band = window[top:bottom]
        if cv2.countNonZero(band):
            # Whole numbers below 2**53: the float sums are exact.
            across = cv2.reduce(band, 0, cv2.REDUCE_SUM, dtype=cv2.CV_64F)[0]
            sums[number] = np.add.reduceat(across, columns)
    return sums


def _tile_starts(first: int, last: int, corner: float, *, scale: float) -> list[int]:
    """Return where tiles begin between the pixels first and last, counted from first."""
    side = TILE * scale
    number = math.floor((first + 0.5 - corner) / side) + 1
    starts = [0]
    while (edge := math.floor(corner + number * side + 0.5)) < last:
        if edge > first + starts[-1]:
            starts.append(edge - first)
        number += 1
    return starts
