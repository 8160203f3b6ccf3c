"""Running one item several times, with a scripted stand-in for the loop itself."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FAKE = '''
import json
import pathlib
import pytest
from pytest_pixelloop.plugin.loop import LoopProtocol

verdict_key = pytest.StashKey()
EVENTS = pathlib.Path(__file__).parent / "events.txt"


def note(text):
    with EVENTS.open("a") as stream:
        stream.write(text + "\\n")


class Fake:
    """Iterates while the test recorded "fail", up to the cap of its marker."""

    def __init__(self, item):
        self.item = item
        self.options = item.get_closest_marker("loop").kwargs
        self.number = 0

    def prepare(self):
        note("prepare")
        return self.options.get("refuse")

    def begin(self):
        self.number += 1
        self.item.stash[verdict_key] = None

    def decide(self, report, info):
        verdict = self.item.stash[verdict_key]
        note(f"decide {report.when} {report.outcome} {verdict}")
        if self.options.get("broken_ledger"):
            raise OSError("disk full")
        again = report.when == "call" and report.failed and verdict == "fail"
        return again and self.number < self.options.get("cap", 6)

    def climb(self, report, info):
        return False

    def reload(self):
        raise AssertionError

    def refusal(self, report):
        text = self.options.get("moved")
        return AssertionError(text) if text and report.passed else None

    def describe(self, report):
        report.looped = self.number

    def advance(self):
        note("fix")
        if self.options.get("broken_fix"):
            raise OSError("no such fixer")

    def abort(self, reason):
        note("abort " + reason)


def pytest_configure(config):
    config.addinivalue_line("markers", "loop(**options): loop this test")
    config.pluginmanager.register(
        LoopProtocol(lambda item: Fake(item) if item.get_closest_marker("loop") else None)
    )


@pytest.fixture
def verdict(request):
    def record(value):
        request.node.stash[verdict_key] = value
        assert value == "pass", f"verdict: {value}"

    return record


@pytest.fixture
def count():
    path = pathlib.Path(__file__).parent / "count.txt"
    value = int(path.read_text()) + 1 if path.exists() else 1
    path.write_text(str(value))
    return value
'''

CONVERGES = """
    import pytest

    @pytest.mark.loop
    def test_it(verdict, count):
        verdict("pass" if count == 3 else "fail")
"""

#: What these tests do not need; pytest-rerunfailures comes last, two of them want it.
PLAIN = (
    *("-p", "no:playwright", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"),
    *("-p", "no:rerunfailures"),
)


def run(pytester: pytest.Pytester, source: str, *arguments: str) -> pytest.RunResult:
    """Run one test file under the scripted loop, in this process."""
    pytester.makeconftest(FAKE)
    pytester.makepyfile(test_it=source)
    return pytester.runpytest_inprocess(*PLAIN, *arguments)


def events(pytester: pytest.Pytester) -> list[str]:
    """Return what the loop was asked, in order."""
    return (pytester.path / "events.txt").read_text("utf-8").splitlines()


def junit_cases(path: Path) -> list[ET.Element]:
    """Return every testcase of a JUnit file."""
    return list(ET.parse(path).getroot().iter("testcase"))


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["alone", "xdist"])
def test_converging_test_is_counted_once_as_passed(
    pytester: pytest.Pytester, workers: list[str]
) -> None:
    """A test that passes in its third iteration is one passed test with two reruns."""
    result = run(pytester, CONVERGES, "-p", "xdist", *workers)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*1 passed, 2 rerun*"])
    assert events(pytester) == [
        "prepare",
        "decide call failed fail",
        "fix",
        "decide call failed fail",
        "fix",
        "decide call passed pass",
    ]


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["alone", "xdist"])
def test_junit_has_one_testcase_with_one_set_of_properties(
    pytester: pytest.Pytester, workers: list[str]
) -> None:
    """A looped test is one testcase in JUnit, without failure, and holds its last property."""
    source = """
        import pytest

        @pytest.mark.loop
        def test_it(verdict, count, record_property):
            record_property("iteration", count)
            print(f"output of {count}")
            verdict("pass" if count == 3 else "fail")
    """
    run(pytester, source, "--junitxml=out.xml", "-o", "junit_logging=all", *workers)
    (case,) = junit_cases(pytester.path / "out.xml")
    assert case.find("failure") is None
    assert [p.get("value") for p in case.iter("property")] == ["3"]
    text = "".join(case.itertext())
    assert "output of 3" in text
    assert "output of 1" not in text


def test_captured_output_is_that_of_the_last_iteration(pytester: pytest.Pytester) -> None:
    """A failure shows what the last iteration printed and nothing of those before."""
    source = """
        import pytest

        @pytest.mark.loop(cap=3)
        def test_it(verdict, count):
            print(f"output of {count}")
            verdict("fail")
    """
    result = run(pytester, source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*output of 3*"])
    result.stdout.no_fnmatch_line("*output of 1*")
    result.stdout.no_fnmatch_line("*output of 2*")


def test_only_function_scope_is_rebuilt(pytester: pytest.Pytester) -> None:
    """Higher-scoped fixtures live through the loop; function fixtures and the instance do not."""
    source = """
        import pytest
        from conftest import note

        def scoped(scope, params=None):
            @pytest.fixture(scope=scope, params=params)
            def fixture():
                note(f"{scope} up")
                yield
                note(f"{scope} down")
            return fixture

        session = scoped("session")
        module = scoped("module", ["a"])
        klass = scoped("class")
        function = scoped("function")

        class TestIt:
            @pytest.mark.loop
            def test_it(self, session, module, klass, function, verdict, count, tmp_path):
                assert not hasattr(self, "seen")
                self.seen = True
                assert not list(tmp_path.iterdir())
                (tmp_path / "file").write_text("x")
                verdict("pass" if count == 2 else "fail")
    """
    run(pytester, source).assert_outcomes(passed=1)
    seen = [e for e in events(pytester) if e.endswith(("up", "down", "fix"))]
    assert seen == [
        *("session up", "module up", "class up", "function up", "function down"),
        "fix",
        *("function up", "function down", "class down", "module down", "session down"),
    ]


def test_unittest_case_is_looped_with_a_fresh_instance(pytester: pytest.Pytester) -> None:
    """A TestCase method can be looped, and setUp runs for each iteration."""
    source = """
        import unittest
        import pytest
        from conftest import note, verdict_key

        class TestIt(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _fixtures(self, verdict, count):
                self.verdict, self.count = verdict, count

            def setUp(self):
                note("setUp")

            @pytest.mark.loop
            def test_it(self):
                self.verdict("pass" if self.count == 2 else "fail")
    """
    run(pytester, source).assert_outcomes(passed=1)
    assert events(pytester).count("setUp") == 2


NOT_LOOPED = {
    "own-assert-after-pass": ("verdict('pass'); assert count == 0", {"failed": 1}),
    "foreign-exception": ("raise KeyError('x')", {"failed": 1}),
    "skip": ("pytest.skip('no')", {"skipped": 1}),
    "imperative-xfail": ("pytest.xfail('known')", {"xfailed": 1}),
    "undetermined": ("verdict('undetermined:no-browser')", {"failed": 1}),
}


@pytest.mark.parametrize("case", NOT_LOOPED)
def test_not_looped(pytester: pytest.Pytester, case: str) -> None:
    """What is no recorded mismatch is run once and reported as pytest reports it."""
    body, outcomes = NOT_LOOPED[case]
    source = f"""
        import pytest

        @pytest.mark.loop
        def test_it(verdict, count):
            {body}
    """
    run(pytester, source).assert_outcomes(**outcomes)
    assert "fix" not in events(pytester)


@pytest.mark.parametrize("marker", ["skip", "skipif(True, reason='r')", "xfail"])
def test_marked_skip_or_xfail_never_reaches_the_loop(
    pytester: pytest.Pytester, marker: str
) -> None:
    """A test that a marker skips or expects to fail is left to pytest: no loop is even opened."""
    source = f"""
        import pytest

        @pytest.mark.{marker}
        @pytest.mark.loop
        def test_it(verdict):
            verdict("fail")
    """
    result = run(pytester, source)
    result.assert_outcomes(**({"xfailed": 1} if marker == "xfail" else {"skipped": 1}))
    assert not (pytester.path / "events.txt").exists()


def test_failing_setup_is_not_looped(pytester: pytest.Pytester) -> None:
    """A broken fixture is an error at setup, decided on once, and never fixed."""
    source = """
        import pytest

        @pytest.fixture
        def broken():
            raise RuntimeError("no server")

        @pytest.mark.loop
        def test_it(broken, verdict):
            verdict("fail")
    """
    run(pytester, source).assert_outcomes(errors=1)
    assert events(pytester) == ["prepare", "decide setup failed None"]


def test_failing_teardown_of_a_superseded_iteration_ends_the_loop(
    pytester: pytest.Pytester,
) -> None:
    """A failing teardown ends the loop: both errors are reported, unshared scopes torn down."""
    source = """
        import pytest
        from conftest import note

        @pytest.fixture(scope="module")
        def module():
            yield
            note("module down")

        @pytest.fixture
        def fragile():
            yield
            raise RuntimeError("port still bound")

        @pytest.mark.loop
        def test_it(module, fragile, verdict):
            verdict("fail")
    """
    pytester.makepyfile(test_next="from conftest import note\ndef test_next():\n    note('next')\n")
    result = run(pytester, source)
    result.assert_outcomes(passed=1, failed=1, errors=1)
    seen = events(pytester)
    assert "fix" not in seen
    assert seen[-2:] == ["module down", "next"]
    assert any(e.startswith("abort the teardown") for e in seen)


def test_exitfirst_stops_the_session_at_the_last_iteration(pytester: pytest.Pytester) -> None:
    """With -x only the last iteration stops the session, whose teardown errors are reported."""
    source = """
        import pytest

        @pytest.fixture(scope="session")
        def session():
            yield
            raise RuntimeError("session teardown")

        @pytest.mark.loop(cap=2)
        def test_it(session, verdict):
            verdict("fail")

        def test_never_run():
            pass
    """
    result = run(pytester, source, "-x")
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["*session teardown*", "*1 rerun*"])
    assert "INTERNALERROR" not in result.stdout.str()


def test_exit_passes_through_and_the_loop_is_told(pytester: pytest.Pytester) -> None:
    """pytest.exit() in a test ends the session at once, and the loop is aborted."""
    source = """
        import pytest

        @pytest.mark.loop
        def test_it(verdict):
            pytest.exit("enough", returncode=7)
    """
    result = run(pytester, source)
    assert result.ret == 7
    assert events(pytester)[-1].startswith("abort Exit")


def test_ctrl_c_passes_through_and_the_loop_is_told(pytester: pytest.Pytester) -> None:
    """Ctrl-C in a test interrupts the session, and the loop is aborted."""
    source = """
        import pytest

        @pytest.mark.loop
        def test_it(verdict):
            raise KeyboardInterrupt
    """
    pytester.makeconftest(FAKE)
    pytester.makepyfile(test_it=source)
    result = pytester.runpytest_subprocess(*PLAIN)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert events(pytester)[-1].startswith("abort KeyboardInterrupt")


def test_timeout_is_armed_again_for_each_iteration(pytester: pytest.Pytester) -> None:
    """pytest-timeout, which a first failure disarms, still ends a second iteration that hangs."""
    source = """
        import time
        import pytest

        @pytest.mark.timeout(1)
        @pytest.mark.loop
        def test_it(verdict, count):
            if count == 2:
                time.sleep(30)
            verdict("fail")
    """
    result = run(pytester, source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Timeout*1.0s*", "*1 rerun*"])
    assert events(pytester).count("fix") == 1


def test_no_timeout_while_the_fix_runs(pytester: pytest.Pytester) -> None:
    """The time of a fix is not the time of the test."""
    source = """
        import conftest
        import signal
        import pytest

        @pytest.mark.timeout(60)
        @pytest.mark.loop
        def test_it(verdict, count, monkeypatch):
            assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
            real = conftest.Fake.advance

            def advance(self):
                conftest.note(f"armed {signal.getitimer(signal.ITIMER_REAL)[0] > 0}")
                real(self)
            if count == 1:
                conftest.Fake.advance = advance
            verdict("pass" if count == 2 else "fail")
    """
    run(pytester, source).assert_outcomes(passed=1)
    assert "armed False" in events(pytester)


def test_rerunfailures_keeps_its_own_items_and_leaves_ours(pytester: pytest.Pytester) -> None:
    """With --reruns, plain items are rerun by it, looped ones by the loop; fixtures end once."""
    source = """
        import pytest
        from conftest import note

        @pytest.fixture(scope="session")
        def session():
            yield
            note("session down")

        def test_theirs(session):
            note("theirs")
            assert 0

        @pytest.mark.loop(cap=2)
        def test_ours(session, verdict):
            note("ours")
            verdict("fail")
    """
    pytester.makeconftest(FAKE)
    pytester.makepyfile(test_it=source)
    result = pytester.runpytest_inprocess(*PLAIN[:6], "--reruns", "3", "--fail-on-flaky")
    result.assert_outcomes(failed=2)
    seen = events(pytester)
    assert seen.count("theirs") == 4
    assert seen.count("ours") == 2
    assert seen[-1] == "session down"


def test_converged_loop_is_not_flaky_to_rerunfailures(pytester: pytest.Pytester) -> None:
    """--fail-on-flaky does not fail a run because a loop did its work."""
    pytester.makeconftest(FAKE)
    pytester.makepyfile(test_it=CONVERGES)
    result = pytester.runpytest_inprocess(*PLAIN[:6], "--reruns", "1", "--fail-on-flaky")
    assert result.ret == 0


def test_reports_follow_the_rerun_contract(pytester: pytest.Pytester) -> None:
    """Superseded reports have outcome "rerun" and count from 0; log start and finish come once."""
    pytester.makeconftest(
        FAKE
        + """
def pytest_runtest_logreport(report):
    note(f"report {report.when} {report.outcome} {getattr(report, 'rerun', None)}")


def pytest_runtest_logstart(nodeid):
    note("logstart")


def pytest_runtest_logfinish(nodeid):
    note("logfinish")
"""
    )
    pytester.makepyfile(test_it=CONVERGES)
    pytester.runpytest_inprocess(*PLAIN)
    seen = [e for e in events(pytester) if e.startswith(("report", "log"))]
    assert seen == [
        "logstart",
        "report call rerun 0",
        "report call rerun 1",
        "report setup passed 2",
        "report call passed 2",
        "report teardown passed None",
        "logfinish",
    ]


def test_execution_count_is_seen_by_fixtures_of_each_iteration(pytester: pytest.Pytester) -> None:
    """pytest-playwright finds the number of the iteration on the item, counted from 1."""
    source = """
        import pytest
        from conftest import note

        @pytest.mark.loop
        def test_it(request, verdict, count):
            note(f"execution {request.node.execution_count}")
            verdict("pass" if count == 2 else "fail")
    """
    run(pytester, source)
    assert [e for e in events(pytester) if e.startswith("exec")] == ["execution 1", "execution 2"]


@pytest.mark.parametrize("option", ["--setup-plan", "--setup-only"])
def test_setup_options_are_left_to_pytest(pytester: pytest.Pytester, option: str) -> None:
    """--setup-plan and --setup-only run nothing, so they loop nothing."""
    result = run(pytester, CONVERGES, option)
    assert result.ret == 0
    assert not (pytester.path / "events.txt").exists()


def test_setup_show_prints_the_item(pytester: pytest.Pytester) -> None:
    """--setup-show names the test between its fixtures, as without a loop."""
    result = run(pytester, CONVERGES, "--setup-show")
    result.stdout.fnmatch_lines(["*test_it.py::test_it (fixtures used: count, *verdict)*"])


def test_debugger_is_entered_for_the_last_iteration_only(pytester: pytest.Pytester) -> None:
    """pytest_exception_interact, where --pdb and pytest-timeout hook in, fires once."""
    source = """
        import pytest

        @pytest.mark.loop(cap=3)
        def test_it(verdict):
            verdict("fail")
    """
    pytester.makeconftest(FAKE + "\n\ndef pytest_exception_interact():\n    note('interact')\n")
    pytester.makepyfile(test_it=source)
    pytester.runpytest_inprocess(*PLAIN)
    assert events(pytester).count("interact") == 1


def test_ended_loop_fails_without_running_the_test(pytester: pytest.Pytester) -> None:
    """A loop that ended in an earlier process fails with the reason; shared fixtures still end."""
    source = """
        import pytest
        from conftest import note

        @pytest.fixture(scope="module")
        def module():
            yield
            note("module down")

        def test_before(module):
            pass

        @pytest.mark.loop(refuse="cap 6 of 6 is spent")
        def test_it(module, verdict):
            note("ran")
    """
    pytester.makepyfile(test_next="from conftest import note\ndef test_next():\n    note('next')\n")
    result = run(pytester, source)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*cap 6 of 6 is spent*"])
    assert "ran" not in events(pytester)
    assert events(pytester)[-2:] == ["module down", "next"]


def test_pass_that_the_loop_refuses_is_a_failure(pytester: pytest.Pytester) -> None:
    """A test that passes against moved goalposts is reported as failed, in JUnit and by -x too."""
    source = """
        import pytest

        @pytest.mark.loop(moved="the design was edited")
        def test_it(verdict):
            verdict("pass")
    """
    result = run(pytester, source, "--junitxml=out.xml")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the design was edited*"])
    (case,) = junit_cases(pytester.path / "out.xml")
    assert case.find("failure") is not None


@pytest.mark.parametrize(
    ("options", "text", "outcomes"),
    [
        ("broken_ledger=True", "disk full", {"failed": 1}),
        ("broken_fix=True", "no such fixer", {"errors": 1}),
    ],
)
def test_error_of_the_loop_is_an_error_of_the_test(
    pytester: pytest.Pytester, options: str, text: str, outcomes: dict[str, int]
) -> None:
    """An error while recording or fixing is reported for the test; the session goes on."""
    source = f"""
        import pytest

        @pytest.mark.loop({options})
        def test_it(verdict):
            verdict("fail")

        def test_next():
            pass
    """
    result = run(pytester, source)
    result.assert_outcomes(passed=1, **outcomes)
    result.stdout.fnmatch_lines([f"*{text}*"])
    assert "INTERNALERROR" not in result.stdout.str()
    assert any(e.startswith("abort") for e in events(pytester))


def test_unlooped_items_are_not_touched(pytester: pytest.Pytester) -> None:
    """Items that are not looped get pytest's own protocol, teardown order included."""
    source = """
        import pytest

        def test_plain(request):
            assert not hasattr(request.node, "execution_count")
    """
    result = run(pytester, source)
    result.assert_outcomes(passed=1)
    assert not (pytester.path / "events.txt").exists()


def test_last_failed_remembers_the_last_iteration_only(pytester: pytest.Pytester) -> None:
    """--lf does not select a test that converged."""
    pytester.makeconftest(FAKE)
    pytester.makepyfile(test_it=CONVERGES)
    pytester.runpytest_inprocess("-p", "no:playwright")
    cached = list(pytester.path.glob(".pytest_cache/v/cache/lastfailed"))
    assert not cached or json.loads(cached[0].read_text("utf-8")) == {}


def test_progress_never_passes_a_hundred_per_cent(pytester: pytest.Pytester) -> None:
    """Reruns do not count towards progress."""
    result = run(pytester, CONVERGES)
    percents = [int(p) for p in re.findall(r"\[\s*(\d+)%\]", result.stdout.str())]
    assert percents[-1] == 100
    assert max(percents) == 100
