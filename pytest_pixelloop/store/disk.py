"""Bytes from disk, with every way in which that fails put into words."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.core.errors import PixelloopError

MAX_BYTES = 1_000_000_000


def read_file(
    path: Path, *, name: str, error: type[PixelloopError], max_bytes: int = MAX_BYTES
) -> bytes:
    """Return the bytes of the regular file *path*; raise *error* with *name* when there is none.

    A folder, a device, a missing or unreadable file and one above *max_bytes* are told apart.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise error("this is a folder, not a file", where=name)
        if not stat.S_ISREG(status.st_mode):
            raise error("this is not a regular file", where=name)
        if status.st_size > max_bytes:
            raise error(
                f"the file is too large: {status.st_size:,} bytes",
                where=name,
                expected=f"at most {max_bytes:,} bytes",
            )
        return path.read_bytes()
    except FileNotFoundError as cause:
        raise error(
            "there is no such file", where=name, next_step="check the path and its spelling"
        ) from cause
    except (OSError, ValueError) as cause:
        reason = getattr(cause, "strerror", None) or str(cause)
        raise error(f"the file cannot be read: {reason}", where=name) from cause
