"""The capture of what a user points at: a Page, a Locator, a URL, PNG bytes, a path, an image."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.area import Area
from pytest_pixelloop.capture.masks import given_boxes
from pytest_pixelloop.capture.measure import clipped_area
from pytest_pixelloop.capture.options import DEFAULT_OPTIONS, CaptureOptions
from pytest_pixelloop.capture.picture import read_picture
from pytest_pixelloop.capture.plan import Blank, Plan
from pytest_pixelloop.capture.problems import (
    first_line,
    is_gone,
    playwright_error_types,
    went_elsewhere,
)
from pytest_pixelloop.capture.rendering import NO_ELEMENTS, Rendering
from pytest_pixelloop.capture.stopwatch import Stopwatch
from pytest_pixelloop.capture.target import Kind, kind_of, url_of
from pytest_pixelloop.capture.view import viewport_for
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.levels import Region
from pytest_pixelloop.core.route import Destination

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.route import Recipe
    from pytest_pixelloop.core.viewports import ThemeHook

__all__ = ["CaptureOptions", "capture_target"]


def capture_target(
    target: Any,
    *,
    frame: tuple[float, float],
    scale: float,
    options: CaptureOptions = DEFAULT_OPTIONS,
    browser: Callable[[], Any] | None = None,
    viewport: str | None = None,
    theme: str | None = None,
    viewport_size: tuple[int, int] | None = None,
    touch: bool | None = None,
    mobile: bool | None = None,
    hook: ThemeHook | None = None,
    blank: Blank = "wait",
    accept: Callable[[NDArray[np.uint8]], bool] | None = None,
    clock: Callable[[], float] = time.monotonic,
    again: bool = True,
    axe: bool = False,
    texts: tuple[Box, ...] = (),
) -> Capture:
    """Return what *target* shows, at the size and scale of a design.

    A Page or URL gets a viewport of *viewport_size*, by default the *frame* (CSS px), and is taken
    from its top to its end; a Locator keeps the viewport it has unless *viewport_size* is given.
    *touch* and *mobile* emulate a touch screen and a phone's layout, *hook* says how *theme* is
    switched on. All is put back afterwards. Both are rendered at *scale* device px a CSS px;
    nothing is ever resized. PNG bytes, a path and a PIL image are taken as they are, and Playwright
    is not imported for them. A Destination has steps, too; a Rendering is
    the picture that it holds for *viewport* and *theme*.

    *browser* gives a running Playwright browser for a URL; without it one is started and ended.
    A page is taken when two pictures in a row are equal. A page of one colour is waited for until
    the timeout: ``blank="wait"`` then returns it with a warning, ``"refuse"`` raises, ``"accept"``
    does not wait. *accept*, given a picture, lets the waiting go on until the timeout as long as it
    returns False, so that late content is not judged too early. *again* tells that a URL whose
    browser went away is opened once more. *axe* lets axe-core look at the page where the extra
    ``axe`` is installed. *texts* are where the design has text: by what a page shows it is told.

    Raises CaptureError: ``unreachable``, ``unstable``, ``blank-capture``, ``truncated-capture``,
    ``capture-failed``, ``no-browser``, ``image-unreadable``.
    """
    kind = kind_of(target)
    watch = Stopwatch(clock)
    plan = Plan(
        frame=frame,
        size=viewport_size or viewport_for(frame),
        sized=viewport_size is not None,
        scale=scale,
        options=options,
        viewport=viewport,
        theme=theme,
        blank=blank,
        accept=accept,
        touch=touch,
        mobile=mobile,
        hook=hook,
        axe=axe,
        texts=texts,
    )
    if kind in {Kind.DATA, Kind.FILE, Kind.PICTURE}:
        return _capture_picture(target, kind, plan, watch)
    try:
        if kind is Kind.URL:
            recipe = target.recipe if isinstance(target, Destination) else None
            return _capture_url(url_of(target), plan, browser, watch, clock, recipe, again=again)
        from pytest_pixelloop.capture.page_capture import PageCapture  # noqa: PLC0415

        page, locator = (target, None) if kind is Kind.PAGE else (target.page, target)
        return PageCapture(page, plan, locator=locator, watch=watch, clock=clock).take()
    except playwright_error_types() as error:
        from pytest_pixelloop.capture.navigation import shown_url  # noqa: PLC0415

        where = shown_url(url_of(target) if kind is Kind.URL else str(getattr(target, "url", "")))
        if went_elsewhere(error):
            raise CaptureError(
                "the page went to another address, or loaded itself again, during the capture",
                reason="capture-failed",
                where=where,
                expected="a page that stays where it is",
                next_step="wait in the test until it is there (page.wait_for_url), or name the "
                "address where it ends",
            ) from error
        raise CaptureError(
            f"the capture failed: {first_line(error)}",
            reason="capture-failed",
            where=where,
            expected="a page that stays open while it is captured",
        ) from error


def _capture_picture(
    target: Any,
    kind: Kind,
    plan: Plan,
    watch: Stopwatch,
) -> Capture:
    environment: Mapping[str, Any] = {}
    dom = None
    if isinstance(target, Rendering):
        environment, dom = target.environment, NO_ELEMENTS
        target = target.picture(viewport=plan.viewport, theme=plan.theme)
    with watch.phase("decode"):
        image, source = read_picture(target, kind)
    options = plan.options
    if options.clip is not None:
        whole = Area(left=0, top=0, width=image.shape[1], height=image.shape[0], scale=plan.scale)
        part = clipped_area(whole, options.clip, where=source)
        image = image[part.top : part.top + part.height, part.left : part.left + part.width].copy()
    boxes, rest = given_boxes(options.mask)
    warnings = [f"the mask {mask!s} needs a page and is not used" for mask in rest]
    regions = []
    for wish in options.regions:
        if isinstance(wish.target, Box):
            regions.append(Region(words=wish.words, level=wish.level, boxes=(wish.target,)))
        else:
            warnings.append(f"the region {wish.words!r} needs a page and is not used")
    return Capture(
        image=image,
        scale=plan.scale,
        source=source,
        viewport=plan.viewport,
        theme=plan.theme,
        masks=boxes,
        environment=environment,
        dom=dom,
        warnings=tuple(warnings),
        durations=watch.durations,
        regions=tuple(regions),
        mask_color=options.mask_color,
    )


def _capture_url(
    url: str,
    plan: Plan,
    browser: Callable[[], Any] | None,
    watch: Stopwatch,
    clock: Callable[[], float],
    recipe: Recipe | None,
    *,
    again: bool,
) -> Capture:
    if browser is None:
        from pytest_pixelloop.capture.session import BrowserSession  # noqa: PLC0415

        with BrowserSession(arguments=plan.options.browser_args) as session:
            return _capture_url(
                url, plan, lambda: session.browser, watch, clock, recipe, again=again
            )
    try:
        return _capture_once(url, plan, browser(), watch, clock, recipe)
    except playwright_error_types() as error:
        if not (again and is_gone(error)):
            raise
    # The browser or the page crashed: once more, with whatever browser there is now.
    return _capture_once(url, plan, browser(), watch, clock, recipe)


def _capture_once(
    url: str,
    plan: Plan,
    browser: Any,
    watch: Stopwatch,
    clock: Callable[[], float],
    recipe: Recipe | None,
) -> Capture:
    from pytest_pixelloop.capture.follow import follow  # noqa: PLC0415
    from pytest_pixelloop.capture.navigation import open_url  # noqa: PLC0415
    from pytest_pixelloop.capture.page_capture import PageCapture  # noqa: PLC0415

    with ExitStack() as stack:
        with watch.phase("navigate"):
            page, log = stack.enter_context(open_url(browser, url, plan))
            if recipe is not None:
                follow(page, recipe, url=url)
        return PageCapture(page, plan, locator=None, log=log, watch=watch, clock=clock).take()
