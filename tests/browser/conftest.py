"""A real Chromium and the pages of tests/site, served over HTTP.

The browser is started once a module and ended with it: Playwright's synchronous API runs once a
thread, and other modules start their own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from site_server import served_site

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.capture.session import BrowserSession
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Serve tests/site and give its URL without a slash at the end."""
    with served_site() as url:
        yield url


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
