"""Workers that are killed, that open the run late, or that would all measure the same."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.store.ledger_file import read_records

if TYPE_CHECKING:
    from drawn_project import Project

TWENTY = """
import os, signal
import pytest
from draw import page


@pytest.mark.parametrize("number", range(20))
def test_card(assert_matches_design, number):
    if number == 7:
        verdicts = assert_matches_design(page("right"), "card")
        os.kill(os.getpid(), signal.SIGKILL)
    assert_matches_design(page("right"), "card")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_a_killed_worker_loses_no_record_and_its_test_is_shown(project: Project) -> None:
    """Of 20 tests on 2 workers, 19 are measured once each and the one cut off is interrupted."""
    project.write("test_card.py", TWENTY)
    result = project.run_apart("-n2")
    result.assert_outcomes(passed=19, failed=1)
    (run,) = project.runs
    folded = [fold(read_records(path)) for path in run.glob("tests/*/ledger.jsonl")]
    measured = {h.test_id: len(h.measurements) for h in folded}
    assert sorted(measured.values()) == [0, *[1] * 19]
    assert measured["test_card.py::test_card[7]"] == 0
    result.stdout.fnmatch_lines(["undetermined:interrupted  test_card.py::test_card?7?  score *"])
    record = json.loads((run / "summary.json").read_text("utf-8"))
    assert record["counts"] == {"undetermined:interrupted": 1, "pass": 19}
    assert len({row["test_id"] for row in record["tests"]}) == len(record["tests"]) == 20


def test_workers_of_a_project_without_designs_share_one_run(project: Project) -> None:
    """Snapshots need no designs folder; the first worker opens the run for all of them."""
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "@pytest.mark.parametrize('n', range(6))\n"
        "def test_card(assert_matches_design, n):\n"
        "    assert_matches_design(page('right'), snapshot='card')\n",
    )
    project.write(
        "__screenshots__/test_card.py/card.png", (project.path / "designs/card.png").read_bytes()
    )
    for name in ("card.png", "designs.yaml"):
        (project.path / "designs" / name).unlink()
    (project.path / "designs").rmdir()
    project.run_apart("-n2").assert_outcomes(passed=6)
    (run,) = project.runs
    record = json.loads((run / "summary.json").read_text("utf-8"))
    assert record["counts"] == {"pass": 6}
    assert json.loads((run / "run.json").read_text("utf-8"))["not_recorded"] == {}


def test_the_run_knows_what_it_was_to_hold(project: Project) -> None:
    """What was collected, what was selected, and how a test without a record ended, all by id."""
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "def test_a(assert_matches_design):\n    assert_matches_design(page('right'), 'card')\n"
        "@pytest.mark.skip\ndef test_b(assert_matches_design):\n    pass\n"
        "def test_d(assert_matches_design):\n    pass\n"
        "def test_plain():\n    pass\n",
    )
    for workers in ("-n0", "-n1"):
        project.run_apart(
            workers, "-k", "not test_d", "--pixelloop-shard=2/5", f"--run-id=r{workers}"
        )
        run = project.path / ".pixelloop/runs" / f"r{workers}"
        told = json.loads((run / "collection.json").read_text("utf-8"))
        names = [f"test_card.py::test_{letter}" for letter in "abd"]
        assert told["collected"] == names
        assert told["selected"] == names[:2]
        assert told["shard"] == [2, 5]
        ended = json.loads((run / "run.json").read_text("utf-8"))
        assert ended["not_recorded"] == {names[1]: "skipped"}


def test_one_test_on_every_worker_is_refused(project: Project) -> None:
    """--dist each would measure one test of one run twice; the way out is named."""
    result = project.run_apart("--dist=each", "--tx=2*popen")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["visual tests cannot be run with --dist each*", "*--dist load*"])


def test_a_run_that_somebody_works_on_is_refused(project: Project) -> None:
    """A second session on the same run id stops before any test, and is told who has the run."""
    from pytest_pixelloop.store.run_lock import RunLock

    project.run("--run-id=mine").assert_outcomes(passed=1)
    with RunLock(project.runs[0]):
        result = project.run("--run-id=mine")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*the run mine is being worked on by another session: process * on *, since *"]
    )
    project.run("--run-id=mine").assert_outcomes(passed=1)


def test_workers_in_other_folders_bring_what_they_recorded(project: Project) -> None:
    """A worker with a copy of the project, as by --tx, records there; one run has all of it."""
    project.write(
        "conftest.py",
        "import dataclasses, os\n"
        "def pytest_sessionstart(session):\n"
        "    run = session.config.pluginmanager.get_plugin('pixelloop-session').run\n"
        "    away = session.config.rootpath / 'away' / os.environ.get('PYTEST_XDIST_WORKER', '')\n"
        "    if hasattr(session.config, 'workerinput'):\n"
        "        run.settings = dataclasses.replace(run.settings, run_root=away)\n",
    )
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "@pytest.mark.parametrize('n', range(4))\n"
        "def test_card(assert_matches_design, n):\n"
        "    assert_matches_design(page('right'), 'card')\n",
    )
    result = project.run_apart("-n2", "--run-id=r")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["gw?: * tests taken in from *away*"])
    record = json.loads((project.runs[0] / "summary.json").read_text("utf-8"))
    assert record["counts"] == {"pass": 4}
    for path in (project.path / "away").glob("*/runs/r/tests/*/ledger.jsonl"):
        copy = project.runs[0] / "tests" / path.parent.name / path.name
        assert copy.read_bytes() == path.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_a_test_that_was_recorded_before_its_worker_crashed_is_told(project: Project) -> None:
    """What was measured counts and is named, although its worker never reported it."""
    project.write(
        "conftest.py",
        "import os, pytest, signal\n"
        "@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_runtest_logreport(report):\n"
        "    if report.when == 'call' and 'PYTEST_XDIST_WORKER' in os.environ:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n",
    )
    result = project.run_apart("-n1", "--run-id=r")
    result.assert_outcomes(failed=1)
    told = [line for line in result.outlines if line.startswith("pass  ")]
    assert len(told) == 1
    assert "test_card.py::test_card  score 0.0  .pixelloop" in told[0]
    record = json.loads((project.runs[0] / "summary.json").read_text("utf-8"))
    assert record["counts"] == {"pass": 1}


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_a_test_whose_worker_crashed_before_it_began_is_shown(project: Project) -> None:
    """A test without any record is in the summary and in the terminal, as interrupted."""
    project.write(
        "test_card.py",
        "import os, pytest, signal\nfrom draw import page\n"
        "@pytest.fixture\ndef crash():\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "def test_a(crash, assert_matches_design):\n    pass\n"
        "def test_b(assert_matches_design):\n    assert_matches_design(page('right'), 'card')\n",
    )
    result = project.run_apart("-n1", "--run-id=r")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["undetermined:interrupted  test_card.py::test_a  score unknown  its worker crashed"]
    )
    record = json.loads((project.runs[0] / "summary.json").read_text("utf-8"))
    assert [(row["test_id"], row["status"]) for row in record["tests"]] == [
        ("test_card.py::test_b", "pass"),
        ("test_card.py::test_a", "undetermined:interrupted"),
    ]
