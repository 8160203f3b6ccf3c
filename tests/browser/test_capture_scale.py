"""Viewport and device scale factor hold in the picture, and the page gets its own back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.view import read_view
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.capture.session import BrowserSession

FRAME = (600.0, 403.0)
SCALES = (1.0, 1.25, 1.5, 2.0, 3.0)
GREEN, RED = [0, 170, 0, 255], [204, 0, 0, 255]
CONTEXTS: dict[str, dict[str, Any]] = {
    "default": {},
    "no viewport": {"no_viewport": True},
    "the same viewport": {"viewport": {"width": 600, "height": 403}},
    "another scale": {"device_scale_factor": 1.5},
}
PHONES: dict[str, dict[str, Any]] = {
    "touch": {"has_touch": True, "device_scale_factor": 1.5},
    "phone": {
        "is_mobile": True,
        "has_touch": True,
        "device_scale_factor": 2,
        "viewport": {"width": 390, "height": 664},
        "screen": {"width": 390, "height": 844},
    },
    "landscape phone": {
        "is_mobile": True,
        "has_touch": True,
        "device_scale_factor": 2,
        "viewport": {"width": 844, "height": 390},
    },
}


def _state(page: Any) -> tuple[Any, ...]:
    """Return all that a page can see of its emulation, and what Playwright would picture."""
    queries = ("(pointer: coarse)", "(hover: hover)", "(min-resolution: 1.9dppx)")
    media = [page.evaluate("q => matchMedia(q).matches", query) for query in queries]
    return read_view(page), media, page.viewport_size, page.screenshot()


@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        *(("default", scale) for scale in SCALES),
        *((kind, scale) for kind in CONTEXTS if kind != "default" for scale in (1.0, 2.0)),
    ],
)
def test_scale_and_viewport_hold_in_the_picture(
    site: str,
    session: BrowserSession,
    open_page: Callable[..., Any],
    kind: str,
    scale: float,
) -> None:
    """A page of any context is rendered at the design's viewport and scale, as if made for it."""
    page = open_page(f"{site}/scale.html", **CONTEXTS[kind])
    before = _state(page)
    capture = capture_target(page, frame=FRAME, scale=scale)
    own = capture_target(
        f"{site}/scale.html", frame=FRAME, scale=scale, browser=lambda: session.browser
    )
    assert capture.pixel_size == (round(600 * scale), int(403 * scale + 0.5))
    middle = round(20 * scale)
    assert capture.image[middle, middle].tolist() == (GREEN if scale >= 1.9 else RED)
    assert capture.image[round(60 * scale), middle].tolist() == GREEN, "min-width sees 600 px"
    assert capture.environment["device_scale_factor"] == scale
    assert capture.environment["viewport"] == [600, 403]
    np.testing.assert_array_equal(capture.image, own.image, "not as in a context of that scale")
    assert _state(page) == before
    assert capture.warnings == ()


@pytest.mark.parametrize(
    ("phone", "scale"),
    [("phone", 1.0), ("phone", 3.0), ("landscape phone", 1.25), ("touch", 1.25)],
)
def test_emulated_phones_keep_their_emulation(
    site: str, open_page: Callable[..., Any], phone: str, scale: float
) -> None:
    """Touch and mobile emulation hold during the capture, over every shot, and afterwards."""
    page = open_page(f"{site}/scale.html", **PHONES[phone])
    before = _state(page)
    capture = capture_target(page, frame=(412, 150), scale=scale)
    size = {"width": 412, "height": 150}
    own = open_page(
        f"{site}/scale.html",
        **{**PHONES[phone], "viewport": size, "screen": size, "device_scale_factor": scale},
    )
    expected = capture_target(own, frame=(412, 150), scale=scale)
    np.testing.assert_array_equal(capture.image, expected.image)
    assert _state(page) == before


def test_a_page_that_fits_already_is_not_touched(site: str, open_page: Callable[..., Any]) -> None:
    """A page with the right viewport and scale sees no resize at all."""
    page = open_page(
        f"{site}/scale.html", viewport={"width": 600, "height": 403}, device_scale_factor=2
    )
    page.evaluate("() => { window.seen = 0; addEventListener('resize', () => { seen++; }); }")
    capture_target(page, frame=FRAME, scale=2)
    assert page.evaluate("seen") == 0


def test_everything_is_restored_after_an_error(site: str, open_page: Callable[..., Any]) -> None:
    """A capture that fails in the middle leaves viewport, scale and scroll offset as before."""
    page = open_page(f"{site}/script-animation.html")
    page.evaluate("() => { mover.remove(); document.body.style.height = '3000px'; }")
    page.evaluate("scrollTo(0, 500)")
    before = _state(page)

    def explode(_: object) -> bool:
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        capture_target(page, frame=FRAME, scale=3, accept=explode)
    assert _state(page) == before
    assert page.evaluate("scrollY") == 500


def test_a_page_without_a_body_is_not_waited_for(site: str, open_page: Callable[..., Any]) -> None:
    """No picture is asked of Playwright that waits for a body, and the viewport comes back."""
    page = open_page(f"{site}/scale.html")
    page.evaluate("document.body.remove()")
    page.set_default_timeout(4_000)  # a wait for a body would be an error
    before = page.viewport_size
    capture = capture_target(page, frame=FRAME, scale=2, options=CaptureOptions(timeout=0.5))
    assert (capture.image == capture.image[0, 0]).all()
    assert page.viewport_size == before
    assert page.evaluate("devicePixelRatio") == 1


def test_error_of_the_capture_restores_too(site: str, open_page: Callable[..., Any]) -> None:
    """The same holds for an error that the capture raises itself."""
    page = open_page(f"{site}/elements.html")
    before = _state(page)
    with pytest.raises(CaptureError):
        capture_target(page.locator("#zero"), frame=FRAME, scale=3)
    assert _state(page) == before


@pytest.mark.parametrize(
    ("frame", "scale", "size"),
    [
        ((600.4, 403.3), 2, (1201, 807)),
        ((600.4, 403.3), 1, (600, 403)),
        ((600.00006, 403.0), 1.5, (900, 605)),
        ((599.5, 402.5), 1, (600, 403)),
    ],
)
def test_fractional_frame_gives_the_designs_size(
    site: str, open_page: Callable[..., Any], frame: tuple[float, float], scale: float, size: Any
) -> None:
    """A frame that ends inside a px gives a picture of round(frame x scale), as designs have."""
    page = open_page(f"{site}/scale.html")
    assert capture_target(page, frame=frame, scale=scale).pixel_size == size


def test_viewport_may_differ_from_the_frame(site: str, open_page: Callable[..., Any]) -> None:
    """A viewport of its own shapes the page, which is still taken to its end."""
    page = open_page(f"{site}/fixed-header.html")
    capture = capture_target(page, frame=(600, 3400), scale=1, viewport_size=(600, 400))
    assert capture.pixel_size == (600, 3400), "a hero of 100vh is 400 px, the rest 3000"
    assert capture.environment["viewport"] == [600, 400]


def test_other_browsers_are_told_to_set_the_scale(
    site: str, open_page: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the scale cannot be changed the error says how to set it; nothing is resized."""
    page = open_page(f"{site}/scale.html")
    before = _state(page)
    monkeypatch.setattr("pytest_pixelloop.capture.camera.browser_name", lambda _: "firefox")
    with pytest.raises(CaptureError, match="browser_context_args") as caught:
        capture_target(page, frame=FRAME, scale=2)
    assert '"device_scale_factor": 2' in str(caught.value)
    capture = capture_target(page, frame=FRAME, scale=1)
    assert capture.pixel_size == (600, 403)
    assert _state(page) == before


def test_colour_scheme_follows_the_theme(
    site: str, session: BrowserSession, open_page: Callable[..., Any]
) -> None:
    """A theme that is a colour scheme is emulated, recorded, and put back."""
    page = open_page(f"{site}/dark.html")
    for target in (page, f"{site}/dark.html"):
        dark, light = (
            capture_target(
                target, frame=(200, 100), scale=1, theme=theme, browser=lambda: session.browser
            )
            for theme in ("dark", "light")
        )
        assert dark.image[90, 190].tolist() == [17, 17, 17, 255]
        assert light.image[90, 190].tolist() == [255, 255, 255, 255]
        assert dark.environment["color_scheme"] == "dark"
    assert not page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    other = capture_target(page, frame=(200, 100), scale=1, theme="festive")
    assert other.environment["color_scheme"] == "light"


def test_pictures_of_a_denser_screen_are_loaded(site: str, open_page: Callable[..., Any]) -> None:
    """At scale 2 the page's 2x picture is loaded and waited for."""
    page = open_page(f"{site}/dense-image.html")
    assert capture_target(page, frame=(100, 50), scale=1).image[20, 20].tolist() == GREEN
    assert capture_target(page, frame=(100, 50), scale=2).image[20, 20].tolist() == RED


def test_same_page_gives_the_same_bytes_twenty_times(
    site: str, open_page: Callable[..., Any]
) -> None:
    """A page captured twenty times gives twenty equal pictures."""
    page = open_page(f"{site}/scale.html")
    first = capture_target(page, frame=FRAME, scale=2).image.tobytes()
    for _ in range(19):
        assert capture_target(page, frame=FRAME, scale=2).image.tobytes() == first


def test_viewport_only(site: str, open_page: Callable[..., Any]) -> None:
    """Without full_page the viewport is taken where the user has scrolled to."""
    page = open_page(f"{site}/tall.html", viewport={"width": 300, "height": 200})
    page.evaluate("scrollTo(0, 1000)")
    for scale in (1, 2):
        capture = capture_target(
            page, frame=(300, 200), scale=scale, options=CaptureOptions(full_page=False)
        )
        assert capture.pixel_size == (300 * scale, 200 * scale)
        assert capture.image[0, 0].tolist() == [10, 245, (10 * 37) % 256, 255]
        assert page.evaluate("scrollY") == 1000
