"""The pytest plugin: hooks only, everything heavy is imported when a visual test needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.plugin import options
from pytest_pixelloop.plugin.state import plugin_key

if TYPE_CHECKING:
    import pytest

    from pytest_pixelloop.plugin.options import Settings


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options and ini keys."""
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Let conftest files and other plugins implement our hooks."""
    from pytest_pixelloop.plugin import hookspecs  # noqa: PLC0415

    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, refuse what cannot work, and register the hooks that are needed."""
    from pytest_pixelloop.plugin import fixtures, marker  # noqa: PLC0415
    from pytest_pixelloop.plugin.browser import register_browser_fixtures  # noqa: PLC0415
    from pytest_pixelloop.plugin.collection import CollectedTests  # noqa: PLC0415
    from pytest_pixelloop.plugin.design_news import register_design_news  # noqa: PLC0415
    from pytest_pixelloop.plugin.hooks import PixelloopPlugin, is_visual  # noqa: PLC0415

    config.addinivalue_line("markers", marker.REGISTRATION)
    settings = options.read_settings(config)
    is_worker = hasattr(config, "workerinput")
    if not is_worker:
        _refuse(config, settings)
    plugin = PixelloopPlugin(config, settings)
    config.stash[plugin_key] = plugin
    manager = config.pluginmanager
    manager.register(fixtures, "pixelloop-fixtures")
    register_browser_fixtures(config)
    if settings.target.serve_url is not None:
        from pytest_pixelloop.plugin.serving import register_serving  # noqa: PLC0415

        register_serving(config, plugin)
    manager.register(plugin, "pixelloop-session")
    manager.register(CollectedTests(plugin.run, is_visual=is_visual), "pixelloop-collection")
    if settings.loop:
        from pytest_pixelloop.plugin.loop import LoopProtocol  # noqa: PLC0415

        manager.register(LoopProtocol(plugin.open_loop), "pixelloop-loop")
        manager.register(plugin.regressions, "pixelloop-regressions")
    if not is_worker:
        from pytest_pixelloop.plugin.summary import TerminalSummary  # noqa: PLC0415

        manager.register(TerminalSummary(plugin), "pixelloop-summary")
        if settings.loop:
            from pytest_pixelloop.plugin.fixers import FixersOfCollection  # noqa: PLC0415

            manager.register(FixersOfCollection(settings), "pixelloop-fixers")
        register_design_news(config, settings)


def _refuse(config: pytest.Config, settings: Settings) -> None:
    """Refuse combinations that cannot work, with the way out."""
    from pytest_pixelloop.plugin import fixers  # noqa: PLC0415

    settings.channels.refuse(root=settings.rootpath)
    option: Any = config.option
    distributed = bool(
        getattr(option, "numprocesses", None) or getattr(option, "dist", "no") != "no"
    )
    settings.target.refuse(distributed=distributed)
    fixers.refuse_fixers(config, settings)
    fixers.refuse_command(settings)
    if settings.fix_confirm:
        from pytest_pixelloop.plugin.confirm import refuse_without_terminal  # noqa: PLC0415

        refuse_without_terminal(config)
