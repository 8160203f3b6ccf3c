"""Three kinds of fixer repair the same page, told by the same brief; so does the literal one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.core.errors import CaptureError

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "conftest_examples"
LITERAL = ROOT / "benchmarks" / "loop" / "literal_fixer.py"


def _browser_missing() -> bool:
    try:
        find_browser(None, environ=os.environ)
    except CaptureError:
        return True
    return False


pytestmark = pytest.mark.skipif(_browser_missing(), reason="no Chromium: pixelloop browser")


def _copy(example: str, folder: Path) -> Path:
    shutil.copytree(EXAMPLES / example, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environ = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", *words]
    return subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=False
    )


def _tests(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return the folder and the summary of each looped test."""
    found = sorted(folder.glob(".pixelloop/runs/*/tests/*/summary.json"))
    read = [(path.parent, json.loads(path.read_text("utf-8"))) for path in found]
    return [(path, summary) for path, summary in read if summary["rule"] != "gate"]


def _findings_at_first(test: Path) -> int:
    reports = [json.loads(p.read_text("utf-8")) for p in test.glob("diff/00/*.report.json")]
    return sum(f["gating"] and f["state"] == "open" for r in reports for f in r["findings"])


@pytest.mark.parametrize("fixer", ["fix.py", "agent.py"])
def test_script_and_agent_repair_the_page_with_tokens(fixer: str, tmp_path: Path) -> None:
    """By the JSON, or by the text on standard input; a token is written by its name."""
    work = _copy("fixers", tmp_path / "work")
    done = _run(work, "--fix-command", f"python {fixer}")
    assert done.returncode == 0, done.stdout + done.stderr
    ((test, summary),) = _tests(work)
    assert (summary["status"], summary["iterations"]) == ("converged", 5)
    assert summary["iterations"] == _findings_at_first(test)
    css = (work / "site" / "login.css").read_text("utf-8")
    assert css.count("var(--color-primary)") == 3
    assert "border-radius: var(--radius-card)" in css
    assert len((test / "brief.md").read_text("utf-8").splitlines()) <= 40


def test_a_person_repairs_between_two_processes(tmp_path: Path) -> None:
    """One iteration each process: the brief lies there in between, and the run goes on."""
    work = _copy("fixers", tmp_path / "work")
    words = ("--run-id", "by-hand", "--iterations-per-run=1")
    first = _run(work, *words)
    assert first.returncode == 1
    ((test, summary),) = _tests(work)
    assert summary["status"] == "in-progress"
    assert "1. set the text of login/card/forgot link" in (test / "brief.md").read_text("utf-8")
    right = (
        ("pasword", "password"),
        ("color-danger", "color-primary"),
        ("20px;\n  line-height: 32", "24px;\n  line-height: 32"),
        ("#1d4ed8", "#2563eb"),
        ("radius: 0", "radius: 16px"),
    )
    for path in (work / "site").glob("login.*"):
        text = path.read_text("utf-8")
        for wrong, better in right:
            text = text.replace(wrong, better)
        path.write_text(text, "utf-8")
    second = _run(work, *words)
    assert second.returncode == 0, second.stdout + second.stderr
    assert [s["status"] for _, s in _tests(work)] == ["converged"]


@pytest.mark.skipif(not LITERAL.exists(), reason="the benchmarks are not here")
def test_the_first_edit_applied_literally_converges(tmp_path: Path) -> None:
    """Within findings + 2 iterations, on the two broken pages of the quickstart."""
    work = _copy("quickstart", tmp_path / "work")
    shutil.copy(LITERAL, work / "fix.py")
    done = _run(work)
    assert done.returncode == 0, done.stdout + done.stderr
    for test, summary in _tests(work):
        assert summary["status"] == "converged"
        assert summary["iterations"] <= _findings_at_first(test) + 2
