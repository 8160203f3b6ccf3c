"""The patch gate on real files and a real git checkout."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.loop.patch_gate import PatchGate
from pytest_pixelloop.loop.watched import WatchedSources

if TYPE_CHECKING:
    from pathlib import Path

CSS = ":root { --blue: #2563eb }\n.a { color: red }\n"


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.test", "-C", str(folder), *words],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a committed project with a site and a test."""
    root = tmp_path / "project"
    (root / "site").mkdir(parents=True)
    (root / "site" / "a.css").write_text(CSS)
    (root / "test_a.py").write_text("x = 1\n")
    (root / ".gitignore").write_text("build/\n")
    _git(root, "init", "-q")
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "x")
    (root / "draft.txt").write_text("untracked\n")
    return root


def _gate(root: Path, tmp_path: Path, mode: str = "revert") -> PatchGate:
    sources = WatchedSources(root=root, roots=(root / "site",))
    return PatchGate(
        sources,
        mode=mode,
        store=tmp_path / "store",
        folder=tmp_path / "test",
        design_files=["card.png"],
    )


def test_a_clean_patch_stays(project: Path, tmp_path: Path) -> None:
    """A patch without findings is left as the fix made it."""
    gate = _gate(project, tmp_path)
    before = gate.before(1)
    (project / "site" / "a.css").write_text(CSS.replace("red", "var(--blue)"))
    outcome = gate.after(before)
    assert (outcome.findings, outcome.reverted) == ((), ())
    assert "var(--blue)" in (project / "site" / "a.css").read_text()


@pytest.mark.parametrize("mode", ["warn", "revert"])
def test_a_bad_patch_is_named_and_taken_back_where_asked(
    project: Path, tmp_path: Path, mode: str
) -> None:
    """Every file of the patch is put back: edited, deleted and new ones, modes too."""
    (project / "site" / "run.sh").write_text("#!/bin/sh\n")
    (project / "site" / "run.sh").chmod(0o755)
    gate = _gate(project, tmp_path, mode)
    before = gate.before(1)
    (project / "site" / "a.css").write_text(CSS.replace("red", "#2563eb"))
    (project / "site" / "run.sh").unlink()
    (project / "site" / "new.css").write_text(".n { gap: 1px }\n")
    outcome = gate.after(before)
    assert [f.rule for f in outcome.findings] == ["literal-for-token"]
    back = mode == "revert"
    assert outcome.reverted == (("site/a.css", "site/new.css", "site/run.sh") if back else ())
    assert ((project / "site" / "a.css").read_text() == CSS) is back
    assert (project / "site" / "new.css").exists() is not back
    assert (project / "site" / "run.sh").exists() is back
    if back:
        assert (project / "site" / "run.sh").stat().st_mode & 0o777 == 0o755


def test_edits_outside_the_sources_are_findings(project: Path, tmp_path: Path) -> None:
    """With git every project file is watched; ignored and unrelated ones are let alone."""
    gate = _gate(project, tmp_path)
    before = gate.before(1)
    (project / "test_a.py").write_text("x = 2\n")
    (project / "build").mkdir()
    (project / "build" / "out.js").write_text("built\n")
    outcome = gate.after(before)
    assert [(f.rule, f.path) for f in outcome.findings] == [("outside-sources", "test_a.py")]
    assert (project / "test_a.py").read_text() == "x = 1\n"
    assert (project / "build" / "out.js").exists()
    assert (project / "draft.txt").read_text() == "untracked\n"


def test_git_itself_is_not_touched(project: Path, tmp_path: Path) -> None:
    """Index, stash, branches and objects are byte for byte as before."""
    (project / "site" / "a.css").write_text(CSS + "/* staged */\n")
    _git(project, "add", "site/a.css")

    def state() -> dict[str, bytes]:
        folder = project / ".git"
        return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}

    held = state()
    gate = _gate(project, tmp_path)
    before = gate.before(1)
    (project / "site" / "a.css").write_text("p { opacity: 0 }\n")
    assert gate.after(before).reverted == ("site/a.css",)
    assert state() == held
    assert (project / "site" / "a.css").read_text().endswith("/* staged */\n")


def test_without_git_the_sources_are_guarded_and_that_is_said(tmp_path: Path) -> None:
    """No checkout: the gate says what it cannot see, and still judges the sources."""
    root = tmp_path / "plain"
    (root / "site").mkdir(parents=True)
    (root / "site" / "a.css").write_text(CSS)
    gate = _gate(root, tmp_path)
    assert "no git checkout" in (gate.note or "")
    before = gate.before(1)
    (root / "site" / "a.css").write_text(CSS + ".b { visibility: hidden }\n")
    (root / "other.txt").write_text("unseen\n")
    outcome = gate.after(before)
    assert [f.rule for f in outcome.findings] == ["hidden-text"]
    assert (root / "site" / "a.css").read_text() == CSS
    assert (root / "other.txt").exists()


def test_a_planted_link_leads_no_write_out_of_the_project(project: Path, tmp_path: Path) -> None:
    """A folder that became a link to elsewhere is made a folder again, and not written through."""
    outside = tmp_path / "outside"
    outside.mkdir()
    gate = _gate(project, tmp_path)
    before = gate.before(1)
    (project / "site" / "a.css").unlink()
    (project / "site").rmdir()
    (project / "site").symlink_to(outside)
    (project / "test_a.py").write_text("x = 2\n")
    assert gate.after(before).kept == ()
    assert not (project / "site").is_symlink()
    assert (project / "site" / "a.css").read_text() == CSS
    assert list(outside.iterdir()) == []


def test_a_picture_of_the_design_is_known_by_its_pixels(project: Path, tmp_path: Path) -> None:
    """Whatever it is called, a file that shows the design is a finding."""
    sources = WatchedSources(root=project, roots=(project / "site",))
    gate = PatchGate(
        sources,
        mode="revert",
        store=tmp_path / "s",
        folder=tmp_path / "t",
        shows_design=lambda data: data == b"design",
    )
    before = gate.before(1)
    (project / "site" / "hero.bin").write_bytes(b"design")
    assert [f.rule for f in gate.after(before).findings] == ["design-picture"]
    assert not (project / "site" / "hero.bin").exists()


def test_a_project_that_is_too_large_makes_the_gate_say_that_it_is_blind(
    project: Path, tmp_path: Path
) -> None:
    """Nothing is judged, nothing taken back, and the note tells why."""
    sources = WatchedSources(root=project, roots=(project / "site",), max_files=2)
    gate = PatchGate(sources, mode="revert", store=tmp_path / "s", folder=tmp_path / "t")
    before = gate.before(1)
    (project / "site" / "a.css").write_text("p { opacity: 0 }\n")
    outcome = gate.after(before)
    assert "blind" in (outcome.note or "")
    assert (project / "site" / "a.css").read_text().startswith("p")


def test_a_fix_that_was_interrupted_is_judged_from_where_it_began(
    project: Path, tmp_path: Path
) -> None:
    """What a killed fix left behind does not slip through when the fix is run again."""
    _gate(project, tmp_path).before(3)
    (project / "site" / "a.css").write_text(CSS + ".b { opacity: 0 }\n")
    gate = _gate(project, tmp_path)
    outcome = gate.after(gate.before(3))
    assert [f.rule for f in outcome.findings] == ["hidden-text"]
    assert (project / "site" / "a.css").read_text() == CSS


def test_bytes_that_somebody_changed_are_not_put_back(project: Path, tmp_path: Path) -> None:
    """What is kept lies within a fixer's reach: only what really was there is written back."""
    gate = _gate(project, tmp_path)
    before = gate.before(1)
    for kept in (tmp_path / "store").iterdir():
        kept.write_bytes(b"what the fixer would rather have")
    (project / "site" / "a.css").write_text(CSS + ".b { opacity: 0 }\n")
    outcome = gate.after(before)
    assert (outcome.reverted, outcome.kept) == ((), ("site/a.css",))
    assert "opacity: 0" in (project / "site" / "a.css").read_text()


def test_a_write_that_was_killed_as_files_were_put_back_leaves_nothing(
    project: Path, tmp_path: Path
) -> None:
    """The temporary file of a killed gate is gone when its fix is run again; others stay."""
    _gate(project, tmp_path).before(1)
    torn = project / "site" / ".tmp-0123456789abcdef"
    torn.write_text("half")
    own = project / "site" / ".tmpl"
    own.write_text("a template")
    _gate(project, tmp_path).before(1)
    assert not torn.exists()
    assert own.exists()


def test_what_was_there_before_the_next_fix_cannot_be_forged_by_this_one(
    project: Path, tmp_path: Path
) -> None:
    """A fix that writes down what the next one began with hides nothing of it from the gate."""
    gate = _gate(project, tmp_path)
    gate.before(1)
    style = project / "site" / "a.css"
    (forged,) = tmp_path.rglob("before-01.json")
    forged.with_name("before-02.json").write_text('{"files": {}, "modes": {}}', "utf-8")

    before = gate.before(2)

    assert style.relative_to(project).as_posix() in before.files
    assert gate.after(before).reverted == ()
    assert style.exists()


def test_the_next_process_is_told_nothing_by_the_last_fix(project: Path, tmp_path: Path) -> None:
    """Once a fix is judged, nothing is left of what it may have written down for a later one."""
    gate = _gate(project, tmp_path)
    gate.before(1)
    (own,) = tmp_path.rglob("before-01.json")
    forged = own.with_name("before-02.json")
    forged.write_text('{"files": {}, "modes": {}}', "utf-8")

    gate.forget()

    assert not own.exists()
    assert _gate(project, tmp_path).before(2).files
