"""All kinds of seeded defects, and a page's possible defects of one kind."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from benchmarks.truth import (  # noqa: F401 - importing them registers their kinds
    content_defects,
    layout_defects,
    paint_defects,
    text_defects,
)
from benchmarks.truth.defect import KINDS, Defect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.truth.cases import Element

__all__ = ["KINDS", "Defect", "candidates"]


def candidates(kind: str, page: list[Element], *, seed: str) -> Iterator[Defect]:
    """Yield the page's possible defects of *kind* in a seeded order."""
    rng = random.Random(f"{seed}/{kind}")
    order = list(page)
    rng.shuffle(order)
    for element in order:
        defect = KINDS[kind](element, rng)
        if defect is not None:
            yield defect
