"""The way to a page as a value: URLs, what is the same place, what is kept of an address."""

from __future__ import annotations

import pytest

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.route import Action, Recipe, Step, absolute_url, route_of, same_place

HOME = "http://127.0.0.1:8000/"


@pytest.mark.parametrize(
    ("route", "base", "url"),
    [
        ("/checkout?step=2#pay", HOME, "http://127.0.0.1:8000/checkout?step=2#pay"),
        ("checkout", "http://h/app/", "http://h/app/checkout"),
        ("https://shop.example/x", HOME, "https://shop.example/x"),
        ("file:///srv/page.html", None, "file:///srv/page.html"),
    ],
)
def test_a_route_becomes_a_url(route: str, base: str | None, url: str) -> None:
    """A relative route is one of the application; a whole URL stays."""
    assert absolute_url(route, base=base) == url


@pytest.mark.parametrize(
    ("route", "base"),
    [("/checkout", None), ("javascript:alert(1)", HOME), ("data:text/html,x", None)],
)
def test_half_a_url_and_what_is_no_page_are_refused(route: str, base: str | None) -> None:
    """No address is guessed, and no script is run in place of a page."""
    with pytest.raises(ConfigurationError, match="route"):
        absolute_url(route, base=base)


@pytest.mark.parametrize(
    ("url", "route"),
    [
        ("http://127.0.0.1:8000/checkout?step=2#pay", "/checkout?step=2#pay"),
        ("http://127.0.0.1:8000", "/"),
        ("http://ada:secret@127.0.0.1:8000/x", "/x"),
        ("http://ada:secret@shop.example/x", "http://shop.example/x"),
        ("http://127.0.0.1:9000/x", "http://127.0.0.1:9000/x"),
    ],
)
def test_what_is_kept_of_an_address(url: str, route: str) -> None:
    """Inside the application only the path is kept, so another port serves; never a password."""
    assert route_of(url, base=HOME) == route


@pytest.mark.parametrize(
    ("url", "wanted", "same"),
    [
        ("http://h/checkout", "http://h/checkout", True),
        ("http://h/checkout/", "http://h/checkout", True),
        ("http://h/checkout?from=mail", "http://h/checkout", True),
        ("http://h/login?next=/checkout", "http://h/checkout", False),
        ("http://h/checkout", "http://other/checkout", False),
        ("http://h:81/checkout", "http://h/checkout", False),
        ("http://h/#/a", "http://h/#/b", False),
        ("http://h/#/a", "http://h/", True),
    ],
)
def test_the_same_place(url: str, wanted: str, same: bool) -> None:  # noqa: FBT001
    """A redirect to another path is another place; a query that was added is not."""
    assert same_place(url, wanted) is same


def test_a_step_names_its_addresses_in_their_order() -> None:
    """Test id, then role and name, then text."""
    step = Step(action=Action.TAP, text="Pay", role="button", name="Pay", test_id="pay")
    assert str(step) == "tap test id 'pay' or role button 'Pay' or text 'Pay'"


def test_a_longer_wait_is_no_other_way() -> None:
    """Route and steps make the way; how long is waited at its end does not."""
    step = Step(action=Action.TAP, test_id="pay")
    one = Recipe(route="/a", steps=(step,))
    assert one.leads_as(Recipe(route="/a", steps=(step,), settle_ms=500))
    assert not one.leads_as(Recipe(route="/a"))
    assert not one.leads_as(Recipe(route="/b", steps=(step,)))
