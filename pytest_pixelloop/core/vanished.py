"""What is not there any more, told from what has another colour: for levels that let colours be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.rectangles import cut, grown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair

FLAT = 2
"""Levels (0..255) by which an area of one colour may vary."""
_AROUND = 2
"""CSS px around a place that have to be as the place."""
_PAINTED = ("background", "image")


def vanished_nodes(
    pair: PicturePair, drafts: Iterable[Draft], nodes: Sequence[JudgedNode]
) -> frozenset[int]:
    """Return the boxes and photos that cannot be seen: their place is one colour with its ground.

    Asked are those with a draft about their fill or picture, and with nothing inside.
    """
    asked = {
        part.at
        for draft in drafts
        for part in draft.whole()
        if part.at is not None and part.property in _PAINTED
    }
    return frozenset(at for at in asked if not nodes[at].children and _gone(pair, nodes[at]))


def _gone(pair: PicturePair, node: JudgedNode) -> bool:
    around = max(round(_AROUND * pair.scale), 1)
    place = grown(node.rect, around, around, pair.shape)
    return _flat(cut(pair.actual, place)) and not _flat(cut(pair.expected, place))


def _flat(area: NDArray[np.uint8]) -> bool:
    return area.size > 0 and int(np.ptp(area, axis=(0, 1)).max()) <= FLAT
