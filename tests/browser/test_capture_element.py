"""The capture of an element: its box, the same in every run, or a clear error without a hang."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable

SHORT = CaptureOptions(timeout=1.0)
BLUE = [0, 102, 204, 255]


@pytest.fixture
def elements(site: str, open_page: Callable[..., Any]) -> Any:
    """Open the page with awkward elements."""
    return open_page(f"{site}/elements.html", viewport={"width": 800, "height": 600})


@pytest.mark.parametrize(
    ("scale", "size"), [(1, (198, 114)), (1.5, (297, 171)), (2, (397, 228)), (3, (595, 342))]
)
def test_fractional_box_has_one_size(elements: Any, scale: float, size: tuple[int, int]) -> None:
    """An element at a fractional place has round(box x scale) px in every run, at most 1 px off."""
    first, second = (
        capture_target(
            elements.locator("#fraction"), frame=(198.297, 114), scale=scale, blank="accept"
        )
        for _ in range(2)
    )
    assert first.pixel_size == size
    np.testing.assert_array_equal(first.image, second.image)
    assert (first.image[1:-1, 1:-1] == BLUE).all()
    assert elements.viewport_size == {"width": 800, "height": 600}


def test_element_keeps_the_pages_viewport(elements: Any) -> None:
    """An element's frame does not become the page's viewport."""
    capture = capture_target(elements.locator("#below"), frame=(80, 60), scale=2)
    assert capture.environment["viewport"] == [800, 600]
    assert capture.pixel_size == (160, 120)
    assert capture.source.startswith("#below on http")


@pytest.mark.parametrize("selector", ["#below", "#inner"])
def test_element_out_of_sight_is_scrolled_to(elements: Any, selector: str) -> None:
    """An element below the fold or inside a scroller is captured whole; the page scrolls back."""
    images = [
        capture_target(elements.locator(selector), frame=(80, 60), scale=scale).image
        for scale in (1, 2)
    ]
    for image in images:
        assert not (image == 255).all(axis=2).any(), "no white of the page around it"
    assert elements.evaluate("scrollY") == 0


@pytest.mark.parametrize(
    ("selector", "problem"),
    [
        ("#zero", "has a size of 0x0 px"),
        ("#hidden", "is not rendered"),
        ("#left", "lies outside of the page"),
        ("#absent", "Timeout 1000ms exceeded"),
        (".two", "resolved to 2 elements"),
        ("<<", "cannot be captured"),
    ],
)
@pytest.mark.parametrize("scale", [1, 2])
def test_what_cannot_be_captured_is_said(
    elements: Any, selector: str, problem: str, scale: int
) -> None:
    """An element without a picture is an error that names it, in bounded time."""
    with pytest.raises(CaptureError, match=problem) as caught:
        capture_target(elements.locator(selector), frame=(10, 10), scale=scale, options=SHORT)
    assert caught.value.reason == "capture-failed"
    assert selector in str(caught.value)


def test_part_outside_of_the_page_is_left_away(elements: Any) -> None:
    """What lies left of the page cannot be painted: it is left away and said once."""
    capture = capture_target(elements.locator("#partly"), frame=(100, 30), scale=2)
    assert capture.pixel_size == (160, 60)
    assert capture.warnings == (
        "a part of #partly lies outside of the page and is not in the picture",
    )


def test_element_that_goes_away_is_an_error(elements: Any) -> None:
    """An element that leaves while it is captured ends the capture with an error."""

    def remove(_: object) -> bool:
        elements.evaluate("document.querySelector('#below').remove()")
        return False

    with pytest.raises(CaptureError, match="#below"):
        capture_target(elements.locator("#below"), frame=(80, 60), scale=1, accept=remove)


def test_element_in_a_frame(site: str, open_page: Callable[..., Any]) -> None:
    """An element inside an iframe is captured where the frame shows it."""
    page = open_page(f"{site}/scale.html")
    locator = page.frame_locator("iframe").locator("p")
    capture = capture_target(locator, frame=(100, 20), scale=2)
    ink = (capture.image[..., :3] < 100).all(axis=2)
    assert ink.any()


def test_masks_of_an_element_count_from_its_corner(elements: Any) -> None:
    """A mask inside a captured element is in px of the element, not of the elements."""
    options = CaptureOptions(mask=("#inner",))
    capture = capture_target(
        elements.locator("#scroller"), frame=(200, 100), scale=1, options=options
    )
    (mask,) = capture.masks
    assert (mask.x, mask.w, mask.h) == (0, 60, 40)


def test_closed_page_is_an_error(elements: Any) -> None:
    """A page that was closed is an error of the capture."""
    elements.close()
    for target in (elements, elements.locator("#below")):
        with pytest.raises(CaptureError, match="closed"):
            capture_target(target, frame=(80, 60), scale=1)
