"""From nodes to elements: anchors, text, structure and boxes, one to one and in any order."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.anchors import index_paths, normalise_id
from pytest_pixelloop.core.design import DesignNode, PlacedNode, place_nodes
from pytest_pixelloop.core.dom import DomSnapshot, Element, normalise_text, paints
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.matches import CONFIDENT, FoundBy
from pytest_pixelloop.core.matching import match
from pytest_pixelloop.core.pairing import assign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.matches import Matches

RED = {"type": "SOLID", "color": {"r": 1, "g": 0, "b": 0, "a": 1}}


def _node(
    node_id: str,
    box: tuple[float, float, float, float],
    *children: DesignNode,
    text: str | None = None,
    kind: str = "FRAME",
    **properties: Any,
) -> DesignNode:
    return DesignNode(
        id=node_id,
        name=f"node {node_id}",
        type="TEXT" if text is not None else kind,
        box=Box(*box),
        characters=text,
        properties=properties,
        children=children,
    )


def _page(
    *rows: tuple[int | None, str, tuple[float, float, float, float], dict[str, Any]],
) -> DomSnapshot:
    elements = [
        Element(
            index=i,
            parent=parent,
            selector=f"#e{i}",
            tag=tag,
            box=Box(*box),
            **{"label": extra.get("text", ""), **extra},
        )
        for i, (parent, tag, box, extra) in enumerate(rows)
    ]
    return DomSnapshot(elements=tuple(elements), size=(400, 300))


def _pairs(matches: Matches) -> dict[str, int]:
    return {m.node_id: m.element for m in matches.pairs}


def _anchored(*anchors: dict[str, str]) -> DomSnapshot:
    rows: list[tuple[int | None, str, tuple[float, float, float, float], dict[str, Any]]] = [
        (None, "main", (0, 0, 400, 300), {})
    ]
    rows.extend((0, "div", (300, 200 + 9 * i, 9, 9), {"anchors": a}) for i, a in enumerate(anchors))
    return _page(*rows)


def _two_boxes() -> DesignNode:
    return _node(
        "1:1",
        (0, 0, 400, 300),
        _node("1:2", (10, 10, 50, 50), fills=[RED]),
        _node("I1:3;4:5", (10, 70, 50, 50), fills=[RED]),
    )


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("data-figma-id", "1:2"),
        ("data-figma-id", "1-2"),
        ("data-node-id", "1%3A2"),
        ("data-node-id", " 1:2 "),
        ("data-dk", "children[0]"),
        ("data-dk", "children[00]"),
    ],
)
def test_an_anchor_is_exact_wherever_the_element_lies(attribute: str, value: str) -> None:
    """An element that names its node is its element, however the id is spelt, surely."""
    found = match(place_nodes(_two_boxes()), _anchored({attribute: value}))
    assert found.by_node["1:2"].element == 1
    assert found.by_node["1:2"].found_by is FoundBy.ANCHOR
    assert found.by_node["1:2"].confidence == 1


def test_instance_ids_are_normalised() -> None:
    """Ids of children of instances match in link form, too; other ids stay as they are."""
    assert normalise_id("I1-3;4-5") == "I1:3;4:5"
    assert normalise_id("I1-3%3B4-5") == "I1:3;4:5"
    assert normalise_id("login-page/Card") == "login-page/Card"
    found = match(place_nodes(_two_boxes()), _anchored({"data-figma-id": "I1-3;4-5"}))
    assert _pairs(found)["I1:3;4:5"] == 1


def test_duplicate_unknown_hidden_and_missing_anchors_are_listed() -> None:
    """What is wrong with anchors is told, and a duplicate goes to the best placed, unsurely."""
    hidden = DesignNode(id="1:9", name="h", type="FRAME", box=Box(0, 0, 5, 5), visible=False)
    root = _two_boxes()
    root = DesignNode(
        id="1:1", name="r", type="FRAME", box=root.box, children=(*root.children, hidden)
    )
    page = _anchored(
        {"data-figma-id": "1:2"},
        {"data-figma-id": "1:2"},
        {"data-figma-id": "7:7"},
        {"data-dk": "children[2]"},
    )
    found = match(place_nodes(root), page)
    assert found.anchors.duplicates == ("1:2",)
    assert found.anchors.unknown == ("7:7",)
    assert found.anchors.hidden == ("1:9",)
    assert set(found.anchors.missing) == {"1:1", "I1:3;4:5"}
    assert found.by_node["1:2"].confidence < CONFIDENT


def test_index_paths_count_hidden_children() -> None:
    """An index path is that of the design file, in which hidden nodes have their places."""
    assert index_paths(_two_boxes()) == {"children[0]": "1:2", "children[1]": "I1:3;4:5"}


@pytest.mark.parametrize(
    ("design", "page"),
    [
        ("Sign in", "Sign in"),
        ("Sign in", "  Sign \n in "),
        ("Two\u2028lines", "Two lines"),
        ("Caf\u00e9", "Cafe\u0301"),
        ("TOTAL", "Total"),
        ("A\u00a0B", "A B"),
        ("soft\u00adhyphen", "softhyphen"),
    ],
)
def test_texts_match_however_they_are_written(design: str, page: str) -> None:
    """White space, U+2028, composition and case do not keep a text from its element."""
    root = _node("1:1", (0, 0, 400, 300), _node("1:2", (10, 10, 80, 20), text=design))
    found = match(
        place_nodes(root),
        _page((None, "main", (0, 0, 400, 300), {}), (0, "p", (200, 150, 80, 20), {"text": page})),
    )
    assert _pairs(found)["1:2"] == 1
    assert found.by_node["1:2"].is_text
    assert found.by_node["1:2"].confidence >= CONFIDENT
    assert normalise_text(design).casefold() == normalise_text(page).casefold()


def _list(count: int, *, top: float = 0) -> DesignNode:
    rows = [_node(f"2:{i}", (0, top + 30 * i, 60, 20), text="Label") for i in range(count)]
    return _node("1:1", (0, 0, 400, 900), *rows)


def _list_page(tops: Sequence[float]) -> DomSnapshot:
    return _page(
        (None, "main", (0, 0, 400, 900), {}),
        *((0, "p", (0, y, 60, 20), {"text": "Label"}) for y in tops),
    )


def test_equal_texts_keep_their_order_when_all_moved_by_one_row() -> None:
    """A list that moved down by exactly its step is matched row by row, not off by one."""
    found = match(place_nodes(_list(5)), _list_page([30, 60, 90, 120, 150]))
    assert _pairs(found) == {"1:1": 0, **{f"2:{i}": i + 1 for i in range(5)}}


def test_a_missing_row_leaves_one_node_unmatched() -> None:
    """Where the page shows one row less, one node is listed as unmatched and no other is lost."""
    found = match(place_nodes(_list(5)), _list_page([0, 30, 90, 120]))
    assert found.unmatched_nodes == ("2:2",)


def test_equal_cards_that_wrap_otherwise_keep_their_order() -> None:
    """Where a page puts three columns into one, equal texts are matched in reading order."""
    nodes = [_node(f"2:{i}", (130 * i, 0, 60, 20), text="Text") for i in range(3)]
    root = _node("1:1", (0, 0, 400, 900), *reversed(nodes), layoutMode="HORIZONTAL")
    page = _page(
        (None, "main", (0, 0, 400, 900), {}),
        *((0, "p", (0, 300 * i, 60, 20), {"text": "Text"}) for i in range(3)),
    )
    assert _pairs(match(place_nodes(root), page)) == {"1:1": 0, "2:0": 1, "2:1": 2, "2:2": 3}


def test_an_element_is_given_out_from_a_confidence_on() -> None:
    """Whoever asks for sure matches gets no unsure one."""
    page = _anchored({"data-figma-id": "1:2"}, {"data-figma-id": "1:2"})
    found = match(place_nodes(_two_boxes()), page)
    assert found.element("1:2") is not None
    assert found.element("1:2", confidence=CONFIDENT) is None
    assert found.element("no:such") is None


@pytest.mark.parametrize(
    ("color", "painted"),
    [
        ("rgb(255, 0, 0)", True),
        ("rgb(0, 0, 0)", True),
        ("rgba(0, 0, 0, 0)", False),
        ("rgba(9, 9, 9, 0.5)", True),
        ("oklch(0.5 0.1 20 / 0)", False),
        ("transparent", False),
    ],
)
def test_a_box_paints_unless_its_colour_is_clear(color: str, *, painted: bool) -> None:
    """Red without blue is painted, a colour of alpha 0 is not."""
    element = Element(
        index=0,
        parent=None,
        selector="p",
        tag="div",
        box=Box(0, 0, 9, 9),
        style={"background-color": color},
    )
    assert paints(element) is painted


def test_one_element_is_the_frame_and_the_text_in_it() -> None:
    """A button that is one element on the page is matched as box and as text."""
    root = _node(
        "1:1",
        (0, 0, 400, 300),
        _node("1:2", (10, 10, 100, 40), _node("1:3", (30, 20, 60, 20), text="Go"), fills=[RED]),
    )
    page = _page(
        (None, "main", (0, 0, 400, 300), {}),
        (
            0,
            "button",
            (10, 10, 100, 40),
            {
                "text": "Go",
                "lines": (Box(30, 20, 60, 20),),
                "style": {"background-color": "rgb(255, 0, 0)"},
            },
        ),
    )
    found = match(place_nodes(root), page)
    assert _pairs(found) == {"1:1": 0, "1:2": 1, "1:3": 1}
    assert [m.is_text for m in found.pairs] == [False, False, True]


def test_a_text_cut_into_pieces_belongs_to_what_holds_them_all() -> None:
    """A text whose words are in several children is the text of their parent."""
    root = _node("1:1", (0, 0, 400, 300), _node("1:2", (10, 10, 100, 20), text="one two"))
    page = _page(
        (None, "main", (0, 0, 400, 300), {"label": "other one two"}),
        (0, "p", (10, 10, 100, 20), {"label": "one two"}),
        (1, "b", (10, 10, 40, 20), {"text": "one"}),
        (1, "i", (60, 10, 40, 20), {"text": "two"}),
        (0, "p", (10, 90, 40, 20), {"text": "other"}),
    )
    assert _pairs(match(place_nodes(root), page))["1:2"] == 1


def test_a_wrong_word_in_the_right_place_is_still_that_text() -> None:
    """A text that differs by a word is matched by its place, surely when the parents match."""
    root = _node(
        "1:1",
        (0, 0, 400, 300),
        _node("1:2", (10, 10, 80, 20), text="Price"),
        _node("1:3", (10, 40, 80, 20), text="$1,299"),
    )
    page = _page(
        (None, "main", (0, 0, 400, 300), {}),
        (0, "p", (10, 10, 80, 20), {"text": "Price"}),
        (0, "p", (10, 40, 80, 20), {"text": "$1,298"}),
    )
    found = match(place_nodes(root), page)
    assert _pairs(found)["1:3"] == 2
    assert found.by_node["1:3"].confidence >= CONFIDENT


def test_what_finds_no_partner_is_listed() -> None:
    """Unmatched nodes and elements are listed, never dropped."""
    root = _node("1:1", (0, 0, 400, 300), _node("1:2", (10, 10, 80, 20), text="Gone"))
    page = _page(
        (None, "main", (0, 0, 400, 300), {}), (0, "p", (300, 250, 90, 20), {"text": "New thing"})
    )
    found = match(place_nodes(root), page)
    assert found.unmatched_nodes == ("1:2",)
    assert found.unmatched_elements == (1,)
    assert [e.text for e in found.extra_elements] == ["New thing"]


def test_a_page_without_meaningful_dom_matches_nothing() -> None:
    """Of a canvas app nothing is matched and every node is listed."""
    page = DomSnapshot(meaningful=False, reason="canvas")
    found = match(place_nodes(_two_boxes()), page)
    assert found.pairs == ()
    assert found.unmatched_nodes == ("1:1", "1:2", "I1:3;4:5")


# ---- generated trees

_WORDS = ("Label", "Title", "Sign in", "0", "Cancel", "A longer line of text")


@st.composite
def _trees(draw: st.DrawFn) -> DesignNode:
    """Draw a tree whose children lie in rows inside their parents, none hidden by another."""
    counter = iter(range(1, 10_000))

    def build(box: Box, depth: int) -> DesignNode:
        node_id = f"1:{next(counter)}"
        kinds = ["text", "box", "frame"] if depth < 4 else ["text", "box"]
        kind = "frame" if depth == 0 else draw(st.sampled_from(kinds))
        paint = draw(st.booleans())
        if kind == "text" or box.w < 24 or box.h < 24:
            return _node(node_id, (box.x, box.y, box.w, box.h), text=draw(st.sampled_from(_WORDS)))
        children = []
        if kind == "frame":
            count = draw(st.integers(1, 4))
            inset = draw(st.sampled_from((0, 4, 8)))
            step = (box.h - 2 * inset) / count
            for i in range(count):
                inner = Box(box.x + inset, box.y + inset + i * step, box.w - 2 * inset, step - 2)
                children.append(build(inner, depth + 1))
        return _node(
            node_id,
            (box.x, box.y, box.w, box.h),
            *children,
            fills=[RED] if paint or kind == "box" else [],
        )

    return build(Box(0, 0, 400, 400), 0)


def _page_of(root: DesignNode, *, dx: float = 0, dy: float = 0) -> tuple[DomSnapshot, list[str]]:
    """Return the page that is exactly the design, moved, and the node id of each element."""
    elements: list[Element] = []
    ids: list[str] = []

    def add(node: DesignNode, parent: int | None) -> None:
        assert node.box is not None
        index = len(elements)
        box = node.box.shifted(dx, dy)
        style = {"background-color": "rgb(255, 0, 0)"} if node.properties.get("fills") else {}
        text = node.characters or ""
        elements.append(
            Element(
                index=index,
                parent=parent,
                selector=f"#e{index}",
                tag="div",
                box=box,
                text=text,
                label=text,
                lines=(box,) if text else (),
                style=style,
            )
        )
        ids.append(node.id)
        for child in node.children:
            add(child, index)

    add(root, None)
    return DomSnapshot(elements=tuple(elements), size=(400, 400)), ids


@settings(deadline=None, max_examples=150)
@given(root=_trees(), seed=st.integers(0, 2**16))
def test_a_page_that_is_the_design_matches_fully_in_any_order(root: DesignNode, seed: int) -> None:
    """Every node of an identical page finds its own element, in whatever order nodes come."""
    page, ids = _page_of(root)
    placed = list(place_nodes(root))
    expected = {node_id: i for i, node_id in enumerate(ids)}
    assert _pairs(match(placed, page)) == expected
    shuffled = list(placed)
    random.Random(seed).shuffle(shuffled)
    assert match(shuffled, page) == match(placed, page)


@settings(deadline=None, max_examples=60)
@given(root=_trees(), other=_trees(), dx=st.integers(-40, 40), dy=st.integers(-40, 40))
def test_matching_is_one_to_one_and_complete(
    root: DesignNode, other: DesignNode, dx: int, dy: int
) -> None:
    """On any page no place is given twice, and every node is either matched or listed."""
    page, _ = _page_of(other, dx=dx, dy=dy)
    placed = place_nodes(root)
    found = match(placed, page)
    places = [(m.element, m.is_text) for m in found.pairs]
    assert len(places) == len(set(places))
    ids = {m.node_id for m in found.pairs}
    assert ids.isdisjoint(found.unmatched_nodes)
    assert ids | set(found.unmatched_nodes) == {p.node.id for p in placed}
    touched = {m.element for m in found.pairs} | set(found.unmatched_elements)
    assert touched == set(range(len(page.elements)))
    assert all(0 <= m.confidence <= 1 for m in found.pairs)


@settings(deadline=None, max_examples=100)
@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 50), min_size=n, max_size=n), min_size=1, max_size=6
        )
    )
)
def test_an_assignment_is_the_cheapest(costs: list[list[int]]) -> None:
    """The pairs have the least total cost of all one-to-one pairings of that number."""
    rows, columns = len(costs), len(costs[0])
    found = assign(rows, columns, lambda r, c: float(costs[r][c]))
    assert len(found) == min(rows, columns)
    assert len({r for r, _, _ in found}) == len({c for _, c, _ in found}) == len(found)
    assert sum(cost for _, _, cost in found) == _cheapest(costs)


def _cheapest(costs: list[list[int]]) -> int:
    from itertools import permutations

    if len(costs) > len(costs[0]):
        costs = [list(column) for column in zip(*costs, strict=True)]
    columns = range(len(costs[0]))
    return min(
        sum(row[c] for row, c in zip(costs, order, strict=True))
        for order in permutations(columns, len(costs))
    )


def test_a_large_group_is_assigned_greedily() -> None:
    """Hundreds of equal texts are paired as well, each once."""
    found = assign(300, 200, lambda r, c: float(abs(r - c)))
    assert [(r, c) for r, c, _ in found] == [(i, i) for i in range(200)]


def test_nodes_of_one_id_are_matched_once() -> None:
    """Two nodes that share an id do not break one-to-one."""
    item = place_nodes(_two_boxes())
    doubled: list[PlacedNode] = [*item, *item]
    assert match(doubled, _anchored({"data-figma-id": "1:2"})).by_node["1:2"].element == 1
