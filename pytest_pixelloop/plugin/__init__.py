"""The pytest plugin: hooks only, everything heavy is imported when a visual test needs it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.plugin import options
from pytest_pixelloop.plugin.state import plugin_key

if TYPE_CHECKING:
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
        register_design_news(config, settings)


def _refuse(config: pytest.Config, settings: Settings) -> None:
    """Refuse combinations that cannot work, with the way out."""
    settings.channels.refuse(root=settings.rootpath)
    option: Any = config.option
    for name in ("fix_command", "max_minutes"):
        if getattr(option, f"pixelloop_{name}") is not None and not settings.loop:
            flag = "--" + name.replace("_", "-")
            raise pytest.UsageError(f"{flag} does nothing without --pixel-loop: add --pixel-loop")
    distributed = bool(
        getattr(option, "numprocesses", None) or getattr(option, "dist", "no") != "no"
    )
    settings.target.refuse(distributed=distributed)
    if not settings.has_fixer:
        return
    if distributed:
        raise pytest.UsageError(
            "--pixel-loop with a fix cannot be combined with -n: every worker would edit and "
            "measure the same sources; run with -n0"
        )
    if getattr(option, "usepdb", False):
        raise pytest.UsageError(
            "--pixel-loop with a fix cannot be combined with --pdb: the fix would wait for the "
            "debugger; drop --pdb"
        )
    from pytest_pixelloop.process.words import split_command  # noqa: PLC0415

    command = settings.fix_command or ""
    options.usage_error(lambda: split_command(command, root=settings.rootpath, environ=os.environ))
