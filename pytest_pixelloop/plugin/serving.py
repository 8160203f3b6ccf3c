"""The served application for tests: ready before a visual test begins, its address as fixtures."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.plugin.state import plugin_key

if TYPE_CHECKING:
    from pytest_pixelloop.capture.server import ServedApp
    from pytest_pixelloop.plugin.hooks import PixelloopPlugin

#: Fixtures through which a test reaches a page by itself.
PAGES = frozenset({"page", "context", "browser", "new_context", "page_route", "pixelloop_url"})
NAME = "pixelloop-base-url"


def register_serving(config: pytest.Config, plugin: PixelloopPlugin) -> None:
    """Register what a session with a served application needs.

    The fixture ``base_url`` of pytest-playwright or pytest-base-url, which was registered before,
    is overridden by this module's, and a conftest's overrides both.
    """
    config.pluginmanager.register(ServedTests(plugin), "pixelloop-serving")
    config.pluginmanager.register(sys.modules[__name__], NAME)


class ServedTests:
    """Sees to it that the application answers before a visual test looks at it."""

    def __init__(self, plugin: PixelloopPlugin) -> None:
        self._plugin = plugin

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start the application for the first visual test with a page, look after it for others.

        In a loop, where sources change, it has to answer before every test and iteration.
        """
        from pytest_pixelloop.plugin.hooks import is_visual  # noqa: PLC0415

        names = frozenset(getattr(item, "fixturenames", ()))
        if not is_visual(item) or PAGES.isdisjoint(names):
            return
        app = self._plugin.run.app
        assert app is not None
        from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415

        try:
            app.ready(again=self._plugin.settings.loop)
        except PixelloopError:
            self._plugin.visual_test(item).measuring.touched = True  # it leaves a record
            raise


def served_app(config: pytest.Config) -> ServedApp:
    """Return the application of this session; ConfigurationError where none is served."""
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

    app = config.stash[plugin_key].run.app
    if app is None:
        raise ConfigurationError(
            "no application is served",
            expected="--serve-url, with or without --serve-command",
        )
    return app


@pytest.fixture(scope="session")
def base_url(pytestconfig: pytest.Config) -> str:
    """Return what ``--base-url`` says, else the served application's address.

    The application is not started by this: every page of pytest-playwright asks for it.
    """
    given = pytestconfig.getoption("base_url", None)
    with contextlib.suppress(KeyError, ValueError):  # nobody has such a key
        given = given or pytestconfig.getini("base_url")
    return str(given or served_app(pytestconfig).url)
