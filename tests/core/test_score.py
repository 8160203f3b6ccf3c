"""The score: what raises it, what lowers it, what must not move it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from PIL import Image

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode, place_nodes
from pytest_pixelloop.core.gate_pixel import judge_pixel
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.pixels import compare_pixels
from pytest_pixelloop.core.regions import find_regions
from pytest_pixelloop.core.score import (
    SCORE_VERSION,
    pixel_weights,
    size_severity,
    tile_severities,
    total,
)
from pytest_pixelloop.core.tolerance import Tolerance
from pytest_pixelloop.core.verdict import PASS

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray

    from pytest_pixelloop.core.verdict import Judgement

    Picture = NDArray[np.uint8]
    Spot = tuple[int, int, int, int, int]

SCREENSHOTS = Path(__file__).parent / "oracle" / "screenshots"
WIDTH, HEIGHT = 240, 200
CELL = 20
COLORS = np.array(
    [(0, 0, 0), (220, 38, 38), (37, 99, 235), (22, 163, 74), (120, 120, 120)], np.uint8
)


def node(number: int, box: Box, *children: DesignNode) -> DesignNode:
    """Return a design node."""
    return DesignNode(id=f"1:{number}", name=f"n{number}", type="FRAME", box=box, children=children)


@st.composite
def trees(draw: st.DrawFn) -> DesignNode | None:
    """Return a tree of cards with parts, overlapping as they come; None for a bare picture."""
    if draw(st.booleans()):
        return None
    side = st.integers(8, 120)
    count = draw(st.integers(0, 4))
    cards = []
    for card in range(count):
        x, y = draw(st.integers(0, WIDTH - 10)), draw(st.integers(0, HEIGHT - 10))
        parts = [
            node(card * 10 + k, Box(x + 3 * k + 0.5, y + 2 * k, draw(side), draw(side)))
            for k in range(draw(st.integers(0, 3)))
        ]
        cards.append(node(100 + card, Box(x, y, draw(side), draw(side)), *parts))
    return node(0, Box(0, 0, WIDTH, HEIGHT), *cards)


# Differences in separate cells, so that the anti-aliasing rule sees one at a time.
spots = st.lists(
    st.tuples(
        st.integers(0, WIDTH // CELL - 1),
        st.integers(0, HEIGHT // CELL - 1),
        st.integers(2, CELL - 4),
        st.integers(2, CELL - 4),
        st.integers(0, len(COLORS) - 1),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda spot: spot[:2],
)


def painted(items: list[Spot]) -> Picture:
    """Return a white picture with the differences."""
    picture = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    for column, row, w, h, color in items:
        x, y = column * CELL + 2, row * CELL + 2
        picture[y : y + h, x : x + w, :3] = COLORS[color]
    return picture


def judged(
    actual: Picture,
    root: DesignNode | None = None,
    *,
    expected: Picture | None = None,
    scale: float = 1,
) -> Judgement:
    """Return the pixel gate's judgement of a picture against a white one."""
    blank = np.full_like(actual, 255) if expected is None else expected
    frame = (blank.shape[1] / scale, blank.shape[0] / scale)
    design = Design(name="d", label="d", image=blank, frame=frame, scale=scale, root=root)
    capture = Capture(image=actual, scale=scale, source="test")
    return judge_pixel(design, capture, tolerance=Tolerance())


def scored(actual: Picture, root: DesignNode | None = None) -> float:
    """Return the score of a picture against a white one."""
    score = judged(actual, root).score
    assert score is not None
    return score


@settings(deadline=None)
@given(spots, trees())
def test_removing_any_one_difference_lowers_the_score(
    items: list[Spot], root: DesignNode | None
) -> None:
    """Of several differences, mending any single one is seen; adding one back raises the score."""
    judgement = judged(painted(items), root)
    assume(judgement.status != PASS)
    assert judgement.score is not None
    for index in range(len(items)):
        rest = items[:index] + items[index + 1 :]
        assert scored(painted(rest), root) < judgement.score


@settings(deadline=None)
@given(spots, trees(), st.randoms(use_true_random=False))
def test_a_single_pixel_more_raises_the_sum_and_one_less_lowers_it(
    items: list[Spot], root: DesignNode | None, rng: random.Random
) -> None:
    """Whatever the tree: the sum of severities grows with every mismatched pixel."""
    placed = () if root is None else place_nodes(root)
    mask = (painted(items)[..., 0] != 255) | (painted(items)[..., 1] != 255)

    def summed(differing: NDArray[np.bool_]) -> float:
        expected = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
        actual = expected.copy()
        actual[differing, :3] = 90
        diff = compare_pixels(expected, actual, include_antialiased=True)
        return total(f.severity for f in find_regions(diff, placed, label="d", scale=1))

    before = summed(mask)
    for value in (True, False):
        y, x = rng.choice(list(zip(*np.nonzero(mask != value), strict=True)))
        changed = mask.copy()
        changed[y, x] = value
        assert (summed(changed) > before) is value


@settings(deadline=None)
@given(spots, trees())
def test_the_score_is_zero_exactly_on_pass(items: list[Spot], root: DesignNode | None) -> None:
    """Pass: 0 and nothing gates. Else: above 0, and every region with a pixel gates."""
    judgement = judged(painted(items), root)
    gating = [finding for finding in judgement.findings if finding.gating]
    if judgement.status == PASS:
        assert judgement.score == 0
        assert not gating
    else:
        assert judgement.score is not None
        assert judgement.score > 0
        assert {f.delta_id for f in gating} == {r.delta_id for r in judgement.regions}
        assert all(region.pixels > 0 for region in judgement.regions)
        assert judgement.score == total(f.severity for f in gating)
        assert sum(f.share for f in gating) == pytest.approx(1)


@settings(deadline=None)
@given(spots, trees(), st.randoms(use_true_random=False))
def test_the_score_does_not_depend_on_the_order_of_nodes(
    items: list[Spot], root: DesignNode | None, rng: random.Random
) -> None:
    """Children in another order give the same score and findings, to the last bit."""

    def shuffled(item: DesignNode) -> DesignNode:
        children = [shuffled(child) for child in item.children]
        rng.shuffle(children)
        return DesignNode(
            id=item.id, name=item.name, type=item.type, box=item.box, children=tuple(children)
        )

    assume(root is not None)
    assert root is not None
    first, second = judged(painted(items), root), judged(painted(items), shuffled(root))
    assert first.score == second.score
    assert first.findings == second.findings


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(0, 160))
def test_bridging_two_px_boxes_never_lowers_the_score(x: int, y: int) -> None:
    """Two boxes that grow together into one score more than before, not less."""
    apart = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    apart[y : y + 12, x : x + 8, :3] = 0
    apart[y : y + 12, x + 26 : x + 34, :3] = 0
    bridged = apart.copy()
    bridged[y + 5 : y + 7, x + 8 : x + 26, :3] = 0
    assume(x + 34 <= WIDTH)
    assert len(judged(apart).regions) == 2
    assert len(judged(bridged).regions) == 1
    assert scored(bridged) > scored(apart)


@pytest.mark.parametrize("tree", ["own node", "flattened", "bare picture"])
@pytest.mark.parametrize("crowd", [0, 60, 96 * 2])
@pytest.mark.parametrize("offset", [(0, 0), (40, 90), (85, 85)])
def test_a_wrong_icon_moves_the_score_visibly(
    tree: str, crowd: int, offset: tuple[int, int]
) -> None:
    """A 24 px icon adds 0.4 or more, however much else is wrong and however the tree is cut."""
    icon = Box(offset[0] + 4, offset[1] + 4, 24, 24)
    children = (node(1, icon),) if tree == "own node" else ()
    root = None if tree == "bare picture" else node(0, Box(0, 0, WIDTH, HEIGHT), *children)
    design = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    others = design.copy()
    others[:crowd, :crowd, :3] = 0  # everything else that is wrong, all around the icon
    x, y = int(icon.x), int(icon.y)
    design[y + 2 : y + 22, x + 2 : x + 22, :3] = (100, 116, 139)
    right = others.copy()
    right[y : y + 24, x : x + 24] = design[y : y + 24, x : x + 24]
    wrong = right.copy()
    wrong[y + 2 : y + 22, x + 2 : x + 22, :3] = 255
    wrong[y + 8 : y + 16, x + 2 : x + 22, :3] = (100, 116, 139)
    with_icon, without = (judged(page, root, expected=design) for page in (wrong, right))
    if tree == "flattened" and not crowd:  # less than the gate's limits of one large node
        assert with_icon.status == PASS
        return
    assert with_icon.score is not None
    assert without.score is not None
    assert with_icon.score >= without.score + 0.4


def test_a_colour_that_comes_nearer_is_progress() -> None:
    """Step by step towards the design's colour, the score falls each time."""
    scores = []
    for level in (0, 60, 120, 180):
        actual = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
        actual[50:100, 50:150, :3] = level
        scores.append(scored(actual))
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 1.5 * scores[-1]


def scene(scale: float, *, wrong: bool) -> Picture:
    """Return a page of blocks, smoothed discs and strokes, drawn at *scale* device px per px."""
    width, height = round(WIDTH * scale), round(HEIGHT * scale)
    y, x = (np.mgrid[0:height, 0:width] + 0.5) / scale
    picture = np.full((height, width, 3), 255.0)

    def paint(distance: NDArray[np.float64], color: tuple[int, int, int]) -> None:
        cover = np.clip(0.5 - distance * scale, 0, 1)[..., np.newaxis]
        picture[:] = picture * (1 - cover) + np.array(color) * cover

    def block(left: float, top: float, w: float, h: float, color: tuple[int, int, int]) -> None:
        away = np.maximum(abs(x - left - w / 2) - w / 2, abs(y - top - h / 2) - h / 2)
        paint(away, color)

    def disc(left: float, top: float, radius: float, color: tuple[int, int, int]) -> None:
        paint(np.sqrt((x - left) ** 2 + (y - top) ** 2) - radius, color)

    block(10, 10, 100, 40, (37, 99, 235))
    block(10, 60, 100, 60, (241, 245, 249))
    disc(150, 30, 12, (22, 163, 74))
    if wrong:
        block(20, 20, 60, 12, (220, 38, 38))
        block(20, 70, 1, 40, (51, 65, 85))
        disc(200, 30, 12, (245, 158, 11))
        disc(150, 30, 8, (255, 255, 255))
        paint(abs((x - 60) * 0.6 - (y - 160) * 0.8) - 1.5, (15, 23, 42))
    full = np.full((height, width, 4), 255, np.uint8)
    full[..., :3] = np.rint(picture).astype(np.uint8)
    return full


@pytest.mark.parametrize("with_nodes", [True, False])
@pytest.mark.parametrize("scale", [1.5, 2, 2.5, 3])
def test_the_score_is_the_same_at_every_device_scale_factor(
    scale: float, *, with_nodes: bool
) -> None:
    """One and the same page, rendered finer, has the same score within 5 %."""
    root = node(
        0,
        Box(0, 0, WIDTH, HEIGHT),
        node(1, Box(10, 10, 100, 40)),
        node(2, Box(138, 18, 24, 24)),
        node(3, Box(188, 18, 24, 24)),
    )
    scores = [
        judged(
            scene(s, wrong=True),
            root if with_nodes else None,
            expected=scene(s, wrong=False),
            scale=s,
        ).score
        for s in (1, scale)
    ]
    assert scores[0] is not None
    assert scores[1] == pytest.approx(scores[0], rel=0.05)


@pytest.mark.parametrize(
    "name", ["form--icon", "chart--stroke", "order--shadow", "order--down-1px"]
)
def test_a_real_page_has_one_score_on_both_kinds_of_screen(name: str) -> None:
    """Screenshots of one change at scale 1 and 2, of icon, line, shadow and text: within 5 %."""
    scores = []
    for folder, scale in ((SCREENSHOTS, 1), (SCREENSHOTS / "2x", 2)):
        expected, actual = (
            np.asarray(Image.open(folder / f"{page}.png").convert("RGBA"))
            for page in (name.split("--", maxsplit=1)[0], name)
        )
        scores.append(judged(actual, expected=expected, scale=scale).score)
    assert scores[0] is not None
    assert scores[0] > 1
    assert scores[1] == pytest.approx(scores[0], rel=0.05)


def test_the_formula_is_the_documented_one() -> None:
    """Version pixel-1: distance as weight, square root of the weighted area by 96 px tiles."""
    assert SCORE_VERSION == "pixel-1"
    assert pixel_weights(np.array([0.0, 35215.0, 35215 / 4, 1e9])).tolist() == [
        *(1, 32768, 16384, 32768)
    ]
    assert tile_severities(np.array([4 * 32768, 0]), scale=2).tolist() == [1.0, 0.0]
    assert size_severity((100, 200), (104, 190), scale=2) == 1 + 14 / 2
    black = np.full((96, 192, 4), 255, np.uint8)
    black[10:20, :, :3] = 0
    weight = (0.5053 * 255**2 / 35215) ** 0.5  # of white for black
    # One bar of 10 x 192: two tiles of 960 px each from the picture's corner; or the node's one
    # tile, and half a tile of the frame's on either side of it.
    assert scored(black) == pytest.approx(2 * (960 * weight) ** 0.5, rel=1e-4)
    own = node(0, Box(0, 0, 192, 96), node(1, Box(48, 0, 96, 96)))
    expected = 2 * (480 * weight) ** 0.5 + (960 * weight) ** 0.5
    assert scored(black, own) == pytest.approx(expected, rel=1e-4)
    wide = np.full((96, 288, 4), 255, np.uint8)
    wide[10:20, 48:240, :3] = 0  # two tiles from the node's corner, three from the frame's
    own = node(0, Box(0, 0, 288, 96), node(1, Box(48, 0, 192, 96)))
    assert scored(wide, own) == pytest.approx(2 * (960 * weight) ** 0.5, rel=1e-4)


def test_a_smoothed_rim_counts_only_where_it_touches() -> None:
    """Smoothing that touches no mismatched pixel makes no region and no severity."""
    expected = np.full((40, 60, 4), 255, np.uint8)
    for column in range(60):  # an edge that rises by a tenth of a pixel a column
        row, share = divmod(200 + column, 10)
        expected[row + 1 :, column, :3] = 0
        expected[row, column, :3] = 255 - 25 * (10 - share)
    actual = expected.copy()
    for column in range(59):
        row = (200 + column) // 10
        actual[row, column] = (
            expected[row, column + 1] if column % 10 != 9 else expected[row, column]
        )
    diff = compare_pixels(expected, actual, threshold=0.05)
    assert diff.antialiased > 0
    assert diff.mismatch == 0
    assert not find_regions(diff, (), label="d", scale=1)
    actual[5:9, 5:9, :3] = 0
    alone = compare_pixels(expected, actual, threshold=0.05)
    (region,) = find_regions(alone, (), label="d", scale=1)
    assert region.region.weight == pytest.approx(16 * (0.5053 * 255**2 / 35215) ** 0.5, rel=1e-3)
