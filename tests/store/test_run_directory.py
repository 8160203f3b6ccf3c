"""The run directory: ids without races, names without collisions."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop import __version__
from pytest_pixelloop.core.errors import ConfigurationError, PixelloopError
from pytest_pixelloop.core.measurement import LoopSettings
from pytest_pixelloop.core.records import Kind, session_record
from pytest_pixelloop.core.tolerance import IterationCap
from pytest_pixelloop.store.ledger_file import append_record
from pytest_pixelloop.store.run_directory import (
    LEDGER_NAME,
    check_run_id,
    latest_run_id,
    open_run,
    read_run_json,
    slug_of,
)

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def test_new_runs_of_one_minute_are_numbered(tmp_path: Path) -> None:
    """The first run of a minute has the plain id, the next ones -2, -3."""
    ids = [open_run(tmp_path, now=NOW).run_id for _ in range(3)]
    assert ids == ["20260304-0506", "20260304-0506-2", "20260304-0506-3"]


def test_processes_that_start_together_get_different_runs(tmp_path: Path) -> None:
    """Taking a run id is one exclusive mkdir: no two processes share a run by accident."""
    code = (
        "import sys; from datetime import datetime; from pathlib import Path\n"
        "from pytest_pixelloop.store.run_directory import open_run\n"
        "sys.stdin.readline()\n"
        "now = datetime(2026, 3, 4, 5, 6)\n"
        "print([open_run(Path(sys.argv[1]), now=now).run_id for _ in range(20)])\n"
    )
    argv = [sys.executable, "-c", code, str(tmp_path)]
    pipe = subprocess.PIPE
    racers = [subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True) for _ in range(3)]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    ids = [i for racer in racers for i in eval(racer.communicate()[0])]
    assert len(set(ids)) == 60


def test_a_given_id_is_opened_again_and_keeps_its_identity(tmp_path: Path) -> None:
    """A resumed run keeps run.json as it was; the latest run is the one opened last."""
    run = open_run(tmp_path, "mine", now=NOW)
    other = open_run(tmp_path, now=NOW)
    assert latest_run_id(tmp_path) == other.run_id
    again = open_run(tmp_path, "mine", now=NOW.replace(year=2027))
    assert again == run
    assert read_run_json(again) == {
        "schema_version": 1,
        "run_id": "mine",
        "started": "2026-03-04T05:06:07+00:00",
        "version": __version__,
    }
    assert latest_run_id(tmp_path) == "mine"


@pytest.mark.parametrize(
    "run_id",
    ["", ".", "..", "../x", "a/b", "a\\b", "/etc", "C:", "a b", "a\n", "-x", "a.", "con", "NUL.txt",
     "x" * 81, "ä", "a\0b", "~", "*", "COM1"],
)  # fmt: skip
def test_a_run_id_that_is_no_plain_name_is_refused(tmp_path: Path, run_id: str) -> None:
    """No run id leads out of the run directory or to a name that some system refuses."""
    with pytest.raises(ConfigurationError, match="run id"):
        open_run(tmp_path, run_id, now=NOW)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("run_id", ["20260304-0506-2", "build_1.2", "A", "x" * 80, "console"])
def test_plain_names_are_run_ids(run_id: str) -> None:
    """Dates, build numbers and words may name a run."""
    check_run_id(run_id)


@pytest.mark.parametrize("text", [None, "", "../..", "gone\n", "\xff"])
def test_a_pointer_to_no_run_points_nowhere(tmp_path: Path, text: str | None) -> None:
    """A missing, broken or stale ``latest`` is no run, and no error."""
    if text is not None:
        (tmp_path / "latest").write_bytes(text.encode("latin-1"))
    assert latest_run_id(tmp_path) is None


@settings(deadline=None)
@given(st.text(), st.text())
def test_slugs_are_safe_short_and_unique(first: str, second: str) -> None:
    """A folder name is ASCII, bounded, no device name, and differs for different tests."""
    slug = slug_of(first)
    assert slug.isascii()
    assert 1 <= len(slug) <= 80
    assert not set(slug) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    assert (slug_of(second).lower() == slug.lower()) == (first == second)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("t.py::test_a[x/y]", "t.py::test_a[x:y]"),
        ("t.py::test_a", "t.py::test_A"),
        ("t.py::test[" + "x" * 500 + "1]", "t.py::test[" + "x" * 500 + "2]"),
        ("t.py::test[ä]", "t.py::test[ö]"),
        ("con", "CON"),
    ],
)
def test_tests_that_read_alike_have_folders_of_their_own(
    tmp_path: Path, left: str, right: str
) -> None:
    """Ids that differ only in unsafe characters, case or beyond the length never collide."""
    run = open_run(tmp_path, now=NOW)
    folders = {run.test_folder(left), run.test_folder(right)}
    assert len({f.name.lower() for f in folders}) == 2
    assert all(f.is_dir() for f in folders)
    assert run.test_folder(left) in folders


def test_a_readable_part_of_the_id_is_kept() -> None:
    """The folder of a test can be found by eye."""
    assert slug_of("tests/test_shop.py::test_checkout[dark]").startswith(
        "tests-test_shop-test_checkout-dark-"
    )


def test_histories_are_folded_from_the_ledgers_of_the_tests(tmp_path: Path) -> None:
    """Each test's history is read back from disk, sorted by test id."""
    run = open_run(tmp_path, now=NOW)
    settings = LoopSettings(looping=True, cap=IterationCap(value=6, source="default"))
    for test_id in ("b", "a"):
        start = session_record(
            Kind.START, at=0.0, run_id="r", test_id=test_id, settings=settings, goalposts={}
        )
        append_record(run.test_folder(test_id) / LEDGER_NAME, start)
    run.test_folder("c")
    assert [history.test_id for _folder, history in run.histories()] == ["a", "b"]


def test_the_folder_keeps_itself_out_of_git(tmp_path: Path) -> None:
    """A project that forgot to ignore .pixelloop does not commit measurements."""
    open_run(tmp_path / ".pixelloop", now=NOW)
    assert (tmp_path / ".pixelloop" / ".gitignore").read_text() == "*\n"


def test_a_place_that_cannot_hold_a_run_is_a_clear_error(tmp_path: Path) -> None:
    """A file in the way is told with its path and the way out."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(PixelloopError, match="pixelloop_dir"):
        open_run(tmp_path / "file", now=NOW)


def test_a_broken_run_json_is_no_identity(tmp_path: Path) -> None:
    """Unreadable JSON gives nothing instead of an exception."""
    run = open_run(tmp_path, now=NOW)
    assert json.loads((run.path / "run.json").read_text())["run_id"] == run.run_id
    (run.path / "run.json").write_text("[")
    assert read_run_json(run) == {}
