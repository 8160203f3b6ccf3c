"""What a capture was made with, as plain JSON."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.camera import browser_name
from pytest_pixelloop.capture.problems import playwright_error_types
from pytest_pixelloop.core.fingerprint import fingerprint_of

if TYPE_CHECKING:
    from pytest_pixelloop.capture.view import View


def describe_environment(page: Any, view: View) -> dict[str, Any]:
    """Return browser, version, system, viewport, scale, colour scheme and focus of *page*.

    ``headless`` is None where the browser does not tell. ``focus`` is a selector of the element
    that has it: a focus ring is a frequent difference that no style sheet explains.
    """
    agent = str(page.evaluate(scripts.AGENT))
    browser = page.context.browser
    environment = {
        "browser": browser_name(page) or "unknown",
        "browser_version": browser.version if browser is not None else _version_in(agent),
        "headless": True if "Headless" in agent else None,
        "system": platform.system(),
        "system_release": platform.release(),
        "machine": platform.machine(),
        "device_scale_factor": round(view.scale, 4),
        "viewport": [view.width, view.height],
        "user_agent": agent,
        "color_scheme": page.evaluate(scripts.SCHEME),
        "focus": page.evaluate(scripts.FOCUSED),
        "playwright": _version_of("playwright"),
        "os": str(page.evaluate(scripts.PLATFORM)) or None,
        "fonts": _fonts(page),
        "plugin_version": _version_of("pytest-pixelloop"),
    }
    return {**environment, "fingerprint": fingerprint_of(environment)}


def _fonts(page: Any) -> str | None:
    """Return a hash of how wide the browser's own fonts write a probe, None where it cannot tell.

    Fonts that are installed, removed or updated change it, and so does another rasteriser; fonts
    that the page brings along do not. Measuring text is the only way all browsers offer.
    """
    try:
        widths = page.evaluate(scripts.FONT_WIDTHS)
    except playwright_error_types():  # the page replaced what measures
        return None
    if not widths:
        return None
    return hashlib.sha256(json.dumps(widths, sort_keys=True).encode()).hexdigest()[:12]


def _version_in(agent: str) -> str:
    for word in agent.split():
        if word.startswith(("HeadlessChrome/", "Chrome/", "Firefox/", "Version/")):
            return word.partition("/")[2]
    return "unknown"


def _version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
