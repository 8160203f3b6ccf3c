"""Where an export lies over its frame: scale, origin, and refusal when nothing fits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_pixelloop.core.design import DesignNode, Placement
from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.placement import (
    USUAL_SCALES,
    frame_image,
    frame_pixels,
    place_export,
    unclipped_bounds,
)


def node(box: Box | None, *children: DesignNode, **fields: Any) -> DesignNode:
    """Return a frame with these children; unknown fields become raw properties."""
    own = {"clips", "render_box", "visible", "opacity", "is_mask", "type"}
    known = {key: fields.pop(key) for key in list(fields) if key in own}
    kind = known.pop("type", "FRAME")
    return DesignNode(
        id="1:2", name="Home", type=kind, box=box, children=children, properties=fields, **known
    )


SHADOW = {"type": "DROP_SHADOW", "radius": 24, "offset": {"x": 0, "y": 4}, "spread": 2}
SOLID = [{"type": "SOLID"}]


@pytest.mark.parametrize("scale", USUAL_SCALES)
def test_a_plain_frame_fits_by_its_bounding_box(scale: float) -> None:
    """A picture of frame x scale has that scale and its origin at 0, 0."""
    size = (math.floor(390 * scale + 0.5), math.floor(844 * scale + 0.5))
    assert place_export(size, node(Box(7.5, -3, 390, 844))) == Placement(
        scale=scale, origin=(0.0, 0.0), rule="bounding-box"
    )


def test_a_shadow_moves_the_origin_by_the_render_bounds() -> None:
    """390x844 with a 24 px shadow exports as 876x1784 at 2x, the frame at +48, +48."""
    root = node(Box(1323, -359, 390, 844), render_box=Box(1299, -383, 438, 892), clips=True)
    placement = place_export((876, 1784), root)
    assert placement == Placement(scale=2.0, origin=(48.0, 48.0), rule="render-bounds")


def test_without_render_bounds_they_are_computed() -> None:
    """Overflowing children of a frame that does not clip enlarge the picture upwards too."""
    child = node(Box(0, -50, 100, 400))
    root = node(Box(0, 0, 100, 200), child)
    placement = place_export((200, 800), root)
    assert placement == Placement(scale=2.0, origin=(0.0, 100.0), rule="unclipped-bounds")


def test_render_bounds_that_an_ancestor_clipped_do_not_mislead() -> None:
    """The export is not clipped by ancestors: the full bounding box fits, the JSON's bounds not."""
    root = node(Box(0, 0, 572, 859), render_box=Box(0, 0, 572, 857))
    assert place_export((1144, 1718), root).rule == "bounding-box"


def test_a_picture_may_start_inside_the_frame() -> None:
    """Text is exported as its ink box: the origin is negative then."""
    root = node(Box(10, 10, 107, 25), render_box=Box(14.5, 15, 78.6, 20), type="TEXT")
    placement = place_export((157, 40), root)
    assert placement == Placement(scale=2.0, origin=(-9.0, -10.0), rule="render-bounds")


@pytest.mark.parametrize(("height", "rows"), [(563.333, 1127), (89.333, 179), (649.75, 1300)])
def test_fractional_sizes_fit_however_they_were_rounded(height: float, rows: int) -> None:
    """Figma's rounding is not known, so one device px either way is the same picture."""
    for more in (-1, 0):
        assert place_export((2580, rows + more), node(Box(0, 0, 1290, height))).scale == 2.0


def test_an_odd_scale_is_accepted_when_both_sides_agree() -> None:
    """An export that was scaled down silently (32 megapixels) keeps its real scale."""
    placement = place_export((1959, 9000), node(Box(0, 0, 1440, 6616)))
    assert placement.scale == pytest.approx(9000 / 6616)
    assert placement.rule == "bounding-box"


def test_a_usual_scale_beats_an_odd_one() -> None:
    """Of two rules that fit, the one with a whole scale is meant."""
    root = node(Box(0, 0, 24, 24), strokeAlign="OUTSIDE", strokeWeight=0.5, strokes=SOLID)
    placement = place_export((50, 50), root)
    assert (placement.scale, placement.rule) == (2.0, "unclipped-bounds")


def test_a_usual_scale_beats_an_exact_odd_one() -> None:
    """An odd scale fits a small box exactly by chance, so a whole one within 1 px is meant."""
    root = node(Box(0, 0, 24, 24), strokeAlign="OUTSIDE", strokeWeight=0.7, strokes=SOLID)
    placement = place_export((50, 50), root)
    assert (placement.scale, placement.rule) == (2.0, "unclipped-bounds")


def test_of_two_fits_the_exact_one_wins() -> None:
    """Both boxes lie within 1 px of the picture: the one of exactly its size is meant."""
    root = node(Box(0, 0, 100, 100), render_box=Box(-0.4, 0, 100.4, 100), clips=True)
    assert place_export((201, 200), root).rule == "render-bounds"
    assert place_export((200, 200), root).rule == "bounding-box"


def test_a_given_scale_is_checked() -> None:
    """A scale from the manifest holds when it fits and is refused when it does not."""
    root = node(Box(0, 0, 390, 844))
    assert place_export((780, 1688), root, scale=2).scale == 2
    with pytest.raises(DesignUnreadableError, match="at the given scale 3"):
        place_export((780, 1688), root, scale=3)


@pytest.mark.parametrize("size", [(780, 1690), (778, 1688), (780, 844), (1, 1), (10, 20)])
def test_what_does_not_fit_is_refused_with_all_sizes(size: tuple[int, int]) -> None:
    """The error is figma-unreadable and names the picture's size and every box it was tried on."""
    root = node(Box(0, 0, 390, 844), render_box=Box(0, 0, 390, 500.5), clips=True)
    with pytest.raises(DesignUnreadableError) as caught:
        place_export(size, root)
    assert caught.value.status == "undetermined:figma-unreadable"
    for words in (f"{size[0]}x{size[1]} px", "390x844 CSS px", "390x500.5 CSS px", "1:2"):
        assert words in str(caught.value)


def test_a_frame_without_a_box_is_refused() -> None:
    """Without absoluteBoundingBox nothing can be placed."""
    for box in (None, Box(0, 0, 0, 40)):
        with pytest.raises(DesignUnreadableError, match="no bounding box"):
            place_export((10, 10), node(box))


BASE = Box(0, 0, 100, 50)
BOUNDS = {
    "plain": (node(BASE), BASE),
    "outside-stroke": (
        node(BASE, strokeAlign="OUTSIDE", strokeWeight=3, strokes=SOLID),
        Box(-3, -3, 106, 56),
    ),
    "center-stroke": (
        node(BASE, strokeAlign="CENTER", strokeWeight=3, strokes=SOLID),
        Box(-1.5, -1.5, 103, 53),
    ),
    "inside-stroke": (node(BASE, strokeAlign="INSIDE", strokeWeight=3, strokes=SOLID), BASE),
    "no-stroke-paint": (node(BASE, strokeAlign="OUTSIDE", strokeWeight=3, strokes=[]), BASE),
    "hidden-stroke": (
        node(BASE, strokeAlign="OUTSIDE", strokeWeight=3, strokes=[{"visible": False}]),
        BASE,
    ),
    "one-sided-stroke": (
        node(
            BASE,
            strokeAlign="OUTSIDE",
            strokeWeight=1,
            strokes=SOLID,
            individualStrokeWeights={"top": 0, "right": 0, "bottom": 4, "left": 0},
        ),
        Box(0, 0, 100, 54),
    ),
    "drop-shadow": (node(BASE, effects=[SHADOW]), Box(-26, -22, 152, 102)),
    "hidden-shadow": (node(BASE, effects=[SHADOW | {"visible": False}]), BASE),
    "inner-shadow": (node(BASE, effects=[SHADOW | {"type": "INNER_SHADOW"}]), BASE),
    "shadow-inside": (
        node(BASE, effects=[SHADOW | {"spread": -40}]),
        BASE,
    ),
    "layer-blur": (node(BASE, effects=[{"type": "LAYER_BLUR", "radius": 8}]), Box(-8, -8, 116, 66)),
    "background-blur": (node(BASE, effects=[{"type": "BACKGROUND_BLUR", "radius": 8}]), BASE),
    "stroke-and-shadow": (
        node(BASE, strokeAlign="OUTSIDE", strokeWeight=1, strokes=SOLID, effects=[SHADOW]),
        Box(-27, -23, 154, 104),
    ),
    "child-over-the-edge": (node(BASE, node(Box(90, 10, 30, 10))), Box(0, 0, 120, 50)),
    "clipped-child": (node(BASE, node(Box(90, 10, 30, 10)), clips=True), BASE),
    "hidden-child": (node(BASE, node(Box(90, 10, 30, 10), visible=False)), BASE),
    "faded-child": (node(BASE, node(Box(90, 10, 30, 10), opacity=0.0)), BASE),
    "grandchild": (node(BASE, node(None, node(Box(-5, 0, 10, 10)))), Box(-5, 0, 105, 50)),
    "childs-shadow": (node(BASE, node(BASE, effects=[SHADOW])), Box(-26, -22, 152, 102)),
    "masked-child": (
        node(BASE, node(Box(0, 0, 110, 10), is_mask=True), node(Box(90, 0, 300, 300))),
        Box(0, 0, 110, 50),
    ),
    "text-ink": (
        node(BASE, node(Box(0, 0, 10, 60), render_box=Box(0, 5, 10, 60), type="TEXT")),
        Box(0, 0, 100, 65),
    ),
    "nonsense": (
        node(
            BASE,
            strokeAlign="OUTSIDE",
            strokeWeight="3",
            strokes=[None, "x", {}],
            effects=[3, {"type": "DROP_SHADOW"}, {"type": "DROP_SHADOW", "radius": math.nan}],
        ),
        BASE,
    ),
}


@pytest.mark.parametrize("case", BOUNDS)
def test_unclipped_bounds_follow_the_measured_rule(case: str) -> None:
    """Strokes, shadows, blur and children enlarge the bounds as in real exports."""
    root, expected = BOUNDS[case]
    assert unclipped_bounds(root) == expected


def test_a_very_deep_tree_is_walked() -> None:
    """No recursion: 5,000 levels are as good as one."""
    root = node(Box(0, 0, 10, 10))
    for _ in range(5000):
        root = node(BASE, root)
    assert unclipped_bounds(root) == BASE


@given(
    w=st.floats(20, 3000),
    h=st.floats(20, 3000),
    x=st.floats(-9000, 9000),
    shadow=st.integers(0, 60),
    scale=st.sampled_from(USUAL_SCALES),
)
def test_what_was_exported_is_found_again(
    w: float, h: float, x: float, shadow: int, scale: float
) -> None:
    """Any frame, with or without a shadow, at a usual scale: scale and origin come back."""
    effects = [{"type": "DROP_SHADOW", "radius": shadow, "offset": {"x": 0, "y": 0}}]
    root = node(Box(x, x / 3, w, h), clips=True, effects=effects if shadow else [])
    size = frame_pixels((w + 2 * shadow, h + 2 * shadow), scale)
    assume(min(size) > 10)
    placement = place_export(size, root)
    others = [
        s
        for s in USUAL_SCALES
        if s != scale and abs(w * s - size[0]) <= 1 and abs(h * s - size[1]) <= 1
    ]
    if others:  # a shadow that makes 1x look like 2x cannot be told from its size
        return
    assert placement.scale == scale
    if shadow * scale > 1:
        assert placement.origin == pytest.approx((shadow * scale, shadow * scale), abs=1e-6)


def picture(width: int, height: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return RGBA noise."""
    return np.random.default_rng(5).integers(1, 256, (height, width, 4), dtype=np.uint8)


def test_the_frame_is_cut_out_of_the_export() -> None:
    """What lies around the frame is gone, what is in it is untouched."""
    image = picture(60, 50)
    framed = frame_image(image, Placement(scale=2, origin=(8.4, 6), rule="x"), (20, 15.2))
    assert np.array_equal(framed, image[6:36, 8:48])


def test_a_picture_that_ends_inside_the_frame_is_padded_with_transparency() -> None:
    """Missing edges become alpha 0, the rest keeps its place."""
    image = picture(10, 10)
    framed = frame_image(image, Placement(scale=1, origin=(-3, -2), rule="x"), (20, 14))
    assert framed.shape == (14, 20, 4)
    assert np.array_equal(framed[2:12, 3:13], image)
    assert framed.sum() == image.sum()


def test_a_picture_beside_the_frame_gives_an_empty_frame() -> None:
    """No overlap is transparency, not an exception."""
    framed = frame_image(picture(5, 5), Placement(scale=1, origin=(99, 99), rule="x"), (4, 4))
    assert framed.shape == (4, 4, 4)
    assert not framed.any()


def test_a_frame_has_at_least_one_pixel() -> None:
    """Frame sizes are rounded half up, and never to nothing."""
    assert frame_pixels((563.333, 89.25), 2) == (1127, 179)
    assert frame_pixels((0.1, 0.1), 1) == (1, 1)
