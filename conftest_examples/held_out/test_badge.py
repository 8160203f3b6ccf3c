"""One state of the badge is shown to the fixer, the other is held out."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign

STATES = Path(__file__).parent / "site" / "states.json"


def render(state: str) -> bytes:
    """Return the badge in one of its states, in the colour that the page gives it."""
    image = Image.new("RGB", (96, 96), "#f3f4f6")
    draw = ImageDraw.Draw(image)
    draw.ellipse((8, 8, 87, 87), fill=json.loads(STATES.read_text("utf-8"))[state])
    draw.rectangle((28, 44, 67, 51), fill="#ffffff")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def test_badge(assert_matches_design: AssertMatchesDesign) -> None:
    """The badge is the design in both states."""
    assert_matches_design(render("normal"), "normal")
    assert_matches_design(render("alarm"), "alarm")
