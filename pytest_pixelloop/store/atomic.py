"""Files that are either the old or the new one, never half of each."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from pathlib import Path
from typing import Any

from pytest_pixelloop.core.errors import PixelloopError

TEMPORARY_PREFIX = ".tmp-"
"""How a file that is still being written is called: hidden, and with no result's suffix."""


def write_bytes_atomic(path: Path, data: bytes) -> None:
    """Leave *data* under *path*, or the old file when anything goes wrong on the way.

    Parent folders are made. The bytes reach the disk under a temporary name in the same folder
    before the rename, so a kill or a power cut leaves no half file under the real name. A symbolic
    link keeps being one: its target is replaced. A device or a pipe is written to directly, a pipe
    only while somebody reads it.
    Raises PixelloopError when the file system refuses.
    """
    try:
        target = Path(os.path.realpath(path))
        if _is_special(target):
            _write_special(target, data)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _write_and_rename(target, data)
    except OSError as error:
        raise PixelloopError(
            f"cannot write the file: {error.strerror or error}",
            where=str(path),
            next_step="check free space and permissions of the folder",
        ) from error


def write_text_atomic(path: Path, text: str) -> None:
    """Leave *text* under *path* as UTF-8 with its line ends unchanged; see write_bytes_atomic."""
    write_bytes_atomic(path, text.encode("utf-8", "backslashreplace"))


def write_json(path: Path, obj: Any) -> None:
    """Leave *obj* under *path* as JSON: keys in their own order, 2 spaces, a newline at the end.

    NaN and infinity are no JSON: they raise ValueError and the old file stays.
    """
    write_text_atomic(path, json_text(obj))


def json_text(obj: Any) -> str:
    """Return *obj* as the text that write_json writes."""
    return json.dumps(obj, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def is_temporary(path: Path) -> bool:
    """Tell whether *path* is the temporary name of a write that never finished."""
    return path.name.startswith(TEMPORARY_PREFIX)


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _write_special(target: Path, data: bytes) -> None:
    """Write to a device or a pipe; OSError, not an endless wait, for a pipe without a reader."""
    descriptor = os.open(target, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "wb") as stream:
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(descriptor, True)
        stream.write(data)


def _write_and_rename(target: Path, data: bytes) -> None:
    # The name does not contain the target's, which may already be as long as a name can be.
    temporary = target.with_name(TEMPORARY_PREFIX + secrets.token_hex(8))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # 0o666 and the umask decide, as for every other file; tempfile would give 0o600.
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)  # noqa: PTH105 - named in the contract of this module
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Bring the rename itself to the disk, where the platform can open a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
