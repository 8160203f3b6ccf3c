"""The ``snapshot`` gate: Playwright's ``toHaveScreenshot``, with its words and its arithmetic.

https://playwright.dev/docs/api/class-pageassertions#page-assertions-to-have-screenshot-1
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_pixelloop.core.judged_pixels import judge_pixels
from pytest_pixelloop.core.verdict import FAIL, PASS, Judgement

if TYPE_CHECKING:
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.pixels import PixelDiff
    from pytest_pixelloop.core.tolerance import Tolerance


def judge_snapshot(design: Design, capture: Capture, *, tolerance: Tolerance) -> Judgement:
    """Return what the ``snapshot`` gate says of *capture* against a recorded picture.

    Fail: another size, or more differing pixels than allowed. Allowed are ``max_diff_pixels`` and
    ``max_diff_pixel_ratio`` of all pixels, the stricter where both are given, and none where
    neither is. A pixel differs as pixelmatch says at ``threshold``; anti-aliasing does not count.
    Masked pixels are equal.

    On pass the score is 0 and no finding gates. Raises as the ``pixel`` gate does.
    """

    def status_of(diff: PixelDiff, _regions: object) -> str:
        return FAIL if diff.mismatch > allowed_pixels(tolerance, diff.mask.size) else PASS

    judgement = judge_pixels(design, capture, tolerance=tolerance, placed=(), status_of=status_of)
    assert judgement.diff_mask is not None
    allowed = allowed_pixels(tolerance, judgement.diff_mask.size)
    return replace(judgement, comparator={**judgement.comparator, "allowed_pixels": allowed})


def allowed_pixels(tolerance: Tolerance, pixels: int) -> float:
    """Return how many of *pixels* may differ: the stricter of the two limits, else none."""
    count, ratio = tolerance.max_diff_pixels, tolerance.max_diff_pixel_ratio
    limits = (count, None if ratio is None else ratio * pixels)
    return min((limit for limit in limits if limit is not None), default=0.0)
