"""One text, icon or photo as the capture shows it, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_pixelloop.core.glyphs import Laid
    from pytest_pixelloop.core.ink import Ink
    from pytest_pixelloop.core.rectangles import Rect


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """One leaf as the capture shows it. Lengths in CSS px, ratios are capture / design.

    ``stray`` is the worst cluster of ink that only one picture has, in squares of the leaf's em;
    ``bars`` is how much of the fullest row is inked, design and capture: an underline is a full
    row; ``bar_place`` is where it lies, 0 at the top of the ink and 1 at its bottom. ``edges`` is
    how far the ink's left, top, right and bottom edge lie from the design's. ``laid`` are both
    inks as they were laid on each other.
    """

    at: int
    found: bool = True
    missing: bool = False
    readable: bool = True
    shift: tuple[float, float] = (0.0, 0.0)
    likeness: float = 1.0
    stray: float = 0.0
    edges: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    width_ratio: float = 1.0
    height_ratio: float = 1.0
    amount_ratio: float = 1.0
    contrast_ratio: float = 1.0
    ink_rect: Rect | None = None
    expected_ink: Ink | None = None
    actual_ink: Ink | None = None
    mismatch: float = 0.0
    em: float = 16.0
    light: bool = False
    bars: tuple[float, float] = (0.0, 0.0)
    bar_place: float = 1.0
    laid: Laid | None = None
