"""Where the parts of the page have gone, as far as texts, icons and photos tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.reading import Reading

LEAST = 2.0
"""CSS px from which a move is worth looking elsewhere: edges are searched around their place."""
Shift = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """Guesses for boxes from the leaves in them and beside them; shifts in device px."""

    nodes: Sequence[JudgedNode]
    readings: Mapping[int, Reading]
    scale: float

    @property
    def any(self) -> bool:
        """Whether any leaf has gone so far that a box may have gone with it."""
        return any(
            self._worth(r.shift) != (0, 0) for r in self.readings.values() if r.found and r.readable
        )

    def around(self, node: JudgedNode) -> tuple[Shift, Shift, Shift, Shift]:
        """Return for the left, top, right and bottom edge where the nearest leaf has gone.

        A box without leaves goes where the leaves of its nearest ancestor go.
        """
        inside = self._leaves(node)
        if inside:
            return (
                self._nearest(node, inside, 0),
                self._nearest(node, inside, 1),
                self._nearest(node, inside, 2),
                self._nearest(node, inside, 3),
            )
        parent = node.parent
        while parent is not None:
            beside = self._leaves(self.nodes[parent])
            if beside:
                common = self._common(beside)
                return common, common, common, common
            parent = self.nodes[parent].parent
        return (0, 0), (0, 0), (0, 0), (0, 0)

    def _leaves(self, node: JudgedNode) -> list[int]:
        found, stack = [], list(node.children)
        while stack:
            at = stack.pop()
            reading = self.readings.get(at)
            if reading is not None and reading.found and reading.readable:
                found.append(at)
            stack.extend(self.nodes[at].children)
        return found

    def _nearest(self, node: JudgedNode, leaves: list[int], side: int) -> Shift:
        edge = node.rect[side]
        at = min(leaves, key=lambda i: (abs(self.nodes[i].rect[side] - edge), i))
        return self._worth(self.readings[at].shift)

    def _common(self, leaves: list[int]) -> Shift:
        shifts = np.array([self.readings[i].shift for i in leaves])
        return self._worth((float(np.median(shifts[:, 0])), float(np.median(shifts[:, 1]))))

    def _worth(self, shift: tuple[float, float]) -> Shift:
        if max(abs(shift[0]), abs(shift[1])) <= LEAST:
            return 0, 0
        return round(shift[0] * self.scale), round(shift[1] * self.scale)
