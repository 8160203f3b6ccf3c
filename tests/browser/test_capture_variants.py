"""Viewports, touch screens and themes on a real Chromium: shown, side by side, and put back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture.design_capture import Shooting, Shot, capture_designs
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.side_by_side import side_by_side
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError
from pytest_pixelloop.core.viewports import ThemeHook

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.capture.session import BrowserSession

STATE = """() => [innerWidth, innerHeight, devicePixelRatio, scrollY,
  matchMedia('(any-pointer: coarse)').matches, matchMedia('(hover: hover)').matches,
  matchMedia('(prefers-color-scheme: dark)').matches, screen.orientation.type,
  document.documentElement.outerHTML.replace(/<script.*<.script>/s, ''),
  JSON.stringify(localStorage), JSON.stringify(sessionStorage)]"""
#: What the corner of variants.html is painted in, as the page sees its surroundings.
DESKTOP, TABLET, PHONE = [0, 0, 255], [0, 128, 0], [255, 0, 0]


def design(name: str, size: tuple[int, int], **given: Any) -> Design:
    """Return a design of that size, whose picture does not matter."""
    image = np.zeros((size[1], size[0], 4), np.uint8)
    return Design(
        name=name, label=name, image=image, frame=(float(size[0]), float(size[1])), scale=1, **given
    )


SCREENS = [
    Shooting(design=design("desktop", (1440, 900), touch=False, mobile=False)),
    Shooting(design=design("tablet", (768, 1024), touch=True, mobile=True)),
    Shooting(design=design("mobile", (390, 844), touch=True, mobile=True)),
]
CORNERS = [DESKTOP, TABLET, PHONE]


def corner(shot: Shot | Exception) -> list[int]:
    """Return the colour of a capture's corner."""
    assert isinstance(shot, Shot), shot
    return [int(v) for v in shot.capture.image[5, 5, :3]]


def touched(shot: Shot | Exception) -> bool:
    """Tell whether the page saw a touch screen."""
    assert isinstance(shot, Shot)
    return bool(shot.capture.image[45, 5, :3].tolist() == [255, 255, 0])


def test_a_url_is_shown_in_each_viewport(site: str, session: BrowserSession) -> None:
    """Each comparison has its own viewport and touch screen, side by side as one by one."""
    url = f"{site}/variants.html"
    together = list(capture_designs(url, SCREENS, browser=lambda: session.browser))
    assert [corner(shot) for shot in together] == CORNERS
    assert [touched(shot) for shot in together] == [False, True, True]
    for shooting, shot in zip(SCREENS, together, strict=True):
        (alone,) = capture_designs(url, [shooting], browser=lambda: session.browser)
        assert isinstance(alone, Shot)
        assert isinstance(shot, Shot)
        np.testing.assert_array_equal(alone.capture.image, shot.capture.image)
    assert not session.browser.contexts


def test_a_given_page_is_shown_in_each_viewport_and_put_back(
    site: str, open_page: Callable[..., Any]
) -> None:
    """An open page is resized in turn, with a phone's layout, and is as before afterwards."""
    page = open_page(f"{site}/variants.html")
    before = page.evaluate(STATE)
    shots = list(capture_designs(page, SCREENS, browser=lambda: None))
    assert [corner(shot) for shot in shots] == CORNERS
    assert page.evaluate(STATE) == before
    warnings = [shot.capture.warnings for shot in shots if isinstance(shot, Shot)]
    assert [len(said) for said in warnings] == [0, 1, 1]
    assert "they do not show" in warnings[1][0], "touch cannot be put back: it is not emulated"


def test_an_open_page_looks_as_one_opened_for_the_viewport(
    site: str, session: BrowserSession, open_page: Callable[..., Any]
) -> None:
    """The emulation of an open page gives the pixels of a context made with it."""
    page = open_page(f"{site}/variants.html")
    screens = [replace(s, design=replace(s.design, touch=None)) for s in SCREENS]
    for given, own in zip(
        capture_designs(page, screens, browser=lambda: None),
        capture_designs(page.url, screens, browser=lambda: session.browser),
        strict=True,
    ):
        assert isinstance(given, Shot)
        assert isinstance(own, Shot)
        np.testing.assert_array_equal(given.capture.image, own.capture.image)


def test_an_element_is_shown_in_its_surroundings(site: str, open_page: Callable[..., Any]) -> None:
    """A Locator's page has the design's viewport meanwhile; without one it keeps its own."""
    page = open_page(f"{site}/variants.html")
    before = page.evaluate(STATE)
    wide, narrow, own = (
        Shooting(design=design(str(size), (60, 40), surroundings=size))
        for size in ((1440, 900), (390, 844), None)
    )
    shots = list(
        capture_designs(page.locator("#corner"), [wide, narrow, own], browser=lambda: None)
    )
    assert [corner(shot) for shot in shots] == [DESKTOP, PHONE, DESKTOP]
    assert page.evaluate(STATE) == before


def test_one_that_fails_hides_no_other(site: str, session: BrowserSession) -> None:
    """A comparison that cannot be captured is an error in its own place."""
    hook = ThemeHook(classes=("dark",), selector="#nowhere")
    wrong = Shooting(design=design("wrong", (390, 844), theme="dark", hook=hook))
    shots = list(
        capture_designs(
            f"{site}/variants.html",
            [SCREENS[0], wrong, SCREENS[2]],
            browser=lambda: session.browser,
        )
    )
    assert [corner(shots[0]), corner(shots[2])] == [DESKTOP, PHONE]
    assert isinstance(shots[1], CaptureError)
    assert "'#nowhere' matches nothing" in str(shots[1])
    nowhere = list(capture_designs("http://127.0.0.1:9/", SCREENS, browser=lambda: session.browser))
    assert [getattr(s, "reason", None) for s in nowhere] == ["unreachable"] * 3


def test_work_side_by_side_waits_together(session: BrowserSession) -> None:
    """All is started before the first is done, results keep their order, errors are given back."""
    events = []

    def work(index: int) -> int:
        events.append(f"start {index}")
        page = session.browser.new_context().new_page()
        try:
            page.wait_for_timeout(300)
            if index == 1:
                raise ValueError("one of them")
            return index
        finally:
            events.append(f"end {index}")
            page.context.close()

    outcomes = side_by_side(session.browser, [lambda: work(0), lambda: work(1)])
    assert events[:2] == ["start 0", "start 1"]
    assert outcomes[0] == 0
    assert isinstance(outcomes[1], ValueError)


HOOKS = {
    "class": ThemeHook(classes=("dark",)),
    "attribute": ThemeHook(attributes={"data-theme": "dark"}, selector="body"),
    "color_scheme": ThemeHook(color_scheme="dark"),
    "local_storage": ThemeHook(local_storage={"theme": "dark"}),
    "session_storage": ThemeHook(session_storage={"theme": "dark"}),
}
BLACK, WHITE = [0, 0, 0], [255, 255, 255]


def ground(image: Any) -> list[int]:
    """Return the colour of the page's ground."""
    return [int(v) for v in image[5, -5, :3]]


@pytest.mark.parametrize("kind", HOOKS)
def test_a_theme_is_switched_on_for_a_url(site: str, session: BrowserSession, kind: str) -> None:
    """Class, attribute, colour scheme and storages: the page is loaded, and shown, in the theme."""
    for hook, colour in ((HOOKS[kind], BLACK), (ThemeHook().among([HOOKS[kind]]), WHITE)):
        capture = capture_target(
            f"{site}/themes.html?kind={kind}",
            frame=(200, 100),
            scale=1,
            theme="dark",
            hook=hook if hook.color_scheme or colour is BLACK else ThemeHook(color_scheme="light"),
            browser=lambda: session.browser,
        )
        assert ground(capture.image) == colour
        assert capture.warnings == ()


@pytest.mark.parametrize("kind", HOOKS)
def test_a_theme_is_switched_on_for_an_open_page_and_off_again(
    site: str, open_page: Callable[..., Any], kind: str
) -> None:
    """An open page is not loaded again; its attributes and storages are as before afterwards."""
    page = open_page(f"{site}/themes.html?kind={kind}")
    page.evaluate("window.mark = 1")
    before = page.evaluate(STATE)
    capture = capture_target(page, frame=(200, 100), scale=1, theme="dark", hook=HOOKS[kind])
    assert ground(capture.image) == BLACK
    assert page.evaluate(STATE) == before
    assert page.evaluate("window.mark") == 1
    said = [w for w in capture.warnings if "was only told by a storage event" in w]
    assert len(said) == kind.endswith("storage")


def test_the_theme_that_a_page_is_in_is_taken_off(site: str, open_page: Callable[..., Any]) -> None:
    """What only a sibling theme sets is gone meanwhile, and back afterwards."""
    page = open_page(f"{site}/themes.html?kind=class")
    page.evaluate("document.documentElement.className = 'a dark b'")
    light = ThemeHook().among([HOOKS["class"]])
    capture = capture_target(page, frame=(200, 100), scale=1, theme="light", hook=light)
    assert ground(capture.image) == WHITE
    assert page.evaluate("document.documentElement.className") == "a dark b"


def test_a_theme_that_the_page_takes_off_is_said(site: str, open_page: Callable[..., Any]) -> None:
    """A page whose script rewrites the class is captured as it is, with a warning."""
    page = open_page(f"{site}/themes.html?kind=class")
    page.evaluate(
        "const root = document.documentElement;"
        "new MutationObserver(() => { if (root.matches('.dark')) root.className = ''; })"
        ".observe(root, {attributes: true, attributeFilter: ['class']})"
    )
    capture = capture_target(page, frame=(200, 100), scale=1, theme="dark", hook=HOOKS["class"])
    assert capture.warnings == ("the page took theme dark off again while it was captured",)


def test_a_wrong_selector_of_a_theme_is_a_wrong_word(
    site: str, open_page: Callable[..., Any]
) -> None:
    """What is no CSS selector is told as such."""
    page = open_page(f"{site}/themes.html?kind=class")
    hook = ThemeHook(classes=("dark",), selector="..no")
    with pytest.raises(ConfigurationError, match=r"'\.\.no' is no CSS selector"):
        capture_target(page, frame=(200, 100), scale=1, theme="dark", hook=hook)


def test_a_large_picture_of_a_touch_screen_is_said(
    site: str, session: BrowserSession, open_page: Callable[..., Any]
) -> None:
    """What Chromium cannot paint beyond the viewport is a warning, for a URL and an open page."""
    tall = Shooting(
        design=design("mobile", (390, 700), viewport_size=(390, 300), touch=True, mobile=True)
    )
    url = f"{site}/variants.html"
    page = open_page(url)
    before = page.evaluate(STATE)
    for target in (url, page):
        (shot,) = capture_designs(target, [tall], browser=lambda: session.browser)
        assert isinstance(shot, Shot)
        (warning,) = shot.capture.warnings
        assert ("paints such a picture as without one" in warning) == (target is url)
    assert page.evaluate(STATE) == before
