"""How large a picture is asked for: 32 megapixels, the scale below, frames put together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from figma_server import box, card, frame, paint, rect, render
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.sources.figma.export_size import (
    MAX_PIXELS,
    Export,
    fits,
    lower_scale,
    plan_export,
    put_together,
    tiles_of,
)
from pytest_pixelloop.sources.figma_nodes import build_tree
from pytest_pixelloop.store.images import read_image

SIZES = [
    (1440, 5555, 2, True),
    (1440, 5556, 2, False),
    (1790, 4469, 2, True),
    (1790, 4470, 2, False),
    (1790, 12375, 1, True),
    (4000, 8000, 1, True),
    (4000, 8001, 1, False),
]


@pytest.mark.parametrize(("width", "height", "scale", "whole"), SIZES)
def test_32_megapixels_are_the_limit(width: int, height: int, scale: float, *, whole: bool) -> None:
    """At scale 2 a page 1440 wide fits up to a height of 5555, one 1790 wide up to 4469."""
    assert fits(Box(0, 0, width, height), scale) is whole


@pytest.mark.parametrize(
    ("width", "height", "scale"),
    [(1440, 9000, 1.5), (1790, 12375, 1.0), (1440, 40000, 0.5), (8000, 64000, 0.25)],
)
def test_the_next_scale_is_a_usual_one_where_one_fits(
    width: int, height: int, scale: float
) -> None:
    """1.5, 1 or 0.5 before an odd scale."""
    assert lower_scale(Box(0, 0, width, height), below=2.0) == scale


@given(w=st.floats(1, 60_000), h=st.floats(1, 60_000), below=st.floats(0.02, 4))
def test_a_lower_scale_always_fits(w: float, h: float, below: float) -> None:
    """Whatever the size: not above what was wanted, and within the limit."""
    scale = lower_scale(Box(0, 0, w, h), below=below)
    assert scale <= below
    assert fits(Box(0, 0, w, h), scale) or scale <= 0.02


def long_page(**fields: Any) -> dict[str, Any]:
    """Return a page of 1000x20000 with four sections."""
    sections = [
        frame(f"3:{n}", box(0, 5000 * n, 1000, 5000), rect(f"4:{n}", box(9, 5000 * n, 9, 9)))
        for n in range(4)
    ]
    return frame("1:2", box(0, 0, 1000, 20000), *sections, **fields)


def test_a_frame_that_fits_is_asked_for_as_it_is() -> None:
    """The default scale is 2; the manifest's own is taken as given."""
    assert plan_export(build_tree(card()), scale=None) == Export(scale=2.0)
    assert plan_export(build_tree(card()), scale=3.0) == Export(scale=3.0)


def test_a_long_page_of_sections_keeps_its_scale() -> None:
    """80 megapixels at scale 2: asked for as its four sections of 20 each."""
    plan = plan_export(build_tree(long_page()), scale=None)
    assert plan is not None
    assert (plan.scale, plan.tiles) == (2.0, ("3:0", "3:1", "3:2", "3:3"))


NOT_SPLIT: dict[str, Any] = {
    "gradient": {"fills": [{"type": "GRADIENT_LINEAR"}]},
    "two fills": {"fills": [paint("#ffffff"), paint("#ff0000")]},
    "see-through fill": {"fills": [paint("#ffffff", 0.5)]},
    "stroke": {"strokes": [paint("#000000")], "strokeWeight": 1},
    "shadow": {"effects": [{"type": "DROP_SHADOW", "radius": 4}]},
    "radius": {"cornerRadius": 8},
    "opacity": {"opacity": 0.5},
    "blend": {"blendMode": "MULTIPLY"},
}


@pytest.mark.parametrize("case", NOT_SPLIT)
def test_a_page_that_is_more_than_its_sections_is_not_split(case: str) -> None:
    """What the frame itself paints would be lost: a lower scale, or nothing at a fixed one."""
    root = build_tree(long_page(**NOT_SPLIT[case]))
    plan = plan_export(root, scale=None)
    assert plan is not None
    assert (plan.scale, plan.tiles) == (1.0, ())
    assert plan.note is not None
    assert plan_export(root, scale=2.0) is None


SECTION_TROUBLE: dict[str, dict[str, Any]] = {
    "overlap": {"absoluteBoundingBox": box(0, 4999, 1000, 5000)},
    "outside": {"absoluteBoundingBox": box(1, 5000, 1000, 5000)},
    "between pixels": {"absoluteBoundingBox": box(0, 5000.2, 1000, 4000)},
    "shadow": {"effects": [{"type": "DROP_SHADOW", "radius": 4}]},
    "rotated": {"rotation": 0.5},
    "faded": {"opacity": 0.5},
    "blend": {"blendMode": "SCREEN"},
    "backdrop": {"effects": [{"type": "BACKGROUND_BLUR", "radius": 4}]},
    "mask": {"isMask": True},
    "spills over": {
        "clipsContent": False,
        "children": [rect("4:9", box(0, 9000, 10, 2000))],
    },
}


@pytest.mark.parametrize("case", SECTION_TROUBLE)
def test_sections_that_touch_each_other_are_not_put_together(case: str) -> None:
    """A section that overlaps, mixes, moves between pixels or paints outside cannot stand alone."""
    page = long_page()
    page["children"][1] |= SECTION_TROUBLE[case]
    assert tiles_of(build_tree(page), 2.0) == ()
    assert tiles_of(build_tree(long_page()), 2.0)


def test_a_section_that_is_too_large_itself_ends_the_splitting() -> None:
    """Two sections of 40 megapixels are no help."""
    halves = [frame(f"3:{n}", box(0, 10000 * n, 1000, 10000)) for n in range(2)]
    root = build_tree(frame("1:2", box(0, 0, 1000, 20000), *halves))
    assert MAX_PIXELS < 1000 * 10000 * 4
    assert tiles_of(root, 2.0) == ()


@pytest.mark.parametrize("fills", [[], [paint("#ff8800")]], ids=["transparent", "filled"])
def test_the_parts_make_the_whole(fills: list[Any]) -> None:
    """Put together, the sections are pixel for pixel the picture of the page."""
    sections = [
        frame("3:1", box(5, 7, 20, 10), rect("4:1", box(6, 8, 5, 5)), fills=[]),
        frame("3:2", box(5, 20, 20, 10), fills=[paint("#00ff00", 0.5)]),
        frame("3:3", box(5, 30, 20, 10)),
    ]
    raw = frame("1:2", box(5, 7, 24, 40), *sections, fills=fills)
    root = build_tree(raw)
    assert tiles_of(root, 2.0) == ("3:1", "3:2", "3:3")
    parts = {
        s["id"]: read_image(render(s, 2, absolute=True, max_pixels=10**9), name="part")
        for s in sections
    }
    whole = put_together(root, parts, scale=2.0)
    assert whole.shape == (80, 48, 4)
    color = (255, 136, 0, 255) if fills else (0, 0, 0, 0)
    assert tuple(whole[79, 47]) == color
    assert tuple(whole[4, 4]) == (0x25, 0x63, 0xEB, 255)
    mixed = (128, 196, 0, 255) if fills else (0, 255, 0, 128)
    assert np.abs(whole[30, 4].astype(int) - mixed).max() <= 1
