"""What a fix did to the files as a unified diff, for people and for ``patch``."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Above this many lines a file is only named: a diff of it is neither read nor quick.
MAX_LINES = 5_000
MAX_BYTES = 1_000_000
_CONTEXT = 3
NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One changed file. ``before`` and ``after`` are None where it was not there, or unreadable."""

    name: str
    existed: bool
    exists: bool
    before: bytes | None
    after: bytes | None


def patch_text(changes: Sequence[FileChange]) -> str:
    """Return the unified diff of all changes, each file under its name.

    The first line names the files: whoever sees the beginning only knows of all of them.
    """
    names = ", ".join(_name(change) for change in changes[:NAMED])
    more = len(changes) - NAMED
    head = f"{len(changes)} file{'' if len(changes) == 1 else 's'}: {names}"
    lines = [head + (f" and {more} more" if more > 0 else "")]
    lines += (line for change in changes for line in _file(change))
    return "".join(f"{line}\n" for line in lines)


def _name(change: FileChange) -> str:
    return change.name if change.name.isprintable() else json.dumps(change.name)


def _file(change: FileChange) -> Iterator[str]:
    name = _name(change)
    yield f"--- {'a/' + name if change.existed else '/dev/null'}"
    yield f"+++ {'b/' + name if change.exists else '/dev/null'}"
    old = _lines(change.before, there=change.existed)
    new = _lines(change.after, there=change.exists)
    if old is None or new is None:
        yield f"the file is not shown: {_size(change.before)} -> {_size(change.after)}"
        return
    if old == new:
        yield "only its mode or its kind changed"
        return
    diff = difflib.unified_diff(old, new, n=_CONTEXT, lineterm="\n")
    for line in list(diff)[2:]:
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _lines(data: bytes | None, *, there: bool) -> list[str] | None:
    """Return the lines of a text, None where it is no text or too long."""
    if not there:
        return []
    if data is None or len(data) > MAX_BYTES or b"\0" in data:
        return None
    # Only the newline separates: a form feed or another separator of Unicode is part of its line.
    parts = data.decode("utf-8", "surrogateescape").split("\n")
    lines = [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
    return lines if len(lines) <= MAX_LINES else None


def _size(data: bytes | None) -> str:
    return "nothing" if data is None else f"{len(data):,} bytes"
