"""A renderer that is no browser: draws the badge with Pillow.

``python draw.py`` writes ``rendered/badge.png``; the design beside it was drawn by the same code
with the right colours.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

HERE = Path(__file__).parent


def badge(ring: str, fill: str) -> Image.Image:
    """Return a badge of 96 x 96 px: a disc with a ring and three bars."""
    image = Image.new("RGB", (96, 96), "#f3f4f6")
    draw = ImageDraw.Draw(image)
    draw.ellipse((8, 8, 87, 87), fill=fill, outline=ring, width=6)
    for number, height in enumerate((18, 30, 24)):
        left = 30 + number * 14
        draw.rectangle((left, 64 - height, left + 7, 63), fill="#ffffff")
    return image


if __name__ == "__main__":
    (HERE / "rendered").mkdir(exist_ok=True)
    badge("#1e3a8a", "#2563eb").save(HERE / "rendered" / "badge.png")
