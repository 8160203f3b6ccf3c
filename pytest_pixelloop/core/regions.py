"""From a mask of differing pixels to regions: which design node holds them, or which ``px:`` box.

A pixel belongs to the deepest node whose box, within its clip, holds the pixel's centre; of
several equally deep ones to the smallest, then to the one whose id sorts first. The order in
which nodes come decides nothing, and only places where pixels differ cost time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.finding import NodeRef, Region
from pytest_pixelloop.core.found_region import FoundRegion, printable_end
from pytest_pixelloop.core.holders import holders_of
from pytest_pixelloop.core.px_regions import loose_regions
from pytest_pixelloop.core.score import TILE, WEIGHT_UNIT, tile_severities
from pytest_pixelloop.core.spot_groups import grouped
from pytest_pixelloop.core.spots import spots_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.holders import Holders
    from pytest_pixelloop.core.pixels import PixelDiff
    from pytest_pixelloop.core.spot_groups import Words
    from pytest_pixelloop.core.spots import Spots

BLOCK = 1 << 18


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
    spots = spots_of(diff)
    if not spots.mismatched:
        return ()
    found: list[FoundRegion] = []
    if placed:
        holders = holders_of(placed, spots, scale=scale)
        owner = holders.owners(spots)
        held = owner >= 0
        found += _node_regions(
            spots.chosen(held), owner[held], holders, label=label, scale=scale, pictures=pictures
        )
        spots = spots.chosen(~held)
    found += loose_regions(spots, label=label, scale=scale, pictures=pictures)
    return tuple(sorted(found, key=lambda f: (-f.severity, f.region.delta_id)))


def _node_regions(
    spots: Spots,
    owner: NDArray[np.int64],
    holders: Holders,
    *,
    label: str,
    scale: float,
    pictures: tuple[Words, Words] | None,
) -> list[FoundRegion]:
    """Return one region for each id that holds a mismatched pixel; *owner* is by spot."""
    groups = grouped(
        spots, holders.group[owner[: spots.mismatched]], scale=scale, pictures=pictures
    )
    if not groups:
        return []
    weights, severities = _weighed(spots, owner, holders, scale=scale)
    found = []
    for group in groups:
        node = holders.nodes[group.number]
        node_id = printable(node.node.id, limit=len(node.node.id) + 1)
        region = Region(
            delta_id=f"{label}/node:{node_id}",
            node=NodeRef(id=node_id, name=printable(node.node.name), path=printable_end(node.path)),
            box=group.box,
            pixels=group.pixels,
            mismatch_ratio=group.pixels / int(holders.own_pixels[group.number]),
            weight=weights[group.number] / WEIGHT_UNIT,
        )
        severity = severities[group.number]
        found.append(FoundRegion(region=region, severity=severity, change=group.change))
    return found


def _weighed(
    spots: Spots,
    owner: NDArray[np.int64],
    holders: Holders,
    *,
    scale: float,
) -> tuple[list[int], list[float]]:
    """Return weight and severity by group number, summed tile by tile of each holder."""
    count = len(holders.nodes)
    used = np.flatnonzero(np.bincount(owner, minlength=len(holders.group)))
    side = TILE * scale
    tiles = np.ceil((holders.end - holders.corner) / side).astype(np.int64).clip(1)
    base = np.zeros(len(holders.group), np.int64)
    sizes = tiles[used].prod(axis=1)
    base[used] = np.cumsum(sizes) - sizes
    sums = np.zeros(int(sizes.sum()), np.int64)
    for block in _blocks(owner.size):
        mine, corner = owner[block], holders.corner[owner[block]]
        y, x = np.divmod(spots.positions[block], spots.shape[1])
        # The centre of a pixel that a box holds by half may lie a hair outside of it.
        column = ((x + 0.5 - corner[:, 0]) / side).astype(np.int64)
        row = ((y + 0.5 - corner[:, 1]) / side).astype(np.int64)
        column = column.clip(0, tiles[mine, 0] - 1)
        row = row.clip(0, tiles[mine, 1] - 1)
        tile = base[mine] + row * tiles[mine, 0] + column
        # Whole numbers below 2**53: the float sums are exact.
        part = np.bincount(tile, spots.weights[block], minlength=sums.size)
        sums += part.astype(np.int64)
    group = np.repeat(holders.group[used], sizes)
    severities = np.bincount(group, tile_severities(sums, scale=scale), minlength=count)
    weights = np.bincount(group, sums, minlength=count).astype(np.int64)
    return weights.tolist(), severities.tolist()


def _blocks(size: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, size, BLOCK))
