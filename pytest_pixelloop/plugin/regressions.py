"""Tests that passed before the last fix are measured once more: green means after the last patch.

A fix for one test may spoil a test that was measured before it. Such a test would be green and
wrong, so when the session's tests are done, every visual test that passed and whose sources were
changed since is run once more, as a gate. One that still passes says nothing new; one that no
longer does is reported as failed, and its status is ``regressed``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.plugin.state import test_key

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from pytest_pixelloop.plugin.visual_test import VisualTest

STATUS = "regressed"


class Regressions:
    """Remembers what passed and when sources were changed, and measures again at the end.

    ``open_again`` gives the gate that a test is measured by once more; ``say`` writes a line.
    ``plugins`` gives those that count tests, the terminal's and JUnit's among them.
    """

    def __init__(
        self,
        *,
        open_again: Callable[[pytest.Item], VisualTest],
        say: Callable[[str], None],
        plugins: Callable[[], Iterable[Any]],
    ) -> None:
        self._open_again = open_again
        self._plugins = plugins
        self._say = say
        self._patches = 0
        self._passed: dict[pytest.Item, int] = {}
        self._cases: dict[str, tuple[Any, Any]] = {}

    def patched(self, count: int = 1) -> None:
        """Note that sources were changed."""
        self._patches += count

    def passed(self, item: pytest.Item) -> None:
        """Note that a visual test passed with the sources as they are now."""
        self._passed[item] = self._patches

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what JUnit has just written of a visual test that passed."""
        if report.when == "call" and report.passed and hasattr(report, "pixelloop_status"):
            for plugin in self._plugins():
                if cases := getattr(plugin, "node_reporters_ordered", None):
                    self._cases[report.nodeid] = (plugin, cases[-1])

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # after the terminal has ended its progress
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Measure again what was measured before the last patch, when all tests are done."""
        result = yield
        stale = [
            item for item in session.items if self._passed.get(item, self._patches) < self._patches
        ]
        for index, item in enumerate(stale):
            if session.shouldfail or session.shouldstop:
                break
            following = stale[index + 1] if index + 1 < len(stale) else None
            self._measure(item, following)
        return result

    def _measure(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        from pytest_pixelloop.plugin.loop import run_once  # noqa: PLC0415

        test = self._open_again(item)
        item.stash[test_key] = test
        failed = [
            (report, info) for report, info in run_once(item, nextitem, test) if report.failed
        ]
        told = "still passes" if not failed else STATUS
        self._say(f"{item.nodeid}: measured again after the last fix: {told}")
        if failed:
            self._take_back_pass(item)
        for report, info in failed:
            figures: Any = report
            if test.summary is not None:
                figures.pixelloop_status = STATUS
            report.sections.append(("pixelloop", f"{STATUS}: passed before the last fix"))
            item.ihook.pytest_runtest_logreport(report=report)
            item.ihook.pytest_exception_interact(node=item, call=info, report=report)

    def _take_back_pass(self, item: pytest.Item) -> None:
        """Forget that *item* passed, in JUnit and the summary line: it is about to be failed.

        Without that one test would count twice, once as passed.
        """
        for plugin in self._plugins():
            passed = getattr(plugin, "stats", {}).get("passed")
            if isinstance(passed, list):  # the terminal's
                passed[:] = [report for report in passed if report.nodeid != item.nodeid]
        if item.nodeid in self._cases:
            plugin, case = self._cases.pop(item.nodeid)
            plugin.node_reporters_ordered.remove(case)
            plugin.stats["passed"] -= 1
