"""--patch-gate through pytest: a patch that must not win is named, or taken back."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest
    from drawn_project import Project

#: Repairs the page, and hides something beside it.
CHEAT = """
import json, pathlib
here = pathlib.Path(__file__).parent
page = json.loads((here / "page.json").read_text())
right = json.loads((here / "right.json").read_text())
page["boxes"] = right["boxes"]
(here / "page.json").write_text(json.dumps(page))
(here / "page.css").write_text("p { opacity: 0 }\\n")
"""


def _records(project: Project) -> list[dict[str, Any]]:
    (ledger,) = project.runs[-1].glob("tests/*/ledger.jsonl")
    return [json.loads(line) for line in ledger.read_text("utf-8").splitlines()]


def _loop(project: Project, *words: str) -> pytest.RunResult:
    project.write("fixer.py", CHEAT)
    project.spoil("title")
    subprocess.run(["git", "init", "-q"], cwd=project.path, check=True)
    return project.loop("cheat", *words)


def test_a_warned_patch_is_measured_and_named(project: Project) -> None:
    """With the default the loop goes on; the objection is in the terminal and in the ledger."""
    result = _loop(project)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*patch gate: page.css:1: it hides content: opacity: 0*"])
    (fix,) = [r for r in _records(project) if r["kind"] == "fix-ended"]
    assert [f["rule"] for f in fix["patch"]["findings"]] == ["hidden-text"]
    assert fix["patch"]["reverted"] == []
    assert project.summary()["patches_reverted"] == 0


def test_a_reverted_patch_spends_its_iteration(project: Project) -> None:
    """The files are as before, the iteration counts, and the same patch twice ends the loop."""
    before = project.path / "page.json"
    result = _loop(project, "--patch-gate=revert")
    result.assert_outcomes(failed=1)
    assert project.status == "not-converged:breaker"
    assert project.summary()["patches_reverted"] == 2
    assert not (project.path / "page.css").exists()
    assert "#ff00ff" in before.read_text()
    (brief,) = project.runs[-1].glob("tests/*/brief.md")
    assert "the patch gate objects to it (it was taken back): 1" in brief.read_text("utf-8")


def test_the_gate_can_be_off(project: Project) -> None:
    """Off: nothing is read, judged or written about patches."""
    _loop(project, "--patch-gate=off").assert_outcomes(passed=1)
    (fix,) = [r for r in _records(project) if r["kind"] == "fix-ended"]
    assert "patch" not in fix


def test_without_git_the_loop_says_what_is_not_seen(project: Project) -> None:
    """Outside a checkout the gate guards the watched sources, and says so once."""
    project.spoil("title")
    result = project.loop("repair")
    result.assert_outcomes(passed=1)
    lines = [line for line in result.outlines if "no git checkout" in line]
    assert len(lines) == 1


def test_a_copy_of_the_design_is_no_repair(project: Project) -> None:
    """A fixer that puts the design's picture, saved anew, beside the page is found out."""
    project.write(
        "fixer.py",
        "import pathlib\nfrom PIL import Image\nhere = pathlib.Path(__file__).parent\n"
        "Image.open(here / 'designs/card.png').convert('RGB').save(here / 'hero.jpg')\n",
    )
    project.spoil("title")
    result = project.loop("copy", "--patch-gate=revert")
    result.assert_outcomes(failed=1)
    assert not (project.path / "hero.jpg").exists()
    result.stdout.fnmatch_lines(["*hero.jpg: it is the design's picture*"])
