"""Every row of the mapping from Figma to computed CSS: what is named, and what is let pass."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from pytest_pixelloop.core.design import DesignNode, place_nodes
from pytest_pixelloop.core.dom import DomSnapshot, Element
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.matching import match
from pytest_pixelloop.core.style import StyleReport, compare_styles


def solid(r: int, g: int, b: int, a: float = 1.0, **more: Any) -> dict[str, Any]:
    """Return a solid paint as the REST API writes it: floats 0..1."""
    color = {"r": r / 255, "g": g / 255, "b": b / 255, "a": 1}
    return {"type": "SOLID", "color": color, "opacity": a, **more}


BLUE, WHITE, GRAY = solid(37, 99, 235), solid(255, 255, 255), solid(217, 217, 217)
DROP = {
    "type": "DROP_SHADOW",
    "color": {"r": 0, "g": 0, "b": 0, "a": 0.25},
    "offset": {"x": 0, "y": 4},
    "radius": 4,
    "spread": 0,
}
LINEAR = {
    "type": "GRADIENT_LINEAR",
    "gradientHandlePositions": [{"x": 0, "y": 0.5}, {"x": 1, "y": 0.5}, {"x": 0, "y": 1}],
    "gradientStops": [
        {"position": 0, "color": {"r": 1, "g": 0, "b": 0, "a": 1}},
        {"position": 1, "color": {"r": 0, "g": 0, "b": 1, "a": 1}},
    ],
}
BORDER = {
    f"border-{side}-{part}": value
    for side in ("top", "right", "bottom", "left")
    for part, value in (("style", "solid"), ("width", "1px"), ("color", "rgb(217, 217, 217)"))
}
FRAME = Box(0, 0, 400, 300)
CARD = Box(20, 20, 100, 40)


def _report(node: DesignNode, *elements: Element) -> StyleReport:
    root = DesignNode(id="1:1", name="Page", type="FRAME", box=FRAME, children=(node,))
    body = Element(index=0, parent=None, selector="main", tag="main", box=FRAME)
    body = dataclasses.replace(body, anchors={"data-figma-id": "1:1"})
    snapshot = DomSnapshot(elements=(body, *elements), size=(400, 300))
    placed = place_nodes(root)
    return compare_styles(placed, match(placed, snapshot))


def _differences(report: StyleReport) -> list[tuple[str, str, str]]:
    return [
        (d.property, d.expected, d.actual)
        for d in report.differences
        if not d.diagnosis and d.confidence >= CONFIDENT
    ]


def box_differences(
    properties: dict[str, Any],
    style: dict[str, str],
    *,
    box: Box = CARD,
    kind: str = "FRAME",
    opacity: float = 1.0,
    **more: Any,
) -> list[tuple[str, str, str]]:
    """Return what is said of one anchored frame."""
    node = DesignNode(
        id="1:2", name="Card", type=kind, box=CARD, opacity=opacity, properties=properties
    )
    element = Element(
        index=1,
        parent=0,
        selector=".card",
        tag="div",
        box=box,
        style=style,
        anchors={"data-figma-id": "1:2"},
        **more,
    )
    return _differences(_report(node, element))


def text_differences(
    text_style: dict[str, Any],
    style: dict[str, str],
    *,
    characters: str = "Sign in",
    text: str = "Sign in",
    lines: int = 1,
    box: Box = CARD,
    node_box: Box = CARD,
    properties: dict[str, Any] | None = None,
    font: str | None = "Inter",
) -> list[tuple[str, str, str]]:
    """Return what is said of one anchored text; both sides are Inter 16 px 400 by default."""
    base = {"fontFamily": "Inter", "fontSize": 16, "fontWeight": 400, "lineHeightPx": 20}
    node = DesignNode(
        id="1:2",
        name="Label",
        type="TEXT",
        box=node_box,
        characters=characters,
        properties={
            "fills": [solid(0, 0, 0)],
            **(properties or {}),
            "style": {**base, "lineHeightUnit": "PIXELS", **text_style},
        },
    )
    pitch = box.h / lines
    element = Element(
        index=1,
        parent=0,
        selector="p",
        tag="p",
        box=box,
        text=text,
        label=text,
        lines=tuple(Box(box.x, box.y + i * pitch, box.w, pitch) for i in range(lines)),
        font=font,
        style={"font-family": "Inter", "line-height": "20px", **style},
        anchors={"data-figma-id": "1:2"},
    )
    return _differences(_report(node, element))


# ---- boxes: what is named


@pytest.mark.parametrize(
    ("properties", "style", "expected"),
    [
        (
            {"fills": [BLUE]},
            {"background-color": "rgb(29, 78, 216)"},
            [("background-color", "#2563eb", "#1d4ed8")],
        ),
        ({"fills": [BLUE]}, {}, [("background-color", "#2563eb", "transparent (on #ffffff)")]),
        (
            {"fills": []},
            {"background-color": "rgb(37, 99, 235)"},
            [("background-color", "transparent", "#2563eb")],
        ),
        (
            {"fills": [WHITE, solid(37, 99, 235, 0.5)]},
            {"background-color": "rgb(37, 99, 235)"},
            [("background-color", "#92b1f5", "#2563eb")],
        ),
        (
            {"fills": [WHITE], "strokes": [GRAY], "strokeWeight": 1},
            {"background-color": "rgb(255, 255, 255)"},
            [("border-width", "1px", "0px")],
        ),
        (
            {"fills": [WHITE], "strokes": [solid(0, 0, 0)], "strokeWeight": 1},
            {"background-color": "rgb(255, 255, 255)", **BORDER},
            [("border-color", "#000000", "#d9d9d9")],
        ),
        (
            {
                "fills": [WHITE],
                "strokes": [GRAY],
                "individualStrokeWeights": {"top": 0, "right": 0, "bottom": 3, "left": 0},
            },
            {
                "background-color": "rgb(255, 255, 255)",
                **{k: v for k, v in BORDER.items() if "bottom" in k},
            },
            [("border-bottom-width", "3px", "1px")],
        ),
        (
            {"fills": [WHITE]},
            {"background-color": "rgb(255, 255, 255)", **BORDER},
            [("border-width", "0px", "1px")],
        ),
        (
            {"fills": [BLUE], "cornerRadius": 8},
            {"background-color": "rgb(37, 99, 235)"},
            [("border-radius", "8px", "0px")],
        ),
        (
            {"fills": [BLUE], "rectangleCornerRadii": [8, 0, 0, 0]},
            {"background-color": "rgb(37, 99, 235)", "border-top-left-radius": "4px"},
            [("border-top-left-radius", "8px", "4px")],
        ),
        (
            {"fills": [WHITE], "effects": [DROP]},
            {"background-color": "rgb(255, 255, 255)"},
            [("box-shadow", "0px 4px 4px 0px rgb(0 0 0 / 25%)", "none")],
        ),
        (
            {"fills": [WHITE], "effects": [DROP]},
            {
                "background-color": "rgb(255, 255, 255)",
                "box-shadow": "rgba(0, 0, 0, 0.25) 0px 4px 12px 0px",
            },
            [
                (
                    "box-shadow",
                    "0px 4px 4px 0px rgb(0 0 0 / 25%)",
                    "0px 4px 12px 0px rgb(0 0 0 / 25%)",
                )
            ],
        ),
        (
            {"fills": [WHITE]},
            {
                "background-color": "rgb(255, 255, 255)",
                "box-shadow": "rgba(0, 0, 0, 0.25) 0px 4px 4px 0px",
            },
            [("box-shadow", "none", "0px 4px 4px 0px rgb(0 0 0 / 25%)")],
        ),
        ({"fills": [LINEAR]}, {}, [("background-image", "linear-gradient", "none")]),
        (
            {"fills": [LINEAR]},
            {"background-image": "linear-gradient(45deg, rgb(255, 0, 0) 0%, rgb(0, 0, 255) 100%)"},
            [("background-image", "linear-gradient at 90deg", "linear-gradient at 45deg")],
        ),
        (
            {"fills": [LINEAR]},
            {"background-image": "linear-gradient(90deg, rgb(0, 255, 0) 0%, rgb(0, 0, 255) 100%)"},
            [("background-image", "#ff0000", "#00ff00")],
        ),
        (
            {"fills": [WHITE], "effects": [{"type": "LAYER_BLUR", "radius": 32}]},
            {"background-color": "rgb(255, 255, 255)", "filter": "blur(32px)"},
            [("filter", "blur(16px)", "blur(32px)")],
        ),
        (
            {"fills": [WHITE], "effects": [{"type": "BACKGROUND_BLUR", "radius": 8}]},
            {"background-color": "rgb(255, 255, 255)"},
            [("backdrop-filter", "blur(4px)", "blur(0px)")],
        ),
    ],
)
def test_a_wrong_box_property_is_named(
    properties: dict[str, Any], style: dict[str, str], expected: list[tuple[str, str, str]]
) -> None:
    """Fill, border, corners, shadow, gradient and blur are named with both values, and no more."""
    assert box_differences(properties, style) == expected


# ---- boxes: the known differences


@pytest.mark.parametrize(
    ("properties", "style"),
    [
        # 0..1 floats are rounded; 2/255 are no difference
        ({"fills": [BLUE]}, {"background-color": "rgb(37, 99, 235)"}),
        ({"fills": [BLUE]}, {"background-color": "rgb(39, 101, 233)"}),
        ({"fills": [BLUE]}, {"background-color": "oklch(0.546 0.215 262.881)"}),
        # hidden paints and paints of opacity 0 paint nothing
        ({"fills": [{**BLUE, "visible": False}]}, {}),
        ({"fills": [solid(37, 99, 235, 0.0)]}, {}),
        # white on white is seen by nobody
        ({"fills": [WHITE]}, {}),
        ({"fills": []}, {"background-color": "rgb(255, 255, 255)"}),
        # alpha blended on one side, flat on the other
        ({"fills": [solid(0, 0, 0, 0.5)]}, {"background-color": "rgb(127, 127, 127)"}),
        # a border may be an outline or a ring-like shadow, outside or inset
        (
            {"fills": [WHITE], "strokes": [GRAY], "strokeWeight": 2, "strokeAlign": "OUTSIDE"},
            {
                "background-color": "rgb(255, 255, 255)",
                "box-shadow": "rgb(217, 217, 217) 0px 0px 0px 2px",
            },
        ),
        (
            {"fills": [WHITE], "strokes": [GRAY], "strokeWeight": 2},
            {
                "background-color": "rgb(255, 255, 255)",
                "box-shadow": "rgb(217, 217, 217) 0px 0px 0px 2px inset",
            },
        ),
        (
            {"fills": [WHITE], "strokes": [GRAY], "strokeWeight": 1, "strokeAlign": "CENTER"},
            {
                "background-color": "rgb(255, 255, 255)",
                "outline-style": "solid",
                "outline-width": "1px",
                "outline-color": "rgb(217, 217, 217)",
            },
        ),
        # a ring that the design itself calls a shadow
        (
            {"fills": [WHITE], "effects": [{**DROP, "radius": 0, "offset": {}, "spread": 2}]},
            {
                "background-color": "rgb(255, 255, 255)",
                "box-shadow": "rgba(0, 0, 0, 0.25) 0px 0px 0px 2px",
            },
        ),
        # a transparent border and one of the box's own colour draw nothing
        (
            {"fills": [GRAY]},
            {"background-color": "rgb(217, 217, 217)", **BORDER},
        ),
        # hairlines snap to device px
        (
            {"fills": [WHITE], "strokes": [GRAY], "strokeWeight": 0.5},
            {"background-color": "rgb(255, 255, 255)", **BORDER},
        ),
        # pill, half of the side and 50 % are one
        (
            {"fills": [BLUE], "cornerRadius": 20},
            {
                "background-color": "rgb(37, 99, 235)",
                **{
                    f"border-{c}-radius": "9999px"
                    for c in ("top-left", "top-right", "bottom-right", "bottom-left")
                },
            },
        ),
        # corners of something that paints nothing
        ({"fills": [], "cornerRadius": 8}, {}),
        # Figma shadows the children of a frame without fill
        ({"fills": [], "effects": [DROP]}, {}),
        (
            {"fills": [WHITE], "effects": [DROP]},
            {"filter": "drop-shadow(rgba(0, 0, 0, 0.25) 0px 4px 4px)"},
        ),
        (
            {"fills": [WHITE], "effects": [{**DROP, "visible": False}]},
            {"background-color": "rgb(255, 255, 255)"},
        ),
        # blur is half in CSS; gradients may be written with other hues of angle
        (
            {"fills": [WHITE], "effects": [{"type": "LAYER_BLUR", "radius": 32}]},
            {"background-color": "rgb(255, 255, 255)", "filter": "blur(16px)"},
        ),
        (
            {"fills": [LINEAR]},
            {"background-image": "linear-gradient(to right, rgb(255, 0, 0), rgb(0, 0, 255))"},
        ),
        ({"fills": [{"type": "GRADIENT_DIAMOND", "gradientStops": []}]}, {}),
        ({"fills": [{"type": "IMAGE"}]}, {"background-image": 'url("a.png")'}),
    ],
)
def test_a_known_difference_of_boxes_is_not_reported(
    properties: dict[str, Any], style: dict[str, str]
) -> None:
    """What looks the same, or has no CSS, is no difference."""
    assert box_differences(properties, style) == []


def test_an_ellipse_is_round_by_itself() -> None:
    """An ELLIPSE has no radius in the file and 50 % on the page."""
    corners = ("top-left", "top-right", "bottom-right", "bottom-left")
    round_style = {"background-color": "rgb(37, 99, 235)"} | {
        f"border-{c}-radius": "50%" for c in corners
    }
    assert box_differences({"fills": [BLUE]}, round_style, kind="ELLIPSE") == []
    square = box_differences(
        {"fills": [BLUE]}, {"background-color": "rgb(37, 99, 235)"}, kind="ELLIPSE"
    )
    assert square == [("border-radius", "20px", "0px")]


def test_opacity_may_be_done_through_the_colour() -> None:
    """Opacity is compared, and excused when the alpha of the colour says the same."""
    blue = {"background-color": "rgb(37, 99, 235)"}
    assert ("opacity", "0.5", "1") in box_differences({"fills": [BLUE]}, blue, opacity=0.5)
    assert box_differences({"fills": [BLUE]}, {**blue, "opacity": "0.5"}, opacity=0.5) == []
    through = {"background-color": "rgba(37, 99, 235, 0.5)"}
    assert box_differences({"fills": [BLUE]}, through, opacity=0.5) == []


def test_a_pseudo_element_may_paint_the_box() -> None:
    """Nothing is claimed of fill, border and shadow where ::before or ::after paint."""
    assert box_differences({"fills": [BLUE]}, {}, pseudo=True) == []


def test_what_a_wrapper_of_the_same_box_paints_counts() -> None:
    """Fill, border and radius may sit on a wrapper or on the only child of the same box."""
    node = DesignNode(
        id="1:2",
        name="Card",
        type="FRAME",
        box=CARD,
        properties={"fills": [BLUE], "cornerRadius": 8},
    )
    corners = ("top-left", "top-right", "bottom-right", "bottom-left")
    wrapper = Element(index=1, parent=0, selector="a", tag="a", box=CARD)
    inner = Element(
        index=2,
        parent=1,
        selector="b",
        tag="div",
        box=CARD,
        style={"background-color": "rgb(37, 99, 235)"}
        | {f"border-{c}-radius": "8px" for c in corners},
    )
    anchored = dataclasses.replace(wrapper, anchors={"data-figma-id": "1:2"})
    assert _differences(_report(node, anchored, inner)) == []


# ---- sizes and places


def test_a_fixed_size_is_named_and_a_hugging_one_is_a_diagnosis() -> None:
    """A wrong FIXED width is an instruction; of a HUG frame it is a diagnosis; 1 px is nothing."""
    wide = Box(20, 20, 130, 40)
    fixed = {"layoutSizingHorizontal": "FIXED", "layoutSizingVertical": "FIXED"}
    assert box_differences(fixed, {}, box=wide) == [("width", "100px", "130px")]
    assert box_differences(fixed, {}, box=Box(20, 20, 101, 40)) == []
    assert box_differences({"layoutSizingHorizontal": "HUG"}, {}, box=wide) == []
    node = DesignNode(
        id="1:2", name="C", type="FRAME", box=CARD, properties={"layoutSizingHorizontal": "HUG"}
    )
    element = Element(
        index=1, parent=0, selector="d", tag="div", box=wide, anchors={"data-figma-id": "1:2"}
    )
    report = _report(node, element)
    assert [(d.property, d.diagnosis) for d in report.differences] == [("width", True)]


def test_the_place_of_what_no_layout_places_is_compared() -> None:
    """In a frame without auto layout, left and top are properties of the child."""
    assert box_differences({}, {}, box=Box(28, 20, 100, 40)) == [("left", "20px", "28px")]


def test_rotated_nodes_and_turned_elements_are_not_measured() -> None:
    """The style of a rotated node is skipped, and so is the size of a turned element."""
    node = DesignNode(
        id="1:2",
        name="C",
        type="FRAME",
        box=CARD,
        rotation=math.pi / 4,
        properties={"fills": [BLUE]},
    )
    element = Element(
        index=1, parent=0, selector="d", tag="div", box=CARD, anchors={"data-figma-id": "1:2"}
    )
    report = _report(node, element)
    assert report.differences == ()
    assert report.skipped == {"rotated": 1}
    wide = Box(20, 20, 130, 40)
    fixed = {"layoutSizingHorizontal": "FIXED"}
    assert box_differences(fixed, {}, box=wide, transformed=True) == []


# ---- padding and gap


def _row(
    properties: dict[str, Any],
    style: dict[str, str],
    *,
    nodes: tuple[Box, ...],
    elements: tuple[Box, ...],
    box: Box = CARD,
) -> list[tuple[str, str, str]]:
    children = tuple(
        DesignNode(id=f"2:{i}", name=f"c{i}", type="RECTANGLE", box=b, properties={"fills": [BLUE]})
        for i, b in enumerate(nodes)
    )
    node = DesignNode(
        id="1:2",
        name="Row",
        type="FRAME",
        box=CARD,
        properties={"layoutMode": "HORIZONTAL", **properties},
        children=children,
    )
    row = Element(
        index=1,
        parent=0,
        selector="r",
        tag="div",
        box=box,
        style={"display": "flex", **style},
        anchors={"data-figma-id": "1:2"},
    )
    inside = tuple(
        Element(
            index=2 + i,
            parent=1,
            selector=f"c{i}",
            tag="div",
            box=b,
            style={"background-color": "rgb(37, 99, 235)"},
            anchors={"data-figma-id": f"2:{i}"},
        )
        for i, b in enumerate(elements)
    )
    return _differences(_report(node, row, *inside))


def test_padding_is_named_when_the_page_shows_it() -> None:
    """A padding is wrong when it is written wrongly and its child lies accordingly."""
    properties = {"paddingLeft": 10, "layoutSizingHorizontal": "HUG"}
    inner, moved = Box(30, 20, 20, 40), Box(36, 20, 20, 40)
    wrong = _row(properties, {"padding-left": "16px"}, nodes=(inner,), elements=(moved,))
    assert wrong == [("padding-left", "10px", "16px")]
    # simulated in another way: the child lies where the design has it
    assert _row(properties, {"padding-left": "16px"}, nodes=(inner,), elements=(inner,)) == []
    assert _row(properties, {}, nodes=(inner,), elements=(inner,)) == []


def test_padding_and_border_are_figmas_padding() -> None:
    """With strokes left out of the layout, CSS padding plus border is the padding of the design."""
    inner, moved = Box(30, 20, 20, 40), Box(31, 20, 20, 40)
    border = {k: v.replace("1px", "2px") for k, v in BORDER.items()}
    properties = {"paddingLeft": 10, "strokes": [GRAY], "strokeWeight": 2}
    for css in ("8px", "10px"):
        style = {"padding-left": css, **border}
        assert _row(properties, style, nodes=(inner,), elements=(moved,)) == []
    included = {**properties, "strokesIncludedInLayout": True}
    # included, the stroke comes on top: 8 + 2 px are too little, though excluded they would do
    style = {"padding-left": "8px", **border}
    found = _row(included, style, nodes=(Box(32, 20, 20, 40),), elements=(inner,))
    assert found == [("padding-left", "10px", "8px")]


def test_a_gap_is_named_when_the_page_shows_it() -> None:
    """A gap is wrong when it is written wrongly and the children stand accordingly."""
    nodes = (Box(20, 20, 20, 40), Box(48, 20, 20, 40))
    apart = (Box(20, 20, 20, 40), Box(56, 20, 20, 40))
    properties = {"itemSpacing": 8}
    wrong = _row(properties, {"column-gap": "16px"}, nodes=nodes, elements=apart)
    assert wrong == [("column-gap", "8px", "16px")]
    assert _row(properties, {"column-gap": "8px"}, nodes=nodes, elements=nodes) == []
    # margins may do what a gap does
    assert _row(properties, {}, nodes=nodes, elements=nodes) == []
    # with SPACE_BETWEEN, itemSpacing is not what is seen
    spread = {**properties, "primaryAxisAlignItems": "SPACE_BETWEEN"}
    assert _row(spread, {"column-gap": "16px"}, nodes=nodes, elements=apart) == []


def test_a_negative_gap_is_measured() -> None:
    """Overlapping children have no CSS gap; their distance is compared."""
    nodes = (Box(20, 20, 20, 40), Box(32, 20, 20, 40))
    assert _row({"itemSpacing": -8}, {}, nodes=nodes, elements=nodes) == []
    apart = (Box(20, 20, 20, 40), Box(40, 20, 20, 40))
    assert _row({"itemSpacing": -8}, {}, nodes=nodes, elements=apart) == [
        ("column-gap", "-8px", "0px")
    ]


# ---- texts


@pytest.mark.parametrize(
    ("text_style", "style", "expected"),
    [
        ({"fontSize": 16}, {"font-size": "14px"}, [("font-size", "16px", "14px")]),
        ({"fontWeight": 600}, {"font-weight": "500"}, [("font-weight", "600", "500")]),
        ({"italic": True}, {}, [("font-style", "italic", "normal")]),
        ({"letterSpacing": 1}, {}, [("letter-spacing", "1px", "0px")]),
        ({"textCase": "UPPER"}, {}, [("text-transform", "uppercase", "none")]),
        ({"textCase": "SMALL_CAPS"}, {}, [("font-variant-caps", "small-caps", "normal")]),
        (
            {"textDecoration": "UNDERLINE"},
            {},
            [("text-decoration-line", "underline", "none")],
        ),
        (
            {},
            {"text-decoration-line": "underline"},
            [("text-decoration-line", "none", "underline")],
        ),
        ({}, {"color": "rgb(107, 114, 128)"}, [("color", "#000000", "#6b7280")]),
    ],
)
def test_a_wrong_text_property_is_named(
    text_style: dict[str, Any], style: dict[str, str], expected: list[tuple[str, str, str]]
) -> None:
    """Font, spacing, case, decoration and colour are named with both values, and no more."""
    assert text_differences(text_style, style) == expected


@pytest.mark.parametrize(
    ("text_style", "style"),
    [
        ({}, {"font-size": "16.4px"}),
        ({"letterSpacing": 0.1}, {"letter-spacing": "normal"}),
        ({}, {"color": "rgb(2, 2, 2)"}),
        # the family's spelling
        ({"fontFamily": "Inter"}, {"font-family": '"Inter Variable", sans-serif'}),
        # one line in a box of the right height: its line height moves nothing
        ({"lineHeightPx": 22.4}, {"line-height": "16px"}),
        ({"lineHeightUnit": "INTRINSIC_%", "lineHeightPx": 19.36}, {"line-height": "normal"}),
        # hugging text has nothing to align in
        ({"textAutoResize": "WIDTH_AND_HEIGHT", "textAlignHorizontal": "CENTER"}, {}),
        ({"textAlignHorizontal": "LEFT"}, {"text-align": "left"}),
        ({"textAlignVertical": "CENTER"}, {}),
        ({}, {"-webkit-text-fill-color": "rgb(0, 0, 0)", "color": "rgb(0, 0, 0)"}),
    ],
)
def test_a_known_difference_of_texts_is_not_reported(
    text_style: dict[str, Any], style: dict[str, str]
) -> None:
    """What follows from font files and spelling is no difference."""
    assert text_differences(text_style, style) == []


def test_line_height_of_several_lines() -> None:
    """Of several lines the line height is compared; INTRINSIC within 1 px, ``normal`` by pitch."""
    wrong = text_differences({"lineHeightPx": 24}, {"line-height": "20px"}, lines=2)
    assert wrong == [("line-height", "24px", "20px")]
    intrinsic = {"lineHeightPx": 20.9, "lineHeightUnit": "INTRINSIC_%"}
    assert text_differences(intrinsic, {"line-height": "20px"}, lines=2) == []
    assert text_differences({"lineHeightPx": 20}, {"line-height": "normal"}, lines=2) == []
    pitch = text_differences({"lineHeightPx": 24}, {"line-height": "normal"}, lines=2)
    assert pitch == [("line-height", "24px", "20px")]


@pytest.mark.parametrize(
    ("characters", "text", "text_style", "style", "expected"),
    [
        ("Sign in", "Log in", {}, {}, [("text", "Sign in", "Log in")]),
        ("$1,299", "$1,298", {}, {}, [("text", "$1,299", "$1,298")]),
        ("Two\u2028lines", "Two lines", {}, {}, []),
        ("a  b\n", "a b", {}, {}, []),
        ("Caf\u00e9", "Cafe\u0301", {}, {}, []),
        ("sign in", "SIGN IN", {"textCase": "UPPER"}, {}, []),
        ("Sign in", "sign in", {"textCase": "UPPER"}, {"text-transform": "uppercase"}, []),
        ("sign in", "Sign In", {"textCase": "TITLE"}, {"text-transform": "capitalize"}, []),
        ("Sign in", "sign in", {}, {}, [("text", "Sign in", "sign in")]),
    ],
)
def test_words_are_compared_as_they_are_shown(
    characters: str,
    text: str,
    text_style: dict[str, Any],
    style: dict[str, str],
    expected: list[tuple[str, str, str]],
) -> None:
    """Texts are equal after normalising and casing as shown; a word or a digit is a difference."""
    assert text_differences(text_style, style, characters=characters, text=text) == expected


def test_the_font_really_used_counts() -> None:
    """A fallback is named with what was asked for; a font of another system is let pass."""
    assert text_differences({}, {}, font="DejaVu Sans") == [
        ("font-family", "Inter", "DejaVu Sans (asked for Inter)")
    ]
    other = text_differences({}, {"font-family": "Roboto"}, font="Roboto")
    assert other == [("font-family", "Inter", "Roboto")]
    apple = {"fontFamily": "SF Pro Display"}
    stack = {"font-family": '"SF Pro Display", sans-serif'}
    assert text_differences(apple, stack, font="sans-serif") == []


def test_a_missing_font_is_one_fact_of_the_page() -> None:
    """Which fonts of the design the page did not use is told once, with the texts."""
    style = {"fontFamily": "Inter", "fontSize": 16, "fontWeight": 400}
    node = DesignNode(
        id="1:2", name="L", type="TEXT", box=CARD, characters="Hi", properties={"style": style}
    )
    element = Element(
        index=1,
        parent=0,
        selector="p",
        tag="p",
        box=CARD,
        text="Hi",
        label="Hi",
        font="serif",
        style={"font-family": "Inter, serif"},
        anchors={"data-figma-id": "1:2"},
    )
    (missing,) = _report(node, element).missing_fonts
    assert (missing.family, missing.used, missing.node_ids) == ("Inter", "serif", ("1:2",))


def test_alignment_counts_where_there_is_room() -> None:
    """A fixed text box that is aligned otherwise is named; one that hangs right is let pass."""
    left = Box(20, 20, 100, 40)
    node_style = {"textAutoResize": "NONE", "textAlignHorizontal": "CENTER"}
    # the line is as wide as the box: nothing to align
    assert text_differences(node_style, {}, box=left) == []
    wrong = text_differences(node_style, {"text-align": "left"}, lines=2)
    assert wrong == [("text-align", "center", "left")]
    rtl = {"textAutoResize": "NONE", "textAlignHorizontal": "RIGHT"}
    assert text_differences(rtl, {"direction": "rtl"}, lines=2) == []


def test_mixed_styles_are_not_compared_by_the_first_one() -> None:
    """What some characters of a text override is not claimed of the whole."""
    properties = {
        "characterStyleOverrides": [0, 0, 7],
        "styleOverrideTable": {"7": {"fontWeight": 700}},
    }
    style = {"font-weight": "700", "font-size": "14px"}
    found = text_differences({}, style, properties=properties)
    assert found == [("font-size", "16px", "14px")]


def test_what_all_characters_share_is_compared_in_mixed_styles_too() -> None:
    """A run that only repeats what the text sets mixes nothing."""
    base = {"fontFamily": "Liberation Serif", "fontWeight": 400}
    properties = {
        "characterStyleOverrides": [3, 3, 0],
        "styleOverrideTable": {"3": {**base, "fontWeight": 700}},
    }
    style = {"font-family": "Liberation Sans", "font-weight": "700"}
    found = text_differences(base, style, properties=properties, font="Liberation Sans")
    assert found == [("font-family", "Liberation Serif", "Liberation Sans")]


def test_other_capitals_are_no_piece_of_a_text() -> None:
    """Words in other capitals differ as surely as the match is, though one holds the other."""
    node = DesignNode(id="1:2", name="L", type="TEXT", box=CARD, characters="ORDERS")
    element = Element(
        index=1, parent=0, selector="p", tag="p", box=CARD, text="Orders", label="Orders"
    )
    assert _differences(_report(node, element)) == [("text", "ORDERS", "Orders")]


def test_a_drawn_shape_is_compared_by_its_one_colour() -> None:
    """An icon's colour is its fill or its stroke, whichever the page draws it with."""
    node = DesignNode(
        id="1:2", name="Icon", type="VECTOR", box=CARD, properties={"fills": [solid(30, 30, 30)]}
    )

    def shape(style: dict[str, str]) -> Element:
        anchors = {"data-figma-id": "1:2"}
        return Element(
            index=1, parent=0, selector="path", tag="path", box=CARD, style=style, anchors=anchors
        )

    stroke = shape({"fill": "none", "stroke": "rgb(30, 30, 30)"})
    assert _differences(_report(node, stroke)) == []
    gray = shape({"fill": "rgb(117, 117, 117)"})
    assert _differences(_report(node, gray)) == [("fill", "#1e1e1e", "#757575")]


def test_nothing_is_claimed_of_unsure_matches_and_of_canvas_apps() -> None:
    """Below the confidence limit a style is not compared; without DOM the status is n/a."""
    node = DesignNode(id="1:2", name="C", type="FRAME", box=CARD, properties={"fills": [BLUE]})
    twice = [
        Element(
            index=i, parent=0, selector="d", tag="div", box=CARD, anchors={"data-figma-id": "1:2"}
        )
        for i in (1, 2)
    ]
    report = _report(node, *twice)
    assert report.differences == ()
    assert report.skipped == {"unsure": 1}
    placed = place_nodes(node)
    canvas = DomSnapshot(meaningful=False, reason="drawn on a canvas")
    assert compare_styles(placed, match(placed, canvas)).status == "n/a"


@pytest.mark.parametrize(
    "properties",
    [
        {"fills": "red"},
        {"fills": [None, 3, {"type": "SOLID"}, {"type": "SOLID", "color": {"r": "x"}}]},
        {"strokes": [BLUE], "strokeWeight": "thick", "individualStrokeWeights": {"top": None}},
        {"effects": [{"type": "DROP_SHADOW"}, 5], "fills": [WHITE]},
        {"cornerRadius": math.nan, "rectangleCornerRadii": [1, 2]},
        {"layoutMode": 7, "paddingLeft": "x", "itemSpacing": []},
        {
            "fills": [
                {"type": "GRADIENT_LINEAR", "gradientHandlePositions": [1], "gradientStops": 3}
            ]
        },
        {"style": 3},
    ],
)
def test_malformed_properties_break_nothing(properties: dict[str, Any]) -> None:
    """A value of the wrong type in a design file counts as absent."""
    box_differences(properties, {"background-color": "rgb(1, 2, 3)"})
