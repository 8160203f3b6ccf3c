"""The group of processes that a command leads: asked to stop, killed, and told from others."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

from pytest_pixelloop.process.process_table import (
    environment_of,
    group_of,
    parent_of,
    process_identity,
    process_ids,
    process_runs,
)

_DYING = 2.0
"""Seconds that the kernel is given to take a killed process off a processor."""
_STEP = 0.005


def ask_group_to_stop(pid: int) -> None:
    """Send SIGTERM to the process group that *pid* leads."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGTERM)


def kill_group(pid: int) -> None:
    """Kill the process group that *pid* leads: children that outlive the command, too.

    Returns when none of them runs any more: the signal alone leaves a busy machine time for one
    more write.
    """
    if sys.platform == "win32":
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(pid)],  # noqa: S607 - a Windows system program
            check=False,
            capture_output=True,
        )
        return
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
    deadline = time.monotonic() + _DYING
    while group_runs(pid) and time.monotonic() < deadline:
        time.sleep(_STEP)


def await_reaping(pid: int, *, timeout: float) -> None:
    """Return when nothing is left of the group that *pid* led, or when the time is up.

    An orphan that was killed keeps its number until the init process has reaped it, or this one,
    where it was adopted during a fix; dev servers that look for another of their kind take it for
    one that runs. The leader has to be reaped before.
    """
    if sys.platform == "win32":
        return
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-pid, os.WNOHANG)[0]:
                pass
        try:
            os.killpg(pid, 0)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(_STEP)


def group_runs(pid: int) -> bool:
    """Tell whether a process of the group that *pid* leads runs; the unreaped do not.

    Without /proc nothing but the unreaped leader can be told from one that runs: False then.
    """
    try:
        os.killpg(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return any(group_of(each) == pid and process_runs(each) for each in process_ids())


def kill_orphan(pid: int, *, identity: str) -> bool:
    """Kill a command that a killed process left running; tell whether there was one.

    Only when *identity* proves that the process is the one that was started then: a fixer would go
    on editing the sources while the next one does, too, and a server would keep its port.
    """
    if not identity or process_identity(pid) != identity:
        return False
    kill_group(pid)
    return True


def kill_marked(name: str, value: str) -> bool:
    """Kill every process that was started with *name* set to *value*; tell whether there was one.

    A process that was killed between starting a command and writing down its number leaves one that
    nobody knows, and a command may leave its group. On Linux, of processes of the same user; this
    process and those that it descends from are spared.
    """
    mark = os.fsencode(f"{name}={value}")
    spared, pid = set(), os.getpid()
    while pid > 1 and pid not in spared:
        spared.add(pid)
        pid = parent_of(pid)
    found = False
    for each in process_ids():
        if each in spared or mark not in environment_of(each) or not process_runs(each):
            continue
        with contextlib.suppress(OSError):
            os.kill(each, signal.SIGKILL)
            found = True
    return found
