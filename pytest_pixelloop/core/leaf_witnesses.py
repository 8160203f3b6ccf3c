"""The page's elements as the reading of leaves asks about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_pixelloop.core.glyph_laying import DRIFT
from pytest_pixelloop.core.glyphs import GLYPH_LIMIT
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.leaf_measure import relaid
from pytest_pixelloop.core.style_evidence import LETTERS, Witness, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.reading import Reading
    from pytest_pixelloop.core.style_evidence import Witnesses

_ADVANCES = 0.01
"""Part of a line's length by which whole advances may move its letters."""
_FURTHEST = 4.0
"""CSS px by which they may at most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeafWitnesses:
    """The witnesses of the leaves of one comparison."""

    nodes: Sequence[JudgedNode]
    witnesses: Witnesses

    def of(self, leaf: JudgedNode) -> Witness | None:
        """Return what a leaf's element says; of a drawing, what those of its shapes say."""
        if leaf.kind is Kind.TEXT:
            return self.witnesses.of(leaf.node.id)
        found, stack = [], [leaf.at]
        while stack:
            at = stack.pop()
            if not self.nodes[at].children:
                found.append(self.witnesses.of(self.nodes[at].node.id))
            stack.extend(reversed(self.nodes[at].children))
        return joined(found)

    def settled(self, leaf: JudgedNode, reading: Reading) -> Reading:
        """Return a text's reading as it is when its element says that the letters are the same.

        Then letters further along the line may stand further off: whole advances add up.
        """
        if leaf.kind is not Kind.TEXT or reading.missing or reading.mismatch <= GLYPH_LIMIT:
            return reading
        heard = self.witnesses.of(leaf.node.id)
        if heard is None or not heard.calms(LETTERS, seen=reading.shift):
            return reading
        ink = reading.ink_rect
        length = float(ink[2] - ink[0]) if ink is not None else 0.0
        scale = reading.laid.scale if reading.laid is not None else 1.0
        closer = relaid(reading, drift=min(DRIFT + _ADVANCES * length / scale, _FURTHEST))
        return replace(closer, found=reading.found or closer.mismatch <= GLYPH_LIMIT)
