"""``--fix-wait`` under pytest: somebody else edits, and options that contradict each other."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from drawn_project import QUIET, RIGHT

if TYPE_CHECKING:
    from drawn_project import Project

EDITOR = """
import json, pathlib, sys, time
page = pathlib.Path("page.json")
right = pathlib.Path("right.json")
while not list(pathlib.Path(".pixelloop").glob("runs/*/tests/*/brief.md")):
    time.sleep(0.05)
page.write_text(right.read_text())
"""


def test_somebody_who_edits_makes_the_page_right(project: Project) -> None:
    """The loop says what it waits for and goes on when the sources have changed."""
    project.spoil("title")
    editor = subprocess.Popen([sys.executable, "-c", EDITOR], cwd=project.path)
    result = project.run_apart("--pixel-loop", "--fix-wait=120")
    editor.kill()
    editor.wait()
    result.assert_outcomes(passed=1)
    assert project.status == "converged"
    assert json.loads((project.path / "page.json").read_text()) == RIGHT
    lines = result.stdout.str()
    assert "somebody changed the sources" in lines
    assert "changed page.json" in lines


REFUSED = {
    "both": (["--fix-command=true", "--fix-wait=5"], "", "*two kinds of fixers at once*--fix-*"),
    "both in the ini": (
        [],
        "pixelloop_fix_command = true\npixelloop_fix_wait = 5\n",
        "*two kinds of fixers at once: ini key pixelloop_fix_command and ini key*",
    ),
    "no number": (["--fix-wait=soon"], "", "*--fix-wait: 'soon' is not a number of seconds*"),
    "zero": (["--fix-wait=0"], "", "*--fix-wait: '0' is not a number of seconds above 0*"),
    "pdb": (["--fix-wait=5", "--pdb"], "", "*drop --pdb*"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_work_is_refused(project: Project, case: str) -> None:
    """Contradictions and wrong numbers are usage errors that say which option."""
    words, ini, said = REFUSED[case]
    project.write("tox.ini", "[pytest]\n" + ini)
    result = project.run("--pixel-loop", *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


@pytest.mark.parametrize("words", [["--fix-wait=5"], ["--fix-confirm"]])
def test_without_a_loop_it_is_told_that_nothing_happens(project: Project, words: list[str]) -> None:
    """An option that needs the loop says so where there is none."""
    result = project.run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    option = words[0].partition("=")[0]
    result.stderr.fnmatch_lines([f"*{option} does nothing without --pixel-loop*"])


def test_the_command_line_replaces_the_ini_files_kind(project: Project) -> None:
    """A kind of fixer on the command line replaces another one in the ini file."""
    project.write("tox.ini", "[pytest]\npixelloop_fix_command = no-such-program\n")
    project.spoil("title")
    result = project.run("--pixel-loop", "--fix-wait=0.2")
    result.assert_outcomes(failed=1)
    assert project.status == "not-converged:breaker"
    assert "nothing changed within 0.2 s" in result.stdout.str()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_the_waiting_at_once(project: Project) -> None:
    """SIGINT reaches a session that waits inside the library's own code, and it is recorded."""
    project.spoil("title")
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *QUIET, "--pixel-loop", "--fix-wait=3600"],
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # A shell that runs this in the background has it ignored.
        preexec_fn=lambda: signal.signal(  # noqa: PLW1509
            signal.SIGINT, signal.default_int_handler
        ),
    )
    assert process.stdout is not None
    with process.stdout as stream:
        for line in stream:
            if b"waiting up to 3600 s" in line:
                process.send_signal(signal.SIGINT)
    assert process.wait() == pytest.ExitCode.INTERRUPTED
    assert project.status == "undetermined:interrupted"
    assert project.summary()["interrupted"] == [{"iteration": 1, "phase": "fix"}]
