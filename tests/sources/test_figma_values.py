"""Values of a wrong type in a node tree are as if they were not there, and end no comparison."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.checker import check
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.core.placement import frame_image, place_export
from pytest_pixelloop.core.tolerance import Tolerance
from pytest_pixelloop.sources.figma_nodes import build_tree
from pytest_pixelloop.sources.figma_values import node_properties
from pytest_pixelloop.sources.label_nodes import label_nodes

BLUE = {"type": "SOLID", "color": {"r": 0.1, "g": 0.2, "b": 0.9, "a": 1}}
HOSTILE: tuple[Any, ...] = (
    *(None, True, -1, 10**400, 1e308, float("nan"), "x", "\ud800", [], {}, [1], [[]], {"a": 1}),
    *([None], ["1", 2, 3, 4], {"x": "1"}),
)
WORDS = (
    *("opacity", "strokeWeight", "cornerRadius", "rectangleCornerRadii", "fills", "strokes"),
    *("effects", "individualStrokeWeights", "style", "blendMode", "strokeAlign", "layoutMode"),
    *("itemSpacing", "paddingLeft", "layoutWrap", "rotation", "characterStyleOverrides"),
    *("styleOverrideTable", "boundVariables", "layoutSizingVertical", "layoutPositioning"),
)


def tree(**own: Any) -> dict[str, Any]:
    """Return a frame with one text and one box, which has *own* values."""

    def box(x: float, y: float, w: float, h: float) -> dict[str, float]:
        return {"x": x, "y": y, "width": w, "height": h}

    child = {"id": "1:2", "name": "b", "type": "RECTANGLE", "fills": [BLUE], "strokes": [BLUE]}
    text = {"id": "1:3", "name": "t", "type": "TEXT", "characters": "Hi", "fills": [BLUE]}
    return {
        "id": "1:1",
        "name": "f",
        "type": "FRAME",
        "absoluteBoundingBox": box(0, 0, 80, 60),
        "layoutMode": "VERTICAL",
        "children": [
            {**child, "absoluteBoundingBox": box(10, 10, 30, 20), **own},
            {**text, "absoluteBoundingBox": box(10, 40, 30, 12), **own},
        ],
    }


def judged(raw: dict[str, Any]) -> str:
    """Return the status of a page that differs from the design of *raw*."""
    image = np.full((60, 80, 4), 255, np.uint8)
    other = image.copy()
    other[10:30, 10:40, :3] = (200, 30, 30)
    design = Design(
        name="d", label="d", image=image, frame=(80, 60), scale=1.0, root=build_tree(raw)
    )
    capture = Capture(image=other, scale=1.0, source="a.png")
    return check(design, capture, gate="design", tolerance=Tolerance(), folder=None).status


@pytest.mark.parametrize("word", WORDS)
def test_no_value_of_a_wrong_type_ends_a_comparison(word: str) -> None:
    """Whatever stands where Figma writes a number, a word or a paint: there is a verdict."""
    for value in HOSTILE:
        assert judged(tree(**{word: value})) == "fail", (word, value)


@pytest.mark.parametrize("key", ["r", "a"])
def test_a_colour_that_is_no_number_is_left_out(key: str) -> None:
    """A channel that is a text or a list does not stop the judgement of the others."""
    for value in HOSTILE:
        fill = {"type": "SOLID", "color": {"r": 0.1, "g": 0.2, "b": 0.9, "a": 1, key: value}}
        shadow = {"type": "DROP_SHADOW", "offset": {"x": value}, "radius": value}
        assert judged(tree(fills=[fill], effects=[shadow])) == "fail", (key, value)


def test_what_is_right_and_what_is_unknown_is_kept() -> None:
    """Right values and unknown keys come through unchanged; only children are left out."""
    raw = {
        "type": "RECTANGLE",
        "opacity": 0.5,
        "fills": [BLUE, {"type": "GRADIENT_LINEAR", "gradientStops": [{"position": 0.25}]}],
        "rectangleCornerRadii": [1, 2, 3, 4],
        "style": {"fontSize": 16, "fontFamily": "Inter", "new": {"k": [None]}},
        "fromTomorrow": {"x": ["y"]},
    }
    assert node_properties({**raw, "children": [{}]}) == raw
    assert node_properties({"fills": [None, 1, BLUE], "opacity": None}) == {"fills": [BLUE]}


_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from((*WORDS, "color", "x", "r")), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(WORDS), _json))
def test_cleaning_twice_is_cleaning_once(raw: dict[str, Any]) -> None:
    """What is left after cleaning has nothing in it that cleaning would take away."""
    once = node_properties(raw)
    assert repr(node_properties(once)) == repr(once)


def test_a_frame_of_billions_of_pixels_is_refused() -> None:
    """A frame far larger than its picture is an error in words, not gigabytes of memory."""
    raw = tree()
    raw["absoluteRenderBounds"] = raw["absoluteBoundingBox"]
    raw["absoluteBoundingBox"] = {"x": 0, "y": 0, "width": 900_000, "height": 900_000}
    root = build_tree(raw)
    assert root.box is not None
    placement = place_export((80, 60), root)
    with pytest.raises(DesignUnreadableError, match="900,000x900,000"):
        frame_image(np.zeros((60, 80, 4), np.uint8), placement, (root.box.w, root.box.h))


def test_a_kept_tree_is_json_whatever_its_numbers_were() -> None:
    """NaN and infinities of an exporter become null in the node file that is kept."""
    entry = {"document": {"id": "1:1", "rotation": float("nan"), "x": float("inf"), "y": 1.5}}
    data = label_nodes("1:1", entry, name=None, file_key=None, version=None, last_modified=None)

    def refuse(word: str) -> None:
        raise AssertionError(word)

    kept = json.loads(data, parse_constant=refuse)
    assert kept["nodes"]["1:1"]["document"] == {"id": "1:1", "rotation": None, "x": None, "y": 1.5}
