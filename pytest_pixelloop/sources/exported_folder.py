"""A folder that a person or an agent exported: its pictures, each with its node tree.

What is understood: any REST shape, a plugin's JSON_REST_V1, an MCP bundle (``metadata.xml`` with a
screenshot, ``variables.json``), and PNGs alone, named by label. Everything is checked before
anything is kept, and whatever lies there and is not used is named.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError, DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.placement import place_export
from pytest_pixelloop.sources.exported_trees import ExportedTrees, read_trees
from pytest_pixelloop.sources.figma_nodes import build_tree
from pytest_pixelloop.sources.label_nodes import label_nodes
from pytest_pixelloop.sources.node_ids import canonical_id, is_figma_id
from pytest_pixelloop.sources.picture_file import read_picture
from pytest_pixelloop.sources.sections import frames_of, is_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.sources.figma_nodes import NodeFile

_RENDERS = re.compile(
    r"(?:^|[-_.])(?:web-?render|render(?:ed)?|actual|diff)(?:[-_.]|$)", re.IGNORECASE
)
_MEANT = re.compile(r"(?:screenshot|frame|figma|design|node|baseline)(?:[-@_.].*)?", re.IGNORECASE)
_SCALE = re.compile(r"@\d{1,2}(?:\.\d{1,2})?x$", re.IGNORECASE)
_FOLLOWS = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*", re.ASCII)
_SCHEMES = ("light", "dark")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportWish:
    """What the user said beside the folder: which node and picture are meant, at which scale."""

    node: str | None = None
    image: Path | None = None
    scale: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExportedLabel:
    """One comparison's design side as it was exported, checked and ready to be kept.

    ``node`` is None where nobody knows an id; ``nodes`` is None for a picture alone. ``stem`` is
    the picture's name without ending and scale. ``group`` is the section or component set that the
    exported tree is about, where this is a frame of it, and ``group_nodes`` that tree.
    """

    stem: str
    node: str | None
    theme: str | None
    viewport: str | None
    image: bytes
    nodes: bytes | None
    source: str
    scale: float | None
    file_key: str | None = None
    version: str | None = None
    last_modified: str | None = None
    notes: tuple[str, ...] = ()
    group: str | None = None
    group_nodes: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Name:
    """A picture's name taken apart: ``12-340__dark__mobile@2x``."""

    stem: str
    node: str | None
    theme: str | None
    viewport: str | None


def read_export(
    folder: Path, wish: ImportWish | None = None
) -> tuple[tuple[ExportedLabel, ...], tuple[str, ...]]:
    """Return the labels that the files of *folder* make, and notes about what was left out.

    Raises ConfigurationError when it is not clear which picture is meant, and
    DesignUnreadableError for a file that cannot be read or a picture that does not fit its node.
    """
    wish = wish or ImportWish()
    trees, notes = read_trees(folder)
    pictures, left_out = _pictures(folder, wish, trees)
    notes = (*notes, *left_out)
    labels = [_label(path, _name(path), trees, wish, alone=len(pictures) == 1) for path in pictures]
    return tuple(labels), notes


def holds_export(folder: Path) -> bool:
    """Tell whether pictures or trees lie in *folder* itself."""
    return any(
        path.is_file() and path.suffix.lower() in (".png", ".json", ".xml")
        for path in folder.iterdir()
    )


def _pictures(
    folder: Path, wish: ImportWish, trees: ExportedTrees
) -> tuple[list[Path], tuple[str, ...]]:
    """Return the pictures that are designs: all with an id in their name, else the one meant."""
    if wish.image is not None:
        return [wish.image], ()
    found = sorted(p for p in folder.iterdir() if p.is_file() and p.suffix.lower() == ".png")
    renders = [p for p in found if _RENDERS.search(p.stem)]
    designs = [p for p in found if p not in renders]
    notes = tuple(f"{p.name} is left out: it is called like a render" for p in renders)
    if not designs:
        what = f"only renders ({', '.join(p.name for p in renders)})" if renders else "no PNG"
        raise DesignUnreadableError(
            f"there is no picture of the design: {what}",
            where=str(folder),
            expected="a PNG of the frame beside its node tree",
            next_step="save the screenshot or export into the folder, or name it with --image",
        )
    named = [p for p in designs if _name(p).node is not None]
    if named:
        rest = [p for p in designs if p not in named]
        return named, (*notes, *(f"{p.name} is left out: no node id in its name" for p in rest))
    if len(designs) == 1 or trees.empty:
        return designs, notes
    meant = [p for p in designs if trees.beside(p.stem) is not None] or [
        p for p in designs if _MEANT.fullmatch(p.stem)
    ]
    if len(meant) == 1:
        rest = [p for p in designs if p not in meant]
        return meant, (*notes, *(f"{p.name} is left out" for p in rest))
    if len(meant) > 1 and all(trees.beside(p.stem) is not None for p in meant):
        return meant, notes
    raise ConfigurationError(
        f"{len(designs)} pictures, and none is named by a node id: "
        + ", ".join(printable(p.name, limit=60) for p in designs[:8]),
        where=str(folder),
        expected="one picture, or names such as 12-340.png",
        next_step="say which is the design with --image FILE",
    )


def _name(path: Path) -> _Name:
    stem = _SCALE.sub("", path.stem)
    first, *rest = stem.split("__")
    node = canonical_id(first)
    if not (len(rest) <= 2 and all(_FOLLOWS.fullmatch(part) for part in rest)):
        rest = []
    theme, viewport = None, None
    if len(rest) == 2:
        theme, viewport = rest
    elif rest:
        theme, viewport = (rest[0], None) if rest[0] in _SCHEMES else (None, rest[0])
    known = node if is_figma_id(node) else None
    return _Name(stem=stem, node=known, theme=theme, viewport=viewport)


def _label(
    path: Path, name: _Name, trees: ExportedTrees, wish: ImportWish, *, alone: bool
) -> ExportedLabel:
    pixels, data = read_picture(path, name=path.name)
    size = (int(pixels.shape[1]), int(pixels.shape[0]))
    wanted = name.node or (wish.node and canonical_id(wish.node)) or trees.node
    tree = trees.of(path.stem, wanted, alone=alone)
    own_scale = wish.scale if wish.scale is not None else trees.scale
    bare = ExportedLabel(
        stem=name.stem,
        node=wanted,
        theme=name.theme,
        viewport=name.viewport,
        image=data,
        nodes=None,
        source="png",
        scale=own_scale,
        file_key=trees.file_key,
        version=trees.version,
    )
    if tree is None:
        why = () if trees.empty else (f"{path.name}: no node tree has its node, so it is bare",)
        return replace(bare, notes=why)
    raw = tree.file.raw(wanted if wanted is not None and tree.file.has(wanted) else None)
    root = build_tree(raw)
    placed = place_export(size, root, scale=own_scale)
    node = root.id if isinstance(raw.get("id"), str) and raw["id"] else None
    group = _group(tree.file, node)
    return replace(
        bare,
        node=node or wanted,
        group=group["id"] if group is not None else None,
        group_nodes=_node_bytes(group, group["id"], trees, tree.file) if group else None,
        source=tree.source,
        scale=placed.scale,
        file_key=trees.file_key or tree.file.file_key,
        version=trees.version or tree.file.version,
        last_modified=tree.file.last_modified,
        nodes=_node_bytes(raw, node or "0", trees, tree.file),
        notes=(*tree.notes, *_scale_notes(path.name, placed.scale)),
    )


def _group(file: NodeFile, node: str | None) -> dict[str, Any] | None:
    """Return the section or component set that *file* is about, where *node* is a frame of it.

    A tree of a page holds sections as well, but is not about one of them.
    """
    if node is None or len(file.roots) != 1:
        return None
    raw = file.roots[0]
    root = build_tree(raw)
    inside = is_group(root) and any(frame.node.id == node for frame in frames_of(root))
    return raw if inside and isinstance(raw.get("id"), str) else None


def _node_bytes(raw: Mapping[str, Any], node: str, trees: ExportedTrees, file: Any) -> bytes:
    extra = {"variables": trees.variables} if trees.variables else None
    return label_nodes(
        node,
        {"document": raw},
        name=None,
        file_key=trees.file_key or file.file_key,
        version=trees.version or file.version,
        last_modified=file.last_modified,
        extra=extra,
    )


def _scale_notes(name: str, scale: float) -> Sequence[str]:
    if scale < 1:
        return (f"{name} is scaled down to {scale:.3g}: what is finer than that cannot be judged",)
    if not math.isclose(scale, round(scale * 2) / 2):
        return (f"{name} has the odd scale {scale:.4g}: a client may have scaled it",)
    return ()
