"""Atomic files: the old one or the new one, whatever happens in between."""

from __future__ import annotations

import json
import math
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.store.atomic import (
    is_temporary,
    write_bytes_atomic,
    write_json,
    write_text_atomic,
)


def test_a_write_makes_folders_and_leaves_only_the_file(tmp_path: Path) -> None:
    """The bytes are there under their name, and nothing else is."""
    path = tmp_path / "a" / "b" / "report.json"
    write_bytes_atomic(path, b"one")
    write_bytes_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == ["report.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_on_the_way_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A full disk or a refused rename leaves the old bytes, no rubbish, and a clear error."""
    path = tmp_path / "report.json"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(PixelloopError, match="No space left") as caught:
        write_bytes_atomic(path, b"new")
    assert str(path) in str(caught.value)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]


def test_a_kill_between_write_and_rename_keeps_the_old_file(tmp_path: Path) -> None:
    """SIGKILL just before the rename: the old file stands, and the rest is known as temporary."""
    path = tmp_path / "report.json"
    path.write_bytes(b"old")
    script = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from pytest_pixelloop.store import atomic
        os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        atomic.write_bytes_atomic(Path(sys.argv[1]), b"new" * 100000)
        """
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode not in (0, 1)
    assert path.read_bytes() == b"old"
    left = [p for p in tmp_path.iterdir() if p != path]
    assert left
    assert all(is_temporary(p) for p in left)
    assert not list(tmp_path.glob("*.tmp.json"))
    assert [p for p in tmp_path.glob("*.json") if not is_temporary(p)] == [path]


def test_names_as_long_as_the_file_system_allows_work(tmp_path: Path) -> None:
    """The temporary name does not grow with the real one."""
    path = tmp_path / ("x" * 250 + ".json")
    write_text_atomic(path, "{}")
    assert path.read_text("utf-8") == "{}"


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
def test_mode_links_and_devices_are_treated_as_by_a_plain_write(tmp_path: Path) -> None:
    """The umask decides the mode, a link's target is replaced, /dev/null stays a device."""
    path = tmp_path / "a"
    old = os.umask(0o022)
    try:
        write_bytes_atomic(path, b"x")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    link = tmp_path / "link"
    link.symlink_to(path)
    write_bytes_atomic(link, b"y")
    assert link.is_symlink()
    assert path.read_bytes() == b"y"
    write_bytes_atomic(Path("/dev/null"), b"z")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116 - the device itself


def test_a_folder_in_the_way_is_a_clear_error(tmp_path: Path) -> None:
    """Writing over a folder, or below a file, is a PixelloopError that names the path."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "folder", tmp_path / "file" / "below"):
        with pytest.raises(PixelloopError, match="cannot write the file"):
            write_bytes_atomic(path, b"x")


def test_json_is_written_the_same_way_every_time(tmp_path: Path) -> None:
    """Insertion order, two spaces, a newline at the end, text as it is, LF on every platform."""
    path = tmp_path / "a.json"
    write_json(path, {"b": 1, "a": ["\u00fc", None]})
    assert path.read_bytes() == '{\n  "b": 1,\n  "a": [\n    "\u00fc",\n    null\n  ]\n}\n'.encode()


def test_json_refuses_nan_and_keeps_the_old_file(tmp_path: Path) -> None:
    """NaN is no JSON: ValueError, and what was there stays."""
    path = tmp_path / "a.json"
    write_json(path, {"a": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(path, {"a": math.nan})
    assert json.loads(path.read_text("utf-8")) == {"a": 1}


def test_half_a_surrogate_pair_survives(tmp_path: Path) -> None:
    """A name that is no valid Unicode is written as its JSON escape instead of failing."""
    path = tmp_path / "a.json"
    write_json(path, {"name": "\ud83d"})
    assert json.loads(path.read_text("utf-8")) == {"name": "\ud83d"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
def test_a_pipe_that_nobody_reads_is_an_error_and_not_waited_for(tmp_path: Path) -> None:
    """A pipe planted under the name of a result makes the write fail, and does not hang it."""
    os.mkfifo(tmp_path / "01.log")
    with pytest.raises(PixelloopError, match="cannot write"):
        write_bytes_atomic(tmp_path / "01.log", b"printed")
