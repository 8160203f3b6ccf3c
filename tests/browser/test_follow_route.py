"""Following a recipe in a real browser: what it does, and how the step that fails is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture.follow import follow
from pytest_pixelloop.capture.page_route import PageRoute
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError
from pytest_pixelloop.core.route import Action, Destination, Recipe, Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.capture.session import BrowserSession

OPEN = Step(action=Action.TAP, test_id="open")
MAIL = Step(action=Action.ENTER_TEXT, role="textbox", name="E-mail", value="ada")
LATER = Step(action=Action.TAP, text="Later")
BELOW = Step(action=Action.SCROLL_TO, role="region", name="Below")


def test_steps_are_taken_before_the_capture(session: BrowserSession, site: str) -> None:
    """A Destination is captured as it is after its steps, the late ones awaited."""
    green = []
    for steps in ((), (OPEN, MAIL, LATER)):
        recipe = Recipe(route="/route.html", steps=steps, settle_ms=100)
        capture = capture_target(
            Destination(recipe=recipe, base=site),
            frame=(400, 300),
            scale=1,
            browser=lambda: session.browser,
        )
        green.append(bool((capture.image[:, :, :3] == (22, 163, 74)).all(axis=2).any()))
    assert green == [False, True]
    assert capture.source.endswith("/route.html#ada")


def test_a_better_address_wins_and_a_worse_one_serves(
    open_page: Callable[..., Any], site: str
) -> None:
    """The text is used only where the test id leads nowhere; a name with two elements neither."""
    page = open_page(f"{site}/route.html")
    gone = Step(action=Action.TAP, test_id="renamed", role="button", name="Twin", text="Open")
    follow(page, Recipe(route="/", steps=(gone, BELOW)), url=f"{site}/route.html")
    page.wait_for_selector("#panel.open")
    assert page.evaluate("scrollY") > 0


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Step(action=Action.TAP, test_id="nowhere"), "test id 'nowhere': 0 elements"),
        (Step(action=Action.TAP, role="button", name="Twin"), "role button 'Twin': 2 elements"),
        (Step(action=Action.ENTER_TEXT, test_id="open", value="x"), "Element is not an"),
        (
            Step(action=Action.ENTER_TEXT, test_id="mail", env="NOT_SET"),
            "environment variable NOT_SET",
        ),
    ],
)
def test_the_step_that_fails_is_named(
    open_page: Callable[..., Any], site: str, step: Step, said: str
) -> None:
    """A failed capture with the number and the words of the step, within its time."""
    page = open_page(f"{site}/route.html")
    recipe = Recipe(route="/", steps=(OPEN, step))
    with pytest.raises(CaptureError) as caught:
        follow(page, recipe, url=f"{site}/route.html", timeout=0.5, environ={})
    assert caught.value.reason == "capture-failed"
    assert f"step 2 of 2 ({step})" in caught.value.what
    assert said in str(caught.value)


def test_a_page_that_went_elsewhere_is_not_captured(session: BrowserSession, site: str) -> None:
    """A redirect to another page is a route that was not reached."""
    target = Destination(recipe=Recipe(route="/route.html?elsewhere"), base=site)
    with pytest.raises(CaptureError, match="went elsewhere") as caught:
        capture_target(target, frame=(400, 300), scale=1, browser=lambda: session.browser)
    assert caught.value.reason == "capture-failed"
    assert "dark.html" in caught.value.where


def test_an_error_page_of_the_browser_is_unreachable(open_page: Callable[..., Any]) -> None:
    """A Page on which nothing could be opened is no page to compare."""
    page = open_page("about:blank")
    with pytest.raises(Exception, match="ERR_"):
        page.goto("http://127.0.0.1:9/")
    with pytest.raises(CaptureError) as caught:
        capture_target(page, frame=(400, 300), scale=1)
    assert caught.value.reason == "unreachable"


def test_a_page_route_keeps_what_it_did(open_page: Callable[..., Any], site: str) -> None:
    """open, tap, scroll_to and enter_text are a recipe afterwards, which can be done again."""
    page = open_page("about:blank")
    route = PageRoute(lambda: page, base=site)
    assert getattr(route, "recipe") is None  # noqa: B009 - a plain read would narrow its type
    assert route.open("/route.html", settle_ms=50) is page
    route.tap(test_id="open")
    route.enter_text("ada", role="textbox", name="E-mail")
    route.enter_text(env="HOME", test_id="secret")
    route.scroll_to(role="region", name="Below")
    assert route.recipe == Recipe(
        route="/route.html",
        steps=(OPEN, MAIL, Step(action=Action.ENTER_TEXT, test_id="secret", env="HOME"), BELOW),
        settle_ms=50,
    )
    page.goto("about:blank")
    route.replay()
    assert page.get_by_test_id("mail").input_value() == "ada"
    route.open("/route.html")
    assert route.recipe == Recipe(route="/route.html")


def test_a_page_route_writes_no_password(open_page: Callable[..., Any], site: str) -> None:
    """A literal in a password field is refused before it is typed, with the way out."""
    page = open_page("about:blank")
    route = PageRoute(lambda: page, base=site)
    with pytest.raises(ConfigurationError, match="was called before"):
        route.tap(test_id="open")
    route.open("/route.html")
    with pytest.raises(ConfigurationError, match="password") as caught:
        route.enter_text("hunter2", test_id="secret")
    assert "env=" in caught.value.next_step
    assert page.get_by_test_id("secret").input_value() == ""
    with pytest.raises(ConfigurationError, match="no address"):
        route.tap(name="Open")
    with pytest.raises(ConfigurationError, match="either a text or env"):
        route.enter_text(test_id="mail")


def test_a_step_that_fails_is_not_kept(open_page: Callable[..., Any], site: str) -> None:
    """A step that was not done is not kept."""
    page = open_page("about:blank")
    route = PageRoute(lambda: page, base=site, timeout=0.3)
    route.open("/route.html")
    with pytest.raises(CaptureError, match="step 1"):
        route.enter_text("x", test_id="open")
    assert route.recipe == Recipe(route="/route.html")
