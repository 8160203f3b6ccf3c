"""Sections and component sets: the frames that one node of the manifest stands for.

A ``SECTION`` stands for the visible frames in it, a ``COMPONENT_SET`` for its variants; both go
through sections inside sections. The names are for people and tests; labels go by node id.
"""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.figma_nodes import read_nodes
from pytest_pixelloop.sources.lock import (
    LOCK_NAME,
    Lock,
    LockEntry,
    digest_of,
    locked_path,
    read_lock,
)
from pytest_pixelloop.sources.node_ids import canonical_id, label_of
from pytest_pixelloop.sources.part import find_part
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_pixelloop.core.design import DesignNode
    from pytest_pixelloop.sources.plan import PlannedComparison

GROUP_TYPES = frozenset({"SECTION", "COMPONENT_SET"})
_FRAME_TYPES = frozenset({"FRAME", "COMPONENT", "INSTANCE"})
_AUTOMATIC = re.compile(r"(?:Frame|Component|Section|Group|Instance) \d+")
_LISTED = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupFrame:
    """One frame of a section, or variant of a component set. ``title`` is its path of names.

    ``named`` is False for a frame that nobody gave a name: no test can say which one it means.
    """

    node: DesignNode
    title: str
    named: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Group:
    """A planned comparison whose node is a group, its tree, and the file that the tree is in.

    ``changed`` tells that the file is not the one that the lock names.
    """

    planned: PlannedComparison
    root: DesignNode
    nodes: Path
    lock: Lock
    changed: bool = False


def is_group(root: DesignNode) -> bool:
    """Tell whether a node stands for the frames in it."""
    return root.type in GROUP_TYPES


def may_hold_group(data: bytes) -> bool:
    """Tell, without reading it, whether a node file may have a group as its node."""
    return data[:2] == b"\x1f\x8b" or any(f'"{kind}"'.encode() in data for kind in GROUP_TYPES)


def frames_of(root: DesignNode) -> tuple[GroupFrame, ...]:
    """Return the visible frames of a group in document order, those of inner groups too."""
    found: list[GroupFrame] = []
    stack = [(child, "") for child in reversed(root.children)]
    while stack:
        node, above = stack.pop()
        if not node.visible or node.opacity <= 0:
            continue
        # Shown in reports and terminals, and untrusted as everything in a design file.
        name = printable(str(node.properties.get("name") or "").strip())
        title = f"{above}{name or node.id}"
        if is_group(node):
            stack.extend((child, f"{title}/") for child in reversed(node.children))
        elif node.type in _FRAME_TYPES and node.box is not None and node.box.area > 0:
            named = bool(name) and not _AUTOMATIC.fullmatch(name)
            found.append(GroupFrame(node=node, title=title, named=named))
    return tuple(found)


def group_of(planned: PlannedComparison) -> Group | None:
    """Return the group that a planned comparison's node is, None where it is a single frame.

    A node file that cannot be read is none: load_design says what is wrong with it.
    """
    if planned.refusal is not None or planned.bridge is not None:
        return None
    folder = planned.manifest.parent
    path, entry = planned.nodes, None
    if path is None:
        # A pull that was killed while it gave the files their names.
        entry = read_lock(folder).entries.get((planned.name, planned.label))
        if entry is None or entry.image is not None or entry.nodes is None:
            return None
        path = folder / entry.nodes
    try:
        data = read_file(_latest(path, entry), name=path.name, error=DesignUnreadableError)
        if not may_hold_group(data):
            return None
        root = read_nodes(data, name=path.name).node(planned.node)
    except DesignUnreadableError:
        return None
    if not is_group(root):
        return None
    lock = read_lock(folder)
    entry = entry or _entry_of(lock, folder, path)
    path = _latest(path, entry)
    changed = entry is not None and digest_of(path) != entry.nodes_sha256
    return Group(planned=planned, root=root, nodes=path, lock=lock, changed=changed)


def _latest(path: Path, entry: LockEntry | None) -> Path:
    return path if entry is None else locked_path(path, entry.nodes_sha256 or "")


def _entry_of(lock: Lock, folder: Path, path: Path) -> LockEntry | None:
    return lock.of_file(path.relative_to(folder).as_posix()) if folder in path.parents else None


def plan_frames(group: Group) -> tuple[PlannedComparison, ...]:
    """Return a comparison for each frame of *group*; one that is refused where there is none."""
    if group.changed:
        why = (
            f"its node file {group.nodes.name} is not the one that was fetched: its sha256 "
            f"differs from {LOCK_NAME} (git checkout the file, or pull again)"
        )
        return (_refused(group, why),)
    frames = frames_of(group.root)
    if not frames:
        why = f"{_shown(group.root)} has no visible frame in it"
        return (_refused(group, why),)
    return tuple(_planned(group, frame) for frame in frames)


def choose_frame(group: Group, part: str) -> tuple[PlannedComparison, str | None]:
    """Return the frame of *group* that *part* means, and what inside of that frame, if anything.

    *part* is a frame's name, the end of its path of names, or its id, with the name of a node in
    it behind a ``/``; or the name of a node that only one of the frames has. A frame without a
    name of its own can be asked for by its id.
    """
    frames = frames_of(group.root)
    if group.changed or not frames:
        return plan_frames(group)[0], None
    parts = part.split("/")
    for count in range(len(parts), 0, -1):
        head, rest = "/".join(parts[:count]), "/".join(parts[count:]) or None
        found, by_id = _called(frames, head)
        if len(found) > 1:
            listed = ", ".join(frame.node.id for frame in found[:_LISTED])
            why = f"{len(found)} frames of it are called {printable(head)!r}: {listed} (give an id)"
            return _refused(group, why), None
        if found:
            return _planned(group, found[0], asked=by_id), rest
    inside = [frame for frame in frames if _has(frame.node, part)]
    if len(inside) == 1:
        return _planned(group, inside[0], asked=True), part
    return _refused(group, _unknown(frames, part)), None


def _called(frames: Sequence[GroupFrame], name: str) -> tuple[list[GroupFrame], bool]:
    """Return the frames that *name* may mean, and whether it is an id."""
    by_id = [frame for frame in frames if frame.node.id == canonical_id(name)]
    if by_id:
        return by_id, True
    exact = [frame for frame in frames if frame.title == name]
    return exact or [frame for frame in frames if frame.title.endswith(f"/{name}")], False


def _has(root: DesignNode, part: str) -> bool:
    try:
        find_part(root, part)
    except DesignUnreadableError:
        return False
    return True


def _unknown(frames: Sequence[GroupFrame], part: str) -> str:
    titles = [frame.title for frame in frames]
    close = difflib.get_close_matches(part, titles, n=1)
    listed = ", ".join(printable(title, limit=60) for title in titles[:_LISTED])
    more = f" and {len(titles) - _LISTED} more" if len(titles) > _LISTED else ""
    hint = f'; did you mean "{printable(close[0])}"?' if close else ""
    return f"no frame of it is called {printable(part)!r}; it has {listed}{more}{hint}"


def _refused(group: Group, why: str) -> PlannedComparison:
    return dataclasses.replace(group.planned, refusal=why, image=None)


def _planned(group: Group, frame: GroupFrame, *, asked: bool = False) -> PlannedComparison:
    """Return the comparison of one frame: with its own files, else cut out of the group's."""
    base = group.planned
    folder = base.manifest.parent / base.name
    label = label_of(base.name, node=frame.node.id, theme=base.theme, viewport=base.viewport)
    stems = [label]
    if len(base.looked_in) > 1:  # the only comparison of this node, or the design's own
        stems.append(label_of(base.name, node=frame.node.id))
    places = tuple(folder / f"{stem}.png" for stem in dict.fromkeys(stems))
    image = next((path for path in places if _is_file(path)), None)
    locked = next(
        (e for p in places if (e := _entry_of(group.lock, base.manifest.parent, p))), None
    )
    kept = base.manifest.parent / locked.nodes if locked is not None and locked.nodes else None
    item = dataclasses.replace(
        base,
        name=f"{base.name}/{frame.title}",
        entry=base.name,
        label=label,
        node=frame.node.id,
        image=image,
        looked_in=places,
        nodes=kept or _own_nodes(places) or group.nodes,
    )
    if not frame.named and not asked:
        why = (
            f"frame {frame.node.id} has no name but the one that Figma gave it, so no test can "
            f'ask for it (name it in Figma and pull again, or ask for "{base.name}/'
            f'{frame.node.id}")'
        )
        return dataclasses.replace(item, image=None, refusal=why, reason="unnamed-frame")
    if image is None and base.image is not None and locked is None:
        return dataclasses.replace(
            item,
            image=base.image,
            looked_in=(*places, base.image),
            nodes=group.nodes,
            cut_from=group.root.id,
        )
    return item


def _own_nodes(places: Sequence[Path]) -> Path | None:
    for place in places:
        for ending in (".nodes.json", ".nodes.json.gz"):
            path = place.with_name(place.name.removesuffix(".png") + ending)
            if _is_file(path):
                return path
    return None


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for a locked folder


def _shown(root: DesignNode) -> str:
    kind = root.type.lower().replace("_", " ")
    return f"the {kind} {printable(root.name, limit=60)} ({root.id})"
