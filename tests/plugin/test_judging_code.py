"""The installed code that judges has a fingerprint, and only an edit of it changes it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.plugin.goalposts import FileHashes
from pytest_pixelloop.plugin.judging_code import MAX_HASHED, PACKAGES, JudgingCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FIRST = "installed:judge"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Give a folder with the package ``judge`` behind an empty one, both on the path."""
    site = tmp_path / "site"
    (tmp_path / "project").mkdir()
    package = site / "judge"
    (package / "inner" / "__pycache__").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "inner" / "verdict.py").write_text("green = False\n")
    (package / "inner" / "__pycache__" / "verdict.pyc").write_bytes(b"compiled")
    (package / "driver.bin").write_bytes(bytes(MAX_HASHED + 1))
    (site / "other.pth").write_text("/elsewhere\n")
    return site


def code(site: Path) -> JudgingCode:
    """Return the fingerprints of what is below *site*, as a process sees them."""
    path = (str(site.parent / "project"), str(site))
    return JudgingCode(FileHashes(), path=path, packages=("judge", "missing"))


def _large(site: Path) -> None:
    with (site / "judge/driver.bin").open("r+b") as stream:
        stream.write(b"x")


def _move_and_edit(site: Path) -> None:
    (site / "judge").rename(site.parent / "project/judge")
    (site.parent / "project/judge/inner/verdict.py").write_text("green = 1\n")


def _announce(site: Path) -> None:
    (site / "green.dist-info").mkdir()
    (site / "green.dist-info/entry_points.txt").write_text("[pytest11]\ngreen = green\n")


EDITS: dict[str, tuple[Callable[[Path], object], str]] = {
    "module": (
        lambda site: (site / "judge/inner/verdict.py").write_text("green = True \n"),
        FIRST,
    ),
    "new module": (lambda site: (site / "judge/late.py").write_text(""), FIRST),
    "lost module": (lambda site: (site / "judge/inner/verdict.py").unlink(), FIRST),
    "compiled module": (
        lambda site: (site / "judge/inner/__pycache__/verdict.pyc").write_bytes(b"poisoned"),
        FIRST,
    ),
    "large file": (_large, FIRST),
    "module before it": (lambda site: (site.parent / "project/judge.py").write_text(""), FIRST),
    "package before it": (
        _move_and_edit,
        FIRST,
    ),
    "missing package": (lambda site: (site / "missing.py").write_text(""), "installed:missing"),
    "start-up": (
        lambda site: (site / "sitecustomize.py").write_text(""),
        "installed:sitecustomize",
    ),
    "path file": (
        lambda site: (site / "other.pth").write_text("import green\n"),
        "installed:plugins",
    ),
    "plugin": (_announce, "installed:plugins"),
}


@pytest.mark.parametrize("case", EDITS)
def test_an_edit_of_what_judges_is_seen(site: Path, case: str) -> None:
    """Each way to change what is imported changes one name, and no other."""
    edit, name = EDITS[case]
    judging = code(site)
    before = judging.fingerprints()
    assert judging.fingerprints() == before
    edit(site)
    after = judging.fingerprints()
    assert {n for n in before if before[n] != after[n]} == {name}


def test_what_python_writes_by_itself_is_no_edit(site: Path) -> None:
    """A compiled module that appears, new times and another place change nothing."""
    judging = code(site)
    before = judging.fingerprints()
    (site / "judge/__pycache__").mkdir()
    (site / "judge/__pycache__/__init__.pyc").write_bytes(b"")
    os.utime(site / "judge/inner/verdict.py", (1, 1))
    (site / "elsewhere.dist-info").mkdir()
    assert judging.fingerprints() == before
    (site / "judge").rename(site.parent / "project/judge")
    assert code(site).fingerprints()[FIRST] == before[FIRST]


def test_the_packages_that_judge_are_found() -> None:
    """Every package that has a hand in a verdict has a fingerprint here."""
    found = JudgingCode(FileHashes()).fingerprints()
    assert all(found[f"installed:{name}"] != "absent" for name in PACKAGES)
