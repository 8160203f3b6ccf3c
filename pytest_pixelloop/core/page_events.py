"""What a page complained about until it was captured, as values: console, errors, requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleMessage:
    """One line of the page's console: its level (``error``, ``warning``, ...) and its place."""

    level: str
    text: str
    url: str = ""
    line: int | None = None
    column: int | None = None

    @property
    def place(self) -> str:
        """``url:line:column`` as far as it is known."""
        return ":".join([self.url, *(str(n) for n in (self.line, self.column) if n is not None)])

    def as_record(self) -> dict[str, Any]:
        """Return the message as reports hold it."""
        return {"level": self.level, "text": self.text, "place": self.place}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageError:
    """An exception that nothing in the page caught. ``place`` is the first line of its stack."""

    text: str
    place: str = ""

    def as_record(self) -> dict[str, Any]:
        """Return the error as reports hold it."""
        return {"text": self.text, "place": self.place}


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRequest:
    """A request that gave nothing usable: ``status`` of 400 and more, or a network ``reason``.

    ``kind`` is what the page wanted it for: ``image``, ``font``, ``script``, ``stylesheet``, ...
    """

    url: str
    kind: str
    method: str = "GET"
    status: int | None = None
    reason: str = ""

    @property
    def problem(self) -> str:
        """What went wrong, in one word or number."""
        return str(self.status) if self.status is not None else self.reason or "failed"

    def as_record(self) -> dict[str, Any]:
        """Return the request as reports hold it."""
        return {
            "url": self.url,
            "kind": self.kind,
            "method": self.method,
            "status": self.status,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvents:
    """Everything that was heard of a page. ``gaps`` are sentences on what could not be heard."""

    console: tuple[ConsoleMessage, ...] = ()
    page_errors: tuple[PageError, ...] = ()
    failed_requests: tuple[FailedRequest, ...] = ()
    gaps: tuple[str, ...] = ()
