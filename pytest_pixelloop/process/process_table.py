"""The processes of this machine as Linux's /proc tells of them; elsewhere there are none to see."""

from __future__ import annotations

from pathlib import Path

_ENDED = frozenset({"Z", "X"})
_NONE = "0"


def process_ids() -> list[int]:
    """Return the ids of all processes, in order."""
    return sorted(int(entry.name) for entry in Path("/proc").glob("[0-9]*"))


def children_of(pid: int) -> list[int]:
    """Return the processes whose parent is *pid*, in order."""
    return [child for child in process_ids() if parent_of(child) == pid]


def parent_of(pid: int) -> int:
    """Return the parent of a process, 0 where it cannot be told."""
    return int(_word(pid, 1))


def group_of(pid: int) -> int:
    """Return the id of the group that a process is in, 0 where it cannot be told."""
    return int(_word(pid, 2))


def process_runs(pid: int) -> bool:
    """Tell whether a process is there and does not only wait to be reaped."""
    return _word(pid, 0) not in {*_ENDED, _NONE}


def process_identity(pid: int) -> str:
    """Return what tells this process from a later one with the same id; "" where unknown.

    On Linux the time it was started.
    """
    word = _word(pid, 19)
    return "" if word == _NONE else word


def process_lives(pid: int, *, identity: str) -> bool:
    """Tell whether the process with that *identity* runs, and does not only wait to be reaped."""
    return bool(identity) and process_identity(pid) == identity and process_runs(pid)


def command_line_of(pid: int) -> bytes:
    """Return the words a process was started with, ended by zero bytes; nothing where unknown."""
    return _read(pid, "cmdline")


def environment_of(pid: int) -> frozenset[bytes]:
    """Return the ``NAME=value`` that a process was started with; none of another user's."""
    return frozenset(_read(pid, "environ").split(b"\0"))


def _word(pid: int, number: int) -> str:
    """Return a word of /proc/PID/stat, counted behind the name; "0" where there is none."""
    words = _read(pid, "stat").rpartition(b")")[2].decode("ascii", "replace").split()
    return words[number] if number < len(words) else _NONE


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
