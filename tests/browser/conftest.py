"""A real Chromium and the pages of tests/site, served over HTTP.

The browser is started once a module and ended with it: Playwright's synchronous API runs once a
thread, and other modules start their own.
"""

from __future__ import annotations

import os
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.capture.session import BrowserSession
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SITE = Path(__file__).parents[1] / "site"


class SiteHandler(SimpleHTTPRequestHandler):
    """Serves tests/site: ``?delay=S`` answers late, ``?hang`` never, /status/N with status N."""

    def __init__(self, *args: Any, over: threading.Event, **given: Any) -> None:
        self.over = over
        super().__init__(*args, directory=str(SITE), **given)

    def do_GET(self) -> None:
        """Answer."""
        parts = urlsplit(self.path)
        query = parse_qs(parts.query, keep_blank_values=True)
        if "hang" in query:
            self.over.wait()
            return
        if "delay" in query:
            time.sleep(float(query["delay"][0]))  # the latency that is tested
        if parts.path.startswith("/status/"):
            body = b"<!doctype html><h1>An error page</h1>"
            self.send_response(int(parts.path.rsplit("/", 1)[1]))
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        super().do_GET()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Serve tests/site and give its URL without a slash at the end."""
    over = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SiteHandler, over=over))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    over.set()
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def session() -> Iterator[BrowserSession]:
    """Give a session with a real browser, or skip where there is none."""
    try:
        find_browser(None, environ=os.environ)
    except CaptureError as error:
        pytest.skip(str(error))
    with BrowserSession() as session:
        yield session


@pytest.fixture
def open_page(session: BrowserSession) -> Iterator[Callable[..., Any]]:
    """Give a function that opens a URL in a context of its own, with the context's arguments."""
    contexts = []

    def open_page(url: str, **arguments: Any) -> Any:
        contexts.append(session.browser.new_context(**arguments))
        page = contexts[-1].new_page()
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
