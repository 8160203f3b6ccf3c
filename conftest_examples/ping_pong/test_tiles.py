"""The tiles page against its design."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from pytest_pixelloop import AssertMatchesDesign

PAGE = Path(__file__).parent / "site" / "tiles.html"


def test_tiles(page: Page, assert_matches_design: AssertMatchesDesign) -> None:
    """The tiles page is the design."""
    page.goto(PAGE.as_uri())
    assert_matches_design(page, "tiles")
