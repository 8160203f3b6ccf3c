"""Budgets of a loop: spent over all processes, known and unknown, and named when they end it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.core.budget import BudgetLimits, Spent

if TYPE_CHECKING:
    from pytest_pixelloop.session import Measurement
    from tests.loop.conftest import Project

ONE_LESS = "page['b'] -= 1; page.pop('edit', None); save(**page)"
REPORT = ONE_LESS + (
    "\nimport json; open(os.environ['PIXELLOOP_USAGE'], 'w').write(json.dumps(%s))"
)


@pytest.mark.parametrize(
    ("limits", "last", "said"),
    [
        (BudgetLimits(max_cost_usd=1.0), 3, "1.2 of 1 USD are spent"),
        (BudgetLimits(max_tokens=1000), 2, "1200 of 1000 tokens are spent"),
    ],
)
def test_a_loop_ends_when_its_fixes_have_cost_too_much(
    project: Project, limits: BudgetLimits, last: int, said: str
) -> None:
    """What the fixers report adds up, and the limit that is reached ends the loop by name."""
    report = REPORT % "{'cost_usd': 0.4, 'input_tokens': 500, 'output_tokens': 100}"
    ended = project.loop(report, budget=limits)
    assert ended.status == "not-converged:budget-exhausted"
    assert said in ended.summary.reason
    assert ended.measured[-1] == last
    assert ", 0.4 USD, 600 tokens" in "\n".join(ended.lines)


def test_unknown_usage_is_said_and_kept_and_never_nothing(project: Project) -> None:
    """A fixer that does not say what it cost is counted as unknown, everywhere."""
    ended = project.loop(ONE_LESS, cap=2, budget=BudgetLimits(max_cost_usd=1.0))
    assert ended.status == "not-converged:cap-exhausted"
    fixes = [line for line in ended.lines if " fix " in line]
    assert len(fixes) == 2
    assert all(line.endswith(", usage unknown") for line in fixes)
    assert "spent: 0 of 1 USD (and 2 fixes of unknown usage)" in ended.lines[-1]
    spent = ended.summary.record["budget"]["spent"]
    assert (spent["cost_usd"], spent["cost_unknown"]) == (0.0, 2)
    text = (project.folder / "summary.md").read_text()
    assert "and 2 fixes of unknown usage" in text


def test_a_wrong_report_is_named_even_without_a_budget(project: Project) -> None:
    """A report that cannot be a cost is said in the transcript and kept in the ledger."""
    ended = project.loop(REPORT % "{'cost_usd': -3}", cap=1)
    (line,) = [line for line in ended.lines if " fix " in line]
    assert "usage unknown (cost_usd -3 is not a number" in line
    (fix,) = [r for r in project.records if r["kind"] == "fix-ended"]
    assert fix["usage"]["cost_usd"] is None
    assert "cost_usd -3" in fix["usage"]["problem"]


def test_a_report_of_an_earlier_fix_is_not_counted_again(project: Project) -> None:
    """A fixer that wrote the next iterations' reports in advance gains nothing by it."""
    ahead = (
        "\nhome = pathlib.Path(os.environ['PIXELLOOP_USAGE']).parent"
        '\nfor n in range(1, 9): (home / f"{n:02d}.usage.json").write_text(\'{"cost_usd": 0}\')'
    )
    code = ONE_LESS + "\nif iteration == 1:" + ahead.replace("\n", "\n    ")
    ended = project.loop(code, cap=3)
    assert ended.summary.record["budget"]["spent"]["cost_unknown"] == 2


def test_minutes_are_spent_inside_processes_only(project: Project) -> None:
    """Time between two processes of a run costs nothing; time inside is carried, with the limit."""
    budget = BudgetLimits(max_minutes=1.0)
    first = project.loop(ONE_LESS, iterations_per_run=1, budget=budget)
    assert first.status == "in-progress"
    spent = project.history.spent_seconds
    project.clock.now += 100_000.0
    second = project.loop(ONE_LESS, iterations_per_run=1)  # the limit is the recorded one
    assert second.status == "in-progress"
    assert spent < project.history.budget.spent.seconds < 60.0

    def slow(number: int, folder: object) -> Measurement:
        project.clock.now += 60.0
        return project.measure(number, folder)  # type: ignore[arg-type]

    third = project.loop(ONE_LESS, measure=slow)
    assert third.status == "not-converged:budget-exhausted"
    assert "of 1 minutes are spent" in third.summary.reason
    count = len(project.history.measurements)
    again = project.loop(ONE_LESS)
    assert again.status == "not-converged:budget-exhausted"
    assert again.measured == []
    more = project.loop(ONE_LESS, iterations_per_run=1, budget=BudgetLimits(max_minutes=60.0))
    assert more.status == "in-progress"
    assert len(project.history.measurements) == count + 1


def test_what_the_rest_of_the_run_has_spent_counts(project: Project) -> None:
    """The budget is the run's: a test whose run has spent it is measured once and not fixed."""
    session = project.session(project.fixer(ONE_LESS), budget=BudgetLimits(max_cost_usd=1.0))
    session._elsewhere = lambda: Spent(cost_usd=3.0)
    assert session.prepare()
    decision = session.record(project.measure(0, session.iteration_folder))
    assert decision.status == "not-converged:budget-exhausted"
    assert "3 of 1 USD are spent" in session.finish().reason


def test_create_mode_fixes_nothing_with_a_spent_budget(project: Project) -> None:
    """Where the first thing would be a fix, a spent budget ends the loop before it."""
    session = project.session(
        project.fixer(ONE_LESS), mode="create", budget=BudgetLimits(max_tokens=5)
    )
    session._elsewhere = lambda: Spent(tokens=5)
    assert not session.prepare()
    assert session.finish().status == "not-converged:budget-exhausted"


def test_a_fix_may_not_outlast_the_minutes(project: Project) -> None:
    """The time of a fix is the lesser of its timeout and what is left, and it is told so."""
    hang = "print(os.environ['PIXELLOOP_FIX_TIMEOUT'], flush=True); time.sleep(600)"
    session = project.session(
        project.fixer(hang), fix_timeout=500.0, budget=BudgetLimits(max_minutes=0.2)
    )
    assert session.prepare()
    session.record(project.measure(0, session.iteration_folder))
    left = project.history.budget_at(project.clock.now).seconds_left
    assert left is not None
    project.clock.now += left - 6.0
    session.advance()
    (fix,) = [r for r in project.records if r["kind"] == "fix-ended"]
    assert fix["outcome"] == "timed-out"
    assert fix["seconds"] < 60.0
    assert "all that was left of the budget's minutes" in fix["error"]
    decision = session.record(project.measure(1, session.iteration_folder))
    assert decision.status == "not-converged:budget-exhausted"
    session.finish()
