"""An aria snapshot that a browser printed, as an accessibility tree."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_pixelloop.core.accessibility import FRAGMENT, TEXT, AccessibleNode
from pytest_pixelloop.core.aria_text import collapse, read_items, read_key
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_pixelloop.core.aria_text import AriaItem

_WHERE = "the browser's aria snapshot"
_BOX = re.compile(r"(-?[\d.]+),(-?[\d.]+),(-?[\d.]+),(-?[\d.]+)$")
_NO_STATES = frozenset(("box", "ref", "cursor"))


def read_tree(text: str, *, shift: tuple[float, float] = (0.0, 0.0)) -> AccessibleNode:
    """Return the tree that *text* prints, every box moved by *shift*.

    Raises ConfigurationError for a text that is not of the form this version knows.
    """
    return AccessibleNode(role=FRAGMENT, children=_nodes(read_items(text, where=_WHERE), shift))


def with_frames(root: AccessibleNode, frames: Mapping[int, AccessibleNode]) -> AccessibleNode:
    """Return *root* with the trees of frames put into its ``iframe`` nodes, counted in order."""
    count = -1

    def fill(node: AccessibleNode) -> AccessibleNode:
        nonlocal count
        if node.role == "iframe":
            count += 1
            inner = frames.get(count)
            return node if inner is None else replace(node, children=inner.children)
        return replace(node, children=tuple(fill(child) for child in node.children))

    return fill(root)


def _nodes(items: Iterable[AriaItem], shift: tuple[float, float]) -> tuple[AccessibleNode, ...]:
    nodes: list[AccessibleNode] = []
    for item in items:
        if item.key.startswith("/"):
            continue  # a property of the node above, read with it
        nodes.append(_node(item, shift))
    return tuple(nodes)


def _node(item: AriaItem, shift: tuple[float, float]) -> AccessibleNode:
    if item.key == TEXT:
        return AccessibleNode(role=TEXT, name=collapse(item.value or ""))
    key = read_key(item, where=_WHERE)
    children = _nodes(item.children, shift)
    if item.value is not None:
        children = (AccessibleNode(role=TEXT, name=collapse(item.value)),)
    states = dict(key.states)
    return AccessibleNode(
        role=key.role,
        name=collapse(key.name or ""),
        states={name: value for name, value in states.items() if name not in _NO_STATES},
        properties={
            child.key[1:]: child.value or "" for child in item.children if child.key.startswith("/")
        },
        children=children,
        box=_box(states.get("box", ""), shift),
    )


def _box(text: str, shift: tuple[float, float]) -> Box | None:
    found = _BOX.match(text)
    if found is None:
        return None
    x, y, w, h = (float(part) for part in found.groups())
    return Box(x, y, w, h).shifted(*shift)
