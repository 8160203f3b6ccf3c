"""summary.md: a block for programs, a page for people, the same bytes each time."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.history import Compared, End, Fix, History, Measured, Pending
from pytest_pixelloop.core.measurement import LoopSettings
from pytest_pixelloop.core.records import FixOutcome, Kind, record, session_record
from pytest_pixelloop.core.summary import BLOCK, run_record, summary_record
from pytest_pixelloop.core.tolerance import resolve_cap
from pytest_pixelloop.report.derived_files import shown_path, write_run_summary, write_summary
from pytest_pixelloop.report.markdown import run_markdown, summary_markdown
from pytest_pixelloop.report.yaml_text import iteration_yaml
from pytest_pixelloop.store.ledger_file import append_record
from pytest_pixelloop.store.run_directory import LEDGER_NAME, RunDirectory

if TYPE_CHECKING:
    from pathlib import Path

HISTORY = History(
    run_id="20260304-0506",
    test_id="tests/test_shop.py::test_checkout[dark]",
    iteration_cap=6,
    iteration_cap_source="default",
    notes=("iteration cap 'six' (flag) is not a whole number from 1 to 99: the default 6 applies",),
    goalposts={"design.png": "abc", "test": "def"},
    measurements=(
        Measured(
            iteration=0,
            status="fail",
            score=41.0,
            delta_ids=("1-2/node:a", "1-2/node:b"),
            channels={"visual": "compared", "style": "skipped: not asked for"},
        ),
        Measured(
            iteration=1,
            status="conditional",
            score=None,
            delta_ids=("1-2/node:b",),
            channels={"visual": "compared", "style": "skipped: not asked for"},
            comparisons=(
                Compared(
                    label="1-2",
                    design="checkout",
                    status="conditional",
                    gate="design",
                    score=None,
                    delta_ids=("1-2/node:b",),
                    excused=("1-2/node:c",),
                    hold_out=False,
                    report="1-2.report.json",
                ),
            ),
            fix=Fix(
                iteration=1,
                outcome=FixOutcome.FAILED,
                exit_code=3,
                seconds=12.34,
                changed=("a.css", "b.css", "c.css", "d|.css"),
                changed_count=4,
            ),
        ),
    ),
    interrupted=(Pending(iteration=1, phase="fix"),),
    spent_seconds=61.5,
    processes=2,
    end=End(status="not-converged:cap-exhausted", rule="cap", reason="iteration 1 of at most 1"),
)


def block_of(text: str) -> dict[str, Any]:
    """Return the YAML block at the head of a summary."""
    head, _line, _rest = text.removeprefix("---\n").partition("---\n")
    value = yaml.safe_load(head)
    assert isinstance(value, dict)
    return value


def test_the_block_holds_the_documented_fields_first_and_in_order() -> None:
    """Programs find every field of the contract, status first."""
    text = summary_markdown(summary_record(HISTORY))
    assert text.startswith("---\nstatus: not-converged:cap-exhausted\nrun_id: 20260304-0506\n")
    block = block_of(text)
    assert tuple(block)[: len(BLOCK)] == BLOCK
    assert {key: block[key] for key in BLOCK if key != "goalposts"} == {
        "status": "not-converged:cap-exhausted",
        "run_id": "20260304-0506",
        "source": ["checkout"],
        "iterations": 1,
        "iteration_cap": 6,
        "iteration_cap_source": "default",
        "restarts": 0,
        "initial_score": 41.0,
        "score_history": [41.0, None],
        "residual_delta_ids": ["1-2/node:b"],
        "excused": ["1-2/node:c"],
        "patches_reverted": 0,
        "compare_summary": "compare/summary.json",
        "channels": {"visual": "compared", "style": "skipped: not asked for"},
        "gate": "design",
    }
    assert block["goalposts"]["state"] == "unchanged"
    assert block["goalposts"]["count"] == 2
    assert block["schema_version"] == 1


def test_the_page_tells_each_iteration_and_everything_a_person_should_know() -> None:
    """Table, interruptions, open and excused findings, and the substituted cap."""
    text = summary_markdown(summary_record(HISTORY))
    row = "| 1 | failed (exit code 3) | 12.3 | a.css, b.css, c.css and 1 more | conditional |"
    assert row in text
    assert "| 0 | none |  |  | fail | 41.0 | 2 |" in text
    assert "- iteration 1 in its fix" in text
    assert "## Still open\n\n- 1-2/node:b\n" in text
    assert "## Excused\n\n- 1-2/node:c\n" in text
    assert "the default 6 applies" in text


def test_rendering_again_gives_the_same_bytes(tmp_path: Path) -> None:
    """From the record, or from the record read back from summary.json, nothing differs."""
    written = write_summary(tmp_path, HISTORY)
    first = (tmp_path / "summary.md").read_bytes()
    read = json.loads((tmp_path / "summary.json").read_text())
    assert read == written
    assert summary_markdown(read).encode() == first
    write_summary(tmp_path, HISTORY)
    assert (tmp_path / "summary.md").read_bytes() == first


def test_a_loop_that_never_measured_has_a_summary_too() -> None:
    """Every way out has one, and without an end it says interrupted."""
    record_ = summary_record(History(run_id="r", test_id="t"))
    block = block_of(summary_markdown(record_))
    assert block["status"] == "undetermined:interrupted"
    assert block["compare_summary"] is None
    assert block["score_history"] == []
    assert "Nothing was measured." in summary_markdown(record_)


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_no_name_can_break_the_block_or_the_table(name: str, word: str) -> None:
    """Whatever a test or a finding is called, the block is YAML that gives it back."""
    last = dataclasses.replace(HISTORY.measurements[1], delta_ids=(name,), status=word)
    told = dataclasses.replace(
        HISTORY,
        test_id=name,
        measurements=(HISTORY.measurements[0], last),
        end=End(status="converged", rule=None, reason=word),
    )
    text = summary_markdown(summary_record(told))
    block = block_of(text)
    assert (block["status"], block["residual_delta_ids"]) == ("converged", [name])
    assert (block["test_id"], block["reason"]) == (name, word)
    rows = [line for line in text.split("\n") if line.startswith("| 1 |")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 8


def test_an_iteration_in_short_is_yaml() -> None:
    """diff/NN.yaml has delta_ids, score and channels, and its schema version."""
    assert yaml.safe_load(iteration_yaml(HISTORY.measurements[0])) == {
        "schema_version": 1,
        "iteration": 0,
        "status": "fail",
        "score": 41.0,
        "delta_ids": ["1-2/node:a", "1-2/node:b"],
        "channels": {"visual": "compared", "style": "skipped: not asked for"},
    }


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [
        (["converged", "pass"], "converged"),
        (["converged", "in-progress"], "in-progress"),
        (["in-progress", "undetermined:blank-capture", "conditional"],
         "undetermined:blank-capture"),
        (["undetermined:x", "fail", "converged"], "fail"),
        (["fail", "not-converged:stalled"], "not-converged:stalled"),
        (["converged", "something new"], "something new"),
        ([], "undetermined:no-comparable-channel"),
    ],
)  # fmt: skip
def test_a_run_has_the_status_of_its_worst_test(statuses: list[str], worst: str) -> None:
    """A run is green only when every test of it is; an empty run is not."""
    tests = [
        (
            str(number),
            summary_record(History(test_id="t", end=End(status=s, rule=None, reason=""))),
        )
        for number, s in enumerate(statuses)
    ]
    told = run_record("r", tests)
    assert told["status"] == worst
    assert sum(told["counts"].values()) == len(statuses)
    assert block_of(run_markdown(told))["status"] == worst


def test_the_run_summary_comes_from_the_ledgers_and_covers_killed_tests(tmp_path: Path) -> None:
    """A test without an end gets its summary, and the run names it as interrupted."""
    run = RunDirectory(base=tmp_path, run_id="r")
    cap = resolve_cap(flag="six", alias=None, ini=None)
    for test_id, status in (("a", "converged"), ("b", None)):
        ledger = run.test_folder(test_id) / LEDGER_NAME
        settings = LoopSettings(looping=True, cap=cap)
        start = session_record(
            Kind.START, at=0.0, run_id="r", test_id=test_id, settings=settings, goalposts={}
        )
        append_record(ledger, start)
        if status:
            append_record(ledger, record(Kind.ENDED, at=1.0, status=status, rule="x", reason=""))
    told = write_run_summary(run)
    assert told == json.loads((run.path / "summary.json").read_text())
    assert [(t["test_id"], t["status"]) for t in told["tests"]] == [
        ("a", "converged"),
        ("b", "undetermined:interrupted"),
    ]
    assert told["status"] == "undetermined:interrupted"
    for test in told["tests"]:
        text = (run.path / test["summary"]).read_text()
        assert block_of(text)["status"] == test["status"]
        assert "'six'" in text
    before = (run.path / "summary.md").read_bytes()
    write_run_summary(run)
    assert (run.path / "summary.md").read_bytes() == before


def test_paths_are_told_relative_to_the_root_where_they_lie_below(tmp_path: Path) -> None:
    """A path outside of the project is told whole."""
    assert shown_path(tmp_path / "a" / "b.md", root=tmp_path) == "a/b.md"
    outside = tmp_path.parent / "x.md"
    assert shown_path(outside, root=tmp_path) == outside.as_posix()
