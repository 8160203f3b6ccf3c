"""The ledger on disk: whole lines, torn ends, one writer."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.errors import LedgerError
from pytest_pixelloop.core.ledger_chain import broken_links
from pytest_pixelloop.store.ledger_file import LedgerFile, append_record, read_records

if TYPE_CHECKING:
    from pathlib import Path

FIRST = {"schema_version": 1, "kind": "start", "name": "Größe\u2028\n"}
SECOND = {"schema_version": 1, "kind": "measured", "score": 1.5}


def line(record: dict[str, Any]) -> bytes:
    """Return a record as the ledger writes it."""
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def test_records_come_back_in_order(tmp_path: Path) -> None:
    """What is appended is read again, one line each, whatever the text holds."""
    path = tmp_path / "deep" / "ledger.jsonl"
    append_record(path, FIRST)
    append_record(path, SECOND)
    assert read_records(path) == (FIRST, SECOND)
    assert path.read_bytes().count(b"\n") == 2
    assert path.read_bytes().isascii()


def test_no_file_is_no_record(tmp_path: Path) -> None:
    """Reading a ledger that was never begun gives nothing and makes nothing."""
    assert read_records(tmp_path / "ledger.jsonl") == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "tail",
    [b"{", b'{"schema_version":1,"ki', line(SECOND)[:-2], b"\0\0\0\0", b'{"a":1}{"b":2}', b"12",
     b"\xff\xfe", b'"text"\n', b"\0\0}\n"],
)  # fmt: skip
def test_a_torn_last_line_is_left_out_and_cut_off_before_the_next(
    tmp_path: Path, tail: bytes
) -> None:
    """A torn end never counts as a record and never glues to the next one."""
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line(FIRST) + tail)
    assert read_records(path) == (FIRST,)
    append_record(path, SECOND)
    assert path.read_bytes() == line(FIRST) + line(SECOND)


def test_a_whole_last_line_without_its_end_counts_and_is_ended(tmp_path: Path) -> None:
    """A record that lacks only its newline is kept, for readers as for writers."""
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line(FIRST)[:-1])
    assert read_records(path) == (FIRST,)
    append_record(path, SECOND)
    assert path.read_bytes() == line(FIRST) + line(SECOND)


@pytest.mark.parametrize("middle", [b'{"torn": \n', b"\xff\n", b"[]\n", b"nonsense\n"])
def test_a_broken_line_in_the_middle_is_an_error_and_changes_nothing(
    tmp_path: Path, middle: bytes
) -> None:
    """What cannot be a torn end is told by line number, and the file stays as it is."""
    path = tmp_path / "ledger.jsonl"
    data = line(FIRST) + middle + line(SECOND)
    path.write_bytes(data)
    with pytest.raises(LedgerError, match="line 2 of the ledger is no record"):
        read_records(path)
    with pytest.raises(LedgerError, match="line 2 of the ledger is no record"):
        append_record(path, SECOND)
    assert path.read_bytes() == data


def test_blank_lines_are_no_records_and_no_error(tmp_path: Path) -> None:
    """An editor's blank line does no harm."""
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line(FIRST) + b"\n" + line(SECOND) + b"\n \n")
    assert read_records(path) == (FIRST, SECOND)
    append_record(path, FIRST)
    assert read_records(path) == (FIRST, SECOND, FIRST)


@given(cut=st.integers(min_value=0))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cut_anywhere_a_ledger_holds_every_whole_record(tmp_path: Path, cut: int) -> None:
    """Any prefix of a ledger's bytes reads as the records that are whole in it."""
    data = b"".join(line({"n": n, "text": "x" * n}) for n in range(6))
    part = data[: cut % (len(data) + 1)]
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(part)
    whole = part.count(b"\n") + (1 if part and data[len(part) : len(part) + 1] == b"\n" else 0)
    read = read_records(path)
    assert [r["n"] for r in read] == list(range(whole))
    append_record(path, {"n": 99})
    assert read_records(path) == (*read, {"n": 99})


def test_a_full_disk_leaves_the_ledger_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that the disk refuses half way is taken back and told."""
    path = tmp_path / "ledger.jsonl"
    append_record(path, FIRST)
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 10:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, bytes(data)[: len(data) // 2])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(LedgerError, match="No space left on device"):
        append_record(path, SECOND)
    monkeypatch.undo()
    assert path.read_bytes() == line(FIRST)


def test_a_number_that_json_cannot_hold_is_refused_before_it_is_written(tmp_path: Path) -> None:
    """NaN is no JSON: nothing of the record reaches the file."""
    path = tmp_path / "ledger.jsonl"
    with pytest.raises(ValueError, match="JSON"):
        append_record(path, {"score": float("nan")})
    assert read_records(path) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="advisory locks are POSIX only")
def test_a_second_writer_is_refused_and_readers_are_not(tmp_path: Path) -> None:
    """One process loops a test of a run; another one is told to wait or start a new run."""
    path = tmp_path / "ledger.jsonl"
    with LedgerFile(path) as ledger:
        ledger.append(FIRST)
        code = (
            "import sys; from pathlib import Path\n"
            "from pytest_pixelloop.store.ledger_file import append_record\n"
            "append_record(Path(sys.argv[1]), {})\n"
        )
        other = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
        )
        assert "is being looped by another process" in other.stderr
        assert read_records(path) == (FIRST,)
    append_record(path, SECOND)
    assert read_records(path) == (FIRST, SECOND)


def test_a_closed_ledger_takes_nothing(tmp_path: Path) -> None:
    """close() is idempotent, and append() afterwards is an error and no silent loss."""
    ledger = LedgerFile(tmp_path / "ledger.jsonl")
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerError, match="closed"):
        ledger.append(FIRST)


def test_a_folder_in_place_of_the_ledger_is_a_clear_error(tmp_path: Path) -> None:
    """What cannot be a ledger is told with its path."""
    (tmp_path / "ledger.jsonl").mkdir()
    with pytest.raises(LedgerError, match=r"ledger\.jsonl"):
        append_record(tmp_path / "ledger.jsonl", FIRST)
    with pytest.raises(LedgerError, match=r"ledger\.jsonl"):
        read_records(tmp_path / "ledger.jsonl")


def test_a_linked_ledger_shows_the_edit_of_any_record(tmp_path: Path) -> None:
    """A change in one record, or the loss of one, breaks the chain at that place."""
    path = tmp_path / "ledger.jsonl"
    with LedgerFile(path, linked=True) as ledger:
        for number in range(4):
            ledger.append({**SECOND, "number": number})
    append_record(path, {"kind": "later"})  # goes on with the chain by itself
    records = read_records(path)
    assert broken_links(records) == ()
    assert all(broken_links(records[:n]) == () for n in range(6))
    for number in range(4):
        edited = [dict(r) for r in records]
        edited[number]["score"] = 0.5
        assert broken_links(edited)[0].startswith(f"record {number + 1} ")
        assert broken_links([*records[:number], *records[number + 1 :]])
    assert broken_links([*records, {"kind": "ended"}])


def test_a_ledger_of_an_older_version_goes_on_linked(tmp_path: Path) -> None:
    """Records without a link are taken as they are; what follows them is linked."""
    path = tmp_path / "ledger.jsonl"
    append_record(path, FIRST)
    with LedgerFile(path, linked=True) as ledger:
        ledger.append(SECOND)
        assert ledger.forged == ()
    assert "link" not in read_records(path)[0]
    assert broken_links(read_records(path)) == ()


def test_a_ledger_that_is_taken_away_is_written_again(tmp_path: Path) -> None:
    """What the writer left is on disk after the next record, under the same lock."""
    path = tmp_path / "deep" / "ledger.jsonl"
    with LedgerFile(path) as ledger:
        ledger.append(FIRST)
        path.unlink()
        path.parent.rmdir()
        ledger.append(SECOND)
        assert read_records(path) == (FIRST, SECOND)
        assert ledger.forged == ("ledger.jsonl was taken away",)
        if sys.platform != "win32":
            with pytest.raises(LedgerError, match="another process"):
                LedgerFile(path)
