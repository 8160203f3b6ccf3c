"""A renderer that is no browser: draws the planned pictures with Pillow, from ``badge.json``.

It is told by its environment what to draw: every label of ``PIXELLOOP_PLAN`` becomes a PNG of that
size in ``PIXELLOOP_CAPTURE_DIR``. A Flutter golden run, an emulator's screen capture or a PDF
renderer is called the same way.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from PIL import Image, ImageDraw

HERE = Path(__file__).parent


def badge(colours: dict[str, str], size: tuple[int, int]) -> Image.Image:
    """Return a badge: a disc with a ring and three bars."""
    image = Image.new("RGB", size, colours["background"])
    draw = ImageDraw.Draw(image)
    draw.ellipse((8, 8, 87, 87), fill=colours["fill"], outline=colours["ring"], width=6)
    for number, height in enumerate((18, 30, 24)):
        left = 30 + number * 14
        draw.rectangle((left, 64 - height, left + 7, 63), fill="#ffffff")
    return image


colours = json.loads((HERE / "badge.json").read_text("utf-8"))
plan = json.loads(Path(os.environ["PIXELLOOP_PLAN"]).read_text("utf-8"))
for comparison in plan["comparisons"]:
    size = (comparison["pixel_width"], comparison["pixel_height"])
    badge(colours, size).save(Path(os.environ["PIXELLOOP_CAPTURE_DIR"]) / comparison["file"])
