"""The ledger on disk: appended one whole line at a time, and honest about a torn last one."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.core.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    """What a ledger's bytes hold: ``whole`` counts the bytes up to the end of the last record."""

    records: tuple[dict[str, Any], ...]
    whole: int
    terminated: bool


def read_records(path: Path) -> tuple[dict[str, Any], ...]:
    """Return the records of the ledger, oldest first; () when there is no file.

    A torn last line, from a process that was killed while it wrote, is left out: that record
    never counted. Raises LedgerError for a line in the middle that is no record.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise _trouble("cannot be read", path, error) from error
    return _parse(data, path).records


def append_record(path: Path, record: Mapping[str, Any]) -> None:
    """Add one record as the last line; it is on the disk when this returns.

    Raises LedgerError as LedgerFile does.
    """
    with LedgerFile(path) as ledger:
        ledger.append(record)


class LedgerFile:
    """The one writer of a ledger, from construction to close().

    Opening cuts off a torn last line, so that the next record never glues to it. Where the
    platform has advisory locks, a second writer is refused. Raises LedgerError when the file
    cannot be opened, is being written by another process, or holds a broken line in the middle;
    nothing is changed then.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor: int | None = os.open(path, flags, 0o666)
        except OSError as error:
            raise _trouble("cannot be opened", path, error) from error
        try:
            self._lock(self._descriptor)
            self._records = list(self._mend(self._descriptor))
        except BaseException:
            self.close()
            raise

    @property
    def records(self) -> tuple[dict[str, Any], ...]:
        """The records in the file, oldest first."""
        return tuple(self._records)

    def append(self, record: Mapping[str, Any]) -> None:
        """Add one record as the last line; it is on the disk when this returns.

        Where the disk refuses (full, quota), the file is as before and LedgerError is raised.
        """
        if self._descriptor is None:
            raise LedgerError("the ledger is closed", where=str(self._path))
        line = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
        before = os.fstat(self._descriptor).st_size
        try:
            _write_all(self._descriptor, line.encode("ascii"))
            os.fsync(self._descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, before)
            raise _trouble("cannot be written", self._path, error) from error
        self._records.append(json.loads(line))

    def close(self) -> None:
        """Let go of the file; another process may write it then. Idempotent."""
        if self._descriptor is not None:
            os.close(self._descriptor)  # gives the lock back too
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def _lock(self, descriptor: int) -> None:
        if sys.platform == "win32":
            return  # its locks are mandatory and would lock out readers
        import fcntl  # noqa: PLC0415 - POSIX only

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LedgerError(
                "this test of this run is being looped by another process",
                where=str(self._path),
                expected="one process at a time for one test of a run",
                next_step="wait for it, or start a new run (leave --run-id away)",
            ) from error
        except OSError:
            return  # a file system without locks

    def _mend(self, descriptor: int) -> tuple[dict[str, Any], ...]:
        """Return the records; cut off a torn last line, or end a whole one that lacks its end."""
        try:
            parsed = _parse(self._path.read_bytes(), self._path)
            if os.fstat(descriptor).st_size > parsed.whole:
                os.ftruncate(descriptor, parsed.whole)
            if not parsed.terminated:
                _write_all(descriptor, b"\n")
        except OSError as error:
            raise _trouble("cannot be mended", self._path, error) from error
        return parsed.records


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _parse(data: bytes, path: Path) -> _Parsed:
    records: list[dict[str, Any]] = []
    lines = data.split(b"\n")
    last = max((n for n, line in enumerate(lines) if line.strip()), default=-1)
    offset = 0
    for number, line in enumerate(lines[: last + 1]):
        record = _record(line)
        if record is None and number < last and line.strip():
            raise LedgerError(
                f"line {number + 1} of the ledger is no record",
                where=str(path),
                expected="one JSON object in each line; only the last line may be torn",
                next_step="restore the file, or start a new run (leave --run-id away)",
            )
        if record is None and number == last:
            return _Parsed(records=tuple(records), whole=offset, terminated=True)
        if record is not None:
            records.append(record)
        offset += len(line) + 1
    whole = min(offset, len(data)) if last >= 0 else 0
    return _Parsed(records=tuple(records), whole=whole, terminated=offset == whole)


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _trouble(what: str, path: Path, error: OSError) -> LedgerError:
    return LedgerError(
        f"the ledger {what}: {error.strerror or error}",
        where=str(path),
        next_step="check free space and permissions of the run directory",
    )
