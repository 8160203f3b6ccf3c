"""Going on with a run: in another process, after a pause, a kill or an end."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.core.errors import LedgerError
from pytest_pixelloop.core.records import Kind, record
from pytest_pixelloop.core.tolerance import IterationCap
from pytest_pixelloop.process.process_table import process_identity
from pytest_pixelloop.store.ledger_file import append_record

if TYPE_CHECKING:
    from tests.loop.conftest import Project

#: Removes one point of what is wrong in each iteration, and counts its runs.
ONE_LESS = """
with open(".pixelloop/runs.txt", "a") as runs: runs.write(f"{iteration}\\n")
left = page.get("a", 0) - 1
save(**({"a": left} if left else {}))
"""


def fixed(project: Project) -> list[int]:
    """Return the iterations whose fix was started, in order."""
    path = project.root / ".pixelloop/runs.txt"
    return [int(n) for n in path.read_text().split()] if path.exists() else []


def test_one_iteration_a_process_gets_there(project: Project) -> None:
    """Each process fixes, measures once and says in-progress, until a rule ends the loop."""
    project.page(a=3)
    told = []
    for _ in range(4):
        looped = project.loop(ONE_LESS, iterations_per_run=1)
        told.append((looped.status, looped.measured))
    assert told == [
        ("in-progress", [0]),
        ("in-progress", [1]),
        ("in-progress", [2]),
        ("converged", [3]),
    ]
    assert fixed(project) == [1, 2, 3]
    assert looped.summary.record["processes"] == 4
    assert looped.summary.record["score_history"] == [3.0, 2.0, 1.0, 0.0]


def test_a_share_of_two_measures_twice(project: Project) -> None:
    """iterations_per_run counts the measurements of this process alone."""
    project.page(a=9)
    assert project.loop(ONE_LESS, iterations_per_run=2).measured == [0, 1]
    assert project.loop(ONE_LESS, iterations_per_run=2).measured == [2, 3]


def test_in_progress_is_not_passed(project: Project) -> None:
    """A paused loop is no success."""
    looped = project.loop(None, iterations_per_run=1)
    assert looped.status == "in-progress"
    assert not looped.summary.passed
    assert "--run-id" in looped.summary.reason


def test_a_person_edits_between_processes(project: Project) -> None:
    """Without a fixer the next process measures what was edited meanwhile."""
    project.loop(None, iterations_per_run=1)
    project.page(a=1.0)
    assert project.loop(None, iterations_per_run=1).status == "in-progress"
    project.page()
    assert project.loop(None, iterations_per_run=1).status == "converged"


def test_a_spent_cap_buys_no_measurement_and_a_larger_one_goes_on(project: Project) -> None:
    """The cap is the run's and not the process's."""
    project.page(a=9)
    assert project.loop(ONE_LESS, cap=2).status == "not-converged:cap-exhausted"
    again = project.loop(ONE_LESS, cap=2)
    assert (again.status, again.measured) == ("not-converged:cap-exhausted", [])
    assert fixed(project) == [1, 2]
    more = project.loop(ONE_LESS, cap=4)
    assert (more.status, more.measured) == ("not-converged:cap-exhausted", [3, 4])
    assert fixed(project) == [1, 2, 3, 4]


def test_a_run_that_converged_at_its_cap_is_not_green_for_ever(project: Project) -> None:
    """Whether the page still passes is unknown until it is measured, and that is an iteration."""
    project.page(a=2)
    assert project.loop(ONE_LESS, cap=2).status == "converged"
    again = project.loop(ONE_LESS, cap=2)
    assert (again.status, again.measured) == ("not-converged:cap-exhausted", [])
    assert project.loop(ONE_LESS, cap=3).status == "converged"


def test_a_cap_that_is_not_given_again_is_carried_on(project: Project) -> None:
    """Resuming without --iteration-cap keeps the cap of the start and not the default."""
    project.page(a=9)
    project.loop(ONE_LESS, cap=8, iterations_per_run=1)
    default = IterationCap(value=6, source="default")
    looped = project.loop(ONE_LESS, cap=default)
    assert looped.summary.record["iterations"] == 8
    assert looped.summary.record["iteration_cap"] == 8
    assert looped.summary.record["iteration_cap_source"] == "flag"


def test_spent_time_is_carried_on(project: Project) -> None:
    """Seconds of all processes add up; those between them are free."""
    project.page(a=9)
    first = project.loop(ONE_LESS, iterations_per_run=1).summary.record["spent_seconds"]
    project.clock.now += 1000
    second = project.loop(ONE_LESS, iterations_per_run=1).summary.record["spent_seconds"]
    assert 0 < first < second < 100


@pytest.mark.parametrize(
    ("fix", "status"),
    [
        ("save(a=9)", "not-converged:stalled"),
        ("pass", "not-converged:breaker"),
        ("save(**[{'a': 9}, {'b': 5}][iteration % 2])", "not-converged:oscillating"),
    ],
)
def test_a_run_that_ended_measures_once_more_before_the_rules_decide(
    project: Project, fix: str, status: str
) -> None:
    """Resuming is a new chance of one iteration; without progress the same rule ends it."""
    project.page(a=9)
    first = project.loop(fix)
    assert first.status == status
    second = project.loop(fix)
    assert second.status == status
    assert second.measured == [first.measured[-1] + 1]
    project.page(a=9)
    assert project.loop("save()").status == "converged"


def test_a_converged_run_is_measured_again_without_a_fix(project: Project) -> None:
    """There is nothing to repair on a page that passed; whether it still does is measured."""
    project.page(a=1)
    assert project.loop(ONE_LESS).status == "converged"
    again = project.loop(ONE_LESS)
    assert (again.status, again.measured) == ("converged", [2])
    assert fixed(project) == [1]


def test_an_undetermined_run_is_measured_again_without_a_fix(project: Project) -> None:
    """Nothing is fixed because of a blank page; once it paints again, the loop goes on."""
    project.page(blank=True)
    assert project.loop(ONE_LESS).status == "undetermined:blank-capture"
    project.page(a=1)
    looped = project.loop(ONE_LESS)
    assert (looped.status, looped.measured) == ("converged", [1, 2])
    assert fixed(project) == [2]


def test_goalposts_that_moved_between_processes_stop_the_run_at_once(project: Project) -> None:
    """No measurement and no fix towards another design; put back, the run goes on."""
    project.page(a=2)
    project.loop(ONE_LESS, iterations_per_run=1)
    (project.root / "design.png").write_text("another")
    looped = project.loop(ONE_LESS)
    assert (looped.status, looped.measured) == ("undetermined:goalposts-moved", [])
    assert "design.png changed" in looped.summary.reason
    assert fixed(project) == []
    (project.root / "design.png").write_bytes(b"the design")
    assert project.loop(ONE_LESS).status == "converged"


def test_two_processes_do_not_loop_one_test_of_one_run(project: Project) -> None:
    """The second one is told, and the first one is not disturbed."""
    session = project.session()
    session.prepare()
    with pytest.raises(LedgerError, match="looped by another process"):
        project.session().prepare()
    session.record(project.measure(session.iteration, session.iteration_folder))
    session.finish()
    assert project.history.highest == 0


def cut(project: Project, count: int) -> None:
    """Leave the first *count* records of the ledger, as a kill would: without a summary."""
    ledger = project.folder / "ledger.jsonl"
    for name in ("summary.json", "summary.md"):
        (project.folder / name).unlink()
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:count]))


#: Records of the first iterations: start, begin 0, measured 0, then for each iteration
#: begin, fix started, fix running, fix ended, measured.
@pytest.mark.parametrize("count", range(15))
@pytest.mark.parametrize("torn", [b"", b'{"schema_version":1,"kind":"meas'])
def test_after_a_kill_at_any_record_the_run_goes_on(
    project: Project, count: int, torn: bytes
) -> None:
    """Recorded iterations stay, nothing is measured twice, and a fix that ended is not repeated."""
    project.page(a=9)
    project.loop(ONE_LESS, cap=2)
    cut(project, count)
    with (project.folder / "ledger.jsonl").open("ab") as ledger:
        ledger.write(torn)
    before = project.records
    history = project.history
    (project.root / ".pixelloop/runs.txt").unlink()
    looped = project.loop(ONE_LESS, cap=3)
    assert project.records[: len(before)] == before
    begin = -1 if history.highest is None else history.highest
    assert looped.measured == list(range(begin + 1, 4))
    kinds = [(r["kind"], r.get("iteration")) for r in before]
    due = [n for n in looped.measured if n > 0 and ("fix-ended", n) not in kinds]
    assert fixed(project) == due
    assert [m.iteration for m in project.history.measurements] == [0, 1, 2, 3]
    interrupted = [p["iteration"] for p in looped.summary.record["interrupted"]]
    assert interrupted == ([history.pending.iteration] if history.pending else [])


def test_an_interrupted_fix_whose_work_was_done_is_not_called_useless(project: Project) -> None:
    """A fix that is run again and finds the page repaired has not changed nothing."""
    repair = "page.pop('b', None); save(**page) if 'edit' not in page else None"
    project.loop(repair, cap=1)
    cut(project, 6)  # the fix of iteration 1 was running
    assert project.history.pending is not None
    looped = project.loop(repair, cap=1)
    assert looped.summary.record["measurements"][1]["fix"] == "unknown"
    assert any("iteration 1 was interrupted in its fix" in line for line in looped.lines)


def test_what_an_interrupted_measurement_left_behind_is_no_evidence(project: Project) -> None:
    """The folder of an iteration that is measured again starts empty."""
    project.page(a=9)
    project.loop(ONE_LESS, cap=1)
    cut(project, 7)
    (project.folder / "diff/01/half.actual.png").write_bytes(b"half")
    looped = project.loop(ONE_LESS, cap=1)
    assert looped.measured == [1]
    assert not (project.folder / "diff/01/half.actual.png").exists()


def test_derived_files_come_back_from_the_ledger(project: Project) -> None:
    """Everything but ledger and evidence may be deleted: the next process makes it again."""
    project.page(a=9)
    project.loop(ONE_LESS, cap=2, iterations_per_run=2)
    kept = {}
    for name in ("diff/00.yaml", "diff/01.yaml", "compare/plan.json", "compare/summary.json"):
        kept[name] = (project.folder / name).read_bytes()
        (project.folder / name).unlink()
    shutil.rmtree(project.folder / "compare")
    session = project.session(cap=1)
    assert not session.prepare()
    session.finish()
    for name, data in kept.items():
        assert (project.folder / name).read_bytes() == data
    for name in ("summary.md", "summary.json"):
        assert (project.folder / name).exists()


def test_lost_reports_cost_the_brief_its_findings_and_nothing_else(project: Project) -> None:
    """With the evidence of the last iteration deleted, the loop still goes on."""
    project.page(a=2)
    project.loop(ONE_LESS, iterations_per_run=1)
    shutil.rmtree(project.folder / "diff")
    assert project.loop(ONE_LESS).status == "converged"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_fixer_that_a_killed_process_left_running_is_killed(project: Project) -> None:
    """Two fixers never edit the same sources: the old one goes before the new one comes."""
    project.page(a=9)
    project.loop(ONE_LESS, iterations_per_run=1)
    orphan = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    ledger = project.folder / "ledger.jsonl"
    for line in (
        record(Kind.ITERATION_STARTED, at=0.0, iteration=1, fix=True),
        record(Kind.FIX_STARTED, at=0.0, iteration=1),
        record(
            Kind.FIX_RUNNING,
            at=0.0,
            iteration=1,
            pid=orphan.pid,
            identity=process_identity(orphan.pid),
        ),
    ):
        append_record(ledger, line)
    try:
        looped = project.loop(ONE_LESS, iterations_per_run=1)
        assert orphan.wait(60) < 0
    finally:
        orphan.kill()
        orphan.wait()
    assert "note: the fix of iteration 1 still ran: killed it" in looped.lines
    assert fixed(project) == [1]


def test_the_brief_lies_ready_for_whoever_edits_between_processes(project: Project) -> None:
    """After a paused process the brief of the next iteration can be read."""
    project.loop(None, iterations_per_run=1)
    brief = json.loads((project.folder / "brief.json").read_text())
    assert brief["iteration"] == 1
    assert [f["selector"] for f in brief["findings"]] == [".a", ".b"]
    assert (project.folder / "brief.md").read_text().startswith("pixelloop brief for iteration 1")


def test_what_a_killed_write_left_is_removed_by_the_next_process(project: Project) -> None:
    """Temporary files of the process before are gone, wherever in the test's folder they were."""
    project.loop(None, iterations_per_run=1)
    torn = [project.folder / ".tmp-00ff00ff00ff00ff", project.folder / "compare/.tmp-1"]
    for path in torn:
        path.write_text("half")
    project.loop(None, iterations_per_run=1)
    assert not [path for path in torn if path.exists()]
