"""``pixelloop score`` and ``pixelloop status`` over recorded runs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.cli.main import main
from pytest_pixelloop.core.budget import Usage
from pytest_pixelloop.core.measurement import LoopSettings, Measurement
from pytest_pixelloop.core.records import (
    FixOutcome,
    Kind,
    fix_ended_record,
    measured_record,
    record,
    session_record,
)
from pytest_pixelloop.core.tolerance import IterationCap
from pytest_pixelloop.store.ledger_file import LedgerFile
from pytest_pixelloop.store.run_directory import open_run

if TYPE_CHECKING:
    from pathlib import Path

CARD = """
[tool.pixelloop.scorecard]
target = 100
consecutive = 2
max_rounds = 6
[[tool.pixelloop.scorecard.dimensions]]
name = "shop"
weight = 0.75
match = ["shop*"]
[[tool.pixelloop.scorecard.dimensions]]
name = "cart, held out"
weight = 0.25
match = ["cart*"]
hold_out = true
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a project with a scorecard, as working directory."""
    (tmp_path / "pyproject.toml").write_text(CARD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(project: Path, run_id: str, **designs: str) -> None:
    """Record a run with one test whose designs have these statuses."""
    run = open_run(project / ".pixelloop", run_id, now=datetime(2026, 11, 30, tzinfo=UTC))
    settings = LoopSettings(looping=False, cap=IterationCap(value=6, source="default"))
    reports = tuple(
        {
            "label": name,
            "status": status,
            "gate": "design",
            "score": 0.0 if status == "pass" else 3.0,
            "design": {"name": name},
            "findings": [],
        }
        for name, status in designs.items()
    )
    worst = "pass" if set(designs.values()) == {"pass"} else "fail"
    with LedgerFile(run.test_folder("t.py::test_a") / "ledger.jsonl") as ledger:
        told = session_record(
            Kind.START,
            at=0.0,
            run_id=run_id,
            test_id="t.py::test_a",
            settings=settings,
            goalposts={},
        )
        ledger.append(told)
        ledger.append(record(Kind.ITERATION_STARTED, at=1.0, iteration=0, fix=False))
        ledger.append(
            measured_record(
                Measurement(
                    status=worst, score=0.0, channels={"visual": "compared"}, reports=reports
                ),
                at=2.0,
                iteration=0,
                reports=tuple(f"{name}.report.json" for name in designs),
                sources=None,
                known_goalposts={},
                goalposts={},
            )
        )
        ledger.append(record(Kind.ENDED, at=3.0, status=worst, rule="gate", reason="x"))


def test_a_test_whose_held_out_comparisons_are_sealed_counts_as_unknown(project: Path) -> None:
    """What passes of a loop that goes on is not all of it: no round of it can be a full one."""
    for run_id in ("one", "two"):
        _run(project, run_id, shop="pass", cart="pass")
        (ledger,) = (project / ".pixelloop/runs" / run_id).glob("tests/*/ledger.jsonl")
        lines = [json.loads(line) for line in ledger.read_text("utf-8").splitlines()]
        (measured,) = [line for line in lines if line["kind"] == "measured"]
        measured["sealed"] = {"key": "0", "commitment": "0"}
        ledger.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        assert main(["score", run_id]) != 0
    assert _json(project)["verdict"] != "STOP"
    assert _json(project)["score"] == 0


def _json(project: Path, name: str = "scorecard.json") -> Any:
    return json.loads((project / ".pixelloop" / name).read_text("utf-8"))


def test_two_full_passing_runs_stop(project: Path) -> None:
    """CONTINUE with 1, then STOP with 0; scoring the same run twice is one round."""
    _run(project, "one", shop="pass", cart="pass")
    assert main(["score", "one"]) == 1
    assert main(["score", "one"]) == 1
    assert _json(project)["verdict"] == "CONTINUE"
    _run(project, "two", shop="pass", cart="pass")
    assert main(["score"]) == 0
    record_ = _json(project)
    assert (record_["verdict"], record_["score"], len(record_["history"])) == ("STOP", 100, 2)
    assert len((project / ".pixelloop/scorecard.jsonl").read_text().splitlines()) == 2
    assert _json(project, "checkpoint.json")["rounds"] == 2


def test_a_held_out_failure_keeps_it_going_without_being_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shown score is that of the shown dimensions; the verdict counts all of them."""
    for number in range(3):
        _run(project, f"r{number}", shop="pass", cart="fail")
        assert main(["score"]) == 1
    record_ = _json(project)
    assert (record_["verdict"], record_["score"]) == ("CONTINUE", 100)
    held = record_["dimensions"][1]
    assert held == {"name": "cart, held out", "weight": 0.25, "hold_out": True, "measured": True}
    assert "| held out | measured |" in capsys.readouterr().out


def test_a_cap_escalates_with_its_own_exit_code(project: Path) -> None:
    """After max_rounds the verdict is ESCALATE, exit code 3."""
    codes = []
    for number in range(6):
        _run(project, f"r{number}", shop="fail" if number < 5 else "pass", cart="fail")
        codes.append(main(["score"]))
    assert codes == [1, 1, 1, 1, 3, 3]


def test_status_changes_nothing(project: Path) -> None:
    """``pixelloop status`` reads the history and writes no file."""
    _run(project, "one", shop="pass", cart="pass")
    assert main(["status"]) == 1
    assert not (project / ".pixelloop/scorecard.json").exists()
    main(["score"])
    before = {p: p.read_bytes() for p in (project / ".pixelloop").glob("*.json*")}
    assert main(["status"]) == 1
    assert {p: p.read_bytes() for p in (project / ".pixelloop").glob("*.json*")} == before


def test_a_static_analysis_is_joined(project: Path) -> None:
    """Both verdicts stand side by side, counted by what they mean together."""
    _run(project, "one", shop="fail", cart="pass")
    path = project / "lint.sarif"
    path.write_text('{"version": "2.1.0", "runs": [{"results": []}]}', encoding="utf-8")
    assert main(["score", "--sarif", str(path)]) == 1
    assert _json(project)["static"]["counts"] == {"clean": 1, "visual discovery": 1}
    path.write_text("{}", encoding="utf-8")
    assert main(["score", "--sarif", str(path)]) == 2


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("max_rounds = 6", "", "no cap"),
        ("max_rounds = 6", "max_rounds = 6\nauto_merge = true", "auto_merge"),
        ("max_rounds = 6", "max_rounds = 0", "a number above 0"),
        ("max_rounds = 6", "max_rounds = 1.5", "a whole number"),
        ("max_rounds = 6", "max_round = 6", "unknown key 'max_round'"),
        ("weight = 0.75", "weight = 0.5", "weights sum to 0.75"),
        ("weight = 0.75", "weight = -1", "a number above 0"),
        ("weight = 0.75", "weight = nan", "a number above 0"),
        ('match = ["shop*"]', "match = []", "a list of patterns"),
        ("target = 100", "target = 101", "0..100"),
        ("target = 100", "target = ", "not valid TOML"),
        (CARD, "[tool.other]\n", "there is no"),
        ("hold_out = true", "hold_out = 1", "true or false"),
        ('name = "cart, held out"', 'name = "shop"', "given twice"),
    ],
)
def test_a_mistake_in_the_configuration_is_exit_2(
    project: Path, old: str, new: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The scorecard refuses to start, in words."""
    _run(project, "one", shop="pass", cart="pass")
    (project / "pyproject.toml").write_text(CARD.replace(old, new, 1), encoding="utf-8")
    assert main(["score"]) == 2
    assert told in capsys.readouterr().err


def test_without_runs_or_with_a_broken_history_it_could_not_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No run, an unknown run and a history that was edited are errors, not scores."""
    assert main(["score"]) == 2
    _run(project, "one", shop="pass", cart="pass")
    assert main(["score", "nope"]) == 2
    assert main(["score", "../one"]) == 2
    (project / ".pixelloop/scorecard.jsonl").write_text('{"kind": "round"}\n', encoding="utf-8")
    assert main(["score"]) == 2
    assert "no round" in capsys.readouterr().err


def _fixed_run(project: Path, run_id: str, *usages: Usage | None) -> None:
    """Record a run of one failing test with a fix for each usage."""
    run = open_run(project / ".pixelloop", run_id, now=datetime(2026, 11, 30, tzinfo=UTC))
    settings = LoopSettings(looping=True, cap=IterationCap(value=6, source="default"))
    with LedgerFile(run.test_folder("t.py::test_a") / "ledger.jsonl") as ledger:
        ledger.append(
            session_record(
                Kind.START,
                at=0.0,
                run_id=run_id,
                test_id="t.py::test_a",
                settings=settings,
                goalposts={},
            )
        )
        for number, usage in enumerate(usages, start=1):
            ledger.append(record(Kind.FIX_STARTED, at=number, iteration=number))
            ledger.append(
                fix_ended_record(
                    at=number,
                    iteration=number,
                    outcome=FixOutcome.CHANGED,
                    exit_code=0,
                    seconds=1.0,
                    changed=(),
                    output=None,
                    error=None,
                    usage=usage,
                )
            )
            failing = Measurement(status="fail", score=3.0, channels={"visual": "compared"})
            ledger.append(measured_record(failing, at=number, iteration=number, reports=()))


@pytest.mark.parametrize(
    ("usages", "cost", "unknown"),
    [
        ((Usage(cost_usd=0.5), Usage(cost_usd=0.25)), 0.75, 0),
        ((Usage(cost_usd=0.5), None, Usage(problem="odd")), 0.5, 2),
        ((Usage(cost_usd=0.0),), 0.0, 0),
        ((None,), None, 1),
        ((), None, 0),
    ],
)
def test_the_cost_of_a_round_is_what_its_fixers_said(
    project: Path, usages: tuple[Usage | None, ...], cost: float | None, unknown: int
) -> None:
    """Reported costs add up; what was not reported is unknown and not nothing."""
    _fixed_run(project, "one", *usages)
    main(["score"])
    (line,) = (project / ".pixelloop/scorecard.jsonl").read_text().splitlines()
    round_ = json.loads(line)
    assert (round_["cost_usd"], round_["cost_unknown"]) == (cost, unknown)
    checkpoint = _json(project, "checkpoint.json")
    assert checkpoint["cost_usd"] == (cost or 0.0)
    assert checkpoint["rounds_of_unknown_cost"] == int(unknown > 0 or cost is None)
    assert main(["status"]) == 1
