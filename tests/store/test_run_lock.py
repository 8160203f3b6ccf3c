"""Who works on a run: refused by name, taken over from the dead, with and without locks."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import types
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.core.errors import ConfigurationError, LedgerError
from pytest_pixelloop.store import file_lock
from pytest_pixelloop.store.file_lock import FAR_BYTE, this_process, try_lock
from pytest_pixelloop.store.ledger_file import LedgerFile
from pytest_pixelloop.store.run_directory import existing_run, open_run, run_of_session
from pytest_pixelloop.store.run_lock import RunLock, holder_of

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
HOLD = (
    "import sys, pathlib\n"
    "from pytest_pixelloop.store.run_lock import RunLock\n"
    "lock = RunLock(pathlib.Path(sys.argv[1]), clock=lambda: 1000.0)\n"
    "print('held', flush=True)\n"
    "sys.stdin.read()\n"
)


def holder(folder: Path) -> subprocess.Popen[str]:
    """Return a process that holds the run, once it does."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_session_is_told_who_holds_the_run(tmp_path: Path) -> None:
    """The refusal names the process, since when, and what to do; the holder is not disturbed."""
    process = holder(tmp_path)
    try:
        with pytest.raises(ConfigurationError) as caught:
            RunLock(tmp_path)
        text = str(caught.value)
        assert f"process {process.pid} on " in text
        assert ", since 1970-01-01" in text
        assert "leave --run-id away" in text
        seen = holder_of(tmp_path)
        assert seen is not None
        assert seen.pid == process.pid
    finally:
        process.communicate("")
    assert holder_of(tmp_path) is None


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_the_lock_of_a_killed_session_is_taken_over(tmp_path: Path) -> None:
    """No lock outlives its process, and the next session can say who left the run."""
    process = holder(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with RunLock(tmp_path) as lock:
        assert lock.left_by is not None
        assert lock.left_by.pid == process.pid
    with RunLock(tmp_path) as lock:
        assert lock.left_by is None, "who let go has not left it"


@pytest.mark.parametrize(("host", "refused"), [("elsewhere", True), (None, False)])
def test_without_locks_only_a_process_that_may_live_holds_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str | None, *, refused: bool
) -> None:
    """Where files cannot be locked, a dead process here holds nothing; one elsewhere may live."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    monkeypatch.setattr("pytest_pixelloop.store.run_lock.try_lock", lambda _descriptor: None)
    told = {"pid": gone.pid, "host": host or this_process()["host"]}
    monkeypatch.setattr("pytest_pixelloop.store.run_lock.this_process", lambda: told)
    first = RunLock(tmp_path)
    if refused:
        with pytest.raises(ConfigurationError, match="if it is gone, delete"):
            RunLock(tmp_path)
    else:
        RunLock(tmp_path).close()
    first.close()


def test_windows_locks_a_byte_that_no_reader_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The far byte is locked and the position put back; a taken one is refused."""
    taken: list[int] = []

    def locking(descriptor: int, mode: int, count: int) -> None:
        assert (mode, count) == (2, 1)
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        if place in taken:
            raise OSError(errno.EACCES, "taken")
        taken.append(place)

    fake = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    monkeypatch.setattr(file_lock, "sys", types.SimpleNamespace(platform="win32"))
    path = tmp_path / "file"
    path.write_bytes(b"data")
    with path.open("r+b", buffering=0) as stream:
        stream.seek(2)
        assert try_lock(stream.fileno()) is True
        assert stream.tell() == 2
        assert try_lock(stream.fileno()) is False
    assert taken == [FAR_BYTE]


def test_a_second_writer_of_a_ledger_is_told_who_the_first_is(tmp_path: Path) -> None:
    """The process that began the loop is named, with the time of its start."""
    path = tmp_path / "ledger.jsonl"
    with LedgerFile(path) as ledger:
        ledger.append({"kind": "start", "at": 1000.0, "process": this_process()})
        with pytest.raises(LedgerError, match=rf"process {os.getpid()} on .*, since 1970-01-01"):
            LedgerFile(path)


def test_processes_of_one_session_share_one_run(tmp_path: Path) -> None:
    """Whoever comes first makes the run; another session of the same minute has its own."""
    code = (
        "import sys\nfrom datetime import UTC, datetime\nfrom pathlib import Path\n"
        "from pytest_pixelloop.store.run_directory import open_run\n"
        "now = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)\n"
        "for n in range(20):\n"
        "    print(open_run(Path(sys.argv[1]), now=now, session=f's{n}').run_id)\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    told = [process.communicate()[0].split() for process in processes]
    assert told[0] == told[1] == told[2]
    assert len(set(told[0])) == 20
    assert {p.name for p in (tmp_path / "runs").iterdir()} == set(told[0])
    found = run_of_session(tmp_path, now=NOW, session="s7")
    assert found is not None
    assert found.run_id == told[0][7]
    assert run_of_session(tmp_path, now=NOW, session="never") is None


def test_a_run_is_named_by_id_by_folder_or_as_the_last(tmp_path: Path) -> None:
    """Commands find a run by each of its names, and say which names there are."""
    run = open_run(tmp_path, "first", now=NOW)
    other = open_run(tmp_path, "second", now=NOW)
    assert existing_run(tmp_path, "first").path == run.path
    assert existing_run(tmp_path, "last").path == other.path
    assert existing_run(tmp_path).path == other.path
    away = tmp_path / "away" / "part"
    away.parent.mkdir()
    run.path.rename(away)
    found = existing_run(tmp_path, str(away))
    assert (found.run_id, found.path) == ("first", away)
    for word in ("first", "no/such", str(tmp_path)):
        with pytest.raises(ConfigurationError):
            existing_run(tmp_path, word)
