"""What the comparison must ignore, as boxes of the capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.problems import first_line, is_gone, playwright_error_types
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.levels import Region
from pytest_pixelloop.core.screenshot_words import read_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.levels import RegionWish

_WRONG = ("valid selector", "valid XPath", "Unexpected token", "Unknown engine", "while parsing")


def given_boxes(masks: Sequence[Any]) -> tuple[tuple[Box, ...], tuple[Any, ...]]:
    """Return the masks that are boxes, and those that only a page can resolve.

    Raises ConfigurationError for a mask that is neither a box, a text nor a Locator.
    """
    boxes: list[Box] = []
    rest: list[Any] = []
    for mask in masks:
        target = read_target(mask, where="mask")
        (boxes if isinstance(target, Box) else rest).append(target)
    return tuple(boxes), tuple(rest)


def element_boxes(
    page: Any, mask: Any, *, scroll: tuple[float, float], what: str = "mask"
) -> tuple[Box, ...]:
    """Return the boxes (CSS px of the page) of all visible elements a selector or Locator matches.

    A text is CSS and nothing else. Raises ConfigurationError when it is no selector, CaptureError
    when its elements cannot be measured.
    """
    try:
        locator = page.locator(f"css={mask}") if isinstance(mask, str) else mask
        boxes = [element.bounding_box(timeout=1000) for element in locator.all()]
    except playwright_error_types() as error:
        if is_gone(error):
            raise
        if isinstance(mask, str) and any(word in str(error) for word in _WRONG):
            raise ConfigurationError(
                f"{mask!r} is no CSS selector",
                where=what,
                expected="a CSS selector, a Locator, or x,y,w,h in CSS px",
                next_step="for XPath, text or roles pass a Locator: page.locator(...), "
                "page.get_by_text(...)",
            ) from error
        raise CaptureError(
            f"the {what} {mask!s} cannot be found: {first_line(error)}",
            reason="capture-failed",
            where=str(page.url),
            expected="elements that stay while they are measured",
        ) from error
    return tuple(
        Box(box["x"] + scroll[0], box["y"] + scroll[1], box["width"], box["height"])
        for box in boxes
        if box is not None and box["width"] > 0 and box["height"] > 0
    )


def find_regions(
    page: Any, wishes: Sequence[RegionWish], *, scroll: tuple[float, float], origin: Box
) -> tuple[tuple[Region, ...], list[str]]:
    """Return the regions with their boxes in CSS px of the capture, and what matched nothing."""
    found, warnings = [], []
    for wish in wishes:
        boxes: tuple[Box, ...]
        if isinstance(wish.target, Box):
            boxes = (wish.target,)
        else:
            on_page = element_boxes(page, wish.target, scroll=scroll, what="region")
            boxes = tuple(box.shifted(-origin.x, -origin.y) for box in on_page)
        if not boxes:
            warnings.append(f"the region {wish.words!r} matches nothing that can be seen")
        found.append(Region(words=wish.words, level=wish.level, boxes=boxes))
    return tuple(found), warnings
