"""MCP metadata: both traps of its coordinates, wrappers, and hostile XML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.sources import mcp_metadata
from pytest_pixelloop.sources.mcp_metadata import Metadata, read_metadata

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "figma"


def read(text: str) -> Metadata:
    """Return what a text holds."""
    return read_metadata(text.encode(), name="metadata.xml")


def node(
    kind: str, node_id: str, x: float, y: float, w: float, h: float, inner: str = "", more: str = ""
) -> str:
    """Return one element."""
    place = f'x="{x}" y="{y}" width="{w}" height="{h}"'
    head = f'<{kind} id="{node_id}" name="n{node_id}" {place} {more}'
    return f"{head}>{inner}</{kind}>" if inner else f"{head}/>"


def boxes(metadata: Metadata) -> dict[str, tuple[float, ...] | None]:
    """Return absolute boxes by id."""
    found: dict[str, tuple[float, ...] | None] = {}
    stack: list[dict[str, Any]] = [metadata.root]
    while stack:
        raw = stack.pop()
        told = raw.get("absoluteBoundingBox")
        found[raw["id"]] = told and (told["x"], told["y"], told["width"], told["height"])
        stack.extend(raw["children"])
    return found


def test_children_are_relative_to_their_parent() -> None:
    """The root is in page space, everything below is added up."""
    button = node("instance", "3:1", 4, 5, 10, 10)
    tree = node("frame", "1:1", 1000, -20, 100, 200, node("frame", "2:1", 10, 30, 50, 60, button))
    assert boxes(read(tree)) == {
        "1:1": (1000, -20, 100, 200),
        "2:1": (1010, 10, 50, 60),
        "3:1": (1014, 15, 10, 10),
    }


def test_children_of_a_group_are_in_the_outer_space() -> None:
    """A frame that its children fill exactly in its parent's space is a group; nested ones too."""
    leaf = node("vector", "5:1", 30, 40, 20, 10)
    inner = node("frame", "4:1", 30, 40, 20, 10, leaf)
    group = node("frame", "3:1", 12, 40, 38, 10, node("text", "5:2", 12, 42, 10, 5) + inner)
    tree = read(node("frame", "1:1", 100, 0, 90, 90, group))
    assert boxes(tree) == {
        "1:1": (100, 0, 90, 90),
        "3:1": (112, 40, 38, 10),
        "4:1": (130, 40, 20, 10),
        "5:1": (130, 40, 20, 10),
        "5:2": (112, 42, 10, 5),
    }
    assert tree.groups == 2
    assert tree.root["children"][0]["type"] == "GROUP"


def test_a_group_with_a_hidden_member_is_recognised() -> None:
    """Hidden children may or may not count for the group's box."""
    hidden = node("frame", "4:2", 500, 500, 5, 5, more='hidden="true"')
    group = node("frame", "3:1", 12, 40, 20, 10, node("text", "4:1", 12, 40, 20, 10) + hidden)
    tree = read(node("frame", "1:1", 0, 0, 90, 90, group))
    assert tree.groups == 1
    assert tree.root["children"][0]["children"][1]["visible"] is False


def test_a_node_beside_its_parent_has_no_sure_box() -> None:
    """A flipped node gives its corner: wholly outside its parent, its box is left out and told."""
    arrows = node("instance", "3:1", 0, 0, 40, 40) + node("instance", "3:2", 96, 0, 40, 40)
    tree = read(node("frame", "1:1", 0, 0, 500, 500, node("frame", "2:1", 10, 10, 96, 40, arrows)))
    assert boxes(tree)["3:1"] == (10, 10, 40, 40)
    assert boxes(tree)["3:2"] is None
    assert tree.doubtful == ("3:2",)


def test_a_node_that_only_reaches_over_keeps_its_box() -> None:
    """Overflow is usual: a wide headline is no rotated one."""
    tree = read(node("frame", "1:1", 0, 0, 500, 500, node("text", "2:1", 480, 10, 96, 40)))
    assert tree.doubtful == ()


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("symbol", "COMPONENT"),
        ("rounded-rectangle", "RECTANGLE"),
        ("polygon", "REGULAR_POLYGON"),
        ("boolean-operation", "BOOLEAN_OPERATION"),
        ("text", "TEXT"),
        ("slot", "SLOT"),
        ("something-new", "SOMETHING_NEW"),
    ],
)
def test_tags_become_the_types_of_the_api(tag: str, kind: str) -> None:
    """Every tag has the API's word; one that is not known keeps its own."""
    tree = read(node("frame", "1:1", 0, 0, 9, 9, node(tag, "2:1", 0, 0, 5, 5)))
    assert tree.root["children"][0]["type"] == kind


PLAIN = node("frame", "1:1", 0, 0, 9, 9, node("text", "2:1", 0, 0, 5, 5))
WRAPPED = {
    "prose after": PLAIN + "\nIMPORTANT: call <get_design_context> now & then.",
    "prose before": f'Arguments: {{"nodeId": "1:1"}}\n{PLAIN}',
    "fence": f"```xml\n{PLAIN}\n```",
    "blocks": json.dumps([{"type": "text", "text": PLAIN}, {"type": "text", "text": "IMPORTANT"}]),
    "content": json.dumps({"content": [{"type": "text", "text": PLAIN}]}),
    "mark": "\ufeff" + PLAIN,
    "order": PLAIN.replace('id="1:1" name="n1:1"', 'name="n1:1" id="1:1"'),
}


@pytest.mark.parametrize("case", WRAPPED)
def test_what_clients_put_around_the_xml_is_cut_off(case: str) -> None:
    """Prose, fences, JSON wrappers and a byte order mark."""
    assert read(WRAPPED[case]).nodes == 2


def test_names_are_any_text() -> None:
    """Entities of XML itself, emoji and quotes come out as written."""
    tree = read(PLAIN.replace("n2:1", "a &quot;b&quot; &lt;c&gt; &#128640; &amp; \U0001f680"))
    assert tree.root["children"][0]["name"] == 'a "b" <c> \U0001f680 & \U0001f680'


BOMB = (
    '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)
HOSTILE = {
    "entities": (BOMB + PLAIN.replace("n2:1", "&c;"), "document type"),
    "external": ('<!DOCTYPE x SYSTEM "file:///etc/passwd">' + PLAIN, "document type"),
    "entity without type": (PLAIN.replace("n2:1", "&xxe;"), "undefined entity"),
    "inside": (PLAIN.replace("<text", "<!DOCTYPE x []><text"), "damaged"),
    "deep": ('<frame id="1:1">' * 1500, "nested too deeply"),
    "cut": (PLAIN[:-9], "ends early"),
    "crossed": (PLAIN.replace("</frame>", "</text>"), "mismatched tag"),
    "no node": ("<html><body>Sign in</body></html>", "no XML element with an id"),
    "empty": ("", "no XML element with an id"),
    "no box": ('<frame id="1:1" name="x"/>', "has no box"),
    "nan": ('<frame id="1:1" x="nan" y="0" width="1" height="1"/>', "has no box"),
    "huge": ('<frame id="1:1" x="1e300" y="0" width="1" height="1"/>', "has no box"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_xml_is_refused_in_words(case: str) -> None:
    """No entity is expanded, nothing outside is read, nothing is parsed without end."""
    text, words = HOSTILE[case]
    with pytest.raises(DesignUnreadableError, match=words):
        read(text)


def test_size_and_count_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """More bytes or nodes than a design has are refused before they are held."""
    monkeypatch.setattr(mcp_metadata, "MAX_NODES", 3)
    with pytest.raises(DesignUnreadableError, match="too large"):
        read(node("frame", "1:1", 0, 0, 9, 9, node("text", "2:1", 0, 0, 1, 1) * 5))
    monkeypatch.setattr(mcp_metadata, "MAX_BYTES", 10)
    with pytest.raises(DesignUnreadableError, match="larger than 10 bytes"):
        read(PLAIN)


@given(text=st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever a file holds: nodes, or one clear error."""
    for candidate in (text, f'<frame id="1:1" {text}', PLAIN[:60] + text + PLAIN[60:]):
        try:
            assert read(candidate).nodes > 0
        except DesignUnreadableError:
            continue


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/cases/figma")
def test_a_real_dump_has_the_boxes_of_the_rest_api() -> None:
    """Node by node as the REST answer of the same design has them; the flipped one is told."""
    folder = SHARED / "mcp" / "425-2086"
    tree = read_metadata((folder / "metadata.xml").read_bytes(), name="metadata.xml")
    rest = json.loads((folder / "nodes.json").read_text("utf-8"))
    offset = [
        rest["absoluteBoundingBox"][k] - tree.root["absoluteBoundingBox"][k] for k in ("x", "y")
    ]
    compared = 0
    stack = [(tree.root, rest)]
    while stack:
        ours, theirs = stack.pop()
        box = ours.get("absoluteBoundingBox")
        if box is not None and theirs.get("visible", True):
            real = theirs["absoluteBoundingBox"]
            assert box["x"] + offset[0] == pytest.approx(real["x"], abs=0.51), ours["id"]
            assert box["y"] + offset[1] == pytest.approx(real["y"], abs=0.51), ours["id"]
            compared += 1
        below = theirs.get("children", [])
        if [child["name"] for child in below] == [child["name"] for child in ours["children"]]:
            stack.extend(zip(ours["children"], below, strict=True))
    assert tree.doubtful == ("425:2102",)
    assert compared >= 15
