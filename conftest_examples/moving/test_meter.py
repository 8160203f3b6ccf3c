"""A page that moves by script: frozen it is captured alike each time, running it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.capture.frozen import freeze_page
from pytest_pixelloop.capture.unstable import UnstableCaptureError

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from pytest_pixelloop import AssertMatchesDesign, FigmaBaseline, RenderCapture

METER = (Path(__file__).parent / "site" / "meter.html").as_uri()


def test_frozen(page: Page, assert_matches_design: AssertMatchesDesign) -> None:
    """With clock and random numbers frozen before it opens, the page is the design."""
    freeze_page(page, clock="2026-03-01T09:30:00", random_seed=4)
    page.goto(METER)
    page.clock.run_for(1000)
    assert_matches_design(page, "meter")


def test_running(page: Page, figma_baseline: FigmaBaseline, render_capture: RenderCapture) -> None:
    """Left alone it never comes to rest: nothing is judged, and what moves is named."""
    figma_baseline("meter")
    page.goto(METER)
    with pytest.raises(UnstableCaptureError) as caught:
        render_capture(page)
    assert caught.value.status == "undetermined:unstable"
    assert (str(caught.value.cause), caught.value.element) == ("script animation", "#bar")
