"""Whether what a page shows at one place is what the design has at another: it went along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.perceptual import stray, to_lab_bytes
from pytest_pixelloop.core.rectangles import cut, grown, shifted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.placings import Span
    from pytest_pixelloop.core.rectangles import Rect

MOST = 24
"""How many ways to have come are tried for one place."""
LEFT_OVER = 0.15
"""Share of the pixels that may stay unexplained: what is clipped, what overlaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shifts:
    """The ways in which parts of the design have moved, by the nodes that lie there now."""

    pair: PicturePair
    nodes: Sequence[JudgedNode]
    spans: Mapping[tuple[int, int], Span]
    limit: float

    def explain(self, rect: Rect, wrong: NDArray[np.bool_], corner: tuple[int, int]) -> bool:
        """Tell whether one of the shifts brings the design's pixels to where they are *wrong*.

        *wrong* marks pixels from *corner* on; *rect* is tight around them, all in device px.
        """
        x, y = rect[0] - corner[0], rect[1] - corner[1]
        marked = wrong[y : y + rect[3] - rect[1], x : x + rect[2] - rect[0]]
        count = int(np.count_nonzero(marked))
        seen = to_lab_bytes(cut(self.pair.actual, rect))
        for dx, dy in self._ways(rect):
            there = shifted(rect, -dx, -dy)
            window = grown(there, 2, 2, self.pair.shape)
            left, top = there[0] - window[0], there[1] - window[1]
            if window[2] - window[0] < left + marked.shape[1]:
                continue
            if left < 0 or top < 0 or window[3] - window[1] < top + marked.shape[0]:
                continue
            design = to_lab_bytes(cut(self.pair.expected, window))
            padded = np.array(design)
            padded[top : top + marked.shape[0], left : left + marked.shape[1]] = seen
            apart = np.asarray(stray(padded, design))
            inner = apart[top : top + marked.shape[0], left : left + marked.shape[1]]
            if np.count_nonzero((inner > self.limit) & marked) <= LEFT_OVER * count:
                return True
        return False

    def _ways(self, rect: Rect) -> list[tuple[int, int]]:
        """Return the shifts of the nodes that lie where *rect* is, the deepest first."""
        scale = self.pair.scale
        ways: dict[tuple[int, int], None] = {}
        for node in reversed(self.nodes):
            across, down = self.spans.get((node.at, 0)), self.spans.get((node.at, 1))
            if across is None or down is None:
                continue
            x0, y0, x1, y1 = node.rect
            if x0 + across[0] * scale > rect[2] or x1 + across[1] * scale < rect[0]:
                continue
            if y0 + down[0] * scale > rect[3] or y1 + down[1] * scale < rect[1]:
                continue
            for dx in across:
                for dy in down:
                    way = round(dx * scale), round(dy * scale)
                    if way != (0, 0):
                        ways.setdefault(way)
            if len(ways) >= MOST:
                break
        return list(ways)
