"""Every frame of a Figma section is a screen of its own: a test names the one that it means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign

RENDERED = Path(__file__).parent / "rendered"


@pytest.mark.parametrize("frame", ["Ready", "Busy"])
def test_status(assert_matches_design: AssertMatchesDesign, frame: str) -> None:
    """What the build wrote for this status is the frame of that name."""
    assert_matches_design(RENDERED / f"{frame.lower()}.png", f"status/{frame}")
