"""Whether a design's and a capture's picture can be compared at all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import CaptureError, DesignUnreadableError
from pytest_pixelloop.core.pixels import check_picture

if TYPE_CHECKING:
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design


def refuse_unusable(design: Design, capture: Capture) -> None:
    """Raise DesignUnreadableError or CaptureError for a picture or scale that cannot be used."""
    try:
        check_picture(design.image, "its picture")
        _check_scale(design.scale)
    except ValueError as error:
        raise DesignUnreadableError(
            f"the design {design.name!r} cannot be compared: {error}",
            where=", ".join(design.files),
        ) from error
    try:
        check_picture(capture.image, "its picture")
        _check_scale(capture.scale)
    except ValueError as error:
        raise CaptureError(
            f"the capture cannot be compared: {error}",
            reason="image-unreadable",
            where=capture.source,
        ) from error


def _check_scale(scale: float) -> None:
    if not (math.isfinite(scale) and scale > 0):
        raise ValueError(f"its scale is {scale!r} device px per CSS px")
