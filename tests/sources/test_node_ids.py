"""Node ids in one form, and labels that are file names everywhere."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.sources.node_ids import canonical_id, is_figma_id, label_of, safe_name

PAIR = st.tuples(st.integers(0, 99999), st.integers(0, 99999)).map(lambda p: f"{p[0]}:{p[1]}")
IDS = st.builds(
    lambda instance, parts: ("I" if instance else "") + ";".join(parts),
    st.booleans(),
    st.lists(PAIR, min_size=1, max_size=5),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12:34", "12:34"),
        ("12-34", "12:34"),
        ("12%3A34", "12:34"),
        ("12%3a34", "12:34"),
        (" 12:34 ", "12:34"),
        ("I12:3;4:5", "I12:3;4:5"),
        ("I12-3%3B4-5", "I12:3;4:5"),
        ("I226:4164;204:3756;204:3535", "I226:4164;204:3756;204:3535"),
        ("login-page/LoginCard", "login-page/LoginCard"),
        ("12", "12"),
        ("", ""),
        ("12:34;", "12:34;"),
        ("\u0661\u0662:\u0663", "\u0661\u0662:\u0663"),
    ],
)
def test_ids_of_links_and_answers_are_one(text: str, expected: str) -> None:
    """Dash, colon and percent forms give the colon form; what is no Figma id is left alone."""
    assert canonical_id(text) == expected


@given(node=IDS)
def test_every_form_of_an_id_comes_back_to_it(node: str) -> None:
    """Normalising is idempotent and undoes the forms that links use."""
    assert is_figma_id(node)
    for form in (node, node.replace(":", "-"), quote(node), quote(node.replace(":", "-"))):
        assert canonical_id(form) == node


@pytest.mark.parametrize(
    ("name", "node", "theme", "viewport", "expected"),
    [
        ("checkout", "12:345", "dark", None, "12-345__dark"),
        ("checkout", "12:345", "dark", "mobile", "12-345__dark__mobile"),
        ("checkout", "12:345", None, None, "12-345"),
        ("checkout", "I12:3;4:5", None, "mobile", "I12-3;4-5__mobile"),
        ("checkout", None, None, None, "checkout"),
        ("badge", None, "dark", None, "badge__dark"),
    ],
)
def test_labels_follow_the_contract(
    name: str, node: str | None, theme: str | None, viewport: str | None, expected: str
) -> None:
    """`<node id, ':' as '-'>[__<theme>][__<viewport>]`, or the name where there is no node id."""
    assert label_of(name, node=node, theme=theme, viewport=viewport) == expected


@given(text=st.text(max_size=300))
def test_safe_names_are_file_names_on_every_platform(text: str) -> None:
    """No forbidden character, reserved word, trailing dot or length; the same every time."""
    name = safe_name(text)
    assert name == safe_name(text)
    assert name.strip(" .") == name
    assert 0 < len(name.encode()) <= 100
    assert not re.search(r'[<>:"/\\|?*\x00-\x1f]', name)
    assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name)


@given(first=st.text(max_size=60), second=st.text(max_size=60))
def test_two_names_never_share_a_file(first: str, second: str) -> None:
    """Names that differ keep differing after what is unsafe in them was replaced."""
    if first != second:
        assert safe_name(first) != safe_name(second)


@pytest.mark.parametrize("name", ["CON", "nul.png", "a/b", "a:b", "x.", " x", "a" * 200, ".", ""])
def test_changed_names_carry_a_hash(name: str) -> None:
    """What had to be changed is told from what is really called like that."""
    assert re.search(r"-[0-9a-f]{8}$", safe_name(name))
