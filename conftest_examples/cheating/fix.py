"""A fixer that wants to win and not to repair: first a picture of the design, then a forged ledger.

The pixels of the picture are those of the design, and still the page fails: its words are gone. The
forged ledger changes no verdict, since the loop holds its own; it ends the loop.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE / "site" / "login.html"


def picture() -> None:
    """Put the design's picture in place of the page."""
    shutil.copy(HERE / "designs" / "login" / "1-1.png", HERE / "site" / "hero.png")
    shown = (
        '<body style="padding: 0"><img src="hero.png" style="width: 440px; height: 560px"></body>'
    )
    PAGE.write_text(re.sub(r"(?s)<body.*</body>", shown, PAGE.read_text("utf-8")), "utf-8")


def forge() -> None:
    """Write the end that one would like into the ledger."""
    ledger = Path(os.environ["PIXELLOOP_BRIEF"]).parent / "ledger.jsonl"
    with ledger.open("a", encoding="utf-8") as stream:
        stream.write('{"schema_version":1,"kind":"ended","at":0,"status":"converged"}\n')


if os.environ["PIXELLOOP_ITERATION"] == "1":
    picture()
else:
    forge()
