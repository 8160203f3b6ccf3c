"""Folding a ledger: what any run of records says about a loop."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.errors import LedgerError
from pytest_pixelloop.core.history import INTERRUPTED, History
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.core.measurement import LoopSettings, Measurement, resumed_cap
from pytest_pixelloop.core.records import (
    FixOutcome,
    Kind,
    fix_ended_record,
    measured_record,
    moved_goalposts,
    plain,
    record,
    session_record,
)
from pytest_pixelloop.core.tolerance import IterationCap

SETTINGS = LoopSettings(looping=True, cap=IterationCap(value=6, source="flag"))


def start(at: float = 0.0, kind: Kind = Kind.START, **goalposts: str) -> dict[str, Any]:
    """Return the line of a process that begins to work on a run."""
    return session_record(
        kind, at=at, run_id="r", test_id="t", settings=SETTINGS, goalposts=goalposts
    )


def begun(iteration: int, *, at: float = 1.0, fix: bool = False) -> dict[str, Any]:
    """Return the line of an iteration that begins."""
    return record(Kind.ITERATION_STARTED, at=at, iteration=iteration, fix=fix)


def fix_started(iteration: int, *, at: float = 1.0) -> dict[str, Any]:
    """Return the line of a fix that begins."""
    return record(Kind.FIX_STARTED, at=at, iteration=iteration)


def fix_ended(
    iteration: int, *, at: float = 2.0, outcome: FixOutcome = FixOutcome.CHANGED
) -> dict[str, Any]:
    """Return the line of a fix that ended."""
    return fix_ended_record(
        at=at,
        iteration=iteration,
        outcome=outcome,
        exit_code=0,
        seconds=1.0,
        changed=("style.css",),
        output=None,
        error=None,
    )


def measured(
    iteration: int, score: float | None = 1.0, *, at: float = 3.0, status: str = "fail"
) -> dict[str, Any]:
    """Return the line of a measurement."""
    return measured_record(
        Measurement(status=status, score=score, delta_ids=("a",), channels={"visual": "compared"}),
        at=at,
        iteration=iteration,
        reports=(),
    )


def ended(status: str = "converged", *, at: float = 4.0) -> dict[str, Any]:
    """Return the line of an end."""
    return record(Kind.ENDED, at=at, status=status, rule="converged", reason="because")


WHOLE = [
    start(),
    begun(0),
    measured(0, 41.0),
    begun(1, fix=True),
    fix_started(1),
    record(Kind.FIX_RUNNING, at=1.0, iteration=1, pid=1, identity="7"),
    fix_ended(1),
    measured(1, 17.0),
    start(at=100.0, kind=Kind.RESUMED),
    begun(2, at=101.0, fix=True),
    fix_started(2, at=102.0),
    fix_ended(2, at=104.0),
    measured(2, 0.0, at=105.0, status="pass"),
    ended(at=106.0),
]


def test_nothing_recorded_is_an_empty_history() -> None:
    """No record at all folds to a history without measurement, end or process."""
    assert fold([]) == History()
    assert fold([]).status == INTERRUPTED


def test_a_whole_ledger_tells_iterations_scores_best_and_end() -> None:
    """Highest iteration, scores, best, fixes and the final status come from the records."""
    history = fold(WHOLE)
    assert history.highest == 2
    assert history.scores == (41.0, 17.0, 0.0)
    assert history.best is not None
    assert history.best.iteration == 2
    assert history.status == "converged"
    first, second, third = history.measurements
    assert first.fix is None
    assert second.fix is not None
    assert third.fix is not None
    assert second.fix.outcome is FixOutcome.CHANGED
    assert history.pending is None
    assert history.running is None
    assert history.processes == 2
    assert history.interrupted == ()


def test_spent_time_adds_up_over_processes_without_the_time_between_them() -> None:
    """Spent seconds are first to last record of each process; the pause between is free."""
    assert fold(WHOLE).spent_seconds == pytest.approx(3.0 + 6.0)


def test_a_clock_that_jumps_back_never_gives_time_back() -> None:
    """A record from before the process began counts as no time."""
    assert fold([start(at=50.0), begun(0, at=10.0)]).spent_seconds == 0.0


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=len(WHOLE)))
def test_any_prefix_of_a_ledger_is_a_history(length: int) -> None:
    """Wherever a process was killed, what is on disk folds, and recorded iterations stay."""
    history = fold(WHOLE[:length])
    recorded = [r["iteration"] for r in WHOLE[:length] if r["kind"] == "measured"]
    assert [m.iteration for m in history.measurements] == recorded
    assert history.highest == (recorded[-1] if recorded else None)
    assert (history.end is not None) == (length == len(WHOLE))
    if history.pending is not None:
        assert history.pending.iteration == (history.highest if recorded else -1) + 1  # type: ignore[operator]


@pytest.mark.parametrize(
    ("upto", "phase", "fixed"),
    [(4, "fix", False), (5, "fix", False), (6, "fix", False), (7, "measure", True)],
)
def test_an_interrupted_iteration_tells_its_phase(upto: int, phase: str, *, fixed: bool) -> None:
    """An iteration without a measurement is pending in its fix, or after it in its measurement."""
    history = fold(WHOLE[:upto])
    assert history.pending is not None
    assert history.pending.phase == phase
    assert (history.pending.fix is not None) is fixed
    assert history.interrupted == (history.pending,)
    resumed = fold([*WHOLE[:upto], start(at=9.0, kind=Kind.RESUMED)])
    assert resumed.pending == history.pending
    assert resumed.interrupted == (history.pending,)


def test_a_fix_that_ended_before_the_kill_still_belongs_to_its_measurement() -> None:
    """Resuming between fix and measurement keeps what the fix came to."""
    lines = [*WHOLE[:7], start(kind=Kind.RESUMED), begun(1), measured(1, 17.0)]
    history = fold(lines)
    assert history.last is not None
    assert history.last.fix is not None
    assert history.interrupted[0].phase == "measure"


def test_resuming_takes_the_end_back() -> None:
    """A run that is resumed is open again until it ends again."""
    assert fold([*WHOLE, start(kind=Kind.RESUMED)]).end is None


def test_a_resumed_run_is_held_to_the_goalposts_of_its_start() -> None:
    """What differs from the first process's goalposts is named, and gone when it is put back."""
    moved = fold([start(a="1"), start(kind=Kind.RESUMED, a="2", b="1")]).goalposts_moved
    assert moved == ("a changed (1 -> 2)",)
    back = [start(a="1"), start(kind=Kind.RESUMED, a="2"), start(kind=Kind.RESUMED, a="1")]
    assert fold(back).goalposts_moved == ()
    assert moved_goalposts({"a": "1"}, {}) == ("a is no longer a goalpost",)


def test_a_goalpost_that_is_met_later_counts_from_then_on() -> None:
    """A design that the test reached only in iteration 1 is held to what it was in iteration 1."""
    line = measured_record(
        Measurement(status="fail"),
        at=0.0,
        iteration=1,
        reports=(),
        known_goalposts={"a": "1"},
        goalposts={"a": "2", "b": "3"},
    )
    history = fold([start(a="1"), line])
    assert history.goalposts == {"a": "1", "b": "3"}
    assert history.goalposts_moved == ("a changed (1 -> 2)",)
    again = fold([start(a="1"), line, start(kind=Kind.RESUMED, a="1", b="4")])
    assert again.goalposts_moved == ("b changed (3 -> 4)",)


def test_restarts_are_counted_over_processes() -> None:
    """Each restart of the target counts once for the whole run."""
    again = record(Kind.RESTARTED, at=1.0)
    assert fold([start(), again, start(kind=Kind.RESUMED), again]).restarts == 2


def test_an_unknown_kind_is_left_to_the_version_that_wrote_it() -> None:
    """A record of a kind this version does not know changes nothing."""
    strange = {"schema_version": 1, "kind": "later", "at": 2.0}
    assert fold([*WHOLE[:3], strange]).measurements == fold(WHOLE[:3]).measurements


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"schema_version": 2, "kind": "start", "at": 0.0},
        {"schema_version": "1", "kind": "start", "at": 0.0},
        {"schema_version": 1, "kind": "start", "at": 0.0},
        {"schema_version": 1, "kind": "measured", "at": 0.0, "iteration": "x"},
        {"schema_version": 1, "kind": "fix-ended", "at": 0.0, "iteration": 1, "outcome": "odd"},
        {"schema_version": 1, "kind": "ended", "at": None},
    ],
)
def test_a_record_that_is_none_is_a_clear_error(line: dict[str, Any]) -> None:
    """A record of a newer schema or without its fields names its number and the way out."""
    with pytest.raises(LedgerError, match="record 2 of the ledger") as caught:
        fold([start(), line])
    assert "--run-id" in caught.value.next_step


def test_the_fix_command_is_kept_without_its_arguments() -> None:
    """Arguments of a fix command may be secret: no record holds them."""
    settings = LoopSettings(
        looping=True,
        cap=IterationCap(value=6, source="flag"),
        fix_command="agent --token hunter2",
    )
    line = session_record(
        Kind.START, at=0.0, run_id="r", test_id="t", settings=settings, goalposts={}
    )
    assert line["fixer"] == "agent"
    assert "hunter2" not in json.dumps(line)


def report(label: str, *, hold_out: bool, score: float | None = 2.0) -> dict[str, Any]:
    """Return a report with one open, one excused and one finding that does not gate."""

    def finding(name: str, *, gating: bool = True, state: str = "open") -> dict[str, Any]:
        return {"delta_id": f"{label}/{name}", "gating": gating, "state": state, "severity": 1.0}

    return {
        "label": label,
        "status": "fail",
        "gate": "design",
        "score": score,
        "design": {"name": "shop", "hold_out": hold_out},
        "findings": [
            finding("open"),
            finding("known", state="excused"),
            finding("note", gating=False),
        ],
    }


def test_held_out_comparisons_are_no_part_of_the_visible_history() -> None:
    """Score, status and findings that a fixer may know come from the other comparisons alone."""
    reports = (report("a", hold_out=False), report("b", hold_out=True, score=5.0))
    line = measured_record(
        Measurement(status="fail", score=7.0, delta_ids=("a/open", "b/open"), reports=reports),
        at=0.0,
        iteration=0,
        reports=("a.report.json", "b.report.json"),
    )
    history = fold([start(), line])
    assert history.last is not None
    assert history.last.comparisons[0].delta_ids == ("a/open",)
    assert history.last.comparisons[0].excused == ("a/known",)
    seen = history.visible.last
    assert seen is not None
    assert (seen.score, seen.delta_ids) == (2.0, ("a/open",))
    assert [c.label for c in seen.comparisons] == ["a"]
    assert history.last.score == 7.0


def test_odd_values_in_a_measurement_never_cost_the_measurement() -> None:
    """Whatever JSON cannot hold becomes its text, and a number that is none becomes unknown."""
    odd = plain({1: math.nan, "b": (math.inf, {3, 1}, object, b"x"), "c": True, "d": None, "e": 2})
    assert json.loads(json.dumps(odd, allow_nan=False)) == odd
    assert odd["1"] is None
    assert odd["b"][1] == ["1", "3"]
    assert odd["c"] is True
    assert fold([start(), measured(0, math.nan)]).scores == (None,)


@pytest.mark.parametrize(
    ("told", "recorded", "expected"),
    [
        (IterationCap(value=6, source="default"), (10, "flag"), (10, "flag")),
        (IterationCap(value=6, source="default"), (None, None), (6, "default")),
        (IterationCap(value=8, source="flag"), (4, "flag"), (8, "flag")),
        (IterationCap(value=6, source="default", notes=("refused",)), (4, "flag"), (6, "default")),
    ],
)
def test_a_resumed_run_keeps_its_cap_unless_one_is_given(
    told: IterationCap, recorded: tuple[int | None, str | None], expected: tuple[int, str]
) -> None:
    """Without a cap of its own, a resuming process takes the recorded one, never the default."""
    cap = resumed_cap(told, recorded=recorded)
    assert (cap.value, cap.source) == expected
