"""The pixel figures that every report has, whichever gate decides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.gate_pixel import judge_pixel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.core.verdict import Judgement

_RIM = 2.0
"""Device px around a finding's box that its picture shows too: edges lie on both sides of it."""


def with_pixel_figures(
    judgement: Judgement, design: Design, capture: Capture, *, tolerance: Tolerance
) -> Judgement:
    """Return the judgement with pixels, regions and confidence as the ``pixel`` gate counts them.

    The picture of the difference then shows what the findings are about: the pixels that differ
    inside their boxes, and not the edges of all glyphs of the page.
    """
    pixel = judge_pixel(design, capture, tolerance=tolerance)
    mask = judgement.diff_mask
    if mask is None or pixel.diff_mask is None or mask.shape != pixel.diff_mask.shape:
        mask = pixel.diff_mask
    else:
        boxes = (f.box.scaled(design.scale) for f in judgement.findings if f.gating)
        mask = mask & _inside(boxes, mask.shape)
    return replace(
        judgement,
        confidence=pixel.confidence,
        regions=pixel.regions,
        pixels=pixel.pixels,
        comparator={**judgement.comparator, "pixels": dict(pixel.comparator)},
        diff_mask=mask,
    )


def _inside(boxes: Iterable[Box], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    inside = np.zeros(shape, np.bool_)
    for box in boxes:
        left, top, right, bottom = box.grown(_RIM).pixels()
        inside[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)] = True
    return inside
