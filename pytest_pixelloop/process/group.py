"""The group of processes that a command leads: asked to stop, killed, and told from others."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path


def ask_group_to_stop(pid: int) -> None:
    """Send SIGTERM to the process group that *pid* leads."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGTERM)


def kill_group(pid: int) -> None:
    """Kill the process group that *pid* leads: children that outlive the command, too."""
    if sys.platform == "win32":
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(pid)],  # noqa: S607 - a Windows system program
            check=False,
            capture_output=True,
        )
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def process_identity(pid: int) -> str:
    """Return what tells this process from a later one with the same id; "" where unknown.

    On Linux the time it was started, from /proc.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
        return stat.rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def kill_orphan(pid: int, *, identity: str) -> bool:
    """Kill a command that a killed process left running; tell whether there was one.

    Only when *identity* proves that the process is the one that was started then: a fixer would go
    on editing the sources while the next one does, too, and a server would keep its port.
    """
    if not identity or process_identity(pid) != identity:
        return False
    kill_group(pid)
    return True
