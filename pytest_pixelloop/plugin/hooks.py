"""The plugin object of one session: knows the visual tests, and ends each of them."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.plugin import marker
from pytest_pixelloop.plugin.regressions import Regressions
from pytest_pixelloop.plugin.run import Run
from pytest_pixelloop.plugin.state import running_item, test_key, wrong_marker_key

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.plugin.visual_test import VisualTest

#: Fixtures that make a test a visual one, and the name of the assertion that may be imported.
FIXTURES = frozenset(
    {"figma_baseline", "render_capture", "visual_verdict", "assert_matches_design"}
)
ASSERTION = "assert_matches_design"
NOT_LOOPED = (
    "this test is measured once and not looped, because its use of assert_matches_design cannot "
    "be seen from outside: mark it with @pytest.mark.design, or use the fixture"
)
WORKER_KEY = "pixelloop_run"


class PixelloopPlugin:
    """Hooks of a session with or without loop, on the controller and on workers."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self.settings = settings
        self._config = config
        workerinput: dict[str, Any] = getattr(config, "workerinput", {})
        self._is_worker = hasattr(config, "workerinput")
        self.regressions = Regressions(
            open_again=self._open_again,
            say=self.say,
            plugins=config.pluginmanager.get_plugins,
        )
        self.run = Run(
            settings,
            given=workerinput.get(WORKER_KEY),
            worker=workerinput.get("workerid"),
            ignored=_written_by_others(config),
        )

    def visual_test(self, item: pytest.Item) -> VisualTest:
        """Return the visual test of *item*; a new one is a plain gate."""
        test = item.stash.get(test_key, None)
        if test is not None:
            return test
        if self.settings.loop and not is_visual(item):
            warnings.warn(pytest.PytestWarning(NOT_LOOPED), stacklevel=4)
        return self._new_test(item, looping=False)

    def open_loop(self, item: pytest.Item) -> VisualTest | None:
        """Return the looped test of a visual item, None for every other item."""
        if wrong_marker_key in item.stash or not is_visual(item):
            return None
        return self._new_test(item, looping=True)

    def _open_again(self, item: pytest.Item) -> VisualTest:
        """Return the gate by which a test is measured after the last fix, in its own folder."""
        from pytest_pixelloop.core.summary import AGAIN  # noqa: PLC0415

        return self._new_test(item, looping=False, test_id=item.nodeid + AGAIN)

    def _new_test(
        self, item: pytest.Item, *, looping: bool, test_id: str | None = None
    ) -> VisualTest:
        from pytest_pixelloop.plugin.visual_test import VisualTest  # noqa: PLC0415

        verbose = self._config.get_verbosity() > 0  # then pytest names the test already
        title = None if verbose else item.nodeid
        test = VisualTest(
            item,
            run=self.run,
            looping=looping,
            say=self.say,
            title=title,
            regressions=self.regressions,
            test_id=test_id,
        )
        item.stash[test_key] = test
        return test

    def say(self, line: str) -> None:
        """Write one line to the terminal at once, past any capturing of output."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        capture: Any = self._config.pluginmanager.get_plugin("capturemanager")
        if reporter is None or self._is_worker:
            return
        with capture.global_and_fixture_disabled() if capture is not None else nullcontext():
            reporter.ensure_newline()
            writer = self._config.get_terminal_writer()
            if writer.width_of_current_line:  # a letter of the progress stands there
                writer.line()
            reporter.write_line(line)

    @pytest.hookimpl
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Refuse a wrong marker before anything runs.

        A worker of pytest-xdist cannot refuse the session; there the test fails.
        """
        for item in items:
            if item.get_closest_marker(marker.NAME) is None:
                continue
            try:
                marker.read_markers(item)
            except pytest.UsageError as error:
                if not self._is_worker:
                    raise
                item.stash[wrong_marker_key] = str(error)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a test whose marker is wrong."""
        if wrong_marker_key in item.stash:
            from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

            raise ConfigurationError(item.stash[wrong_marker_key])

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Let an imported assertion find its test, and end a gate that pytest.exit() cuts off."""
        token = running_item.set(item)
        try:
            return (yield)
        except (pytest.exit.Exception, KeyboardInterrupt) as error:
            test = item.stash.get(test_key, None)
            if test is not None:
                test.abort(f"{type(error).__name__}: {error}")
            raise
        finally:
            running_item.reset(token)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Show our own errors as their text alone, and end a gate with its test."""
        report = yield
        if call.excinfo is not None and report.failed:
            _show_text_only(report, call.excinfo)
        test = item.stash.get(test_key, None)
        if test is not None and not test.looping and report.when != "teardown":
            if report.when == "call" or not report.passed:
                test.end_gate(report, call)
            test.describe(report)
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand a worker of pytest-xdist what makes it part of this run.

        Without designs there is hardly a visual test, so a plain suite opens no run; the first
        worker that needs one makes it for all.
        """
        settings = self.settings
        if settings.loop or settings.run_id is not None or settings.designs.is_dir():
            self.run.open()
        node.workerinput[WORKER_KEY] = self.run.share(
            str(node.workerinput.get("testrunuid")),
            dist=str(self._config.getoption("dist", default="no")),
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take in what a worker of pytest-xdist recorded elsewhere (``--tx`` with a chdir)."""
        part = getattr(node, "workeroutput", {}).get(WORKER_KEY)
        if part is not None and (told := self.run.take_part(node.gateway.id, part)) is not None:
            self.say(told)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Write the run's summary, or remove a run that held no visual test."""
        if self._is_worker:
            output: Any = self._config
            output.workeroutput[WORKER_KEY] = self.run.part()
        problem = self.run.close()
        if problem is not None:
            self.say(problem)


def is_visual(item: pytest.Item) -> bool:
    """Tell whether *item* uses one of our fixtures, the marker, or the imported assertion."""
    if not isinstance(item, pytest.Function):
        return False  # a doctest, or an item of another plugin: there are no fixtures to rebuild
    if not FIXTURES.isdisjoint(item.fixturenames):
        return True
    if item.get_closest_marker(marker.NAME) is not None:
        return True
    code = getattr(item.function, "__code__", None)
    return ASSERTION in getattr(code, "co_names", ())


def _show_text_only(
    report: pytest.TestReport, excinfo: pytest.ExceptionInfo[BaseException]
) -> None:
    """Replace the traceback of one of our errors by the error's text."""
    from pytest_pixelloop.core.errors import (  # noqa: PLC0415
        PixelloopError,
        VisualMismatchError,
    )

    if not isinstance(excinfo.value, PixelloopError | VisualMismatchError):
        return
    shown: Any = excinfo.getrepr(style="value", chain=False)
    if getattr(shown, "reprcrash", None) is not None:
        shown.reprcrash.message = str(excinfo.value)
    report.longrepr = shown


def _written_by_others(config: pytest.Config) -> tuple[Path, ...]:
    """Return folders that other plugins write while a test runs: no fixer did that."""
    root = config.rootpath
    output = config.getoption("--output", default=None)  # pytest-playwright
    cache = config.getini("cache_dir") if config.pluginmanager.hasplugin("cacheprovider") else None
    return tuple(root / Path(folder) for folder in (output, cache) if folder)
