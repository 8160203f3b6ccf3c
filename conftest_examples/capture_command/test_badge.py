"""A picture that a command renders, in a loop and without a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign


def test_badge(assert_matches_design: AssertMatchesDesign) -> None:
    """The badge is the design. The target is None: the manifest names the command that draws it."""
    assert_matches_design(None, "badge")
