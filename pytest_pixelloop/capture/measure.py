"""Where on the page the picture is taken: the page, its viewport, or an element's box."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.area import Area, area_of
from pytest_pixelloop.capture.problems import first_line, is_gone, playwright_error_types
from pytest_pixelloop.capture.view import read_view
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from pytest_pixelloop.capture.plan import Plan

_SELECTOR = re.compile(r"selector='(.*)'>$", re.DOTALL)


def page_area(page: Any, plan: Plan) -> Area:
    """Return the area of the whole page, or of its viewport when ``full_page`` is off.

    A page that does not reach beyond the viewport is cut to the frame, which may end in the middle
    of a px; one that does is taken with all of it, and its size is then a difference.
    """
    wide, high = plan.frame
    across, down = min(float(plan.size[0]), wide), min(float(plan.size[1]), high)
    if not plan.options.full_page:
        x, y = read_view(page).scroll
        return area_of(Box(x, y, across, down), plan.scale)
    size = page.evaluate(scripts.PAGE_SIZE)
    if size["width"] > plan.size[0]:
        across = float(size["width"])
    if size["height"] > plan.size[1]:
        down = float(size["height"])
    return area_of(Box(0.0, 0.0, across, down), plan.scale)


def element_area(page: Any, locator: Any, plan: Plan, warnings: list[str]) -> Area:
    """Return the area of an element, scrolled into view first.

    What lies left of or above the page cannot be painted and is left away with a warning. Raises
    CaptureError when there is no such element, or nothing of it to be seen.
    """
    name = locator_name(locator)
    box = _element_box(locator, name, timeout=plan.options.timeout * 1000)
    x, y = read_view(page).scroll
    whole = Box(box.x + x, box.y + y, box.w, box.h)
    left, top = max(whole.x, 0.0), max(whole.y, 0.0)
    if whole.right - left <= 0 or whole.bottom - top <= 0:
        raise _unseen(name, "lies outside of the page", locator)
    if left > whole.x or top > whole.y:
        said = f"a part of {name} lies outside of the page and is not in the picture"
        if said not in warnings:
            warnings.append(said)
        whole = Box(left, top, whole.right - left, whole.bottom - top)
    return area_of(whole, plan.scale)


def clipped_area(area: Area, clip: Box, *, where: str) -> Area:
    """Return the part of *area* that *clip* (CSS px from its corner) cuts out.

    Raises CaptureError when the clip reaches beyond it: nothing is there to be compared.
    """
    whole = Box(0.0, 0.0, area.css.w, area.css.h)
    if not whole.contains(clip, slack=0.5 / area.scale):
        x, y, w, h = clip.as_list()
        raise CaptureError(
            f"the clip {w:g}x{h:g} at ({x:g}, {y:g}) reaches beyond what is captured, "
            f"which is {whole.w:g}x{whole.h:g}",
            reason="capture-failed",
            where=where,
            expected="a clip inside the page (or element, or viewport with full_page=False)",
        )
    return area_of(clip.shifted(area.css.x, area.css.y), area.scale)


def _element_box(locator: Any, name: str, *, timeout: float) -> Box:
    try:
        locator.wait_for(state="attached", timeout=timeout)
        box = locator.bounding_box(timeout=timeout)
        if box is not None and box["width"] > 0 and box["height"] > 0:
            # Only now: for an element of no size this would wait until the timeout.
            locator.scroll_into_view_if_needed(timeout=timeout)
            box = locator.bounding_box(timeout=timeout)
    except playwright_error_types() as error:
        if is_gone(error):
            raise
        raise CaptureError(
            f"{name} cannot be captured: {first_line(error)}",
            reason="capture-failed",
            where=str(locator.page.url),
            expected="one element that is there",
            next_step="correct the locator, or wait for the element before the capture",
        ) from error
    if box is None:
        raise _unseen(name, "is not rendered (display: none, or gone)", locator)
    if box["width"] <= 0 or box["height"] <= 0:
        raise _unseen(name, f"has a size of {box['width']:g}x{box['height']:g} px", locator)
    return Box(box["x"], box["y"], box["width"], box["height"])


def _unseen(name: str, problem: str, locator: Any) -> CaptureError:
    return CaptureError(
        f"{name} {problem}",
        reason="capture-failed",
        where=str(locator.page.url),
        expected="an element with a width and a height",
        next_step="capture an element that can be seen",
    )


def locator_name(locator: Any) -> str:
    """Return a locator's selector; Playwright has no public word for it but its repr."""
    text = repr(locator)
    found = _SELECTOR.search(text)
    return found.group(1) if found else text
