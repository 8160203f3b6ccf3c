"""Recorded snapshots, with Playwright's words.

Record with ``pytest --pixelloop-update=missing``, look at the picture, commit it. With a page it is
``assert_matches_design(page, snapshot="badge")``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign

RENDERED = Path(__file__).parent / "rendered"


def test_badge(assert_matches_design: AssertMatchesDesign) -> None:
    """The badge is what was recorded, but for a few pixels."""
    assert_matches_design(RENDERED / "badge.png", snapshot="badge", max_diff_pixels=20)
