"""A page that is never the same, against one picture: masks, removed elements, matching levels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign

PAGE = (Path(__file__).parent / "site" / "board.html").as_uri()


def test_board(assert_matches_design: AssertMatchesDesign) -> None:
    """Any picture may be in the photo, any colours in the legend; the rest is the design.

    The manifest masks the lamp and removes what asks for consent; the call hides the chat.
    """
    regions = {"photo": "data", ".legend": "ignore_colors"}  # a design node, and CSS
    assert_matches_design(PAGE, "board", hide=".chat", regions=regions)


@pytest.mark.design("board", clip={"x": 0, "y": 0, "width": 320, "height": 60})
def test_only_the_bar(assert_matches_design: AssertMatchesDesign) -> None:
    """A clip cuts both sides; what is below the bar does not count."""
    assert_matches_design(PAGE, mask_color="#fb923c")
