"""Wrong captures that users of other tools have reported, made small: each right answer here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.core.capture import Capture

CASES = Path(__file__).parents[3] / "shared" / "cases" / "bugs"
FRAME = (1280.0, 720.0)
# What the capture alone decides. The other pages show a true difference between two states.
CAPTURED = ("caret", "css-infinite", "hover-left-over", "late-content", "lazy-img", "sticky-header")
DIFFERENT = ("dark-mode", "focus-ring", "layout-shift", "mask-moves")

pytestmark = pytest.mark.skipif(
    not (CASES / "pages.json").exists(), reason=f"needs the cases in {CASES}"
)


def _url(name: str, state: str = "") -> str:
    cases = {case["id"]: case for case in json.loads((CASES / "pages.json").read_text("utf-8"))}
    return f"{(CASES / cases[name]['file']).as_uri()}{state}"


def _take(page: Any, **given: Any) -> Capture:
    return capture_target(page, **{"frame": FRAME, "scale": 1, **given})


def test_every_reported_page_has_its_answer() -> None:
    """No page of the cases is left without a test of its right answer."""
    cases = json.loads((CASES / "pages.json").read_text("utf-8"))
    alone = {
        "fractional-box", "js-animation", "tall-20000", "video", "webfont-fail", "zero-size"
    }  # fmt: skip
    assert {case["id"] for case in cases} == {*CAPTURED, *DIFFERENT, *alone}


@pytest.mark.parametrize("name", CAPTURED)
def test_moments_do_not_matter(open_page: Callable[..., Any], name: str) -> None:
    """Caret, spinner, hover, late and lazy content: one picture, whenever it is taken."""
    page = open_page(_url(name))
    first = _take(page)
    page.mouse.move(100, 100)
    page.wait_for_timeout(530)  # half a blink of a caret, half a turn of the spinner
    second = _take(page)
    np.testing.assert_array_equal(first.image, second.image)
    assert (first.image != first.image[0, 0]).any()


@pytest.mark.parametrize("name", DIFFERENT)
def test_true_differences_stay(open_page: Callable[..., Any], name: str) -> None:
    """A state that really looks different gives a different picture."""
    first = _take(open_page(_url(name)))
    if name == "dark-mode":
        second = _take(open_page(_url(name), color_scheme="dark"))
        schemes = [c.environment["color_scheme"] for c in (first, second)]
        assert schemes == ["light", "dark"]
    else:
        second = _take(open_page(_url(name, "?b")))
    assert (first.image != second.image).any()
    if name == "focus-ring":
        assert [c.environment["focus"] for c in (first, second)] == [None, "#b"]


def test_hover_is_parked(open_page: Callable[..., Any]) -> None:
    """The card under a mouse that an earlier step left there is not hovered."""
    page = open_page(_url("hover-left-over"))
    page.mouse.move(100, 100)
    page.wait_for_timeout(50)
    assert _take(page).image[50, 200].tolist() == [238, 238, 238, 255]


def test_sticky_header_is_there_once(open_page: Callable[..., Any]) -> None:
    """The header of a full-page picture is at its top and nowhere else."""
    blue = (_take(open_page(_url("sticky-header"))).image == [0, 51, 102, 255]).all(axis=2)
    rows = np.flatnonzero(blue.sum(axis=1) > 600)
    assert (rows[0], rows[-1], len(rows)) == (0, len(rows) - 1, len(rows))


def test_lazy_image_is_painted(open_page: Callable[..., Any]) -> None:
    """The lazy image below the fold is in a full-page picture."""
    red = (_take(open_page(_url("lazy-img"))).image == [204, 51, 51, 255]).all(axis=2)
    assert red.sum() == 300 * 200


def test_failed_font_is_a_warning(open_page: Callable[..., Any]) -> None:
    """A font face in state error is said."""
    warnings = _take(open_page(_url("webfont-fail"))).warnings
    assert any(w.startswith("1 font face failed to load") for w in warnings)


def test_script_animation_is_unstable(open_page: Callable[..., Any]) -> None:
    """A page that a script keeps moving is unstable, not a random verdict."""
    with pytest.raises(CaptureError, match="#d") as caught:
        _take(open_page(_url("js-animation")), options=CaptureOptions(timeout=1))
    assert caught.value.reason == "unstable"
    assert "cause: script animation" in str(caught.value)


def test_late_content_is_in_the_picture(open_page: Callable[..., Any]) -> None:
    """Content that comes after 700 ms is waited for."""
    assert (_take(open_page(_url("late-content"))).image[..., :3] < 50).any()


@pytest.mark.parametrize("scale", [1, 1.5, 2])
def test_fractional_box(open_page: Callable[..., Any], scale: float) -> None:
    """An element at a fractional offset is 198x114 px times the scale, every time."""
    locator = open_page(_url("fractional-box")).locator("div")
    first, second = (_take(locator, scale=scale, blank="accept") for _ in range(2))
    assert first.pixel_size == (int(198.297 * scale + 0.5), int(114 * scale + 0.5))
    np.testing.assert_array_equal(first.image, second.image)


def test_zero_size(open_page: Callable[..., Any]) -> None:
    """An element of no size is a clear error."""
    with pytest.raises(CaptureError, match="size of 0x0 px"):
        _take(open_page(_url("zero-size")).locator("#z"))


def test_tall_page(open_page: Callable[..., Any]) -> None:
    """A page of 20,000 px ends with its END text, and its gradient never repeats."""
    image = _take(open_page(_url("tall-20000"))).image
    assert image.shape[0] > 20_000
    assert (image[20_000:, :100, :3] < 100).any(), "END is there"
    place = (np.arange(20_000)[:, None] + 0.5) / 20_000
    start, end = np.array([0xE6, 0x64, 0x65]), np.array([0x91, 0x98, 0xE5])
    expected = start + place * (end - start)
    assert np.abs(image[:20_000, 600, :3] - expected).max() < 1.5


def test_video(open_page: Callable[..., Any]) -> None:
    """A video's controls neither hang nor differ."""
    page = open_page(_url("video"))
    np.testing.assert_array_equal(_take(page).image, _take(page).image)
