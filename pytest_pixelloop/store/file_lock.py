"""One writer for a file: a lock that the system takes back when its process is gone.

On POSIX systems an advisory ``flock``; on Windows one byte far behind the end of the file, because
locks there are mandatory and readers must not be locked out (as SQLite does it). What a process
holds is let go by the system when it ends, however it ends, so no lock outlives its holder.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Where the byte lies that is locked on Windows: no file of ours gets there.
FAR_BYTE = 1 << 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A process that holds something, as it wrote itself down. ``since`` is in clock seconds."""

    pid: int
    host: str
    since: float

    @property
    def words(self) -> str:
        """Who it is, for a message."""
        when = (
            datetime.fromtimestamp(self.since).astimezone().isoformat(sep=" ", timespec="seconds")
        )
        return f"process {self.pid} on {self.host}, since {when}"

    @property
    def lives(self) -> bool | None:
        """Whether the process is there; None where this machine cannot know."""
        if self.host != socket.gethostname() or sys.platform == "win32":
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
        return True


def holder_in(record: Mapping[str, Any], *, since: float) -> Holder | None:
    """Return the holder that a record's ``process`` names; None where it names none."""
    told = record.get("process")
    try:
        return Holder(pid=int(told["pid"]), host=str(told["host"]), since=since)  # type: ignore[index]
    except (KeyError, TypeError, ValueError):
        return None


def this_process() -> dict[str, Any]:
    """Return this process as records name it."""
    return {"pid": os.getpid(), "host": socket.gethostname()}


def try_lock(descriptor: int) -> bool | None:
    """Lock the file for writing; False when another process has it, None when nobody can.

    The lock goes with the last descriptor of this opening of the file. None is a file system
    without locks.
    """
    if sys.platform == "win32":
        return _try_lock_windows(descriptor)
    import fcntl  # noqa: PLC0415 - POSIX only

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _try_lock_windows(descriptor: int) -> bool | None:
    import errno  # noqa: PLC0415
    import importlib  # noqa: PLC0415

    msvcrt: Any = importlib.import_module("msvcrt")
    here = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        os.lseek(descriptor, FAR_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        return False if error.errno in {errno.EACCES, errno.EDEADLK} else None
    finally:
        with contextlib.suppress(OSError):
            os.lseek(descriptor, here, os.SEEK_SET)
    return True
