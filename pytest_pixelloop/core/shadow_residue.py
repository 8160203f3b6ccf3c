"""Whether what is left beside a box is its shadow: darker than in the design, and grey."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.rectangles import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

REACH = 40.0
"""CSS px from a box within which its shadow may lie."""
INSIDE = 2.0
"""CSS px by which it may reach into the box."""
BESIDE = 0.7
"""Share of its length that must lie beside the box."""
DARKEST = 80.0
"""Levels by which a shadow darkens at most."""
LEAST = 1.5
"""Levels by which it darkens at least."""
TINT = 0.4
"""By how much of the darkening the channels may differ: a shadow keeps the hue."""


def casts(
    rect: Rect,
    wrong: NDArray[np.bool_],
    corner: tuple[int, int],
    *,
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
) -> int | None:
    """Return the box whose shadow shows in *rect*, None where it is no shadow.

    *wrong* marks pixels from *corner* on; *rect* is tight around them, all in device px.
    """
    x, y = rect[0] - corner[0], rect[1] - corner[1]
    marked = wrong[y : y + rect[3] - rect[1], x : x + rect[2] - rect[0]]
    expected = cut(pair.expected, rect)[marked].astype(np.float64)
    actual = cut(pair.actual, rect)[marked].astype(np.float64)
    darker = expected - actual
    typical = np.median(darker, axis=0)
    if typical.min() < LEAST or np.percentile(darker.mean(axis=1), 95) > DARKEST:
        return None
    if typical.max() - typical.min() > TINT * typical.max() + 2:
        return None
    best: tuple[float, int] | None = None
    for node in nodes:
        if node.kind not in (Kind.BOX, Kind.PHOTO) or node.parent is None or node.empty:
            continue
        away = _away(rect, node.rect, pair.scale)
        if away is not None and (best is None or away <= best[0]):
            best = away, node.at
    return best[1] if best else None


def _away(rect: Rect, box: Rect, scale: float) -> float | None:
    """Return how far outside a box *rect* begins, in device px; None where it is not beside it."""
    found = []
    for axis in (0, 1):
        other = 1 - axis
        length = rect[other + 2] - rect[other]
        margin = REACH * scale / 2
        low = max(rect[other], box[other] - margin)
        high = min(rect[other + 2], box[other + 2] + margin)
        if high - low < BESIDE * length:
            continue
        before, after = box[axis] - rect[axis + 2], rect[axis] - box[axis + 2]
        gap = max(before, after)
        far = max(box[axis] - rect[axis], rect[axis + 2] - box[axis + 2])
        if gap >= -INSIDE * scale and far <= REACH * scale:
            found.append(abs(gap))
    return min(found, default=None)
