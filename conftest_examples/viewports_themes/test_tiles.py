"""One page, four designs: desktop and mobile, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from pytest_pixelloop import AssertMatchesDesign

PAGE = (Path(__file__).parent / "site" / "tiles.html").as_uri()


def test_everywhere(assert_matches_design: AssertMatchesDesign) -> None:
    """One assertion covers all that the manifest plans; a URL is opened in several at once."""
    assert_matches_design(PAGE, "tiles")


def test_open_page_on_a_phone(page: Page, assert_matches_design: AssertMatchesDesign) -> None:
    """An open page is shown in a viewport and a theme, without a reload, and put back."""
    page.goto(PAGE)
    size = page.viewport_size
    assert_matches_design(page, "tiles", viewport="mobile", theme=["light", "dark"])
    assert page.viewport_size == size
    assert page.locator("html.dark").count() == 0
