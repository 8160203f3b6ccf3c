"""Somebody who works on the page by the brief, in another window so to say."""

from __future__ import annotations

import json
import time
from pathlib import Path

BADGE = Path("site/badge.json")

while not (briefs := list(Path(".pixelloop").glob("runs/*/tests/*/brief.md"))):
    time.sleep(0.1)
print(briefs[0].read_text("utf-8"))
badge = json.loads(BADGE.read_text("utf-8"))
BADGE.write_text(json.dumps({**badge, "fill": "#1d4ed8"}) + "\n", "utf-8")
time.sleep(0.3)  # on second thoughts; what is saved within a second is one edit
BADGE.write_text(json.dumps({**badge, "fill": "#2563eb"}) + "\n", "utf-8")
