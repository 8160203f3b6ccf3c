"""compare_on_canvas: two sizes, masks as boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.canvas import compare_on_canvas, mask_of_boxes
from pytest_pixelloop.core.errors import ConfigurationError, UndeterminedError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.pixels import compare_pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray


def noise(width: int, height: int, *, seed: int = 0) -> NDArray[np.uint8]:
    """Return a picture of two colours at random."""
    rng = np.random.default_rng(seed)
    picture = np.full((height, width, 4), 255, np.uint8)
    picture[..., :3] = rng.integers(0, 2, (height, width, 1)) * 255
    return picture


@settings(deadline=None)
@given(st.tuples(*[st.integers(1, 9)] * 4))
def test_the_common_part_is_compared_and_the_rest_is_mismatched(
    sizes: tuple[int, int, int, int],
) -> None:
    """In both: as compare_pixels says of the crops. In one: mismatched. In none: not counted."""
    w1, h1, w2, h2 = sizes
    expected, actual = noise(w1, h1), noise(w2, h2, seed=1)
    result = compare_on_canvas(expected, actual)
    w, h = min(w1, w2), min(h1, h2)
    crops = compare_pixels(expected[:h, :w], actual[:h, :w])
    assert result.diff.mask.shape == (max(h1, h2), max(w1, w2))
    assert np.array_equal(result.diff.mask[:h, :w], crops.mask)
    assert np.array_equal(result.diff.antialiased_mask[:h, :w], crops.antialiased_mask)
    alone = w1 * h1 + w2 * h2 - 2 * w * h
    assert result.diff.total == w * h + alone
    assert result.diff.mismatch == crops.mismatch + alone == result.diff.mask.sum()
    assert np.array_equal(result.diff.positions, np.flatnonzero(result.diff.mask))
    deltas = np.zeros(result.diff.mask.shape)
    deltas.reshape(-1)[result.diff.positions] = result.diff.deltas
    assert np.array_equal(deltas[:h, :w][crops.mask], crops.deltas)
    deltas[:h, :w] = 35215
    assert (deltas[result.diff.mask] == 35215).all()
    assert result.same_size == ((w1, h1) == (w2, h2))
    assert result.expected.shape == result.actual.shape == (*result.diff.mask.shape, 4)
    assert np.array_equal(result.expected[:h1, :w1], expected)


def test_a_mask_box_is_half_open() -> None:
    """A box hides x <= column < right only: nothing left of it, nothing on its right edge."""
    mask = mask_of_boxes([Box(2, 1, 3, 2)], (5, 8))
    assert mask is not None
    rows, columns = np.nonzero(mask)
    assert set(columns.tolist()) == {2, 3, 4}
    assert set(rows.tolist()) == {1, 2}


@pytest.mark.parametrize(
    ("box", "columns"),
    [
        (Box(1.5, 0, 2, 1), [1, 2, 3]),
        (Box(0.1 + 0.2, 0, 1.7, 1), [0, 1]),
        (Box(1.0000001, 0, 1.9999999, 1), [1, 2]),
        (Box(0.9999999, 0, 2.0000002, 1), [1, 2]),
        (Box(-5, -5, 6, 6), [0]),
        (Box(6, 0, 99, 1), [6, 7]),
        (Box(20, 0, 5, 1), []),
        (Box(3, 0, -2, 1), []),
        (Box(3, 0, 0, 1), []),
    ],
)
def test_a_mask_box_holds_every_pixel_it_touches(box: Box, columns: list[int]) -> None:
    """Fractions grow outward, rounding noise does not, and the picture's edge cuts."""
    mask = mask_of_boxes([box], (1, 8))
    assert mask is not None
    assert np.flatnonzero(mask[0]).tolist() == columns


def test_a_mask_that_is_no_box_is_a_configuration_error() -> None:
    """A mask with a number that is none is refused by its numbers."""
    with pytest.raises(ConfigurationError, match="mask nan,0,1,1"):
        mask_of_boxes([Box(float("nan"), 0, 1, 1)], (4, 4))


def test_masks_that_leave_nothing_are_undetermined() -> None:
    """A comparison of no pixel at all is not a match."""
    for other in (noise(6, 6), noise(8, 5)):
        with pytest.raises(UndeterminedError) as caught:
            compare_on_canvas(noise(6, 6), other, masks=[Box(0, 0, 8, 8)])
        assert caught.value.status == "undetermined:no-comparable-channel"


def test_masks_hold_on_the_part_that_only_one_side_has() -> None:
    """A masked strip that only one picture has is not counted; the rest of the strip is."""
    expected, actual = noise(6, 6), np.pad(noise(6, 6), ((0, 4), (0, 0), (0, 0)))
    result = compare_on_canvas(expected, actual, masks=[Box(0, 0, 6, 6), Box(0, 6, 2, 4)])
    assert result.diff.total == result.diff.mismatch == 4 * 4
    assert not result.diff.mask[:, :2].any()
    assert result.diff.confidence == 0
