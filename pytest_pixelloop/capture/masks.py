"""What the comparison must ignore, as boxes of the capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.problems import first_line, playwright_error_types
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Sequence


def given_boxes(masks: Sequence[Any]) -> tuple[tuple[Box, ...], tuple[Any, ...]]:
    """Return the masks that are boxes, and those that only a page can resolve.

    Raises CaptureError for a mask that is neither a box, four numbers, a text nor a Locator.
    """
    boxes: list[Box] = []
    rest: list[Any] = []
    for mask in masks:
        box = _as_box(mask)
        if box is not None:
            boxes.append(box)
        elif isinstance(mask, str) or hasattr(mask, "bounding_box"):
            rest.append(mask)
        else:
            raise CaptureError(
                f"a mask cannot be a {type(mask).__name__}",
                reason="capture-failed",
                where=repr(mask)[:80],
                expected="a CSS selector, a Locator, or x, y, w, h in CSS px",
            )
    return tuple(boxes), tuple(rest)


def _as_box(mask: Any) -> Box | None:
    if isinstance(mask, Box):
        return mask
    parts = mask.split(",") if isinstance(mask, str) else mask
    if not isinstance(parts, list | tuple) or len(parts) != 4:
        return None
    try:
        x, y, w, h = (float(part) for part in parts)
    except (TypeError, ValueError):
        return None
    return Box(x, y, w, h)


def element_boxes(page: Any, mask: Any, *, scroll: tuple[float, float]) -> tuple[Box, ...]:
    """Return the boxes (CSS px of the page) of all visible elements a selector or Locator matches.

    Raises CaptureError when *mask* is no selector.
    """
    try:
        locator = page.locator(mask) if isinstance(mask, str) else mask
        boxes = [element.bounding_box(timeout=1000) for element in locator.all()]
    except playwright_error_types() as error:
        raise CaptureError(
            f"the mask {mask!s} cannot be found: {first_line(error)}",
            reason="capture-failed",
            where=str(page.url),
            expected="a CSS selector, a Locator, or x,y,w,h in CSS px",
        ) from error
    return tuple(
        Box(box["x"] + scroll[0], box["y"] + scroll[1], box["width"], box["height"])
        for box in boxes
        if box is not None and box["width"] > 0 and box["height"] > 0
    )
