"""The keys of what is sealed: in the user's own state folder, outside of every project."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import PixelloopError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KEY_SCHEMA_VERSION = 1
#: A key whose run is gone is removed when it is older than this, in seconds.
KEPT = 30 * 24 * 3600.0
_NAME = "pytest-pixelloop"


@dataclass(frozen=True, slots=True, kw_only=True)
class SealKey:
    """A key and its name, which may be read by anybody."""

    name: str
    secret: bytes


def state_folders(environ: Mapping[str, str], *, platform: str = sys.platform) -> tuple[Path, ...]:
    """Return where keys may lie, the best first: the user's state folder, else a temporary one.

    ``$XDG_STATE_HOME`` counts everywhere; then ``%LOCALAPPDATA%`` on Windows, ``~/.local/state``
    elsewhere. A container's user may have no folder that can be written to.
    """
    found = []
    if environ.get("XDG_STATE_HOME"):
        found.append(Path(environ["XDG_STATE_HOME"]))
    if platform == "win32" and environ.get("LOCALAPPDATA"):
        found.append(Path(environ["LOCALAPPDATA"]))
    elif platform != "win32" and environ.get("HOME"):
        found.append(Path(environ["HOME"]) / ".local" / "state")
    user = os.getuid() if hasattr(os, "getuid") else environ.get("USERNAME", "user")
    folders = [folder / _NAME for folder in found if folder.is_absolute()]
    return (*folders, Path(tempfile.gettempdir()) / f"{_NAME}-{user}")


class Vault:
    """Makes, finds and drops keys. Nothing is read or written before the first of them is asked."""

    def __init__(
        self, folders: tuple[Path, ...], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._folders = folders
        self._clock = clock

    def make(self, *, of: Path) -> SealKey:
        """Return a new key for what lies in the folder *of*, kept for a later process.

        Raises PixelloopError where no folder can be written to that is the user's alone.
        """
        key = SealKey(name=secrets.token_hex(16), secret=secrets.token_bytes(32))
        record = {
            "schema_version": KEY_SCHEMA_VERSION,
            "of": str(of.absolute()),
            "secret": key.secret.hex(),
        }
        trouble = ""
        for folder in self._folders:
            try:
                keys = _own_folder(folder)
                self._prune(keys)
                _write_new(keys / f"{key.name}.json", json.dumps(record))
            except OSError as error:
                trouble = trouble or f"{folder}: {error.strerror or error}"
                continue
            return key
        raise PixelloopError(
            "held-out comparisons cannot be sealed: there is no folder for the key",
            where=trouble,
            expected="a state folder that belongs to this user alone",
            next_step="set XDG_STATE_HOME to a folder outside of the project",
        )

    def find(self, name: str) -> SealKey | None:
        """Return the key of that name, None when there is none."""
        for path in self._paths(name):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                return SealKey(
                    name=name, secret=bytes.fromhex(json.loads(path.read_text("utf-8"))["secret"])
                )
        return None

    def drop(self, name: str) -> None:
        """Remove a key that has nothing left to open."""
        for path in self._paths(name):
            with contextlib.suppress(OSError):
                path.unlink()

    def _paths(self, name: str) -> list[Path]:
        if not name or not set(name) <= set("0123456789abcdef"):
            return []
        return [folder / "keys" / f"{name}.json" for folder in self._folders]

    def _prune(self, keys: Path) -> None:
        """Remove old keys of runs that somebody has deleted."""
        for path in sorted(keys.glob("*.json")):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                old = path.stat().st_mtime + KEPT < self._clock()
                if old and not Path(json.loads(path.read_text("utf-8"))["of"]).exists():
                    path.unlink()


def _own_folder(folder: Path) -> Path:
    """Return the folder of the keys, which only this user can look into; OSError for any other."""
    keys = folder / "keys"
    keys.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    keys.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid"):
        for path in (folder, keys):
            status = path.lstat()
            if status.st_uid != os.getuid():
                raise PermissionError(13, "belongs to somebody else", str(path))
            if status.st_mode & 0o077:
                path.chmod(0o700)
    return keys


def _write_new(path: Path, text: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(path, flags, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text + "\n")
        stream.flush()
        os.fsync(stream.fileno())
