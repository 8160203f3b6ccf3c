"""The ledger on disk: appended one whole line at a time, and honest about a torn last one."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.core.errors import LedgerError
from pytest_pixelloop.core.ledger_chain import LINK, last_link, link_of
from pytest_pixelloop.store.file_lock import Holder, holder_in, try_lock

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


def torn_bytes(path: Path) -> int:
    """Return how many bytes at the end of the ledger are no whole record. Raises LedgerError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _trouble("cannot be read", path, error) from error
    return len(data) - _parse(data, path).whole


def append_record(path: Path, record: Mapping[str, Any]) -> None:
    """Add one record as the last line; it is on the disk when this returns.

    Raises LedgerError as LedgerFile does.
    """
    with LedgerFile(path) as ledger:
        ledger.append(record)


class LedgerFile:
    """The one writer of a ledger, from construction to close().

    Opening cuts off a torn last line, so that the next record never glues to it. Where the
    file system has locks, a second writer is refused and told who the first is. Raises LedgerError
    when the file cannot be opened, is being written by another process, or holds a broken line in
    the middle; nothing is changed then. The records of a ``linked`` ledger carry a chain of hashes;
    one that has it goes on with it.

    What the file must hold is kept in memory. Before each record the file is looked at: where
    somebody else changed or took it away, it is written again, what stood there is kept beside it,
    and ``forged`` tells so.
    """

    def __init__(self, path: Path, *, linked: bool = False) -> None:
        self._path = path
        self._linked = linked
        self._forged: list[str] = []
        self._descriptor: int | None = None
        self._descriptor = self._open()
        try:
            self._lock(self._descriptor)
            self._records = list(self._mend(self._descriptor))
            self._held: bytes | None = path.read_bytes()
        except BaseException:
            self.close()
            raise

    @property
    def forged(self) -> tuple[str, ...]:
        """What somebody else did to the file while it was open, in words, oldest first."""
        return tuple(self._forged)

    @property
    def records(self) -> tuple[dict[str, Any], ...]:
        """The records in the file, oldest first."""
        return tuple(self._records)

    def append(self, record: Mapping[str, Any]) -> None:
        """Add one record as the last line; it is on the disk when this returns.

        Where the disk refuses (full, quota), the file is as before and LedgerError is raised.
        """
        self.restore()
        if self._descriptor is None:
            raise LedgerError("the ledger is closed", where=str(self._path))
        after = last_link(self._records)
        if self._linked or after:
            record = {**record, LINK: link_of(record, after=after)}
        line = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
        before = os.fstat(self._descriptor).st_size
        try:
            _write_all(self._descriptor, line.encode("ascii"))
            os.fsync(self._descriptor)
        except OSError as error:
            try:
                os.ftruncate(self._descriptor, before)
            except OSError:
                self._held = None  # a half line of our own is no forgery
            raise _trouble("cannot be written", self._path, error) from error
        self._records.append(json.loads(line))
        if self._held is not None:
            self._held += line.encode("ascii")

    def restore(self) -> None:
        """See to it that the file is what this writer left; where it was not, ``forged`` tells.

        Nothing is lost: what somebody else put there is renamed to ``<name>.forged-N``.
        """
        if self._descriptor is None or self._held is None:
            return
        what = _difference(self._path, self._descriptor, self._held)
        if what is None:
            return
        self._forged.append(f"{self._path.name} {what}")
        try:
            _put_aside(self._path)
            old, self._descriptor = self._descriptor, self._open()
            os.close(old)
            self._lock(self._descriptor)
            _write_all(self._descriptor, self._held)
            os.fsync(self._descriptor)
        except OSError as error:
            raise _trouble("was taken away and cannot be written", self._path, error) from error

    def close(self) -> None:
        """Let go of the file; another process may write it then. Idempotent."""
        if self._descriptor is not None:
            os.close(self._descriptor)  # gives the lock back too
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._path, flags, 0o666)
        except OSError as error:
            raise _trouble("cannot be opened", self._path, error) from error

    def _lock(self, descriptor: int) -> None:
        held = try_lock(descriptor)
        if held:
            return
        holder = self._holder()
        # Without locks a writer that is gone, or that ended its loop, holds nothing.
        if held is None and (holder is None or not holder.lives or holder.pid == os.getpid()):
            return
        raise LedgerError(
            "this test of this run is being looped by another process"
            + (f": {holder.words}" if holder else ""),
            where=str(self._path),
            expected="one process at a time for one test of a run",
            next_step="wait for it, or start a new run (leave --run-id away)",
        )

    def _holder(self) -> Holder | None:
        """Return the process that wrote the last start and no end after it."""
        try:
            records = _parse(self._path.read_bytes(), self._path).records
            if records and records[-1].get("kind") == "ended":
                return None
            told: dict[str, Any] = next((r for r in reversed(records) if r.get("process")), {})
            return holder_in(told, since=float(told["at"]))
        except (OSError, LedgerError, KeyError, TypeError, ValueError):
            return None

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


def _difference(path: Path, descriptor: int, held: bytes) -> str | None:
    """Return what became of the file behind *path*, None where it is as it was left."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            return "was replaced by something else"
        with path.open("rb") as stream:
            there = stream.read(len(held) + 1)
    except OSError:
        return "was taken away"
    if status.st_ino and not os.path.samestat(status, os.fstat(descriptor)):
        return "was replaced by another file"
    if there == held:
        return None
    if held.startswith(there):
        return "was cut off"
    return "was added to" if there.startswith(held) else "was edited"


def _put_aside(path: Path) -> None:
    """Rename what is at *path*, if anything is, to the first free ``<name>.forged-N``."""
    if not os.path.lexists(path):
        return
    number = 1
    while os.path.lexists(path.with_name(f"{path.name}.forged-{number}")):
        number += 1
    path.replace(path.with_name(f"{path.name}.forged-{number}"))


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
