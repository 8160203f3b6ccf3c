"""The stop rules, one by one and in their order."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.budget import BudgetLimits, Spent
from pytest_pixelloop.core.history import Compared, Fix, History, Measured
from pytest_pixelloop.core.measurement import compared_channels
from pytest_pixelloop.core.records import FixOutcome
from pytest_pixelloop.core.stopping import RULES, Decision, Limits, decide, decide_entry

CHANGED, UNCHANGED = FixOutcome.CHANGED, FixOutcome.UNCHANGED
FAILED, TIMED_OUT = FixOutcome.FAILED, FixOutcome.TIMED_OUT
LIMITS = Limits(cap=6)


def measured(
    iteration: int,
    score: float | None,
    ids: str = "",
    *,
    status: str = "fail",
    fix: FixOutcome | None = None,
    sources: str | None = None,
    problem: str | None = None,
    labels: dict[str, str] | None = None,
    moved: tuple[str, ...] = (),
    visual: str = "compared",
) -> Measured:
    """Return one measurement; *ids* are delta_ids of one letter each."""
    comparisons = tuple(
        Compared(
            label=label,
            design=label,
            status=word,
            gate="design",
            score=None,
            delta_ids=(),
            excused=(),
            hold_out=False,
            report=f"{label}.report.json",
        )
        for label, word in (labels or {}).items()
    )
    return Measured(
        iteration=iteration,
        status=status,
        score=score,
        delta_ids=tuple(ids),
        channels={"visual": visual},
        comparisons=comparisons,
        problem=problem,
        sources=sources,
        goalposts_moved=moved,
        fix=None if fix is None else Fix(iteration=iteration, outcome=fix),
    )


def story(*steps: tuple[float | None, str], first: int = 0, fix: bool = True) -> History:
    """Return the history of fixes that changed something and gave these scores and findings."""
    return History(
        measurements=tuple(
            measured(n, score, ids, fix=CHANGED if fix and n > 0 else None)
            for n, (score, ids) in enumerate(steps, start=first)
        )
    )


def end_of(history: History, limits: Limits = LIMITS) -> tuple[str | None, int | None]:
    """Return the status of the first stop while the history grows, and at which iteration."""
    for length in range(1, len(history.measurements) + 1):
        part = dataclasses.replace(history, measurements=history.measurements[:length])
        decision = decide(part, limits, now=0.0)
        if not decision.again:
            return decision.status, part.highest
    return None, history.highest


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        # The score falls: no rule fires before the cap.
        ([(9.0, "abc"), (6.0, "ab"), (3.0, "a")], (None, 2)),
        # A fix that changes the sources and never the page.
        ([(9.0, "a")] * 6, ("not-converged:stalled", 3)),
        # Progress, then none: three measurements in a row that do not fall.
        ([(9.0, "ab"), (4.0, "a"), (4.0, "a"), (4.0, "a")], ("not-converged:stalled", 3)),
        ([(9.0, "abc"), (6.0, "ab"), (4.0, "a"), (4.0, "a"), (4.0, "a")],
         ("not-converged:stalled", 4)),
        # Two steps of ping-pong are caught at distance 2, three at distance 3.
        ([(9.0, "a"), (9.0, "b"), (9.0, "a")], ("not-converged:oscillating", 2)),
        ([(9.0, "a"), (5.0, "b"), (9.0, "a")], ("not-converged:oscillating", 2)),
        ([(11.1, "a"), (11.2, "a"), (11.1, "a")], ("not-converged:oscillating", 2)),
        ([(9.0, "a"), (8.0, "a"), (8.0, "a"), (8.0, "a")], ("not-converged:stalled", 3)),
        ([(9.0, "a"), (8.0, "b"), (7.0, "c"), (9.0, "a")], ("not-converged:oscillating", 3)),
        # Period 3 with scores that do not fall is stalled first: that rule stands before.
        ([(9.0, "a"), (9.0, "b"), (9.0, "c"), (9.0, "a")], ("not-converged:stalled", 3)),
        # The same findings, smaller than they were then: progress.
        ([(9.0, "a"), (5.0, "b"), (8.0, "a"), (4.0, "b"), (3.0, "a")], (None, 4)),
        # The set only stayed at iteration 1; it was left at 2 and came back at 3.
        ([(9.0, "a"), (9.0, "a"), (5.0, "b"), (9.0, "a")], ("not-converged:oscillating", 3)),
        # Unknown scores never improve.
        ([(None, "a")] * 5, ("not-converged:stalled", 3)),
        ([(9.0, "a"), (8.0, "a"), (None, "a"), (1.0, "a")], ("not-converged:stalled", 3)),
        ([(None, "a"), (5.0, "b"), (None, "a")], ("not-converged:oscillating", 2)),
        # The score rises once and falls again: not stalled.
        ([(9.0, "a"), (12.0, "ab"), (8.0, "b"), (7.0, "c")], (None, 3)),
    ],
)  # fmt: skip
def test_magnitude_is_watched_by_stalled_and_identity_by_oscillating(
    steps: list[tuple[float | None, str]], expected: tuple[str | None, int]
) -> None:
    """Each story of scores and findings ends with the right status at the right iteration."""
    assert end_of(story(*steps)) == expected


def test_stalling_is_not_asked_before_iteration_3() -> None:
    """Iterations 0 to 2 cannot stall, in create mode 1 to 2 neither."""
    assert end_of(story(*[(9.0, "a")] * 3)) == (None, 2)
    assert end_of(story(*[(9.0, "a")] * 2, first=1)) == (None, 2)
    assert end_of(story(*[(9.0, "a")] * 3, first=1)) == ("not-converged:stalled", 3)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ((UNCHANGED, UNCHANGED), 2),
        ((FAILED, FAILED), 2),
        ((TIMED_OUT, TIMED_OUT), 2),
        ((FAILED, UNCHANGED), 2),
        ((UNCHANGED, CHANGED, UNCHANGED, FAILED), 4),
        ((UNCHANGED,), None),
        ((UNCHANGED, FixOutcome.UNKNOWN, UNCHANGED), None),
    ],
)
def test_breaker_counts_useless_fixes_in_a_row(
    outcomes: tuple[FixOutcome, ...], expected: int | None
) -> None:
    """Two fixes in a row that failed, timed out or changed nothing end the loop at the second."""
    scores = [40.0 - n for n in range(len(outcomes) + 1)]
    history = History(
        measurements=(
            measured(0, 40.0, "a"),
            *(measured(n, scores[n], "a", fix=o) for n, o in enumerate(outcomes, start=1)),
        )
    )
    status, iteration = end_of(history)
    assert (iteration if status else None) == expected
    assert status in {None, "not-converged:breaker"}


def test_a_fix_that_changes_nothing_is_breaker_and_not_stalled() -> None:
    """An idle fixer ends at iteration 2 already, and the reason names each useless fix."""
    history = History(
        measurements=(
            measured(0, 9.0, "a", sources="s"),
            measured(1, 9.0, "a", sources="s", fix=UNCHANGED),
            measured(2, 9.0, "a", sources="s", fix=FAILED),
        )
    )
    decision = decide(history, LIMITS, now=0.0)
    assert decision.rule == "breaker"
    assert "iteration 1 changed nothing" in decision.reason
    assert "iteration 2 failed" in decision.reason


def test_breaker_sees_the_same_error_come_back() -> None:
    """One problem that comes back twice while the score does not fall ends the loop."""
    same = [measured(n, 9.0, "a", problem="boom", fix=CHANGED if n else None) for n in range(3)]
    decision = decide(History(measurements=tuple(same)), LIMITS, now=0.0)
    assert decision.rule == "breaker"
    assert "boom" in decision.reason
    falling = [
        measured(n, 9.0 - n, "a", problem="boom", fix=CHANGED if n else None) for n in range(3)
    ]
    assert decide(History(measurements=tuple(falling)), LIMITS, now=0.0).again


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (measured(1, 0.0, status="pass"), "converged"),
        (measured(1, None, status="pass"), "undetermined:unknown-score"),
        (measured(1, 0.0, status="pass", visual="skipped: no input"),
         "undetermined:no-comparable-channel"),
        (measured(1, 0.0, status="pass", visual="n/a"), "undetermined:no-comparable-channel"),
        (measured(1, None, status="undetermined:no-comparable-channel"),
         "undetermined:no-comparable-channel"),
        (measured(1, None, status="undetermined:design-side"), "undetermined:design-side"),
        (measured(1, None, status="undetermined:design-side",
                  labels={"a": "pass", "b": "undetermined:design-side"}),
         "undetermined:design-side"),
        (measured(1, None, status="undetermined:figma-unreadable"),
         "undetermined:figma-unreadable"),
        (measured(1, None, status="undetermined:blank-capture"), "undetermined:blank-capture"),
        (measured(1, None, status="undetermined"), "undetermined"),
        (measured(1, 1.0, status="great"), "undetermined:unknown-status"),
        (measured(1, 1.0, status="fail"), None),
        (measured(1, 1.0, status="conditional"), None),
        (measured(1, 1.0, status="fail", labels={"a": "fail", "b": "undetermined:design-side"}),
         None),
        (measured(1, 0.0, status="pass", moved=("design changed",)),
         "undetermined:goalposts-moved"),
        (measured(1, None, status="undetermined:figma-unreadable", moved=("design absent",)),
         "undetermined:goalposts-moved"),
    ],
)  # fmt: skip
def test_only_a_trusted_pass_converges_and_only_a_mismatch_loops(
    last: Measured, expected: str | None
) -> None:
    """Each verdict ends as it should; fail and conditional alone go on."""
    decision = decide(History(measurements=(measured(0, 9.0, "a"), last)), LIMITS, now=0.0)
    assert decision.status == expected
    assert decision.again is (expected is None)


def test_a_conditional_verdict_converges_only_when_it_is_set_to_pass() -> None:
    """``pixelloop_conditional = pass`` ends the loop at a conditional verdict."""
    history = History(measurements=(measured(0, 1.0, "a", status="conditional"),))
    assert decide(history, LIMITS, now=0.0).again
    lenient = dataclasses.replace(LIMITS, conditional_passes=True)
    assert decide(history, lenient, now=0.0).status == "converged"


@pytest.mark.parametrize(
    ("before", "after", "floor", "unstable"),
    [
        (measured(0, 9.0, "a", sources="s"), measured(1, 8.0, "a", sources="s"), 0.0, True),
        (measured(0, 9.0, "a", sources="s"), measured(1, 9.0, "b", sources="s"), 0.0, True),
        (measured(0, 9.0, "a", sources="s"), measured(1, 9.0, "a", sources="s"), 0.0, False),
        (measured(0, 9.0, "a", sources="s"), measured(1, 8.0, "a", sources="t"), 0.0, False),
        (measured(0, 9.0, "a"), measured(1, 8.0, "a"), 0.0, False),
        (measured(0, 9.0, "a", sources="s"), measured(1, 8.0, "b", sources="s"), 1.0, False),
        (measured(0, 9.0, "a", sources="s"), measured(1, 7.0, "a", sources="s"), 1.0, True),
        (measured(0, None, "a", sources="s"), measured(1, None, "a", sources="s"), 0.0, False),
        (measured(0, None, "a", sources="s"), measured(1, 1.0, "a", sources="s"), 0.0, True),
    ],
)
def test_a_page_that_moves_while_its_sources_stand_still_is_unstable(
    before: Measured, after: Measured, floor: float, *, unstable: bool
) -> None:
    """Only known, equal sources prove it, and only beyond the noise floor."""
    limits = dataclasses.replace(LIMITS, noise_floor=floor)
    decision = decide(History(measurements=(before, after)), limits, now=0.0)
    assert (decision.status == "undetermined:unstable-render") is unstable


def test_the_cap_ends_the_loop_and_a_pass_at_the_cap_has_converged() -> None:
    """N = cap is the last iteration; passing there is passing."""
    steps = [(9.0 - n, "abcdefgh"[n]) for n in range(4)]
    limits = Limits(cap=3)
    assert end_of(story(*steps), limits) == ("not-converged:cap-exhausted", 3)
    won = story(*steps[:3])
    won = dataclasses.replace(
        won, measurements=(*won.measurements, measured(3, 0.0, status="pass", fix=CHANGED))
    )
    assert end_of(won, limits) == ("converged", 3)


def test_a_process_pauses_after_its_share_unless_a_rule_ends_the_loop() -> None:
    """iterations_per_run gives ``in-progress``; every rule goes before it."""
    limits = Limits(cap=6, iterations_per_run=1, measured_here=1)
    assert end_of(story((9.0, "a")), limits) == ("in-progress", 0)
    assert end_of(story((9.0, "a")), dataclasses.replace(limits, measured_here=0)) == (None, 0)
    done = History(measurements=(measured(0, 0.0, status="pass"),))
    assert decide(done, limits, now=0.0).status == "converged"
    capped = dataclasses.replace(limits, cap=1)
    assert decide(story((8.0, "b"), first=1), capped, now=0.0).rule == "cap"


def test_reload_and_budget_have_their_rules() -> None:
    """Spent restarts and spent time end the loop with their own status."""
    lost = measured(1, None, status="undetermined:unreachable")
    history = History(measurements=(measured(0, 9.0, "a"), lost))
    assert decide(history, LIMITS, now=0.0).status == "undetermined:unreachable"
    spent = dataclasses.replace(history, restarts=2)
    assert decide(spent, LIMITS, now=0.0).status == "not-converged:reload-exhausted"
    slow = dataclasses.replace(
        story((9.0, "a")),
        spent_seconds=50.0,
        last_at=100.0,
        limits=BudgetLimits(max_minutes=1.0),
    )
    assert decide(slow, LIMITS, now=109.0).again
    assert decide(slow, LIMITS, now=110.0).status == "not-converged:budget-exhausted"


@pytest.mark.parametrize("status", ["pass", "conditional", "fail", "undetermined:blank-capture"])
def test_a_plain_gate_ends_with_its_verdict(status: str) -> None:
    """Without a loop the status is the verdict's own word, whatever happened before."""
    history = History(measurements=(*[measured(n, 9.0, "a") for n in range(9)],))
    last = measured(9, 0.0 if status == "pass" else 9.0, status=status)
    history = dataclasses.replace(history, measurements=(*history.measurements, last))
    decision = decide(history, Limits(cap=6, looping=False), now=0.0)
    assert decision.status == status


def test_entering_a_run_needs_iterations_left_and_the_same_goalposts() -> None:
    """A spent cap and moved goalposts stop a resumed run before it measures or fixes anything."""
    spent = story(*[(9.0 - n, "a") for n in range(4)])
    refused = decide_entry(spent, Limits(cap=3))
    assert refused is not None
    assert refused.status == "not-converged:cap-exhausted"
    assert decide_entry(spent, Limits(cap=4)) is None
    assert decide_entry(spent, Limits(cap=1, looping=False)) is None
    moved = decide_entry(dataclasses.replace(spent, goalposts_moved=("x changed",)), LIMITS)
    assert moved is not None
    assert moved.status == "undetermined:goalposts-moved"
    assert "x changed" in moved.reason


@pytest.mark.parametrize(
    ("value", "compared"),
    [
        ("compared", True),
        ("pass", True),
        ("fail", True),
        ("skipped", False),
        ("Skipped: no expectations", False),
        ("not compared", False),
        ("n/a", False),
        ("", False),
        (None, False),
        (False, False),
        ({"status": "pass", "findings": 0}, True),
        ({"status": "skipped"}, False),
        ({}, False),
    ],
)
def test_a_channel_without_input_counts_as_nothing(value: object, *, compared: bool) -> None:
    """A skipped channel is neither a pass nor a fail, however it is worded."""
    assert bool(compared_channels({"visual": value})) is compared


scores = st.one_of(st.none(), st.floats(min_value=0, max_value=9, allow_nan=False))
statuses = st.sampled_from(["pass", "conditional", "fail", "undetermined:x", "undetermined", "?"])


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Return any history at all, sensible or not."""
    first = draw(st.integers(min_value=0, max_value=1))
    count = draw(st.integers(min_value=0, max_value=7))
    return History(
        measurements=tuple(
            measured(
                n,
                draw(scores),
                draw(st.sampled_from(["", "a", "b", "ab"])),
                status=draw(statuses),
                fix=draw(st.one_of(st.none(), st.sampled_from(list(FixOutcome)))),
                sources=draw(st.sampled_from([None, "s", "t"])),
                problem=draw(st.sampled_from([None, "p"])),
                moved=draw(st.sampled_from([(), ("x changed",)])),
                visual=draw(st.sampled_from(["compared", "skipped"])),
            )
            for n in range(first, first + count)
        ),
        restarts=draw(st.integers(min_value=0, max_value=3)),
        spent_seconds=draw(st.floats(min_value=0, max_value=100)),
        last_at=draw(st.one_of(st.none(), st.floats(min_value=0, max_value=100))),
        limits=BudgetLimits(
            max_minutes=draw(st.one_of(st.none(), st.floats(min_value=0, max_value=2))),
            max_cost_usd=draw(st.one_of(st.none(), st.floats(min_value=0, max_value=2))),
            max_tokens=draw(st.one_of(st.none(), st.integers(min_value=0, max_value=2))),
        ),
        cost=Spent(cost_usd=draw(st.floats(min_value=0, max_value=2))),
        elsewhere=Spent(tokens=draw(st.integers(min_value=0, max_value=2))),
    )


@st.composite
def any_limits(draw: st.DrawFn) -> Limits:
    """Return any limits."""
    return Limits(
        cap=draw(st.integers(min_value=1, max_value=99)),
        looping=draw(st.booleans()),
        breaker=draw(st.integers(min_value=0, max_value=3)),
        noise_floor=draw(st.floats(min_value=0, max_value=2)),
        iterations_per_run=draw(st.one_of(st.none(), st.integers(min_value=1, max_value=3))),
        measured_here=draw(st.integers(min_value=0, max_value=3)),
        conditional_passes=draw(st.booleans()),
    )


@settings(deadline=None)
@given(histories(), any_limits(), st.floats(min_value=0, max_value=1000))
def test_every_history_gives_one_decision(history: History, limits: Limits, now: float) -> None:
    """decide() is total and deterministic, and says why whenever it stops."""
    decision = decide(history, limits, now=now)
    assert decision == decide(history, limits, now=now)
    assert decision.again == (decision.status is None) == (decision.rule is None)
    assert decision.reason


@settings(deadline=None)
@given(histories(), any_limits())
def test_nothing_but_a_measured_pass_on_the_same_goalposts_is_green(
    history: History, limits: Limits
) -> None:
    """Converged or pass needs a pass, a score, a compared channel and goalposts that stand."""
    decision = decide(history, limits, now=0.0)
    if decision.status not in {"converged", "pass"}:
        return
    last = history.last
    assert last is not None
    assert last.goalposts_moved == ()
    assert compared_channels(last.channels)
    lenient = limits.conditional_passes and last.status == "conditional"
    assert lenient or (last.status == "pass" and last.score is not None)


@settings(deadline=None)
@given(histories(), any_limits())
def test_only_a_mismatch_is_iterated_on(history: History, limits: Limits) -> None:
    """An undetermined measurement is never looped on, nor is a pass."""
    if decide(history, limits, now=0.0).again and history.last is not None:
        assert history.last.status in {"fail", "conditional"}


def test_the_rules_stand_in_their_documented_order() -> None:
    """The order of the rules is the contract, with the goalposts before every verdict."""
    names = [rule.__name__.lstrip("_") for rule in RULES]
    assert names == [
        "goalposts",
        "seal",
        "moving",
        "converged",
        "design_side",
        "no_channel",
        "undetermined",
        "unstable",
        "breaker",
        "stalled",
        "oscillating",
        "reload",
        "budget",
        "cap",
        "pause",
    ]


def test_nothing_measured_goes_on() -> None:
    """Before the first measurement there is nothing to decide."""
    assert decide(History(), LIMITS, now=0.0) == Decision(
        again=True, reason="nothing is measured yet"
    )
