"""A renderer that is no browser: draws the badge with Pillow."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw


def badge(ring: str = "#1e3a8a", fill: str = "#2563eb") -> bytes:
    """Return the PNG of a badge: a disc with a ring and three bars."""
    image = Image.new("RGB", (96, 96), "#f3f4f6")
    draw = ImageDraw.Draw(image)
    draw.ellipse((8, 8, 87, 87), fill=fill, outline=ring, width=6)
    for number, height in enumerate((18, 30, 24)):
        left = 30 + number * 14
        draw.rectangle((left, 64 - height, left + 7, 63), fill="#ffffff")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()
