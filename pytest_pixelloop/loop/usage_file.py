"""What a fix has cost, as its fixer wrote it down: a file that anything may stand in."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.budget import Usage, read_usage

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 65_536


def clear_usage(path: Path) -> None:
    """Take away what stands there before the fix: it is of another one.

    What cannot be taken away (a folder) is no report afterwards either.
    """
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink()


def read_usage_file(path: Path) -> Usage | None:
    """Return what the fixer reports, None when it reports nothing; never raises, never waits.

    Only a regular file of at most 64 KiB is read: no link, no pipe, no device.
    """
    try:
        value = json.loads(_read(path), object_pairs_hook=_without_repeats)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Usage(problem=f"the report cannot be read: {error.strerror or error}")
    except (ValueError, RecursionError):
        return Usage(problem="the report is not valid JSON")
    return read_usage(value)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object, unless it says one thing twice: which of them holds is anybody's guess."""
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("a key stands there twice")
    return told


def _read(path: Path) -> bytes:
    if path.is_symlink():
        raise OSError("it is a link")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is not a regular file")
        if status.st_size > MAX_BYTES:
            raise OSError(f"it is larger than {MAX_BYTES:,} bytes")
        return os.read(descriptor, MAX_BYTES)
    finally:
        os.close(descriptor)
