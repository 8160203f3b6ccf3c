"""Visual tests under pytest-xdist: one run for all workers, and nothing but plain reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drawn_project import Project

MANY = """
import pytest
from draw import page


@pytest.mark.parametrize("name", ["page", "right", "page", "right"], ids=str)
def test_card(assert_matches_design, name):
    assert_matches_design(page(name), "card")
"""


def test_gate_of_all_workers_is_one_run(project: Project) -> None:
    """With -n2 every visual test is in one run directory, and the summary lists them all."""
    project.spoil("title")
    project.write("test_card.py", MANY)
    result = project.run_apart("-n2", "--run-id=together")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "fail  test_card.py::test_card?page0?  score *  .pixelloop/runs/together/*/summary.md",
            "fail  test_card.py::test_card?page1?  *",
            "pass  test_card.py::test_card?right0?  *",
            "pass  test_card.py::test_card?right1?  *",
        ]
    )
    assert [p.name for p in project.runs] == ["together"]
    record = json.loads((project.runs[0] / "summary.json").read_text("utf-8"))
    assert record["counts"] == {"fail": 2, "pass": 2}


def test_run_id_is_made_once_by_the_controller(project: Project) -> None:
    """Without --run-id the workers still share one run directory."""
    project.write("test_card.py", MANY)
    project.run_apart("-n2").assert_outcomes(passed=4)
    assert len(project.runs) == 1
    assert len(list(project.runs[0].glob("tests/*/ledger.jsonl"))) == 4


def test_plain_suite_leaves_nothing(project: Project) -> None:
    """Workers that run no visual test leave no run directory behind."""
    project.write("test_card.py", "def test_card():\n    pass\n")
    project.run_apart("-n2").assert_outcomes(passed=1)
    assert not (project.path / ".pixelloop").exists()


def test_loop_without_fixer_runs_in_workers(project: Project) -> None:
    """Loops that edit nothing run in parallel; their lines are told with the test's name."""
    project.spoil("title")
    project.write("test_card.py", MANY)
    result = project.run_apart("-n2", "--pixel-loop")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "test_card.py::test_card?page?*: ?0/6? compare  x score *",
            "*2 failed, 2 passed, 6 rerun*",
        ],
    )
    assert "INTERNALERROR" not in result.stdout.str()
    assert len(project.runs) == 1


def test_lines_of_workers_start_on_a_line_of_their_own(project: Project) -> None:
    """A line is not glued to the letters of the progress."""
    project.spoil("title")
    project.write("test_before.py", "def test_before():\n    pass\n")
    result = project.run_apart("-n1", "--pixel-loop", "test_before.py", "test_card.py")
    assert not [line for line in result.outlines if ".test_card.py::test_card: [" in line]
    assert [line for line in result.outlines if line.startswith("test_card.py::test_card: [")]


def test_loop_with_a_fixer_runs_with_n0(project: Project) -> None:
    """-n0 is no distribution: the way out that the refusal names works."""
    project.spoil("title")
    project.loop("repair", "-n0").assert_outcomes(passed=1)


def test_wrong_marker_is_told_by_workers_too(project: Project) -> None:
    """A mistake in a marker fails its test under -n, in words."""
    project.write(
        "test_card.py", "import pytest\n@pytest.mark.design(nam='x')\ndef test_card():\n    pass\n"
    )
    for options in ([], ["--pixel-loop"]):
        result = project.run_apart("-n1", *options)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(
            [
                "unknown keyword 'nam'",
                "*where: @pytest.mark.design of test_card.py::test_card",
                "*next: did you mean name?",
            ]
        )
        assert "INTERNALERROR" not in result.stdout.str()


def test_worker_reports_are_plain(project: Project) -> None:
    """Everything on a report survives the way from worker to controller as str, int and list."""
    project.spoil("title")
    project.write(
        "conftest.py",
        "def pytest_runtest_logreport(report):\n"
        "    for name, value in vars(report).items():\n"
        "        if name.startswith('pixelloop'):\n"
        "            print('PLAIN', name, type(value).__name__)\n"
        "            assert type(value) in (str, int, list)\n",
    )
    result = project.run_apart("-n1", "-s")
    result.assert_outcomes(failed=1)
    assert "PLAIN pixelloop_status str" in result.stdout.str()
