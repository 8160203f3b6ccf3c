"""Matching by text: the same words, in the place where the neighbours lead one to expect them."""

from __future__ import annotations

import math
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from pytest_pixelloop.core.dom import normalise_text
from pytest_pixelloop.core.matches import FoundBy
from pytest_pixelloop.core.pairing import assign

if TYPE_CHECKING:
    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.pairing import Board

_SAME, _SAME_BUT_CASE = 0.97, 0.93
_REFLOWED_CONFIDENCE = 0.75
_REACH = 80.0
_MOVED = 80.0
_FAR = 400.0
_COMPARED = 300
_LEAST_LIKE = 0.5


def text_key(text: str) -> str:
    """Return what two texts share that differ in white space, composition or case only."""
    return normalise_text(text).casefold()


def match_texts(board: Board) -> None:
    """Pair text nodes with elements of the same text, texts that occur once on each side first."""
    nodes: dict[str, list[PlacedNode]] = {}
    for item in board.open_nodes(text=True):
        key = text_key(item.node.characters or "")
        if key:
            nodes.setdefault(key, []).append(item)
    elements: dict[str, list[Element]] = {}
    for element in board.elements:
        if element.text and element.index not in board.text_taken:
            elements.setdefault(text_key(element.text), []).append(element)
    shared = sorted(
        (key for key in nodes if key in elements),
        key=lambda k: (len(nodes[k]) * len(elements[k]), len(nodes[k]), k),
    )
    alone = [key for key in shared if len(nodes[key]) == len(elements[key]) == 1]
    for keys in (alone, [key for key in shared if key not in alone]):
        for key in keys:
            _match_group(board, nodes[key], elements[key])
        board.refresh()
    _match_labels(board)
    board.refresh()


def _match_group(board: Board, nodes: list[PlacedNode], elements: list[Element]) -> None:
    """Pair some texts with the elements that have the same words."""
    if len(nodes) == len(elements) == 1:
        _take_alone(board, nodes[0], elements[0])
        return
    # Squared distances keep a row that moved as a whole in its order; see assign.
    targets = [board.text_target(item) for item in nodes]
    pairs = assign(
        len(nodes),
        len(elements),
        lambda r, c: _distance(targets[r], board.text_point(nodes[r], elements[c])) ** 2,
    )
    reflowed = len(nodes) == len(elements) and max(cost for *_, cost in pairs) > _MOVED**2
    if reflowed:
        pairs = _in_order(board, nodes, elements)
    uneven = len(nodes) != len(elements)
    for r, c, cost in pairs:
        confidence = _REFLOWED_CONFIDENCE
        if not reflowed:
            confidence = _sameness(nodes[r], elements[c])
            confidence -= 0.02 + min(0.35, cost**0.5 / _FAR) + (0.05 if uneven else 0.0)
        _take_text(board, nodes[r], elements[c], confidence)


def _take_alone(board: Board, item: PlacedNode, element: Element) -> None:
    """Pair a text that occurs once on each side: how far it has gone says little."""
    distance = _distance(board.text_target(item), board.text_point(item, element))
    confidence = _sameness(item, element) - min(0.2, distance / 2000)
    if len(element.text) <= 2 and distance > _REACH:
        confidence -= 0.2
    _take_text(board, item, element, confidence)


def _sameness(item: PlacedNode, element: Element) -> float:
    """Return how sure it is that two texts are one that differ at most in case."""
    wanted = item.node.characters or ""
    same = wanted == element.text or normalise_text(wanted) == normalise_text(element.text)
    return _SAME if same else _SAME_BUT_CASE


def _take_text(board: Board, item: PlacedNode, element: Element, confidence: float) -> None:
    board.take(
        item.node.id,
        element.index,
        found_by=FoundBy.TEXT,
        confidence=confidence,
        is_text=True,
    )


def _in_order(
    board: Board, nodes: list[PlacedNode], elements: list[Element]
) -> list[tuple[int, int, float]]:
    """Pair equal texts in reading order: where a page wraps otherwise, order is what it keeps."""
    rows = sorted(range(len(nodes)), key=lambda r: board.reading_order[nodes[r].node.id])
    columns = sorted(range(len(elements)), key=lambda c: elements[c].index)
    return [(r, c, 0.0) for r, c in zip(rows, columns, strict=True)]


def _match_labels(board: Board) -> None:
    """Pair a text node with the smallest element whose children hold its text between them."""
    by_label: dict[str, list[Element]] = {}
    for element in board.elements:
        if not element.text and element.label and element.index not in board.text_taken:
            by_label.setdefault(text_key(element.label), []).append(element)
    taken_inside: set[int] = set()
    for index in board.text_taken:
        taken_inside.update(board.ancestors[index])
    for item in board.open_nodes(text=True):
        options = [
            e
            for e in by_label.get(text_key(item.node.characters or ""), [])
            if e.index not in taken_inside
        ]
        if not options:
            continue
        target = board.text_target(item)
        distance, _, _, best = min(
            (
                (round(_distance(target, board.text_point(item, e)), 3), e.box.area, -e.index, e)
                for e in options
            ),
            key=lambda scored: scored[:3],
        )
        board.take(
            item.node.id,
            best.index,
            found_by=FoundBy.TEXT,
            confidence=0.85 - min(0.3, distance / _FAR),
            is_text=True,
        )
        taken_inside.update((best.index, *board.ancestors[best.index]))


def match_similar_texts(board: Board) -> None:
    """Pair what is left of texts by place and likeness: a wrong word is still the same text."""
    nodes = board.open_nodes(text=True)
    elements = [
        e
        for e in board.elements
        if e.text and e.index not in board.text_taken and _is_free(board, e)
    ]
    scored: list[tuple[float, int, int]] = []
    near: dict[tuple[str, int], int] = {}
    for n, item in enumerate(nodes):
        wanted = text_key(item.node.characters or "")
        home = board.matched_ancestor(item)
        target = board.text_target(item)
        for e, element in enumerate(elements):
            distance = _distance(target, board.text_point(item, element))
            nearness = max(0.0, 1 - distance / _REACH)
            same_home = home is not None and board.is_inside(element.index, home)
            if distance > _FAR or (nearness == 0 and not same_home):
                continue
            if nearness > 0:
                near["node", n] = near.get(("node", n), 0) + 1
                near["element", e] = near.get(("element", e), 0) + 1
            likeness = _likeness(wanted, text_key(element.text))
            score = 0.45 * nearness + 0.4 * likeness + (0.15 if same_home else 0.0)
            scored.append((-round(score, 6), n, e))
    for negative, n, e in sorted(scored):
        if -negative < _LEAST_LIKE:
            break
        # Where nothing else is near on either side, it is the text with other words.
        only = near.get(("node", n)) == 1 and near.get(("element", e)) == 1
        board.take(
            nodes[n].node.id,
            elements[e].index,
            found_by=FoundBy.BOX if -negative < 0.8 else FoundBy.TEXT,
            confidence=0.3 + 0.6 * -negative + (0.1 if only else 0.0),
            is_text=True,
        )
    board.refresh()


def _distance(first: tuple[float, float], second: tuple[float, float]) -> float:
    return math.hypot(first[0] - second[0], first[1] - second[1])


def _is_free(board: Board, element: Element) -> bool:
    """Tell whether no element around it has its text already (bold words in a paragraph)."""
    return not any(
        i in board.text_taken and board.elements[i].text for i in board.ancestors[element.index]
    )


def _likeness(first: str, second: str) -> float:
    if first == second:
        return 1.0
    matcher = SequenceMatcher(None, first[:_COMPARED], second[:_COMPARED], autojunk=False)
    return matcher.ratio()
