"""What a capture's target is, told without importing Playwright or Pillow."""

from __future__ import annotations

import re
from enum import Enum, auto
from pathlib import Path
from typing import Any

from pytest_pixelloop.capture.rendering import Rendering, Unreached
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.core.route import Destination

_URL = re.compile(r"[a-z][a-z0-9+.-]+:(//|[^\\/])", re.IGNORECASE)
# What a reader calls a URL although its scheme is missing; urlsplit would take the host for one.
_HOST = re.compile(r"(localhost|[\w.-]+(?=:\d)|\[[0-9a-f:]+\])(:\d+)?(/|$)", re.IGNORECASE)
_PAGES = (".html", ".htm", ".xhtml")


class Kind(Enum):
    """The kinds of targets."""

    PAGE = auto()
    LOCATOR = auto()
    URL = auto()
    DATA = auto()
    FILE = auto()
    PICTURE = auto()


def kind_of(target: Any) -> Kind:
    """Return what *target* is. Raises CaptureError for anything that cannot be captured."""
    if isinstance(target, bytes | bytearray | memoryview):
        return Kind.DATA
    if isinstance(target, Unreached):
        raise target.error
    if isinstance(target, Path | Destination | Rendering):
        page = isinstance(target, Destination) or (
            isinstance(target, Path) and _is_page_file(target)
        )
        return Kind.URL if page else Kind.FILE
    if isinstance(target, str):
        return _kind_of_text(target)
    module = type(target).__module__
    if module.startswith("playwright.async_api"):
        raise CaptureError(
            f"an asynchronous {type(target).__name__} cannot be captured",
            reason="capture-failed",
            expected="a Page or Locator of playwright.sync_api",
            next_step="use the sync API, or pass the bytes of await page.screenshot()",
        )
    if _has(target, "goto", "screenshot", "evaluate"):
        return Kind.PAGE
    if _has(target, "bounding_box", "screenshot", "wait_for"):
        return Kind.LOCATOR
    if _has(target, "convert", "tobytes", "size", "mode"):
        return Kind.PICTURE
    raise CaptureError(
        f"a {type(target).__name__} cannot be captured",
        reason="capture-failed",
        expected="a Page, a Locator, a URL, PNG bytes, a path or a PIL image",
    )


def url_of(target: str | Path | Destination) -> str:
    """Return the URL of a target of kind URL; an HTML file may be given by its path."""
    if isinstance(target, Destination):
        return target.url
    if isinstance(target, str) and _URL.match(target):
        return target
    return Path(target).absolute().as_uri()


def _kind_of_text(text: str) -> Kind:
    if _HOST.match(text):
        raise CaptureError(
            f"{text!r} is neither a file nor a URL",
            reason="unreachable",
            expected="a URL with its scheme",
            next_step=f"write http://{text}",
        )
    if _URL.match(text):
        return Kind.URL
    return Kind.URL if _is_page_file(Path(text)) else Kind.FILE


def _is_page_file(path: Path) -> bool:
    return path.suffix.lower() in _PAGES and path.is_file()


def _has(target: Any, *names: str) -> bool:
    return all(hasattr(target, name) for name in names)
