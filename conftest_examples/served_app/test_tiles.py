"""The tiles page of a served application: behind a banner, and behind a server that may die."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign, PageRoute


def test_tiles(page_route: PageRoute, assert_matches_design: AssertMatchesDesign) -> None:
    """The tiles are the design once the banner is gone; the way there is kept in nav.yaml."""
    page = page_route.open("/tiles.html")
    page_route.tap(test_id="accept", role="button", name="Accept")
    assert_matches_design(page, "tiles")
