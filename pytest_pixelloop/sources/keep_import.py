"""Exported labels into the designs folder: files, lock, and the design's lines in the manifest."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.figma_nodes import read_nodes
from pytest_pixelloop.sources.lock import LockEntry, commit_label, read_lock, settle
from pytest_pixelloop.sources.manifest import MANIFEST_NAME, load_manifest
from pytest_pixelloop.sources.manifest_entry import entry_lines, with_entry
from pytest_pixelloop.sources.node_ids import label_of
from pytest_pixelloop.sources.plan import plan_entry
from pytest_pixelloop.sources.sections import frames_of
from pytest_pixelloop.sources.told_changes import told_changes
from pytest_pixelloop.store.atomic import write_text_atomic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from pytest_pixelloop.sources.exported_folder import ExportedLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What an import came to: the labels kept, and lines that a person has to add, if any.

    ``missing`` are the frames of an imported section that have no picture, as label and name.
    """

    name: str
    labels: tuple[str, ...]
    changes: tuple[tuple[str, ...], ...] = ()
    to_add: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def keep_labels(
    designs: Path, name: str, labels: Sequence[ExportedLabel], *, now: datetime
) -> Kept:
    """Make *labels* the design *name* and return what was kept.

    A design that the manifest names already has to plan these labels; any other is added to the
    manifest. Raises ConfigurationError when the labels do not fit, before anything is written.
    """
    by_label = {_label(name, item): item for item in labels}
    if len(by_label) < len(labels):
        raise ConfigurationError(f"two pictures are of one label of {printable(name)}")
    exists = (designs / MANIFEST_NAME).is_file()
    entry = load_manifest(designs / MANIFEST_NAME).designs.get(name) if exists else None
    group = common_group(labels)
    if group is not None and entry is not None:
        # One frame may be imported again as a frame, or as the design that it always was.
        planned = plan_entry(load_manifest(designs / MANIFEST_NAME), entry)
        group = group if any(p.label == label_of(name, node=group) for p in planned) else None
    elif len(labels) == 1:
        group = None
    wanted = by_label if group is None else {label_of(name, node=group): labels[0]}
    text, to_add = None, []
    if entry is not None:
        _check_planned(designs, name, wanted)
    else:
        placed = [(i.node, i.theme, i.viewport) for i in labels]
        to_add = entry_lines(name, placed if group is None else [(group, None, None)])
        text = with_entry(designs, name, to_add, labels=set(wanted))
    designs.mkdir(parents=True, exist_ok=True)
    settle(designs)
    if group is not None:
        _keep_group(designs, name, group, labels[0], now)
    changes: list[tuple[str, ...]] = []
    for label, item in by_label.items():
        changes.append(_changes(designs, name, label, item))
        commit_label(designs, _entry(name, label, item, now), image=item.image, nodes=item.nodes)
    if text is not None:
        write_text_atomic(designs / MANIFEST_NAME, text)
        to_add = []
    return Kept(
        name=name,
        labels=tuple(by_label),
        changes=tuple(changes),
        to_add=tuple(to_add),
        missing=_missing(designs, name, labels[0]) if group is not None else (),
    )


def common_group(labels: Sequence[ExportedLabel]) -> str | None:
    """Return the section or component set that all *labels* are plain frames of, None for none."""
    groups = {item.group if item.theme is item.viewport is None else None for item in labels}
    return groups.pop() if len(groups) == 1 else None


def _keep_group(designs: Path, name: str, group: str, item: ExportedLabel, now: datetime) -> None:
    """Keep the tree of a section, which tells which frames it stands for."""
    assert item.group_nodes is not None
    label = label_of(name, node=group)
    entry = dataclasses.replace(
        _entry(name, label, item, now),
        node=group,
        image=None,
        image_sha256=None,
        nodes=f"{name}/{label}.nodes.json",
        nodes_sha256=hashlib.sha256(item.group_nodes).hexdigest(),
        scale=None,
        notes=(),
    )
    commit_label(designs, entry, image=None, nodes=item.group_nodes)


def _missing(designs: Path, name: str, item: ExportedLabel) -> tuple[str, ...]:
    assert item.group_nodes is not None
    root = read_nodes(item.group_nodes, name="the section").node(item.group)
    labels = {label_of(name, node=frame.node.id): frame.title for frame in frames_of(root)}
    return tuple(
        f"{label} ({title})"
        for label, title in labels.items()
        if not (designs / name / f"{label}.png").is_file()
    )


def _changes(designs: Path, name: str, label: str, item: ExportedLabel) -> tuple[str, ...]:
    """Return what the imported tree changes in the design that was there before."""
    entry = read_lock(designs).entries.get((name, label))
    if entry is None or entry.nodes is None or item.nodes is None:
        return ()
    try:
        before = (designs / entry.nodes).read_bytes()
    except OSError:
        return ()
    return tuple(told_changes(before, item.nodes, node=item.node))


def _label(name: str, item: ExportedLabel) -> str:
    return label_of(name, node=item.node, theme=item.theme, viewport=item.viewport)


def _check_planned(designs: Path, name: str, labels: dict[str, ExportedLabel]) -> None:
    manifest = load_manifest(designs / MANIFEST_NAME)
    planned = plan_entry(manifest, manifest.designs[name])
    where = f"{manifest.shown(manifest.path)}:{manifest.designs[name].line}"
    places = {item.label: item.looked_in for item in planned}
    for label in labels:
        if label not in places:
            raise ConfigurationError(
                f"the manifest plans no {printable(label)} for {printable(name)}",
                where=where,
                expected="one of " + ", ".join(places),
                next_step="name the picture by one of these labels, or import with another --name",
            )
        if not places[label] or places[label][0] != designs / name / f"{label}.png":
            raise ConfigurationError(
                f"the manifest names a picture of its own for {printable(name)}",
                where=where,
                next_step="remove image: there, or import with another --name",
            )


def _entry(name: str, label: str, item: ExportedLabel, now: datetime) -> LockEntry:
    nodes = item.nodes
    return LockEntry(
        name=name,
        label=label,
        source=item.source,
        image=f"{name}/{label}.png",
        image_sha256=hashlib.sha256(item.image).hexdigest(),
        nodes=None if nodes is None else f"{name}/{label}.nodes.json",
        nodes_sha256=None if nodes is None else hashlib.sha256(nodes).hexdigest(),
        file_key=item.file_key,
        node=item.node,
        version=item.version,
        last_modified=item.last_modified,
        fetched_at=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        scale=item.scale,
        notes=item.notes,
    )
