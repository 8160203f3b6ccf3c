"""What shadows add outside the sides of a box: how much of each row they cover, and its grey."""

from __future__ import annotations

from functools import lru_cache
from math import erf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.side_strips import SIDES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.css_values import Shadow
    from pytest_pixelloop.core.judged_nodes import JudgedNode

SLIP = 0.5
"""CSS px by which a side's shadow may lie elsewhere: edges are snapped, shadows with them."""
_SLIPS = (-SLIP, -SLIP / 2, 0.0, SLIP / 2, SLIP)
HOME = _SLIPS.index(0.0)
"""Which of the places is the design's own."""


def covers_of(
    node: JudgedNode, shadows: tuple[Shadow, ...], side: int, *, rows: int, scale: float
) -> NDArray[np.float64]:
    """Return how much each shadow of a box covers of the rows outside a side of it.

    (shadow, slip, row); *side* is the place in SIDES.
    """
    box = node.placed.box.scaled(scale)
    edge = (box.x, box.y, box.right, box.bottom)[side]
    ahead = edge - node.rect[side] if side < 2 else node.rect[side] - edge
    size = (node.placed.box.w, node.placed.box.h)
    return _covers(shadows, SIDES[side], size, max(ahead, 0.0), rows, scale)


def shaded(
    covers: NDArray[np.float64], grays: NDArray[np.float64], levels: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return the grey levels that shadows add beside sides, (side, slip, row).

    *covers* is (side, shadow, slip, row), *grays* how light each shadow is, (side, shadow), and
    *levels* the grey of what lies around each side.
    """
    around = levels[:, None, None]
    shown = np.broadcast_to(around, (len(levels), *covers.shape[2:]))
    for at in reversed(range(covers.shape[1])):
        cover = covers[:, at]
        shown = shown * (1 - cover) + cover * grays[:, at, None, None]
    return np.asarray(shown - around, np.float32)


def packed(covers: Sequence[NDArray[np.float64]], rows: int) -> NDArray[np.float64]:
    """Return the covers of many sides as one array, (side, shadow, slip, row), 0 where none is."""
    most = max((len(c) for c in covers), default=0)
    whole = np.zeros((len(covers), most, len(_SLIPS), rows))
    for k, cover in enumerate(covers):
        if len(cover):
            whole[k, : len(cover), :, : cover.shape[2]] = cover
    return whole


@lru_cache(maxsize=512)
def _covers(
    shadows: tuple[Shadow, ...],
    side: str,
    size: tuple[float, float],
    ahead: float,
    count: int,
    scale: float,
) -> NDArray[np.float64]:
    """Return how much each shadow covers of each row outside a side, (shadow, slip, row).

    By Gaussian blur, for each slip. *size* is the box's width and height in CSS px, the rows begin
    *ahead* device px from its edge.
    """
    across, along = size if side in ("left", "right") else size[::-1]
    places = (np.arange(count) + 0.5 + ahead) / scale + np.array(_SLIPS)[:, None]
    found = np.zeros((len(shadows), *places.shape))
    for cover, shadow in zip(found, shadows, strict=True):
        moved = {"left": -shadow.x, "right": shadow.x, "top": -shadow.y, "bottom": shadow.y}[side]
        beyond = places - moved - shadow.spread
        sigma = max(shadow.blur / 2, 0.3)
        thick, long = across + 2 * shadow.spread, along + 2 * shadow.spread
        if thick > 0 and long > 0:
            inner = _below(-beyond / sigma) - _below(-(beyond + thick) / sigma)
            cover[:] = shadow.color.a * inner * erf(long / 2 / sigma / sqrt(2))
    found.flags.writeable = False
    return found


def _below(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal distribution function."""
    values = [0.5 * (1 + erf(v)) for v in (z.reshape(-1) / sqrt(2)).tolist()]
    return np.array(values).reshape(z.shape)
