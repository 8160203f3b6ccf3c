"""Differing pixels by group (a node, a ``px:`` box): how many, where, which change of colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.spots import Spots

    Words = NDArray[np.uint32]

FLAT_SHARE = 0.9
# Fewer pixels are a speck: calling its colour the region's would send a fixer astray.
FEWEST = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class ColorChange:
    """One colour that has become another one, both as (R, G, B, A)."""

    expected: tuple[int, int, int, int]
    actual: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpotGroup:
    """The mismatched pixels of one group: ``box`` is tight, in CSS px, ``area`` its device px.

    ``change`` is None unless both sides are flat: one colour has 90 % of the pixels or more.
    """

    number: int
    pixels: int
    box: Box
    area: int
    change: ColorChange | None


def grouped(
    spots: Spots,
    group: NDArray[np.int64],
    *,
    scale: float,
    pictures: tuple[Words, Words] | None,
) -> list[SpotGroup]:
    """Return the groups that have mismatched pixels, by number.

    *group* is the group's number of each mismatched spot, *scale* is device px per CSS px,
    *pictures* are the expected and the actual side as one 32-bit word a pixel.
    """
    if not group.size:
        return []
    counts = np.bincount(group)
    numbers = np.flatnonzero(counts)
    counts = counts[numbers]
    starts = np.cumsum(counts) - counts
    order = np.argsort(group.astype(np.uint16) if numbers[-1] < 1 << 16 else group, kind="stable")
    y, x = (axis[: spots.mismatched][order] for axis in spots.rows_and_columns())
    first = np.stack([np.minimum.reduceat(axis, starts) for axis in (x, y)], axis=1)
    size = np.stack([np.maximum.reduceat(axis, starts) + 1 for axis in (x, y)], axis=1) - first
    boxes = np.round(np.hstack([first, size]) / scale, 6).tolist()
    changes = _changes(spots.positions[: spots.mismatched][order], starts, counts, pictures)
    return [
        SpotGroup(number=number, pixels=pixels, box=Box(*box), area=area, change=change)
        for number, pixels, box, area, change in zip(
            numbers.tolist(),
            counts.tolist(),
            boxes,
            size.prod(axis=1, dtype=np.int64).tolist(),
            changes,
            strict=True,
        )
    ]


def _changes(
    positions: NDArray[np.intp],
    starts: NDArray[np.intp],
    counts: NDArray[np.intp],
    pictures: tuple[Words, Words] | None,
) -> list[ColorChange | None]:
    """Return the change of colour of each group; *positions* lie group by group."""
    if pictures is None:
        return [None] * len(starts)
    sides = [_flat_colors(side.reshape(-1)[positions], starts, counts) for side in pictures]
    return [
        None if before is None or after is None else ColorChange(expected=before, actual=after)
        for before, after in zip(*sides, strict=True)
    ]


def _flat_colors(
    words: Words, starts: NDArray[np.intp], counts: NDArray[np.intp]
) -> list[tuple[int, int, int, int] | None]:
    """Return the colour that nearly all pixels of a group have, None where there is none.

    Of three pixels, a quarter, half and three quarters through the group, one has the colour if
    nearly all have it: looking at three costs much less than counting all colours.
    """
    color = words[starts]
    flat = np.zeros(len(starts), np.bool_)
    for quarter in (1, 2, 3):
        candidate = words[starts + counts * quarter // 4]
        share = np.add.reduceat(words == np.repeat(candidate, counts), starts, dtype=np.int64)
        found = (share >= FLAT_SHARE * counts) & (counts >= FEWEST)
        color = np.where(found, candidate, color)
        flat |= found
    parts = color.astype(np.uint32)[:, np.newaxis].view(np.uint8).tolist()
    return [
        (part[0], part[1], part[2], part[3]) if is_flat else None
        for part, is_flat in zip(parts, flat.tolist(), strict=True)
    ]
