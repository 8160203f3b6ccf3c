"""Fills of more than one colour: gradients, and what shows through a translucent box.

No colour of theirs is the commonest. They are held against each other by the middle colours of
some parts: text, grain and dithering leave those alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.color import color_differs, delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.judged_nodes import paints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.tolerance import Tolerance

_PARTS = 4
"""Parts across, and down."""
_LEAST = 12
"""Pixels that tell the middle colour of a part."""
_FEW = 4
"""Parts that tell of a fill."""
_SLACK = 1.0
"""CIEDE2000 more than for a plain fill: the grain of what shows through."""
_SHARE = 0.25
"""Share of the parts that must be of another colour."""


def is_shaded(node: JudgedNode) -> bool:
    """Tell whether a box has no one colour: a gradient, or a fill that something shows through."""
    fills = paints(node.node, "fills")
    if any(str(fill.get("type", "")).startswith("GRADIENT") for fill in fills):
        return True
    return node.color is not None and node.color[3] * node.shown < 1


def judge_shade(
    node: JudgedNode,
    before: NDArray[np.uint8],
    after: NDArray[np.uint8],
    bare: NDArray[np.bool_],
    *,
    tolerance: Tolerance,
) -> Draft | None:
    """Return the finding for a fill whose parts have other colours; the crops show its *bare* area.

    The three are as large: design, capture, and where nothing else is painted over the fill.
    """
    parts = _middles(before, after, bare)
    limit = tolerance.color_delta_e + _SLACK
    other = [pair for pair in parts if color_differs(*pair, tolerance=limit)]
    if len(parts) < _FEW or len(other) < max(_SHARE * len(parts), 1):
        return None
    expected, actual = max(other, key=lambda pair: delta_e(*pair))
    apart = delta_e(expected, actual)
    return Draft(
        at=node.at,
        property="background",
        strength=apart / max(limit, 0.5),
        box=node.placed.box,
        says=f"background shows {hex_color(actual)} where {hex_color(expected)} is expected "
        f"(CIEDE2000 {apart:.1f})",
        delta=apart,
        unit="CIEDE2000",
        confidence=0.8,
    )


def _middles(
    before: NDArray[np.uint8], after: NDArray[np.uint8], bare: NDArray[np.bool_]
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return the middle colours of the parts of two crops, of those that show enough."""
    found = []
    for rows in _spans(bare.shape[0]):
        for columns in _spans(bare.shape[1]):
            shown = bare[rows, columns]
            if np.count_nonzero(shown) >= _LEAST:
                first, second = (
                    np.median(crop[rows, columns][shown], axis=0).astype(np.float32)
                    for crop in (before, after)
                )
                found.append((first, second))
    return found


def _spans(length: int) -> Sequence[slice]:
    ends = [round(k * length / _PARTS) for k in range(_PARTS + 1)]
    return [slice(low, high) for low, high in pairwise(ends)]
