"""Everything green was measured after the last patch."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from drawn_project import Project

BOTH = """
from draw import HERE, page


def test_first(assert_matches_design):
    with (HERE / "log.txt").open("a") as log:
        log.write("first ")
    assert_matches_design(page("first"), "card")


def test_second(assert_matches_design):
    with (HERE / "log.txt").open("a") as log:
        log.write("second ")
    assert_matches_design(page(), "card")
"""

FIX = """
import json, pathlib, sys
HERE = pathlib.Path(__file__).parent
if sys.argv[1] == "nothing":
    sys.exit()
(HERE / "page.json").write_bytes((HERE / "right.json").read_bytes())
if sys.argv[1] == "spoil":
    page = json.loads((HERE / "first.json").read_text())
    page["boxes"]["title"][4] = "#ff00ff"
    (HERE / "first.json").write_text(json.dumps(page))
"""


@pytest.fixture
def both(project: Project) -> Project:
    """Give a project in which the first test passes and the second one needs a fix."""
    project.write("first.json", (project.path / "right.json").read_bytes())
    project.write("fix.py", FIX)
    project.write("test_card.py", BOTH)
    project.spoil("title")
    return project


def loop(project: Project, what: str, *arguments: str) -> pytest.RunResult:
    """Run the loop with the fixer that spoils the first test, or leaves it alone."""
    command = f"{sys.executable} fix.py {what}"
    sources = "pixelloop_sources=page.json\nfirst.json"
    return project.run("--pixel-loop", "--fix-command", command, "-o", sources, *arguments)


def ran(project: Project) -> list[str]:
    """Return which tests ran, in order."""
    return (project.path / "log.txt").read_text("utf-8").split()


def test_test_that_a_later_fix_spoils_is_failed_as_regressed(both: Project) -> None:
    """A test that passed before the last fix and no longer does fails, in JUnit and summary too."""
    result = loop(both, "spoil", "--junitxml=out.xml")
    assert ran(both) == ["first", "second", "second", "first"]
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "test_card.py::test_first: measured again after the last fix: regressed",
            "the page is not the design: fail",
            "regressed: passed before the last fix",
            "regressed  test_card.py::test_first  *",
            "converged  test_card.py::test_second  *",
            "FAILED test_card.py::test_first*",
        ]
    )
    result.assert_outcomes(passed=1, failed=1)
    suite = ET.parse(both.path / "out.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    cases = {case.get("name"): [part.tag for part in case] for case in suite.iter("testcase")}
    assert cases == {"test_second": [], "test_first": ["failure"]}
    assert len(list(suite.iter("testcase"))) == 2


def test_test_that_still_passes_stays_one_passed_test(both: Project) -> None:
    """Measuring again a test that still passes changes no count, and says that it was done."""
    result = loop(both, "spare")
    assert ran(both) == ["first", "second", "second", "first"]
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["*100%]", "test_card.py::test_first: measured again after the last fix: still passes"]
    )


def test_nothing_is_measured_again_without_a_patch(both: Project) -> None:
    """When fixes changed nothing, or there was none, what passed is not run again."""
    loop(both, "nothing").assert_outcomes(passed=1, failed=1)
    assert ran(both) == ["first", "second", "second", "second"]
    (both.path / "log.txt").unlink()
    both.spoil()
    loop(both, "spoil").assert_outcomes(passed=2)
    assert ran(both) == ["first", "second"]


def test_fixtures_live_and_end_around_the_second_measurement(both: Project) -> None:
    """Session fixtures are set up again for it, and torn down before the session ends."""
    both.write(
        "conftest.py",
        "import pathlib, pytest\n"
        "LOG = pathlib.Path(__file__).parent / 'log.txt'\n"
        "def note(word):\n"
        "    with LOG.open('a') as log:\n"
        "        log.write(word + ' ')\n"
        "@pytest.fixture(scope='session', autouse=True)\n"
        "def server():\n"
        "    note('up')\n"
        "    yield\n"
        "    note('down')\n",
    )
    loop(both, "spare").assert_outcomes(passed=2)
    assert ran(both) == ["up", "first", "second", "second", "down", "up", "first", "down"]


def test_second_measurement_has_a_record_of_its_own(both: Project) -> None:
    """The loop's own ledger stays as it ended; the second measurement lies beside it."""
    loop(both, "spoil")
    record = json.loads((both.runs[-1] / "summary.json").read_text("utf-8"))
    assert {row["test_id"]: row["status"] for row in record["tests"]} == {
        "test_card.py::test_first": "converged",
        "test_card.py::test_first after the last fix": "fail",
        "test_card.py::test_second": "converged",
    }


@pytest.mark.parametrize(("arguments", "failed"), [([], 2), (["-x"], 1)])
def test_several_that_a_fix_spoils(both: Project, arguments: list[str], failed: int) -> None:
    """Each of them is measured and torn down by itself; with -x the first one ends it."""
    source = BOTH.replace(
        "def test_second",
        "def test_also(assert_matches_design):\n"
        "    assert_matches_design(page('first'), 'card')\n\n\ndef test_second",
    )
    both.write("test_card.py", source)
    result = loop(both, "spoil", *arguments)
    result.assert_outcomes(passed=3 - failed, failed=failed)


def test_exit_first_measures_nothing_again(both: Project) -> None:
    """A session that was stopped by a failure is red already."""
    both.write("test_z.py", "def test_z():\n    assert 0\n")
    loop(both, "spoil", "-x").assert_outcomes(passed=2, failed=1)
    assert ran(both) == ["first", "second", "second"]


def test_shared_fixtures_are_set_up_once_for_all_that_is_measured_again(both: Project) -> None:
    """Class and module fixtures are made anew for the second measurement, once, and end with it."""
    fixtures = """
import pytest

def note(word):
    with (HERE / "log.txt").open("a") as log:
        log.write(word + " ")

@pytest.fixture(scope="module", autouse=True)
def module():
    note("module")
    yield
    note("/module")

@pytest.fixture(scope="class")
def shared():
    note("class")
    yield
    note("/class")

@pytest.mark.usefixtures("shared")
class TestBoth:
    def test_one(self, assert_matches_design):
        note("one")
        assert_matches_design(page("first"), "card")

    def test_two(self, assert_matches_design):
        note("two")
        assert_matches_design(page("first"), "card")
"""
    first, second = BOTH.split("\n\ndef test_second")
    source = first.partition("\n\ndef test_first")[0] + fixtures + "\n\ndef test_second" + second
    both.write("test_card.py", source)
    result = loop(both, "spoil", "--junitxml=out.xml")
    result.assert_outcomes(passed=1, failed=2)
    assert " ".join(ran(both)) == (
        "module class one two /class second second /module module class one two /class /module"
    )
    suite = ET.parse(both.path / "out.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2", "0")


def test_what_converged_before_the_fix_of_another_loop_is_measured_again(both: Project) -> None:
    """With two loops the first is measured again after the fix of the second, as one more test."""
    third = BOTH.partition("def test_second")[2].replace("second ", "third ")
    third = "def test_third" + third.replace("page()", "page('other')")
    both.write("test_card.py", f"{BOTH}\n\n{third}")
    both.write("other.json", (both.path / "page.json").read_bytes())
    both.write(
        "fix.py",
        "import os, pathlib\n"
        "name = 'other' if 'third' in os.environ['PIXELLOOP_TEST_ID'] else 'page'\n"
        "here = pathlib.Path(__file__).parent\n"
        "(here / f'{name}.json').write_bytes((here / 'right.json').read_bytes())\n",
    )
    sources = "pixelloop_sources=page.json\nfirst.json\nother.json"
    command = f"{sys.executable} fix.py"
    result = both.run("--pixel-loop", "--fix-command", command, "-o", sources)
    result.assert_outcomes(passed=3)
    again = ["first", "second"]
    assert ran(both) == ["first", "second", "second", "third", "third", *again]


def test_a_process_that_only_fixes_leaves_no_green_behind(both: Project) -> None:
    """A run of several processes is red as a whole while one of its tests is older than a patch."""
    words = ("--run-id", "X", "--iterations-per-run", "1")
    loop(both, "spoil", *words)
    result = loop(both, "spoil", *words, "-k", "second")
    result.assert_outcomes(passed=1)
    record = json.loads((both.runs[-1] / "summary.json").read_text("utf-8"))
    assert record["status"] == "undetermined:stale"
    assert {row["test_id"]: row["stale"] for row in record["tests"]} == {
        "test_card.py::test_first": True,
        "test_card.py::test_second": False,
    }
    result.stdout.fnmatch_lines(["*not measured since the last patch: test_card.py::test_first"])
    loop(both, "spare", *words)
    record = json.loads((both.runs[-1] / "summary.json").read_text("utf-8"))
    assert not any(row["stale"] for row in record["tests"])
