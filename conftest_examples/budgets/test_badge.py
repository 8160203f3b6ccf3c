"""A badge that is drawn by what site/badge.json says of it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign

BADGE = Path(__file__).parent / "site" / "badge.json"


def render() -> bytes:
    """Return the badge in its colour and size."""
    told = json.loads(BADGE.read_text("utf-8"))
    radius = told["radius"]
    image = Image.new("RGB", (96, 96), "#f3f4f6")
    draw = ImageDraw.Draw(image)
    draw.ellipse((48 - radius, 48 - radius, 47 + radius, 47 + radius), fill=told["fill"])
    draw.rectangle((28, 44, 67, 51), fill="#ffffff")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def test_badge(assert_matches_design: AssertMatchesDesign) -> None:
    """The badge is the design."""
    assert_matches_design(render(), "badge")
