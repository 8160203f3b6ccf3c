"""Comparisons without a design side: gathered for the test, never fixed, never green."""

from __future__ import annotations

import pytest

from pytest_pixelloop.core.history import Compared, History, Measured
from pytest_pixelloop.core.stopping import Limits, decide
from pytest_pixelloop.core.verdict import combine_statuses, is_design_side, sum_scores
from pytest_pixelloop.loop.fix_step import fix_is_due

SIDES = ("undetermined:unthemable", "undetermined:unnamed-frame", "undetermined:not-exported")
GATHERED = "undetermined:design-side"


def measured(*statuses: str, iteration: int = 0) -> Measured:
    """Return a measurement with a comparison for each status."""
    return Measured(
        iteration=iteration,
        status=combine_statuses(statuses),
        score=sum_scores((s, {"pass": 0.0, "fail": 9.0}.get(s)) for s in statuses),
        delta_ids=(),
        channels={"visual": "compared"},
        comparisons=tuple(
            Compared(
                label=f"1-{number}",
                design="shop",
                status=status,
                gate="design",
                score=None,
                delta_ids=(),
                excused=(),
                hold_out=False,
                report=f"1-{number}.report.json",
            )
            for number, status in enumerate(statuses)
        ),
    )


@pytest.mark.parametrize(
    ("statuses", "combined"),
    [
        (SIDES, GATHERED),
        (("pass", SIDES[0]), GATHERED),
        (("conditional", SIDES[2]), GATHERED),
        (("fail", *SIDES), "fail"),
        (("pass", SIDES[1], "undetermined:unstable"), "undetermined:unstable"),
        (("pass", SIDES[1], "undetermined:figma-unreadable"), "undetermined:figma-unreadable"),
        ((GATHERED, "pass"), GATHERED),
        (("undetermined:not-exported-yet",), "undetermined:not-exported-yet"),
        (("pass", "pass"), "pass"),
    ],
)
def test_reasons_of_the_design_side_are_one_status(
    statuses: tuple[str, ...], combined: str
) -> None:
    """They are gathered behind a failure and behind every other reason, and never pass."""
    assert combine_statuses(statuses) == combined
    assert combine_statuses(statuses[::-1]) == combined


def test_the_reasons() -> None:
    """Three reasons and their sum are of the design side; no other word is."""
    assert all(is_design_side(status) for status in (*SIDES, GATHERED))
    for status in ("pass", "fail", "undetermined", "undetermined:unstable", "x:not-exported"):
        assert not is_design_side(status)


@pytest.mark.parametrize("looping", [True, False])
def test_the_end_names_every_label_with_its_reason(looping: bool) -> None:  # noqa: FBT001
    """Everything else passes: the test ends as design-side, looped or not."""
    history = History(measurements=(measured("pass", *SIDES),))
    decision = decide(history, Limits(cap=6, looping=looping), now=0)
    assert (decision.status, decision.rule) == (GATHERED, "design-side")
    assert decision.reason == (
        "the design side is missing for: 1-1 (unthemable), 1-2 (unnamed-frame), 1-3 (not-exported)"
    )
    assert not fix_is_due(history, 1, conditional_passes=False)


def test_a_loop_goes_on_with_what_can_be_compared() -> None:
    """A failing label is fixed on by its own score, and the end comes when it passes."""
    first = measured("fail", SIDES[2])
    history = History(measurements=(first,))
    assert (first.status, first.score) == ("fail", 9.0)
    assert decide(history, Limits(cap=6), now=0).again
    assert fix_is_due(history, 1, conditional_passes=False)
    then = History(measurements=(first, measured("pass", SIDES[2], iteration=1)))
    assert decide(then, Limits(cap=6), now=0).status == GATHERED


def test_a_conditional_label_is_fixed_on_and_never_let_through() -> None:
    """Beside a missing design side a conditional verdict loops, or ends as design-side."""
    history = History(measurements=(measured("conditional", SIDES[2]),))
    assert decide(history, Limits(cap=6), now=0).again
    assert fix_is_due(history, 1, conditional_passes=False)
    through = Limits(cap=6, conditional_passes=True)
    assert decide(history, through, now=0).status == GATHERED
    assert not fix_is_due(history, 1, conditional_passes=True)
    assert decide(history, Limits(cap=6, looping=False), now=0).status == GATHERED


def test_scores_add_up_over_what_was_compared() -> None:
    """A missing design side makes no score unknown; a capture that failed does."""
    assert sum_scores([("fail", 3.0), (SIDES[0], None), ("pass", 0.0)]) == 3.0
    assert sum_scores([("fail", 3.0), ("undetermined:unstable", None)]) is None
    assert sum_scores([(SIDES[0], None)]) is None
