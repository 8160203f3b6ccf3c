"""Every verdict of a report made again from what the report itself holds.

Nothing here trusts a word that another part of the report can answer: the visual channel's verdict
follows from figures, limits and findings, the score from its addends, the status from the channels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.final_verdict import VISUAL, decide_verdict, results_of
from pytest_pixelloop.core.gate_pixel import status_of_figures
from pytest_pixelloop.core.gate_snapshot import allowed_pixels
from pytest_pixelloop.core.measurement import compared_channels, merged_channels
from pytest_pixelloop.core.records import comparison_record, gating_findings
from pytest_pixelloop.core.tolerance import Tolerance
from pytest_pixelloop.core.verdict import (
    CONDITIONAL,
    FAIL,
    PASS,
    REPORT_SCHEMA_VERSION,
    combine_statuses,
    is_undetermined,
    sum_scores,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Reports keep ratios of regions to six digits.
_ROUNDED = 1e-6
#: Scores are sums of many addends, of which some were rounded.
SCORE = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One recorded value that its own artefacts do not give. ``what`` names it."""

    what: str
    recorded: str
    recomputed: str


class UnknownReportError(Exception):
    """A report that this version cannot evaluate; the text says why."""


def check_report(report: Any) -> tuple[Difference, ...]:
    """Return everything in one report that does not follow from the rest of it.

    Raises UnknownReportError for a report of a newer version, or one that is no report.
    """
    if not isinstance(report, dict):
        raise UnknownReportError("it is no JSON object")
    version = report.get("schema_version")
    if not isinstance(version, int) or version > REPORT_SCHEMA_VERSION:
        raise UnknownReportError(
            f"it has schema_version {version!r}, this version reads up to {REPORT_SCHEMA_VERSION}"
        )
    try:
        return tuple(_differences(report))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UnknownReportError(f"it is no report: {error!r}") from error


def _differences(report: Mapping[str, Any]) -> Iterable[Difference]:
    told = results_of(report)
    answers = visual_answers(report)
    if told[VISUAL] not in answers:
        yield difference("the visual verdict", told[VISUAL], " or ".join(answers))
    # The status is asked of the verdict that the figures give, not of the recorded word.
    visual = told[VISUAL] if told[VISUAL] in answers else answers[0]
    verdict = decide_verdict({**told, VISUAL: visual})
    yield from _unlike("status", report["status"], verdict.status)
    if "verdicts" in report and "causes" in report["verdicts"]:
        yield from _unlike("causes", report["verdicts"]["causes"], list(verdict.causes))
        kept = {n: word for n, word in report["verdicts"].items() if n in told and n != VISUAL}
        words = {name: told[name] for name in kept}
        yield from _unlike("verdicts of the channels", kept, words)
    yield from _score(report)
    yield from _pixels(report)


def visual_answers(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the visual channel can say by the report's figures, limits and findings.

    More than one only where a rounded ratio lies on a limit. What could not be compared has
    neither figures nor findings: a report with some is none of these.
    """
    said = results_of(report)[VISUAL]
    own = [f for f in report.get("findings") or () if f.get("channel", VISUAL) == VISUAL]
    if is_undetermined(said) and not report.get("pixels") and not own:
        return (said,)
    open_ones = [f for f in gating_findings(report) if f.get("channel", VISUAL) == VISUAL]
    gate = report.get("gate")
    excused = {
        str(f.get("delta_id"))
        for f in gating_findings(report, state="excused")
        if f.get("channel", VISUAL) == VISUAL
    }
    if not report.get("pixels") or gate not in {"pixel", "snapshot"} or (excused and not open_ones):
        return (FAIL,) if open_ones else (PASS,)
    size = report.get("size") or {}
    if size.get("expected") != size.get("actual"):
        return (FAIL,)
    if gate == "snapshot":
        allowed = allowed_pixels(_limits(report), math.prod(size["expected"]))
        return (FAIL,) if float(report["pixels"]["mismatch"]) > allowed else (PASS,)
    return tuple(
        dict.fromkeys(_pixel_status(report, excused, slack) for slack in (0.0, _ROUNDED, -_ROUNDED))
    )


def _limits(report: Mapping[str, Any]) -> Tolerance:
    return Tolerance(**(report.get("tolerance") or {}))


def _pixel_status(report: Mapping[str, Any], excused: set[str], slack: float) -> str:
    regions = report.get("regions") or ()
    has_nodes = (report.get("design") or {}).get("node") is not None
    left = [r for r in regions if r.get("delta_id") not in excused]
    held = [r for r in left if r.get("node_id") is not None or not has_nodes]
    total = report["pixels"]["total"]
    counted = sum(r["pixels"] for r in left) if excused else report["pixels"]["mismatch"]
    confidence = 1.0 - counted / total if total else 0.0
    worst = max((r["mismatch_ratio"] for r in held), default=0.0) + slack
    return status_of_figures(confidence, worst, _limits(report))


def _score(report: Mapping[str, Any]) -> Iterable[Difference]:
    score = report.get("score")
    addends = math.fsum(float(f["severity"]) for f in gating_findings(report))
    if score is None:
        if not is_undetermined(str(report["status"])):
            yield difference("score", "unknown", f"{addends:g}")
    elif not math.isclose(float(score), addends, rel_tol=1e-6, abs_tol=SCORE):
        yield difference("score", f"{float(score):g}", f"{addends:g}, the sum of its findings")
    elif not addends and report["status"] in {FAIL, CONDITIONAL}:
        yield difference("score", "0", f"above 0, since the status is {report['status']}")


def _pixels(report: Mapping[str, Any]) -> Iterable[Difference]:
    pixels = report.get("pixels") or {}
    total, mismatch = pixels.get("total"), pixels.get("mismatch")
    if not total or mismatch is None:
        return
    ratio = mismatch / total
    if "ratio" in pixels and not math.isclose(pixels["ratio"], ratio, abs_tol=_ROUNDED):
        yield difference("ratio of differing pixels", f"{pixels['ratio']:g}", f"{ratio:g}")
    confidence = report.get("confidence")
    if confidence is not None and not math.isclose(confidence, 1 - ratio, abs_tol=_ROUNDED):
        yield difference("confidence", f"{confidence:g}", f"{1 - ratio:g}")


def check_measurement(
    line: Mapping[str, Any], reports: Sequence[Mapping[str, Any]]
) -> tuple[Difference, ...]:
    """Return what a ``measured`` record tells otherwise than the reports it names.

    *reports* are those of its comparisons, in order. A test may overrule its comparisons by how it
    ended itself, but only to ``undetermined``, with the reason in words.
    """
    found: list[Difference] = []
    ids: set[str] = set()
    for entry, report in zip(line.get("comparisons") or (), reports, strict=True):
        again = comparison_record(report, file=str(entry.get("report")), evidence=None)
        ids.update(again["delta_ids"])
        for name in ("status", "gate", "score", "delta_ids", "excused", "hold_out"):
            found += _unlike(f"{entry.get('label')}: {name}", entry.get(name), again[name])
    statuses = tuple(str(r.get("status")) for r in reports)
    status = str(line.get("status"))
    combined = combine_statuses(statuses)
    overruled = is_undetermined(status) and bool(line.get("problem"))
    if status != combined and not overruled:
        found += _unlike("status of the test", status, combined)
    total = sum_scores((str(r.get("status")), r.get("score")) for r in reports)
    found += _unlike("score of the test", line.get("score"), total)
    found += _unlike("open findings of the test", line.get("delta_ids"), sorted(ids))
    merged = merged_channels(r.get("channels") or {} for r in reports)
    kept = compared_channels(line.get("channels") or {})
    found += _unlike("compared channels", list(kept), list(compared_channels(merged)))
    return tuple(found)


def _unlike(what: str, recorded: Any, recomputed: Any) -> list[Difference]:
    both = (recorded, recomputed)
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in both):
        same = math.isclose(recorded, recomputed, rel_tol=1e-9, abs_tol=1e-9)
    else:
        same = recorded == recomputed
    return [] if same else [difference(what, _word(recorded), _word(recomputed))]


def difference(what: str, recorded: str, recomputed: str) -> Difference:
    """Return a difference by its three words."""
    return Difference(what=what, recorded=recorded, recomputed=recomputed)


def _word(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {v}" for k, v in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)
