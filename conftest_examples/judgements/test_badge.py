"""The badge is green where the design is blue, and a person accepted that for now.

See ``designs/judgements.yaml``; ``pixelloop judgements`` lists what is excused.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign

RENDERED = Path(__file__).parent / "rendered"


def test_badge(assert_matches_design: AssertMatchesDesign) -> None:
    """The badge that the build wrote is the design, but for what is excused."""
    assert_matches_design(RENDERED / "badge.png", "badge")
