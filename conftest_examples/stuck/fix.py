"""A fixer that changes the file each time and the page never."""

import os
from pathlib import Path

css = Path(__file__).parent / "site" / "tiles.css"
note = f"/* iteration {os.environ['PIXELLOOP_ITERATION']}: tried to repair the tiles */\n"
css.write_text(css.read_text("utf-8") + note, encoding="utf-8")
