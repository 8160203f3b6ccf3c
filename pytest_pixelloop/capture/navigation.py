"""A URL in a context of its own: opened, watched for errors, and closed again."""

from __future__ import annotations

import contextlib
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from pytest_pixelloop.capture.frozen import freeze_page
from pytest_pixelloop.capture.page_log import PageLog
from pytest_pixelloop.capture.problems import (
    first_line,
    is_gone,
    is_timeout,
    playwright_error_types,
)
from pytest_pixelloop.capture.theme_switch import scheme_of, storage_script
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.capture.plan import Plan

_SHOWN_DATA = 40
_ERROR_PAGES = ("chrome-error:", "about:neterror")
_LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - compared with, not bound


@contextmanager
def open_url(
    browser: Any,
    url: str,
    plan: Plan,
) -> Iterator[tuple[Any, PageLog]]:
    """Give a loaded page of *url* in a fresh context, which is closed afterwards.

    The context has the plan's viewport, scale, touch screen, colour scheme and storages; language,
    time zone and motion preference are the browser's own. Raises CaptureError with reason
    ``unreachable`` when the page does not come, or comes with a status other than 2xx.
    """
    wishes: dict[str, Any] = {
        "viewport": {"width": plan.size[0], "height": plan.size[1]},
        "device_scale_factor": plan.scale,
    }
    scheme = scheme_of(plan.theme, plan.hook)
    if scheme is not None:
        wishes["color_scheme"] = scheme
    if plan.touch:
        wishes["has_touch"] = True
    if plan.mobile and browser.browser_type.name != "firefox":  # which knows no is_mobile
        wishes["is_mobile"] = True
    if plan.options.reduced_motion is not None:
        wishes["reduced_motion"] = plan.options.reduced_motion
    context = browser.new_context(**wishes)
    try:
        if plan.hook is not None and plan.hook.stores:
            context.add_init_script(storage_script(plan.hook))
        page = context.new_page()
        log = PageLog.watching(page)
        freeze_page(page, clock=plan.options.clock, random_seed=plan.options.random_seed)
        _go(page, url, plan.options.navigation_timeout)
        yield page, log
    finally:
        with contextlib.suppress(*playwright_error_types()):
            context.close()


def refuse_error_page(page: Any) -> None:
    """Raise CaptureError with reason ``unreachable`` for a page that shows the browser's error."""
    url = str(page.url)
    if url.startswith(_ERROR_PAGES):
        raise CaptureError(
            "the page could not be opened: the browser shows its own error page",
            reason="unreachable",
            where=url,
            expected="a page that was loaded",
            next_step="start the application, or correct the URL that the test opens",
        )


def _go(page: Any, url: str, timeout: float) -> None:
    try:
        response = page.goto(url, wait_until="load", timeout=timeout * 1000)
    except playwright_error_types() as error:
        if is_gone(error):
            raise
        raise _unreachable(url, error, timeout) from error
    if response is not None and not response.ok:
        raise CaptureError(
            f"the page answers with status {response.status} {response.status_text}".rstrip(),
            reason="unreachable",
            where=shown_url(url),
            expected="a status of 200 to 299",
            next_step="open it in a browser, or correct the URL",
        )


def _unreachable(url: str, error: Exception, timeout: float) -> CaptureError:
    if is_timeout(error):
        what, next_step = (
            f"the page did not finish loading within {timeout:g} s",
            "open it in a browser and look for a request that never ends",
        )
    else:
        found = re.search(r"net::(ERR_\w+)|NS_ERROR_\w+", str(error))
        what = f"the page cannot be opened: {found.group(0) if found else first_line(error)}"
        next_step = _next_step(url, str(error))
    return CaptureError(
        what,
        reason="unreachable",
        where=shown_url(url),
        expected="a page that loads",
        next_step=next_step,
    )


def _next_step(url: str, text: str) -> str:
    parts = urlsplit(url)
    if parts.scheme == "file":
        return "correct the path"
    if "CONNECTION_REFUSED" in text and parts.hostname in _LOCAL:
        port = parts.port or 80
        return f"start the application, or serve a folder: python -m http.server {port}"
    if "CONNECTION_REFUSED" in text:
        return "start the application"
    return "open it in a browser, or correct the URL"


def shown_url(url: str) -> str:
    """Return *url* as reports may show it: without user and password, data: URLs cut short."""
    if url.startswith("data:"):
        return url if len(url) <= _SHOWN_DATA else url[:_SHOWN_DATA] + "..."
    parts = urlsplit(url)
    if "@" in parts.netloc:
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return url
