"""What a capture was made with, as plain JSON."""

from __future__ import annotations

import importlib.metadata
import platform
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.camera import browser_name

if TYPE_CHECKING:
    from pytest_pixelloop.capture.view import View


def describe_environment(page: Any, view: View) -> dict[str, Any]:
    """Return browser, version, system, viewport, scale, colour scheme and focus of *page*.

    ``headless`` is None where the browser does not tell. ``focus`` is a selector of the element
    that has it: a focus ring is a frequent difference that no style sheet explains.
    """
    agent = str(page.evaluate(scripts.AGENT))
    browser = page.context.browser
    return {
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
        "playwright": _playwright_version(),
    }


def _version_in(agent: str) -> str:
    for word in agent.split():
        if word.startswith(("HeadlessChrome/", "Chrome/", "Firefox/", "Version/")):
            return word.partition("/")[2]
    return "unknown"


def _playwright_version() -> str:
    try:
        return importlib.metadata.version("playwright")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
