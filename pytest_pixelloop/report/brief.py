"""What a fixer is told: numbers first, the worst findings as property edits, 40 lines at most.

The text is rendered from the record, and the record holds everything. Held-out comparisons are in
neither: callers hand over ``history.visible``, and ``shown`` drops their reports.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.records import gating_findings
from pytest_pixelloop.core.verdict import is_undetermined
from pytest_pixelloop.report.lines import changed_words, figure, fix_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_pixelloop.core.history import Fix, History, Measured

BRIEF_SCHEMA_VERSION = 1
MAX_LINES = 40
WORST = 8
OBJECTIONS = 2
WORSE = 4
PROBLEMS = 3
PICTURES = 3
#: How much a severity must grow to be called worse: less is arithmetic.
_GROWTH = 1e-6
_KEYS = (
    "delta_id",
    "kind",
    "channel",
    "node",
    "property",
    "expected",
    "actual",
    "delta",
    "unit",
    "box",
    "severity",
    "share",
    "message",
)


def shown(reports: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Return the reports a fixer may see: all but the held-out ones."""
    return tuple(r for r in reports if (r.get("design") or {}).get("hold_out") is not True)


def brief_record(
    history: History,
    *,
    iteration: int,
    cap: int,
    reports: Sequence[Mapping[str, Any]],
    best_reports: Sequence[Mapping[str, Any]] = (),
    path_of: Callable[[str], str] = str,
) -> dict[str, Any]:
    """Return ``brief.json`` for the fix of *iteration*.

    *reports* are those of the last measurement, *best_reports* those of the best one before it.
    *path_of* turns an artifact's path in a report into one that the fixer can open.
    """
    seen = history.visible
    last, best = seen.last, seen.best
    before = seen.measurements[-2] if len(seen.measurements) > 1 else None
    visible = shown(reports)
    findings = sorted(
        (entry for report in visible for entry in _findings(report)),
        key=lambda f: (-(f["severity"] or 0.0), f["label"], f["delta_id"], str(f["property"])),
    )
    return {
        "schema_version": BRIEF_SCHEMA_VERSION,
        "run_id": history.run_id,
        "test_id": history.test_id,
        "mode": history.mode,
        "iteration": iteration,
        "iteration_cap": cap,
        "verdict": last.status if last else None,
        "score": last.score if last else None,
        "score_change": _change(before, last),
        "score_history": [{"iteration": m.iteration, "score": m.score} for m in seen.measurements],
        "best": {"iteration": best.iteration, "score": best.score} if best else None,
        "findings": findings,
        "worse_since_best": _worse(findings, shown(best_reports)),
        "undetermined": [
            {"label": r.get("label"), "status": r["status"], "problem": r.get("problem")}
            for r in visible
            if is_undetermined(str(r.get("status")))
        ],
        "pictures": [
            {"label": r.get("label"), **{k: path_of(v) for k, v in _artifacts(r).items()}}
            for r in visible
            if _artifacts(r) and r.get("status") != "pass"
        ],
        "last_fix": _fix(last.fix) if last and last.fix else None,
    }


def _findings(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a report's open findings with the documented keys, the element spread out."""
    entries = []
    for finding in gating_findings(report):
        element = finding.get("element") or {}
        entry: dict[str, Any] = {"label": str(report.get("label"))}
        entry.update({key: finding.get(key) for key in _KEYS})
        entry["delta_id"] = str(finding.get("delta_id"))
        entry["selector"] = element.get("selector")
        entry["text"] = element.get("text")
        entry["source"] = element.get("source")
        entries.append(entry)
    return entries


def _artifacts(report: Mapping[str, Any]) -> dict[str, str]:
    return {str(k): str(v) for k, v in sorted((report.get("artifacts") or {}).items())}


def _change(before: Measured | None, last: Measured | None) -> float | None:
    if before is None or last is None or before.score is None or last.score is None:
        return None
    return round(last.score - before.score, 6)


def _identity(finding: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(finding["delta_id"]), str(finding["kind"]), str(finding["property"])


def _worse(
    findings: Sequence[Mapping[str, Any]], best_reports: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the findings that are new or more severe than at the best iteration."""
    if not best_reports:
        return []
    then = {_identity(f): f["severity"] or 0.0 for r in best_reports for f in _findings(r)}
    return [
        {
            "delta_id": f["delta_id"],
            "kind": f["kind"],
            "property": f["property"],
            "severity": f["severity"],
            "severity_at_best": then.get(_identity(f)),
        }
        for f in findings
        if (f["severity"] or 0.0) > then.get(_identity(f), -1.0) + _GROWTH
    ]


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "iteration": fix.iteration,
        "outcome": str(fix.outcome),
        "exit_code": fix.exit_code,
        "seconds": fix.seconds,
        "changed": list(fix.changed),
        "changed_count": fix.changed_count,
        "words": f"{fix_words(fix)}, {changed_words(fix)}",
        "reverted": fix.reverted,
        "objections": [dict(entry) for entry in fix.objections],
    }


def brief_text(record: Mapping[str, Any], *, json_path: str) -> str:
    """Return the brief as text of at most 40 lines, rendered from its record."""
    lines = [
        f"pixelloop brief for iteration {record['iteration']} of at most {record['iteration_cap']}",
        f"test: {printable(str(record['test_id']))}",
        *_verdict(record),
    ]
    if record["verdict"] is not None:
        lines.extend(_edits(record, json_path))
        lines.extend(_worse_lines(record))
        lines.extend(_problem_lines(record))
        lines.extend(_picture_lines(record))
    if record["last_fix"] is not None:
        lines.append(f"last fix: {printable(record['last_fix']['words'])}")
        lines.extend(_objection_lines(record["last_fix"]))
    assert len(lines) <= MAX_LINES
    return "\n".join(lines) + "\n"


def _objection_lines(fix: Mapping[str, Any]) -> list[str]:
    """Return what the patch gate held against the last fix, so that the next one knows."""
    objections = fix["objections"]
    if not objections:
        return []
    end = "it was taken back" if fix["reverted"] else "it stays"
    lines = [f"the patch gate objects to it ({end}): {len(objections)}"]
    for entry in objections[:OBJECTIONS]:
        place = printable(str(entry["path"]), limit=80) + (
            f":{entry['line']}" if entry["line"] else ""
        )
        lines.append(f"- {place}: {printable(str(entry['message']), limit=100)}")
    return lines


def _verdict(record: Mapping[str, Any]) -> list[str]:
    if record["verdict"] is None:
        why = f"the page is measured after this fix (mode {record['mode']})"
        return [f"verdict: nothing is measured yet; {why}"]
    facts = [f"score {figure(record['score'])}"]
    if record["score_change"] is not None:
        facts.append(f"change {record['score_change']:+.1f}")
    if record["best"] is not None:
        facts.append(
            f"best {figure(record['best']['score'])} at iteration {record['best']['iteration']}"
        )
    return [f"verdict: {printable(record['verdict'])} ({', '.join(facts)}); 0 is the aim"]


def _edits(record: Mapping[str, Any], json_path: str) -> list[str]:
    findings = record["findings"]
    objected = bool((record["last_fix"] or {}).get("objections"))
    worst = WORST - 2 if objected else WORST  # the lines of the objections have to fit too
    several = len({f["label"] for f in findings}) > 1
    lines = [f"open findings: {len(findings)}, worst first; all of them in {printable(json_path)}"]
    for number, finding in enumerate(findings[:worst], start=1):
        where = f"[{printable(finding['label'], limit=60)}] " if several else ""
        lines.append(f"{number}. {where}{_edit(finding)}")
        lines.append(f"   {_place(finding)}")
    if len(findings) > worst:
        lines.append(f"   ({len(findings) - worst} more findings in the JSON file)")
    return lines


def _edit(finding: Mapping[str, Any]) -> str:
    """Return a finding as the edit that would repair it."""
    if finding["property"] is None:
        return printable(str(finding["message"]))
    node = finding["node"] or {}
    name = f" of {printable(str(node.get('path') or node.get('name')), limit=80)}" if node else ""
    identity = f" ({printable(str(node['id']), limit=40)})" if node.get("id") else ""
    delta = "" if finding["delta"] is None else f", delta {_value(finding['delta'])}"
    unit = f" {printable(str(finding['unit']), limit=20)}" if delta and finding["unit"] else ""
    return (
        f"set {printable(str(finding['property']), limit=60)}{name}{identity} "
        f"to {_value(finding['expected'])}, it is {_value(finding['actual'])}{delta}{unit}"
    )


def _place(finding: Mapping[str, Any]) -> str:
    parts = []
    if finding["selector"]:
        parts.append(f"selector {printable(str(finding['selector']), limit=120)}")
    if finding["source"]:
        parts.append(f"source {printable(str(finding['source']), limit=80)}")
    if finding["box"]:
        parts.append("box " + ",".join(_value(v) for v in finding["box"]))
    parts.append(f"severity {figure(finding['severity'])}")
    parts.append(f"id {printable(finding['delta_id'], limit=80)}")
    return "  ".join(parts)


def _value(value: Any) -> str:
    """Return a JSON value on one line, a string as it is."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return printable(text, limit=80)


def _worse_lines(record: Mapping[str, Any]) -> list[str]:
    worse = record["worse_since_best"]
    if not worse:
        return []
    lines = [f"worse than at the best iteration ({record['best']['iteration']}): {len(worse)}"]
    for entry in worse[:WORSE]:
        then = entry["severity_at_best"]
        was = "new" if then is None else f"severity was {figure(then)}"
        word = entry["property"] or entry["kind"]
        lines.append(
            f"- {printable(str(word), limit=60)} {printable(entry['delta_id'], limit=80)}: "
            f"severity {figure(entry['severity'])}, {was}"
        )
    if len(worse) > WORSE:
        lines.append(f"  ({len(worse) - WORSE} more in the JSON file)")
    return lines


def _problem_lines(record: Mapping[str, Any]) -> list[str]:
    entries = record["undetermined"]
    lines = [
        f"{printable(str(e['label']), limit=60)}: {printable(e['status'], limit=60)}: "
        f"{printable(str(e['problem'] or 'no reason given'))}"
        for e in entries[:PROBLEMS]
    ]
    if len(entries) > PROBLEMS:
        lines.append(f"({len(entries) - PROBLEMS} more undetermined comparisons in the JSON file)")
    return lines


def _picture_lines(record: Mapping[str, Any]) -> list[str]:
    entries = record["pictures"]
    lines = []
    for entry in entries[:PICTURES]:
        pairs = " ".join(f"{k}={printable(v)}" for k, v in entry.items() if k != "label")
        lines.append(f"pictures {printable(str(entry['label']), limit=60)}: {pairs}")
    if len(entries) > PICTURES:
        lines.append(f"({len(entries) - PICTURES} more sets of pictures in the JSON file)")
    return lines
