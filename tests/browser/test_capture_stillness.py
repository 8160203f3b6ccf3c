"""What moves, comes late, blinks or hovers: captured the same each time, or refused by name."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.stillness import Stillness
from pytest_pixelloop.capture.unstable import UnstableCaptureError
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.capture.session import BrowserSession
    from pytest_pixelloop.core.capture import Capture

    Take = Callable[..., Capture]

FRAME = (400.0, 300.0)
SHORT = CaptureOptions(timeout=1.0)
WHITE = [255, 255, 255, 255]


@pytest.fixture
def take(site: str, session: BrowserSession) -> Take:
    """Give a function that captures a page of the site at the usual size."""

    def take(name: str, **given: Any) -> Capture:
        given = {"frame": FRAME, "scale": 1, **given}
        return capture_target(f"{site}/{name}", browser=lambda: session.browser, **given)

    return take


def test_late_font_is_waited_for(
    site: str, open_page: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text is captured in the font that arrives late, not in the one that stands in for it."""
    page = open_page("about:blank")
    held: list[Any] = []
    page.route("**/boxes.ttf*", lambda route: held.append(route))  # noqa: PLW0108 - marked by it
    page.goto(f"{site}/late-font.html")
    asked = 0
    pending = Stillness.pending

    def answer_at_the_third_question(stillness: Stillness) -> Any:
        nonlocal asked
        asked += 1
        if asked == 3:
            held[0].continue_()
        return pending(stillness)

    monkeypatch.setattr(Stillness, "pending", answer_at_the_third_question)
    image = capture_target(page, frame=FRAME, scale=1).image
    assert image[40, 40].tolist() == [0, 51, 102, 255], "its letters are filled boxes"
    assert image[40, 21].tolist() == WHITE


@pytest.mark.parametrize("how", ["page", "url"])
def test_font_that_never_comes_is_a_warning(
    take: Take, site: str, open_page: Callable[..., Any], how: str
) -> None:
    """A font request that is never answered is waited for in vain once, and said."""
    if how == "url":
        capture = take("endless-font.html", options=SHORT)
    else:
        page = open_page(f"{site}/endless-font.html", viewport={"width": 400, "height": 300})
        page.wait_for_selector("html[data-asked]")
        capture = capture_target(page, frame=FRAME, scale=1, options=SHORT)
        assert page.viewport_size == {"width": 400, "height": 300}
        assert page.evaluate("[innerWidth, innerHeight]") == [400, 300]
    assert "fonts were still loading after 1 s" in capture.warnings
    assert (capture.image[..., :3] != 255).any()


def test_lazy_image_far_below_is_painted(
    take: Take, site: str, open_page: Callable[..., Any]
) -> None:
    """A lazy image below the fold is loaded and painted; the page keeps its attribute."""
    assert take("lazy-image.html").image[6050, 100].tolist() == [0, 170, 0, 255]
    page = open_page(f"{site}/lazy-image.html")
    capture_target(page, frame=FRAME, scale=1)
    assert page.get_attribute("img", "loading") == "lazy"


def test_lazy_image_out_of_sight_is_not_waited_for(
    site: str, open_page: Callable[..., Any]
) -> None:
    """A capture of the viewport neither loads nor awaits what is far below it."""
    page = open_page(f"{site}/lazy-image.html")
    page.set_content('<p style="height:9000px">Text</p><img loading="lazy" src="green.svg?hang">')
    capture = capture_target(
        page, frame=FRAME, scale=1, options=CaptureOptions(full_page=False, timeout=3)
    )
    assert capture.warnings == ()


def test_failed_image_and_font_are_warnings(take: Take) -> None:
    """What failed to load is named; what loaded is not."""
    warnings = take("broken-image.html").warnings
    assert "1 image failed to load: nowhere.png" in warnings
    assert "1 font face failed to load, another font is used: Missing" in warnings


def test_page_and_console_errors_are_recorded(
    take: Take, site: str, open_page: Callable[..., Any]
) -> None:
    """Uncaught exceptions and console errors are in the environment and the warnings."""
    for capture in (
        take("errors.html"),
        capture_target(open_page(f"{site}/errors.html"), frame=FRAME, scale=1),
    ):
        assert capture.environment["page_errors"] == ["thrown on purpose"]
        assert capture.environment["console_errors"] == ["the first complaint"]
        assert "1 page error: thrown on purpose" in capture.warnings


def test_missing_favicon_is_nobodys_error(take: Take) -> None:
    """A browser asks for /favicon.ico once; that it is not there is no error of the page."""
    assert take("scale.html").environment["console_errors"] == []


def test_animations_are_at_the_same_place_each_time(
    site: str, open_page: Callable[..., Any]
) -> None:
    """Infinite animations are at their first frame, finite ones at their end, everywhere."""
    page = open_page(f"{site}/animations.html")
    page.wait_for_function("document.querySelector('#slide.wide')")
    first = capture_target(page, frame=FRAME, scale=1)
    page.wait_for_timeout(130)
    second = capture_target(page, frame=FRAME, scale=1)
    np.testing.assert_array_equal(first.image, second.image)
    assert first.image[120, 50].tolist() == [0, 153, 0, 255], "the fade is over"
    assert first.image[160, 290].tolist() == [153, 0, 153, 255], "the transition is over"
    running = page.evaluate("document.querySelector('.spin').getAnimations().map(a => a.playState)")
    assert running == ["running"], "the page goes on afterwards"


def test_animations_may_be_allowed(take: Take) -> None:
    """With animations allowed an endless one is what it is: a page that never rests."""
    with pytest.raises(UnstableCaptureError):
        take("animations.html", options=CaptureOptions(animations="allow", timeout=1))


def test_animation_that_starts_meanwhile_is_stopped(
    site: str, open_page: Callable[..., Any]
) -> None:
    """An animation that a script starts while the page is captured is stopped as well."""
    page = open_page(f"{site}/dark.html")
    seen = []

    def start_one(image: Any) -> bool:
        seen.append(image)
        if len(seen) == 1:
            page.evaluate(
                "() => { document.querySelector('h1').animate("
                "[{ marginLeft: '0' }, { marginLeft: '90px' }], "
                "{ duration: 333, iterations: Infinity }); }"
            )
        return False

    capture_target(page, frame=FRAME, scale=1, accept=start_one, options=SHORT)
    assert len(seen) == 1, "the picture stays the same"


def test_script_animation_is_unstable_and_named(take: Take) -> None:
    """What a script moves is no verdict but ``unstable``, with its box and element."""
    with pytest.raises(UnstableCaptureError) as caught:
        take("script-animation.html", options=SHORT, scale=2)
    error = caught.value
    assert error.status == "undetermined:unstable"
    assert error.element == "#mover"
    assert error.box is not None
    assert error.box.x >= 100
    assert (error.box.y, error.box.h) == (30, 50)
    assert "#mover" in str(error)
    older, newest = error.pictures
    assert older.shape == newest.shape == (600, 800, 4)
    assert (older != newest).any()


def test_growing_page_is_unstable_by_its_size(take: Take) -> None:
    """A page whose size keeps changing says so, with two sizes."""
    with pytest.raises(UnstableCaptureError, match="changes its size") as caught:
        take("growing.html", options=SHORT)
    assert caught.value.box is None
    assert caught.value.pictures[0].shape != caught.value.pictures[1].shape


def test_a_masked_clock_does_not_make_a_page_unstable(take: Take) -> None:
    """What is masked may move; the mask is handed on in CSS px of the capture."""
    with pytest.raises(UnstableCaptureError):
        take("clock.html", options=SHORT)
    capture = take("clock.html", options=CaptureOptions(timeout=2, mask=(".clock",)), scale=2)
    (mask,) = capture.masks
    assert (mask.w, mask.h) == (200, 24)
    nothing = take("dark.html", options=CaptureOptions(mask=(".clock",)))
    assert nothing.masks == ()
    assert nothing.warnings == ("the mask .clock matches nothing that can be seen",)


def test_masks_may_be_locators_and_must_be_selectors(
    site: str, open_page: Callable[..., Any]
) -> None:
    """A Locator is a mask; a text that is no CSS selector is a wrong word, told as what it is."""
    page = open_page(f"{site}/clock.html")
    mask = (page.get_by_text("Title"), page.locator(".clock"))
    capture = capture_target(page, frame=FRAME, scale=1, options=CaptureOptions(mask=mask))
    assert len(capture.masks) == 2
    for wrong in ("..no", "a[", "//div", "text=Title", ":nope"):
        with pytest.raises(ConfigurationError, match="is no CSS selector") as caught:
            capture_target(page, frame=FRAME, scale=1, options=CaptureOptions(mask=(wrong,)))
        assert repr(wrong) in str(caught.value)


def test_late_content_is_not_judged_early(site: str, open_page: Callable[..., Any]) -> None:
    """With a judge the waiting goes on until the picture pleases it, or the time is over."""
    page = open_page(f"{site}/late-content.html")
    judged = []

    def is_done(image: Any) -> bool:
        judged.append(image)
        if len(judged) == 1:
            page.evaluate("arrive()")
        return bool((image == [0, 170, 0, 255]).all(axis=2).any())

    done = capture_target(page, frame=FRAME, scale=1, accept=is_done)
    assert len(judged) == 2
    np.testing.assert_array_equal(done.image, judged[1])
    never = capture_target(page, frame=FRAME, scale=1, accept=lambda _: False, options=SHORT)
    np.testing.assert_array_equal(never.image, done.image, "what the page shows in the end")


def test_blank_page_is_waited_for(site: str, take: Take, session: BrowserSession) -> None:
    """A page of one colour is waited for; then it is a warning, or refused where that is asked."""
    blank = "data:text/html,<body style='height:0'>"

    def capture(**given: Any) -> Capture:
        return capture_target(
            blank,
            frame=FRAME,
            scale=1,
            browser=lambda: session.browser,
            options=SHORT,
            **given,
        )

    assert capture().warnings == ("all 400x300 px had one colour for 1 s",)
    assert capture(blank="accept").warnings == ()
    with pytest.raises(CaptureError, match="blank") as caught:
        capture(blank="refuse")
    assert caught.value.reason == "blank-capture"


def test_caret_and_hover_do_not_show(site: str, open_page: Callable[..., Any]) -> None:
    """Caret and a left-over hover are not in the picture, and nothing of it stays in the page."""
    page = open_page(f"{site}/fields.html")
    clean = capture_target(page, frame=FRAME, scale=2)
    page.mouse.move(100, 60)
    page.wait_for_function("document.querySelector('#card').matches(':hover')")
    page.wait_for_timeout(500)
    hovered = capture_target(page, frame=FRAME, scale=2)
    np.testing.assert_array_equal(clean.image, hovered.image)
    assert clean.environment["focus"] == "#styled"
    assert page.get_attribute("#plain", "style") is None
    assert page.evaluate("styled.style.caretColor") == "red"
    page.mouse.move(100, 60)
    kept = capture_target(page, frame=FRAME, scale=2, options=CaptureOptions(hover="keep"))
    assert (kept.image != clean.image).any()


def test_caret_never_shows(site: str, open_page: Callable[..., Any]) -> None:
    """The caret is in none of several pictures over some of its blinks, in either camera."""
    page = open_page(f"{site}/fields.html", viewport={"width": 400, "height": 300})
    without = open_page(f"{site}/fields.html")
    without.add_style_tag(content="* { caret-color: transparent !important }")
    for scale in (1, 2):
        expected = capture_target(without, frame=FRAME, scale=scale)
        for _ in range(6):
            capture = capture_target(page, frame=FRAME, scale=scale)
            np.testing.assert_array_equal(capture.image, expected.image)
            page.wait_for_timeout(130)


def test_caret_may_be_kept(site: str, open_page: Callable[..., Any]) -> None:
    """With the caret kept the page's field is not touched."""
    page = open_page(f"{site}/fields.html")
    page.evaluate(
        "() => { new MutationObserver(() => { window.touched = true; }).observe("
        "document.body, { attributes: true, subtree: true }); }"
    )
    with contextlib.suppress(UnstableCaptureError):  # it may blink
        options = CaptureOptions(caret="initial", timeout=2)
        capture_target(page, frame=FRAME, scale=1, options=options)
    assert page.evaluate("window.touched") is None


def test_fixed_header_is_there_once(site: str, open_page: Callable[..., Any]) -> None:
    """A fixed header is at the top once, vh is the viewport's, also on a page scrolled before."""
    page = open_page(f"{site}/fixed-header.html")
    page.evaluate("scrollTo(0, 1200)")
    capture = capture_target(page, frame=FRAME, scale=1)
    red = (capture.image == [204, 0, 0, 255]).all(axis=2)
    assert capture.pixel_size == (400, 3300)
    assert red[:40].all()
    assert not red[40:].any()
    assert page.evaluate("scrollY") == 1200


def test_what_nobody_can_scroll_to_is_not_the_page(take: Take) -> None:
    """Hidden overflow does not widen the picture."""
    assert take("hidden-overflow.html").pixel_size == (400, 1500)


@pytest.mark.parametrize("scale", [1, 2])
def test_tall_page_is_right_to_its_last_row(take: Take, scale: int) -> None:
    """A page of 20,000 px has every row in its place, also where a texture ends."""
    image = take("tall.html", scale=scale).image
    assert image.shape[:2] == (20_000 * scale, 400 * scale)
    for index in range(200):
        colour = [index, 255 - index, (index * 37) % 256, 255]
        for row in (0, 50, 98):
            assert image[(index * 100 + row) * scale, 10].tolist() == colour, (index, row)
    assert image[-1, 10].tolist() == [0, 0, 0, 255]


def test_page_beyond_the_limit_is_refused_with_its_size(take: Take) -> None:
    """A page that no decoder would take is refused with its size before it is rendered."""
    with pytest.raises(CaptureError, match="3600x60000 px"):
        take("tall.html", scale=3, frame=(1200.0, 300.0))


def test_endless_script_is_refused_without_a_hang(site: str, open_page: Callable[..., Any]) -> None:
    """A page whose script never ends is refused in bounded time."""
    page = open_page(f"{site}/scale.html")
    page.evaluate("() => { setTimeout(() => { for (;;) {} }); }")
    page.wait_for_timeout(50)
    with pytest.raises(CaptureError, match="did not answer"):
        capture_target(page, frame=FRAME, scale=1, options=SHORT)


def test_frozen_clock_of_the_page_does_not_hang(site: str, open_page: Callable[..., Any]) -> None:
    """A page whose timers the test has frozen is captured: no waiting is done inside of it."""
    page = open_page("about:blank")
    page.clock.install(time=0)
    page.goto(f"{site}/late-font.html")
    page.clock.pause_at(10_000)
    assert capture_target(page, frame=FRAME, scale=2).image[80, 80].tolist() == [0, 51, 102, 255]


def test_routes_are_answered_while_waiting(site: str, open_page: Callable[..., Any]) -> None:
    """A request that the test itself answers is answered while the capture waits for it."""
    page = open_page("about:blank")
    green = (
        b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="99" height="99" fill="#0a0"/></svg>'
    )
    page.route(
        "**/answered.svg",
        lambda route: route.fulfill(body=green, content_type="image/svg+xml"),
    )
    page.goto(f"{site}/dark.html")
    page.evaluate("() => { document.body.innerHTML = '<img src=answered.svg>'; }")
    assert capture_target(page, frame=FRAME, scale=1).image[20, 20].tolist() == [0, 170, 0, 255]
