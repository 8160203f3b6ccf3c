"""Exact matching: elements that name their design node by an attribute."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_pixelloop.core.design import DesignNode, walk
from pytest_pixelloop.core.dom import ANCHOR_ATTRIBUTES
from pytest_pixelloop.core.matches import Anchors, FoundBy
from pytest_pixelloop.core.pairing import is_text_node, overlap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.pairing import Board

_ID = re.compile(r"I?\d+:\d+(;\d+:\d+)*$")
_INDEX_PATH = re.compile(r"children\[\d+\](\.children\[\d+\])*$")
_INDEX = re.compile(r"\[(\d+)\]")
#: Several elements bear one anchor: the best placed one is taken, and not much is claimed of it.
_DUPLICATE_CONFIDENCE = 0.6


def normalise_id(text: str) -> str:
    """Return a node id in the form of the REST API: ``12-34``, ``12%3A34`` become ``12:34``.

    What is no Figma id (a bridge file's path of names) comes back as it is, without blanks.
    """
    stripped = text.strip()
    plain = unquote(stripped).replace("-", ":")
    return plain if _ID.match(plain) else stripped


def index_paths(root: DesignNode) -> dict[str, str]:
    """Return the node id by index path (``children[0].children[3]``); hidden nodes count."""
    found: dict[str, str] = {}
    stack: list[tuple[DesignNode, str]] = [(root, "")]
    while stack:
        node, path = stack.pop()
        for i, child in enumerate(node.children):
            below = f"{path}.children[{i}]" if path else f"children[{i}]"
            found[below] = child.id
            stack.append((child, below))
    return found


def match_anchors(board: Board) -> Anchors:
    """Pair every node whose id an element bears, and return what is wrong with the anchors."""
    if not any(element.anchors for element in board.elements):
        return Anchors()
    root = next((item.node for item in board.nodes.values() if item.depth == 0), None)
    known = {normalise_id(node.id): node.id for node in walk(root)} if root else {}
    known.update({normalise_id(node_id): node_id for node_id in board.nodes})
    paths = index_paths(root) if root else {}
    bearers: dict[str, list[Element]] = {}
    unknown: set[str] = set()
    for element in board.elements:
        for attribute in ANCHOR_ATTRIBUTES:
            if attribute not in element.anchors:
                continue
            node_id = _node_id(attribute, element.anchors[attribute], known=known, paths=paths)
            if node_id is None:
                unknown.add(element.anchors[attribute])
            else:
                bearers.setdefault(node_id, []).append(element)
                break
    for node_id in board.nodes:
        if node_id in bearers:
            _take_best(board, node_id, bearers[node_id])
    if not bearers and not unknown:
        return Anchors()
    return Anchors(
        used=sum(len(found) for found in bearers.values()),
        duplicates=tuple(sorted(i for i, found in bearers.items() if len(found) > 1)),
        unknown=tuple(sorted(unknown)),
        hidden=tuple(sorted(i for i in bearers if i not in board.nodes)),
        missing=tuple(sorted(i for i in board.nodes if i not in bearers)),
    )


def _node_id(
    attribute: str, value: str, *, known: Mapping[str, str], paths: Mapping[str, str]
) -> str | None:
    if attribute == "data-dk":
        path = value.strip()
        if _INDEX_PATH.match(path):
            # "children[03]" is children[3]: numbers, not their spelling, make the path.
            path = _INDEX.sub(lambda m: f"[{int(m.group(1))}]", path)
            return paths.get(path)
    return known.get(normalise_id(value))


def _take_best(board: Board, node_id: str, elements: list[Element]) -> None:
    item = board.nodes[node_id]
    best = min(elements, key=lambda e: (-overlap(item.box, e.box), e.index))
    board.take(
        node_id,
        best.index,
        found_by=FoundBy.ANCHOR,
        confidence=1.0 if len(elements) == 1 else _DUPLICATE_CONFIDENCE,
        is_text=is_text_node(item),
    )
