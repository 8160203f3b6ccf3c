"""A small real project whose page is not its design: a page, a design, a test, a browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SITE = ROOT / "conftest_examples" / "quickstart"
#: The four seeded defects of the login page: what stands there, and what the design says.
REPAIRS = (
    ("border-radius: 0;", "border-radius: 16px;"),
    ("background: #dc2626;", "background: #2563eb;"),
    (".title { font-size: 20px;", ".title { font-size: 24px;"),
    ("background: #1d4ed8;", "background: #2563eb;"),
)
MANIFEST = """\
schema_version: 1
designs:
  login:
    image: login/1-1.png
    nodes: login/1-1.nodes.json
    mask: [".hint"]
"""
TEST = '''\
"""The login page against its design."""

from pathlib import Path

SITE = Path(__file__).parent / "site"


def test_login(page, assert_matches_design):
    page.goto((SITE / "login.html").as_uri())
    assert_matches_design(page, "login")
'''


@dataclass(frozen=True)
class Ended:
    """How a run ended: pytest's exit code, what it printed, and what lies on disk."""

    code: int
    output: str
    summary: dict[str, Any]
    ledger: str
    reports: str

    @property
    def status(self) -> str:
        """The end status, from the summary of the test alone; "no summary" is one, too."""
        return str(self.summary.get("status", "no summary"))

    @property
    def iterations(self) -> int | None:
        """The highest iteration that was recorded."""
        return self.summary.get("iterations")


@dataclass(frozen=True)
class BrokenProject:
    """A fresh copy of the project below *folder*; its fixer lies outside of it."""

    folder: Path

    @property
    def path(self) -> Path:
        """The project's root folder."""
        return self.folder / "project"

    def make(self, *, git: bool = True) -> None:
        """Write the project."""
        self.path.mkdir(parents=True)
        shutil.copytree(SITE / "site", self.path / "site")
        shutil.copytree(SITE / "designs" / "login", self.path / "designs" / "login")
        for name in ("settings.html", "settings.css"):
            (self.path / "site" / name).unlink()
        (self.path / "designs" / "designs.yaml").write_text(MANIFEST)
        (self.path / "pytest.ini").write_text("[pytest]\n")
        (self.path / "test_login.py").write_text(TEST)
        (self.path / ".gitignore").write_text(".pixelloop/\n__pycache__/\n")
        if git:
            name = ("-c", "user.name=a", "-c", "user.email=a@example.com")
            for words in (("init", "-q"), ("add", "-A"), (*name, "commit", "-qm", "page")):
                subprocess.run(["git", *words], cwd=self.path, check=True, capture_output=True)

    def own_packages(self, *names: str) -> Path:
        """Copy installed packages beside the project, so that a fixer may touch them."""
        library = self.folder / "lib"
        library.mkdir(exist_ok=True)
        for name in names:
            origin = ROOT / name if (ROOT / name).is_dir() else _installed(name)
            if origin.is_dir():
                ignore = shutil.ignore_patterns("__pycache__")
                shutil.copytree(origin, library / origin.name, ignore=ignore)
            else:
                shutil.copy(origin, library)
        return library

    def run(
        self, fixer: str, *options: str, library: Path | None = None, timeout: float = 240
    ) -> Ended:
        """Run pytest with the loop and a fixer, *fixer* being the text of a Python program."""
        program = self.folder / "fixer.py"
        program.write_text(fixer)
        paths = [str(library)] if library else [str(ROOT)]
        environ = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PIXELLOOP_CHEAT_LIB": str(library or ""),
        }
        command = [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--pixel-loop"),
            *("--fix-command", f"{sys.executable} {program}", *options),
        ]
        done = subprocess.run(
            command,
            cwd=self.path,
            env=environ,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            check=False,
        )
        return self.ended(done.returncode, done.stdout)

    def ended(self, code: int, output: str) -> Ended:
        """Return what lies on disk after a run."""
        found = sorted(self.path.glob(".pixelloop/runs/*/tests/*/summary.json"))
        tests = [p for p in found if "after-the-last-fix" not in p.parent.name]
        summary = json.loads(tests[-1].read_text()) if tests else {}
        ledgers = sorted(self.path.glob(".pixelloop/runs/*/tests/*/ledger.jsonl"))
        ledger = ledgers[-1].read_text(errors="replace") if ledgers else ""
        reports = "".join(
            path.read_text(errors="replace")
            for name in ("diff/*/*.report.json", "fix/*.log")
            for path in sorted(self.path.glob(f".pixelloop/runs/*/tests/*/{name}"))
        )
        return Ended(code=code, output=output, summary=summary, ledger=ledger, reports=reports)


def _installed(name: str) -> Path:
    import importlib.util

    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    origin = Path(spec.origin)
    return origin.parent if origin.name == "__init__.py" else origin
