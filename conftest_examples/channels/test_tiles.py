"""What pixels hide: two pages that look the same, of which one cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop import VisualMismatchError

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from pytest_pixelloop import AssertMatchesDesign

SITE = Path(__file__).parent / "site"
TILES = """
- button "Done"
- button "Open"
- button /^La/
"""


def test_tiles(page: Page, assert_matches_design: AssertMatchesDesign) -> None:
    """The page is the design, and its tiles are the buttons that the manifest expects."""
    page.goto((SITE / "good.html").as_uri())
    assert_matches_design(page, "tiles", expect=TILES)


def test_a_button_that_cannot_be_pressed(
    page: Page, assert_matches_design: AssertMatchesDesign
) -> None:
    """Not one pixel differs, and the functional channel fails it."""
    page.goto((SITE / "dead.html").as_uri())
    with pytest.raises(VisualMismatchError, match=r"by functional[\s\S]*'Late' .* is disabled"):
        assert_matches_design(page, "tiles")
