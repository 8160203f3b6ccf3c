"""The transcript: one ASCII line for each thing that happened, nothing dropped in silence."""

from __future__ import annotations

import dataclasses

import pytest

from pytest_pixelloop.core.history import Compared, End, Fix, History, Measured, Pending
from pytest_pixelloop.core.records import FixOutcome
from pytest_pixelloop.core.summary import summary_record
from pytest_pixelloop.report.lines import (
    compare_line,
    fix_line,
    note_line,
    resumed_line,
    terminal_line,
)


def measured(
    iteration: int,
    score: float | None,
    ids: int = 0,
    *,
    status: str = "fail",
    fix: Fix | None = None,
) -> Measured:
    """Return a measurement with that many open findings."""
    return Measured(
        iteration=iteration,
        status=status,
        score=score,
        delta_ids=tuple(f"d{n}" for n in range(ids)),
        channels={"visual": "compared"},
        fix=fix,
    )


def history(*measurements: Measured, looping: bool = True, end: End | None = None) -> History:
    """Return a history of these measurements."""
    return History(
        test_id="t", looping=looping, iteration_cap=6, measurements=measurements, end=end
    )


def test_the_line_of_an_iteration_is_the_documented_one() -> None:
    """PRODUCT's own example, letter for letter."""
    told = history(measured(2, 41.0, 5), measured(3, 17.0, 3))
    assert compare_line(told, cap=6) == (
        "[3/6] compare  x score 41.0 -> 17.0 (3 open regions, channels=visual)"
    )


@pytest.mark.parametrize(
    ("last", "line"),
    [
        (measured(0, 41.0, 1), "[0/6] compare  x score 41.0 (1 open region, channels=visual)"),
        (measured(0, 0.0, status="pass"),
         "[0/6] compare  v score 0.0 (0 open regions, channels=visual)"),
        (measured(0, 1.0, 1, status="conditional"),
         "[0/6] compare  ~ score 1.0 (1 open region, channels=visual)"),
        (measured(0, None, 2), "[0/6] compare  x score unknown (2 open regions, channels=visual)"),
        (measured(0, None, status="undetermined:blank-capture"),
         ("[0/6] compare  ? undetermined:blank-capture, score unknown "
         "(0 open regions, channels=visual)")),
    ],
)  # fmt: skip
def test_each_verdict_has_its_mark(last: Measured, line: str) -> None:
    """Pass, conditional, fail and undetermined are told apart by a sign and never by colour."""
    assert compare_line(history(last), cap=6) == line


def test_skipped_channels_and_comparisons_that_could_not_be_made_are_named() -> None:
    """What did not take part in the score is told by name."""
    lost = Compared(
        label="12-3__dark",
        design="shop",
        status="undetermined:design-side",
        gate=None,
        score=None,
        delta_ids=(),
        excused=(),
        hold_out=False,
        report="x",
    )
    last = dataclasses.replace(
        measured(1, 2.0, 1),
        channels={"visual": "fail", "style": "skipped: x", "functional": "pass"},
        comparisons=(lost,),
    )
    assert compare_line(history(last), cap=6) == (
        "[1/6] compare  x score 2.0 (1 open region, channels=functional+visual, skipped=style, "
        "12-3__dark: undetermined:design-side)"
    )
    nothing = dataclasses.replace(last, channels={"style": "skipped: x"}, comparisons=())
    assert "channels=none, skipped=style" in compare_line(history(nothing), cap=6)


@pytest.mark.parametrize(
    ("fix", "line"),
    [
        (Fix(iteration=1, outcome=FixOutcome.CHANGED, exit_code=0, seconds=12.34,
             changed=("a.css", "b.css"), changed_count=2),
         "[1/6] fix      v exit code 0, 12.3 s, changed a.css, b.css"),
        (Fix(iteration=1, outcome=FixOutcome.CHANGED, exit_code=0, seconds=1.0,
             changed=tuple(f"{n}.css" for n in range(9)), changed_count=12),
         ("[1/6] fix      v exit code 0, 1.0 s, changed 0.css, 1.css, 2.css, 3.css, 4.css "
         "and 7 more (ledger.jsonl names them)")),
        (Fix(iteration=1, outcome=FixOutcome.UNCHANGED, exit_code=0, seconds=1.0),
         "[1/6] fix      x exit code 0, 1.0 s, no watched file changed"),
        (Fix(iteration=1, outcome=FixOutcome.FAILED, exit_code=3, seconds=1.0),
         "[1/6] fix      x exit code 3, 1.0 s, no watched file changed"),
        (Fix(iteration=1, outcome=FixOutcome.FAILED, error="could not be started: gone"),
         "[1/6] fix      x could not be started: gone, 0.0 s, no watched file changed"),
        (Fix(iteration=1, outcome=FixOutcome.TIMED_OUT, seconds=600.0),
         "[1/6] fix      x timed out and was killed, 600.0 s, no watched file changed"),
        (Fix(iteration=1, outcome=FixOutcome.UNKNOWN, exit_code=0, seconds=1.0),
         "[1/6] fix      v exit code 0, 1.0 s, changed files unknown"),
    ],
)  # fmt: skip
def test_a_fix_is_told_with_how_it_ended_and_what_it_changed(fix: Fix, line: str) -> None:
    """Exit code, seconds and files by name; the number of those left out."""
    assert fix_line(history(measured(0, 9.0, 1)), fix, cap=6) == line


@pytest.mark.parametrize(
    ("left", "line"),
    [
        (None, "[2/6] resumed  - iteration 2 is recorded"),
        (Pending(iteration=3, phase="fix"),
         ("[3/6] resumed  - iteration 2 is recorded; iteration 3 was interrupted in its fix: "
         "its fix is run again")),
        (Pending(iteration=3, phase="measure",
                 fix=Fix(iteration=3, outcome=FixOutcome.CHANGED)),
         ("[3/6] resumed  - iteration 2 is recorded; iteration 3 was interrupted in its measure: "
         "it is measured, without another fix")),
        (Pending(iteration=3, phase="measure"),
         ("[3/6] resumed  - iteration 2 is recorded; iteration 3 was interrupted in its measure: "
         "it is measured again")),
    ],
)  # fmt: skip
def test_a_resumed_run_says_where_it_stands(left: Pending | None, line: str) -> None:
    """What was interrupted, and what is done about it."""
    assert resumed_line(history(measured(2, 9.0, 1)), cap=6, left=left) == line


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (history(measured(0, 41.0), measured(1, 0.0), end=End(status="converged", rule="converged",
                                                              reason="pass")),
         "[1/6] ended    v converged after 1 iteration, score 41.0 -> 0.0; s.md"),
        (history(measured(0, 41.0), measured(1, 41.0), measured(2, 41.0, 7),
                 end=End(status="not-converged:breaker", rule="breaker", reason="2 useless")),
         ("[2/6] ended    x not-converged:breaker after 2 iterations, score 41.0 -> 41.0; "
         "2 useless; 7 open: d0, d1, d2, d3, d4 and 2 more (the summary names them); s.md")),
        (history(end=End(status="undetermined:goalposts-moved", rule="goalposts", reason="x")),
         ("[0/6] ended    ? undetermined:goalposts-moved after 0 iterations, nothing measured; "
         "x; s.md")),
        (history(measured(0, 3.0, 1, status="conditional"), looping=False,
                 end=End(status="conditional", rule="gate", reason="r")),
         "[gate] ended    ~ conditional, score 3.0; r; 1 open: d0; s.md"),
    ],
)  # fmt: skip
def test_the_last_line_tells_status_scores_reason_and_where_to_look(
    told: History, line: str
) -> None:
    """One line ends the transcript, rendered from the summary's record."""
    assert terminal_line(summary_record(told), summary="s.md") == line


def test_a_line_is_one_line_of_ascii_whatever_is_in_it() -> None:
    """Names and messages cannot reach the terminal as control characters or break the line."""
    line = note_line("größer\n\x1b[31m\u202e → " + "x" * 5000)
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 600
