"""Scripted loops from beginning to end: every story has one right ending."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.core.errors import ConfigurationError, LedgerError
from pytest_pixelloop.core.measurement import Measurement

if TYPE_CHECKING:
    from pathlib import Path

    from tests.loop.conftest import Project

WORST_FIRST = """
page.pop("edit", None)
if page: page.pop(max(page, key=page.get))
save(**page)
"""

#: name, the page, the fixer, the cap, the status, the last iteration.
STORIES: list[tuple[str, dict[str, Any], str, int, str, int]] = [
    ("converges", {"a": 9, "b": 5, "c": 1}, WORST_FIRST, 6, "converged", 3),
    ("converges at the cap", {"a": 9, "b": 5, "c": 1}, WORST_FIRST, 3, "converged", 3),
    ("cap", {"a": 9, "b": 5, "c": 1}, WORST_FIRST, 2, "not-converged:cap-exhausted", 2),
    ("ping-pong of 2", {"a": 9}, "save(**[{'a': 9}, {'b': 9}][iteration % 2])", 6,
     "not-converged:oscillating", 2),
    ("ping-pong of 3", {"a": 9}, "save(**[{'a': 9}, {'b': 8}, {'c': 7}][iteration % 3])", 6,
     "not-converged:oscillating", 3),
    ("stall", {"a": 9}, "save(a=9)", 6, "not-converged:stalled", 3),
    ("partial, then stall", {"a": 9, "b": 5}, "save(b=5)", 6, "not-converged:stalled", 3),
    ("late stall", {"a": 9, "b": 5, "c": 1},
     "save(**({'b': 5, 'c': 1} if iteration == 1 else {'c': 1}))", 6,
     "not-converged:stalled", 4),
    ("fix crashes", {"a": 9}, "raise SystemExit(3)", 6, "not-converged:breaker", 2),
    ("fix crashes after it repaired the page", {"a": 9}, "save(); raise SystemExit(3)", 6,
     "converged", 1),
    ("fix changes nothing", {"a": 9}, "pass", 6, "not-converged:breaker", 2),
    ("fix says pass and changes nothing", {"a": 9}, "print('pass')", 6,
     "not-converged:breaker", 2),
    ("fix crashes once", {"a": 9}, "sys.exit(1) if iteration == 1 else save()", 6, "converged", 2),
    ("fix edits the design", {"a": 9}, "save(); pathlib.Path('design.png').write_text('page')", 6,
     "undetermined:goalposts-moved", 1),
    ("fix edits the test", {"a": 9}, "save(); pathlib.Path('test_page.py').write_text('')", 6,
     "undetermined:goalposts-moved", 1),
    ("fix deletes the design", {"a": 9}, "pathlib.Path('design.png').unlink()", 6,
     "undetermined:goalposts-moved", 1),
    ("page becomes blank", {"a": 9}, "save(blank=True)", 6, "undetermined:blank-capture", 1),
    ("score is unknown", {"a": 9, "unknown": True}, "save(a=9, unknown=True)", 6,
     "not-converged:stalled", 3),
    ("right from the start", {}, "raise SystemExit(9)", 6, "converged", 0),
    ("blank from the start", {"blank": True}, "save()", 6, "undetermined:blank-capture", 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "fix", "cap", "status", "iterations"),
    [story[1:] for story in STORIES],
    ids=[story[0] for story in STORIES],
)
def test_every_story_has_its_ending(
    project: Project, found: dict[str, Any], fix: str, cap: int, status: str, iterations: int
) -> None:
    """The final status and the iteration it comes at are those of the story."""
    project.page(**found)
    looped = project.loop(fix, cap=cap)
    assert (looped.status, looped.summary.record["iterations"]) == (status, iterations)
    assert looped.summary.passed is (status == "converged")
    assert looped.measured == list(range(iterations + 1))
    assert project.history.status == status


def test_a_fix_that_hangs_is_killed_and_twice_is_enough(project: Project) -> None:
    """A fixer that never ends costs its timeout and two iterations."""
    looped = project.loop("time.sleep(600)", fix_timeout=0.3)
    assert looped.status == "not-converged:breaker"
    assert "timed out" in looped.summary.reason
    assert [m["fix"] for m in looped.summary.record["measurements"]] == [
        None,
        "timed-out",
        "timed-out",
    ]


def test_the_reason_names_the_goalpost_that_moved(project: Project) -> None:
    """Whoever edits the design is told that it was the design."""
    looped = project.loop("pathlib.Path('design.png').write_text('x')")
    assert "design.png changed" in looped.summary.reason
    assert looped.summary.record["goalposts"]["state"] == "moved"
    assert "design.png changed" in looped.summary.record["goalposts"]["moved"][0]


def test_the_measurement_is_on_disk_before_record_returns(project: Project) -> None:
    """The line, the short YAML and the report are there when the decision is known."""
    session = project.session()
    assert session.prepare()
    session.record(project.measure(session.iteration, session.iteration_folder))
    assert project.history.scores == (41.0,)
    assert (project.folder / "diff/00.yaml").read_text().startswith("schema_version: 1\n")
    assert (project.folder / "diff/00/1-2.report.json").exists()
    assert (project.folder / "compare/render/1-2.png").read_text() == "picture 0"
    session.finish()


def test_the_transcript_is_one_line_for_each_thing_that_happened(project: Project) -> None:
    """Measurements, fixes and the end are told in order, in ASCII, with what was skipped."""
    looped = project.loop(WORST_FIRST)
    lines = [line.partition(" s,")[0] for line in looped.lines]
    assert lines[0] == (
        "[0/6] compare  x score 41.0 (2 open regions, channels=visual, skipped=style)"
    )
    assert lines[1].startswith("[1/6] fix      v exit code 0, ")
    assert looped.lines[1].endswith("changed page.json")
    assert lines[2] == (
        "[1/6] compare  x score 41.0 -> 11.0 (1 open region, channels=visual, skipped=style)"
    )
    assert lines[-1] == (
        "[2/6] ended    v converged after 2 iterations, score 41.0 -> 0.0; "
        ".pixelloop/runs/r/tests/t/summary.md"
    )


def test_create_fixes_first_and_measures_iteration_1(project: Project) -> None:
    """In create mode there is no iteration 0, and the first brief says that nothing is known."""
    fix = "pathlib.Path('.pixelloop/seen').write_text(sys.stdin.read()); save()"
    looped = project.loop(fix, mode="create")
    assert looped.status == "converged"
    assert looped.measured == [1]
    assert looped.summary.record["initial_score"] == 0.0
    assert "nothing is measured yet" in (project.root / ".pixelloop/seen").read_text()
    assert not (project.folder / "diff/00").exists()


def test_without_a_fixer_the_page_is_only_measured_again(project: Project) -> None:
    """No fixer, no change: three measurements that do not fall are a stall."""
    looped = project.loop(None)
    assert looped.status == "not-converged:stalled"
    assert not (project.folder / "fix").exists()


def test_a_page_that_changes_without_its_sources_is_unstable(project: Project) -> None:
    """A score that moves while no watched file does is no progress."""

    def measure(number: int, _folder: Path) -> Measurement:
        return Measurement(
            status="fail", score=9.0 - number, delta_ids=("a",), channels={"visual": "fail"}
        )

    looped = project.loop("pass", measure=measure)
    assert looped.status == "undetermined:unstable-render"
    assert looped.measured == [0, 1]


def test_a_plain_gate_measures_once_and_fixes_nothing(project: Project) -> None:
    """Without the loop the verdict is the status, recorded all the same."""
    looped = project.loop("save()", looping=False)
    assert (looped.status, looped.measured) == ("fail", [0])
    assert not looped.summary.passed
    assert not (project.folder / "brief.md").exists()
    project.page()
    again = project.loop("save()", looping=False)
    assert (again.status, again.measured) == ("pass", [1])
    assert again.summary.passed
    assert again.lines[0].startswith("[gate] resumed")
    assert again.lines[-1].startswith("[gate] ended    v pass, score 41.0 -> 0.0")


def test_a_fixer_finds_its_figures_and_paths_in_the_environment(project: Project) -> None:
    """Run, test, iteration, score and paths are variables; the ledger is not among them."""
    fix = (
        "found = {k: v for k, v in os.environ.items() if k.startswith('PIXELLOOP_')}\n"
        "brief = json.loads(pathlib.Path(os.environ['PIXELLOOP_BRIEF_JSON']).read_text())\n"
        "picture = pathlib.Path(brief['pictures'][0]['actual']).read_text()\n"
        "text = pathlib.Path(os.environ['PIXELLOOP_BRIEF']).read_text()\n"
        "same = text == sys.stdin.read()\n"
        "pathlib.Path('.pixelloop/seen').write_text(json.dumps([found, picture, same]))\n"
        "save()\n"
    )
    project.loop(fix)
    found, picture, same = json.loads((project.root / ".pixelloop/seen").read_text())
    assert picture == "picture 0"
    assert same is True
    folder = project.folder
    assert found == {
        "PIXELLOOP_RUN_ID": "r",
        "PIXELLOOP_TEST_ID": "test_page.py::test_it",
        "PIXELLOOP_ITERATION": "1",
        "PIXELLOOP_ITERATION_CAP": "6",
        "PIXELLOOP_MODE": "repair",
        "PIXELLOOP_BRIEF": str(folder / "brief.md"),
        "PIXELLOOP_BRIEF_JSON": str(folder / "brief.json"),
        "PIXELLOOP_ROOT": str(project.root),
        "PIXELLOOP_FIX_TIMEOUT": "60",
        "PIXELLOOP_VERDICT": "fail",
        "PIXELLOOP_SCORE": "41.0",
        "PIXELLOOP_DIFF_DIR": str(folder / "diff/00"),
        "PIXELLOOP_PROPOSALS": str(folder / "proposals.jsonl"),
        "PIXELLOOP_USAGE": str(folder / "fix/01.usage.json"),
    }


def test_a_fixer_learns_nothing_of_held_out_comparisons(project: Project) -> None:
    """Score, verdict, findings and folders that a fixer is given leave them out."""

    def measure(_number: int, _folder: Path) -> Measurement:
        return Measurement(
            status="fail",
            score=107.0,
            delta_ids=("1-2/node:a", "secret/node:z"),
            channels={"visual": "compared"},
            reports=(
                project.report("1-2", "fail", 7.0, {"a": 7.0}),
                project.report("secret", "fail", 100.0, {"z": 100.0}, hold_out=True),
            ),
        )

    fix = (
        "seen = [sys.stdin.read(), *(f'{k}={v}' for k, v in os.environ.items())]\n"
        "seen.append(pathlib.Path(os.environ['PIXELLOOP_BRIEF_JSON']).read_text())\n"
        "pathlib.Path('.pixelloop/seen').write_text('\\n'.join(seen)); save(a=7)\n"
    )
    looped = project.loop(fix, measure=measure, cap=1)
    assert looped.status == "not-converged:cap-exhausted"
    # The folder's own name may hold any digits.
    seen = (project.root / ".pixelloop/seen").read_text().replace(str(project.root), "")
    assert "secret" not in seen
    assert "100.0" not in seen
    assert "107" not in seen
    assert "PIXELLOOP_SCORE=7.0\n" in seen
    assert f"PIXELLOOP_DIFF_DIR={project.folder}/diff/00\n".replace(str(project.root), "") in seen


def test_held_out_comparisons_must_pass_too(project: Project) -> None:
    """A page that passes what the fixer sees and fails what it does not see has not converged."""

    def measure(number: int, _folder: Path) -> Measurement:
        return Measurement(
            status="fail",
            score=9.0 - number,
            delta_ids=("secret/node:z",),
            channels={"visual": "compared"},
            reports=(
                project.report("1-2", "pass", 0.0, {}),
                project.report("secret", "fail", 9.0 - number, {"z": 9.0}, hold_out=True),
            ),
        )

    looped = project.loop("save(a=1)", measure=measure, cap=2)
    assert looped.status == "not-converged:cap-exhausted"


def test_the_output_of_each_fix_is_kept(project: Project) -> None:
    """What a fixer printed can be read afterwards, and the ledger says where."""
    project.loop("print('working on', iteration); save(a=9 - iteration)", cap=2)
    assert (project.folder / "fix/01.log").read_text() == "working on 1\n"
    assert (project.folder / "fix/02.log").read_text() == "working on 2\n"
    fixes = [m.fix for m in project.history.measurements if m.fix]
    assert [f.output for f in fixes] == ["fix/01.log", "fix/02.log"]


def test_finish_is_idempotent_and_abort_comes_too_late_after_it(project: Project) -> None:
    """However often the ways out are taken, the loop ends once."""
    looped = project.loop(WORST_FIRST)
    count = len(project.records)
    assert looped.session.finish() is looped.summary
    assert looped.session.abort("too late") is looped.summary
    assert len(project.records) == count


def test_an_exception_that_is_no_verdict_is_recorded_as_interrupted(project: Project) -> None:
    """A page that throws, or Ctrl-C, ends undetermined and leaves a summary."""

    def throw(_number: int, _folder: Path) -> Measurement:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.loop(WORST_FIRST, measure=throw)
    summary = json.loads((project.folder / "summary.json").read_text())
    assert summary["status"] == "undetermined:interrupted"
    assert "KeyboardInterrupt" in summary["reason"]
    assert summary["interrupted"] == [{"iteration": 0, "phase": "measure"}]


def test_a_loop_that_is_left_undecided_was_interrupted(project: Project) -> None:
    """finish() between two iterations is no verdict."""
    session = project.session()
    session.prepare()
    session.record(project.measure(session.iteration, session.iteration_folder))
    assert session.finish().status == "undetermined:interrupted"


def test_a_command_that_does_not_exist_is_told_and_recorded(project: Project) -> None:
    """A wrong fix command stops the loop before anything is measured."""
    session = project.session("no-such-program-anywhere")
    with pytest.raises(ConfigurationError, match="program is not found"):
        session.prepare()
    assert project.history.measurements == ()
    assert project.history.status == "undetermined:interrupted"
    assert project.loop(WORST_FIRST).status == "converged"  # and the run is not locked


def test_a_run_that_cannot_be_read_is_left_alone(project: Project) -> None:
    """A ledger of a later version, or with a broken middle, is neither used nor touched."""
    ledger = project.folder / "ledger.jsonl"
    ledger.parent.mkdir(parents=True)
    for text in ('{"schema_version":2,"kind":"start","at":0}\n', "{\n{}\n"):
        ledger.write_text(text)
        session = project.session()
        with pytest.raises(LedgerError):
            session.prepare()
        assert session.abort("because").status == "undetermined:interrupted"
        assert ledger.read_text() == text


def test_a_full_disk_does_not_hide_why_a_loop_was_aborted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """abort() raises nothing of its own; the transcript says what could not be written."""
    session = project.session()
    session.prepare()

    def full(_line: object) -> None:
        raise LedgerError("the ledger cannot be written: No space left on device")

    assert session._ledger is not None
    monkeypatch.setattr(session._ledger, "append", full)
    assert session.abort("Ctrl-C").reason == "Ctrl-C"
    assert "No space left" in project.lines[-1]


def test_a_score_that_is_no_number_is_unknown(project: Project) -> None:
    """NaN from a measurement is stored as unknown and ends as a loop that did not improve."""

    def measure(_number: int, _folder: Path) -> Measurement:
        return Measurement(
            status="fail", score=float("nan"), delta_ids=("a",), channels={"visual": "fail"}
        )

    looped = project.loop("save(a=1)", measure=measure)
    assert looped.status == "not-converged:stalled"
    assert looped.summary.record["score_history"] == [None] * 4


def test_the_best_iteration_is_kept_and_named(project: Project) -> None:
    """A loop that ends farther away names where it was closest, and what has regressed since."""
    steps = "save(**{1: {'b': 5}, 2: {'b': 9, 'c': 1}, 3: {'b': 9, 'd': 3}}[iteration])"
    ended = project.loop(steps, cap=3)
    assert not ended.summary.passed
    told = ended.summary.record
    assert (told["best_iteration"], told["best_score"]) == (1, 5.0)
    assert told["new_since_best"] == ["d"]
    assert "best was 5.0 at iteration 1" in ended.lines[-1]
    assert "Regressed since the best iteration\n\n- d\n" in ended.summary.path.read_text()
    assert (project.folder / "diff/01/1.actual.png").read_text() == "picture 1"
    assert json.loads((project.folder / "brief.json").read_text())["best"]["iteration"] == 1
