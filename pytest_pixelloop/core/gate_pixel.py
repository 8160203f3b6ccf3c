"""The ``pixel`` gate: how many pixels differ, and how many of each design node's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.judged_pixels import judge_pixels
from pytest_pixelloop.core.verdict import CONDITIONAL, FAIL, PASS, Judgement

if TYPE_CHECKING:
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.finding import Region
    from pytest_pixelloop.core.pixels import PixelDiff
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
    placed = place_nodes(design.root) if design.root is not None else ()

    def status_of(diff: PixelDiff, regions: tuple[Region, ...]) -> str:
        # Where there are nodes, only they are held to the limits of a region.
        held = [region for region in regions if region.node is not None or not placed]
        worst = max((region.mismatch_ratio for region in held), default=0.0)
        return status_of_figures(diff.confidence, worst, tolerance)

    return judge_pixels(design, capture, tolerance=tolerance, placed=placed, status_of=status_of)


def status_of_figures(confidence: float, worst: float, tolerance: Tolerance) -> str:
    """Return the verdict of a confidence and of the *worst* region's share of differing pixels."""
    if confidence < tolerance.conditional_confidence or worst >= tolerance.region_fail:
        return FAIL
    if confidence < tolerance.pass_confidence or worst >= tolerance.region_conditional:
        return CONDITIONAL
    return PASS
