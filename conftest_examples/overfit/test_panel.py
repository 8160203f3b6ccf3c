"""Two pages that look the same at the size of the design; one of them is only that picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from pytest_pixelloop import AssertMatchesDesign

SITE = Path(__file__).parent / "site"


def test_follows(page: Page, assert_matches_design: AssertMatchesDesign) -> None:
    """A page whose boxes fill what the design says they fill."""
    page.goto((SITE / "follows.html").as_uri())
    assert_matches_design(page, "panel")


def test_pinned(page: Page, assert_matches_design: AssertMatchesDesign) -> None:
    """A page of boxes at fixed places, which matches as well; it fails."""
    page.goto((SITE / "pinned.html").as_uri())
    assert_matches_design(page, "panel")
