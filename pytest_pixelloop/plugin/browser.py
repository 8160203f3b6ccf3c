"""pytest-playwright's ``browser`` without a conftest: launched with the browser that is there.

Two of its session fixtures are overridden, each asking for the one it overrides:

- ``browser_type_launch_args`` gets what is missing, so that a fixture of the user's own that
  launches with it, a persistent context for example, finds the browser too;
- ``launch_browser`` adds it once more for a user whose override of ``browser_type_launch_args``
  returns a dictionary of their own.

Whatever chooses a browser already is left alone: an ``executable_path`` or ``channel`` in the
arguments, ``--browser-channel``, a remote browser, Firefox, WebKit. Playwright is never imported.

Of two plugins that define a fixture the one registered later wins, so this module is registered in
``pytest_configure``, when every plugin is there. A conftest always wins over both.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NAME = "pixelloop-browser"
_PROVIDERS = ("pytest_playwright.pytest_playwright", "pytest_playwright_asyncio.pytest_playwright")


def register_browser_fixtures(config: pytest.Config) -> bool:
    """Register this module where there is something to override, and tell whether there is.

    pytest-playwright is looked for by its module, because ``-p`` registers it under another name.
    """
    manager = config.pluginmanager
    modules = (sys.modules.get(name) for name in _PROVIDERS)
    if not any(module is not None and manager.is_registered(module) for module in modules):
        return False
    if not manager.has_plugin(NAME):
        manager.register(sys.modules[__name__], NAME)
    return True


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: Mapping[str, Any], browser_name: str, request: pytest.FixtureRequest
) -> dict[str, Any]:
    """Return pytest-playwright's launch arguments, with browser and switches where none are."""
    from pytest_pixelloop.core.errors import CaptureError  # noqa: PLC0415

    given = dict(browser_type_launch_args)
    if not _is_ours(given, browser_name, request):
        return given
    try:
        return {**given, **_additions(given, request.config)}
    except CaptureError:
        return given  # said where the browser is launched, which may never happen


@pytest.fixture(scope="session")
def launch_browser(
    launch_browser: Callable[..., Any],
    browser_type_launch_args: Mapping[str, Any],
    browser_name: str,
    request: pytest.FixtureRequest,
) -> Callable[..., Any]:
    """Return pytest-playwright's launcher, which is given browser and switches where none are."""

    def launch(**given: Any) -> Any:
        from pytest_pixelloop.core.errors import CaptureError  # noqa: PLC0415

        said = {**browser_type_launch_args, **given}
        if not _is_ours(said, browser_name, request):
            return launch_browser(**given)
        try:
            added = _additions(said, request.config)
        except CaptureError as error:
            # No browser is no failed comparison: say what to type, without a traceback.
            pytest.fail(str(error), pytrace=False)
        return launch_browser(**{**given, **added})

    return launch


def _is_ours(given: Mapping[str, Any], browser_name: str, request: pytest.FixtureRequest) -> bool:
    """Tell whether nobody has chosen a browser yet, and Chromium is asked for on this machine."""
    if browser_name != "chromium" or given.get("executable_path") or given.get("channel"):
        return False
    try:
        return not request.getfixturevalue("connect_options")
    except pytest.FixtureLookupError:  # an older pytest-playwright
        return True


def _additions(given: Mapping[str, Any], config: pytest.Config) -> dict[str, Any]:
    """Return ``args`` and, where Playwright has no build of its own, ``executable_path``.

    The switches are those of our own captures, so that a test and the command line see the same
    pixels; the user's own come after them.
    """
    from pytest_pixelloop.capture.browser import find_browser, launch_arguments  # noqa: PLC0415

    headless = given.get("headless", True) is not False
    choice = find_browser(_option(config), environ=os.environ, headless=headless)
    launch = launch_arguments(choice, headless=headless)
    own = list(given.get("args") or ())
    added = {"args": [arg for arg in launch["args"] if arg not in own] + own}
    if "executable_path" in launch:
        added["executable_path"] = launch["executable_path"]
    return added


def _option(config: pytest.Config) -> str | None:
    given = config.getoption("pixelloop_browser", None)
    if given:
        return str(given)
    try:
        return str(config.getini("pixelloop_browser") or "") or None
    except (KeyError, ValueError):  # the option table is not registered
        return None
