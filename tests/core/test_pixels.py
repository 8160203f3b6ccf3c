"""compare_pixels: what it refuses, its short cuts, masks, and a slow reference to hold it to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pytest_pixelloop.core.pixels import (
    COMPARATOR,
    comparator_record,
    compare_pixels,
    paint_diff,
    paint_diff_mask,
)
from pytest_pixelloop.core.yiq import LUMA, WHOLE_LUMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Mask = NDArray[np.bool_]

# Equal, nearly equal, darker, brighter and translucent colours: all ways through the rule.
PALETTE = np.array(
    [
        (255, 255, 255, 255),
        (250, 252, 255, 255),
        (120, 120, 120, 255),
        (0, 0, 0, 255),
        (0, 0, 0, 0),
        (255, 255, 0, 0),
        (255, 0, 0, 128),
    ],
    np.uint8,
)


def solid(width: int, height: int, color: tuple[int, ...] = (255, 255, 255, 255)) -> Picture:
    """Return a picture of one colour."""
    picture = np.zeros((height, width, 4), np.uint8)
    picture[:] = color
    return picture


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Picture, Picture, Mask]:
    """Return two pictures of one size from the palette, and an ignore mask that leaves some."""
    height, width = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    shape = (height, width)
    colors = hnp.arrays(np.int64, shape, elements=st.integers(0, len(PALETTE) - 1))
    ignore = draw(hnp.arrays(np.bool_, shape, elements=st.sampled_from([False, False, True])))
    ignore[draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))] = False
    return PALETTE[draw(colors)], PALETTE[draw(colors)], ignore


class Reference:
    """pixelmatch, pixel by pixel and slowly, for pictures with pixels that are not there."""

    def __init__(self, expected: Picture, actual: Picture, ignore: Mask) -> None:
        self.sides = (expected.astype(int), actual.astype(int))
        self.ignore = ignore
        self.height, self.width = ignore.shape

    def masks(self, threshold: float) -> tuple[Mask, Mask]:
        """Return the mismatched and the anti-aliased pixels."""
        wrong, smooth = np.zeros_like(self.ignore), np.zeros_like(self.ignore)
        for y, x in zip(*np.nonzero(~self.ignore), strict=True):
            first, second = (side[y, x] for side in self.sides)
            if abs(self._delta(first, second, (y, x))) <= 35215 * threshold * threshold:
                continue
            explained = self._antialiased(0, y, x) or self._antialiased(1, y, x)
            (smooth if explained else wrong)[y, x] = True
        return wrong, smooth

    def _blend(self, first: Any, second: Any, at: tuple[int, int]) -> Any:
        offset = 4 * (at[0] * self.width + at[1])
        board = (
            48,
            *(48 + 159 * (int(offset / g) % 2) for g in (1.618033988749895, 2.618033988749895)),
        )
        return [
            (int(first[k]) * int(first[3]) - int(second[k]) * int(second[3])
             - board[k] * (int(first[3]) - int(second[3]))) / 255
            for k in range(3)
        ]  # fmt: skip

    def _delta(self, first: Any, second: Any, at: tuple[int, int]) -> float:
        r, g, b = self._blend(first, second, at)
        y = r * 0.29889531 + g * 0.58662247 + b * 0.11448223
        i = r * 0.59597799 - g * 0.27417610 - b * 0.32180189
        q = r * 0.21147017 - g * 0.52261711 + b * 0.31114694
        return float(0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q)

    def _near(self, y: int, x: int) -> Iterator[tuple[int, int]]:
        for column in (x - 1, x, x + 1):
            for row in (y - 1, y, y + 1):
                inside = 0 <= row < self.height and 0 <= column < self.width
                if (row, column) != (y, x) and inside and not self.ignore[row, column]:
                    yield row, column

    def _antialiased(self, which: int, y: int, x: int) -> bool:
        image, near = self.sides[which], list(self._near(y, x))
        equal, least, most = int(len(near) < 8), (0.0, (y, x)), (0.0, (y, x))
        for at in near:
            r, g, b = self._blend(image[y, x], image[at], (y, x))
            delta = r * 0.29889531 + g * 0.58662247 + b * 0.11448223
            if delta == 0:
                equal += 1
            elif delta < least[0]:
                least = (delta, at)
            elif delta > most[0]:
                most = (delta, at)
        if equal > 2 or least[0] == 0 or most[0] == 0:
            return False
        return self._calm(*least[1]) or self._calm(*most[1])

    def _calm(self, y: int, x: int) -> bool:
        near = list(self._near(y, x))
        return all(
            int(len(near) < 8) + sum((side[at] == side[y, x]).all() for at in near) > 2
            for side in self.sides
        )


@settings(deadline=None)
@given(pairs(), st.sampled_from([0.0, 0.05, 0.1, 0.5]))
def test_masked_pixels_count_as_outside_of_the_picture(
    pair: tuple[Picture, Picture, Mask], threshold: float
) -> None:
    """With an ignore mask, the result is pixelmatch's on a picture that ends at the mask."""
    expected, actual, ignore = pair
    diff = compare_pixels(expected, actual, threshold=threshold, ignore=ignore)
    wrong, smooth = Reference(expected, actual, ignore).masks(threshold)
    assert np.array_equal(diff.mask, wrong)
    assert np.array_equal(diff.antialiased_mask, smooth)
    assert diff.total == (~ignore).sum()


def test_colours_that_cannot_be_seen_are_equal_neighbours_at_the_border_too() -> None:
    """Small pictures, mostly of two transparent colours: the masks are the reference's."""
    rng = np.random.default_rng(11)
    colors = PALETTE[[4, 5, 0, 3]]
    for _ in range(600):
        shape = tuple(rng.integers(2, 5, 2))
        expected, actual = (
            colors[rng.choice(4, shape, p=share)]
            for share in ((0.35, 0.25, 0.2, 0.2), (0.3, 0.2, 0.25, 0.25))
        )
        diff = compare_pixels(expected, actual)
        wrong, smooth = Reference(expected, actual, np.zeros(shape, np.bool_)).masks(0.1)
        assert np.array_equal(diff.mask, wrong)
        assert np.array_equal(diff.antialiased_mask, smooth)


@settings(deadline=None)
@given(pairs(), st.integers(0, 5), st.integers(0, 5))
def test_what_lies_under_a_mask_decides_nothing(
    pair: tuple[Picture, Picture, Mask], first: int, second: int
) -> None:
    """Other content under the mask, on either side, gives the same masks and counts."""
    expected, actual, ignore = pair
    diff = compare_pixels(expected, actual, ignore=ignore)
    expected, actual = expected.copy(), actual.copy()
    expected[ignore], actual[ignore] = PALETTE[first], PALETTE[second]
    again = compare_pixels(expected, actual, ignore=ignore)
    assert np.array_equal(diff.mask, again.mask)
    assert np.array_equal(diff.antialiased_mask, again.antialiased_mask)


@settings(deadline=None)
@given(pairs())
def test_distances_are_those_of_the_reference_to_the_last_bit(
    pair: tuple[Picture, Picture, Mask],
) -> None:
    """Every delta is the float64 that JavaScript computes, and the limit is 35215 t squared."""
    expected, actual, _ = pair
    nothing = np.zeros(expected.shape[:2], np.bool_)
    reference = Reference(expected, actual, nothing)
    diff = compare_pixels(expected, actual, threshold=0, include_antialiased=True)
    for position, delta in zip(diff.positions, diff.deltas, strict=True):
        y, x = divmod(int(position), expected.shape[1])
        assert delta == reference._delta(expected[y, x], actual[y, x], (y, x))
        for factor, above in ((1 - 1e-9, True), (1 + 1e-9, False)):
            limit = (delta / 35215) ** 0.5 * factor
            again = compare_pixels(expected, actual, threshold=limit, include_antialiased=True)
            assert again.mask[y, x] == above


@settings(deadline=None)
@given(pairs())
def test_figures_agree_with_each_other(pair: tuple[Picture, Picture, Mask]) -> None:
    """Counts, masks, positions and deltas of one result tell the same story."""
    expected, actual, _ = pair
    diff = compare_pixels(expected, actual)
    assert diff.total == diff.mask.size
    assert diff.mismatch == diff.mask.sum() == diff.positions.size == diff.deltas.size
    assert diff.antialiased == diff.antialiased_mask.sum()
    assert not (diff.mask & diff.antialiased_mask).any()
    assert diff.positions.tolist() == np.flatnonzero(diff.mask).tolist()
    assert (diff.deltas > 35215 * 0.01).all()
    assert (diff.deltas <= 35215).all()
    assert diff.identical == np.array_equal(expected, actual)
    assert diff.as_record()["ratio"] == pytest.approx(1 - diff.confidence)


@settings(deadline=None)
@given(pairs())
def test_swapping_the_sides_changes_nothing(pair: tuple[Picture, Picture, Mask]) -> None:
    """Which picture is called expected does not change what differs."""
    expected, actual, ignore = pair
    diff = compare_pixels(expected, actual, ignore=ignore)
    swapped = compare_pixels(actual, expected, ignore=ignore)
    assert np.array_equal(diff.mask, swapped.mask)
    assert np.array_equal(diff.deltas, swapped.deltas)


def test_no_two_colours_have_one_luma() -> None:
    """What lets whole numbers stand for JavaScript's floats: no two colours tie."""
    red, green = np.meshgrid(np.arange(-255, 256), np.arange(-255, 256))
    blue, rest = np.divmod(-(red * 29889531 + green * 58662247), 11448223)
    tied = (rest == 0) & (abs(blue) <= 255)
    assert tied.sum() == 1  # a colour with itself
    assert WHOLE_LUMA == tuple(round(part * 1e8) for part in LUMA) == (29889531, 58662247, 11448223)


def test_equal_pictures_differ_nowhere() -> None:
    """The same object, and another one with the same pixels, are identical."""
    picture = solid(5, 4, (1, 2, 3, 4))
    for other in (picture, picture.copy()):
        diff = compare_pixels(picture, other, threshold=0)
        assert diff.identical
        assert (diff.total, diff.mismatch, diff.antialiased) == (20, 0, 0)
        assert diff.confidence == 1


def test_views_into_larger_arrays_are_compared_as_they_look() -> None:
    """Crops and flipped views, which are not contiguous, give what their copies give."""
    rng = np.random.default_rng(3)
    large = rng.integers(0, 256, (20, 30, 4), dtype=np.uint8)
    expected, actual = large[3:15, 4:20], large[15:3:-1, 20:4:-1]
    diff = compare_pixels(expected, actual)
    again = compare_pixels(expected.copy(), actual.copy())
    assert np.array_equal(diff.mask, again.mask)
    assert diff.mismatch > 0


def test_bytes_that_differ_unseen_are_no_mismatch() -> None:
    """Two colours of alpha 0 look the same, even at threshold 0; yet they are not identical."""
    diff = compare_pixels(solid(3, 3, (0, 0, 0, 0)), solid(3, 3, (255, 9, 0, 0)), threshold=0)
    assert diff.mismatch == 0
    assert not diff.identical


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (solid(3, 2), solid(2, 3), "expected 3x2, actual 2x3 px"),
        (solid(3, 2)[..., :3], solid(3, 2)[..., :3], r"expected has shape \(2, 3, 3\)"),
        (solid(3, 2), solid(3, 2).astype(float), "actual has .* type float64"),
        (solid(3, 2)[..., 0], solid(3, 2), r"expected has shape \(2, 3\)"),
        (solid(0, 2), solid(0, 2), "expected is empty: 0x2 px"),
        (solid(3, 0), solid(3, 0), "expected is empty: 3x0 px"),
        (None, solid(3, 2), "expected is no picture but NoneType"),
        (solid(3, 2), b"png", "actual is no picture but bytes"),
    ],
)
def test_what_is_no_pair_of_pictures_is_refused(expected: Any, actual: Any, words: str) -> None:
    """Anything but two RGBA pictures of one size is an error that names what was given."""
    with pytest.raises(ValueError, match=words):
        compare_pixels(expected, actual)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_threshold_outside_of_0_to_1_is_refused(threshold: float) -> None:
    """A threshold that is no fraction is an error, not a comparison that finds nothing."""
    with pytest.raises(ValueError, match="not a number from 0 to 1"):
        compare_pixels(solid(2, 2), solid(2, 2, (0, 0, 0, 255)), threshold=threshold)


def test_an_ignore_mask_that_does_not_fit_is_refused() -> None:
    """A mask of another size or type, or one that hides everything, is an error."""
    masks: list[tuple[Any, str]] = [
        (np.zeros((2, 3), np.bool_), "ignore mask has shape"),
        (np.zeros((3, 2), np.uint8), "ignore mask has shape"),
        (np.ones((3, 2), np.bool_), "nothing is left to compare"),
    ]
    for ignore, words in masks:
        with pytest.raises(ValueError, match=words):
            compare_pixels(solid(2, 3), solid(2, 3), ignore=ignore)


def test_the_comparator_is_named_with_its_parameters() -> None:
    """A report can say what compared the pixels: name, version, and everything that was set."""
    assert COMPARATOR["name"] == "pixelmatch"
    assert comparator_record(threshold=0.2) == {
        "name": "pixelmatch",
        "version": "7.2",
        "parameters": {
            "threshold": 0.2,
            "include_antialiased": False,
            "color_space": "yiq",
            "checkerboard": True,
        },
    }


def test_a_painted_mask_shows_what_only_one_side_has() -> None:
    """After a size mismatch the picture has the mask's size: red where masked, grey elsewhere."""
    mask = np.zeros((3, 4), np.bool_)
    mask[:, 3] = True
    picture = paint_diff_mask(solid(3, 3, (0, 0, 0, 255)), solid(4, 2, (0, 0, 0, 255)), mask)
    assert picture.shape == (3, 4, 4)
    assert (picture[mask] == (255, 0, 0, 255)).all()
    assert (picture[:, :3] == (229, 229, 229, 255)).all()


def test_painting_leaves_the_sides_alone() -> None:
    """The pictures that are painted from are not changed."""
    expected, actual = solid(3, 3), solid(3, 3, (0, 0, 0, 255))
    paint_diff(expected, actual, compare_pixels(expected, actual))
    assert (expected == 255).all()
    assert (actual[..., :3] == 0).all()
