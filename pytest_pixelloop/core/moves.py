"""Where the parts of the page have gone, as far as texts, icons and photos tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.reading import Reading

LEAST = 2.0
"""CSS px from which a move is worth looking elsewhere: edges are searched around their place."""
Shift = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moves:
    """Guesses for boxes from the leaves in them and beside them; shifts in device px.

    ``held`` are the leaves found in each node, ascending; ``rects`` is where all nodes lie,
    (node, edge).
    """

    nodes: Sequence[JudgedNode]
    readings: Mapping[int, Reading]
    scale: float
    held: Mapping[int, Sequence[int]]
    rects: NDArray[np.intp]

    @classmethod
    def of(
        cls, nodes: Sequence[JudgedNode], readings: Mapping[int, Reading], *, scale: float
    ) -> Moves:
        """Return what the *readings* of leaves tell of the moves of all *nodes*."""
        found = {at for at, r in readings.items() if r.found and r.readable}
        held: dict[int, list[int]] = {}
        for node in reversed(nodes):
            own = [at for child in node.children for at in held[child]]
            own.extend(child for child in node.children if child in found)
            held[node.at] = sorted(own)
        rects = np.array([n.rect for n in nodes], np.intp).reshape(-1, 4)
        return cls(nodes=nodes, readings=readings, scale=scale, held=held, rects=rects)

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
        inside = self.held[node.at]
        if inside:
            away = np.abs(self.rects[np.array(inside)] - self.rects[node.at])
            left, top, right, bottom = (
                self._worth(self.readings[inside[k]].shift) for k in away.argmin(axis=0).tolist()
            )
            return left, top, right, bottom
        parent = node.parent
        while parent is not None:
            beside = self.held[parent]
            if beside:
                common = self._common(beside)
                return common, common, common, common
            parent = self.nodes[parent].parent
        return (0, 0), (0, 0), (0, 0), (0, 0)

    def _common(self, leaves: Sequence[int]) -> Shift:
        shifts = np.array([self.readings[i].shift for i in leaves])
        return self._worth((float(np.median(shifts[:, 0])), float(np.median(shifts[:, 1]))))

    def _worth(self, shift: tuple[float, float]) -> Shift:
        if max(abs(shift[0]), abs(shift[1])) <= LEAST:
            return 0, 0
        return round(shift[0] * self.scale), round(shift[1] * self.scale)
