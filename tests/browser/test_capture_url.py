"""URLs: opened in a context of their own, refused by cause, and a browser that may crash."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from pytest_pixelloop.capture.session import BrowserSession
    from pytest_pixelloop.core.capture import Capture

FRAME = (400.0, 300.0)
SITE = Path(__file__).parents[1] / "site"


def _take(session: BrowserSession, url: str | Path, **options: float) -> Capture:
    return capture_target(
        url,
        frame=FRAME,
        scale=1,
        browser=lambda: session.browser,
        options=CaptureOptions(**options),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_status_of_an_error_is_unreachable(site: str, session: BrowserSession, status: int) -> None:
    """An error page is not captured: its status is the reason, its picture no verdict."""
    with pytest.raises(CaptureError, match=f"status {status}") as caught:
        _take(session, f"{site}/status/{status}")
    assert caught.value.status == "undetermined:unreachable"
    assert f"/status/{status}" in str(caught.value)


@pytest.mark.parametrize("status", [200, 203])
def test_status_of_success_is_captured(site: str, session: BrowserSession, status: int) -> None:
    """Any status of 2xx with a page is captured."""
    assert _take(session, f"{site}/status/{status}").pixel_size == (400, 300)


def test_refused_connection_says_what_to_type(session: BrowserSession) -> None:
    """Nobody listening: the error has the port and a command to type, and no password."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(CaptureError, match="CONNECTION_REFUSED") as caught:
        _take(session, f"http://user:secret@127.0.0.1:{port}/")
    text = str(caught.value)
    assert caught.value.reason == "unreachable"
    assert f"python -m http.server {port}" in text
    assert "secret" not in text


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://nowhere.invalid/", "open it in a browser"),
        ("file:///nowhere/page.html", "correct the path"),
        ("http://", "invalid URL"),
        ("unknown://scheme", "open it in a browser"),
    ],
)
def test_what_cannot_be_opened_is_unreachable(
    session: BrowserSession, url: str, words: str
) -> None:
    """A URL that leads nowhere is unreachable, with a next step that fits."""
    with pytest.raises(CaptureError, match=words) as caught:
        _take(session, url)
    assert caught.value.reason == "unreachable"


def test_page_that_never_finishes_loading_is_unreachable(
    site: str, session: BrowserSession
) -> None:
    """A page that does not finish loading in time is unreachable, not captured half."""
    with pytest.raises(CaptureError, match=r"did not finish loading within 0\.5 s") as caught:
        _take(session, f"{site}/scale.html?hang", navigation_timeout=0.5)
    assert caught.value.reason == "unreachable"


def test_nothing_stays_open(site: str, session: BrowserSession) -> None:
    """The context of a capture is closed afterwards, also after an error."""
    _take(session, f"{site}/scale.html")
    with pytest.raises(CaptureError):
        _take(session, f"{site}/status/404")
    assert session.browser.contexts == []


def test_captures_do_not_see_each_other(site: str, session: BrowserSession) -> None:
    """Each URL gets a context of its own: nothing of an earlier page is left."""
    marked = _take(session, "data:text/html,<script>document.cookie='a=1'</script>Text")
    again = _take(session, f"{site}/scale.html")
    first = _take(session, f"{site}/scale.html")
    np.testing.assert_array_equal(first.image, again.image)
    assert marked.source.startswith("data:")


def test_environment_tells_how_it_was_taken(site: str, session: BrowserSession) -> None:
    """Browser, version, system, scale, viewport and times are recorded as plain JSON."""
    capture = _take(session, f"{site}/scale.html")
    environment = capture.environment
    assert environment["browser"] == "chromium"
    assert environment["browser_version"] == session.browser.version
    assert environment["headless"] is True
    assert environment["viewport"] == [400, 300]
    assert environment["color_scheme"] == "light"
    assert environment["focus"] is None
    assert environment["playwright"][0].isdigit()
    assert {"navigate", "settle", "shoot", "decode"} <= set(capture.durations)
    assert capture.source == f"{site}/scale.html"


def test_html_file_is_opened(session: BrowserSession) -> None:
    """An HTML file is captured by its path."""
    assert _take(session, SITE / "scale.html").source.startswith("file:///")


def test_svg_document_is_captured(session: BrowserSession) -> None:
    """A document without a body is captured too."""
    capture = capture_target(
        f"file://{SITE}/green.svg",
        frame=(200, 100),
        scale=1.5,
        browser=lambda: session.browser,
        blank="accept",
    )
    assert capture.pixel_size == (300, 150)
    assert (capture.image == [0, 170, 0, 255]).all()


def _browser_process(session: BrowserSession) -> int:
    """Return the process id of the browser that this session has started."""
    cdp = session.browser.new_browser_cdp_session()
    processes = cdp.send("SystemInfo.getProcessInfo")["processInfo"]
    return next(int(p["id"]) for p in processes if p["type"] == "browser")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_crashed_browser_is_started_again(site: str, session: BrowserSession) -> None:
    """A browser that dies between two captures, or during one, does not cost the capture."""
    before = _take(session, f"{site}/scale.html")
    os.kill(_browser_process(session), signal.SIGKILL)
    after = _take(session, f"{site}/scale.html")
    np.testing.assert_array_equal(before.image, after.image)

    killed: list[int] = []

    def kill_once(_: object) -> bool:
        if not killed:
            killed.append(_browser_process(session))
            os.kill(killed[0], signal.SIGKILL)
            return False
        return True

    again = capture_target(
        f"{site}/scale.html",
        frame=FRAME,
        scale=1,
        browser=lambda: session.browser,
        accept=kill_once,
    )
    assert killed
    np.testing.assert_array_equal(before.image, again.image)


def test_second_playwright_in_a_thread_is_explained(site: str, session: BrowserSession) -> None:
    """Where Playwright runs already, a URL without a browser says what to pass."""
    assert session.browser
    with pytest.raises(CaptureError, match="browser=") as caught:
        capture_target(f"{site}/scale.html", frame=FRAME, scale=1)
    assert caught.value.reason == "no-browser"


def test_url_alone_starts_and_ends_a_browser() -> None:
    """Without a session a URL is captured by a browser of its own, with the given switches."""
    code = (
        "import sys\n"
        "from pytest_pixelloop.capture.screenshot import CaptureOptions, capture_target\n"
        "options = CaptureOptions(browser_args=('--user-agent=mine',))\n"
        "capture = capture_target(sys.argv[1], frame=(400, 300), scale=2, options=options)\n"
        "print(capture.pixel_size, capture.environment['user_agent'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(SITE / "scale.html")],
        capture_output=True,
        text=True,
        check=False,
    )
    if "no-browser" in done.stderr or "no Chromium was found" in done.stderr:
        pytest.skip("no Chromium: pixelloop browser")
    assert done.stdout.strip() == "(800, 600) mine", done.stderr
