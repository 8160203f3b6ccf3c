"""What a command leaves behind: adopted while it runs, and killed when it is over (Linux).

A process that opens a session of its own leaves the command's group, and when its parent ends it
belongs to init: nobody could tell it from any other. While a command runs here, such orphans come
to this process instead.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Self

from pytest_pixelloop.process.process_table import (
    children_of,
    command_line_of,
    environment_of,
    process_identity,
    process_runs,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

_SET_CHILD_SUBREAPER = 36
_ROUNDS = 50
_PAUSE = 0.01
#: A child of this process that has processes of its own and never hands one on to init.
_DRIVER = b"run-driver"


class Adoption:
    """While it lasts, orphans below this process become its children; at its end they are killed.

    ``killed`` is how many there were; by then the command itself is gone already.
    ``marks`` are variables that the command is started with. Where this process has other children
    (a served application), only orphans that still carry all of them are the command's; else every
    orphan is. On other systems than Linux nothing is adopted.
    """

    def __init__(self, marks: Mapping[str, str]) -> None:
        self._marks = {f"{name}={value}".encode() for name, value in marks.items()}
        self._before: dict[int, str] = {}
        self._alone = True
        self._on = False
        self._killed: set[int] = set()

    @property
    def killed(self) -> int:
        """How many processes the command had left running."""
        return len(self._killed)

    def __enter__(self) -> Self:
        self._on = _subreaper(on=True)
        if self._on:
            self._before = {pid: process_identity(pid) for pid in children_of(os.getpid())}
            self._alone = all(_DRIVER in command_line_of(pid) for pid in self._before)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._on:
            self._kill()
            _subreaper(on=False)

    def _kill(self) -> None:
        """Kill what the command has left, whatever it started in turn."""
        for _ in range(_ROUNDS):
            found = [pid for pid in children_of(os.getpid()) if self._is_left(pid)]
            if not found:
                break
            for pid in (each for top in found for each in (top, *_below(top))):
                if process_runs(pid):
                    self._killed.add(pid)
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            for pid in found:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(_PAUSE)

    def _is_left(self, pid: int) -> bool:
        if pid in self._before and process_identity(pid) == self._before[pid]:
            return False
        return self._alone or self._marks <= environment_of(pid)


def _subreaper(*, on: bool) -> bool:
    """Let orphans below this process come to it, or go to init again; tell whether that is so."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - Linux only

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return bool(libc.prctl(_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _below(pid: int) -> list[int]:
    """Return all processes below *pid*."""
    found = children_of(pid)
    for child in found:
        found += children_of(child)
    return found
