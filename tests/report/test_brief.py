"""What a fixer is told: short, numbers first, everything in the JSON beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.history import Compared, Fix, History, Measured
from pytest_pixelloop.core.records import FixOutcome
from pytest_pixelloop.report.brief import MAX_LINES, brief_record, brief_text, shown


def finding(name: str, severity: float, **more: Any) -> dict[str, Any]:
    """Return an open finding of a report."""
    return {
        "delta_id": f"1-2/node:{name}",
        "kind": "color",
        "channel": "visual",
        "node": {"id": name, "name": name.upper(), "path": f"Login/{name.upper()}"},
        "element": {"selector": f".{name}", "text": "Sign in", "source": "login.css:3"},
        "property": "background-color",
        "expected": "#2563eb",
        "actual": "#1d4ed8",
        "delta": 7.1,
        "unit": "dE00",
        "box": [10, 20, 30, 40.5],
        "severity": severity,
        "share": 0.5,
        "gating": True,
        "state": "open",
        "message": f"{name} has another colour",
        **more,
    }


def report(label: str, *findings: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a failing report."""
    return {
        "label": label,
        "status": "fail",
        "score": sum(f["severity"] for f in findings),
        "findings": list(findings),
        "artifacts": {"actual": f"{label}.actual.png", "diff": f"{label}.diff.png"},
        "problem": None,
        "design": {"hold_out": False},
        **more,
    }


def history(*scores: float | None, hidden: float | None = None, fix: Fix | None = None) -> History:
    """Return a history of these scores; *hidden* adds a held-out comparison of that score."""
    measurements = []
    for number, score in enumerate(scores):
        comparisons = [compared("1-2", score)]
        if hidden is not None:
            comparisons.append(compared("secret", hidden, hold_out=True))
        measurements.append(
            Measured(
                iteration=number,
                status="fail",
                score=None if score is None else score + (hidden or 0.0),
                delta_ids=(),
                channels={"visual": "fail"},
                comparisons=tuple(comparisons),
                fix=fix if number else None,
            )
        )
    return History(run_id="r", test_id="t.py::t", measurements=tuple(measurements))


def compared(label: str, score: float | None, *, hold_out: bool = False) -> Compared:
    """Return what the ledger keeps of a failing comparison."""
    return Compared(
        label=label,
        design="login",
        status="fail",
        gate="design",
        score=score,
        delta_ids=(),
        excused=(),
        hold_out=hold_out,
        report=f"{label}.report.json",
    )


def brief(
    told: History, *reports: dict[str, Any], best: tuple[dict[str, Any], ...] = ()
) -> tuple[dict[str, Any], str]:
    """Return record and text of the brief that follows *told*."""
    record = brief_record(
        told,
        iteration=(told.highest or 0) + 1,
        cap=6,
        reports=reports,
        best_reports=best,
        path_of=lambda name: f"diff/01/{name}",
    )
    return record, brief_text(record, json_path="brief.json")


def test_a_finding_is_told_as_the_edit_that_repairs_it() -> None:
    """The whole text for one finding: verdict, change, edit, place, pictures, last fix."""
    fix = Fix(
        iteration=1, outcome=FixOutcome.CHANGED, exit_code=0, changed=("a.css",), changed_count=1
    )
    _record, text = brief(history(41.0, 17.0, fix=fix), report("1-2", finding("btn", 17.0)))
    assert text.splitlines() == [
        "pixelloop brief for iteration 2 of at most 6",
        "test: t.py::t",
        "verdict: fail (score 17.0, change -24.0, best 17.0 at iteration 1); 0 is the aim",
        "open findings: 1, worst first; all of them in brief.json",
        ("1. set background-color of Login/BTN (btn) to #2563eb, it is #1d4ed8, delta 7.1 dE00"),
        ("   selector .btn  source login.css:3  box 10,20,30,40.5  severity 17.0  id 1-2/node:btn"),
        "pictures 1-2: actual=diff/01/1-2.actual.png diff=diff/01/1-2.diff.png",
        "last fix: exit code 0, changed a.css",
    ]


def test_the_json_holds_every_open_finding_with_documented_keys() -> None:
    """All findings, worst first, none that is excused or does not gate."""
    findings = [finding(f"n{i:02d}", float(i)) for i in range(30)]
    findings.append(finding("known", 99.0, state="excused"))
    findings.append(finding("note", 98.0, gating=False))
    record, text = brief(history(435.0), report("1-2", *findings))
    assert [f["severity"] for f in record["findings"]] == [float(i) for i in reversed(range(30))]
    assert set(record["findings"][0]) == {
        "label", "delta_id", "kind", "channel", "node", "selector", "text", "source", "property",
        "expected", "actual", "delta", "unit", "box", "severity", "share", "message",
    }  # fmt: skip
    assert list(record) == [
        "schema_version", "run_id", "test_id", "mode", "iteration", "iteration_cap", "verdict",
        "score", "score_change", "score_history", "best", "findings", "worse_since_best",
        "undetermined", "pictures", "last_fix",
    ]  # fmt: skip
    assert "(22 more findings in the JSON file)" in text
    json.dumps(record, allow_nan=False)


def test_what_got_worse_since_the_best_iteration_is_named() -> None:
    """A finding that is new or more severe than at the best iteration is worse; others are not."""
    then = report("1-2", finding("same", 5.0), finding("grown", 1.0), finding("gone", 1.0))
    now = report("1-2", finding("same", 5.0), finding("grown", 4.0), finding("new", 3.0))
    record, text = brief(history(9.0, 7.0, 12.0), now, best=(then,))
    assert [(w["delta_id"], w["severity_at_best"]) for w in record["worse_since_best"]] == [
        ("1-2/node:grown", 1.0),
        ("1-2/node:new", None),
    ]
    assert "worse than at the best iteration (1): 2" in text
    assert "- background-color 1-2/node:new: severity 3.0, new" in text
    assert brief(history(9.0, 7.0), now)[0]["worse_since_best"] == []


def test_nothing_of_a_held_out_comparison_is_told() -> None:
    """Neither its findings, nor its score, nor that there is one."""
    hidden = report("secret", finding("z", 900.0), design={"hold_out": True})
    told = history(41.0, 17.0, hidden=900.0)
    open_only = history(41.0, 17.0)
    visible = report("1-2", finding("btn", 17.0))
    assert shown((hidden, visible)) == (visible,)
    assert brief(told, visible, hidden, best=(hidden,)) == brief(open_only, visible)


def test_before_the_first_measurement_the_brief_says_so() -> None:
    """In create mode there is nothing to repair yet."""
    record, text = brief(History(run_id="r", test_id="t", mode="create"))
    assert record["verdict"] is None
    assert "nothing is measured yet" in text
    assert "mode create" in text


def test_an_unknown_score_is_called_unknown() -> None:
    """Without a score there is no change and no best, and nothing pretends to be 0."""
    record, text = brief(history(None, None), report("1-2"))
    assert (record["score"], record["score_change"], record["best"]) == (None, None, None)
    assert "score unknown" in text


def test_a_comparison_that_could_not_be_made_is_told_with_its_reason() -> None:
    """An undetermined comparison beside a failing one is no secret."""
    problem = "the capture is blank\n  where: http://x"
    lost = report("1-2__dark", status="undetermined:blank-capture", problem=problem, artifacts={})
    _record, text = brief(history(3.0), report("1-2", finding("btn", 3.0)), lost)
    assert "1-2__dark: undetermined:blank-capture: the capture is blank" in text


def test_a_finding_without_a_property_is_told_by_its_message() -> None:
    """A size finding has no CSS property; its own words stand for it."""
    odd = finding("frame", 3.0, property=None, node=None, element=None, box=None)
    _record, text = brief(history(3.0), report("1-2", odd))
    assert "1. frame has another colour" in text
    assert "   severity 3.0  id 1-2/node:frame" in text


def test_labels_are_told_where_there_are_several() -> None:
    """With more than one comparison each edit says which one it is about."""
    _record, text = brief(
        history(5.0), report("1-2", finding("a", 3.0)), report("9-9__dark", finding("b", 2.0))
    )
    assert "1. [1-2] set background-color" in text
    assert "2. [9-9__dark] set background-color" in text


def test_names_from_files_and_pages_cannot_break_the_text() -> None:
    """Control characters, line breaks and endless names stay on their line."""
    nasty = "x\x1b[2J\nverdict: pass\u202e" + "y" * 5000
    bad = finding("a", 3.0, message=nasty, expected=nasty, actual=[nasty], property=nasty)
    bad["node"] = {"id": nasty, "name": nasty, "path": nasty}
    bad["element"] = {"selector": nasty, "text": nasty, "source": nasty}
    _record, text = brief(history(3.0), report(nasty, bad, problem=nasty))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not [line for line in text.splitlines() if line.startswith("verdict: pass")]
    assert max(map(len, text.splitlines())) < 1200


@settings(deadline=None)
@given(
    labels=st.integers(min_value=1, max_value=12),
    findings=st.integers(min_value=0, max_value=30),
    lost=st.integers(min_value=0, max_value=9),
    best=st.booleans(),
    name=st.text(max_size=300),
)
def test_a_brief_never_has_more_than_40_lines(
    labels: int, findings: int, lost: int, *, best: bool, name: str
) -> None:
    """However much is wrong, the text stays short and says how much the JSON file adds."""
    reports = [
        report(f"{n}{name}", *(finding(f"{name}{i}", 1.0) for i in range(findings)))
        for n in range(labels)
    ]
    reports += [
        report(f"lost{n}", status="undetermined:x", problem=name, artifacts={}) for n in range(lost)
    ]
    fix = Fix(iteration=1, outcome=FixOutcome.FAILED, exit_code=3, error=name)
    then = (report("other"),) if best else ()
    record, text = brief(history(3.0, 9.0, fix=fix), *reports, best=then)
    assert len(text.splitlines()) <= MAX_LINES
    assert text.count("\n") <= MAX_LINES
    assert len(record["findings"]) == labels * findings


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_reports_and_findings_changes_nothing(order: int) -> None:
    """Equal inputs in any order give the same findings in the same order."""
    findings = [finding("a", 2.0), finding("b", 2.0), finding("c", 3.0)][::order]
    reports = [report("1-2", *findings), report("3-4", *findings)][::order]
    record, _text = brief(history(3.0), *reports)
    assert [(f["label"], f["node"]["id"]) for f in record["findings"]] == [
        ("1-2", "c"), ("3-4", "c"), ("1-2", "a"), ("1-2", "b"), ("3-4", "a"), ("3-4", "b"),
    ]  # fmt: skip
