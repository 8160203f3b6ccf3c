"""The page is right after the fix, and the patch is taken back all the same."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign

CSS = Path(__file__).parent / "site" / "colors.css"


def render() -> bytes:
    """Return the badge as its style sheet paints it."""
    text = CSS.read_text("utf-8")
    tokens = dict(re.findall(r"--([a-z]+):\s*(#[0-9a-f]{6})", text))
    found = re.search(r"background:\s*(?:var\(--([a-z]+)\)|(#[0-9a-f]{6}))", text)
    assert found is not None
    image = Image.new("RGB", (96, 96), "#f3f4f6")
    draw = ImageDraw.Draw(image)
    fill = found[2] or tokens[found[1]]
    draw.ellipse((8, 8, 87, 87), fill=fill, outline=tokens["ring"], width=6)
    for number, height in enumerate((18, 30, 24)):
        left = 30 + number * 14
        draw.rectangle((left, 64 - height, left + 7, 63), fill="#ffffff")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def test_badge(assert_matches_design: AssertMatchesDesign) -> None:
    """The badge is the design."""
    assert_matches_design(render(), "badge")
