"""A real project with a real toolchain: a React page served by Vite, looped over until it matches.

    python -m benchmarks.loop.vite [CASE ...]

Needs node, npm and Chromium, and says so where one is missing. The project beside this file is
copied, its packages are installed once (``npm install`` with the lock file), and each case loops
over a fresh copy of the sources. What must come of a case stands beside it; the exit code is 1
where one did not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.core.errors import CaptureError

PROJECT = Path(__file__).with_name("vite_project")
CONVERGED = "converged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One way through the loop: the test, what the fixer is told, and what must come of it."""

    what: str
    test: str = "test_plans"
    words: tuple[str, ...] = ()
    status: str = CONVERGED
    iterations: int = 5
    restarts: int = 0


#: Five declarations of the CSS module are wrong, and the fixer repairs one an iteration.
CASES = {
    "converges": Case(what="the page is opened anew in each iteration"),
    "hot": Case(what="the page stays open; hot reload alone brings it up to date", test="test_hot"),
    "kill-all": Case(what="the second fix kills npx and Vite", words=("kill=2:group",), restarts=2),
    "kill-npx": Case(
        what="the second fix kills npx, Vite lives on and holds port and lock",
        words=("kill=2:leader",),
        restarts=2,
    ),
    "kill-vite": Case(
        what="the second fix kills Vite below npx", words=("kill=2:vite",), restarts=2
    ),
    "dependency": Case(
        what="the second fix imports a package that Vite has not optimised yet", words=("import=2",)
    ),
    "broken": Case(
        what="the second fix breaks the module, the third mends it: a state that comes back",
        words=("break=2",),
        status="not-converged:oscillating",
        iterations=3,
    ),
}


def missing() -> str | None:
    """Return what this needs and this machine has not, None when it has everything."""
    for program in ("node", "npm", "npx"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    try:
        find_browser(None, environ=os.environ)
    except CaptureError as error:
        return error.what
    return None


def install(folder: Path) -> str | None:
    """Copy the project to *folder* and install its packages; return what went wrong, if so."""
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("node_modules", ".pixelloop"))
    command = ["npm", "install", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip()[-500:]


def run(folder: Path, case: Case) -> dict[str, object]:
    """Loop over a fresh copy of the sources in *folder*; return summary.json, and the output."""
    shutil.rmtree(folder / ".pixelloop", ignore_errors=True)
    shutil.rmtree(folder / "src")
    shutil.copytree(PROJECT / "src", folder / "src")
    fix = " ".join(["python", "fix.py", *case.words])
    command = [sys.executable, "-m", "pytest", f"{case.test}.py", "--fix-command", fix]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environment = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    found = sorted(folder.glob(".pixelloop/runs/*/tests/*/summary.json"))
    record = json.loads(found[0].read_text("utf-8")) if found else {"status": "no summary"}
    return {**record, "printed": done.stdout + done.stderr}


def as_it_must(record: dict[str, object], case: Case) -> bool:
    """Tell whether a case came to what it must."""
    wanted = (case.status, case.iterations, case.restarts)
    return (record["status"], record.get("iterations"), record.get("restarts")) == wanted


def main() -> int:
    """Run the cases and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    chosen = parser.parse_args().cases or list(CASES)
    if unknown := sorted(set(chosen) - set(CASES)):
        parser.error(f"there is no case {', '.join(unknown)}")
    why = missing()
    if why is not None:
        print(f"skipped: {why}")
        return 0
    good = True
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        if (trouble := install(project)) is not None:
            print(f"skipped: the packages cannot be installed: {trouble}")
            return 0
        for name in chosen:
            began = time.monotonic()
            record = run(project, CASES[name])
            fine = as_it_must(record, CASES[name])
            good = good and fine
            print(
                f"{'ok ' if fine else 'BAD'} {name:<11} {record['status']} after "
                f"{record.get('iterations')} iterations, restarts={record.get('restarts')}, scores "
                f"{record.get('score_history')}, {time.monotonic() - began:.0f} s: "
                f"{CASES[name].what}",
                flush=True,
            )
            if not fine:
                print(record["printed"])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
