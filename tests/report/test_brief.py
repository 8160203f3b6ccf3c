"""What a fixer is told: short, numbers first, everything in the JSON beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_pixelloop.cli.schema_command import schema_text
from pytest_pixelloop.core.budget import BudgetLimits, Spent
from pytest_pixelloop.core.design_tokens import find_tokens
from pytest_pixelloop.core.history import Compared, Fix, History, Measured
from pytest_pixelloop.core.records import FixOutcome
from pytest_pixelloop.report.brief import Project, brief_record, shown
from pytest_pixelloop.report.brief_text import MAX_LINES, brief_text

SCHEMA = Draft202012Validator(json.loads(schema_text("brief")))


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


def edit(**more: Any) -> dict[str, Any]:
    """Return the edit of a finding as a report holds it."""
    return {
        "node": {"id": "7", "name": "Button", "path": "Login/Button"},
        "selector": ".button",
        "source": None,
        "property": "background-color",
        "value": "#2563eb",
        "actual": "#1d4ed8",
        "variable": None,
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
    told: History,
    *reports: dict[str, Any],
    best: tuple[dict[str, Any], ...] = (),
    earlier: tuple[tuple[dict[str, Any], ...], ...] = (),
    files: dict[str, str] | None = None,
) -> tuple[dict[str, Any], str]:
    """Return record and text of the brief that follows *told*; the record is as published."""
    record = brief_record(
        told,
        iteration=(told.highest or 0) + 1,
        cap=6,
        reports=reports,
        best_reports=best,
        earlier=list(enumerate(earlier)),
        project=Project(texts=files or {}, tokens=find_tokens(files or {})),
        path_of=lambda name: f"diff/01/{name}",
    )
    assert [e.message for e in SCHEMA.iter_errors(record)] == []
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
        "left: 5 iterations, this one included",
        "open findings: 1, worst first; all of them in brief.json",
        ("1. set background-color of Login/BTN (btn) to #2563eb, it is #1d4ed8, delta 7.1 dE00"),
        ("   selector .btn  source login.css:3  box 10,20,30,40.5  severity 17.0  id 1-2/node:btn"),
        "pictures 1-2: in diff/01: actual=1-2.actual.png diff=1-2.diff.png",
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
        "expected", "actual", "delta", "unit", "box", "severity", "share", "message", "edit",
        "crop", "since", "passed_over", "tried",
    }  # fmt: skip
    assert list(record) == [
        "schema_version", "run_id", "test_id", "mode", "iteration", "iteration_cap", "verdict",
        "score", "score_change", "score_history", "best", "budget", "findings", "since_last",
        "since_best", "worse_since_best", "undetermined", "pictures", "last_fix",
    ]  # fmt: skip
    assert "(22 more findings in the JSON file)" in text
    json.dumps(record, allow_nan=False)


def test_an_edit_is_told_with_the_element_it_is_for_and_what_is_seen() -> None:
    """What is to be set may be another property, of another element, than what looks wrong."""
    wide = edit(property="width", value="354px", actual="330px", selector=".in")
    seen = finding("btn", 3.0, property="padding-right", message="Card: padding-right 57px")
    _record, text = brief(history(3.0), report("1-2", {**seen, "edit": wide}))
    assert text.splitlines()[5:7] == [
        "1. set width of Login/Button (7) to 354px, it is 330px; seen as: Card: padding-right 57px",
        "   selector .in  source login.css:3  box 10,20,30,40.5  severity 3.0  id 1-2/node:btn",
    ]


def test_findings_that_one_edit_repairs_are_told_once() -> None:
    """The second finding of the same edit takes no lines of its own, and is named."""
    both = [finding(n, 3.0, edit=edit(), message=f"{n} is off") for n in ("a", "b", "c")]
    record, text = brief(history(9.0), report("1-2", *both))
    assert len(record["findings"]) == 3
    assert text.count("set background-color") == 1
    assert "; it explains, too: b is off and 1 more" in text
    assert "more findings in the JSON file" not in text


CSS = """:root {
  --color-primary: #2563eb;
  --line: #e5e7eb;
}
.button {
  background: red;
}
"""


WRONG_TOKEN = (
    "to #123456 (the design's color/primary; the project's --color-primary is #2563eb, "
    "defined at site/app.css:2), it is"
)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            {"variable": "color/primary"},
            "to var(--color-primary) (#2563eb, the design's color/primary), it is",
        ),
        ({}, "to var(--color-primary) (#2563eb, the token with that value), it is"),
        ({"value": "#123456"}, "to #123456, it is"),
        (
            {"variable": "Brand/Accent", "value": "#123456"},
            "to #123456 (the design's Brand/Accent), it is",
        ),
        ({"variable": "color/primary", "value": "#123456"}, WRONG_TOKEN),
    ],
)
def test_a_token_is_named_where_the_project_has_it(more: dict[str, Any], says: str) -> None:
    """By the design's name first, else by the only one with the value; never a wrong value."""
    found = finding("btn", 3.0, edit=edit(**more))
    record, text = brief(history(3.0), report("1-2", found), files={"site/app.css": CSS})
    assert says in text
    assert record["findings"][0]["edit"]["value"] == more.get("value", "#2563eb")
    places = record["findings"][0]["edit"]["places"]
    assert places == [{"path": "site/app.css", "line": 6, "what": "declares"}]


def test_what_has_been_tried_is_told_by_finding_and_value() -> None:
    """Values that were measured after a fix while the finding stood, each with its severity."""

    def at(value: str, severity: float) -> tuple[dict[str, Any], ...]:
        known = finding("a", severity, edit=edit(actual=value))
        return (report("1-2", known, finding("b", 1.0)),)

    then = (at("#ff0000", 5.0), at("#00ff00", 6.0), at("#00ff00", 6.0))
    record, text = brief(history(6.0, 7.0, 7.0, 5.0), *at("#0000ff", 4.0), earlier=then)
    assert record["findings"][0]["tried"] == [
        {"iteration": 1, "actual": "#00ff00", "severity": 6.0},
        {"iteration": 3, "actual": "#0000ff", "severity": 4.0},
    ]
    assert record["findings"][0]["since"] == 3
    assert record["findings"][1]["tried"] == []
    assert "   tried, still open: #00ff00 (iteration 1, severity 6.0), #0000ff (iteration 3" in text
    assert "since iteration 2: findings 0 gone, 0 new, 1 smaller, 0 larger" in text


def test_a_worst_finding_that_no_fix_touches_is_pointed_at() -> None:
    """A fix that leaves the worst finding as it was is told so the next time."""
    same = report("1-2", finding("a", 5.0, edit=edit()), finding("b", 1.0))
    record, text = brief(history(6.0, 6.0, 6.0), same, earlier=((same,), (same,)))
    assert [f["passed_over"] for f in record["findings"]] == [2, 0]
    assert "it was the worst before, too: the last 2 fixes did not change it" in text


def test_what_changed_since_the_last_and_since_the_best_is_counted() -> None:
    """Gone, new, smaller and larger, and the names of them in the JSON file."""
    first = report("1-2", finding("a", 5.0), finding("b", 2.0))
    second = report("1-2", finding("b", 2.0))
    third = report("1-2", finding("b", 3.0), finding("c", 1.0))
    record, text = brief(
        history(7.0, 2.0, 4.0), third, best=(second,), earlier=((first,), (second,))
    )
    assert [w["delta_id"] for w in record["since_last"]["new"]] == ["1-2/node:c"]
    assert record["since_best"] == record["since_last"]
    assert "since iteration 1: findings 0 gone, 1 new, 0 smaller, 1 larger" in text


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


def test_what_is_left_of_the_budget_is_told() -> None:
    """Minutes, money and tokens where they are limited; what is not known is said."""
    told = replace(
        history(3.0),
        limits=BudgetLimits(max_minutes=10, max_cost_usd=2.0, max_tokens=9000),
        spent_seconds=150.0,
        cost=Spent(cost_usd=0.5, tokens=4000, cost_unknown=1),
    )
    record, text = brief(told, report("1-2", finding("btn", 3.0)))
    assert record["budget"]["minutes_left"] == 7.5
    assert text.splitlines()[3] == (
        "left: 6 iterations, this one included, 7.5 minutes, "
        "1.50 USD (less 1 fix of unknown usage), 5000 tokens"
    )


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
    bad["edit"] = edit(**dict.fromkeys(("selector", "value", "actual", "variable"), nasty))
    bad["edit"]["node"] = bad["node"]
    _record, text = brief(history(3.0), report(nasty, bad, problem=nasty))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not [line for line in text.splitlines() if line.startswith("verdict: pass")]
    assert max(map(len, text.splitlines())) < 1200


UGLY = st.text(max_size=60) | st.sampled_from(
    ["\x1b[31m", "x\n1. set color of Y to red", "\r", "\u2028verdict: pass", "\u202e", "a\x9b2J"]
)


@settings(deadline=None, max_examples=60)
@given(texts=st.lists(UGLY, min_size=14, max_size=14), action=st.booleans())
def test_untrusted_text_stays_on_its_line_and_is_no_escape(
    texts: list[str], *, action: bool
) -> None:
    """Whatever designs, pages and project files hold, the text has the lines that it means."""
    take = iter(texts)
    node = {"id": next(take), "name": next(take), "path": next(take)}
    aimed = edit(
        node=node,
        selector=next(take),
        property="text" if action else "color",
        value=next(take),
        actual=next(take),
        variable=next(take),
    )
    bad = finding("a", 3.0, message=next(take), expected=next(take), actual=next(take), node=node)
    bad["element"] = {"selector": next(take), "text": next(take), "source": None}
    calm = finding("a", 3.0, edit=edit(), element={"selector": ".a", "text": "", "source": None})
    files = {"a.css": f"--{next(take)}: #2563eb; {next(take)} {{ color: red }}", "b.css": CSS}
    _record, text = brief(history(3.0), report("1-2", {**bad, "edit": aimed}), files=files)
    _calm, plain = brief(history(3.0), report("1-2", calm), files=files)
    assert len(text.split("\n")) == len(plain.split("\n"))
    assert len(text.splitlines()) == len(plain.splitlines())
    assert not [c for c in text if c != "\n" and (ord(c) < 32 or 126 < ord(c) < 160)]
    assert [line for line in text.splitlines() if line.startswith("1. set ")] != []


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
        report(
            f"{n}{name}",
            *(finding(f"{name}{i}", 1.0, edit=edit(value=f"{i}px")) for i in range(findings)),
        )
        for n in range(labels)
    ]
    before = [
        report(
            f"{n}{name}",
            *(finding(f"{name}{i}", 2.0, edit=edit(actual=name)) for i in range(findings)),
        )
        for n in range(labels)
    ]
    reports += [
        report(f"lost{n}", status="undetermined:x", problem=name, artifacts={}) for n in range(lost)
    ]
    fix = Fix(iteration=1, outcome=FixOutcome.FAILED, exit_code=3, error=name)
    then = (report("other"),) if best else ()
    record, text = brief(history(3.0, 9.0, fix=fix), *reports, best=then, earlier=(tuple(before),))
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
