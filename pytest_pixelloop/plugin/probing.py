"""Overfit probes of a comparison that passes, as a held-out comparison of its own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_pixelloop.capture.design_capture import Shot
    from pytest_pixelloop.core.verdict import ComparisonReport
    from pytest_pixelloop.plugin.options import Settings

GATE = "probe"


def probed(
    target: Any, shot: Shot | Exception, report: ComparisonReport, *, settings: Settings
) -> tuple[ComparisonReport, ...]:
    """Return the report ``<label>__probes``; none unless asked for, or where nothing is judged.

    Only an open page can be shown at another size, and only one that matches is worth it.
    """
    passes = report.passed or (report.status == "conditional" and settings.conditional_passes)
    if not settings.overfit_probes or isinstance(shot, Exception) or not passes:
        return ()
    from pytest_pixelloop.capture.stretching import stretch  # noqa: PLC0415
    from pytest_pixelloop.capture.target import Kind, kind_of  # noqa: PLC0415
    from pytest_pixelloop.core.overfit import (  # noqa: PLC0415
        judge_fills,
        judge_hugs,
        plan_probes,
    )
    from pytest_pixelloop.core.style_channel import pair_elements  # noqa: PLC0415

    if kind_of(target) is not Kind.PAGE or target.viewport_size is None:
        return ()
    design = shot.design
    probes = plan_probes(design, pair_elements(design, shot.capture.dom))
    if not probes.fills and not probes.hugs:
        return ()
    seen, answers = stretch(target, design, probes)
    label = f"{report.label}__probes"
    filled, first = judge_fills(probes.fills, seen, label=label)
    hugged, second = judge_hugs(probes.hugs, answers, label=label)
    if not first + second:
        return ()
    return (_report(label, report, (*filled, *hugged), judged=first + second),)


def _report(
    label: str, of: ComparisonReport, findings: tuple[Any, ...], *, judged: int
) -> ComparisonReport:
    from dataclasses import replace  # noqa: PLC0415

    from pytest_pixelloop.core.verdict import FAIL, PASS, ComparisonReport  # noqa: PLC0415

    status = FAIL if findings else PASS
    score = math.fsum(f.severity for f in findings)
    return ComparisonReport(
        label=label,
        status=status,
        gate=GATE,
        score=score,
        score_version="probe-1",
        confidence=None,
        findings=tuple(replace(f, share=f.severity / score) for f in findings),
        channels={"visual": "compared"},
        comparator={"name": "overfit-probes", "judged": judged},
        design={**of.design, "hold_out": True},
        environment=of.environment,
        verdicts={"visual": status, "causes": ["visual"] if findings else []},
    )
