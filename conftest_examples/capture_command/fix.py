"""A fixer that repairs one colour an iteration."""

import json
from pathlib import Path

path = Path(__file__).parent / "badge.json"
colours = json.loads(path.read_text("utf-8"))
for name, right in (("fill", "#2563eb"), ("ring", "#1e3a8a")):
    if colours[name] != right:
        colours[name] = right
        break
path.write_text(json.dumps(colours) + "\n", encoding="utf-8")
