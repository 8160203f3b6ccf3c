"""Budgets under pytest: one budget for all tests of a run, with what looking at pictures costs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from drawn_project import Project

COMMAND = ("--fix-command", f"{sys.executable} costly.py")
COSTLY = """
import json, os, pathlib
page = pathlib.Path("page.json")
value = json.loads(page.read_text())
value["note"] = value.get("note", 0) + 1
value["boxes"]["title"][2] += 1
page.write_text(json.dumps(value))
pathlib.Path(os.environ["PIXELLOOP_USAGE"]).write_text('{"cost_usd": 0.4, "tokens": 600}')
"""
TWO_TESTS = """
from draw import page


def test_card(assert_matches_design):
    assert_matches_design(page(), "card")


def test_card_again(assert_matches_design):
    assert_matches_design(page(), "card")
"""
LOOK = 'print(\'{"findings": [], "tokens": 5, "cost_usd": 0.25}\')\n'


def _summaries(project: Project) -> dict[str, dict[str, Any]]:
    found = project.path.glob(".pixelloop/runs/r/tests/*/summary.json")
    records = [json.loads(path.read_text("utf-8")) for path in found]
    return {record["test_id"].rpartition("::")[2]: record for record in records}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--max-cost-usd=0.5"], "0.8 of 0.5 USD are spent"),
        (["--max-tokens=1000"], "1200 of 1000 tokens are spent"),
        (["--max-minutes=0.0001"], "of 0.0001 minutes are spent"),
    ],
)
def test_the_budget_is_that_of_the_run(project: Project, words: list[str], said: str) -> None:
    """What the first test's fixes have spent, the second test cannot spend again."""
    project.write("costly.py", COSTLY)
    project.write("test_card.py", TWO_TESTS)
    project.spoil("title", "price")
    result = project.run("--pixel-loop", "--run-id=r", *words, *COMMAND)
    result.assert_outcomes(failed=2)
    told = _summaries(project)
    assert [told[name]["status"] for name in ("test_card", "test_card_again")] == [
        "not-converged:budget-exhausted"
    ] * 2
    assert said in told["test_card"]["reason"]
    assert told["test_card_again"]["iterations"] == 0
    assert (
        told["test_card_again"]["budget"]["spent"]["cost_usd"]
        == (told["test_card"]["budget"]["spent"]["cost_usd"])
    )


def test_what_looking_at_pictures_costs_counts(project: Project) -> None:
    """The vision command's cost is part of the run's, and nobody is asked beyond the budget."""
    project.write("costly.py", COSTLY)
    project.write("look.py", LOOK)
    project.spoil("title", "price")
    result = project.run(
        "--pixel-loop",
        "--run-id=r",
        "--max-cost-usd=0.6",
        f"--vision-command={sys.executable} look.py",
        *COMMAND,
    )
    result.assert_outcomes(failed=1)
    told = _summaries(project)["test_card"]
    assert told["rule"] == "budget"
    assert told["iterations"] == 1
    assert told["budget"]["spent"]["cost_usd"] == pytest.approx(0.25 * 2 + 0.4)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--max-minutes=5"], "*--max-minutes does nothing without --pixel-loop*"),
        (["--pixel-loop", "--max-minutes=0"], "*--max-minutes: '0' is not a number above 0*"),
        (["--pixel-loop", "--max-cost-usd=nan"], "*--max-cost-usd: 'nan' is not a number*"),
        (["--pixel-loop", "--max-tokens=1.5"], "*--max-tokens: '1.5' is not a whole number*"),
    ],
)
def test_a_wrong_budget_is_refused(project: Project, words: list[str], said: str) -> None:
    """What cannot be a limit, or limits nothing, is a usage error before anything runs."""
    result = project.run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])
