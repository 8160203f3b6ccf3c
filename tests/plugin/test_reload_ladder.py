"""The reload ladder in a real loop: an application that dies, hangs or breaks because of a fix.

The page is what a real application on loopback answers, drawn without a browser.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from served_project import APP, app_command, lives

from pytest_pixelloop.store.ledger_file import read_records

if TYPE_CHECKING:
    from drawn_project import Project

LOOK = """
import json, urllib.request
import draw


def look(url):
    with urllib.request.urlopen(url + "page.json", timeout=20) as answer:
        return draw.draw(json.loads(answer.read()))
"""
SERVED_TEST = """
from look import look


def test_card(pixelloop_url, assert_matches_design):
    assert_matches_design(look(pixelloop_url), "card")
"""
#: Repairs one box a time, and with its first edit breaks the application.
BREAKER = """
import pathlib, subprocess, sys
here = pathlib.Path(__file__).parent
if not (here / "broken.txt").exists():
    (here / "fault.txt").write_text(sys.argv[1])
(here / "broken.txt").write_text("yes")
subprocess.run([sys.executable, "fixer.py", "repair"], input=b"", check=True)
"""
URL = "http://127.0.0.1:{port}/"


@pytest.fixture
def served(project: Project) -> Project:
    """Give a project with a served page that two repairs make right."""
    project.write("app.py", APP)
    project.write("look.py", LOOK)
    project.write("test_card.py", SERVED_TEST)
    project.write("breaker.py", BREAKER)
    project.spoil("title", "price")
    return project


def loop(project: Project, fault: str, *words: str) -> pytest.RunResult:
    """Loop with a fixer whose first edit gives the application a fault."""
    fixer = f"{sys.executable} breaker.py {fault}"
    serve = ("--serve-command", app_command(), "--serve-url", URL, "--serve-timeout", "1.5")
    return project.run("--pixel-loop", "--fix-command", fixer, *serve, *words)


def starts(project: Project) -> int:
    """Return how often the application was started."""
    return len((project.path / "starts.txt").read_text().split())


def ledger(project: Project) -> list[dict[str, Any]]:
    """Return the records of the looped test in the last run."""
    (path,) = project.runs[-1].glob("tests/*test_card-*/ledger.jsonl")
    return [dict(record) for record in read_records(path)]


@pytest.mark.parametrize("fault", ["die-once", "hang-once", "500-once", "die-in-page-once"])
def test_one_fault_costs_two_restarts_and_the_loop_goes_on(served: Project, fault: str) -> None:
    """A fresh context is of no use, a restarted application is: then the loop converges."""
    result = loop(served, fault)
    result.assert_outcomes(passed=1)
    summary = served.summary()
    assert summary["status"] == "converged"
    assert summary["restarts"] == 2
    assert [m["iteration"] for m in summary["measurements"]] == [0, 1, 2]
    assert starts(served) == 2
    result.stdout.fnmatch_lines(
        [
            "*[[]1/6] reload   - rung 1, a fresh browser context (restarts=1/2): *",
            "*[[]1/6] reload   - rung 2, the application is restarted (restarts=2/2): *",
            "*[[]1/6] compare  x *restarts=2/2)",
            "*[[]2/6] ended    v converged * restarts=2/2*",
        ]
    )


@pytest.mark.parametrize("fault", ["die", "hang", "500"])
def test_a_fault_that_stays_exhausts_the_ladder(served: Project, fault: str) -> None:
    """Both restarts are spent, the target is still not there: reload-exhausted, in limited time."""
    result = loop(served, fault)
    result.assert_outcomes(failed=0, errors=1)
    summary = served.summary()
    assert summary["status"] == "not-converged:reload-exhausted"
    assert summary["restarts"] == 2
    assert summary["measurements"][-1]["status"] == "undetermined:unreachable"
    kinds = [(r["kind"], r.get("rung")) for r in ledger(served) if r["kind"] == "restarted"]
    assert kinds == [("restarted", 1), ("restarted", 2)]
    result.stdout.fnmatch_lines(["*the application at http://127.0.0.1:*"])
    pids = [int(word) for word in (served.path / "starts.txt").read_text().split()]
    assert not any(lives(pid) for pid in pids)


def test_a_death_inside_the_test_is_no_error_of_the_test(served: Project) -> None:
    """The test's own request fails because the application died in it: unreachable, and named."""
    result = loop(served, "die-in-page")
    result.assert_outcomes(failed=1)
    assert served.summary()["status"] == "not-converged:reload-exhausted"
    result.stdout.fnmatch_lines(["*ended by itself while it was used, with exit code 7*"])


def test_restarts_that_are_spent_stay_spent_in_the_next_process(served: Project) -> None:
    """The budget belongs to the run: a resumed process has none left, and says so."""
    words = ("--run-id", "one", "--iterations-per-run", "2")
    loop(served, "die-once", *words)
    assert served.summary()["status"] == "in-progress"
    assert served.summary()["restarts"] == 2
    served.write("fault.txt", "none")
    served.spoil("title", "price", "photo")
    (served.path / "broken.txt").unlink()
    before = starts(served)
    result = loop(served, "die", *words)
    summary = served.summary()
    assert summary["restarts"] == 2
    assert summary["status"] == "not-converged:reload-exhausted"
    assert starts(served) == before + 1
    result.stdout.fnmatch_lines(["*resumed*restarts=2/2*"])


def test_the_reports_of_a_run_that_was_not_reached_are_gone(served: Project) -> None:
    """An iteration that was run again holds only what its last run measured."""
    loop(served, "die-in-page-once").assert_outcomes(passed=1)
    (folder,) = served.runs[-1].glob("tests/*test_card-*/diff/01")
    (report,) = folder.glob("*.report.json")
    assert json.loads(report.read_text())["status"] == "fail"


def test_the_gate_climbs_no_ladder(served: Project) -> None:
    """Without --pixel-loop a test is measured once: no restart, the reason in words."""
    served.write("fault.txt", "die-in-page")
    serve = ("--serve-command", app_command(), "--serve-url", URL)
    result = served.run(*serve)
    result.assert_outcomes(failed=1)
    assert starts(served) == 1
    result.stdout.fnmatch_lines(["*pixelloop: the application*", "*with exit code 7*"])


def test_a_loop_without_a_served_application_has_no_ladder(project: Project) -> None:
    """A page that is not served by us ends as unreachable at once, as before."""
    project.write(
        "test_card.py",
        "from pytest_pixelloop.core.errors import CaptureError\n"
        "def test_card(assert_matches_design):\n"
        "    raise CaptureError('gone', reason='unreachable')\n",
    )
    project.loop("repair").assert_outcomes(failed=1)
    assert project.status == "undetermined:unreachable"
    assert project.summary()["restarts"] == 0
