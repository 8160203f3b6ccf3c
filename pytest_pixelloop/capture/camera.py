"""Taking the pixels of an area of a page, at a viewport and scale that hold while it is taken."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.chromium import ChromiumCamera
from pytest_pixelloop.capture.problems import is_gone, playwright_error_types
from pytest_pixelloop.capture.touch_rules import has_touch_rules
from pytest_pixelloop.capture.view import read_view, same_scale
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.capture.area import Area


_PICTURE_TIMEOUT = 30_000


class Camera(Protocol):
    """Something that gives one PNG of an area that is at most SAFE_SIDE px wide and high."""

    def shoot(self, area: Area) -> bytes:
        """Return the PNG."""


class PlaywrightCamera:
    """Takes pictures through ``page.screenshot``: any browser, whatever viewport the page has."""

    def __init__(self, page: Any, *, transparent: bool = False) -> None:
        self._page = page
        self._transparent = transparent

    def shoot(self, area: Area) -> bytes:
        """Return the PNG of *area*."""
        box = area.css
        given: dict[str, Any] = {
            "clip": {"x": box.x, "y": box.y, "width": box.w, "height": box.h},
            # Makes clip count from the page's corner, and keeps its fractions.
            "full_page": True,
        }
        if not self._page.evaluate(scripts.HAS_BODY):
            # An SVG document: asked for the full page, Playwright would wait for a body.
            given = {}
        data: bytes = self._page.screenshot(
            **given,
            scale="device",
            animations="allow",  # Stillness has stopped them; Playwright would leave style=""
            caret="initial",
            omit_background=self._transparent,
            timeout=_PICTURE_TIMEOUT,
        )
        return data


@contextmanager
def open_camera(
    page: Any,
    *,
    size: tuple[int, int] | None,
    scale: float,
    warnings: list[str],
    touch: bool | None = None,
    mobile: bool | None = None,
    transparent: bool = False,
) -> Iterator[Camera]:
    """Give a camera for *page* with a viewport of *size* (None: as it is) at device scale *scale*.

    *mobile* asks for a phone's layout, None for what the page has; *touch* is not changed, but what
    cannot be seen without it is said;
    *transparent* for a page without a white backdrop.

    A page that already is so is not touched. Otherwise Chromium is told through its own protocol,
    which also changes the device scale factor; other browsers can change the viewport only. All
    is put back on the way out, also after an error. Raises CaptureError when the browser cannot
    give the scale: a picture is never resized.
    """
    view = read_view(page)
    wanted = size or (view.width, view.height)
    chromium = browser_name(page) == "chromium"
    turned = mobile is True and not view.mobile
    warnings += _touch_warnings(page, asked=touch, has=view.touch)
    if turned and not chromium:
        warnings.append(
            "a phone's layout of an open page needs Chromium: the page is captured as on a desktop "
            "of that size (a URL is opened with what its viewport needs)"
        )
    if view.shows(wanted, scale) and not (turned and chromium):
        yield PlaywrightCamera(page, transparent=transparent)
        return
    if chromium and speaks_protocol(page):
        with ChromiumCamera(
            page,
            view=view,
            size=wanted,
            scale=scale,
            warnings=warnings,
            mobile=mobile,
            transparent=transparent,
        ) as camera:
            _check_scale(page, scale)
            yield camera
        return
    _check_scale(page, scale)
    before = page.viewport_size
    page.set_viewport_size({"width": wanted[0], "height": wanted[1]})
    try:
        yield PlaywrightCamera(page, transparent=transparent)
    finally:
        if before is not None and not page.is_closed():
            page.set_viewport_size(before)


def speaks_protocol(page: Any) -> bool:
    """Tell whether *page* is Chromium's and lets us talk to it in its own protocol.

    Some remote browsers are Chromium and pass only Playwright's calls on.
    """
    if browser_name(page) != "chromium":
        return False
    try:
        page.context.new_cdp_session(page).detach()
    except playwright_error_types() as error:
        if is_gone(error):
            raise
        return False
    return True


def _touch_warnings(page: Any, *, asked: bool | None, has: bool) -> list[str]:
    """Return a warning where a page that minds touch screens is captured on the other kind.

    Touch is not emulated on an open page: Chromium 156 leaves it without any pointer afterwards
    ((hover: none), (pointer: none)) until it is loaded again.
    """
    if asked is None or asked is has or not has_touch_rules(page):
        return []
    said = (
        "the page has rules for touch screens and its context has one, the viewport has none: "
        "they show"
        if has
        else "the page has rules for touch screens and its context has none: they do not show; "
        "capture the URL, or open the page in a context with has_touch=True"
    )
    return [said]


def browser_name(page: Any) -> str:
    """Return ``chromium``, ``firefox`` or ``webkit``; empty when the page does not tell."""
    browser = page.context.browser
    if browser is not None:
        return str(browser.browser_type.name)
    # A persistent context has no browser; only Chromium calls itself Chrome.
    agent = str(page.evaluate("() => navigator.userAgent"))
    return "chromium" if "Chrome/" in agent else ""


def _check_scale(page: Any, scale: float) -> None:
    actual = read_view(page).scale
    if same_scale(actual, scale):
        return
    raise CaptureError(
        f"the page has a device scale factor of {actual:g} and the design needs {scale:g}",
        reason="capture-failed",
        where=str(page.url),
        expected=f"a browser context with device_scale_factor={scale:g}",
        next_step=(
            "override pytest-playwright's fixture browser_context_args with "
            f'{{**browser_context_args, "device_scale_factor": {scale:g}}}, '
            "or export the design at the page's scale"
        ),
    )
