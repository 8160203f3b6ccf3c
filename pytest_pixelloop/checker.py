"""One comparison from design and capture to a report on disk: the place where channels meet."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.unstable import UnstableCaptureError
from pytest_pixelloop.core.blank import is_one_colour
from pytest_pixelloop.core.errors import CaptureError, UndeterminedError
from pytest_pixelloop.core.judging import default_gate, judge
from pytest_pixelloop.core.noise import measure_noise
from pytest_pixelloop.core.pixels import paint_diff_mask
from pytest_pixelloop.core.style_channel import name_elements
from pytest_pixelloop.core.verdict import PASS, ComparisonReport
from pytest_pixelloop.store.atomic import write_json
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.core.verdict import Judgement

VISUAL_ONLY: Mapping[str, Any] = {
    "visual": "compared",
    "functional": "skipped: no expectations given",
    "appearance": "skipped: not part of this version",
    "style": "skipped: nothing was compared",
}


def check(
    design: Design,
    capture: Capture,
    *,
    tolerance: Tolerance,
    gate: str | None = None,
    folder: Path | None = None,
    repeats: Sequence[Capture] = (),
    clock: Callable[[], float] = time.perf_counter,
) -> ComparisonReport:
    """Return the report of *capture* against *design*, written to *folder* when one is given.

    The folder gets ``<label>.report.json``, ``<label>.expected.png``, ``<label>.actual.png`` and,
    unless the verdict is pass, ``<label>.diff.png``. A capture of a single colour against a design
    of several is refused as ``undetermined:blank-capture``: an empty page is not a bad page, it is
    no page. *repeats* are further captures of the unchanged page, of which the report tells the
    noise. ConfigurationError for an unknown gate passes through.
    """
    chosen = gate or design.gate or default_gate(design)
    started = clock()
    try:
        _refuse_blank(design, capture)
        judgement = judge(design, capture, gate=chosen, tolerance=tolerance)
        compared = clock()
        noise = measure_noise(design, capture, judgement, repeats, gate=chosen, tolerance=tolerance)
    except UndeterminedError as error:
        report = undetermined_report(
            design.label, gate=chosen, error=error, design=design, tolerance=tolerance
        )
        report = dataclasses.replace(
            report, environment=dict(capture.environment), warnings=capture.warnings
        )
        return _written(report, design, capture, None, folder)
    judged = clock()
    findings, style = name_elements(judgement.findings, design, capture.dom)
    durations = {
        **capture.durations,
        "compare": round(compared - started, 6),
        "style": round(clock() - judged, 6),
    }
    report = ComparisonReport(
        label=design.label,
        status=judgement.status,
        gate=chosen,
        score=judgement.score,
        score_version=judgement.score_version,
        confidence=judgement.confidence,
        pixels=judgement.pixels,
        size={"expected": list(design.pixel_size), "actual": list(capture.pixel_size)},
        regions=judgement.regions,
        findings=findings,
        channels={**VISUAL_ONLY, "style": style},
        comparator=judgement.comparator,
        tolerance=tolerance.as_record(),
        design=describe_design(design),
        environment=dict(capture.environment),
        durations=durations,
        warnings=capture.warnings,
        noise=noise,
    )
    return _written(report, design, capture, judgement, folder)


def undetermined_report(
    label: str,
    *,
    gate: str,
    error: UndeterminedError,
    design: Design | None = None,
    tolerance: Tolerance | None = None,
    folder: Path | None = None,
) -> ComparisonReport:
    """Return the report of a comparison that could not be made, with the error's whole text.

    Of a page that never came to rest the last two pictures are kept in *folder*, as
    ``<label>.unstable-1.png`` and ``-2.png``, and the report tells box, selector and cause.
    """
    unstable = error if isinstance(error, UnstableCaptureError) else None
    report = ComparisonReport(
        label=label,
        status=error.status,
        gate=gate,
        score=None,
        score_version="none",
        confidence=None,
        channels={**VISUAL_ONLY, "visual": "not compared"},
        tolerance=tolerance.as_record() if tolerance else {},
        design=describe_design(design) if design else {},
        problem=str(error),
        instability=unstable.as_record() if unstable else {},
        artifacts=_keep_pictures(unstable, label, folder) if unstable and folder else {},
    )
    if folder is not None:
        write_json(folder / f"{label}.report.json", report.as_record())
    return report


def _keep_pictures(error: UnstableCaptureError, label: str, folder: Path) -> dict[str, str]:
    """Write the two pictures between which a page moved and return their names."""
    names = {f"unstable_{n}": f"{label}.unstable-{n}.png" for n in (1, 2)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in zip(names.values(), error.pictures, strict=True):
        write_png(folder / name, picture)
    return names


def describe_design(design: Design) -> dict[str, object]:
    """Return what a report says about the design's side: names, sizes, origin, hashes."""
    placement = design.placement
    return {
        "name": design.name,
        "node": design.root.id if design.root else None,
        "frame": [design.frame[0], design.frame[1]],
        "scale": design.scale,
        "origin": list(placement.origin) if placement else [0, 0],
        "placement": placement.rule if placement else None,
        "viewport": design.viewport,
        "theme": design.theme,
        "hold_out": design.hold_out,
        **dict(design.provenance),
    }


def _refuse_blank(design: Design, capture: Capture) -> None:
    if is_one_colour(capture.image) and not is_one_colour(design.image):
        width, height = capture.pixel_size
        raise CaptureError(
            f"the capture is blank: all {width}x{height} px have one colour",
            reason="blank-capture",
            where=capture.source,
            expected="a page that paints something, as the design does",
            next_step="open the page, look at its console, wait for its content before the check",
        )


def _written(
    report: ComparisonReport,
    design: Design,
    capture: Capture,
    judgement: Judgement | None,
    folder: Path | None,
) -> ComparisonReport:
    """Write pictures, then the report that names them, so that a report never names a lost file."""
    if folder is None:
        return report
    folder.mkdir(parents=True, exist_ok=True)
    # Playwright's names where Playwright's gate judges.
    stem = report.label + ("-" if report.gate == "snapshot" else ".")
    artifacts = {"expected": f"{stem}expected.png", "actual": f"{stem}actual.png"}
    write_png(folder / artifacts["expected"], design.image)
    write_png(folder / artifacts["actual"], capture.image)
    if judgement is not None and judgement.diff_mask is not None and report.status != PASS:
        artifacts["diff"] = f"{stem}diff.png"
        write_png(
            folder / artifacts["diff"],
            paint_diff_mask(design.image, capture.image, judgement.diff_mask),
        )
    report = dataclasses.replace(report, artifacts=artifacts)
    write_json(folder / f"{report.label}.report.json", report.as_record())
    return report
