"""``designs.lock``: which version of which Figma node every fetched design is, and its hashes.

The lock is also the moment at which a fetched design becomes the design. New files are laid beside
the old ones under a pending name first; then the lock, which names the new hashes, is renamed into
place; then the pending files take the real names. Whoever reads takes, of the two, the file whose
hash the lock names. So a process that is killed at any point leaves every label either as it was
or as it is to be, picture and node tree together. The file is JSON, so that telling whether it
changed costs no YAML parser.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.store.atomic import is_temporary, json_text, write_bytes_atomic
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LOCK_NAME = "designs.lock"
SCHEMA_VERSION = 1
PENDING_PREFIX = ".next-"
MAX_BYTES = 64_000_000
_ABANDONED = 3600.0
"""Seconds after which a temporary file belongs to no process that still writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockEntry:
    """One label's design: where it came from, and the hashes its files must have.

    ``image`` and ``nodes`` are relative to the designs folder, with ``/``; ``nodes`` and its hash
    are None for a picture alone, ``image`` and its hash for a section, whose frames have labels of
    their own. ``source`` is ``figma`` or what was imported. ``probed`` is what
    Figma answered to the question whether the file changed, before it was fetched.
    """

    name: str
    label: str
    source: str
    image: str | None
    image_sha256: str | None
    nodes: str | None = None
    nodes_sha256: str | None = None
    file_key: str | None = None
    node: str | None = None
    version: str | None = None
    probed: str | None = None
    last_modified: str | None = None
    fetched_at: str | None = None
    scale: float | None = None
    notes: tuple[str, ...] = ()

    def as_record(self) -> dict[str, Any]:
        """Return the entry as the file holds it."""
        return {
            "source": self.source,
            "file_key": self.file_key,
            "node": self.node,
            "version": self.version,
            "probed": self.probed,
            "last_modified": self.last_modified,
            "fetched_at": self.fetched_at,
            "scale": self.scale,
            "image": self.image,
            "nodes": self.nodes,
            "sha256": {"image": self.image_sha256, "nodes": self.nodes_sha256},
            **({"notes": list(self.notes)} if self.notes else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingLabel:
    """A label that the last pull could not fetch, and why.

    ``final`` means that the design is not there any more, so that older files of it are stale.
    """

    name: str
    label: str
    why: str
    final: bool
    at: str | None = None

    def as_record(self) -> dict[str, Any]:
        """Return the entry as the file holds it."""
        return {"why": self.why, "final": self.final, "at": self.at}


_Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The whole lock: entries and gaps by (name, label)."""

    entries: Mapping[_Key, LockEntry] = field(default_factory=dict)
    missing: Mapping[_Key, MissingLabel] = field(default_factory=dict)

    def of_file(self, relative: str) -> LockEntry | None:
        """Return the entry whose picture or node file lies at *relative* in the designs folder."""
        for entry in self.entries.values():
            if relative in (entry.image, entry.nodes):
                return entry
        return None

    def with_entry(self, entry: LockEntry) -> Lock:
        """Return the lock with *entry*, which is then missing no longer."""
        key = (entry.name, entry.label)
        gaps = {k: v for k, v in self.missing.items() if k != key}
        return dataclasses.replace(self, entries={**self.entries, key: entry}, missing=gaps)


def read_lock(folder: Path) -> Lock:
    """Return the lock of the designs *folder*, an empty one where there is none.

    Raises ConfigurationError for a lock that cannot be read: nothing it vouches for counts then.
    """
    path = folder / LOCK_NAME
    if not os.path.lexists(path):
        return Lock()
    shown = f"{folder.name}/{LOCK_NAME}"
    data = read_file(path, name=shown, error=ConfigurationError, max_bytes=MAX_BYTES)
    try:
        value = json.loads(data)
        if value["schema_version"] != SCHEMA_VERSION:
            raise ConfigurationError(
                f"the lock has schema_version {value['schema_version']!r}",
                where=shown,
                expected=f"schema_version {SCHEMA_VERSION}",
                next_step="use the version of pytest-pixelloop that wrote it",
            )
        return _lock(value)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        conflict = b"\n<<<<<<< " in b"\n" + data
        why = "it holds the marks of a merge conflict" if conflict else f"{error}"
        raise ConfigurationError(
            f"the lock cannot be read: {why}",
            where=shown,
            expected="the JSON that pixelloop pull wrote",
            next_step="git checkout one side of it, then pixelloop pull",
        ) from None


def write_lock(folder: Path, lock: Lock) -> None:
    """Leave *lock* in the designs *folder*; sorted, so that the same lock is the same bytes."""
    # Half a surrogate pair is no UTF-8; backslashreplace writes its JSON escape.
    write_bytes_atomic(folder / LOCK_NAME, lock_text(lock).encode("utf-8", "backslashreplace"))


def lock_text(lock: Lock) -> str:
    """Return *lock* as the file holds it."""
    value: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "designs": {}}
    for (name, label), entry in sorted(lock.entries.items()):
        value["designs"].setdefault(name, {})[label] = entry.as_record()
    if lock.missing:
        value["missing"] = {}
        for (name, label), gap in sorted(lock.missing.items()):
            value["missing"].setdefault(name, {})[label] = gap.as_record()
    return json_text(value)


def pending_path(path: Path) -> Path:
    """Return where a new file waits for the lock before it takes the name *path*."""
    return path.with_name(PENDING_PREFIX + path.name)


def locked_path(path: Path, sha256: str) -> Path:
    """Return *path*, or its pending file when that, and not *path*, is what the lock names."""
    waiting = pending_path(path)
    if not os.path.isfile(waiting) or digest_of(path) == sha256:  # noqa: PTH113
        return path
    return waiting if digest_of(waiting) == sha256 else path


def digest_of(path: Path) -> str | None:
    """Return the SHA-256 of a file, None when it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def is_intact(folder: Path, entry: LockEntry) -> bool:
    """Tell whether the files of *entry* are those that the lock names."""
    return all(
        digest_of(locked_path(folder / relative, sha256)) == sha256
        for relative, sha256 in _files(entry)
    )


def commit_label(
    folder: Path, entry: LockEntry, *, image: bytes | None, nodes: bytes | None
) -> None:
    """Make *image* and *nodes* the design of *entry*'s label, all at once."""
    contents = ((entry.image, image), (entry.nodes, nodes))
    for relative, sha256 in _files(entry):
        data = next(data for name, data in contents if name == relative)
        assert data is not None
        if digest_of(folder / relative) != sha256:
            write_bytes_atomic(pending_path(folder / relative), data)
    # Read again: another process may have fetched another design meanwhile.
    write_lock(folder, read_lock(folder).with_entry(entry))
    for relative, _sha256 in _files(entry):
        _take_name(folder / relative)


def settle(folder: Path) -> None:
    """Finish what an interrupted pull left: files the lock names get their names, others go."""
    lock = read_lock(folder)
    for waiting in sorted(folder.rglob(PENDING_PREFIX + "*")):
        path = waiting.with_name(waiting.name.removeprefix(PENDING_PREFIX))
        entry = lock.of_file(path.relative_to(folder).as_posix())
        wanted = dict(_files(entry)) if entry is not None else {}
        if digest_of(waiting) == wanted.get(path.relative_to(folder).as_posix(), ""):
            _take_name(path)
        else:
            waiting.unlink(missing_ok=True)
    for left in folder.rglob(".tmp-*"):
        if is_temporary(left) and time.time() - left.stat().st_mtime > _ABANDONED:
            left.unlink(missing_ok=True)


def _take_name(path: Path) -> None:
    waiting = pending_path(path)
    if os.path.lexists(waiting):
        os.replace(waiting, path)  # noqa: PTH105 - beside the reason in the module's docstring


def _files(entry: LockEntry) -> list[tuple[str, str]]:
    pairs = ((entry.image, entry.image_sha256), (entry.nodes, entry.nodes_sha256))
    return [(name, sha256) for name, sha256 in pairs if name is not None and sha256 is not None]


def _lock(value: Any) -> Lock:
    entries = {
        (name, label): _entry(name, label, record)
        for name, labels in value["designs"].items()
        for label, record in labels.items()
    }
    missing = {
        (name, label): MissingLabel(
            name=name,
            label=label,
            why=str(record["why"]),
            final=record["final"] is True,
            at=record.get("at"),
        )
        for name, labels in value.get("missing", {}).items()
        for label, record in labels.items()
    }
    return Lock(entries=entries, missing=missing)


def _entry(name: str, label: str, record: Mapping[str, Any]) -> LockEntry:
    return LockEntry(
        name=name,
        label=label,
        source=str(record["source"]),
        image=None if record["image"] is None else _inside(record["image"]),
        image_sha256=record["sha256"]["image"],
        nodes=None if record["nodes"] is None else _inside(record["nodes"]),
        nodes_sha256=record["sha256"]["nodes"],
        file_key=record.get("file_key"),
        node=record.get("node"),
        version=record.get("version"),
        probed=record.get("probed"),
        last_modified=record.get("last_modified"),
        fetched_at=record.get("fetched_at"),
        scale=record.get("scale"),
        notes=tuple(str(note) for note in record.get("notes", ())),
    )


def _inside(relative: Any) -> str:
    """Return a path of the lock, refusing one that leads out of the designs folder."""
    text = str(relative)
    if text.startswith("/") or "\\" in text or ":" in text or ".." in text.split("/"):
        raise ValueError(f"{text!r} is no path in the designs folder")
    return text
