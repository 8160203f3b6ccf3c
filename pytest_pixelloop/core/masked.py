"""How much of a picture masks cover, and the masks painted over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.canvas import mask_of_boxes
from pytest_pixelloop.core.css_values import parse_color

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.geometry import Box

LARGE = 0.25
"""Share of the picture from which masks hide more than a reader expects."""


def masked_share(masks: Sequence[Box], shape: tuple[int, int], *, scale: float) -> float:
    """Return which share (0..1) of a picture of *shape* the masks (CSS px) cover together."""
    covered = mask_of_boxes([mask.scaled(scale) for mask in masks], shape)
    return 0.0 if covered is None or not covered.size else float(covered.mean())


def large_mask_warning(share: float) -> tuple[str, ...]:
    """Return a warning where masks cover more than a quarter of the picture."""
    if share <= LARGE:
        return ()
    return (f"the masks cover {share:.0%} of the picture: that part is not judged",)


def paint_masks(
    image: NDArray[np.uint8], masks: Sequence[Box], *, scale: float, color: str
) -> NDArray[np.uint8]:
    """Return *image* with the masks (CSS px) painted over it; itself where there are none."""
    covered = mask_of_boxes([mask.scaled(scale) for mask in masks], image.shape[:2])
    paint = parse_color(color)
    if covered is None or paint is None:
        return image
    painted = image.copy()
    painted[covered] = [*(min(max(round(c), 0), 255) for c in paint.rgb), 255]
    return painted
