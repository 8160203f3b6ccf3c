"""One browser for many captures: started when the first URL comes, started again after a crash."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.capture.browser import find_browser, launch_arguments
from pytest_pixelloop.capture.problems import first_line, playwright_error_types
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType


class BrowserSession:
    """Gives a running Chromium through :attr:`browser`, as a context manager or until close().

    Playwright's synchronous API runs once a thread: inside a test that uses pytest-playwright's
    fixtures a second one cannot start, so there the ``browser`` fixture is handed to
    ``capture_target`` in place of a session.
    """

    def __init__(
        self,
        *,
        option: str | None = None,
        arguments: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        start: Callable[[], Any] | None = None,
    ) -> None:
        self._option = option
        self._arguments = tuple(arguments)
        self._environ = environ
        self._start = start or _start_playwright
        self._playwright: Any = None
        self._browser: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def browser(self) -> Any:
        """The running browser; the first call starts it, one after a crash starts it again.

        Raises CaptureError with reason ``no-browser`` when there is none or it does not start.
        """
        if self._browser is not None:
            if _lives(self._browser):
                return self._browser
            # The driver may have died with the browser, or alone: begin from nothing.
            self.close()
        choice = find_browser(
            self._option, environ=os.environ if self._environ is None else self._environ
        )
        if self._playwright is None:
            self._playwright = self._start()
        try:
            self._browser = self._playwright.chromium.launch(
                **launch_arguments(choice, arguments=self._arguments)
            )
        except playwright_error_types() as error:
            self.close()
            raise CaptureError(
                f"Chromium could not be started: {first_line(error)}",
                reason="no-browser",
                where=f"{choice.executable} (found by {choice.source})",
                expected="a Chromium that runs on this system",
                next_step="try: pixelloop browser; for missing libraries: playwright install-deps",
            ) from error
        return self._browser

    def close(self) -> None:
        """End the browser and Playwright; the session may be used again and starts anew."""
        browser, self._browser = self._browser, None
        playwright, self._playwright = self._playwright, None
        # Whatever they say of a browser or driver that is dead: there is nothing more to be done.
        if browser is not None:
            with contextlib.suppress(Exception):
                browser.close()
        if playwright is not None:
            with contextlib.suppress(Exception):
                playwright.stop()


def _lives(browser: Any) -> bool:
    """Tell whether *browser* answers; ``is_connected`` alone does not see that its driver died."""
    if not browser.is_connected():
        return False
    try:
        browser.new_browser_cdp_session().detach()
    except Exception:  # noqa: BLE001 - a dead driver raises a bare Exception
        return False
    return True


def _start_playwright() -> Any:
    try:
        from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415
    except ImportError as error:
        raise CaptureError(
            "Playwright is not installed",
            reason="no-browser",
            where=str(error),
            next_step="pip install playwright",
        ) from error
    try:
        return sync_playwright().start()
    except Error as error:
        raise CaptureError(
            "Playwright's synchronous API cannot be started here",
            reason="no-browser",
            where=first_line(error),
            expected="a thread in which neither Playwright nor an asyncio loop runs",
            next_step=(
                "in a pytest test with pytest-playwright, ask for its page or browser fixture; "
                "elsewhere pass browser=..."
            ),
        ) from error
