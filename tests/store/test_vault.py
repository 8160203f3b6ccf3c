"""Keys lie where only their user can read them, and go when they are of no use."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.store.vault import KEPT, Vault, state_folders

posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")


def test_the_state_folder_of_the_user_comes_first() -> None:
    """XDG_STATE_HOME, then the system's own place, then a folder for temporary files."""
    given = {"XDG_STATE_HOME": "/state", "HOME": "/home/ada", "LOCALAPPDATA": "/local"}
    linux = state_folders(given, platform="linux")
    assert linux[:2] == (
        Path("/state/pytest-pixelloop"),
        Path("/home/ada/.local/state/pytest-pixelloop"),
    )
    assert state_folders(given, platform="win32")[1] == Path("/local/pytest-pixelloop")
    assert len(state_folders({"XDG_STATE_HOME": "relative"}, platform="linux")) == 1


@posix
def test_a_key_is_found_by_another_process_and_by_nobody_else(tmp_path: Path) -> None:
    """Folder and file are the user's alone, also where the folder was open before."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    key = Vault((folder,)).make(of=tmp_path)
    assert Vault((folder,)).find(key.name) == key
    (path,) = folder.rglob("*.json")
    modes = [p.stat().st_mode & 0o777 for p in (folder, path.parent, path)]
    assert modes == [0o700, 0o700, 0o600]


@posix
@pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_makes_way_for_the_next(tmp_path: Path) -> None:
    """Without any folder the error says what to do."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    key = Vault((closed / "x", tmp_path / "open")).make(of=tmp_path)
    assert Vault((tmp_path / "open",)).find(key.name) == key
    with pytest.raises(PixelloopError, match="there is no folder for the key"):
        Vault((closed / "x",)).make(of=tmp_path)


def test_names_that_are_none_find_nothing(tmp_path: Path) -> None:
    """A name from a ledger is no path."""
    vault = Vault((tmp_path,))
    (tmp_path / "x.json").write_text('{"secret": "00"}', "utf-8")
    for name in ("", "../x", "..", "x"):
        assert vault.find(name) is None
        vault.drop(name)
    assert (tmp_path / "x.json").exists()


def test_old_keys_of_runs_that_are_gone_are_removed(tmp_path: Path) -> None:
    """A key goes when its run was deleted and it is old; one of a run that is there stays."""
    run = tmp_path / "run"
    run.mkdir()
    now = [1_000.0]
    vault = Vault((tmp_path / "state",), clock=lambda: now[0])
    kept, lost = vault.make(of=run), vault.make(of=tmp_path / "gone")
    now[0] = Path(tmp_path).stat().st_mtime + KEPT + 100
    fresh = vault.make(of=tmp_path / "gone, too")
    assert [vault.find(key.name) for key in (kept, lost, fresh)] == [kept, None, fresh]
    vault.drop(kept.name)
    assert vault.find(kept.name) is None
