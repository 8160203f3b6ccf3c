"""Run one item several times inside one session, without anyone else noticing.

The constraints, learned from the five plugins that did it before:

* ``nextitem=item.parent`` pops exactly the item, so class, module and session fixtures stay up.
* Whether there is another iteration is decided once, between call and teardown, by the recorded
  measurement and never by ``report.failed``.
* A superseded iteration publishes one report, its call, with ``outcome = "rerun"``: JUnit, ``-x``,
  ``--lf`` and the summary line then count the test once, by its last iteration.
* ``pytest_exception_interact`` fires for the last iteration only, because it starts debuggers and
  disarms pytest-timeout.
* Every touch on a private attribute stands in the block at the end of this file.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

Phase = Literal["setup", "call", "teardown"]
Next = Literal["done", "fix", "reload"]
Info = pytest.CallInfo[None]


class LoopedTest(Protocol):
    """What happens between two runs of an item; ``plugin/visual_test.py`` has the real one."""

    def prepare(self) -> str | None:
        """Start or resume; return why nothing is to be measured, None when there is."""

    def begin(self) -> None:
        """Forget what the previous iteration recorded."""

    def decide(self, report: pytest.TestReport, info: Info) -> bool:
        """Record the measurement behind *report* (setup or call); tell whether to iterate."""

    def climb(self, report: pytest.TestReport, info: Info) -> bool:
        """Tell whether the iteration is to be run again, because its target was not reached."""

    def reload(self) -> None:
        """Do, between two runs of one iteration, what climb() decided."""

    def refusal(self, report: pytest.TestReport) -> BaseException | None:
        """Return why a test that passed must fail all the same, None when it need not."""

    def describe(self, report: pytest.TestReport) -> None:
        """Put the loop's plain figures on a report that is about to be published."""

    def advance(self) -> None:
        """Run the fix between two iterations."""

    def abort(self, reason: str) -> None:
        """End the loop without a verdict."""


class LoopProtocol:
    """Takes the looped items whole and leaves every other item to pytest."""

    def __init__(self, open_test: Callable[[pytest.Item], LoopedTest | None]) -> None:
        self._open_test = open_test

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        """Run *item* until its loop ends; None leaves it to the next implementation."""
        if item.config.getoption("setuponly", default=False) or _is_skipped_or_xfailed(item):
            return None
        test = self._open_test(item)
        if test is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        try:
            _loop(item, nextitem, test)
        except BaseException as error:
            # pytest.exit() and Ctrl-C pass through, but the ledger has to know.
            test.abort(f"{type(error).__name__}: {error}")
            raise
        finally:
            _release(item)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl
    def pytest_report_teststatus(
        self, report: pytest.TestReport
    ) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """Count a superseded iteration as a rerun, as pytest-rerunfailures does.

        Where the transcript tells of it already, no letter is printed between its lines.
        """
        if str(report.outcome) != "rerun":
            return None
        letter = "" if getattr(report, "pixelloop_lines", ()) else "R"
        return "rerun", letter, ("RERUN", {"yellow": True})


def _loop(item: pytest.Item, nextitem: pytest.Item | None, test: LoopedTest) -> None:
    start = pytest.CallInfo.from_call(lambda: _prepare(test), when="call", reraise=_reraised(item))
    if start.excinfo is not None:
        test.abort(start.excinfo.exconly())
        _publish_unmeasured(item, nextitem, test, start)
        return
    properties = list(item.user_properties)
    number = 1
    while True:
        _reset(item, properties, number)
        test.begin()
        with _timer(item):
            following = _iterate(item, nextitem, test, number)
        if following == "done":
            return
        step = test.advance if following == "fix" else test.reload
        between = pytest.CallInfo.from_call(step, when="setup", reraise=_reraised(item))
        if between.excinfo is not None:
            test.abort(f"the {following} could not be run: {between.excinfo.exconly()}")
            _publish(item, test, _report(item, between), between)
            _publish_rest(item, nextitem, test)
            return
        number += 1


def _iterate(
    item: pytest.Item, nextitem: pytest.Item | None, test: LoopedTest, number: int
) -> Next:
    """Run one iteration and publish its reports; tell what follows."""
    phases = [_run_phase(item, "setup")]
    if phases[0][0].passed:
        _show_item(item)
        phases.append(_run_phase(item, "call"))
    following, report, info = _following(item, test, *phases[-1])
    phases[-1] = (report, info)
    if number > 1:
        _mark(*(report for report, _info in phases), rerun=number - 1)
    if following == "done" or item.session.shouldfail or item.session.shouldstop:
        if following != "done":
            test.abort("the session is stopping")
        _finish(item, nextitem, test, phases)
        return "done"

    _forget_count(item)
    phases.append(_run_phase(item, "teardown", nextitem=item.parent))
    if not phases[-1][0].passed:
        test.abort("the teardown between two iterations failed")
        for published, published_info in phases:
            _publish(item, test, published, published_info)
        _publish_rest(item, nextitem, test)
        return "done"
    _mark(report, outcome="rerun", rerun=number - 1)
    test.describe(report)
    item.ihook.pytest_runtest_logreport(report=report)  # the only report of this iteration
    return following


def _following(
    item: pytest.Item, test: LoopedTest, report: pytest.TestReport, info: Info
) -> tuple[Next, pytest.TestReport, Info]:
    """Return what follows a run of the item, and the report that holds after deciding it.

    A failing setup is never looped, because pytest keeps the failure of a shared fixture; one that
    failed because the target was not there is run again before it is recorded.
    """
    climbed = pytest.CallInfo.from_call(
        lambda: test.climb(report, info), when=_phase(report), reraise=_reraised(item)
    )
    if climbed.excinfo is None and climbed.result:
        return "reload", report, info
    again, report, info = _decide(item, test, report, info)
    return "fix" if again and report.when == "call" else "done", report, info


def run_once(
    item: pytest.Item, nextitem: pytest.Item | None, test: LoopedTest
) -> list[tuple[pytest.TestReport, Info]]:
    """Run a whole item once more, with a fresh start, and return its reports unpublished."""
    _reset(item, list(item.user_properties), 1)
    test.begin()
    try:
        with _timer(item):
            reports = [_run_phase(item, "setup")]
            if reports[0][0].passed:
                reports.append(_run_phase(item, "call"))
            _forget_count(item)
            reports.append(_run_phase(item, "teardown", nextitem=nextitem))
    except BaseException as error:
        test.abort(f"{type(error).__name__}: {error}")
        raise
    finally:
        _release(item)
    return reports


def _decide(
    item: pytest.Item, test: LoopedTest, report: pytest.TestReport, info: Info
) -> tuple[bool, pytest.TestReport, Info]:
    """Record and decide; return the decision and the report that holds after it.

    What the test itself could not see may overrule a passing call: goalposts that moved, for
    instance. An error in here is the test's error and not an internal error of pytest.
    """
    decisions: list[bool] = []

    def decide() -> None:
        decisions.append(test.decide(report, info))
        if not decisions[0] and (reason := test.refusal(report)) is not None:
            raise reason

    outcome = pytest.CallInfo.from_call(decide, when=_phase(report), reraise=_reraised(item))
    if outcome.excinfo is None:
        return decisions[0], report, info
    if not decisions:
        test.abort(f"the measurement could not be recorded: {outcome.excinfo.exconly()}")
    replaced = _report(item, outcome)
    replaced.duration = report.duration
    return False, replaced, outcome


def _finish(
    item: pytest.Item,
    nextitem: pytest.Item | None,
    test: LoopedTest,
    reports: list[tuple[pytest.TestReport, Info]],
) -> None:
    """Publish the last iteration and tear down as pytest does."""
    _forget_count(item)
    for report, info in reports:
        _publish(item, test, report, info)
    if item.session.shouldfail or item.session.shouldstop:
        nextitem = None  # as core does: fixture teardown errors are reported here (pytest #11706)
    _publish(item, test, *_run_phase(item, "teardown", nextitem=nextitem))


def _prepare(test: LoopedTest) -> None:
    reason = test.prepare()
    if reason is not None:
        from pytest_pixelloop.core.errors import UndeterminedError  # noqa: PLC0415

        raise UndeterminedError(reason, reason="not-measured")


def _publish_unmeasured(
    item: pytest.Item, nextitem: pytest.Item | None, test: LoopedTest, call: Info
) -> None:
    """Report a failed test without running it: its loop had ended before, or cannot start."""
    setup = pytest.CallInfo.from_call(lambda: None, when="setup")
    _publish(item, test, _report(item, setup), setup)
    _publish(item, test, _report(item, call), call)
    _publish_rest(item, nextitem, test)


def _publish_rest(item: pytest.Item, nextitem: pytest.Item | None, test: LoopedTest) -> None:
    """Tear down what the next item does not share, when the item itself is popped already.

    The teardown hook cannot run twice for one item (pytest's logging plugin forbids it).
    """
    target = None if item.session.shouldfail or item.session.shouldstop else nextitem
    rest = pytest.CallInfo.from_call(
        lambda: _teardown_exact(item, target), when="teardown", reraise=_reraised(item)
    )
    _publish(item, test, pytest.TestReport.from_item_and_call(item, rest), rest)


def _publish(item: pytest.Item, test: LoopedTest, report: pytest.TestReport, info: Info) -> None:
    if report.when != "teardown":
        test.describe(report)
    item.ihook.pytest_runtest_logreport(report=report)
    if info.excinfo is not None and report.failed and not hasattr(report, "wasxfail"):
        item.ihook.pytest_exception_interact(node=item, call=info, report=report)


def _run_phase(item: pytest.Item, when: Phase, **kwargs: object) -> tuple[pytest.TestReport, Info]:
    """Run one phase and build, but do not publish, its report."""
    hook = getattr(item.ihook, f"pytest_runtest_{when}")
    info: Info = pytest.CallInfo.from_call(
        lambda: hook(item=item, **kwargs), when=when, reraise=_reraised(item)
    )
    return _report(item, info), info


def _report(item: pytest.Item, info: Info) -> pytest.TestReport:
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=info)
    return report


def _phase(report: pytest.TestReport) -> Phase:
    return "setup" if report.when == "setup" else "call"


def _reraised(item: pytest.Item) -> tuple[type[BaseException], ...]:
    if item.config.getoption("usepdb", default=False):
        return (pytest.exit.Exception,)
    return (pytest.exit.Exception, KeyboardInterrupt)


# Everything below touches internals of pytest, or attributes that other plugins agreed on.
# Keep it together, keep it small.


def _mark(*reports: Any, **attributes: object) -> None:
    """Set what pytest-rerunfailures made a contract: ``outcome = "rerun"`` and ``rerun``."""
    for report in reports:
        for name, value in attributes.items():
            setattr(report, name, value)


def _reset(item: Any, properties: list[tuple[str, object]], number: int) -> None:
    """Forget what the previous iteration left on *item*."""
    item.user_properties[:] = properties
    item._report_sections.clear()  # noqa: SLF001 - or the output of every iteration piles up
    item._initrequest()  # noqa: SLF001 - fresh request and funcargs
    if getattr(item, "_instance", None) is not None:
        del item._instance  # noqa: SLF001 - fresh instance of the test class
        item._obj = None  # noqa: SLF001
    item.execution_count = number  # pytest-playwright keeps the artifacts of each one apart


def _forget_count(item: Any) -> None:
    """Take the counter off before teardown: pytest-rerunfailures would take the item for its own.

    It then hides the finalizers of the higher scopes and, under ``--fail-on-flaky``, fails the run.
    """
    if hasattr(item, "execution_count"):
        del item.execution_count


def _release(item: Any) -> None:
    """Drop fixture values, as _pytest.runner.runtestprotocol does."""
    _forget_count(item)
    item._request = False  # noqa: SLF001
    item.funcargs = None


def fixture_value(item: Any, name: str) -> Any:
    """Return the value of a fixture, as ``request.getfixturevalue`` does inside the test."""
    return item._request.getfixturevalue(name)  # noqa: SLF001


def _teardown_exact(item: Any, nextitem: pytest.Item | None) -> None:
    item.session._setupstate.teardown_exact(nextitem)  # noqa: SLF001


def _show_item(item: pytest.Item) -> None:
    """Print the item under ``--setup-show``, as core does between setup and call."""
    if item.config.getoption("setupshow", default=False):
        from _pytest.runner import show_test_item  # noqa: PLC0415

        show: Any = show_test_item
        try:
            show(item, add_space=True)
        except TypeError:  # before pytest 9.1
            show(item)


def _is_skipped_or_xfailed(item: pytest.Item) -> bool:
    """Tell whether a marker says so: such an item has no loop and, in create mode, no fix."""
    if not any(mark.name in {"skip", "skipif", "xfail"} for mark in item.iter_markers()):
        return False
    from _pytest.skipping import evaluate_skip_marks, evaluate_xfail_marks  # noqa: PLC0415

    try:
        if evaluate_skip_marks(item) is not None:
            return True
        if item.config.getoption("runxfail", default=False):
            return False
        return evaluate_xfail_marks(item) is not None
    except Exception:  # noqa: BLE001 - a broken condition: pytest reports it in setup
        return True


@contextmanager
def _timer(item: pytest.Item) -> Generator[None]:
    """Give every iteration a pytest-timeout timer of its own, and none while the fix runs."""
    hook: Any = item.config.pluginmanager.hook
    plugin: Any = item.config.pluginmanager.get_plugin("timeout")
    settings = plugin._get_item_settings(item) if plugin is not None else None  # noqa: SLF001
    if settings is None or not settings.timeout or settings.func_only:
        yield
        return
    hook.pytest_timeout_cancel_timer(item=item)
    hook.pytest_timeout_set_timer(item=item, settings=settings)
    try:
        yield
    finally:
        hook.pytest_timeout_cancel_timer(item=item)
