"""A script as the fixer: it applies the first property edit of ``brief.json``, and nothing else.

``--fix-command "python fix.py"``. The edit says the property and the value (or the token to write
instead), and where the declaration is.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path


def main() -> int:
    """Apply one edit and say which."""
    brief = json.loads(Path(os.environ["PIXELLOOP_BRIEF_JSON"]).read_text("utf-8"))
    edit = next((f["edit"] for f in brief["findings"] if f["edit"] and f["edit"]["places"]), None)
    if edit is None:
        print("nothing that one property repairs")
        return 1
    place, token = edit["places"][0], edit["token"]
    value = token["reference"] if token and token["agrees"] else edit["value"]
    path = Path(place["path"])
    lines = path.read_text("utf-8").splitlines(keepends=True)
    line = lines[place["line"] - 1]
    if edit["action"] == "text":
        line = line.replace(edit["actual"], value)
    elif place["what"] == "rule":
        line = line.replace("{", f"{{\n  {edit['property']}: {value};", 1)
    else:
        line = re.sub(r":[^;]+;", f": {value};", line, count=1)
    lines[place["line"] - 1] = line
    path.write_text("".join(lines), "utf-8")
    print(f"{path}:{place['line']}: {line.strip()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
