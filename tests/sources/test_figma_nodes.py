"""Node files: four shapes, tolerant reading, and one clear sentence for everything else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.design import walk
from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.sources import figma_json
from pytest_pixelloop.sources.figma_nodes import build_tree, read_nodes

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "figma"
RECT = {"x": 10.0, "y": -20.5, "width": 390.0, "height": 844.0}


def frame(node_id: str = "12:34", *children: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a raw frame as the REST API writes it."""
    own = {"id": node_id, "name": f"Frame {node_id}", "type": "FRAME", "absoluteBoundingBox": RECT}
    return {**own, "children": list(children), **fields}


def page(*frames: dict[str, Any]) -> dict[str, Any]:
    """Return a page that holds *frames*."""
    return {"id": "0:1", "name": "Page 1", "type": "CANVAS", "children": list(frames)}


def files_answer(*frames: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a ``files`` answer."""
    document = {"id": "0:0", "name": "Document", "type": "DOCUMENT", "children": [page(*frames)]}
    return {"document": document, "schemaVersion": 0, "version": "77", **fields}


def nodes_answer(*frames: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a ``nodes`` answer."""
    return {
        "name": "Shop",
        "version": "77",
        "lastModified": "2026-01-02T03:04:05Z",
        "nodes": {f["id"]: {"document": f, "components": {}} for f in frames},
        **fields,
    }


def read(value: Any, node_id: str | None = None) -> Any:
    """Return the node in the JSON of *value*."""
    return read_nodes(json.dumps(value).encode(), name="a.nodes.json").node(node_id)


SHAPES = {
    "nodes answer": nodes_answer(frame()),
    "files answer": files_answer(frame()),
    "bare node": frame(),
    "reduced subset": {"fileKey": "abc", "version": "77", "document": frame()},
    "page": {"document": page(frame())},
    "list of nodes": [frame()],
    "list of documents": [{"document": frame()}],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("node_id", [None, "12:34", "12-34", "12%3A34"])
def test_every_accepted_shape_gives_the_same_tree(shape: str, node_id: str | None) -> None:
    """Whatever the envelope, the frame is found, without or with its id in any form."""
    root = read(SHAPES[shape], node_id)
    assert (root.id, root.name, root.type) == ("12:34", "Frame 12:34", "FRAME")
    assert root.box == Box(10.0, -20.5, 390.0, 844.0)


def test_gzip_and_byte_order_mark_make_no_difference() -> None:
    """A packed file and one with a BOM are read like the plain one."""
    data = json.dumps(frame()).encode()
    for form in (b"\xef\xbb\xbf" + data, gzip.compress(data)):
        assert read_nodes(form, name="a").node().id == "12:34"


def test_the_file_says_where_it_comes_from() -> None:
    """File key, version and date are kept for the reports."""
    nodes = read_nodes(json.dumps(nodes_answer(frame(), fileKey="k")).encode(), name="a")
    assert (nodes.file_key, nodes.version, nodes.last_modified) == (
        "k",
        "77",
        "2026-01-02T03:04:05Z",
    )


def test_fields_are_read_as_the_api_means_them() -> None:
    """Defaults are filled in, children keep their order, the raw object is kept without them."""
    child = {"id": "I1:2;3:4", "type": "TEXT", "characters": "Buy\u2028now", "visible": False}
    other = frame("1:3", opacity=0.5, clipsContent=True, isMask=True, rotation=-1.5)
    root = read(frame("1:1", child, other, fills=[{"type": "SOLID"}]))
    text, group = root.children
    assert (text.name, text.visible, text.characters) == ("TEXT", False, "Buy\u2028now")
    assert text.box is None
    assert (root.visible, root.opacity, root.clips, root.is_mask) == (True, 1.0, False, False)
    assert (group.opacity, group.clips, group.is_mask, group.rotation) == (0.5, True, True, -1.5)
    assert root.properties["fills"] == [{"type": "SOLID"}]
    assert "children" not in root.properties


@pytest.mark.parametrize(
    "bounds",
    [
        None,
        {"x": None, "y": None, "width": None, "height": None},
        {"x": 1, "y": 2, "width": 3},
        {"x": 1, "y": 2, "width": -3, "height": 4},
        {"x": 1, "y": 2, "width": "3", "height": 4},
        {"x": True, "y": 2, "width": 3, "height": 4},
        [1, 2, 3, 4],
        "nowhere",
        10**400,
    ],
)
def test_bounds_that_are_no_rectangle_are_none(bounds: Any) -> None:
    """Null, dicts of null, and nonsense in bounds are "unknown", not an error."""
    child = frame("1:2", absoluteBoundingBox=bounds, absoluteRenderBounds=bounds)
    (node,) = read(frame("1:1", child)).children
    assert node.box is None
    assert node.render_box is None


def test_non_finite_numbers_never_come_through() -> None:
    """NaN, Infinity and 1e999 in a file are unknown, so every number downstream is finite."""
    text = json.dumps(frame("1:1", frame("1:2", opacity=7))).replace(
        '"opacity": 7', '"opacity": NaN, "rotation": 1e999, "strokeWeight": -Infinity'
    )
    (node,) = read_nodes(text.encode(), name="a").node().children
    assert (node.opacity, node.rotation, node.properties.get("strokeWeight")) == (
        1.0,
        0.0,
        None,
    )


def test_unknown_types_keys_and_broken_children_are_tolerated() -> None:
    """The API grows: what is not known is kept or skipped, never a reason to fail."""
    odd = frame("1:2", None, 3, "x", type="SLOT", brandNew={"a": 1})  # type: ignore[arg-type]
    nothing = frame("1:3", children=None)
    root = read(frame("1:1", odd, nothing))
    assert [c.type for c in root.children] == ["SLOT", "FRAME"]
    assert root.children[0].children == ()
    assert root.children[0].properties["brandNew"] == {"a": 1}


def test_nodes_without_id_get_one_from_their_place() -> None:
    """Ids stay unique even where the file has none."""
    root = read({"type": "FRAME", "absoluteBoundingBox": RECT, "children": [{"name": "a"}, {}]})
    assert [n.id for n in walk(root)] == ["0", "0/0", "0/1"]


def test_half_a_surrogate_pair_in_a_name_can_be_written() -> None:
    """A name cut inside an emoji becomes text that any file can hold."""
    root = read(frame(name="ok \ud83d"))
    assert root.name.encode("utf-8")


def test_a_hundred_levels_are_no_depth() -> None:
    """Trees of 150 levels are read; build_tree alone walks 20,000."""
    tree = frame("0:0")
    for level in range(150):
        tree = frame(f"1:{level}", tree)
    assert sum(1 for _ in walk(read(tree))) == 151
    deep = frame("0:0")
    for level in range(20_000):
        deep = {"id": f"1:{level}", "type": "FRAME", "children": [deep]}
    assert sum(1 for _ in walk(build_tree(deep))) == 20_001


JSON_TYPE = json.dumps(frame("1:1", frame("1:2")))
BAD = {
    "empty": (b"", "0 bytes"),
    "white-space": (b" \n ", "white space"),
    "lfs-pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"),
    "html": (b"<!doctype html><html><body>Sign in</body></html>", "HTML page"),
    "metadata-xml": (b'<frame id="1:2" name="a" x="0"/>', "XML"),
    "png": (b"\x89PNG\r\n\x1a\n\xff\xff", "PNG picture"),
    "utf-16": ("{}".encode("utf-16"), "UTF-16"),
    "text": (b"not found", "plain text"),
    "cut": (json.dumps(frame()).encode()[:-30], "ends early"),
    "trailing-comma": (b'{"id": "1:2",}', "not valid JSON"),
    "object": (b"{}", "empty object"),
    "list": (b"[]", "list of 0"),
    "list-of-numbers": (b"[1, 2]", "without nodes"),
    "null": (b"null", "only null"),
    "number": (b"17", "only a number"),
    "word": (b'"hello"', "only a text"),
    "true": (b"true", "only true or false"),
    "other-json": (b'{"name": "x", "dependencies": {}}', "name, dependencies"),
    "api-error": (b'{"status": 403, "err": "Invalid token"}', "403: Invalid token"),
    "api-message": (b'{"error": true, "status": 429, "message": "Rate limit"}', "429: Rate limit"),
    "images-answer": (b'{"err": null, "images": {"1:2": "https://x"}}', "image addresses"),
    "depth-bomb": (b'{"a":' * 200_000, "nested too deeply"),
    "depth-list": (b"[" * 200_000, "nested too deeply"),
    "digits": (b'{"id": "1:2", "type": "FRAME", "x": ' + b"9" * 10_000 + b"}", "cannot be read"),
    "broken-gzip": (b"\x1f\x8b" + b"x" * 50, "gzip"),
    "cut-gzip": (gzip.compress(JSON_TYPE.encode())[:-9], "gzip"),
    "int-enum": (JSON_TYPE.replace('"FRAME"', "4").encode(), "type is the number 4"),
    "int-enum-below": (
        json.dumps(frame("1:1", frame("1:2", blendMode=1))).encode(),
        "blendMode is the number 1",
    ),
    "pascal-keys": (b'{"Document": {"Id": "0:0", "Type": 0, "Children": []}}', "Id"),
    "pascal-type": (JSON_TYPE.replace('"FRAME"', '"Frame"').encode(), '"Frame"'),
    "outdated": (
        json.dumps(files_answer(frame(), lastModified="2018-12-31T18:40:41Z")).encode(),
        "2018-12-31",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_node_file_is_refused_in_words(case: str) -> None:
    """Every wrong file is figma-unreadable, says what it is, names the file and what to do."""
    data, words = BAD[case]
    with pytest.raises(DesignUnreadableError) as caught:
        read_nodes(data, name="designs/home.nodes.json")
    assert words in caught.value.what
    assert caught.value.status == "undetermined:figma-unreadable"
    assert caught.value.where == "designs/home.nodes.json"
    assert caught.value.next_step


def test_a_gzip_bomb_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacking stops at the limit instead of filling the memory."""
    monkeypatch.setattr(figma_json, "MAX_BYTES", 1000)
    bomb = gzip.compress(b" " * 1_000_000)
    with pytest.raises(DesignUnreadableError, match="too large"):
        read_nodes(bomb, name="a")


def test_several_frames_are_listed_with_the_key_to_set() -> None:
    """Nothing is guessed: the error lists id, name and size of each candidate."""
    for value in (
        files_answer(frame("1:2"), frame("1:3")),
        nodes_answer(frame("1:2"), frame("1:3")),
    ):
        with pytest.raises(DesignUnreadableError) as caught:
            read(value)
        for words in ("1:2", "1:3", "390x844", "node:"):
            assert words in str(caught.value)
        assert read(value, "1-3").id == "1:3"


def test_loose_texts_on_a_page_do_not_hide_the_only_frame() -> None:
    """Beside one frame, a sticky text or a hidden frame is not a candidate."""
    text = {"id": "1:9", "type": "TEXT", "absoluteBoundingBox": RECT}
    assert read(files_answer(text, frame("1:2"), frame("1:3", visible=False))).id == "1:2"


def test_a_rectangle_asked_for_by_name_is_not_overlooked_for_a_frame() -> None:
    """Every root of a nodes answer was asked for: two of any kind are two candidates."""
    rectangle = {"id": "1:9", "type": "RECTANGLE", "absoluteBoundingBox": RECT}
    with pytest.raises(DesignUnreadableError, match="holds 2 frames"):
        read(nodes_answer(frame("1:2"), rectangle))


def test_null_answers_are_named() -> None:
    """An id that Figma answered with null is said to be missing from the Figma file."""
    value = nodes_answer(frame("1:2"))
    value["nodes"]["9:9"] = None
    assert read(value).id == "1:2"
    with pytest.raises(DesignUnreadableError, match="null for node 9:9"):
        read(value, "9-9")
    with pytest.raises(DesignUnreadableError, match=r"null answers: 9:9"):
        read({"nodes": {"9:9": None}})


def test_an_unknown_id_lists_what_there_is() -> None:
    """The error for a missing node names the file's frames."""
    with pytest.raises(DesignUnreadableError, match=r"(?s)no node 7:7.*12:34"):
        read(frame(), "7:7")


def test_any_node_of_the_tree_can_be_chosen() -> None:
    """An instance's inner node is found by its id, in the forms that links use."""
    inner = frame("I12:3;4:5")
    root = frame("1:1", frame("1:2", inner))
    assert read(root, "I12-3%3B4-5").id == "I12:3;4:5"


def test_a_chosen_node_without_area_or_hidden_is_refused() -> None:
    """What cannot have been exported is no baseline."""
    with pytest.raises(DesignUnreadableError, match="absoluteBoundingBox"):
        read(frame(absoluteBoundingBox=None))
    with pytest.raises(DesignUnreadableError, match="absoluteBoundingBox"):
        read(frame(absoluteBoundingBox=RECT | {"width": 0}))
    with pytest.raises(DesignUnreadableError, match="hidden"):
        read(frame(visible=False))


@settings(max_examples=200, deadline=None)
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    ["id", "type", "children", "document", "nodes", "absoluteBoundingBox", "x"]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=20,
    )
)
def test_arbitrary_json_never_raises_anything_else(value: Any) -> None:
    """Whatever the JSON is, the answer is a tree with an area or a DesignUnreadableError."""
    try:
        root = read(value)
    except DesignUnreadableError:
        return
    assert root.box is not None
    assert root.box.area > 0


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not here")
def test_the_storyboard_of_another_tool_is_refused() -> None:
    """The file in not-rest/ is refused in words."""
    data = (SHARED / "not-rest" / "FigmaStoryboard.figma").read_bytes()
    with pytest.raises(DesignUnreadableError, match="not an answer of today's Figma REST API"):
        read_nodes(data, name="FigmaStoryboard.figma")


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not here")
@pytest.mark.parametrize(
    ("name", "node_id", "count"),
    [
        ("effects/figma.fileNodes.json", "124:8", 1),
        ("components/dummy_api_response.json", None, 6),
        ("components/dummy_api_response_for_wizard.json", "140:2", None),
    ],
)
def test_answers_without_a_picture_are_read(
    name: str, node_id: str | None, count: int | None
) -> None:
    """Real answers of both envelopes give their nodes."""
    root = read_nodes((SHARED / name).read_bytes(), name=name).node(node_id)
    assert node_id in (None, root.id)
    assert count in (None, sum(1 for _ in walk(root)))
