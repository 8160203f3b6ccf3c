"""What a page complained about, with level, place and status, however it was opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.core.page_events import PageEvents

QUICK = CaptureOptions(timeout=0.5)
BODY = """<!doctype html><p>Page</p><img src="/gone.png" width=20 height=20>
<script>console.warn('old'); console.error('bad'); setTimeout(() => { throw new Error('boom') });
fetch('/status/503'); fetch('/blocked').catch(() => {});</script>"""


def _events(target: Any, session: Any) -> PageEvents:
    capture = capture_target(
        target, frame=(400, 300), scale=1, options=QUICK, browser=lambda: session.browser
    )
    assert capture.events is not None
    return capture.events


@pytest.mark.parametrize("how", ["page", "url"])
def test_events_come_with_level_place_and_status(
    how: str, site: str, session: Any, open_page: Callable[..., Any]
) -> None:
    """Console, errors and requests are told alike of a page and of a URL."""
    if how == "url":
        events = _events(f"{site}/appearance/failed-request-bad.html", session)
        assert {(r.kind, r.status) for r in events.failed_requests} == {
            ("stylesheet", 404),
            ("fetch", 500),
        }
        return
    page = open_page("about:blank")
    page.route("**/events", lambda route: route.fulfill(body=BODY, content_type="text/html"))
    page.route("**/blocked", lambda route: route.abort("blockedbyclient"))
    page.goto(f"{site}/events")
    events = _events(page, session)
    # The browser's own words on a missing picture come when its answer does.
    told = [m for m in events.console if "resource" not in m.text]
    assert [(m.level, m.text) for m in told] == [("warning", "old"), ("error", "bad")]
    assert all(m.place.startswith(f"{site}/events:2:") for m in told)
    assert [e.text for e in events.page_errors] == ["boom"]
    assert "/events:2:" in events.page_errors[0].place
    assert {(r.kind, r.status) for r in events.failed_requests} == {("image", 404), ("fetch", 503)}


def test_what_an_earlier_page_complained_about_is_forgotten(
    site: str, session: Any, open_page: Callable[..., Any]
) -> None:
    """Only the page that is captured has to answer."""
    page = open_page(f"{site}/appearance/failed-request-bad.html")
    page.goto(f"{site}/appearance/console-error-good.html")
    events = _events(page, session)
    assert events.failed_requests == ()
    assert events.page_errors == ()
    assert [m.level for m in events.console] == ["warning"]
