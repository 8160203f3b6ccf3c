"""What changed between two trees of one frame: added, removed, moved, restyled, nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.design import DesignNode
from pytest_pixelloop.core.design_change import count_changes, diff_trees
from pytest_pixelloop.sources.figma_nodes import build_tree


def raw(
    node_id: str, x: float, y: float, w: float, h: float, *children: Any, **more: Any
) -> dict[str, Any]:
    """Return a raw node."""
    return {
        "id": node_id,
        "name": f"n{node_id}",
        "type": "FRAME",
        "absoluteBoundingBox": {"x": x, "y": y, "width": w, "height": h},
        "children": list(children),
        **more,
    }


def screen() -> dict[str, Any]:
    """Return a frame with a header, and a card that holds a title and a button."""
    title = raw("3:1", 24, 64, 40, 10, characters="Hello", type="TEXT", style={"fontSize": 16})
    fill = {"type": "SOLID", "color": {"r": 0.1, "g": 0.2, "b": 0.3, "a": 1}}
    button = raw("3:2", 24, 84, 40, 12, fills=[fill])
    card = raw("2:2", 20, 60, 60, 40, title, button)
    return raw("1:1", 0, 0, 100, 200, raw("2:1", 0, 0, 100, 20), card)


def moved(node: dict[str, Any], dx: float, dy: float) -> None:
    """Shift a raw node and all below it."""
    node["absoluteBoundingBox"]["x"] += dx
    node["absoluteBoundingBox"]["y"] += dy
    for child in node["children"]:
        moved(child, dx, dy)


def lines(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the changes as lines."""
    return [change.line() for change in diff_trees(build_tree(before), build_tree(after))]


def test_the_same_design_has_no_change() -> None:
    """Equal trees give nothing, and so does float32 noise."""
    noisy = screen()
    noisy["children"][1]["children"][1]["fills"][0]["color"]["r"] = 0.10000000149011612
    noisy["children"][0]["absoluteBoundingBox"]["width"] = 100.00000381469727
    assert lines(screen(), screen()) == lines(screen(), noisy) == []
    assert count_changes(()) == "nothing that can be seen"


def test_a_frame_that_moved_on_the_canvas_is_the_same_design() -> None:
    """Where the frame lies on its page is not part of the design."""
    after = screen()
    moved(after, 500, -30)
    assert lines(screen(), after) == []


def test_a_moved_card_is_one_change() -> None:
    """What is in a moved node did not move."""
    after = screen()
    moved(after["children"][1], 0, 8)
    assert lines(screen(), after) == ['> 2:2 "n2:2" (FRAME): y 60 -> 68']


def test_a_resized_frame_is_told() -> None:
    """The frame's own size counts."""
    after = screen()
    after["absoluteBoundingBox"]["height"] = 220
    assert lines(screen(), after) == ['> 1:1 "n1:1" (FRAME): height 200 -> 220']


def test_added_and_removed_subtrees_are_told_once() -> None:
    """The top of a subtree is named, with the number of nodes below it."""
    after = screen()
    gone = after["children"].pop(1)
    after["children"].append(raw("9:1", 20, 60, 60, 40, raw("9:2", 21, 61, 1, 1)))
    assert gone["id"] == "2:2"
    assert lines(screen(), after) == [
        '+ 9:1 "n9:1" (FRAME): with 1 node below it',
        '- 2:2 "n2:2" (FRAME): with 2 nodes below it',
    ]


STYLES = {
    "text": (("children", 1, "children", 0, "characters"), "Bye", 'characters "Hello" -> "Bye"'),
    "font": (("children", 1, "children", 0, "style", "fontSize"), 18, "style.fontSize 16 -> 18"),
    "fill": (
        ("children", 1, "children", 1, "fills", 0, "color", "r"),
        1,
        "fills [#1a334c] -> [#ff334c]",
    ),
    "radius": (("children", 1, "cornerRadius"), 8, "cornerRadius none -> 8"),
    "hidden": (("children", 1, "visible"), False, "visible none -> false"),
    "name": (("children", 1, "name"), "Card", 'name "n2:2" -> "Card"'),
    "type": (("children", 1, "type"), "GROUP", 'type "FRAME" -> "GROUP"'),
    "image": (
        ("children", 1, "fills"),
        [{"type": "IMAGE", "imageRef": "abc"}],
        "fills none -> [IMAGE abc]",
    ),
}


@pytest.mark.parametrize("case", STYLES)
def test_a_restyled_node_names_the_property(case: str) -> None:
    """Both values stand in the line; colours as people write them."""
    path, value, words = STYLES[case]
    after: Any = screen()
    node = after
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    (line,) = lines(screen(), after)
    assert line.startswith("~ ")
    assert line.endswith(": " + words)


@pytest.mark.parametrize(
    "key", ["exportSettings", "interactions", "boundVariables", "pluginData", "scrollBehavior"]
)
def test_what_cannot_be_seen_does_not_count(key: str) -> None:
    """Prototype links, export settings and bindings are no change of the design."""
    assert lines(screen(), screen() | {key: [{"x": 1}]}) == []


def test_a_node_that_changed_its_parent_moved() -> None:
    """Another parent is a move, told with both parents."""
    after = screen()
    after["children"][0]["children"].append(after["children"][1]["children"].pop(0))
    assert lines(screen(), after) == [
        '> 3:1 "n3:1" (TEXT): from "n2:2" (2:2) to "n2:1" (2:1)',
    ]


def test_of_reordered_siblings_the_fewest_moved() -> None:
    """One that went to the front is one change; its neighbours did not move."""
    before = raw("1:1", 0, 0, 9, 9, *(raw(f"2:{n}", n, 0, 1, 1) for n in range(6)))
    after = copy.deepcopy(before)
    after["children"].insert(0, after["children"].pop(4))
    assert lines(before, after) == ['> 2:4 "n2:4" (FRAME): order among its siblings']
    del after["children"][2]
    assert [line[:5] for line in lines(before, after)] == ["> 2:4", "- 2:1"]


def test_a_very_deep_tree_is_compared() -> None:
    """No recursion: 5,000 levels, one change at the bottom."""

    def deep(color: str) -> DesignNode:
        node = DesignNode(id="bottom", name="b", type="FRAME", properties={"fill": color})
        for number in range(5000):
            node = DesignNode(id=str(number), name="n", type="FRAME", children=(node,))
        return node

    (change,) = diff_trees(deep("a"), deep("b"))
    assert change.node_id == "bottom"


def test_names_cannot_write_to_the_terminal() -> None:
    """Control characters of names and values are replaced."""
    after = screen()
    after["children"][1]["name"] = "\x1b[2Jx\nsecond line"
    (line,) = lines(screen(), after)
    assert "\x1b" not in line
    assert "\n" not in line


_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(value=_values, other=_values)
def test_any_json_can_be_compared(value: Any, other: Any) -> None:
    """Whatever stands in a node: equal values are no change, and nothing raises."""
    before, after = screen() | {"zeal": value}, screen() | {"zeal": other}
    assert lines(before, copy.deepcopy(before)) == []
    found = lines(before, after)
    assert len(found) <= 1
    if value == other:
        assert found == []
