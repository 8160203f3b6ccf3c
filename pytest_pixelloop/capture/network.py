"""Which requests of a page are under way, as far as they can still change what it shows."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.problems import is_timeout, playwright_error_types

if TYPE_CHECKING:
    from types import TracebackType

#: Pictures, fonts and video are asked for where they are shown. A socket or an event stream is
#: open as long as its page.
_TYPES = frozenset({"fetch", "xhr", "script", "stylesheet"})
_ENDS = ("requestfinished", "requestfailed")
_REMEMBERED = 250


class Network:
    """Watches the requests of a page, as a context manager.

    Of a request that began before, Playwright does not tell whether it is over. The page's own
    resource timing does; where it does not know either (a worker's), Playwright's ``networkidle``
    of the page's load is asked. A request that began after that and before the capture, and that
    the page's timing does not tell, is taken for finished.
    """

    def __init__(self, page: Any) -> None:
        self._page = page
        self._open: dict[Any, str] = {}
        self._idle = False
        #: How many requests began or ended while this watched.
        self.events = 0

    def __enter__(self) -> Self:
        self._page.on("request", self._begin)
        for name in _ENDS:
            self._page.on(name, self._end)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(*playwright_error_types()):
            self._page.remove_listener("request", self._begin)
            for name in _ENDS:
                self._page.remove_listener(name, self._end)

    def open_requests(self) -> tuple[str, ...]:
        """Return the URLs of the requests that are not answered."""
        return (*self._open.values(), *self._earlier())

    def _begin(self, request: Any) -> None:
        if request.resource_type in _TYPES:
            self.events += 1
            self._open[request] = str(request.url)

    def _end(self, request: Any) -> None:
        if self._open.pop(request, None) is not None:
            self.events += 1

    def _earlier(self) -> tuple[str, ...]:
        """Return the URLs of requests from before, as long as the page's load goes on."""
        if self._idle:
            return ()
        try:
            missing = self._unfinished()
            if missing:
                self._page.wait_for_load_state("networkidle", timeout=1)
                self._idle = True
        except (AttributeError, TypeError):  # a Playwright before 1.56 remembers no requests
            self._idle = True
        except playwright_error_types() as error:
            if is_timeout(error):
                return missing
            self._idle = True
        return ()

    def _unfinished(self) -> tuple[str, ...]:
        """Return the URLs of the document's requests that its resource timing does not know."""
        asked: list[str] = []
        for request in self._page.requests():
            if request.frame != self._page.main_frame:
                continue
            if request.is_navigation_request():
                asked.clear()  # those before belong to another document
            elif (
                request.resource_type in _TYPES
                and request.url.startswith("http")
                and request.redirected_from is None
                and request not in self._open
            ):
                asked.append(str(request.url).partition("#")[0])
        if not asked:
            return ()
        finished = self._page.evaluate(scripts.FINISHED)
        if len(finished) >= _REMEMBERED:  # a browser keeps no more: what is missing may be over
            return ()
        left = Counter(asked)
        left.subtract(finished)
        return tuple(sorted(left.elements()))
