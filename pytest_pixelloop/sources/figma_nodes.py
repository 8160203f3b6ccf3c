"""Figma node trees from their JSON: four shapes, one reader, tolerant of what it does not know.

Read are a ``nodes`` answer of the REST API, a ``files`` answer, a bare node document (also the
plugin API's ``JSON_REST_V1`` export), and a reduced subset (``{"document": node}`` with few fields
and no render bounds), or a list of nodes. Trees are walked with a stack, never by recursion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design import DesignNode
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.sources.figma_json import parse_json, unreadable
from pytest_pixelloop.sources.figma_names import names_in
from pytest_pixelloop.sources.figma_shapes import check_is_rest, split_shape
from pytest_pixelloop.sources.figma_values import node_properties, number
from pytest_pixelloop.sources.node_ids import canonical_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONTAINERS = ("DOCUMENT", "CANVAS")
_FRAMES = ("FRAME", "COMPONENT", "COMPONENT_SET", "INSTANCE", "SECTION", "GROUP", "SLOT")
_LISTED = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeFile:
    """The nodes of one JSON file, not yet built into a tree.

    ``roots`` are raw JSON objects. ``missing`` are ids that the API answered with null: they are
    not in the Figma file. ``names`` are those of variables and styles by id. The rest is what the
    file says of itself, None where it says nothing.
    """

    name: str
    roots: tuple[dict[str, Any], ...]
    missing: tuple[str, ...] = ()
    file_key: str | None = None
    version: str | None = None
    last_modified: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def node(self, node_id: str | None = None) -> DesignNode:
        """Return the tree below the node *node_id*, or below the only frame there is.

        Raises DesignUnreadableError when the id is not there, when there are several frames to
        choose from, or when the chosen node has no bounding box.
        """
        raw = self._only() if node_id is None else self._by_id(node_id)
        root = build_tree(raw, names=self.names)
        if root.box is None or root.box.area <= 0:
            raise unreadable(
                f"node {root.id} ({printable(root.name)}, {root.type}) has no absoluteBoundingBox "
                "with an area",
                self.name,
                next_step="export a frame, with the fields of the REST API",
            )
        if not root.visible:
            raise unreadable(
                f"node {root.id} ({printable(root.name)}) is hidden in the design "
                "(visible: false): it cannot have been exported like this",
                self.name,
                next_step="show it in Figma and fetch it again, or set another node",
            )
        return root

    def raw(self, node_id: str | None = None) -> dict[str, Any]:
        """Return the JSON object of the node *node_id*, or of the only frame there is.

        Raises DesignUnreadableError as node() does.
        """
        self.node(node_id)
        return self._only() if node_id is None else self._by_id(node_id)

    def has(self, node_id: str) -> bool:
        """Tell whether the node is in the file."""
        wanted = canonical_id(node_id)
        return any(canonical_id(str(raw.get("id"))) == wanted for raw in self._all())

    def _by_id(self, node_id: str) -> dict[str, Any]:
        wanted = canonical_id(node_id)
        for raw in self._all():
            if raw.get("id") in (wanted, node_id):
                return raw
        for raw in self._all():
            if isinstance(raw.get("id"), str) and canonical_id(raw["id"]) == wanted:
                return raw
        if wanted in self.missing:
            what = f"Figma answered null for node {wanted}: it is not in that file"
        else:
            what = f"there is no node {printable(wanted)} in the node file"
        raise unreadable(what + _listing(self._candidates()), self.name, next_step=_SET_NODE)

    def _only(self) -> dict[str, Any]:
        candidates = self._candidates()
        if len(candidates) == 1:
            return candidates[0]
        if not candidates:
            null = f" (null answers: {', '.join(self.missing[:_LISTED])})" if self.missing else ""
            raise unreadable(f"the node file holds no frame{null}", self.name)
        raise unreadable(
            f"the node file holds {len(candidates)} frames and none is chosen"
            + _listing(candidates),
            self.name,
            next_step=_SET_NODE,
        )

    def _candidates(self) -> list[dict[str, Any]]:
        """Return what may be meant when no id is given: top-level frames, through pages.

        Beside frames on a page, loose texts and lines are not meant. A node that the file was
        asked for by name (a root) always counts.
        """
        roots: list[dict[str, Any]] = []
        on_pages: list[dict[str, Any]] = []
        stack = [(raw, roots) for raw in reversed(self.roots)]
        while stack:
            raw, place = stack.pop()
            if raw.get("type") in _CONTAINERS:
                stack.extend((child, on_pages) for child in reversed(children_of(raw)))
            elif place is roots or raw.get("visible") is not False:
                place.append(raw)
        frames = [raw for raw in on_pages if raw.get("type") in _FRAMES]
        return roots + (frames or on_pages)

    def _all(self) -> Iterator[dict[str, Any]]:
        stack = list(reversed(self.roots))
        while stack:
            raw = stack.pop()
            yield raw
            stack.extend(reversed(children_of(raw)))


_SET_NODE = 'name the node: "node:" in designs.yaml, or --node'


def read_nodes(data: bytes, *, name: str) -> NodeFile:
    """Return the nodes in the bytes of a JSON file; *name* is the file's name for messages.

    Raises DesignUnreadableError for what is no JSON, holds no Figma nodes, is an error answer of
    the API, or only looks like Figma's REST format (integer enums, PascalCase).
    """
    value = parse_json(data, name=name)
    shape = split_shape(value, name=name)
    nodes = NodeFile(
        name=name,
        roots=shape.roots,
        missing=tuple(canonical_id(text) for text in shape.missing),
        file_key=shape.file_key,
        version=shape.version,
        last_modified=shape.last_modified,
        names=names_in(shape.envelope),
    )
    check_is_rest(shape, list(nodes._all()), name=name)  # noqa: SLF001 - its own module
    return nodes


def children_of(raw: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the children of a raw node that are objects; nothing where there are none."""
    children = raw.get("children")
    return [c for c in children if isinstance(c, dict)] if isinstance(children, list) else []


def build_tree(root: dict[str, Any], *, names: Mapping[str, str] | None = None) -> DesignNode:
    """Return the raw node *root* and everything below it as values, hidden nodes included.

    *names* are those of variables and styles by id.
    """
    known = names or {}
    order: list[tuple[dict[str, Any], int, str]] = []
    stack: list[tuple[dict[str, Any], int, str]] = [(root, -1, "0")]
    while stack:
        raw, parent, place = stack.pop()
        at = len(order)
        order.append((raw, parent, place))
        children = children_of(raw)
        stack.extend(
            (children[index], at, f"{_string(raw.get('id')) or place}/{index}")
            for index in range(len(children) - 1, -1, -1)
        )
    below: list[list[DesignNode]] = [[] for _ in order]
    # Backwards: a parent comes before its children in the order, so they are complete by then.
    for at in range(len(order) - 1, 0, -1):
        raw, parent, place = order[at]
        below[parent].append(_node(raw, place, children=below[at], names=known))
    return _node(root, "0", children=below[0], names=known)


def _node(
    raw: dict[str, Any], place: str, *, children: list[DesignNode], names: Mapping[str, str]
) -> DesignNode:
    """Return one node; *children* are last first. Without an id it gets its *place* as one."""
    kind = _string(raw.get("type")) or "UNKNOWN"
    opacity = number(raw.get("opacity"))
    return DesignNode(
        id=_string(raw.get("id")) or place,
        name=_string(raw.get("name")) or kind,
        type=kind,
        box=_box(raw.get("absoluteBoundingBox")),
        render_box=_box(raw.get("absoluteRenderBounds")),
        visible=raw.get("visible") is not False,
        opacity=1.0 if opacity is None else min(max(opacity, 0.0), 1.0),
        clips=raw.get("clipsContent") is True,
        is_mask=raw.get("isMask") is True,
        rotation=number(raw.get("rotation")) or 0.0,
        characters=_string(raw.get("characters")),
        properties=node_properties(raw),
        children=tuple(reversed(children)),
        names=names,
    )


def _string(value: object) -> str | None:
    """Return a text that can be written as UTF-8: half a surrogate pair cannot."""
    if not isinstance(value, str):
        return None
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def _box(value: object) -> Box | None:
    """Return a Rectangle as a box; None for null, for fields that are null, and for nonsense."""
    if not isinstance(value, dict):
        return None
    x, y, w, h = (number(value.get(key)) for key in ("x", "y", "width", "height"))
    if x is None or y is None or w is None or h is None or w < 0 or h < 0:
        return None
    return Box(x, y, w, h)


def _listing(candidates: list[dict[str, Any]]) -> str:
    if not candidates:
        return ""
    lines = []
    for raw in candidates[:_LISTED]:
        box = _box(raw.get("absoluteBoundingBox"))
        size = f", {box.w:g}x{box.h:g}" if box else ""
        name = printable(str(raw.get("name")), limit=60)
        lines.append(f'    {raw.get("id")}  "{name}" ({raw.get("type")}{size})')
    if len(candidates) > _LISTED:
        lines.append(f"    and {len(candidates) - _LISTED} more")
    return "; it has:\n" + "\n".join(lines)
