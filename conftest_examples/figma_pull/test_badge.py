"""A badge that some renderer drew, against the design that was pulled and the one imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign


@pytest.mark.parametrize("design", ["badge", "badge-of-an-agent"])
def test_badge(assert_matches_design: AssertMatchesDesign, design: str) -> None:
    """The badge is the design."""
    image = Image.new("RGB", (96, 64), "#f3f4f6")
    ImageDraw.Draw(image).rectangle((16, 16, 47, 47), fill="#2563eb")
    assert_matches_design(image, design)
