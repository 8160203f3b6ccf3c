"""What judgements excuse in a comparison's report: a pure step between finding and verdict.

A judgement excuses a finding that a person has looked at. It never hides it: the finding stays in
the report with the state ``excused``, and what does not count any more is said.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Excuses:
    """All entries of a project and the day on which they are asked."""

    entries: tuple[Excuse, ...]
    today: dt.date


def excuse_report(
    report: ComparisonReport, excuses: Excuses, *, version: str | None = None
) -> ComparisonReport:
    """Return *report* with its excused findings marked, and what the visual channel then says.

    *version* is that of the design. Score and shares are of the findings that are still open; the
    status is left to whoever joins the channels. ``judgements`` of the report tells what became of
    every entry for its label. An undetermined report stays as it is.
    """
    own = [e for e in excuses.entries if e.delta_id.startswith(f"{report.label}/")]
    if is_undetermined(report.status) or not own:
        return report
    told = _sort_out(own, report.findings, today=excuses.today, version=version)
    findings = tuple(
        dataclasses.replace(f, state=State.EXCUSED)
        if f.gating and any(_fits(e, f) for e in told.applied)
        else f
        for f in report.findings
    )
    visual = str(report.verdicts.get("visual", report.status))
    if told.applied:
        visual = visual_without(report, visual, findings)
        findings = _counted(findings, visual_passes=visual == PASS)
    return dataclasses.replace(
        report,
        findings=findings,
        score=_score(findings) if told.applied else report.score,
        verdicts={**report.verdicts, "visual": visual},
        warnings=(*report.warnings, *told.warnings()),
        judgements=told.as_record(),
    )


def visual_without(report: ComparisonReport, visual: str, findings: Sequence[Finding]) -> str:
    """Return what the visual channel says when only the open ones of *findings* count.

    The ``pixel`` gate is asked again with its own limits, less the pixels of excused regions: what
    is left may be within them. Any other gate fails by a finding that is open.
    """
    own = [f for f in findings if f.channel is Channel.VISUAL and f.gating]
    open_ones = [f for f in own if f.state is State.OPEN]
    if not open_ones:
        return PASS
    if report.gate != "pixel" or any(f.kind == "size" for f in open_ones):
        return visual
    excused = {f.delta_id for f in own if f.state is State.EXCUSED}
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
    return math.fsum(f.severity for f in findings if _counts(f))


def _counted(findings: Sequence[Finding], *, visual_passes: bool) -> tuple[Finding, ...]:
    """Return the findings with shares; where the pixels pass, what they found gates no more."""
    kept = [
        dataclasses.replace(f, gating=False)
        if visual_passes and f.channel is Channel.VISUAL and f.state is State.OPEN
        else f
        for f in findings
    ]
    score = _score(kept)
    return tuple(
        dataclasses.replace(f, share=f.severity / score if _counts(f) and score > 0 else 0.0)
        for f in kept
    )


def _counts(finding: Finding) -> bool:
    return finding.gating and finding.state is State.OPEN


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
