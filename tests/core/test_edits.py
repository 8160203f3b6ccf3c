"""Edits: applied literally, they make the element what its node says; else there is none."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.attributing import enrich
from pytest_pixelloop.core.design import DesignNode, place_nodes
from pytest_pixelloop.core.dom import DomSnapshot, Element
from pytest_pixelloop.core.finding import Channel, Edit, Finding, NodeRef
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.matching import match
from pytest_pixelloop.core.node_style import gradient_css
from pytest_pixelloop.core.style import compare_styles
from pytest_pixelloop.core.style_scene import Scene

FRAME, CARD = Box(0, 0, 400, 300), Box(20, 20, 200, 100)
FIRST, SECOND = Box(36, 36, 168, 20), Box(36, 64, 168, 40)


def solid(value: str, **more: Any) -> dict[str, Any]:
    """Return a paint of the REST API of a colour like ``#2563eb``."""
    r, g, b = (int(value[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return {"type": "SOLID", "color": {"r": r, "g": g, "b": b, "a": 1}, **more}


GRAY, BLUE = solid("#e5e7eb"), solid("#2563eb")
BOX = {
    "fills": [solid("#ffffff")],
    "strokes": [GRAY],
    "strokeWeight": 1,
    "cornerRadius": 8,
    "layoutMode": "VERTICAL",
    "primaryAxisAlignItems": "MIN",
    "itemSpacing": 8,
    **{f"padding{side}": 16 for side in ("Top", "Right", "Bottom", "Left")},
}
STYLE = {"fontFamily": "Inter", "fontSize": 16, "fontWeight": 600, "lineHeightPx": 20}
#: The page as the design has it.
CARD_CSS = {
    "display": "flex",
    "flex-direction": "column",
    "box-sizing": "border-box",
    "background-color": "rgb(255, 255, 255)",
    "row-gap": "8px",
    "column-gap": "8px",
    **{f"padding-{side}": "15px" for side in ("top", "right", "bottom", "left")},
    **{
        f"border-{side}-{part}": value
        for side in ("top", "right", "bottom", "left")
        for part, value in (("style", "solid"), ("width", "1px"), ("color", "rgb(229, 231, 235)"))
    },
    **{
        f"border-{corner}-radius": "8px"
        for corner in ("top-left", "top-right", "bottom-right", "bottom-left")
    },
}
TEXT_CSS = {
    "font-family": "Inter",
    "font-size": "16px",
    "font-weight": "600",
    "line-height": "20px",
}


def page(
    *, card: dict[str, str] | None = None, text: dict[str, Any] | None = None, **boxes: Box
) -> DomSnapshot:
    """Return the page with other styles or boxes of its card, text and button."""
    words = (text or {}).pop("text", "Welcome back") if text else "Welcome back"
    first = boxes.get("first", FIRST)
    made = [
        Element(index=0, parent=None, selector="main", tag="main", box=FRAME),
        Element(
            index=1,
            parent=0,
            selector=".card",
            tag="div",
            box=boxes.get("around", CARD),
            style={**CARD_CSS, **(card or {})},
        ),
        Element(
            index=2,
            parent=1,
            selector=".title",
            tag="p",
            box=first,
            text=words,
            label=words,
            lines=(first,),
            style={**TEXT_CSS, "color": "rgb(37, 99, 235)", **(text or {})},
        ),
        Element(
            index=3,
            parent=1,
            selector=".button",
            tag="div",
            box=boxes.get("second", SECOND),
            style={"background-color": "rgb(37, 99, 235)", "position": "relative"},
        ),
    ]
    ids = ("1:1", "1:2", "1:3", "1:4")
    elements = [
        dataclasses.replace(e, anchors={"data-figma-id": i}) for e, i in zip(made, ids, strict=True)
    ]
    return DomSnapshot(elements=tuple(elements), size=(400, 300))


def design(**more: Any) -> DesignNode:
    """Return a card with a text and a button; *more* are properties of the card."""
    return DesignNode(
        id="1:1",
        name="Page",
        type="FRAME",
        box=FRAME,
        children=(
            DesignNode(
                id="1:2",
                name="Card",
                type="FRAME",
                box=CARD,
                properties={**BOX, **more},
                names={"VariableID:1": "color/surface", "S:1": "Line"},
                children=(
                    DesignNode(
                        id="1:3",
                        name="Title",
                        type="TEXT",
                        box=FIRST,
                        characters="Welcome back",
                        properties={"style": STYLE, "fills": [BLUE]},
                    ),
                    DesignNode(
                        id="1:4",
                        name="Button",
                        type="FRAME",
                        box=SECOND,
                        properties={"fills": [BLUE], "layoutSizingHorizontal": "FIXED"},
                    ),
                ),
            ),
        ),
    )


def edit_of(
    node_id: str,
    name: str,
    snapshot: DomSnapshot,
    *,
    root: DesignNode | None = None,
    says: str = "it differs",
    **more: Any,
) -> Edit | None:
    """Return the edit of a finding of the pixels on a node."""
    placed = place_nodes(root or design())
    item = next(i for i in placed if i.node.id == node_id)
    found = Finding(
        delta_id=f"1-1/node:{node_id}",
        kind="changed",
        channel=Channel.VISUAL,
        message=says,
        box=item.box,
        severity=5.0,
        gating=True,
        node=NodeRef(id=node_id, name=item.node.name, path=item.path),
        property=name,
        **more,
    )
    matches = match(placed, snapshot)
    told = compare_styles(placed, matches).differences
    (enriched,) = enrich([found], told, scene=Scene(placed, matches))
    return enriched.edit


NO_BORDER = {f"border-{s}-style": "none" for s in ("top", "right", "bottom", "left")}
WIDE = {f"border-{s}-width": "3px" for s in ("top", "right", "bottom", "left")}


@pytest.mark.parametrize(
    ("node_id", "name", "snapshot", "wanted"),
    [
        ("1:2", "background", page(card={"background-color": "rgb(243, 244, 246)"}),
         (".card", "background-color", "#ffffff", "#f3f4f6")),
        ("1:2", "border-width", page(card=NO_BORDER),
         (".card", "border", "1px solid #e5e7eb", "none")),
        ("1:2", "border-width", page(card=WIDE), (".card", "border-width", "1px", "3px")),
        ("1:2", "border-radius", page(card={
            f"border-{c}-radius": "0px"
            for c in ("top-left", "top-right", "bottom-right", "bottom-left")}),
         (".card", "border-radius", "8px", "0px")),
        ("1:2", "box-shadow", page(card={"box-shadow": "rgba(0, 0, 0, 0.5) 0px 8px 8px 0px"}),
         (".card", "box-shadow", "none", "0px 8px 8px 0px rgb(0 0 0 / 50%)")),
        ("1:2", "opacity", page(card={"opacity": "0.5"}), (".card", "opacity", "1", "0.5")),
        ("1:3", "text", page(text={"text": "Welcome bakc"}),
         (".title", "text", "Welcome back", "Welcome bakc")),
        ("1:3", "font-size", page(text={"font-size": "20px"}),
         (".title", "font-size", "16px", "20px")),
        ("1:3", "text", page(text={"color": "rgb(29, 78, 216)"}),
         (".title", "color", "#2563eb", "#1d4ed8")),
        ("1:3", "color", page(text={"opacity": "0.5"}), (".title", "opacity", "1", "0.5")),
        ("1:3", "text", page(text={"letter-spacing": "2px"}),
         (".title", "letter-spacing", "normal", "2px")),
        ("1:2", "gap", page(card={"row-gap": "20px"}, second=Box(36, 76, 168, 40)),
         (".card", "row-gap", "8px", "20px")),
        ("1:4", "width", page(second=Box(36, 64, 140, 40)), (".button", "width", "168px", "140px")),
    ],
)  # fmt: skip
def test_an_edit_sets_one_property_to_what_the_design_says(
    node_id: str, name: str, snapshot: DomSnapshot, wanted: tuple[str, str, str, str]
) -> None:
    """By selector, property, value and what is there now, all as CSS writes them."""
    found = edit_of(node_id, name, snapshot)
    assert found is not None
    told = found.selector, found.property, found.value, found.actual
    assert told == wanted


def test_where_the_page_has_the_value_there_is_nothing_to_set() -> None:
    """An edit that would change nothing is none, whatever the pixels show."""
    for name in ("background", "border-width", "border-radius", "opacity", "padding-left"):
        assert edit_of("1:2", name, page(), expected=16.0) is None
    assert edit_of("1:2", "gap", page(), expected=8.0) is None
    assert edit_of("1:3", "text", page()) is None
    assert edit_of("1:3", "missing", page()) is None


def test_a_symptom_leads_to_what_has_moved_it() -> None:
    """Padding that shows because a box inside is too narrow: the box is what to set."""
    narrow = page(second=Box(36, 64, 120, 40))
    found = edit_of("1:2", "padding-right", narrow, expected=16.0, actual=64.0, delta=48.0)
    assert found is not None
    assert (found.selector, found.property, found.value) == (".button", "width", "168px")
    assert found.node.id == "1:4"


def test_what_has_left_the_flow_alone_goes_back_into_it() -> None:
    """An element shifted by relative offsets, its neighbours in place, is put back."""
    found = edit_of("1:4", "position", page(second=Box(42, 64, 168, 40)), delta=6.0, unit="px",
                    says="Button: 6px too far right")  # fmt: skip
    assert found is not None
    assert (found.selector, found.property, found.value) == (".button", "position", "static")
    moved = page(first=Box(42, 36, 168, 20), second=Box(42, 64, 168, 40))
    other = edit_of("1:4", "position", moved, delta=6.0, unit="px", says="6px too far right")
    assert other is None or other.property != "position"


def test_a_size_is_told_as_the_element_counts_it() -> None:
    """With content-box, padding and border are not in the width that is set."""
    root = design(layoutSizingHorizontal="FIXED")
    wide = Box(20, 20, 240, 100)
    for sizing, value in (("content-box", "168px"), ("border-box", "200px")):
        shown = page(card={"box-sizing": sizing}, around=wide)
        found = edit_of("1:2", "width", shown, root=root)
        assert found is not None
        assert (found.selector, found.property, found.value) == (".card", "width", value)


def test_the_design_s_name_of_a_value_is_told() -> None:
    """A bound variable goes by its name; an id whose name the export has not goes by none."""
    for alias, name in (("VariableID:1", "color/surface"), ("VariableID:9", None)):
        bound = {"color": {"type": "VARIABLE_ALIAS", "id": alias}}
        root = design(fills=[solid("#ffffff", boundVariables=bound)])
        found = edit_of(
            "1:2", "background", page(card={"background-color": "rgb(0, 0, 0)"}), root=root
        )
        assert found is not None
        assert found.variable == name
    found = edit_of(
        "1:2", "border-width", page(card=NO_BORDER), root=design(styles={"stroke": "S:1"})
    )
    assert found is not None
    assert found.variable is None  # a whole border is more than its colour


def test_a_gradient_is_told_as_css_paints_it() -> None:
    """Handles inside of the box put the stops where they are seen."""
    stops = [
        {"position": p, "color": {"r": r, "g": 0, "b": 0, "a": 1}} for p, r in ((0, 1), (1, 0))
    ]
    paint = {
        "type": "GRADIENT_LINEAR",
        "gradientHandlePositions": [{"x": 0.25, "y": 0.5}, {"x": 0.75, "y": 0.5}],
        "gradientStops": stops,
    }
    node = DesignNode(id="1", name="", type="FRAME", box=CARD, properties={"fills": [paint]})
    assert gradient_css(node) == "linear-gradient(90deg, #ff0000 25%, #000000 75%)"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=True)
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("color", "id", "r", "boundVariables")), inner, max_size=3
        )
    ),
    max_leaves=6,
)
PROPERTIES = ("background", "border-width", "border-radius", "box-shadow", "opacity", "color",
              "padding-left", "gap", "width", "height", "position", "alignment", "text",
              "font-size", "icon", "image")  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(
    name=st.sampled_from(PROPERTIES),
    keys=st.dictionaries(
        st.sampled_from((*BOX, "styles", "boundVariables", "effects", "layoutSizingHorizontal")),
        JSON,
        max_size=5,
    ),
    where=st.sampled_from(("1:2", "1:3", "1:4")),
)
def test_no_design_breaks_an_edit(name: str, keys: dict[str, Any], where: str) -> None:
    """Whatever a design file holds, there is an edit on one line, or none; never an error."""
    shifted = page(card={"row-gap": "20px"}, second=Box(40, 76, 120, 44))
    found = edit_of(where, name, shifted, root=design(**keys))
    assert found is None or "\n" not in found.value + found.selector
