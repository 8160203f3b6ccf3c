"""What the scorecard weighs: run `pytest`, then `pixelloop score`, and both once more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign

RENDERED = Path(__file__).parent / "rendered"


def test_badge(assert_matches_design: AssertMatchesDesign) -> None:
    """The badge that the build wrote is the design."""
    assert_matches_design(RENDERED / "badge.png", "badge")
