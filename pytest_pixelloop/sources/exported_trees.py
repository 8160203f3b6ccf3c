"""The node trees of an exported folder, whichever shape each has, and what is said of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.sources.figma_nodes import NodeFile, read_nodes
from pytest_pixelloop.sources.mcp_metadata import Metadata, read_metadata
from pytest_pixelloop.sources.node_ids import canonical_id
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SIDECAR, VARIABLES = "pixelloop.json", "variables.json"
_MOST_FILES = 500
_NAMED_NODES = ("node.json", "nodes.json", "document.json", "data.json")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExportedTree:
    """One file with nodes. ``stem`` is its name without endings; ``source`` says its kind."""

    stem: str
    source: str
    file: NodeFile
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExportedTrees:
    """All trees of a folder, and what its ``pixelloop.json`` and ``variables.json`` say."""

    trees: tuple[ExportedTree, ...]
    node: str | None = None
    file_key: str | None = None
    version: str | None = None
    scale: float | None = None
    variables: Mapping[str, Any] | None = None

    @property
    def empty(self) -> bool:
        """Whether there is no tree at all."""
        return not self.trees

    def beside(self, stem: str) -> ExportedTree | None:
        """Return the tree whose file is called like a picture."""
        return next((tree for tree in self.trees if tree.stem == stem), None)

    def of(self, stem: str, node: str | None, *, alone: bool) -> ExportedTree | None:
        """Return the tree of a picture: of its name, of its node, or the only one there is.

        The only tree is meant for the only picture, unless the node that was named is not in it:
        then the trees say so themselves.
        """
        own = self.beside(stem)
        if own is not None:
            return own
        if node is not None:
            for tree in self.trees:
                if tree.file.has(node):
                    return tree
        return self.trees[0] if alone and self.trees else None


def read_trees(folder: Path) -> tuple[ExportedTrees, tuple[str, ...]]:
    """Return the trees in *folder*, and notes about files that were left out.

    Where both a REST tree and ``metadata.xml`` are there, the REST tree counts: it has styles.
    Raises DesignUnreadableError for a file that is called like a node file and is none.
    """
    notes: list[str] = []
    files = sorted(p for p in folder.iterdir() if p.is_file())[:_MOST_FILES]
    sidecar = _object(folder / SIDECAR) if (folder / SIDECAR).is_file() else {}
    trees = [
        tree
        for path in files
        if path.name not in (SIDECAR, VARIABLES)
        and (path.suffix.lower() == ".json" or path.name.endswith(".json.gz"))
        and (tree := _rest(path, notes)) is not None
    ]
    for path in files:
        if path.suffix.lower() != ".xml":
            continue
        if trees:
            notes.append(f"{path.name} is left out: {trees[0].file.name} says more")
            continue
        trees.append(_metadata(path))
    variables = _object(folder / VARIABLES) if (folder / VARIABLES).is_file() else None
    scale = sidecar.get("scale")
    node = _text(sidecar.get("nodeId"))
    found = ExportedTrees(
        trees=tuple(trees),
        node=canonical_id(node) if node else None,
        file_key=_text(sidecar.get("fileKey")),
        version=_text(sidecar.get("version")),
        scale=float(scale) if isinstance(scale, int | float) and 0 < scale <= 64 else None,
        variables=variables,
    )
    return found, tuple(notes)


def _rest(path: Path, notes: list[str]) -> ExportedTree | None:
    data = read_file(path, name=path.name, error=DesignUnreadableError)
    stem = path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".nodes")
    try:
        return ExportedTree(stem=stem, source="rest", file=read_nodes(data, name=path.name))
    except DesignUnreadableError as error:
        if path.name in _NAMED_NODES or path.name.endswith((".nodes.json", ".nodes.json.gz")):
            raise
        notes.append(f"{path.name} is left out: {error.what.splitlines()[0]}")
        return None


def _metadata(path: Path) -> ExportedTree:
    data = read_file(path, name=path.name, error=DesignUnreadableError)
    read = read_metadata(data, name=path.name)
    nodes = read_nodes(json.dumps(read.root).encode(), name=path.name)
    return ExportedTree(stem=path.stem, source="mcp", file=nodes, notes=tuple(_told(read)))


def _told(read: Metadata) -> list[str]:
    notes = ["from MCP metadata: places and sizes only, no fills, no fonts, no text"]
    if read.groups:
        notes.append(f"{read.groups} frames are groups: their children keep the outer coordinates")
    if read.doubtful:
        shown = ", ".join(read.doubtful[:6]) + (" ..." if len(read.doubtful) > 6 else "")
        notes.append(
            f"{len(read.doubtful)} nodes lie outside their parents (rotated or flipped), so their "
            f"boxes are not used: {shown}"
        )
    return notes


def _object(path: Path) -> dict[str, Any]:
    data = read_file(path, name=path.name, error=DesignUnreadableError)
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise DesignUnreadableError("it is no JSON object", where=path.name)
    return value


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
