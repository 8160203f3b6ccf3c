"""What a page complained about: console messages, uncaught exceptions, failed requests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.capture.problems import playwright_error_types
from pytest_pixelloop.core.page_events import ConsoleMessage, FailedRequest, PageError, PageEvents

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEPT = 20
_TEXT = 300
_URL = 300
_BAD_STATUS = 400
#: Ends of requests that nobody has to answer for: the page moved on, or the test blocked them.
_HARMLESS = ("ERR_ABORTED", "ERR_BLOCKED_BY_CLIENT", "NS_BINDING_ABORTED", "cancelled")
_NOT_LOADED = re.compile(r"Failed to load resource: (net::\w+)")
_GAP = "this Playwright remembers no {}: only those of a URL that is opened here are known"


@dataclass(slots=True, kw_only=True)
class PageLog:
    """The first twenty of each kind of complaint, each on one line."""

    console: list[ConsoleMessage] = field(default_factory=list)
    errors: list[PageError] = field(default_factory=list)
    requests: list[FailedRequest] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)

    @classmethod
    def watching(cls, page: Any) -> Self:
        """Return a log that fills while *page*, which is not yet loaded, complains."""
        log = cls()
        # Playwright marks the handlers it is given, which a bound method does not bear.
        page.on("pageerror", lambda error: log.hear_error(error))  # noqa: PLW0108
        page.on("console", lambda message: log.hear(message))  # noqa: PLW0108
        page.on("requestfailed", lambda request: log.hear_request(request, None))
        page.on("response", lambda response: log.hear_request(response.request, response.status))
        return log

    @classmethod
    def remembered(cls, page: Any) -> Self:
        """Return what Playwright remembers of *page* since its last navigation.

        Empty before Playwright 1.56, which remembers nothing; requests are known from the version
        on that tells of a response without waiting for it. What is missing stands in ``gaps``.
        """
        log = cls()
        try:
            for error in page.page_errors(filter="since-navigation"):
                log.hear_error(error)
            for message in page.console_messages(filter="since-navigation"):
                log.hear(message)
        except (AttributeError, TypeError):  # an older Playwright
            log.gaps.append(_GAP.format("console messages"))
        except playwright_error_types():
            return log
        try:
            requests = _since_navigation(page)
            for request in requests:
                response = request.existing_response
                log.hear_request(request, None if response is None else response.status)
        except (AttributeError, TypeError):
            log.gaps.append(_GAP.format("requests"))
            return log
        except playwright_error_types():
            return log
        log.add_unanswered({str(r.url): str(r.resource_type) for r in requests})
        return log

    def hear(self, message: Any) -> None:
        """Keep a console message that is a warning or an error."""
        if message.type not in {"error", "warning"}:
            return
        at = message.location or {}
        url = str(at.get("url", ""))
        if _is_favicon(url):
            return
        kept = ConsoleMessage(
            level=str(message.type),
            text=_line(message.text),
            url=url[:_URL],
            line=_counted(at.get("lineNumber")),
            column=_counted(at.get("columnNumber")),
        )
        if sum(m.level == kept.level for m in self.console) < _KEPT:
            self.console.append(kept)

    def hear_error(self, error: Any) -> None:
        """Keep an uncaught exception, with the first line of its stack."""
        stack = [s.strip() for s in str(getattr(error, "stack", "") or "").splitlines()]
        place = next((s for s in stack if s.startswith("at ") or "@" in s), "")
        if len(self.errors) < _KEPT:
            self.errors.append(PageError(text=_line(str(error)), place=place[:_URL]))

    def hear_request(self, request: Any, status: int | None) -> None:
        """Keep a request whose answer was an error, or that got none."""
        reason = str(request.failure or "")
        bad = status is not None and status >= _BAD_STATUS
        if not bad and (not reason or any(word in reason for word in _HARMLESS)):
            return
        url = str(request.url)
        if _is_favicon(url) or len(self.requests) >= _KEPT:
            return
        self.requests.append(
            FailedRequest(
                url=url[:_URL],
                kind=str(request.resource_type),
                method=str(request.method),
                status=status if bad else None,
                reason="" if bad else reason,
            )
        )

    def add_unanswered(self, kinds: Mapping[str, str]) -> None:
        """Keep requests that only the console tells of: Playwright remembers no network errors.

        *kinds* are what the page wanted each address for.
        """
        known = {request.url for request in self.requests}
        for message in self.console:
            found = _NOT_LOADED.match(message.text)
            if found is None or message.url in known or len(self.requests) >= _KEPT:
                continue
            reason = found.group(1)
            if any(word in reason for word in _HARMLESS) or message.url not in kinds:
                continue
            known.add(message.url)
            self.requests.append(
                FailedRequest(url=message.url, kind=kinds[message.url], reason=reason)
            )

    def events(self) -> PageEvents:
        """Return everything as a value."""
        return PageEvents(
            console=tuple(self.console),
            page_errors=tuple(self.errors),
            failed_requests=tuple(dict.fromkeys(self.requests)),
            gaps=tuple(self.gaps),
        )

    def as_record(self) -> dict[str, list[str]]:
        """Return the texts of errors as plain JSON."""
        return {"page_errors": self._errors, "console_errors": self._console_errors}

    def warnings(self) -> list[str]:
        """Return one sentence for each kind of complaint."""
        said = []
        for name, texts in (
            ("page error", self._errors),
            ("console error", self._console_errors),
        ):
            if texts:
                plural = "" if len(texts) == 1 else "s"
                said.append(f"{len(texts)} {name}{plural}: {texts[0]}")
        return said

    @property
    def _errors(self) -> list[str]:
        return [error.text for error in self.errors]

    @property
    def _console_errors(self) -> list[str]:
        return [message.text for message in self.console if message.level == "error"]


def _since_navigation(page: Any) -> list[Any]:
    """Return the requests that Playwright remembers from the page's own document on."""
    requests = list(page.requests())
    for at in range(len(requests) - 1, -1, -1):
        if requests[at].is_navigation_request() and requests[at].frame == page.main_frame:
            return requests[at:]
    return requests


def _is_favicon(url: str) -> bool:
    # The browser's own request, once a browser and not once a page: no two captures would agree.
    return url.partition("?")[0].endswith("/favicon.ico")


def _counted(number: Any) -> int | None:
    """Return a place as people count it: Playwright counts console places from 0."""
    return None if number is None else int(number) + 1


def _line(text: Any) -> str:
    return " ".join(str(text).split())[:_TEXT]
