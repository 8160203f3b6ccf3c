"""The login page against its design."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from pytest_pixelloop import AssertMatchesDesign

PAGE = Path(__file__).parent / "site" / "login.html"


def test_login(page: Page, assert_matches_design: AssertMatchesDesign) -> None:
    """The login page is the design."""
    page.goto(PAGE.as_uri())
    assert_matches_design(page, "login")
