"""The XML of a Figma MCP server's ``get_metadata`` as a node tree of the REST API's shape.

Two traps (found by comparing dumps with the REST answers of the same nodes): a *group* is written
as a frame, but its children keep the coordinates of the group's own parent; and a rotated or
flipped node gives where its corner went, not its bounding box. The first is recognised, since the
children of such a frame fill it exactly only when read that way; the second cannot be undone, so
a box that lies outside its parent is left out and told.

The XML is untrusted: a document type, and with it every entity, is refused, and size, depth and
number of nodes are limited.
"""

from __future__ import annotations

import json
import re
import xml.parsers.expat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.geometry import Box, union

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES, MAX_DEPTH, MAX_NODES = 32_000_000, 1000, 200_000
_SLACK = 0.01
_START = re.compile(r'<[A-Za-z][\w-]*\s+(?:[\w:-]+="[^"]*"\s+)*id="')
_DECLARATION = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_TYPES = {
    "symbol": "COMPONENT",
    "rounded-rectangle": "RECTANGLE",
    "polygon": "REGULAR_POLYGON",
}
_EXPORT_AGAIN = "save the answer of get_metadata for the frame again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The tree as a raw node, and how many nodes were read, were groups, or have no sure box."""

    root: dict[str, Any]
    nodes: int
    groups: int
    doubtful: tuple[str, ...]


@dataclass(slots=True, eq=False)
class _Element:
    tag: str
    attributes: Mapping[str, str]
    box: Box | None
    children: list[_Element] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class _Parent:
    element: _Element
    is_group: bool


class _DoneError(Exception):
    """The root element is closed; whatever follows is prose."""


def read_metadata(data: bytes, *, name: str) -> Metadata:
    """Return the tree in the bytes of a ``metadata.xml``; *name* is the file's name for messages.

    Fences, JSON wrappers and prose around the XML are cut off. Raises DesignUnreadableError.
    """
    if len(data) > MAX_BYTES:
        raise _unreadable(f"the XML is larger than {MAX_BYTES:,} bytes", name)
    try:
        text = _unwrapped(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _unreadable("the XML is not UTF-8 text", name) from None
    start = _START.search(text)
    if _DECLARATION.search(text, 0, start.start() if start else len(text)):
        raise _unreadable("the XML has a document type, which get_metadata never writes", name)
    if start is None:
        raise _unreadable("there is no node in it: no XML element with an id", name)
    return _tree(_parse(text[start.start() :], name), name)


def _unwrapped(text: str) -> str:
    """Return the text in the JSON that some clients save: blocks of type text."""
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict):
        value = value.get("content", [value])
    if not isinstance(value, list):
        return text
    blocks = [b.get("text") for b in value if isinstance(b, dict)]
    return "\n".join(block for block in blocks if isinstance(block, str)) or text


def _parse(text: str, name: str) -> _Element:
    parser = xml.parsers.expat.ParserCreate()
    stack: list[_Element] = []
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_NODES or len(stack) >= MAX_DEPTH:
            raise _unreadable("the XML is too large or nested too deeply to be a design", name)
        element = _Element(tag, attributes, _box(attributes))
        if stack:
            stack[-1].children.append(element)
        stack.append(element)

    def end(_tag: str) -> None:
        if len(stack) == 1:
            raise _DoneError
        stack.pop()

    def declared(*_arguments: object) -> None:
        raise _unreadable("the XML has a document type, which get_metadata never writes", name)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = declared
    parser.EntityDeclHandler = declared
    try:
        parser.Parse(text, True)  # noqa: FBT003 - the parser's own signature
    except _DoneError:
        return stack[0]
    except xml.parsers.expat.ExpatError as error:
        why = xml.parsers.expat.ErrorString(error.code)
        raise _unreadable(
            f"the XML ends early or is damaged: {why} (line {error.lineno})", name
        ) from None
    raise _unreadable("the XML ends early", name)


def _box(attributes: Mapping[str, str]) -> Box | None:
    try:
        x, y, w, h = (float(attributes[key]) for key in ("x", "y", "width", "height"))
    except (KeyError, ValueError):
        return None
    return Box(x, y, w, h) if max(map(abs, (x, y, w, h))) < 1e9 and w >= 0 <= h else None


def _tree(root: _Element, name: str) -> Metadata:
    """Return the tree with absolute boxes. Walked with a stack: parents first."""
    raws: dict[int, dict[str, Any]] = {}
    doubtful: list[str] = []
    nodes, groups = 0, 0
    stack: list[tuple[_Element, _Parent | None, tuple[float, float]]] = [(root, None, (0.0, 0.0))]
    while stack:
        element, parent, origin = stack.pop()
        nodes += 1
        group = _is_group(element)
        groups += group
        raw = _raw(element, group=group)
        box = element.box
        if box is not None:
            raw["absoluteBoundingBox"] = {
                "x": box.x + origin[0],
                "y": box.y + origin[1],
                "width": box.w,
                "height": box.h,
            }
            if parent is not None and _is_outside(element, parent):
                raw["absoluteBoundingBox"] = None
                doubtful.append(str(raw["id"]))
        raws[id(element)] = raw
        if parent is not None:
            raws[id(parent.element)]["children"].append(raw)
        inner = origin
        if box is not None and not group:
            inner = (origin[0] + box.x, origin[1] + box.y)
        holder = _Parent(element, group)
        stack.extend((child, holder, inner) for child in reversed(element.children))
    if root.tag != "canvas" and root.box is None:
        raise _unreadable(f"the node {printable(str(raws[id(root)]['id']))} has no box", name)
    return Metadata(
        root=raws[id(root)], nodes=nodes, groups=groups, doubtful=tuple(sorted(doubtful))
    )


def _raw(element: _Element, *, group: bool) -> dict[str, Any]:
    kind = _TYPES.get(element.tag, element.tag.replace("-", "_").upper())
    raw: dict[str, Any] = {
        "id": element.attributes.get("id", ""),
        "name": element.attributes.get("name", ""),
        "type": "GROUP" if group else kind,
        "children": [],
    }
    if element.attributes.get("hidden") == "true":
        raw["visible"] = False
    return raw


def _is_group(element: _Element) -> bool:
    """Tell whether the children fill the frame exactly in the coordinates of its parent.

    A frame at 0, 0 reads the same either way.
    """
    if element.tag != "frame" or element.box is None or not element.children:
        return False
    if element.box.x == 0 and element.box.y == 0:
        return False
    for hidden_too in (True, False):
        boxes = [
            child.box
            for child in element.children
            if child.box is not None and (hidden_too or child.attributes.get("hidden") != "true")
        ]
        whole = union(boxes)
        if whole is not None and _same(whole, element.box):
            return True
    return False


def _same(a: Box, b: Box) -> bool:
    pairs = ((a.x, b.x), (a.y, b.y), (a.w, b.w), (a.h, b.h))
    return all(abs(one - other) <= _SLACK for one, other in pairs)


def _is_outside(element: _Element, parent: _Parent) -> bool:
    """Tell whether a node lies wholly beside its parent: a corner was told, not a box."""
    box, around = element.box, parent.element.box
    if box is None or around is None or parent.element.tag in ("canvas", "section"):
        return False
    frame = around if parent.is_group else Box(0.0, 0.0, around.w, around.h)
    if frame.area <= 0 or box.area <= 0:
        return False
    return frame.intersection(box) is None


def _unreadable(what: str, name: str) -> DesignUnreadableError:
    return DesignUnreadableError(
        what,
        where=name,
        expected="the answer of a Figma MCP server's get_metadata",
        next_step=_EXPORT_AGAIN,
    )
