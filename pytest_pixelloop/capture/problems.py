"""Playwright's errors, recognised without importing Playwright."""

from __future__ import annotations

import re
import sys

_CALL = re.compile(r"^([A-Za-z]+\.[a-z_A-Z]+: )?(Error: )?")
_GONE = re.compile(
    r"\b(page|target|context|browser) (has been closed|closed|crashed)|\bconnection closed\b",
    re.IGNORECASE,
)


def playwright_error_types() -> tuple[type[Exception], ...]:
    """Return Playwright's base error, nothing when Playwright was never imported.

    Whoever holds a page has imported Playwright already; importing it here would make a plain
    comparison of two files pay for it.
    """
    module = sys.modules.get("playwright.sync_api")
    error = getattr(module, "Error", None)
    return (error,) if isinstance(error, type) and issubclass(error, Exception) else ()


def first_line(error: BaseException) -> str:
    """Return what Playwright says in one line, without the name of the call and its log."""
    text = str(error).strip().splitlines()
    return _CALL.sub("", text[0].strip()) if text else type(error).__name__


def is_timeout(error: BaseException) -> bool:
    """Tell whether *error* is Playwright's TimeoutError."""
    return type(error).__name__ == "TimeoutError"


def went_elsewhere(error: BaseException) -> bool:
    """Tell whether the page was left, or loaded anew, under the call that raised *error*."""
    return "Execution context was destroyed" in str(error)


def is_gone(error: BaseException) -> bool:
    """Tell whether the page or its browser went away under the call that raised *error*."""
    return type(error).__name__ == "TargetClosedError" or _GONE.search(str(error)) is not None
