"""The same page, opened once and brought up to date by hot reload alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from playwright.sync_api import Browser, Page

    from pytest_pixelloop import AssertMatchesDesign


@pytest.fixture(scope="module")
def open_page(browser: Browser, pixelloop_url: str) -> Generator[Page]:
    """Return a page that stays open from one iteration to the next."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(pixelloop_url)
    yield page
    context.close()


def test_hot(open_page: Page, assert_matches_design: AssertMatchesDesign) -> None:
    """The open page is the design."""
    assert_matches_design(open_page, "plans")
