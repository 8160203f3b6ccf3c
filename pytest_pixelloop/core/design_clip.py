"""A part of a design as a design of its own, cut out by a box and not by a node."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pytest_pixelloop.core.design import Placement
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.placement import frame_image

if TYPE_CHECKING:
    from pytest_pixelloop.core.design import Design

_SAME = 1.0
"""CSS px by which a frame may be larger or smaller than the clip it is the design of."""


def clip_design(design: Design, clip: Box) -> Design:
    """Return what of *design* the *clip* (CSS px of the page) is compared with.

    A clip inside the frame is cut out of the design too. A clip that reaches beyond it, and is as
    large as the frame, is where on the page the design lies: the design stays whole. Raises
    ConfigurationError for any other clip.
    """
    whole = Box(0.0, 0.0, *design.frame)
    if whole.contains(clip, slack=_SAME / 2):
        return _cut(design, clip)
    if abs(clip.w - whole.w) <= _SAME and abs(clip.h - whole.h) <= _SAME:
        return design
    x, y, w, h = clip.as_list()
    raise ConfigurationError(
        f"the clip {w:g}x{h:g} at ({x:g}, {y:g}) neither lies in the frame of "
        f"{design.label!r}, which is {whole.w:g}x{whole.h:g}, nor is as large as it",
        where="clip",
        expected="a part of the frame, or the place on the page where the whole design lies",
    )


def _cut(design: Design, clip: Box) -> Design:
    placement = Placement(
        scale=design.scale, origin=(clip.x * design.scale, clip.y * design.scale), rule="given"
    )
    root = design.root
    if root is not None and root.box is not None:
        box = clip.shifted(root.box.x, root.box.y)
        root = dataclasses.replace(root, box=box, render_box=box, clips=True)
    return dataclasses.replace(
        design,
        image=frame_image(design.image, placement, (clip.w, clip.h)),
        frame=(clip.w, clip.h),
        root=root,
        placement=placement,
    )
