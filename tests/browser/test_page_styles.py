"""Screenshot options on a real Chromium: they hold for the picture and are gone afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Callable

STATE = "() => [document.documentElement.outerHTML, document.adoptedStyleSheets.length, scrollY]"
RULES = [
    (CaptureOptions(hide=("#corner",)), [255, 255, 255, 255]),
    (CaptureOptions(remove=("#corner",)), [136, 136, 136, 255]),
    (CaptureOptions(style=("#corner { background: #123456 !important }",)), [18, 52, 86, 255]),
    (CaptureOptions(clip=Box(0, 40, 90, 20)), [136, 136, 136, 255]),
    (CaptureOptions(scroll_through=True), [0, 0, 255, 255]),
]


@pytest.mark.parametrize(("options", "colour"), RULES)
def test_an_option_holds_for_the_picture_only(
    site: str, open_page: Callable[..., Any], options: CaptureOptions, colour: list[int]
) -> None:
    """Hidden, removed, styled, clipped, scrolled through: seen in the picture, and put back."""
    page = open_page(f"{site}/variants.html")
    before = page.evaluate(STATE)
    capture = capture_target(page, frame=(1280, 720), scale=1, options=options)
    assert capture.image[5, 5].tolist() == colour
    assert page.evaluate(STATE) == before
    assert capture.warnings == ()


def test_a_selector_that_is_none_and_one_that_matches_nothing(
    site: str, open_page: Callable[..., Any]
) -> None:
    """The first is a wrong word that names it, the second a warning."""
    page = open_page(f"{site}/variants.html")
    with pytest.raises(ConfigurationError, match=r"'\.\.no' is no CSS selector"):
        capture_target(page, frame=(90, 90), scale=1, options=CaptureOptions(hide=("..no",)))
    options = CaptureOptions(hide=(".none",))
    capture = capture_target(page, frame=(1280, 720), scale=1, options=options)
    assert capture.warnings == ("hide '.none' matches nothing",)
