"""What the gates that count pixels share: two pictures compared, and a judgement made of that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_pixelloop.core.canvas import compare_on_canvas
from pytest_pixelloop.core.pixel_findings import region_finding, size_finding
from pytest_pixelloop.core.pixels import as_words, comparator_record
from pytest_pixelloop.core.regions import find_regions
from pytest_pixelloop.core.score import SCORE_VERSION, total
from pytest_pixelloop.core.usable import refuse_unusable
from pytest_pixelloop.core.verdict import FAIL, PASS, Judgement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design, PlacedNode
    from pytest_pixelloop.core.finding import Region
    from pytest_pixelloop.core.pixels import PixelDiff
    from pytest_pixelloop.core.tolerance import Tolerance


def judge_pixels(
    design: Design,
    capture: Capture,
    *,
    tolerance: Tolerance,
    placed: Sequence[PlacedNode],
    status_of: Callable[[PixelDiff, tuple[Region, ...]], str],
) -> Judgement:
    """Return the judgement of a gate that counts pixels; *status_of* is its rule.

    Another size fails whatever the rule says. On pass the score is 0 and no finding gates; else
    every region gates, however small. *placed* are the nodes that regions are told by.

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
    found = find_regions(
        canvas.diff,
        placed,
        label=design.label,
        scale=design.scale,
        pictures=(as_words(canvas.expected), as_words(canvas.actual)),
    )
    regions = tuple(item.region for item in found)
    size = size_finding(design, capture)
    status = FAIL if size else status_of(canvas.diff, regions)
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
