"""What a run may spend: what is not known is never nothing, and what is spent stays spent."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.budget import Budget, BudgetLimits, Spent, Usage, read_usage
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.core.measurement import LoopSettings
from pytest_pixelloop.core.records import FixOutcome, Kind, fix_ended_record, record, session_record
from pytest_pixelloop.core.tolerance import IterationCap

json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just(10**400)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=12), inner, max_size=3)
    ),
    max_leaves=6,
)
reports = st.dictionaries(
    st.sampled_from(["cost_usd", "tokens", "input_tokens", "output_tokens", "other"]), json_values
)


@given(value=st.one_of(json_values, reports))
def test_whatever_a_fixer_reports_is_a_cost_or_unknown(value: Any) -> None:
    """Every JSON value gives a usage: each figure finite and of 0 or more, or unknown."""
    usage = read_usage(value)
    assert usage.cost_usd is None or 0 <= usage.cost_usd < math.inf
    assert usage.tokens is None or (isinstance(usage.tokens, int) and usage.tokens >= 0)
    assert usage.spent.cost_unknown == (usage.cost_usd is None)
    assert usage.spent.tokens_unknown == (usage.tokens is None)
    assert Usage.of(usage.as_record()) == usage


@pytest.mark.parametrize(
    ("value", "cost", "tokens", "said"),
    [
        ({"cost_usd": 0.5, "tokens": 1200}, 0.5, 1200, None),
        ({"cost_usd": 1, "input_tokens": 1000, "output_tokens": 200}, 1.0, 1200, None),
        ({"cost_usd": 0, "tokens": 0}, 0.0, 0, None),
        ({"tokens": 1200.0}, None, 1200, None),
        ({"cost_usd": 0.5}, 0.5, None, None),
        ({"cost_usd": 0.5, "input_tokens": 7}, 0.5, None, None),
        ({"cost_usd": None, "tokens": 3}, None, 3, None),
        ({}, None, None, "neither"),
        ([], None, None, "no JSON object"),
        ({"cost_usd": -0.5, "tokens": 3}, None, 3, "cost_usd -0.5 is not"),
        ({"cost_usd": math.nan}, None, None, "cost_usd nan is not"),
        ({"cost_usd": math.inf}, None, None, "cost_usd inf is not"),
        ({"cost_usd": True}, None, None, "cost_usd True is not"),
        ({"cost_usd": "0"}, None, None, "cost_usd '0' is not"),
        ({"cost_usd": 1e300}, None, None, "cost_usd 1e\\+300 is not"),
        ({"cost_usd": 10**400}, None, None, "more than 15 digits"),
        ({"tokens": 1.5, "cost_usd": 2}, 2.0, None, "tokens 1.5 is not a whole number"),
        ({"tokens": "\x1b[31m"}, None, None, "tokens '.x1b"),
        ({"input_tokens": True, "output_tokens": 3}, None, None, "input_tokens True"),
    ],
)
def test_how_a_report_is_read(
    value: Any, cost: float | None, tokens: int | None, said: str | None
) -> None:
    """A good figure counts, a wrong one is unknown and named, and never taken for 0."""
    usage = read_usage(value)
    assert (usage.cost_usd, usage.tokens) == (cost, tokens)
    if said is None:
        assert usage.problem is None
    else:
        with pytest.raises(AssertionError, match=said):
            raise AssertionError(usage.problem)


def _start(kind: Kind, at: float, **limits: Any) -> dict[str, Any]:
    return session_record(
        kind,
        at=at,
        run_id="r",
        test_id="t",
        settings=LoopSettings(
            looping=True,
            cap=IterationCap(value=6, source="flag"),
            budget=BudgetLimits(**limits),
        ),
        goalposts={},
        elsewhere=Spent(seconds=30.0, cost_usd=0.25, tokens=100),
    )


def _fix(iteration: int, at: float, usage: Usage | None) -> dict[str, Any]:
    return fix_ended_record(
        at=at,
        iteration=iteration,
        outcome=FixOutcome.CHANGED,
        exit_code=0,
        seconds=1.0,
        changed=(),
        output=None,
        error=None,
        usage=usage,
    )


def test_a_ledger_tells_what_its_run_has_spent() -> None:
    """Time inside processes, known costs and unknown ones add up, and so does a cut-off fix."""
    records = [
        _start(Kind.START, 0.0, max_minutes=10.0, max_cost_usd=2.0),
        record(Kind.FIX_STARTED, at=1.0, iteration=1),
        _fix(1, 20.0, Usage(cost_usd=0.5, tokens=10)),
        record(Kind.FIX_STARTED, at=30.0, iteration=2),  # killed here
        _start(Kind.RESUMED, 5000.0, max_minutes=10.0, max_cost_usd=2.0),
        record(Kind.FIX_STARTED, at=5010.0, iteration=2),
        _fix(2, 5060.0, None),
    ]
    history = fold(records)
    assert history.spent == Spent(
        seconds=90.0, cost_usd=0.5, tokens=10, cost_unknown=2, tokens_unknown=2
    )
    budget = history.budget
    assert budget.spent == Spent(
        seconds=120.0, cost_usd=0.75, tokens=110, cost_unknown=2, tokens_unknown=2
    )
    assert (budget.seconds_left, budget.cost_usd_left, budget.tokens_left) == (480.0, 1.25, None)
    assert budget.exhausted == ()
    assert history.budget_at(5120.0).seconds_left == 420.0
    assert fold(records[:4]).cost.cost_unknown == 1


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_minutes": 2.0}, ("2.0 of 2 minutes",)),
        ({"max_cost_usd": 0.75}, ("0.75 of 0.75 USD (and 1 fix of unknown usage)",)),
        ({"max_tokens": 110}, ("110 of 110 tokens",)),
        ({"max_minutes": 2.01, "max_cost_usd": 0.76, "max_tokens": 111}, ()),
        ({}, ()),
    ],
)
def test_a_budget_names_what_is_spent(limits: dict[str, Any], words: tuple[str, ...]) -> None:
    """Reaching a limit exhausts it, and each exhausted limit is named with its figures."""
    spent = Spent(seconds=120.0, cost_usd=0.75, tokens=110, cost_unknown=1)
    assert Budget(limits=BudgetLimits(**limits), spent=spent).exhausted == words


def test_limits_that_are_given_win_over_recorded_ones() -> None:
    """A resumed run keeps each recorded limit that is not given anew."""
    recorded = BudgetLimits(max_minutes=5.0, max_tokens=10)
    given = BudgetLimits(max_tokens=20, max_cost_usd=1.0)
    assert given.or_else(recorded) == BudgetLimits(max_minutes=5.0, max_tokens=20, max_cost_usd=1.0)
    assert BudgetLimits.of(given.as_record()) == given
