"""The ``pixel`` gate: how many pixels differ, and how many of each design node's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_pixelloop.core.canvas import compare_on_canvas
from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.pixel_findings import region_finding, size_finding
from pytest_pixelloop.core.pixels import as_words, comparator_record
from pytest_pixelloop.core.regions import find_regions
from pytest_pixelloop.core.score import SCORE_VERSION, total
from pytest_pixelloop.core.usable import refuse_unusable
from pytest_pixelloop.core.verdict import CONDITIONAL, FAIL, PASS, Judgement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.finding import Region
    from pytest_pixelloop.core.tolerance import Tolerance


def judge_pixel(design: Design, capture: Capture, *, tolerance: Tolerance) -> Judgement:
    """Return what the ``pixel`` gate says of *capture* against *design*.

    Pass: confidence of at least ``pass_confidence``, and no design node of which
    ``region_conditional`` or more differs. Fail: confidence below ``conditional_confidence``, a
    node of which ``region_fail`` or more differs, or another size or scale. Else conditional. In
    a design without nodes the ``px:`` regions take the nodes' place. Nothing is resized.

    On pass the score is 0 and no finding gates; else every region gates, however small.

    Raises DesignUnreadableError or CaptureError for a picture or scale that cannot be used, and
    UndeterminedError when the masks leave nothing to compare.
    """
    refuse_unusable(design, capture)
    canvas = compare_on_canvas(
        design.image,
        capture.image,
        threshold=tolerance.threshold,
        masks=[mask.scaled(design.scale) for mask in capture.masks],
    )
    placed = place_nodes(design.root) if design.root is not None else ()
    found = find_regions(
        canvas.diff,
        placed,
        label=design.label,
        scale=design.scale,
        pictures=(as_words(canvas.expected), as_words(canvas.actual)),
    )
    regions = tuple(item.region for item in found)
    size = size_finding(design, capture)
    # Where there are nodes, only they are held to the limits of a region.
    held = [region for region in regions if region.node is not None or not placed]
    status = FAIL if size else _status(canvas.diff.confidence, held, tolerance)
    gating = status != PASS
    addends = [item.severity for item in found if gating] + ([size.severity] if size else [])
    score = total(addends)
    findings = [
        region_finding(item, score=score if gating else None, has_nodes=bool(placed))
        for item in found
    ]
    if size:
        findings.append(replace(size, share=size.severity / score))
    return Judgement(
        status=status,
        score=score,
        score_version=SCORE_VERSION,
        confidence=canvas.diff.confidence,
        findings=tuple(sorted(findings, key=lambda f: (-f.severity, f.delta_id, f.kind))),
        comparator=comparator_record(threshold=tolerance.threshold),
        regions=regions,
        pixels=canvas.diff.as_record(),
        diff_mask=canvas.diff.mask,
    )


def _status(confidence: float, regions: Sequence[Region], tolerance: Tolerance) -> str:
    worst = max((region.mismatch_ratio for region in regions), default=0.0)
    if confidence < tolerance.conditional_confidence or worst >= tolerance.region_fail:
        return FAIL
    if confidence < tolerance.pass_confidence or worst >= tolerance.region_conditional:
        return CONDITIONAL
    return PASS
