"""Sections and component sets in a pull: one wanted node that stands for several pictures."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.sources.figma_nodes import children_of, read_nodes
from pytest_pixelloop.sources.lock import locked_path
from pytest_pixelloop.sources.node_ids import label_of
from pytest_pixelloop.sources.sections import frames_of, is_group, may_hold_group

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_pixelloop.core.design import DesignNode
    from pytest_pixelloop.sources.figma.client import NodesAnswer
    from pytest_pixelloop.sources.figma.wanted import Wanted
    from pytest_pixelloop.sources.lock import Lock, LockEntry


def wanted_frame(one: Wanted, node: str) -> Wanted:
    """Return the label of one frame of the wanted section *one*."""
    label = label_of(one.name, node=node, theme=one.theme, viewport=one.viewport)
    return dataclasses.replace(
        one,
        label=label,
        node=node,
        image=f"{one.name}/{label}.png",
        nodes=f"{one.name}/{label}.nodes.json",
    )


def kept_frames(folder: Path, lock: Lock, one: Wanted) -> tuple[Wanted, ...] | None:
    """Return the frames of *one* as the last pull found them; None where it is no section."""
    entry = lock.entries.get((one.name, one.label))
    if entry is None or entry.image is not None:
        return None
    root = _kept_root(folder, entry)
    if root is None:
        return ()
    return tuple(wanted_frame(one, frame.node.id) for frame in frames_of(root))


def is_pictured_group(folder: Path, entry: LockEntry) -> bool:
    """Tell whether a section was kept as one picture, which no pull does any more."""
    root = _kept_root(folder, entry) if entry.image is not None else None
    return root is not None and is_group(root)


def with_kept_frames(folder: Path, lock: Lock, wanted: Iterable[Wanted]) -> list[Wanted]:
    """Return *wanted* and, of the sections in it, every frame that is known."""
    return [item for one in wanted for item in (one, *(kept_frames(folder, lock, one) or ()))]


def frame_answer(answer: NodesAnswer, group: str, node: str) -> NodesAnswer:
    """Return the answer as it would be for *node* inside of the section that was asked for."""
    entry = answer.entries[group]
    assert entry is not None
    found = {**entry, "document": _raw(entry["document"], node)}
    return dataclasses.replace(answer, entries={node: found})


def _raw(document: Mapping[str, Any], node: str) -> dict[str, Any]:
    stack = [dict(document)]
    while stack:
        raw = stack.pop()
        if raw.get("id") == node:
            return raw
        stack.extend(children_of(raw))
    raise KeyError(node)


def _kept_root(folder: Path, entry: LockEntry) -> DesignNode | None:
    if entry.nodes is None or entry.nodes_sha256 is None:
        return None
    try:
        data = locked_path(folder / entry.nodes, entry.nodes_sha256).read_bytes()
        return read_nodes(data, name="nodes").node(entry.node) if may_hold_group(data) else None
    except (OSError, PixelloopError):
        return None
