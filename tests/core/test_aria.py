"""Aria snapshots: read strictly, matched as Playwright matches them."""

from __future__ import annotations

import pytest

from pytest_pixelloop.core.aria_match import find_match, read_template
from pytest_pixelloop.core.aria_text import read_items
from pytest_pixelloop.core.aria_tree import read_tree, with_frames
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.geometry import Box

PAGE = r"""
- heading "Title in" [level=1] [box=8,8,1264,37]:
  - text: Title
  - link "in" [box=79,8,27,36]:
    - /url: /x
- paragraph [box=8,66,1264,18]: "Some \"text\": with colon"
- button "Save" [disabled] [box=8,100,46,21]
- 'button "a: ''b''" [pressed] [box=54,100,23,21]': x
- list [box=8,137,1264,36]:
  - listitem [box=48,137,1224,18]: one
  - listitem [box=48,155,1224,18]: two bold
- checkbox "agree" [checked]
- iframe [box=205,189,304,154]
- text: Clicky
- iframe
"""


def test_a_printed_tree_is_read_with_roles_names_states_and_boxes() -> None:
    """Everything that a browser prints of an element is kept, boxes moved to the picture."""
    root = read_tree(PAGE, shift=(2.0, -3.0))
    heading, paragraph, save, odd, items, box, *_ = root.children
    assert (heading.role, heading.name, heading.states) == ("heading", "Title in", {"level": "1"})
    assert [c.name for c in heading.children] == ["Title", "in"]
    assert heading.children[1].properties == {"url": "/x"}
    assert paragraph.children[0].name == 'Some "text": with colon'
    assert save.disabled
    assert save.box == Box(10, 97, 46, 21)
    assert (odd.name, odd.states, odd.children[0].name) == ("a: 'b'", {"pressed": "true"}, "x")
    assert [c.children[0].name for c in items.children] == ["one", "two bold"]
    assert (box.states, box.box) == ({"checked": "true"}, None)


def test_frames_are_put_where_they_stand() -> None:
    """The tree of a frame fills the iframe of its number, another stays empty."""
    root = with_frames(read_tree(PAGE), {1: read_tree('- button "inner"')})
    first, second = (n for n in root.walk() if n.role == "iframe")
    assert first.children == ()
    assert [n.role for n in second.children] == ["button"]


@pytest.mark.parametrize(
    ("snapshot", "fits"),
    [
        ('- button "Save"', True),
        ("- button", True),
        ('- button "Sav"', False),
        ("- button /^Sa/", True),
        ("- button /^sa/", False),
        ('- link "in":\n  - /url: /x', True),
        ('- link "in":\n  - /url: /y', False),
        ('- link "in":\n  - /url: /^.x$/', True),
        ("- button [disabled]", True),
        ('- button "Save" [disabled=false]', False),
        ('- checkbox "agree" [checked=true]', True),
        ('- checkbox "agree" [checked=mixed]', False),
        ("- heading [level=1]", True),
        ("- heading [level=2]", False),
        ("- listitem: one\n- listitem: two bold", True),
        ("- listitem: two bold\n- listitem: one", False),
        ("- list:\n  - listitem: two bold", True),
        ("- list:\n  - /children: equal\n  - listitem: two bold", False),
        ("- list:\n  - /children: equal\n  - listitem\n  - listitem", True),
        ("- list:\n  - /children: deep-equal\n  - listitem\n  - listitem", False),
        ("- list:\n  - /children: deep-equal\n  - listitem: one\n  - listitem: two bold", True),
        ("- text: Clicky", True),
        ("- text: /Cl.+y/", True),
        ("- text: Click", False),
        ('- heading "Title in"\n- button "Save"', True),
        ('- button "Save"\n- heading "Title in"', False),
        ('# said once\n- button "Save" # here, too', True),
        ("- paragraph: 'Some \"text\": with colon'", True),
    ],
)
def test_matching_is_playwrights(snapshot: str, fits: bool) -> None:  # noqa: FBT001 - a table
    """Roles, names, patterns, states, properties and children decide as in Playwright."""
    found = find_match(read_tree(PAGE), read_template(snapshot, where="test"))
    assert (found is not None) is fits


@pytest.mark.parametrize(
    ("snapshot", "said"),
    [
        ("button", "line 1"),
        ("", "is missing"),
        ("- button\n  - link", "indented below an item that is no list"),
        ("- list:\n    - listitem\n  - listitem", "indented in between"),
        ("  - button\n- link", "indented less"),
        ("- button [pressed=maybe]", "[pressed=maybe]"),
        ("- button [wrong]", "[wrong]"),
        ("- heading [level=big]", "[level=big]"),
        ('- button "Save" now', "'now'"),
        ("- Button", "'Button'"),
        ("- list:\n  - /children: some", "/children"),
        ("- list:\n  - /color: red", "/color"),
        ("- text: [a, b]", "a flow list"),
        ("- text: |", "a block scalar"),
        ("- text: &a b", "an anchor"),
        ('- text: "open', "not closed"),
        ("- button /(/", "cannot be read"),
    ],
)
def test_what_is_no_aria_snapshot_is_an_error_with_its_line(snapshot: str, said: str) -> None:
    """Nothing is guessed: an odd line is refused in words."""
    with pytest.raises(ConfigurationError) as caught:
        read_template(snapshot, where="test")
    assert said in str(caught.value)


def test_items_know_their_lines() -> None:
    """Comments and empty lines count, so that an error names the line a person sees."""
    items = read_items("# one\n\n- list:\n  - listitem: x\n", where="test")
    assert [items[0].line, items[0].children[0].line] == [3, 4]
