"""The scorecard's figure and its verdict, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.scorecard import (
    Caps,
    ComparisonResult,
    Dimension,
    Part,
    Round,
    Scorecard,
    Word,
    decide,
    measure,
)
from pytest_pixelloop.core.static_findings import join, meaning, read_sarif


def _card(**given_words: Any) -> Scorecard:
    dimensions = (
        Dimension(name="shop", weight=0.75, match=("shop*",)),
        Dimension(name="secret", weight=0.25, match=("*::test_secret",), hold_out=True),
    )
    words = {"dimensions": dimensions, "caps": Caps(max_rounds=50), **given_words}
    return Scorecard(**words)


def _result(design: str, status: str, *, test: str = "t.py::test_a") -> ComparisonResult:
    return ComparisonResult(test_id=test, design=design, label=design, status=status)


def _round(passed: int, of: int = 4, *, unknown: int = 0, **words: Any) -> Round:
    part = Part(
        name="shop", weight=1, passed=passed, measured=of, undetermined=unknown, hold_out=False
    )
    told = {"run_id": "r", "digest": "d", "at": 0.0, "seconds": 60.0, "cost_usd": None, **words}
    return Round(parts=(part,), **told)


def test_the_score_is_the_weighted_share_of_what_passes() -> None:
    """Weight times share, summed; a comparison may belong to several dimensions."""
    parts = measure(
        _card(),
        [
            _result("shop-a", "pass"),
            _result("shop-b", "fail"),
            _result("other", "fail"),
            _result("hidden", "pass", test="t.py::test_secret"),
        ],
    )
    item = Round(run_id="r", digest="d", at=0, seconds=0, cost_usd=None, parts=parts)
    assert item.score == 100 * (0.75 * 0.5 + 0.25)
    assert item.full


def test_what_was_not_measured_never_helps() -> None:
    """Undetermined counts as not passing, and the round is no full measurement."""
    parts = measure(_card(), [_result("shop-a", "pass"), _result("shop-b", "undetermined:x")])
    item = Round(run_id="r", digest="d", at=0, seconds=0, cost_usd=None, parts=parts)
    assert item.score == 100 * 0.75 * 0.5
    assert not item.full
    assert [p.share for p in parts] == [0.5, None]


GOOD, BAD = _round(4), _round(1)


@pytest.mark.parametrize(
    ("rounds", "word", "rule"),
    [
        ([], Word.CONTINUE, "start"),
        ([GOOD], Word.CONTINUE, "confirm"),
        ([GOOD, GOOD], Word.STOP, "target"),
        ([GOOD, BAD, GOOD], Word.CONTINUE, "confirm"),
        ([BAD], Word.CONTINUE, "below-target"),
        ([GOOD, _round(4, unknown=1)], Word.CONTINUE, "incomplete"),
        ([_round(0, 0), _round(0, 0)], Word.ESCALATE, "incomplete"),
        ([BAD] * 5, Word.ESCALATE, "no-progress"),
        ([BAD] * 4, Word.CONTINUE, "below-target"),
        ([_round(1), _round(2), _round(3), _round(2)], Word.CONTINUE, "below-target"),
    ],
)
def test_the_verdict_follows_from_the_rounds(rounds: list[Round], word: Word, rule: str) -> None:
    """STOP needs the target in consecutive full rounds; a stall or a blind run escalates."""
    ruling = decide(_card(), rounds, now=0)
    assert (ruling.word, ruling.rule) == (word, rule)


@pytest.mark.parametrize(
    ("caps", "rounds", "now", "rule"),
    [
        (Caps(max_rounds=2), [BAD, _round(2)], 0, "max_rounds"),
        (Caps(max_minutes=10), [BAD], 9 * 60, "max_minutes"),
        (
            Caps(max_cost_usd=2),
            [_round(1, cost_usd=1.5), _round(2, cost_usd=0.5)],
            0,
            "max_cost_usd",
        ),
        (Caps(max_cost_usd=2), [_round(1)], 0, "max_cost_usd"),
    ],
)
def test_a_spent_cap_escalates(caps: Caps, rounds: list[Round], now: float, rule: str) -> None:
    """Each cap ends it; a cost that nobody reports cannot be the only limit."""
    ruling = decide(_card(caps=caps), rounds, now=now)
    assert (ruling.word, ruling.rule) == (Word.ESCALATE, rule)


def test_a_cap_that_is_not_spent_does_not_end_it() -> None:
    """Below every cap the verdict is CONTINUE, unknown cost beside another cap included."""
    caps = Caps(max_rounds=3, max_minutes=10, max_cost_usd=2)
    assert decide(_card(caps=caps), [BAD], now=60).word is Word.CONTINUE


def test_a_target_reached_with_the_last_round_is_reached() -> None:
    """The target is asked for before the caps."""
    assert decide(_card(caps=Caps(max_rounds=2)), [GOOD, GOOD], now=0).word is Word.STOP


def test_a_held_out_dimension_is_not_named_in_a_reason() -> None:
    """Why a round is incomplete tells nothing of what is held out."""
    parts = measure(_card(), [_result("shop-a", "pass")])
    item = Round(run_id="r", digest="d", at=0, seconds=0, cost_usd=None, parts=parts)
    assert "secret" not in decide(_card(), [item], now=0).reason


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=12))
def test_stop_is_never_said_without_the_target_in_full_rounds(
    history: list[tuple[int, int]],
) -> None:
    """Whatever came before, STOP means that the last consecutive rounds were full and met it."""
    rounds = [_round(passed, unknown=unknown) for passed, unknown in history]
    if decide(_card(), rounds, now=0).word is Word.STOP:
        assert all(r.full and r.score >= 100 for r in rounds[-2:])
        assert len(rounds) >= 2


SARIF = {
    "version": "2.1.0",
    "runs": [
        {
            "results": [
                {
                    "ruleId": "no-hex",
                    "level": "error",
                    "message": {"text": "use a token"},
                    "locations": [
                        {"physicalLocation": {"artifactLocation": {"uri": "src/shop/a.css"}}}
                    ],
                },
                {"ruleId": "note", "level": "note", "message": {"text": "x"}},
                {"ruleId": "gone", "suppressions": [{}], "message": {"text": "x"}},
                {"ruleId": "fine", "kind": "pass", "message": {"text": "x"}},
                "junk",
            ]
        },
        "junk",
    ],
}


def test_a_sarif_log_is_read_tolerantly() -> None:
    """Errors and warnings count; notes, suppressed and passing results and junk do not."""
    found = read_sarif(SARIF)
    assert found is not None
    assert [(r.rule, r.path) for r in found] == [("no-hex", "src/shop/a.css")]
    assert read_sarif({"runs": 3}) is None
    assert read_sarif([]) is None


@pytest.mark.parametrize(
    ("visual", "static", "told"),
    [
        (True, True, "clean"),
        (True, False, "possible false alarm"),
        (False, True, "visual discovery"),
        (False, False, "confirmed"),
    ],
)
def test_two_verdicts_mean_something_together(visual: bool, static: bool, told: str) -> None:  # noqa: FBT001
    """Where only one of them speaks, the other missed it or it is a false alarm."""
    assert meaning(visual_passes=visual, static_passes=static) == told


def test_the_join_follows_the_sources() -> None:
    """A comparison is joined with the results of its own files; undetermined ones are left out."""
    rows = join(
        [_result("shop", "fail"), _result("blog", "fail"), _result("x", "undetermined:y")],
        read_sarif(SARIF) or (),
        sources={"shop": ("src/shop/*",), "blog": ("src/blog/*",)},
    )
    assert [(r["label"], r["meaning"]) for r in rows] == [
        ("shop", "confirmed"),
        ("blog", "visual discovery"),
    ]
