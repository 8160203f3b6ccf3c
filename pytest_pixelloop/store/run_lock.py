"""Who works on a run: one session at a time, told by name to the one that comes second."""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.core.errors import ConfigurationError, PixelloopError
from pytest_pixelloop.store.file_lock import Holder, holder_in, this_process, try_lock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOCK_NAME = "lock"
LOCK_SCHEMA_VERSION = 1


class RunLock:
    """The hold of this session on a run, from construction to close().

    The workers of one session share it and take none of their own. ``left_by`` is a session that
    is gone without having let go: the system took its lock back, and this one has taken it over.
    Raises ConfigurationError that names the holder while another session has the run.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._path = folder / LOCK_NAME
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        try:
            self._stream = os.fdopen(os.open(self._path, flags, 0o666), "r+b", buffering=0)
        except OSError as error:
            raise PixelloopError(
                f"the lock of the run cannot be opened: {error.strerror or error}",
                where=str(self._path),
            ) from error
        held = try_lock(self._stream.fileno())
        holder = _holder(self._stream.read())
        if held is False or (held is None and holder is not None and holder.lives is not False):
            self._stream.close()
            raise _refusal(folder, holder, locks=held is not None)
        self.left_by = holder
        self._write(
            {"schema_version": LOCK_SCHEMA_VERSION, "process": this_process(), "since": clock()}
        )

    def close(self) -> None:
        """Let go of the run. Idempotent."""
        if not self._stream.closed:
            with contextlib.suppress(OSError):
                self._stream.truncate(0)
            self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def _write(self, record: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # who holds it is told; that it is held is not in doubt
            self._stream.truncate(0)
            self._stream.seek(0)
            self._stream.write(json.dumps(record).encode("ascii") + b"\n")


def holder_of(folder: Path) -> Holder | None:
    """Return who works on the run in *folder* at this moment, None when nobody does."""
    try:
        with (folder / LOCK_NAME).open("r+b", buffering=0) as stream:
            holder = _holder(stream.read())
            if holder is None or try_lock(stream.fileno()):
                return None
            return None if holder.lives is False else holder
    except OSError:
        return None


def _holder(data: bytes | None) -> Holder | None:
    try:
        record = json.loads(data or b"")
        return holder_in(record, since=float(record["since"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _refusal(folder: Path, holder: Holder | None, *, locks: bool) -> ConfigurationError:
    end = f"end it (process {holder.pid})" if holder else "end it"
    stale = "" if locks else f"; if it is gone, delete {folder / LOCK_NAME}"
    return ConfigurationError(
        f"the run {folder.name} is being worked on by another session"
        + (f": {holder.words}" if holder else ""),
        where=str(folder),
        expected="one session at a time for one run",
        next_step=f"wait for it, {end}, or start a new run (leave --run-id away){stale}",
    )
