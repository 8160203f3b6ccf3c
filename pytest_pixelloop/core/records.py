"""The lines of a ledger: one plain JSON object for each thing that happened in a loop."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from itertools import zip_longest
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.lost_texts import texts_in
from pytest_pixelloop.core.mask_growth import masked_share_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_pixelloop.core.budget import Spent, Usage
    from pytest_pixelloop.core.measurement import LoopSettings, Measurement

LEDGER_SCHEMA_VERSION = 1
#: How many names of changed files one record holds; the number of them is always exact.
NAMED_FILES = 100


class Kind(StrEnum):
    """What a ledger line tells."""

    START = "start"
    RESUMED = "resumed"
    ITERATION_STARTED = "iteration-started"
    FIX_STARTED = "fix-started"
    FIX_RUNNING = "fix-running"
    FIX_ENDED = "fix-ended"
    MEASURED = "measured"
    RELOADED = "reloaded"
    RESTARTED = "restarted"
    UNSEALED = "unsealed"
    ENDED = "ended"


class FixOutcome(StrEnum):
    """What a fix came to, as far as one can tell without measuring.

    ``unknown`` is a fix that went well while the watched sources are too many to be fingerprinted.
    """

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    UNKNOWN = "unknown"


def plain(value: Any) -> Any:
    """Return *value* as JSON can hold it; a number that is not finite becomes None.

    A measurement must never be lost over an odd value in it, so whatever is unknown to JSON is
    kept as its text.
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(str(item) for item in value)
    if value is None or isinstance(value, bool):
        return value
    return _number(value) if isinstance(value, Real) else str(value)


def _number(value: Real) -> int | float | None:
    """Return a number, one of numpy's too, as Python's own."""
    if isinstance(value, Integral):
        return int(value)
    return float(value) if math.isfinite(value) else None


def record(kind: Kind, *, at: float, **fields: Any) -> dict[str, Any]:
    """Return one ledger line. ``at`` is the clock in seconds."""
    line = {"schema_version": LEDGER_SCHEMA_VERSION, "kind": str(kind), "at": round(at, 3)}
    line.update(plain(fields))
    return line


def session_record(
    kind: Kind,
    *,
    at: float,
    run_id: str,
    test_id: str,
    settings: LoopSettings,
    goalposts: Mapping[str, str],
    forged: tuple[str, ...] = (),
    limits: Mapping[str, Any] | None = None,
    process: Mapping[str, Any] | None = None,
    elsewhere: Spent | None = None,
    seal_broken: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the ``start`` or ``resumed`` line: what this process was told.

    ``forged`` tells what somebody did to the run's own files since the last process. ``limits``
    are what the stop rules measure against, ``process`` is who writes. ``elsewhere`` is what the
    run has spent outside this ledger, None where nobody limits it.
    """
    return record(
        kind,
        at=at,
        run_id=run_id,
        test_id=test_id,
        looping=settings.looping,
        mode=settings.mode,
        iteration_cap=settings.cap.value,
        iteration_cap_source=settings.cap.source,
        notes=settings.cap.notes,
        fixer=settings.fixer,
        iterations_per_run=settings.iterations_per_run,
        goalposts=dict(sorted(goalposts.items())),
        **({"forged": list(forged)} if forged else {}),
        **({} if limits is None else {"limits": dict(limits)}),
        **({} if process is None else {"process": dict(process)}),
        **({"budget": settings.budget.as_record()} if settings.budget.any else {}),
        **_elsewhere(elsewhere),
        **_seal(seal_broken),
    )


def _elsewhere(spent: Spent | None) -> dict[str, Any]:
    return {} if spent is None else {"elsewhere": spent.as_record()}


def fix_ended_record(
    *,
    at: float,
    iteration: int,
    outcome: FixOutcome,
    exit_code: int | None,
    seconds: float,
    changed: tuple[str, ...],
    output: str | None,
    error: str | None,
    by: str = "command",
    patch: Mapping[str, Any] | None = None,
    usage: Usage | None = None,
) -> dict[str, Any]:
    """Return the line of a fix that is over: how it ended and which files it changed.

    *by* says who fixed. *patch* is what the patch gate says of it, None where there is no gate.
    *usage* is what the fixer says it cost, None when it said nothing.
    """
    told = {} if patch is None else {"patch": dict(patch)}
    if usage is not None:
        told["usage"] = usage.as_record()
    return record(
        Kind.FIX_ENDED,
        at=at,
        iteration=iteration,
        outcome=str(outcome),
        exit_code=exit_code,
        seconds=round(seconds, 3),
        changed=changed[:NAMED_FILES],
        changed_count=len(changed),
        output=output,
        error=error,
        by=by,
        **told,
    )


def measured_record(
    measurement: Measurement,
    *,
    at: float,
    iteration: int,
    reports: Iterable[str],
    sources: str | None = None,
    known_goalposts: Mapping[str, str] | None = None,
    goalposts: Mapping[str, str] | None = None,
    environment_changed: Iterable[str] = (),
    forged: tuple[str, ...] = (),
    grown: Iterable[str] = (),
    moving: tuple[str, ...] = (),
    evidence: Sequence[Mapping[str, str]] = (),
    elsewhere: Spent | None = None,
    seal_broken: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the line of a measurement: the line that makes an iteration count.

    ``reports`` are the names of the report files, in the order of ``measurement.reports``.
    ``sources`` is the fingerprint of the watched sources that were rendered, None if unknown.
    ``goalposts`` are those of now, ``known_goalposts`` those the run is held to.
    ``environment_changed`` tells what is other than in an earlier iteration. ``forged`` tells what
    became of the run's own files, ``grown`` what the page hides that it showed: both are moved
    goalposts, and what is forged stays so in every later process. ``moving`` are the sources that
    were written while the page was measured. ``evidence`` are the hashes of
    each comparison's files by name. ``elsewhere`` is what the run has spent outside this ledger,
    None where nobody limits it. ``seal_broken`` tells what of the held-out evidence is lost.
    """
    known, now = known_goalposts or {}, goalposts or {}
    return record(
        Kind.MEASURED,
        at=at,
        iteration=iteration,
        status=measurement.status,
        score=measurement.score,
        delta_ids=sorted(set(measurement.delta_ids)),
        channels=measurement.channels,
        problem=measurement.problem,
        sources=sources,
        goalposts_moved=(*moved_goalposts(known, now), *forged, *grown),
        goalposts_added={name: now[name] for name in sorted(now) if name not in known},
        environment_changed=list(environment_changed),
        comparisons=[
            comparison_record(report, file=name, evidence=hashes)
            for report, name, hashes in zip_longest(measurement.reports, reports, evidence)
        ],
        **({"forged": list(forged)} if forged else {}),
        **({"moving": list(moving[:NAMED_FILES])} if moving else {}),
        **_elsewhere(elsewhere),
        **_seal(seal_broken),
    )


def _seal(broken: tuple[str, ...]) -> dict[str, Any]:
    return {"seal_broken": list(broken)} if broken else {}


def comparison_record(
    report: Mapping[str, Any], *, file: str, evidence: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return what the ledger keeps of one report; everything else is in the report's file."""
    design = report.get("design")
    if not isinstance(design, Mapping):
        design = {}
    label = str(report.get("label", "?"))
    return {
        "label": label,
        "design": str(design.get("name") or label),
        "status": str(report.get("status", "undetermined")),
        "gate": report.get("gate"),
        "score": report.get("score"),
        "delta_ids": _ids(report, state="open"),
        "excused": _ids(report, state="excused"),
        "hold_out": design.get("hold_out") is True,
        "report": file,
        "environment": fingerprint_in(report),
        "noise_floor": _noise_floor(report),
        "masked": masked_share_in(report),
        "texts": texts_in(report),
        **({"evidence": dict(evidence)} if evidence else {}),
    }


def fingerprint_in(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fingerprint that a report's environment holds, empty when there is none."""
    environment = report.get("environment")
    found = environment.get("fingerprint") if isinstance(environment, Mapping) else None
    return dict(found) if isinstance(found, Mapping) else {}


def _noise_floor(report: Mapping[str, Any]) -> float | None:
    noise = report.get("noise")
    floor = noise.get("floor") if isinstance(noise, Mapping) else None
    return float(floor) if isinstance(floor, int | float) else None


def _ids(report: Mapping[str, Any], *, state: str) -> list[str]:
    """Return the sorted identities of the gating findings in that state."""
    return sorted({str(f.get("delta_id")) for f in gating_findings(report, state=state)})


def gating_findings(report: Mapping[str, Any], *, state: str = "open") -> list[Mapping[str, Any]]:
    """Return the gating findings of a report in that state, worst first, then by identity."""
    findings = [
        finding
        for finding in report.get("findings") or ()
        if isinstance(finding, Mapping)
        and finding.get("gating") is True
        and finding.get("state", "open") == state
    ]
    return sorted(findings, key=_worst_first)


def _worst_first(finding: Mapping[str, Any]) -> tuple[float, str, str, str]:
    severity = finding.get("severity")
    number = float(severity) if isinstance(severity, int | float) else 0.0
    number = number if math.isfinite(number) else 0.0
    words = (str(finding.get(key)) for key in ("delta_id", "kind", "property"))
    first, second, third = words
    return -number, first, second, third


def moved_goalposts(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Return which goalposts of *before* are gone or others in *after*, in words, by name.

    A name that only *after* has is no move: a test may reach its second design only once its first
    one passes. From then on it counts.
    """
    moved: list[str] = []
    for name, value in sorted(before.items()):
        if name not in after:
            moved.append(f"{name} is no longer a goalpost")
        elif after[name] != value:
            moved.append(f"{name} changed ({value[:16]} -> {after[name][:16]})")
    return tuple(moved)
