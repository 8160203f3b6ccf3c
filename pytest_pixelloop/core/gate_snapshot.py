"""The ``snapshot`` gate: Playwright's ``toHaveScreenshot``, with its words and its arithmetic.

https://playwright.dev/docs/api/class-pageassertions#page-assertions-to-have-screenshot-1
"""

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
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.tolerance import Tolerance


def judge_snapshot(design: Design, capture: Capture, *, tolerance: Tolerance) -> Judgement:
    """Return what the ``snapshot`` gate says of *capture* against a recorded picture.

    Fail: another size, or more differing pixels than allowed. Allowed are ``max_diff_pixels`` and
    ``max_diff_pixel_ratio`` of all pixels, the stricter where both are given, and none where
    neither is. A pixel differs as pixelmatch says at ``threshold``; anti-aliasing does not count.
    Masked pixels are equal.

    On pass the score is 0 and no finding gates. Raises as the ``pixel`` gate does.
    """
    refuse_unusable(design, capture)
    canvas = compare_on_canvas(
        design.image,
        capture.image,
        threshold=tolerance.threshold,
        masks=[mask.scaled(design.scale) for mask in capture.masks],
    )
    size = size_finding(design, capture)
    height, width = canvas.expected.shape[:2]
    allowed = allowed_pixels(tolerance, width * height)
    status = FAIL if size or canvas.diff.mismatch > allowed else PASS
    found = find_regions(
        canvas.diff,
        (),
        label=design.label,
        scale=design.scale,
        pictures=(as_words(canvas.expected), as_words(canvas.actual)),
    )
    gating = status == FAIL
    addends = [item.severity for item in found if gating] + ([size.severity] if size else [])
    score = total(addends)
    findings = [
        region_finding(item, score=score if gating else None, has_nodes=False) for item in found
    ]
    if size:
        findings.append(replace(size, share=size.severity / score))
    return Judgement(
        status=status,
        score=score,
        score_version=SCORE_VERSION,
        confidence=canvas.diff.confidence,
        findings=tuple(sorted(findings, key=lambda f: (-f.severity, f.delta_id, f.kind))),
        comparator=comparator_record(threshold=tolerance.threshold) | {"allowed_pixels": allowed},
        regions=tuple(item.region for item in found),
        pixels=canvas.diff.as_record(),
        diff_mask=canvas.diff.mask,
    )


def allowed_pixels(tolerance: Tolerance, pixels: int) -> float:
    """Return how many of *pixels* may differ: the stricter of the two limits, else none."""
    limits = [
        limit
        for limit in (
            tolerance.max_diff_pixels,
            None
            if tolerance.max_diff_pixel_ratio is None
            else tolerance.max_diff_pixel_ratio * pixels,
        )
        if limit is not None
    ]
    return min(limits, default=0.0)
