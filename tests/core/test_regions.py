"""attribute: which node holds a differing pixel, and the ``px:`` boxes of the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.design import DesignNode, PlacedNode, place_nodes
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.pixels import PixelDiff, compare_pixels
from pytest_pixelloop.core.px_regions import loose_regions
from pytest_pixelloop.core.regions import attribute, find_regions
from pytest_pixelloop.core.spots import Spots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.finding import Region

WIDTH, HEIGHT = 64, 48


def node(node_id: str, box: tuple[float, ...], *children: DesignNode, **more: Any) -> DesignNode:
    """Return a design node named after its id."""
    return DesignNode(
        id=node_id, name=f"n{node_id}", type="FRAME", box=Box(*box), children=children, **more
    )


def diff_of(mask: NDArray[np.bool_]) -> PixelDiff:
    """Return the difference of white and black where *mask* is true."""
    expected = np.full((*mask.shape, 4), 255, np.uint8)
    actual = expected.copy()
    actual[mask, :3] = 0
    return compare_pixels(expected, actual, include_antialiased=True)


def spots(*boxes: tuple[int, int, int, int], size: tuple[int, int] = (WIDTH, HEIGHT)) -> PixelDiff:
    """Return the difference of pictures that differ inside the boxes (x, y, w, h)."""
    mask = np.zeros((size[1], size[0]), np.bool_)
    for x, y, w, h in boxes:
        mask[y : y + h, x : x + w] = True
    return diff_of(mask)


def by_id(regions: Sequence[Region]) -> dict[str, Region]:
    """Return the regions by the part of their delta_id after the label."""
    return {region.delta_id.removeprefix("L/"): region for region in regions}


FRAME = (0, 0, WIDTH, HEIGHT)


def test_a_pixel_belongs_to_the_deepest_node_that_holds_it() -> None:
    """Root, card and button each get the pixels that no deeper node holds."""
    root = node("r", FRAME, node("card", (8, 8, 40, 32), node("button", (10, 10, 20, 8))))
    diff = spots((0, 0, 2, 2), (8, 8, 2, 2), (12, 12, 4, 4), (60, 0, 1, 1))
    found = by_id(attribute(diff, place_nodes(root), label="L", scale=1))
    assert {key: region.pixels for key, region in found.items()} == {
        "node:r": 5,
        "node:card": 4,
        "node:button": 16,
    }
    button = found["node:button"]
    assert button.box == Box(12, 12, 4, 4)
    assert button.mismatch_ratio == 16 / (20 * 8)
    assert button.node is not None
    assert (button.node.name, button.node.path) == ("nbutton", "nr/ncard/nbutton")
    assert found["node:r"].box == Box(0, 0, 61, 2)
    assert found["node:r"].mismatch_ratio == 5 / (WIDTH * HEIGHT)


def test_of_equally_deep_nodes_the_smaller_holds_then_the_first_id() -> None:
    """Overlapping siblings: smaller area first, then id; document order decides nothing."""
    small, large = node("z", (10, 10, 10, 10)), node("a", (5, 5, 30, 30))
    twin = node("b", (10, 10, 10, 10))
    diff = spots((12, 12, 3, 3))
    for children in ((small, large), (large, small)):
        found = by_id(attribute(diff, place_nodes(node("r", FRAME, *children)), label="L", scale=1))
        assert set(found) == {"node:z"}
    for children in ((small, twin), (twin, small)):
        found = by_id(attribute(diff, place_nodes(node("r", FRAME, *children)), label="L", scale=1))
        assert set(found) == {"node:b"}


def test_a_node_holds_nothing_outside_of_its_clip() -> None:
    """Of a child that sticks out of a clipping parent only the visible part counts."""
    child = node("child", (10, 10, 40, 10))
    root = node("r", FRAME, node("box", (0, 0, 20, 40), child, clips=True))
    found = by_id(attribute(spots((15, 12, 20, 2)), place_nodes(root), label="L", scale=1))
    assert found["node:child"].pixels == 5 * 2
    assert found["node:r"].pixels == 15 * 2
    assert found["node:child"].mismatch_ratio == 10 / (10 * 10)


def test_hidden_subtrees_hold_nothing() -> None:
    """What an export does not paint gets no pixels."""
    hidden = node("hidden", (0, 0, 30, 30), node("inside", (0, 0, 30, 30)), visible=False)
    root = node("r", FRAME, hidden)
    found = by_id(attribute(spots((3, 3, 4, 4)), place_nodes(root), label="L", scale=1))
    assert set(found) == {"node:r"}


@pytest.mark.parametrize("edge", [10.3, 10.5, 10.25, 9.1 + 1.4, 10.1 + 0.4])
@pytest.mark.parametrize("scale", [1, 1.5, 2, 3])
def test_neighbours_that_share_a_fractional_edge_share_no_pixel(scale: float, edge: float) -> None:
    """Fractional boxes at any scale: every pixel has one owner, none is lost at the seam."""
    left, right = node("l", (0, 0, edge, 20)), node("r", (edge, 0, 20 - edge, 20))
    size = (int(20 * scale), int(20 * scale))
    root = node("root", (0, 0, 20, 20), left, right)
    found = by_id(
        attribute(spots((0, 0, *size), size=size), place_nodes(root), label="L", scale=scale)
    )
    assert set(found) == {"node:l", "node:r"}
    assert found["node:l"].pixels + found["node:r"].pixels == size[0] * size[1]
    assert found["node:l"].mismatch_ratio == found["node:r"].mismatch_ratio == 1


def test_the_noise_of_page_coordinates_makes_no_gap() -> None:
    """Far from the page's origin 10.5 px become 10.499...: neighbours still meet."""
    left, right = node("l", (-259.4, 0, 10.5, 20)), node("r", (-248.9, 0, 9.5, 20))
    assert -248.9 + 259.4 < 10.5
    root = node("root", (-259.4, 0, 20, 20), left, right)
    found = by_id(
        attribute(spots((0, 0, 20, 20), size=(20, 20)), place_nodes(root), label="L", scale=1)
    )
    assert {key: region.pixels for key, region in found.items()} == {"node:l": 220, "node:r": 180}


def test_smoothing_left_alone_takes_no_part_in_a_tile() -> None:
    """A smoothed pixel that touches what a node holds adds nothing to px: regions beside it."""
    wrong, weights = np.array([0, 1], np.intp), np.array([32768, 32768], np.uint16)
    alone = Spots(shape=(90, 90), positions=wrong, weights=weights, mismatched=2)
    joined = Spots(
        shape=(90, 90),
        positions=np.append(wrong, 40 * 90 + 40),
        weights=np.append(weights, np.uint16(32768)),
        mismatched=2,
    )
    for spot_set in (alone, joined):
        (found,) = loose_regions(spot_set, label="L", scale=1)
        assert found.severity == pytest.approx(2**0.5)
        assert found.region.weight == 2


def test_boxes_are_in_css_px() -> None:
    """At scale 2 a region's box is half of its device px, its pixel count is not."""
    root = node("r", (100, 50, 32, 24), node("a", (104, 54, 10, 10)))
    found = by_id(attribute(spots((9, 9, 4, 6)), place_nodes(root), label="L", scale=2))
    region = found["node:a"]
    assert region.box == Box(4.5, 4.5, 2, 3)
    assert region.pixels == 24
    assert region.mismatch_ratio == 24 / 400


def test_what_no_node_holds_is_a_px_region_snapped_outward() -> None:
    """Outside of the frame, and without nodes: boxes on an 8 px grid around the pixels."""
    root = node("r", (0, 0, 64, 40))
    found = by_id(attribute(spots((10, 39, 3, 5)), place_nodes(root), label="L", scale=1))
    assert set(found) == {"node:r", "px:8,40,8,8"}
    region = found["px:8,40,8,8"]
    assert region.node is None
    assert region.box == Box(10, 40, 3, 4)
    assert region.mismatch_ratio == 1
    assert region.pixels == 12
    bare = by_id(attribute(spots((7, 9, 10, 2)), (), label="L", scale=1))
    assert set(bare) == {"px:0,8,24,8"}


@pytest.mark.parametrize("scale", [1, 1.25, 2, 3])
def test_px_regions_closer_than_8_px_are_one_and_16_apart_are_two(scale: float) -> None:
    """Less than 8 CSS px between two spots: one region. 16 or more: two. At any scale."""
    for start in range(9):
        for gap, count in ((7, 1), (17, 2)):
            first = round(start * scale)
            second = first + round(4 * scale) + round(gap * scale)
            diff = spots((first, 4, round(4 * scale), 3), (second, 4, 3, 3), size=(160, 16))
            assert len(attribute(diff, (), label="L", scale=scale)) == count


def test_px_regions_that_touch_at_a_corner_are_one() -> None:
    """A diagonal is one thing, not a staircase of boxes."""
    (region,) = attribute(spots((0, 0, 8, 8), (8, 8, 8, 8)), (), label="L", scale=1)
    assert region.delta_id == "L/px:0,0,16,16"
    assert region.mismatch_ratio == 1 / 2


@pytest.mark.parametrize("scale", [1, 1.1, 1.5, 2.75])
def test_px_regions_have_identities_of_their_own(scale: float) -> None:
    """Interlocking, enclosing and scattered shapes: never two regions of one identity."""
    rng = np.random.default_rng(7)
    for _ in range(40):
        mask = np.kron(rng.random((15, 20)) < 0.3, np.ones((9, 9))).astype(np.bool_)
        regions = attribute(diff_of(mask), (), label="L", scale=scale)
        assert len({region.delta_id for region in regions}) == len(regions)
        assert sum(region.pixels for region in regions) == mask.sum()


@pytest.mark.parametrize("count", [300, 70000])
def test_any_number_of_nodes_is_told_apart(count: int) -> None:
    """Thousands of nodes, more than 16 bits can number, keep their own pixels."""
    children = tuple(
        node(str(k), (k % 64, k // 64 % 48, 1, 1)) for k in range(count - 64 * 48, count)
    )
    root = node("r", FRAME, *(node(f"x{k}", FRAME) for k in range(70)), *children)
    placed = place_nodes(root)
    if count > 1 << 16:
        placed = (*placed, *(replace(placed[0], depth=-k) for k in range(count)))
    regions = attribute(spots((0, 0, 64, 48)), placed, label="L", scale=1)
    assert len(regions) == 64 * 48
    assert {region.pixels for region in regions} == {1}


def test_nodes_that_share_an_id_are_one_region() -> None:
    """A damaged file with one id twice still gives one finding an identity."""
    twins = (node("x", (0, 0, 10, 10)), node("x", (20, 0, 10, 10)))
    diff = spots((2, 2, 3, 3), (22, 2, 3, 3))
    for children in (twins, twins[::-1]):
        regions = attribute(diff, place_nodes(node("r", FRAME, *children)), label="L", scale=1)
        assert [region.delta_id for region in regions] == ["L/node:x"]
        assert regions[0].pixels == 18
        assert regions[0].mismatch_ratio == 18 / 200


def test_names_are_made_printable() -> None:
    """A name with an escape sequence or a direction override reaches no terminal."""
    evil = DesignNode(id="1\x1b[2J", name="a\x1b[31m\u202eb", type="TEXT", box=Box(0, 0, 9, 9))
    regions = attribute(spots((1, 1, 3, 3)), place_nodes(evil), label="L", scale=1)
    assert regions[0].node is not None
    for text in (regions[0].delta_id, regions[0].node.name, regions[0].node.path):
        assert text.isprintable()


def test_equal_pictures_have_no_regions() -> None:
    """No mismatched pixel, no region, with or without nodes."""
    assert attribute(spots(), (), label="L", scale=1) == ()
    assert attribute(spots(), place_nodes(node("r", FRAME)), label="L", scale=1) == ()


def quarters(first: int, last: int) -> st.SearchStrategy[float]:
    """Return numbers in steps of 1/4: exact in binary, and often half a pixel."""
    return st.integers(4 * first, 4 * last).map(lambda number: number / 4)


boxes = st.tuples(
    quarters(-10, WIDTH), quarters(-10, HEIGHT), quarters(0, WIDTH), quarters(0, HEIGHT)
)


@st.composite
def trees(draw: st.DrawFn) -> tuple[PlacedNode, ...]:
    """Return placed nodes with any boxes, clips and depths, ids not always different."""
    count = draw(st.integers(0, 8))
    placed = []
    for number in range(count):
        x, y, w, h = draw(boxes)
        cx, cy, cw, ch = draw(boxes)
        item = node(str(draw(st.integers(0, 9))), (x, y, w, h))
        placed.append(
            PlacedNode(
                node=item,
                box=Box(x, y, w, h),
                clip=Box(cx, cy, cw, ch),
                depth=draw(st.integers(0, 3)),
                path=f"p{number}",
                parent_id=None,
            )
        )
    return tuple(placed)


def mask_strategy() -> st.SearchStrategy[NDArray[np.bool_]]:
    """Return masks of a few spots."""
    spot = st.tuples(
        st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), st.integers(1, 9), st.integers(1, 9)
    )

    def painted(items: list[tuple[int, int, int, int]]) -> NDArray[np.bool_]:
        mask = np.zeros((HEIGHT, WIDTH), np.bool_)
        for x, y, w, h in items:
            mask[y : y + h, x : x + w] = True
        return mask

    return st.lists(spot, max_size=5).map(painted)


@settings(deadline=None)
@given(mask_strategy(), trees(), st.randoms(use_true_random=False))
def test_regions_do_not_depend_on_the_order_of_nodes(
    mask: NDArray[np.bool_], placed: tuple[PlacedNode, ...], random: object
) -> None:
    """The same nodes in another order give the same regions, in the same order."""
    shuffled = list(placed)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    diff = diff_of(mask)
    first = attribute(diff, placed, label="L", scale=1)
    assert first == attribute(diff, shuffled, label="L", scale=1)


@settings(deadline=None)
@given(mask_strategy(), trees())
def test_every_pixel_is_in_the_region_of_its_owner(
    mask: NDArray[np.bool_], placed: tuple[PlacedNode, ...]
) -> None:
    """Pixel for pixel, the owner is the one that the rule names; none is counted twice or lost."""
    owners: dict[str, list[tuple[int, int]]] = {}
    for y, x in zip(*np.nonzero(mask), strict=True):
        holding = [p for p in placed if _holds(p, int(x), int(y))]
        best = min(holding, key=lambda p: (-p.depth, p.box.area, p.node.id), default=None)
        key = "px" if best is None else f"node:{best.node.id}"
        owners.setdefault(key, []).append((int(x), int(y)))
    found = attribute(diff_of(mask), placed, label="L", scale=1)
    counted: dict[str, int] = {}
    for region in found:
        key = "px" if region.node is None else f"node:{region.node.id}"
        counted[key] = counted.get(key, 0) + region.pixels
        xs = [x for x, _ in owners[key]]
        ys = [y for _, y in owners[key]]
        if region.node is not None:
            tight = (min(xs), min(ys), max(xs) + 1 - min(xs), max(ys) + 1 - min(ys))
            assert region.box == Box(*tight)
        assert 0 < region.mismatch_ratio <= 1
    assert counted == {key: len(pixels) for key, pixels in owners.items()}


def _holds(placed: PlacedNode, x: int, y: int) -> bool:
    visible = placed.box.intersection(placed.clip)
    if visible is None:
        return False
    left, top, right, bottom = visible.pixels()
    return left <= x < right and top <= y < bottom


@settings(deadline=None)
@given(mask_strategy(), trees())
def test_regions_come_worst_first_with_identities_of_their_own(
    mask: NDArray[np.bool_], placed: tuple[PlacedNode, ...]
) -> None:
    """Severities fall, equal ones are ordered by delta_id, and no delta_id comes twice."""
    found = find_regions(diff_of(mask), placed, label="L", scale=1)
    keys = [(-item.severity, item.region.delta_id) for item in found]
    assert keys == sorted(keys)
    assert len({delta_id for _, delta_id in keys}) == len(keys)
    regions = attribute(diff_of(mask), placed, label="L", scale=1)
    assert regions == tuple(item.region for item in found)


def test_a_moved_label_only_renames_identities() -> None:
    """The label is the identity's first part and touches nothing else."""
    diff = spots((2, 2, 3, 3))
    (first,) = attribute(diff, (), label="12-340__dark", scale=1)
    (second,) = attribute(diff, (), label="L", scale=1)
    assert first.delta_id == "12-340__dark/px:0,0,8,8"
    assert replace(first, delta_id=second.delta_id) == second
