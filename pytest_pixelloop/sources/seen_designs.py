"""What the designs were when they were last measured, kept beside the runs to be compared with.

``designs-seen.json`` holds for each label of the lock the hashes of its files; the node trees lie
beside it, packed, by their hash. Nothing of it decides a verdict: it is for saying, before anything
else, that the design is another one than last time, and what in it changed.
"""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design_change import count_changes, diff_trees
from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.lock import LOCK_NAME, Lock, LockEntry, locked_path, read_lock
from pytest_pixelloop.store.atomic import write_bytes_atomic, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.core.design import DesignNode

SEEN_NAME = "designs-seen.json"
SEEN_FOLDER = "designs-seen"
SCHEMA_VERSION = 1
_Hashes = tuple[str | None, str | None]
TOLD_LABELS, TOLD_CHANGES = 10, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignNews:
    """What changed in one label's design: the first line says how much, ``lines`` say what."""

    title: str
    lines: tuple[str, ...] = ()


def design_news(designs: Path, run_root: Path) -> tuple[DesignNews, ...]:
    """Return what changed in the locked designs since they were last measured, label by label.

    Nothing when nothing was ever measured, or nothing changed. Raises ConfigurationError for a
    lock that cannot be read.
    """
    seen = _read_seen(run_root)
    lock = read_lock(designs)
    if seen is None:
        return ()
    news: list[DesignNews] = []
    for key, entry in sorted(lock.entries.items()):
        before = seen.pop(key, None)
        title = f"{printable(entry.name)} {printable(entry.label)}"
        if before is None:
            news.append(DesignNews(title=f"{title}: a new design"))
        elif before != _hashes(entry):
            news.append(_changed(title, before, entry, designs, run_root))
    gone = [f"{printable(name)} {printable(label)}" for name, label in sorted(seen)]
    news.extend(DesignNews(title=f"{title}: no longer in {LOCK_NAME}") for title in gone)
    return tuple(news)


def news_lines(news: Sequence[DesignNews]) -> list[str]:
    """Return the news as lines to print, a headline first; what is left out is counted."""
    if not news:
        return []
    lines = [f"the design changed since the last run ({LOCK_NAME}):"]
    for item in news[:TOLD_LABELS]:
        lines.append(f"  {item.title}")
        lines.extend(f"    {line}" for line in item.lines[:TOLD_CHANGES])
        if len(item.lines) > TOLD_CHANGES:
            lines.append(f"    and {len(item.lines) - TOLD_CHANGES} more changes")
    if len(news) > TOLD_LABELS:
        lines.append(f"  and {len(news) - TOLD_LABELS} more designs")
    return lines


def missing_lines(designs: Path) -> list[str]:
    """Return which labels the last pull could not fetch, none when it fetched them all."""
    lock = read_lock(designs)
    if not lock.missing:
        return []
    names = [f"{printable(n)} {printable(label)}" for n, label in sorted(lock.missing)]
    more = f" and {len(names) - TOLD_LABELS} more" if len(names) > TOLD_LABELS else ""
    return [f"the last pull is not complete, missing: {', '.join(names[:TOLD_LABELS])}{more}"]


def remember_designs(designs: Path, run_root: Path) -> None:
    """Keep what the locked designs are now; nothing is written when that is known already."""
    lock = read_lock(designs)
    if lock.entries == {} and not (run_root / SEEN_NAME).exists():
        return
    record = _record(lock)
    if _read_record(run_root) == record:
        return
    wanted = {entry.nodes_sha256 for entry in lock.entries.values() if entry.nodes_sha256}
    for entry in lock.entries.values():
        _keep_tree(entry, designs, run_root)
    write_json(run_root / SEEN_NAME, record)
    for path in (run_root / SEEN_FOLDER).glob("*.json.gz"):
        if path.name.removesuffix(".json.gz") not in wanted:
            path.unlink(missing_ok=True)


def _changed(
    title: str,
    before: _Hashes,
    entry: LockEntry,
    designs: Path,
    run_root: Path,
) -> DesignNews:
    old = _tree(_kept(run_root, before[1]), entry) if before[1] else None
    new = _tree(_bytes_of(entry, designs), entry)
    if before[1] == entry.nodes_sha256 or old is None or new is None:
        what = "the picture changed" if before[0] != entry.image_sha256 else "the node tree changed"
        return DesignNews(title=f"{title}: {what}")
    changes = diff_trees(old, new)
    # Of a section only the figures: its frames are labels of their own and tell the rest.
    told = changes if entry.image is not None else ()
    return DesignNews(
        title=f"{title}: {count_changes(changes)}", lines=tuple(c.line() for c in told)
    )


def _tree(data: bytes | None, entry: LockEntry) -> DesignNode | None:
    from pytest_pixelloop.sources.figma_nodes import read_nodes  # noqa: PLC0415 - when it changed

    if data is None:
        return None
    try:
        return read_nodes(data, name="a design's nodes").node(entry.node)
    except PixelloopError:
        return None


def _bytes_of(entry: LockEntry, designs: Path) -> bytes | None:
    if entry.nodes is None or entry.nodes_sha256 is None:
        return None
    try:
        return locked_path(designs / entry.nodes, entry.nodes_sha256).read_bytes()
    except OSError:
        return None


def _kept(run_root: Path, sha256: str | None) -> bytes | None:
    try:
        return gzip.decompress((run_root / SEEN_FOLDER / f"{sha256}.json.gz").read_bytes())
    except (OSError, EOFError, ValueError):
        return None


def _keep_tree(entry: LockEntry, designs: Path, run_root: Path) -> None:
    path = run_root / SEEN_FOLDER / f"{entry.nodes_sha256}.json.gz"
    data = None if path.exists() else _bytes_of(entry, designs)
    if data is not None:
        write_bytes_atomic(path, gzip.compress(data, 1, mtime=0))


def _hashes(entry: LockEntry) -> _Hashes:
    return entry.image_sha256, entry.nodes_sha256


def _record(lock: Lock) -> dict[str, Any]:
    labels = [[*key, *_hashes(entry)] for key, entry in sorted(lock.entries.items())]
    return {"schema_version": SCHEMA_VERSION, "labels": labels}


def _read_record(run_root: Path) -> Mapping[str, Any] | None:
    """Return what was kept, None for nothing: a file that cannot be read is only forgotten."""
    path = run_root / SEEN_NAME
    if not os.path.lexists(path):
        return None
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _read_seen(run_root: Path) -> dict[tuple[str, str], _Hashes] | None:
    record = _read_record(run_root)
    if record is None or record.get("schema_version") != SCHEMA_VERSION:
        return None
    try:
        return {(name, label): (image, nodes) for name, label, image, nodes in record["labels"]}
    except (KeyError, TypeError, ValueError):
        return None
