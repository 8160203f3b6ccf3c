"""What a session collects, selects and reports of its visual tests: for the run's own list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pytest_pixelloop.plugin.run import Run


class CollectedTests:
    """Hands the run the node ids of its visual tests, and how each was reported at last."""

    def __init__(self, run: Run, *, is_visual: Callable[[pytest.Item], bool]) -> None:
        self._run = run
        self._is_visual = is_visual
        self._collected: tuple[str, ...] = ()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None]:
        """Look before any plugin deselects: a shard must know what the others hold."""
        self._collected = self._visual(items)
        return (yield)

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell the run what is left to be run."""
        if self._collected:
            self._run.expect(self._collected, self._visual(session.items))

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep how a test ended: one that recorded nothing must not be taken for a lost one."""
        outcome: Any = report.outcome
        if report.when not in {"setup", "call", "teardown"}:  # pytest-xdist's own, for a crash
            self._run.outcomes[report.nodeid] = "crashed"
        elif report.when != "teardown" and outcome != "rerun":
            self._run.outcomes[report.nodeid] = str(outcome)

    def _visual(self, items: list[pytest.Item]) -> tuple[str, ...]:
        return tuple(item.nodeid for item in items if self._is_visual(item))
