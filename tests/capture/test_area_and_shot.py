"""Areas on the device px grid, their tiles, and how shots become one picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.capture.area import SAFE_SIDE, Area, area_of
from pytest_pixelloop.capture.shot import Shot, changed_box, develop, same_shots, take_shot
from pytest_pixelloop.capture.view import viewport_for
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.store.images import encode_png

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCALES = (1.0, 1.1, 1.25, 1.5, 2.0, 2.625, 3.0)


class FakeCamera:
    """Gives parts of one large picture, like a browser; *missing* px at the end are cut off."""

    def __init__(self, page: NDArray[np.uint8], *, missing: int = 0, extra: int = 0) -> None:
        self.page = page
        self.missing = missing
        self.extra = extra
        self.areas: list[Area] = []

    def shoot(self, area: Area) -> bytes:
        """Return the PNG of a part."""
        self.areas.append(area)
        bottom = area.top + area.height - self.missing + self.extra
        return encode_png(
            np.ascontiguousarray(self.page[area.top : bottom, area.left : area.left + area.width])
        )


def _page(width: int, height: int) -> NDArray[np.uint8]:
    """Return a picture in which every row and column can be told."""
    page = np.full((height, width, 4), 255, np.uint8)
    rows, columns = np.arange(height)[:, None], np.arange(width)[None, :]
    page[..., 0] = (rows % 256) + 0 * columns
    page[..., 1] = (rows // 256) + 0 * columns
    page[..., 2] = columns % 251
    return page


@given(x=st.floats(-50, 5000), w=st.floats(1, 3000), scale=st.sampled_from(SCALES))
def test_size_of_an_area_does_not_depend_on_its_place(x: float, w: float, scale: float) -> None:
    """An element's picture has the same size wherever the element lies, its edges are 1 px off."""
    area = area_of(Box(x, x, w, w), scale)
    assert area.width == area.height == max(math.floor(w * scale + 0.5), 1)
    assert abs(area.left - x * scale) <= 0.5 + 1e-9
    assert abs(area.left + area.width - (x + w) * scale) <= 1.0 + 1e-9


@given(
    left=st.integers(0, 99),
    top=st.integers(0, 99),
    width=st.integers(1, 70_000),
    height=st.integers(1, 70_000),
    scale=st.sampled_from(SCALES),
)
def test_tiles_cover_an_area_exactly_and_are_small_enough(
    left: int, top: int, width: int, height: int, scale: float
) -> None:
    """Tiles lie side by side, cover the area once, and no side is longer than a GPU can take."""
    whole = Area(left=left, top=top, width=width, height=height, scale=scale)
    y = top
    for row in (list(row) for row in whole.tiles()):
        x = left
        for tile in row:
            assert (tile.left, tile.top, tile.scale) == (x, y, scale)
            assert 0 < tile.width <= SAFE_SIDE
            assert 0 < tile.height <= SAFE_SIDE
            assert tile.height == row[0].height
            x += tile.width
        assert x == left + width
        y += row[0].height
    assert y == top + height


def test_a_usual_page_is_one_tile() -> None:
    """What fits into one texture is asked for at once."""
    area = Area(left=0, top=0, width=2880, height=SAFE_SIDE, scale=2)
    assert [list(row) for row in area.tiles()] == [[area]]


def test_a_tall_page_is_put_together_without_gap_or_repeat() -> None:
    """A page over the texture size is taken in tiles; every row is there once, in order."""
    page = _page(20, 20_000)
    area = Area(left=0, top=0, width=20, height=20_000, scale=1)
    camera = FakeCamera(page)
    np.testing.assert_array_equal(develop(take_shot(camera, area)), page)
    assert len(camera.areas) == 3


def test_a_wide_page_is_put_together_too() -> None:
    """The same holds sideways."""
    page = _page(20_000, 3)
    area = Area(left=0, top=0, width=20_000, height=3, scale=1)
    np.testing.assert_array_equal(develop(take_shot(FakeCamera(page), area)), page)


def test_fewer_pixels_than_asked_for_are_refused() -> None:
    """A picture that ends early is refused as truncated, with both sizes."""
    area = Area(left=0, top=0, width=20, height=30, scale=1)
    with pytest.raises(CaptureError, match="20x29 px instead of 20x30") as caught:
        develop(take_shot(FakeCamera(_page(20, 30), missing=1), area))
    assert caught.value.reason == "truncated-capture"


def test_a_rounded_up_picture_is_cut() -> None:
    """A browser that rounds an edge up gives one px more, which is left away."""
    page = _page(20, 31)
    area = Area(left=0, top=0, width=20, height=30, scale=1)
    np.testing.assert_array_equal(develop(take_shot(FakeCamera(page, extra=1), area)), page[:30])


def test_what_is_no_picture_is_refused() -> None:
    """Bytes that are no PNG are an error of the capture, not a traceback."""
    area = Area(left=0, top=0, width=2, height=2, scale=1)
    with pytest.raises(CaptureError, match="cannot be read") as caught:
        develop(Shot(area=area, tiles=((b"oops",),)))
    assert caught.value.reason == "image-unreadable"


def _shot(page: NDArray[np.uint8], *masks: Box, scale: float = 1.0) -> Shot:
    area = Area(left=0, top=0, width=page.shape[1], height=page.shape[0], scale=scale)
    return take_shot(FakeCamera(page), area, masks)


def test_changed_box_is_in_css_px_of_the_capture() -> None:
    """What differs between two shots is boxed in CSS px, whatever the scale."""
    page = _page(40, 40)
    other = page.copy()
    other[10:14, 20:26, 0] ^= 255
    assert changed_box(_shot(page, scale=2), _shot(other, scale=2)) == Box(10, 5, 3, 2)
    assert changed_box(_shot(page), _shot(page)) is None
    assert changed_box(_shot(page), _shot(page[:30])) is None


def test_masked_movement_is_rest() -> None:
    """A page that moves only under a mask is at rest; outside of it it is not."""
    page = _page(40, 40)
    other = page.copy()
    other[10:14, 20:26, 0] ^= 255
    mask = Box(20, 10, 6, 4)
    assert same_shots(_shot(page, mask), _shot(other, mask))
    assert not same_shots(_shot(page), _shot(other))
    assert not same_shots(_shot(page, Box(20, 10, 5, 4)), _shot(other, Box(20, 10, 5, 4)))
    assert not same_shots(_shot(page, mask), _shot(other, mask.shifted(0, 1)))


def test_shots_of_different_sizes_are_different() -> None:
    """A page that grows is not at rest."""
    page = _page(10, 10)
    assert not same_shots(_shot(page), _shot(page[:9]))
    assert same_shots(_shot(page), _shot(page))


@pytest.mark.parametrize(
    ("frame", "size"),
    [
        ((1440, 900), (1440, 900)),
        ((1440.0000610351562, 900), (1440, 900)),
        ((390.5, 844.2), (391, 845)),
        ((0.3, 0.001), (1, 1)),
    ],
)
def test_viewport_is_the_frame_rounded_up(
    frame: tuple[float, float], size: tuple[int, int]
) -> None:
    """The viewport holds the frame; float dust of a design file does not make it larger."""
    assert viewport_for(frame) == size
