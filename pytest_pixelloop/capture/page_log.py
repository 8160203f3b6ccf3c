"""What a page complained about: uncaught exceptions and console errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from pytest_pixelloop.capture.problems import playwright_error_types

_KEPT = 20
_TEXT = 300


@dataclass(slots=True, kw_only=True)
class PageLog:
    """The first twenty of each kind of complaint, each on one line."""

    page_errors: list[str] = field(default_factory=list)
    console_errors: list[str] = field(default_factory=list)

    @classmethod
    def watching(cls, page: Any) -> Self:
        """Return a log that fills while *page*, which is not yet loaded, complains."""
        log = cls()
        page.on("pageerror", lambda error: _keep(log.page_errors, str(error)))
        page.on("console", lambda message: _hear(log, message))
        return log

    @classmethod
    def remembered(cls, page: Any) -> Self:
        """Return what Playwright remembers of *page* since its last navigation.

        Empty before Playwright 1.56, which remembers nothing.
        """
        log = cls()
        try:
            errors = page.page_errors(filter="since-navigation")
            messages = page.console_messages(filter="since-navigation")
        except (AttributeError, TypeError):  # an older Playwright
            return log
        except playwright_error_types():
            return log
        for error in errors:
            _keep(log.page_errors, str(error))
        for message in messages:
            _hear(log, message)
        return log

    def as_record(self) -> dict[str, list[str]]:
        """Return both lists as plain JSON."""
        return {
            "page_errors": list(self.page_errors),
            "console_errors": list(self.console_errors),
        }

    def warnings(self) -> list[str]:
        """Return one sentence for each kind of complaint."""
        said = []
        for name, texts in (
            ("page error", self.page_errors),
            ("console error", self.console_errors),
        ):
            if texts:
                plural = "" if len(texts) == 1 else "s"
                said.append(f"{len(texts)} {name}{plural}: {texts[0]}")
        return said


def _hear(log: PageLog, message: Any) -> None:
    if message.type != "error":
        return
    # The browser's own request, once a browser and not once a page: no two captures would agree.
    if str((message.location or {}).get("url", "")).endswith("/favicon.ico"):
        return
    _keep(log.console_errors, str(message.text))


def _keep(kept: list[str], text: str) -> None:
    if len(kept) < _KEPT:
        kept.append(" ".join(text.split())[:_TEXT])
