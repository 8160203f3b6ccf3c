"""Says first of all that a design is another one than when it was last measured, and what changed.

Registered only where there is a ``designs.lock``, so that every other suite pays nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_pixelloop.plugin.options import Settings

LOCK_NAME = "designs.lock"


class DesignNewsReporter:
    """Reads the news when the session starts; keeps the designs once they were measured."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lines: list[str] = []
        self._shown = False
        self._measured = False

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        """Read what changed, before a test can change anything."""
        self._lines = self._news()

    @pytest.hookimpl(trylast=True)  # pytest prints the headers of the last hook first
    def pytest_report_header(self) -> list[str]:
        """Say it before everything else."""
        self._shown = True
        return [f"pixelloop: {line}" if line[0] != " " else line for line in self._lines]

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that something was measured."""
        self._measured = self._measured or hasattr(report, "pixelloop_status")

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say it at the end as well: in full under ``-q``, which shows no header."""
        if not self._lines or not self._measured:
            return
        terminalreporter.section("pixelloop: the design")
        for line in self._lines:
            if not self._shown or not line.startswith("    "):
                terminalreporter.write_line(line)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Keep what the designs are, so that the next session says what changed since."""
        from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415
        from pytest_pixelloop.sources.seen_designs import remember_designs  # noqa: PLC0415

        if not self._measured:
            return
        try:
            remember_designs(self._settings.designs, self._settings.run_root)
        except PixelloopError as error:
            self._lines.append(f"the designs of this run could not be noted: {error.what}")

    def _news(self) -> list[str]:
        from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415
        from pytest_pixelloop.sources.seen_designs import (  # noqa: PLC0415
            design_news,
            missing_lines,
            news_lines,
        )

        designs = self._settings.designs
        try:
            return [
                *news_lines(design_news(designs, self._settings.run_root)),
                *missing_lines(designs),
            ]
        except PixelloopError as error:
            return [error.what]


def register_design_news(config: pytest.Config, settings: Settings) -> None:
    """Watch for changes of the designs where they are locked."""
    if (settings.designs / LOCK_NAME).exists():
        config.pluginmanager.register(DesignNewsReporter(settings), "pixelloop-design-news")
