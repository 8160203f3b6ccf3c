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
    words = _stat(pid)
    return words[19] if len(words) > 19 else ""


def process_lives(pid: int, *, identity: str) -> bool:
    """Tell whether the process with that *identity* runs, and does not only wait to be reaped."""
    words = _stat(pid)
    return len(words) > 19 and words[19] == identity and words[0] not in {"Z", "X"}


def _stat(pid: int) -> list[str]:
    """Return the words of /proc/PID/stat behind the name, the state first; none without one."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def kill_orphan(pid: int, *, identity: str) -> bool:
    """Kill a command that a killed process left running; tell whether there was one.

    Only when *identity* proves that the process is the one that was started then: a fixer would go
    on editing the sources while the next one does, too, and a server would keep its port.
    """
    if not identity or process_identity(pid) != identity:
        return False
    kill_group(pid)
    return True
