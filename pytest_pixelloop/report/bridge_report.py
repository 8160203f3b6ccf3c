"""A bridge's verification as its ``.visual.json`` and ``.verify.md``, from records alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.report.cells import cell, table

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = "2.0"
_LISTED = 20


def visual_record(
    report: Mapping[str, Any],
    *,
    source: Mapping[str, Any],
    viewport: Mapping[str, Any],
    artifacts: Mapping[str, str],
    style: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what ``.visual.json`` holds, from a comparison's report record.

    *style* holds ``anchors``, ``matches`` and ``checks`` (empty where there was no DOM, with the
    ``reason``). ``implementationRate`` is the confidence in per cent, to 3 decimals; None when
    nothing was compared.
    """
    tolerance, pixels = report["tolerance"], report["pixels"]
    confidence = report["confidence"]
    checks = style.get("checks") or {"gating": False, "summary": {}, "items": []}
    return {
        "version": VERSION,
        "schema_version": 1,
        "status": report["status"],
        "passed": report["status"] == "pass",
        "confidence": confidence,
        "implementationRate": None if confidence is None else round(confidence * 100, 3),
        "statuses": {"pixel": report["status"], "style": _style_status(style, checks)},
        "thresholds": {
            "pass": tolerance.get("pass_confidence"),
            "conditional": tolerance.get("conditional_confidence"),
            "pixelThreshold": tolerance.get("threshold"),
            "regionConditional": tolerance.get("region_conditional"),
            "regionFail": tolerance.get("region_fail"),
        },
        "pixels": {
            "total": pixels.get("total"),
            "mismatch": pixels.get("mismatch"),
            "mismatchRatio": pixels.get("ratio"),
        },
        "size": dict(report["size"]),
        "viewport": dict(viewport),
        "artifacts": dict(artifacts),
        "source": dict(source),
        "regions": list(report["regions"]),
        "anchors": style.get("anchors"),
        "matches": list(style.get("matches") or ()),
        "checks": dict(checks),
        "styleReason": style.get("reason"),
        "problem": report["problem"],
        "warnings": list(report["warnings"]),
    }


def _style_status(style: Mapping[str, Any], checks: Mapping[str, Any]) -> str:
    if style.get("reason") or not checks["items"]:
        return "n/a"
    return "fail" if checks["summary"]["failed"] else "pass"


def verify_markdown(record: Mapping[str, Any]) -> str:
    """Return ``.verify.md``: the verdict, its figures, the worst regions, checks that differ."""
    source, statuses = record["source"], record["statuses"]
    rate = record["implementationRate"]
    lines = [
        f"# {cell(source['name'])} ({cell(source['breakpoint'])}): {cell(record['status'])}",
        "",
        f"- implementation rate: {'unknown' if rate is None else f'{rate:.3f} %'}",
        f"- pixels: {_pixels(record['pixels'])}",
        f"- style (advisory): {statuses['style']}"
        + (f", {cell(record['styleReason'])}" if record["styleReason"] else ""),
        f"- page: {cell(str(source.get('url')))}",
        f"- target: {cell(source['target']['id'])} ({cell(source['target']['kind'])})",
        *(f"- {name}: {path}" for name, path in record["artifacts"].items()),
        "",
    ]
    if record["problem"]:
        lines += [*(f"    {printable(line)}" for line in record["problem"].splitlines()), ""]
    lines += _regions(record["regions"])
    lines += _checks(record["checks"]["items"])
    lines += _anchors(record["anchors"])
    lines += [f"- warning: {cell(text)}" for text in record["warnings"]]
    return "\n".join(lines).rstrip() + "\n"


def _pixels(pixels: Mapping[str, Any]) -> str:
    if pixels["total"] is None:
        return "not compared"
    return (
        f"{pixels['mismatch']:,} of {pixels['total']:,} differ "
        f"({pixels['mismatchRatio'] * 100:.3f} %)"
    )


def _regions(regions: list[Mapping[str, Any]]) -> list[str]:
    if not regions:
        return []
    ranked = sorted(regions, key=lambda r: (-r["mismatch_ratio"], r["delta_id"]))
    rows = (
        (
            cell(r["name"] or r["delta_id"]),
            f"{r['mismatch_ratio'] * 100:.2f} %",
            ", ".join(f"{v:g}" for v in r["box"]),
        )
        for r in ranked[:_LISTED]
    )
    return [
        "## Regions",
        "",
        *table(("node", "differs", "box (x, y, w, h)"), rows),
        *_more(len(ranked), "regions"),
    ]


def _checks(items: list[Mapping[str, Any]]) -> list[str]:
    failed = [item for item in items if not item["pass"]]
    if not failed:
        return []
    rows = (
        (
            cell(i["name"]),
            cell(i["selector"]),
            i["property"],
            i["expected"],
            i["actual"],
            f"{i['delta']:g} (at most {i['tolerance']:g})",
        )
        for i in failed[:_LISTED]
    )
    return [
        "## Style checks that differ (they never gate)",
        "",
        *table(("node", "element", "property", "expected", "actual", "difference"), rows),
        *_more(len(failed), "checks"),
    ]


def _anchors(anchors: Mapping[str, Any] | None) -> list[str]:
    told = [
        f"- {name} anchors: " + ", ".join(cell(i) for i in anchors[name][:_LISTED])
        for name in ("duplicates", "unknown", "missing")
        if anchors and anchors[name]
    ]
    return ["## Anchors", "", *told, ""] if told else []


def _more(count: int, noun: str) -> list[str]:
    rest = count - _LISTED
    return [f"{rest} more {noun} are in the .visual.json", ""] if rest > 0 else []
