"""A Vite page, served by Vite, against its design."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from pytest_pixelloop import AssertMatchesDesign


def test_plans(page: Page, assert_matches_design: AssertMatchesDesign) -> None:
    """The page of the dev server is the design."""
    page.goto("/")
    assert_matches_design(page, "plans")
