"""A fix command's processes end with it, also those that left its group and session."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_pixelloop.process.adoption import Adoption
from pytest_pixelloop.process.command import run_command

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="adopts orphans on Linux only")

#: Leaves its session twice over, closes its output, and says when it is there.
DAEMON = """
import os, pathlib, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        if CHILD and os.fork() == 0:
            time.sleep(600)
        pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.01)
"""


def run(tmp_path: Path, *, child: bool = False, **environ: str) -> tuple[int, int]:
    """Run a command that leaves a daemon; return how many were killed, and the daemon's id."""
    there = tmp_path / "pid"
    code = DAEMON.replace("CHILD", str(child))
    with Adoption({"MARK": "mine"}) as left:
        run_command(
            [sys.executable, "-c", code, str(there)],
            cwd=tmp_path,
            environ={"MARK": "mine", **environ},
            timeout=60,
            keep=lambda _printed: None,
        )
    return left.killed, int(there.read_text())


def lives(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
        return text.rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("child", [False, True])
def test_a_daemon_does_not_outlive_its_command(tmp_path: Path, *, child: bool) -> None:
    """A process that forked twice and left its session is gone when the command is over."""
    killed, pid = run(tmp_path, child=child)
    assert killed == (2 if child else 1)
    assert not lives(pid)


def test_other_children_are_left_alone(tmp_path: Path) -> None:
    """What ran before, a served application, and what orphans it makes, stays."""
    served = tmp_path / "served"
    code = DAEMON.replace("CHILD", "False")
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    orphan = 0
    try:
        with Adoption({"MARK": "mine"}) as left:
            subprocess.run(
                [sys.executable, "-c", code, str(served)], check=True, env={"MARK": "no"}
            )
            orphan = int(served.read_text())
        assert left.killed == 0
        assert other.poll() is None
        assert lives(orphan)
        assert run(tmp_path)[0] == 1  # the command's own still go
        assert lives(orphan)
    finally:
        other.kill()
        other.wait()
        if orphan:
            subprocess.run(["kill", "-9", str(orphan)], check=False)


def test_a_command_that_leaves_nothing_costs_nothing(tmp_path: Path) -> None:
    """Nothing is killed, and no child of this process is reaped by mistake."""
    other = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
    with Adoption({"MARK": "mine"}) as left:
        run_command(
            [sys.executable, "-c", ""],
            cwd=tmp_path,
            environ={},
            timeout=60,
            keep=lambda _printed: None,
        )
        time.sleep(0)
    assert left.killed == 0
    assert other.wait(60) == 7
