"""``--fix-confirm``: a person at a real terminal sees each patch before it is measured."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from drawn_project import QUIET

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from drawn_project import Project

pty = pytest.importorskip("pty", reason="needs the terminals of POSIX")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

EDITS = """
import json, os, pathlib
page = pathlib.Path("page.json")
value = json.loads(page.read_text())
right = json.loads(pathlib.Path("right.json").read_text())
page.write_text(json.dumps({**value, "boxes": right["boxes"]}, indent=1) + "\\n")
page.chmod(0o600)
pathlib.Path("zz.txt").write_text("title \\x1b]0;gotcha\\x07 \\x1b[2J\\u202e\\n" + "line\\n" * 300)
pathlib.Path("old.bin").unlink()
"""
PATIENCE = 120.0
QUESTION = "measure this patch of iteration"


def _ready(ours: int, process: subprocess.Popen[bytes], seen: bytes) -> bool:
    """Wait for what the session prints; one that prints nothing for minutes is stuck."""
    if select.select([ours], [], [], PATIENCE)[0]:
        return True
    process.kill()
    raise AssertionError(f"nothing was printed for {PATIENCE} s after: {seen[-2000:]!r}")


def _own_terminal() -> None:
    """Make standard input the terminal whose Ctrl-C reaches this process."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def at_terminal(project: Project, *words: str, answers: list[str]) -> tuple[int, str]:
    """Run the loop at a terminal of its own, give *answers* to the questions; return code, text."""
    project.write("edits.py", EDITS)
    command = [sys.executable, "-m", "pytest", *QUIET, "--pixel-loop", "--fix-confirm"]
    command += ["--fix-command", f"{sys.executable} edits.py", *words]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        cwd=project.path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
        preexec_fn=_own_terminal,  # noqa: PLW1509 - nothing but system calls
    )
    os.close(theirs)
    seen = b""
    left = list(answers)
    with contextlib.suppress(OSError):  # the other side is closed
        while _ready(ours, process, seen) and (chunk := os.read(ours, 65536)):
            seen += chunk
            if left and seen.count(QUESTION.encode()) > len(answers) - len(left):
                os.write(ours, left.pop(0).encode())
    os.close(ours)
    return process.wait(), seen.decode("utf-8", "replace").replace("\r\n", "\n")


def files(project: Project) -> dict[str, tuple[bytes, int]]:
    """Return content and mode of every file that a fix could change."""
    return {
        path.name: (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in sorted(project.path.glob("*"))
        if path.is_file() and path.suffix in {".json", ".txt", ".bin"}
    }


@pytest.fixture
def broken(project: Project) -> Project:
    """Give a project with a wrong box, and a file that is no text."""
    project.spoil("title")
    project.write("old.bin", b"\0\1\2")
    (project.path / "page.json").chmod(0o640)
    return project


def ledger(project: Project) -> list[dict[str, Any]]:
    """Return the records of the looped test."""
    (path,) = project.runs[-1].glob("tests/*/ledger.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("capture", ["fd", "sys", "no"])
def test_a_patch_is_shown_and_measured_when_it_is_wanted(broken: Project, capture: str) -> None:
    """With every kind of capturing the diff is shown as text, and yes lets it be measured."""
    code, text = at_terminal(broken, f"--capture={capture}", answers=["maybe\n", "y\n"])
    assert code == 0, text
    assert text.count(QUESTION) == 2  # what is no answer is asked again
    assert "3 files: old.bin, page.json, zz.txt\n" in text
    for part in ("--- a/page.json", "+++ b/page.json", "+++ /dev/null", "--- /dev/null"):
        assert f"{part}\n" in text
    assert '+  "title": [\n' in text
    assert "the file is not shown: 3 bytes -> nothing\n" in text
    assert broken.status == "converged"


def test_nothing_in_a_patch_steers_the_terminal(broken: Project) -> None:
    """Escape sequences of a patch are shown as marks; colours are the only ones of our own."""
    _code, text = at_terminal(broken, "--color=yes", answers=["y\n"])
    assert "\x1b[32m+" in text
    codes = set(re.findall(r"\x1b.?[^A-Za-z]*[A-Za-z]?", text))
    assert all(re.fullmatch(r"\x1b\[[0-9;]*m", code) for code in codes), codes
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "+title \N{REPLACEMENT CHARACTER}]0;gotcha" in text
    _code, plain = at_terminal(broken, "--color=no", answers=["y\n"])
    assert "\x1b" not in plain


def test_a_long_patch_is_cut_and_lies_whole_in_a_file(broken: Project) -> None:
    """What is not shown is counted, with the path of the patch; that file holds every line."""
    _code, text = at_terminal(broken, "--color=no", answers=["y\n"])
    found = re.search(r"\((\d+) more lines; the whole patch: (\S+)\)", text)
    assert found is not None
    (path,) = broken.runs[-1].glob("tests/*/fix/01.patch")
    assert found[2] == str(path)
    whole = path.read_text("utf-8")
    assert len(whole.removesuffix("\n").split("\n")) == 200 + int(found[1])
    assert "+title \x1b]0;gotcha\x07 \x1b[2J\u202e\n" in whole


@pytest.mark.parametrize("gate", ["off", "warn", "revert"])
def test_a_declined_patch_leaves_no_trace(broken: Project, gate: str) -> None:
    """Every file is again as it was, with its mode; the iteration is spent as a useless fix."""
    before = files(broken)
    code, text = at_terminal(broken, f"--patch-gate={gate}", answers=["n\n", "no\n"])
    assert code == 1, text
    assert files(broken) == before
    assert broken.status == "not-converged:breaker"
    assert "iteration 1 was declined; iteration 2 was declined" in broken.summary()["reason"]
    fixes = [r for r in ledger(broken) if r["kind"] == "fix-ended"]
    assert [(f["outcome"], f["changed"]) for f in fixes] == [("unchanged", [])] * 2
    assert fixes[0]["error"] == "the patch was declined"
    assert sorted(fixes[0]["patch"]["reverted"]) == ["old.bin", "page.json", "zz.txt"]
    assert "the patch was declined, 3 files are as before" in text


def test_the_end_of_the_input_is_no_yes(broken: Project) -> None:
    """Ctrl-D is no answer, so the patch is not measured."""
    before = files(broken)
    at_terminal(broken, answers=["\x04", "\x04"])
    assert files(broken) == before
    assert broken.status == "not-converged:breaker"


def test_ctrl_c_at_the_question_interrupts_the_loop(broken: Project) -> None:
    """Nothing is decided: the fix counts as interrupted, and the next process asks again."""
    code, _text = at_terminal(broken, answers=["\x03"])
    assert code == pytest.ExitCode.INTERRUPTED
    assert broken.summary()["interrupted"] == [{"iteration": 1, "phase": "fix"}]


def test_without_a_terminal_nothing_runs(broken: Project) -> None:
    """Where nobody can answer the session is refused before anything is measured."""
    before = files(broken)
    result = broken.run_apart("--pixel-loop", "--fix-confirm", "--fix-command=true")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--fix-confirm asks before each patch*no terminal*"])
    assert files(broken) == before
    assert not list(broken.path.glob(".pixelloop/runs/*/tests"))


def test_there_must_be_something_to_confirm(broken: Project) -> None:
    """Without a fixer the option is refused, and says what it needs."""
    ours, theirs = pty.openpty()
    process = subprocess.run(
        [sys.executable, "-m", "pytest", *QUIET, "--pixel-loop", "--fix-confirm"],
        cwd=broken.path,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(theirs)
    os.close(ours)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert b"--fix-confirm has nothing to confirm" in process.stderr


def test_a_patch_that_cannot_be_seen_is_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the gate is blind nobody can be asked about the patch: the loop ends in words."""
    from pytest_pixelloop.core.errors import ConfigurationError
    from pytest_pixelloop.loop.patch_gate import PatchGate
    from pytest_pixelloop.loop.watched import WatchedSources

    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    root = tmp_path / "project"
    root.mkdir()
    gate = PatchGate(
        WatchedSources(root=root, max_files=1),
        mode="off",
        store=tmp_path / "store",
        folder=tmp_path / "patch",
        keep_all=True,
    )
    before = gate.before(1)
    make: Callable[[str], int] = lambda name: (root / name).write_text(name)  # noqa: E731
    make("a")
    make("b")
    with pytest.raises(ConfigurationError, match="the patch cannot be shown"):
        gate.changes(before)
