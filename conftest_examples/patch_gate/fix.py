"""A fixer that repairs the colour the lazy way: by writing it out although it has a name."""

from __future__ import annotations

from pathlib import Path

CSS = Path(__file__).parent / "site" / "colors.css"

text = CSS.read_text("utf-8")
CSS.write_text(text.replace("background: #dc2626", "background: #2563eb"), "utf-8")
