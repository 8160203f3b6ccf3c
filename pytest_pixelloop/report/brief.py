"""What a fixer is told, as a record: everything that is open, and what would repair it.

``brief.schema.json`` beside this file says what is in it, ``brief_text`` makes the text of it.
Held-out comparisons are in neither: callers hand over ``history.visible``, and ``shown`` drops
their reports.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design_tokens import Tokens
from pytest_pixelloop.core.hidden_words import find_hiding
from pytest_pixelloop.core.records import gating_findings
from pytest_pixelloop.core.source_places import find_places
from pytest_pixelloop.core.token_names import find_token
from pytest_pixelloop.core.verdict import is_undetermined
from pytest_pixelloop.report.brief_past import GROWTH, changes_since, identity, with_past
from pytest_pixelloop.report.lines import changed_words, fix_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_pixelloop.core.history import Fix, History, Measured

BRIEF_SCHEMA_VERSION = 1
#: How many findings are looked up in the project's files: those that the text can hold, and more.
LOOKED_UP = 20
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
_EDIT_KEYS = ("selector", "property", "value", "actual", "node", "source", "variable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What is known of the project that a fixer edits: its texts by path, and its tokens."""

    texts: Mapping[str, str] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)


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
    earlier: Sequence[tuple[int, Sequence[Mapping[str, Any]]]] = (),
    project: Project | None = None,
    path_of: Callable[[str], str] = str,
) -> dict[str, Any]:
    """Return ``brief.json`` for the fix of *iteration*.

    *reports* are those of the last measurement, *best_reports* those of the best one before it,
    *earlier* those of all measurements before the last, by their iterations. *project* is where
    tokens and places are looked up. *path_of* turns an artifact's path in a report into one that
    the fixer can open.
    """
    seen = history.visible
    last, best = seen.last, seen.best
    before = seen.measurements[-2] if len(seen.measurements) > 1 else None
    visible = shown(reports)
    past = [(n, _all_findings(shown(r))) for n, r in earlier]
    if last is not None:
        past.append((last.iteration, _all_findings(visible)))
    findings = [with_past(f, past) for f in _all_findings(visible)]
    for finding in findings[:LOOKED_UP]:
        _look_up(finding, project or Project())
    best_past = None
    if best is not None and last is not None and last.score != best.score:
        best_past = (best.iteration, _all_findings(shown(best_reports)))
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
        "budget": _left(history, iterations=max(cap - iteration + 1, 0)),
        "findings": findings,
        "since_last": changes_since(findings, past[-2] if len(past) > 1 else None),
        "since_best": changes_since(findings, best_past),
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


def _left(history: History, *, iterations: int) -> dict[str, Any]:
    """Return what is left for this fix and all after it, as of the ledger's last record."""
    budget = history.budget.as_record()
    return {
        "iterations_left": iterations,
        "minutes_left": budget["left"]["minutes"],
        "cost_usd_left": budget["left"]["cost_usd"],
        "tokens_left": budget["left"]["tokens"],
        "cost_unknown": budget["spent"]["cost_unknown"],
        "tokens_unknown": budget["spent"]["tokens_unknown"],
    }


def _all_findings(reports: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the open findings of all reports, worst first; the same for any order of reports."""
    return sorted(
        (entry for report in reports for entry in _findings(report)),
        key=lambda f: (-(f["severity"] or 0.0), f["label"], f["delta_id"], str(f["property"])),
    )


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
        entry["edit"] = _edit(finding.get("edit"))
        entry["crop"] = None
        entries.append(entry)
    return entries


def _edit(found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if not found:
        return None
    return {
        "action": "text" if found["property"] == "text" else "set",
        **{key: found.get(key) for key in _EDIT_KEYS},
        "token": None,
        "places": [],
    }


def _look_up(finding: dict[str, Any], project: Project) -> None:
    """Put the token and the places of a finding's edit into it."""
    unseen = finding["kind"] == "missing" or finding["property"] == "text"
    if finding["edit"] is None and unseen and finding["selector"] is None:
        finding["edit"] = _shown_again(finding, project)
        return
    edit = finding["edit"]
    if edit is None:
        return
    edit["places"] = find_places(
        project.texts,
        selector=edit["selector"],
        css_property=edit["property"],
        actual=edit["actual"],
    )
    if edit["action"] == "set":
        token = find_token(
            project.tokens,
            edit["value"],
            css_property=edit["property"],
            variable=edit["variable"],
        )
        edit["token"] = token.as_record() if token else None


def _shown_again(finding: Mapping[str, Any], project: Project) -> dict[str, Any] | None:
    """Return the edit for words that are missing on the page, and only hidden in its sources."""
    node = finding["node"]
    found = find_hiding(project.texts, str(node["name"])) if node else None
    if found is None:
        return None
    return {
        "action": "set",
        "selector": found.selector,
        "property": found.property,
        "value": found.value,
        "actual": found.actual,
        "node": node,
        "source": None,
        "variable": None,
        "token": None,
        "places": [{"path": found.path, "line": found.line, "what": "declares"}],
    }


def _artifacts(report: Mapping[str, Any]) -> dict[str, str]:
    return {str(k): str(v) for k, v in sorted((report.get("artifacts") or {}).items())}


def _change(before: Measured | None, last: Measured | None) -> float | None:
    if before is None or last is None or before.score is None or last.score is None:
        return None
    return round(last.score - before.score, 6)


def _worse(
    findings: Sequence[Mapping[str, Any]], best_reports: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the findings that are new or more severe than at the best iteration."""
    if not best_reports:
        return []
    then = {identity(f): f["severity"] or 0.0 for r in best_reports for f in _findings(r)}
    return [
        {
            "delta_id": f["delta_id"],
            "kind": f["kind"],
            "property": f["property"],
            "severity": f["severity"],
            "severity_at_best": then.get(identity(f)),
        }
        for f in findings
        if (f["severity"] or 0.0) > then.get(identity(f), -1.0) + GROWTH
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
