"""The way to a page as a value: where to go, and what to do there before it is captured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urljoin, urlsplit, urlunsplit

from pytest_pixelloop.core.errors import ConfigurationError

SCHEMES = ("http", "https", "file")


class Action(StrEnum):
    """What a step does."""

    TAP = "tap"
    SCROLL_TO = "scroll_to"
    ENTER_TEXT = "enter_text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing to do with one element.

    The element is looked for by ``test_id`` first, then by ``role`` (with its accessible ``name``),
    and by its ``text`` last; at least one is given. ``value`` is what ``enter_text`` types, ``env``
    the environment variable that holds it where it is a secret.
    """

    action: Action
    test_id: str | None = None
    role: str | None = None
    name: str | None = None
    text: str | None = None
    value: str | None = None
    env: str | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses in words, in the order in which they are tried."""
        found = []
        if self.test_id is not None:
            found.append(f"test id {self.test_id!r}")
        if self.role is not None:
            found.append(f"role {self.role}" + (f" {self.name!r}" if self.name else ""))
        if self.text is not None:
            found.append(f"text {self.text!r}")
        return tuple(found)

    def __str__(self) -> str:
        return f"{self.action} {' or '.join(self.addresses)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a page is reached: ``route`` is opened, ``steps`` are taken, then ``settle_ms`` waited.

    ``route`` is a URL, or an address relative to the application's.
    """

    route: str
    steps: tuple[Step, ...] = ()
    settle_ms: int = 0

    def leads_as(self, other: Recipe) -> bool:
        """Tell whether both lead to the same page by the same steps."""
        return (self.route, self.steps) == (other.route, other.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A page to be captured by following its recipe. ``base`` is the application's address.

    ``source`` says where the recipe stands.
    """

    recipe: Recipe
    base: str | None = None
    source: str = ""

    @property
    def url(self) -> str:
        """The URL to open; ConfigurationError where only half of one is known."""
        return absolute_url(self.recipe.route, base=self.base, where=self.source)

    def __str__(self) -> str:
        return self.recipe.route


def absolute_url(route: str, *, base: str | None, where: str = "") -> str:
    """Return *route* as a URL.

    Raises ConfigurationError for a relative one without a base, and for a scheme that is no page.
    """
    scheme = urlsplit(route).scheme
    if not scheme and base is None:
        raise ConfigurationError(
            f"the route {route!r} is no whole URL, and no application's address is known",
            where=where,
            expected="a URL, or an address relative to --serve-url",
            next_step="add --serve-url http://127.0.0.1:8000/, or write the whole URL",
        )
    url = urljoin(base or "", route)
    if urlsplit(url).scheme not in SCHEMES:
        raise ConfigurationError(
            f"the route {route!r} leads to no page",
            where=where,
            expected="http, https or file",
        )
    return url


def route_of(url: str, *, base: str | None) -> str:
    """Return *url* as a recipe keeps it: relative inside the application, without a password."""
    parts = urlsplit(url)
    parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    if base is not None:
        home = urlsplit(base)
        if (home.scheme, home.netloc.rpartition("@")[2]) == (parts.scheme, parts.netloc):
            return urlunsplit(("", "", parts.path or "/", parts.query, parts.fragment))
    return urlunsplit(parts)


def same_place(url: str, wanted: str) -> bool:
    """Tell whether a page at *url* is where *wanted* leads: scheme, host, path, given fragment."""
    one, other = urlsplit(url), urlsplit(wanted)
    places = [(p.scheme, p.hostname, p.port, p.path.rstrip("/")) for p in (one, other)]
    return places[0] == places[1] and (not other.fragment or one.fragment == other.fragment)
