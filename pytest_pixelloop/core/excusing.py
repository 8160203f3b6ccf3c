"""What judgements excuse in a comparison's report: a pure step between finding and verdict.

A judgement excuses a finding that a person has looked at. It never hides it: the finding stays in
the report with the state ``excused``, and what does not count any more is said.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.final_verdict import evaluate_report, results_of
from pytest_pixelloop.core.finding import Channel, State
from pytest_pixelloop.core.verdict import CONDITIONAL, FAIL, PASS, is_undetermined

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_pixelloop.core.finding import Finding
    from pytest_pixelloop.core.verdict import ComparisonReport


class ExcuseKind(StrEnum):
    """Why a finding is excused: a known difference, or one of versions."""

    KNOWN = "known"
    VERSION = "version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Excuse:
    """One entry of ``judgements.yaml``. ``property`` None excuses every property of the node.

    ``expires`` is the last day on which it counts. ``version`` ties it to one version of the
    design. ``where`` is file and line.
    """

    delta_id: str
    kind: ExcuseKind
    reason: str
    property: str | None = None
    issue: str | None = None
    expires: dt.date | None = None
    version: str | None = None
    where: str = ""

    def as_record(self) -> dict[str, Any]:
        """Return the entry as reports hold it."""
        return {
            "delta_id": self.delta_id,
            "property": self.property,
            "kind": str(self.kind),
            "reason": self.reason,
            "issue": self.issue,
            "expires": self.expires.isoformat() if self.expires else None,
            "version": self.version,
            "where": self.where,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Excused:
    """What became of the excuses of one comparison.

    ``applied`` excuse something here; ``expired`` and ``outdated`` (made for another version of
    the design) would have; ``unmatched`` name nothing that was found.
    """

    applied: tuple[Excuse, ...] = ()
    expired: tuple[Excuse, ...] = ()
    outdated: tuple[Excuse, ...] = ()
    unmatched: tuple[Excuse, ...] = ()

    def as_record(self) -> dict[str, Any]:
        """Return the excuses as reports hold them."""
        named = {
            "applied": self.applied,
            "expired": self.expired,
            "outdated": self.outdated,
            "unmatched": self.unmatched,
        }
        return {name: [e.as_record() for e in excuses] for name, excuses in named.items()}

    def warnings(self) -> tuple[str, ...]:
        """Return a sentence for each entry that does not count."""
        said = [f"{_named(e)} expired on {e.expires}: it excuses nothing" for e in self.expired]
        said += [
            f"{_named(e)} was made for version {e.version} of the design: it excuses nothing"
            for e in self.outdated
        ]
        said += [f"{_named(e)} matches no finding: remove it" for e in self.unmatched]
        return tuple(said)


def excuse_report(
    report: ComparisonReport,
    excuses: Iterable[Excuse],
    *,
    today: dt.date,
    version: str | None = None,
) -> tuple[ComparisonReport, Excused]:
    """Return *report* with its excused findings marked and its status and score made anew.

    *version* is that of the design. An undetermined report, and one with no excuse that counts,
    keep their status. Score and shares are of the findings that are still open.
    """
    own = [e for e in excuses if e.delta_id.startswith(f"{report.label}/")]
    if is_undetermined(report.status) or not own:
        return report, Excused()
    sorted_out = _sort_out(own, report.findings, today=today, version=version)
    if not sorted_out.applied:
        warned = (*report.warnings, *sorted_out.warnings())
        return dataclasses.replace(report, warnings=warned), sorted_out
    findings = tuple(
        dataclasses.replace(f, state=State.EXCUSED)
        if f.gating and any(_fits(e, f) for e in sorted_out.applied)
        else f
        for f in report.findings
    )
    status = status_without(report, findings)
    changed = dataclasses.replace(
        report,
        status=status,
        score=_score(findings) if status != PASS else 0.0,
        findings=_with_shares(findings) if status != PASS else _not_gating(findings),
        warnings=(*report.warnings, *sorted_out.warnings()),
    )
    return _concluded(changed, report, findings), sorted_out


def _concluded(
    changed: ComparisonReport, before: ComparisonReport, findings: Sequence[Finding]
) -> ComparisonReport:
    """Return the report with what each channel says once the excused findings do not count.

    The pictures alone are asked again; the other channels' records and findings say the rest.
    """
    if "visual" not in before.verdicts:
        return changed
    alone = dataclasses.replace(before, status=str(before.verdicts["visual"]))
    seen = [f for f in findings if f.channel is Channel.VISUAL]
    verdicts = {**before.verdicts, "visual": status_without(alone, seen)}
    record = dataclasses.replace(changed, verdicts=verdicts).as_record()
    verdict = evaluate_report(record)
    said = {**results_of(record), "causes": list(verdict.causes)}
    return dataclasses.replace(changed, status=verdict.status, verdicts=said)


def status_without(report: ComparisonReport, findings: Sequence[Finding]) -> str:
    """Return the status that *report* has when only the open ones of *findings* count.

    The ``pixel`` gate is asked again with its own limits, less the pixels of excused regions: what
    is left may be within them. Any other gate fails by a finding that is open.
    """
    open_ones = [f for f in findings if f.gating and f.state is State.OPEN]
    if not open_ones:
        return PASS
    others = [f for f in open_ones if f.channel is not Channel.VISUAL]
    if report.gate != "pixel" or others or any(f.kind == "size" for f in open_ones):
        return report.status
    excused = {f.delta_id for f in findings if f.state is State.EXCUSED}
    return _pixel_status(report, excused)


def _pixel_status(report: ComparisonReport, excused: set[str]) -> str:
    left = [r for r in report.regions if r.delta_id not in excused]
    nodes = [r for r in report.regions if r.node is not None]
    held = [r for r in left if r.node is not None or not nodes]
    total = report.pixels.get("total") or 0
    mismatch = sum(r.pixels for r in left)
    confidence = 1.0 - mismatch / total if total else 0.0
    worst = max((r.mismatch_ratio for r in held), default=0.0)
    limits = report.tolerance
    if confidence < limits["conditional_confidence"] or worst >= limits["region_fail"]:
        return FAIL
    if confidence < limits["pass_confidence"] or worst >= limits["region_conditional"]:
        return CONDITIONAL
    return PASS


def _sort_out(
    excuses: Sequence[Excuse],
    findings: Sequence[Finding],
    *,
    today: dt.date,
    version: str | None,
) -> Excused:
    applied: list[Excuse] = []
    expired: list[Excuse] = []
    outdated: list[Excuse] = []
    unmatched: list[Excuse] = []
    for excuse in sorted(excuses, key=lambda e: (e.delta_id, e.property or "")):
        if not any(f.gating and _fits(excuse, f) for f in findings):
            unmatched.append(excuse)
        elif excuse.expires is not None and today > excuse.expires:
            expired.append(excuse)
        elif excuse.version is not None and excuse.version != version:
            outdated.append(excuse)
        else:
            applied.append(excuse)
    return Excused(
        applied=tuple(applied),
        expired=tuple(expired),
        outdated=tuple(outdated),
        unmatched=tuple(unmatched),
    )


def _fits(excuse: Excuse, finding: Finding) -> bool:
    same = excuse.delta_id == finding.delta_id
    return same and excuse.property in (None, finding.property)


def _score(findings: Sequence[Finding]) -> float:
    return sum(f.severity for f in findings if f.gating and f.state is State.OPEN)


def _with_shares(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    score = _score(findings)
    return tuple(
        dataclasses.replace(
            f,
            share=f.severity / score if f.gating and f.state is State.OPEN and score > 0 else 0.0,
        )
        for f in findings
    )


def _not_gating(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings of a report that passes: what is open in it gates no more."""
    return tuple(
        dataclasses.replace(f, gating=f.gating and f.state is not State.OPEN, share=0.0)
        for f in findings
    )


def _named(excuse: Excuse) -> str:
    of = f" ({excuse.property})" if excuse.property else ""
    return f"the judgement of {excuse.delta_id}{of} in {excuse.where}"


#: What can be repaired by giving one element another value of one property.
_SLOTS = frozenset(
    (
        *("background", "background-color", "color", "fill", "stroke", "opacity", "border"),
        *("border-color", "border-width", "border-radius", "box-shadow", "font-size"),
        *("font-weight", "font-family", "font-style", "line-height", "letter-spacing"),
        *("text-align", "text-decoration", "text-transform", "padding", "gap", "margin"),
        *("width", "height"),
    )
)


def classify(finding: Mapping[str, Any]) -> str:
    """Return ``style-slot`` for a finding that one property edit can repair, else ``app``."""
    named = str(finding.get("property") or "")
    known = named in _SLOTS or named.startswith(("padding-", "border-", "margin-"))
    return "style-slot" if known and finding.get("element") else "app"


def judgement_record(
    reports: Iterable[Mapping[str, Any]], proposed: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what ``compare/judgement.json`` holds, from report records.

    ``open`` are the open gating findings with their class; ``excused`` those that count no more;
    ``proposed`` excuses that somebody asked for, which change nothing.
    """
    rows: dict[str, list[dict[str, Any]]] = {"open": [], "excused": []}
    hidden = 0
    for report in reports:
        if (report.get("design") or {}).get("hold_out"):
            hidden += 1
            continue
        for finding in report.get("findings") or ():
            state = finding.get("state")
            if finding.get("gating") and state in rows:
                rows[state].append(
                    {
                        "delta_id": finding["delta_id"],
                        "property": finding.get("property"),
                        "class": classify(finding),
                        "severity": finding.get("severity"),
                        "message": finding.get("message"),
                    }
                )
    return {
        "schema_version": 1,
        **rows,
        "proposed": [{**entry, "counts": False} for entry in proposed],
        "held_out_comparisons": hidden,
    }
