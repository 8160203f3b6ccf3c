"""A verdict in plain words: what a failing test prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_pixelloop.core.noticed import notices
from pytest_pixelloop.core.verdict import is_undetermined

if TYPE_CHECKING:
    from pytest_pixelloop.core.verdict import ComparisonReport, Verdict

WORST = 5
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def printable(text: str, *, limit: int = 200) -> str:
    """Return *text* on one line, without control characters and at most *limit* long.

    Names come from design files and pages, which are untrusted: an escape sequence or a
    direction override in them must not reach a terminal.
    """
    flat = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    return flat if len(flat) <= limit else flat[: limit - 1] + "\N{HORIZONTAL ELLIPSIS}"


def explain_report(report: ComparisonReport) -> list[str]:
    """Return the lines that tell one comparison's result: status, numbers, worst findings."""
    head = f"{printable(report.label)}: {report.status}"
    if is_undetermined(report.status):
        lines = [head]
        lines.extend("  " + printable(line) for line in (report.problem or "").splitlines())
        return lines
    if report.score is not None:
        head += f" (gate {report.gate}, score {report.score:.1f}"
        if report.confidence is not None:
            head += f", confidence {report.confidence:.4f}"
        head += ")"
    causes = [str(cause) for cause in report.verdicts.get("causes", ())]
    if causes and causes != ["visual"]:
        head += f", by {' and '.join(causes)}"
    lines = [head]
    worst = report.open_findings
    lines.extend(f"  - {printable(f.message)}" for f in worst[:WORST])
    if len(worst) > WORST:
        lines.append(f"  and {len(worst) - WORST} more: see the report")
    if report.noise:
        from pytest_pixelloop.core.noise import noise_line  # noqa: PLC0415 - loads numpy

        lines.append(f"  {noise_line(dict(report.noise))}")
    lines.extend(_reported(report))
    lines.extend(
        f"  warning: {printable(text)}" for text in notices(report.warnings, report.channels)
    )
    return lines


def _reported(report: ComparisonReport) -> list[str]:
    """Return one line on what the appearance channel saw and did not gate by."""
    seen = [f for f in report.findings if f.priority is not None and not f.gating]
    if not seen:
        return []
    kinds: dict[str, int] = {}
    for finding in seen:
        kinds[finding.kind] = kinds.get(finding.kind, 0) + 1
    named = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return [f"  reported only: {printable(named)}"]


def explain_verdict(verdict: Verdict) -> str:
    """Return the text of a failing or undetermined verdict, without any traceback."""
    status = verdict.status
    if verdict.passed:
        first = "the page matches the design"
    elif is_undetermined(status):
        first = f"nothing can be said about the page: {status}"
    else:
        first = f"the page is not the design: {status}"
    changed = dict.fromkeys(
        str(change) for r in verdict.reports for change in r.environment.get("changed") or ()
    )
    # Said before anything else: two pictures of two environments are hardly comparable.
    lines = [printable(f"ENV_CHANGED: {', '.join(changed)}", limit=400)] if changed else []
    lines.append(first)
    for report in verdict.reports:
        if not report.passed or verdict.passed:
            lines.extend("  " + line for line in explain_report(report))
    if verdict.sealed:
        count = f"{verdict.sealed} held-out comparison" + ("s" if verdict.sealed > 1 else "")
        lines.append(f"  {count}: measured, and sealed until the loop ends")
    if verdict.run_path:
        lines.append(f"  reports and pictures: {verdict.run_path}")
    return "\n".join(lines)
