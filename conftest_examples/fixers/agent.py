"""In place of a coding agent's command line: it is told on standard input, and edits files.

``--fix-command "python agent.py"``. A real one is started in the same way; see docs/fixers.md. This
one reads the text of the brief as an agent would and understands no more than its first edit.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

EDIT = re.compile(
    r"1\. set (?:the )?(?P<property>[\w-]+) of .* to (?P<value>.+), it is (?P<actual>.+)"
)
PLACE = re.compile(r" (?:source|text at|rule at) (?P<path>\S+):(?P<line>\d+)")


def main() -> int:
    """Do what the first two lines of the edits say."""
    brief = sys.stdin.read().splitlines()
    at = next((n for n, line in enumerate(brief) if line.startswith("1. set ")), None)
    told = EDIT.match(brief[at]) if at is not None else None
    where = PLACE.search(brief[at + 1]) if at is not None else None
    if told is None or where is None:
        print("I see nothing that I could set")
        return 1
    value = told["value"]
    if named := re.match(r"(\S+) \(.*\)$", value):
        value = named[1] if named[1].startswith(("var(", "$")) else value
    path, number = Path(where["path"]), int(where["line"]) - 1
    lines = path.read_text("utf-8").splitlines(keepends=True)
    if told["property"] == "text":
        lines[number] = lines[number].replace(told["actual"], value)
    else:
        lines[number] = re.sub(r":[^;]+;", f": {value};", lines[number], count=1)
    path.write_text("".join(lines), "utf-8")
    print(f"I set {told['property']} to {value} in {path}:{number + 1}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
