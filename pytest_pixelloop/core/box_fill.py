"""The fill of a painted rectangle, read where nothing is painted over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.color import color_differs, delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.tolerance import Tolerance


def own_fill(
    pair: PicturePair,
    node: JudgedNode,
    owners: NDArray[np.int16],
    *,
    shift: tuple[int, int],
    inset: int,
) -> tuple[NDArray[np.float32], NDArray[np.float32], float] | None:
    """Return the colour of a box's own bare area in design and capture, and how uniform it is.

    None where the box shows no bare area. The colours are medians over the places at which the
    design shows its commonest colour.
    """
    x0, y0, x1, y1 = node.rect
    if x1 - x0 > 2 * inset + 2 and y1 - y0 > 2 * inset + 2:
        x0, y0, x1, y1 = x0 + inset, y0 + inset, x1 - inset, y1 - inset
    step = max(int(np.sqrt((x1 - x0) * (y1 - y0) / 4000)), 1)
    mine = owners[y0:y1:step, x0:x1:step] == node.at
    if int(mine.sum()) < 4:
        return None
    colors = pair.expected[y0:y1:step, x0:x1:step][mine]
    codes = colors.astype(np.int32) @ np.array([65536, 256, 1])
    values, counts = np.unique(codes, return_counts=True)
    common = int(values[counts.argmax()])
    if counts.max() < max(0.2 * len(codes), 4):
        return None
    rows, columns = np.nonzero(mine)
    chosen = codes == common
    ys = y0 + rows[chosen] * step + shift[1]
    xs = x0 + columns[chosen] * step + shift[0]
    kept = (ys >= 0) & (xs >= 0) & (ys < pair.shape[0]) & (xs < pair.shape[1])
    if int(kept.sum()) < 4:
        return None
    seen = pair.actual[ys[kept], xs[kept]]
    codes = seen.astype(np.int32) @ np.array([65536, 256, 1])
    values, counts = np.unique(codes, return_counts=True)
    other = int(values[counts.argmax()])
    return _color(common), _color(other), float(counts.max() / len(codes))


def _color(code: int) -> NDArray[np.float32]:
    return np.array([code >> 16, code >> 8 & 255, code & 255], np.float32)


def judge_fill(
    node: JudgedNode,
    own: tuple[NDArray[np.float32], NDArray[np.float32], float],
    *,
    tolerance: Tolerance,
) -> Draft | None:
    """Return the finding for a fill of another colour; *own* is what own_fill returned."""
    expected, actual, share = own
    if share < 0.5 or not color_differs(expected, actual, tolerance=tolerance.color_delta_e):
        return None
    apart = delta_e(expected, actual)
    return Draft(
        at=node.at,
        property="background",
        strength=apart / max(tolerance.color_delta_e, 0.5),
        box=node.placed.box,
        says=f"background {hex_color(actual)}, expected {hex_color(expected)} "
        f"(CIEDE2000 {apart:.1f})",
        expected=hex_color(expected),
        actual=hex_color(actual),
        delta=apart,
        unit="CIEDE2000",
        confidence=min(share, 1.0),
    )
