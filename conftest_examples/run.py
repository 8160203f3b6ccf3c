"""Run one example on a copy, so that the checkout stays clean.

``python conftest_examples/run.py quickstart`` copies ``conftest_examples/quickstart`` into a new
temporary folder, runs pytest there with the example's own options (its ``pytest.ini``) and leaves
the folder for you to look at. Words after the example's name go to pytest.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = sorted(p.name for p in HERE.iterdir() if (p / "pytest.ini").is_file())


def main() -> int:
    """Copy, run, say where the copy is, and return pytest's exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("example", choices=EXAMPLES)
    parser.add_argument("--to", type=Path, help="copy into this folder (it must not exist)")
    arguments, words = parser.parse_known_args()
    folder = arguments.to or Path(tempfile.mkdtemp(prefix="pixelloop-")) / arguments.example
    shutil.copytree(HERE / arguments.example, folder, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pytest", *words]
    print(f"$ cd {folder} && pytest {' '.join(words)}".rstrip(), flush=True)
    # A fixer is a command of its own: `python` in it must mean the Python that runs this.
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environment = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    code = subprocess.run(command, cwd=folder, env=environment, check=False).returncode
    print(f"the copy, its repaired pages and .pixelloop/ are in {folder}")
    return code


if __name__ == "__main__":
    sys.exit(main())
