"""The fix command: no shell, its brief on stdin, and nothing of it left when it is over."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.fix_brief import FixBrief
from pytest_pixelloop.loop.fixer import CommandFixer, FixResult
from pytest_pixelloop.process.group import (
    group_runs,
    kill_group,
    kill_marked,
    kill_orphan,
)
from pytest_pixelloop.process.kept_output import KeptOutput
from pytest_pixelloop.process.process_table import process_identity
from pytest_pixelloop.process.words import split_command

if TYPE_CHECKING:
    from collections.abc import Mapping

posix = pytest.mark.skipif(sys.platform == "win32", reason="process groups of POSIX")
linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def python(code: str) -> str:
    """Return the command that runs *code*."""
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def told(
    folder: Path,
    text: str = "",
    *,
    seconds: float = 60.0,
    variables: Mapping[str, str] | None = None,
) -> FixBrief:
    """Return a brief with that text."""
    return FixBrief(
        iteration=1,
        text=text,
        text_path=folder / "brief.md",
        json_path=folder / "brief.json",
        usage_path=folder / "01.usage.json",
        seconds=seconds,
        variables=variables or {},
    )


def run(
    folder: Path,
    code: str,
    *,
    brief: str = "the brief",
    timeout: float = 60.0,
    environ: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    grace: float = 0.2,
) -> tuple[FixResult, str]:
    """Run a fixer made of Python code and return its result and what it printed."""
    fixer = CommandFixer(
        python(code), root=folder, environ={**os.environ, **(environ or {})}, grace=grace
    )
    output = folder / "out" / "01.log"
    result = fixer.run(told(folder, brief, seconds=timeout, variables=variables), output=output)
    return result, output.read_text("utf-8", "replace")


def run_until_it_printed(folder: Path, code: str, *, grace: float = 0.2) -> tuple[FixResult, str]:
    """Run a hanging fixer with a timeout that was long enough for it to print something."""
    for timeout in (1.0, 5.0, 25.0, 125.0):
        result, output = run(folder, code, timeout=timeout, grace=grace)
        if output.strip():
            return result, output
    raise AssertionError("the fixer never came to print anything")


def test_the_brief_is_on_stdin_and_the_folder_is_the_root(tmp_path: Path) -> None:
    """A fixer reads its brief, runs in the root, sees its variables; its output is kept."""
    code = (
        "import os, sys; print(sys.stdin.buffer.read().decode()); print(os.getcwd());"
        "print(os.environ['PIXELLOOP_ITERATION']); print('oops', file=sys.stderr)"
    )
    result, output = run(
        tmp_path, code, brief="größer → 20", variables={"PIXELLOOP_ITERATION": "3"}
    )
    assert (result.exit_code, result.failed) == (0, False)
    for part in ("größer → 20", str(tmp_path.resolve()), "3", "oops"):
        assert part in output


@pytest.mark.parametrize("name", ["FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN"])
def test_no_token_reaches_a_fixer(tmp_path: Path, name: str) -> None:
    """The designs' access tokens are taken out of its environment; everything else stays."""
    code = "import os; print(sorted(os.environ.items()))"
    _result, output = run(tmp_path, code, environ={name: "s3cret", "KEPT": "yes"})
    assert "s3cret" not in output
    assert "KEPT" in output


@pytest.mark.parametrize(
    "code", ["pass", "import sys; sys.stdin.close()", "import os; os.close(0)"]
)
def test_a_fixer_need_not_read_its_brief(tmp_path: Path, code: str) -> None:
    """A brief larger than any pipe does not block or fail a fixer that ignores it."""
    result, _output = run(tmp_path, code, brief="x" * 5_000_000)
    assert result == FixResult(exit_code=0, seconds=result.seconds)


def test_a_failing_fixer_gives_its_exit_code(tmp_path: Path) -> None:
    """An exit code other than 0 is a failed fix."""
    result, _output = run(tmp_path, "raise SystemExit(7)")
    assert (result.exit_code, result.failed, result.timed_out) == (7, True, False)


@posix
def test_a_hanging_fixer_is_killed_with_all_its_children(tmp_path: Path) -> None:
    """After the timeout neither the fixer nor a child of it is alive, even if both ignore TERM."""
    child = (
        "import signal, time, os, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print(os.getpid(), flush=True); time.sleep(600)"
    )
    code = (
        "import signal, subprocess, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"subprocess.Popen([sys.executable, '-c', {child!r}]).wait()"
    )
    result, output = run_until_it_printed(tmp_path, code)
    assert (result.exit_code, result.timed_out, result.failed) == (None, True, True)
    for pid in map(int, output.split()):
        assert is_gone(pid)


@posix
def test_a_fixer_that_ends_when_asked_may_say_goodbye(tmp_path: Path) -> None:
    """The time between TERM and KILL is for cleaning up; what is printed then is kept."""
    code = (
        "import signal, sys, time\n"
        "def bye(*_): print('cleaned up', flush=True); sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, bye)\n"
        "print('working', flush=True)\n"
        "time.sleep(600)\n"
    )
    result, output = run_until_it_printed(tmp_path, code, grace=60.0)
    assert result.timed_out
    assert result.exit_code is None
    assert "cleaned up" in output


@posix
def test_children_that_outlive_the_fixer_are_killed(tmp_path: Path) -> None:
    """Nothing of a fix goes on editing while the page is measured."""
    code = (
        "import subprocess, sys;"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "print(p.pid)"
    )
    result, output = run(tmp_path, code)
    assert result.exit_code == 0
    assert is_gone(int(output))


def is_gone(pid: int) -> bool:
    """Tell whether a process that was killed is dead; the system may take a moment."""
    deadline = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < deadline:
        os.sched_yield()
    return not is_running(pid)


def is_running(pid: int) -> bool:
    """Tell whether a process is alive; one that is dead and not yet collected is not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] not in "ZX"


def test_endless_output_is_bounded_and_says_so(tmp_path: Path) -> None:
    """Of a flood the beginning and the end are kept, and how much is missing is told."""
    code = "print('begin'); print('x' * 3_000_000); print('end')"
    _result, output = run(tmp_path, code)
    assert len(output) < 300_000
    assert output.startswith("begin")
    assert output.rstrip().endswith("end")
    assert "bytes left out" in output


def test_kept_output_counts_what_it_drops() -> None:
    """Head and tail are whole, the middle is counted byte for byte."""
    kept = KeptOutput(head=4, tail=4)
    for chunk in (b"ab", b"cdef", b"ghij", b"klmnop"):
        kept.add(chunk)
    assert kept.text() == b"abcd\n[... 8 bytes left out ...]\nmnop"
    small = KeptOutput(head=4, tail=4)
    small.add(b"abcdefgh")
    assert small.text() == b"abcdefgh"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("'unclosed", "cannot be split into words"),
        ("no-such-program-anywhere --flag", "program is not found"),
        ("./missing.sh", "does not exist"),
        ("folder/missing.sh x", "does not exist"),
        ("./plain.txt", "is not executable"),
        ("./folder", "does not exist"),
        ("~/fix.sh", "does not exist"),
    ],
)
@posix
def test_a_command_that_cannot_run_is_told_before_the_loop(
    tmp_path: Path, command: str, message: str
) -> None:
    """A wrong fix command is a configuration error that quotes it, not a failed fix."""
    (tmp_path / "plain.txt").write_text("x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigurationError, match=message) as caught:
        CommandFixer(command, root=tmp_path, environ=os.environ)
    assert "--fix-command" in caught.value.where


@posix
def test_a_script_is_found_from_the_root_and_a_program_on_the_path(tmp_path: Path) -> None:
    """``./fix.sh`` means the root's, wherever the tests are started from."""
    script = tmp_path / "fix.sh"
    script.write_text('#!/bin/sh\necho "$1" > made\n')
    script.chmod(0o755)
    assert split_command("./fix.sh 'a b'", root=tmp_path, environ={}) == [str(script), "a b"]
    fixer = CommandFixer("./fix.sh 'a $HOME b'", root=tmp_path, environ=os.environ)
    assert fixer.run(told(tmp_path), output=tmp_path / "log").exit_code == 0
    assert (tmp_path / "made").read_text() == "a $HOME b\n"
    found = split_command("fix.sh", root=tmp_path, environ={"PATH": str(tmp_path)})
    assert found == [str(script)]


@posix
def test_a_program_that_the_system_refuses_is_a_failed_fix(tmp_path: Path) -> None:
    """A file that is no program is found only by starting it: the fix failed, in words."""
    script = tmp_path / "fix"
    script.write_bytes(b"\x7fELFnonsense")
    script.chmod(0o755)
    fixer = CommandFixer("./fix", root=tmp_path, environ=os.environ)
    result = fixer.run(told(tmp_path), output=tmp_path / "log")
    assert result.failed
    assert result.exit_code is None
    assert "could not be started" in (result.error or "")


@posix
def test_ctrl_c_kills_the_fixer_and_passes_on(tmp_path: Path) -> None:
    """A KeyboardInterrupt while the fix runs leaves no fixer behind, and its output is kept."""
    code = "import time; print('working', flush=True); time.sleep(600)"
    fixer = CommandFixer(python(code), root=tmp_path, environ=os.environ)
    pids: list[int] = []

    def started(pid: int) -> None:
        pids.append(pid)
        main = threading.main_thread().ident
        assert main is not None
        threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT)).start()

    with pytest.raises(KeyboardInterrupt):
        fixer.run(told(tmp_path, seconds=600.0), output=tmp_path / "log", started=started)
    assert is_gone(pids[0])
    assert (tmp_path / "log").exists()


@linux
def test_only_the_very_process_that_was_started_is_killed_as_an_orphan() -> None:
    """A process id that was given to another process since is left alone."""
    sleeper = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    try:
        identity = process_identity(sleeper.pid)
        assert identity
        assert not kill_orphan(sleeper.pid, identity="0")
        assert not kill_orphan(sleeper.pid, identity="")
        assert sleeper.poll() is None
        assert kill_orphan(sleeper.pid, identity=identity)
        assert sleeper.wait(60) == -signal.SIGKILL
        assert not kill_orphan(sleeper.pid, identity=identity)
    finally:
        sleeper.kill()
        sleeper.wait()


@linux
def test_a_killed_group_runs_no_more() -> None:
    """kill_group returns when no process of the group runs, however many there were."""
    waits = [sys.executable, "-c", "import sys; print(end='^', flush=True); sys.stdin.read()"]
    crowd = (
        "import subprocess, sys; all = [subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE) "
        "for _ in range(8)]; sys.stdin.read()"
    )
    leader = subprocess.Popen(
        [sys.executable, "-c", crowd, *waits],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert leader.stdout is not None
    assert leader.stdout.read(8) == b"^" * 8
    assert group_runs(leader.pid)
    kill_group(leader.pid)
    assert not group_runs(leader.pid)
    leader.communicate()


@linux
def test_what_a_fix_has_left_is_found_by_its_environment() -> None:
    """A process outside every group is killed when it bears the mark; this one and others stay."""
    asleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    environ = {**os.environ, "PIXELLOOP_TEST_MARK": "mine"}
    marked = subprocess.Popen(asleep, start_new_session=True, env=environ)
    other = subprocess.Popen(asleep, env={**environ, "PIXELLOOP_TEST_MARK": "another"})
    try:
        assert not kill_marked("PIXELLOOP_TEST_MARK", "min")
        assert kill_marked("PIXELLOOP_TEST_MARK", "mine")
        assert marked.wait(60) == -signal.SIGKILL
        assert other.poll() is None
    finally:
        for process in (marked, other):
            process.kill()
            process.wait()
