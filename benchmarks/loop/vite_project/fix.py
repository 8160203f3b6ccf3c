"""A fixer that knows CSS modules: repairs the first declaration that the brief tells of.

The page's class names are hashed and its selectors tell nothing of files, so it goes by the names
of the design nodes, as the module's classes do: ``Plans/Cards/Card Team/Button`` is ``.button``.

Words say what else it does in an iteration: ``kill=2:group``, ``kill=2:leader``, ``kill=2:vite``,
``break=2`` (mended one later) and ``import=2``.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MODULE = HERE / "src" / "Plans.module.css"
PAGE = HERE / "src" / "Plans.jsx"
NAMES = {"background-color": "background"}
BROKEN = "\n.broken { composes: nothing from './nowhere.css'; }}\n"


def write(path: Path, text: str) -> None:
    """Leave *text* at once: a development server that reads half a file may keep the half."""
    beside = path.with_suffix(".new")
    beside.write_text(text, "utf-8")
    beside.replace(path)


def repaired(css: str, finding: dict[str, object]) -> str | None:
    """Return the module with the finding's declaration as the design says, None if it cannot."""
    node = finding["node"]
    name = NAMES.get(str(finding["property"]), str(finding["property"]))
    if not isinstance(node, dict):
        return None
    for part in reversed(str(node["path"]).split("/")):
        rule = rf"(\.{part.split()[0].lower()} \{{[^}}]*?\n  {re.escape(name)}: )([^;]+)"
        found = re.search(rule, css)
        if found is not None and found[2] != finding["expected"]:
            return css[: found.start(2)] + str(finding["expected"]) + css[found.end(2) :]
    return None


def repair() -> None:
    """Repair one declaration and say which finding it was for."""
    brief = json.loads(Path(os.environ["PIXELLOOP_BRIEF_JSON"]).read_text("utf-8"))
    css = MODULE.read_text("utf-8")
    for finding in brief["findings"]:
        text = repaired(css, finding)
        if text is not None:
            write(MODULE, text)
            print(finding["message"])
            return
    print("no finding names a declaration of the module:")
    print(*(finding["message"] for finding in brief["findings"]), sep="\n")


def kill(how: str) -> None:
    """Kill the served application: its whole group, the command alone, or Vite below it."""
    (record,) = (HERE / ".pixelloop" / "serving").glob("*.json")
    pid = json.loads(record.read_text("utf-8"))["server"]["pid"]
    if how == "group":
        os.killpg(pid, signal.SIGKILL)
    elif how == "leader":
        os.kill(pid, signal.SIGKILL)
    else:
        words = ["pgrep", "-g", str(pid), "-f", "bin/vite"]
        found = subprocess.run(words, capture_output=True, text=True, check=True)
        for line in found.stdout.split():
            os.kill(int(line), signal.SIGKILL)
    print("killed", how)


def main() -> None:
    """Do what this iteration is for."""
    iteration = int(os.environ["PIXELLOOP_ITERATION"])
    for word in sys.argv[1:]:
        what, _, rest = word.partition("=")
        number, _, how = rest.partition(":")
        css = MODULE.read_text("utf-8")
        if what == "break" and iteration == int(number):
            write(MODULE, css + BROKEN)
            return
        if what == "break" and iteration == int(number) + 1:
            write(MODULE, css.replace(BROKEN, ""))
            return
        if what == "import" and iteration == int(number):
            line = "import { unstable_now as now } from 'scheduler';\n"
            page = PAGE.read_text("utf-8").replace("Choose", "{now() ? 'Choose' : ''}")
            write(PAGE, line + page)
        if what == "kill" and iteration == int(number):
            repair()
            kill(how)
            return
    repair()


if __name__ == "__main__":
    main()
