"""A fixer that gets a little closer each time, and says what that has cost."""

from __future__ import annotations

import json
import os
from pathlib import Path

BADGE = Path(__file__).parent / "site" / "badge.json"

badge = json.loads(BADGE.read_text("utf-8"))
badge["radius"] += 2
BADGE.write_text(json.dumps(badge) + "\n", "utf-8")
usage = {"cost_usd": 0.4, "input_tokens": 9000, "output_tokens": 1200}
Path(os.environ["PIXELLOOP_USAGE"]).write_text(json.dumps(usage), "utf-8")
