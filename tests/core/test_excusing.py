"""What a judgement excuses, and what it does not."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.excusing import (
    Excuse,
    ExcuseKind,
    Excuses,
    classify,
    excuse_report,
    judgement_record,
)
from pytest_pixelloop.core.final_verdict import evaluate_report
from pytest_pixelloop.core.finding import Channel, Finding, NodeRef, Region, State
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.tolerance import Tolerance
from pytest_pixelloop.core.verdict import ComparisonReport

if TYPE_CHECKING:
    from collections.abc import Mapping

TODAY = dt.date(2026, 11, 30)
BOX = Box(0, 0, 10, 10)


def _finding(node: str, *, prop: str = "color", severity: float = 2.0, kind: str = "x") -> Finding:
    return Finding(
        delta_id=f"1-1/node:{node}",
        kind=kind,
        channel=Channel.VISUAL,
        message=f"{node} differs",
        box=BOX,
        severity=severity,
        gating=True,
        property=prop,
    )


def _report(*findings: Finding, gate: str = "design") -> ComparisonReport:
    return ComparisonReport(
        label="1-1",
        status="fail" if findings else "pass",
        gate=gate,
        score=sum(f.severity for f in findings),
        score_version="design-1",
        confidence=0.9,
        findings=findings,
        tolerance=Tolerance().as_record(),
    )


def _excuse(
    node: str, *, prop: str | None = None, expires: dt.date | None = None, version: str = ""
) -> Excuse:
    return Excuse(
        delta_id=f"1-1/node:{node}",
        kind=ExcuseKind.KNOWN,
        reason="seen",
        property=prop,
        expires=expires,
        version=version or None,
        where="designs/judgements.yaml:3",
    )


def _excused(
    report: ComparisonReport, *excuses: Excuse, version: str | None = None
) -> tuple[ComparisonReport, Mapping[str, Any]]:
    """Return the report with its final status, and what became of the entries."""
    changed = excuse_report(report, Excuses(entries=excuses, today=TODAY), version=version)
    status = evaluate_report(changed.as_record()).status
    return replace(changed, status=status), changed.judgements


def test_an_excused_finding_stays_and_does_not_count() -> None:
    """The finding is in the report as excused; score and shares are of those still open."""
    report, told = _excused(_report(_finding("a"), _finding("b", severity=3.0)), _excuse("a"))
    assert (report.status, report.score) == ("fail", 3.0)
    states = {f.delta_id: (f.state, f.share) for f in report.findings}
    assert states["1-1/node:a"] == (State.EXCUSED, 0.0)
    assert states["1-1/node:b"] == (State.OPEN, 1.0)
    assert report.delta_ids == ("1-1/node:b",)
    assert [e["delta_id"] for e in told["applied"]] == ["1-1/node:a"]


def test_all_findings_excused_is_a_pass_of_score_0() -> None:
    """When nothing open is left the verdict is pass and the score 0."""
    report, _ = _excused(_report(_finding("a")), _excuse("a"))
    assert (report.status, report.score) == ("pass", 0.0)


@pytest.mark.parametrize(
    ("excuse", "list_name", "word"),
    [
        (_excuse("a", expires=dt.date(2026, 11, 29)), "expired", "expired on 2026-11-29"),
        (_excuse("a", version="44"), "outdated", "version 44"),
        (_excuse("c"), "unmatched", "matches no finding"),
        (_excuse("a", prop="opacity"), "unmatched", "matches no finding"),
    ],
)
def test_an_entry_that_does_not_count_is_said(excuse: Excuse, list_name: str, word: str) -> None:
    """Expired, outdated and unmatched entries excuse nothing and are warned of."""
    report, told = _excused(_report(_finding("a")), excuse, version="45")
    assert (report.status, report.score) == ("fail", 2.0)
    assert len(told[list_name]) == 1
    assert word in report.warnings[-1]
    assert "judgements.yaml:3" in report.warnings[-1]


def test_the_last_day_still_counts_and_the_right_version() -> None:
    """``expires`` is the last day on which an entry counts."""
    excuse = replace(_excuse("a", version="45"), expires=TODAY)
    report, _ = _excused(_report(_finding("a")), excuse, version="45")
    assert report.status == "pass"


def test_an_entry_for_one_property_leaves_the_others() -> None:
    """A new difference on a judged node is not excused by an old judgement of another property."""
    report, _ = _excused(
        _report(_finding("a"), _finding("a", prop="opacity", severity=1.0)),
        _excuse("a", prop="color"),
    )
    assert (report.status, report.score) == ("fail", 1.0)


def test_an_undetermined_report_cannot_be_excused() -> None:
    """Nothing excuses a page that could not be compared."""
    report = replace(_report(_finding("a")), status="undetermined:blank-capture", score=None)
    assert excuse_report(report, Excuses(entries=(_excuse("a"),), today=TODAY)) is report


def _pixel_report(*ratios: float) -> ComparisonReport:
    regions = tuple(
        Region(
            delta_id=f"1-1/node:{name}",
            node=NodeRef(id=name, name=name, path=name),
            box=BOX,
            pixels=round(ratio * 10_000),
            mismatch_ratio=ratio,
            weight=1.0,
        )
        for name, ratio in zip("abc", ratios, strict=False)
    )
    findings = [_finding(name, kind="region") for name, _ in zip("abc", ratios, strict=False)]
    return replace(
        _report(*findings, gate="pixel"),
        regions=regions,
        pixels={"total": 1_000_000, "mismatch": sum(r.pixels for r in regions)},
    )


@pytest.mark.parametrize(
    ("ratios", "excused", "status"),
    [
        ((0.5, 0.01), ["a"], "pass"),
        ((0.5, 0.05), ["a"], "conditional"),
        ((0.5, 0.5), ["a"], "fail"),
        ((0.5, 0.5), ["a", "b"], "pass"),
    ],
)
def test_the_pixel_gate_is_asked_again_without_the_excused(
    ratios: tuple[float, ...], excused: list[str], status: str
) -> None:
    """What is left may be within the limits of the gate: its own rule decides."""
    report, _ = _excused(_pixel_report(*ratios), *(_excuse(n) for n in excused))
    assert report.status == status
    assert (report.score == 0) is (status == "pass")
    assert bool(report.open_findings) is (status != "pass")


@given(
    names=st.lists(st.sampled_from("abcdef"), unique=True, min_size=1),
    judged=st.sets(st.sampled_from("abcdefgh")),
)
def test_the_score_is_that_of_the_open_findings(names: list[str], judged: set[str]) -> None:
    """Excusing removes exactly the excused severities; 0 exactly when the verdict is pass."""
    findings = [_finding(n, severity=1.0 + i) for i, n in enumerate(names)]
    report, told = _excused(_report(*findings), *(_excuse(n) for n in sorted(judged)))
    left = sum(f.severity for f in findings if f.delta_id[-1] not in judged)
    assert report.score == pytest.approx(left)
    assert (report.score == 0) is (report.status == "pass")
    assert {e["delta_id"][-1] for e in told.get("unmatched", ())} == judged - set(names)


def test_findings_are_classed_by_what_repairs_them() -> None:
    """One property of a matched element is a style slot; the rest is the app's."""
    element = {"selector": ".a"}
    assert classify({"property": "color", "element": element}) == "style-slot"
    assert classify({"property": "padding-left", "element": element}) == "style-slot"
    assert classify({"property": "color", "element": None}) == "app"
    assert classify({"property": "text", "element": element}) == "app"
    assert classify({"property": None, "element": element}) == "app"


def test_proposed_excuses_are_shown_and_do_not_count() -> None:
    """A fixer's proposal stands in the record as one, beside the finding that stays open."""
    report = _report(_finding("a")).as_record()
    secret = {**report, "design": {"hold_out": True}}
    record = judgement_record([report, secret], [{"delta_id": "1-1/node:a", "reason": "please"}])
    assert [row["delta_id"] for row in record["open"]] == ["1-1/node:a"]
    assert record["proposed"] == [{"delta_id": "1-1/node:a", "reason": "please", "counts": False}]
    assert record["held_out_comparisons"] == 1
