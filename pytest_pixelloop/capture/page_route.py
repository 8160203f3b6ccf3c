"""A page whose way is kept: what a test does through it can be done again without the test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.follow import STEP_TIMEOUT, follow, is_password, take_step
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.route import Action, Recipe, Step, absolute_url, route_of

if TYPE_CHECKING:
    from collections.abc import Callable


class PageRoute:
    """Opens a page and takes steps on it, and remembers them as a recipe.

    ``page`` gives the page when it is needed. ``base`` is the application's address, None where
    none is known. A step has *timeout* seconds to find its element.
    """

    def __init__(
        self, page: Callable[[], Any], *, base: str | None = None, timeout: float = STEP_TIMEOUT
    ) -> None:
        self._page = page
        self._timeout = timeout
        self._base = base
        self._route: str | None = None
        self._steps: list[Step] = []
        self._settle_ms = 0

    @property
    def page(self) -> Any:
        """The page."""
        return self._page()

    @property
    def recipe(self) -> Recipe | None:
        """What was done so far, None before the first open()."""
        if self._route is None:
            return None
        return Recipe(route=self._route, steps=tuple(self._steps), settle_ms=self._settle_ms)

    def open(self, route: str, *, settle_ms: int = 0) -> Any:
        """Open *route*, a URL or an address inside the application, and return the page.

        A new way begins here. ``settle_ms`` is waited after the last step when it is followed.
        """
        url = absolute_url(route, base=self._base, where="page_route.open")
        page = self.page
        page.goto(url)
        self._route = route_of(url, base=self._base)
        self._steps = []
        self._settle_ms = settle_ms
        return page

    def tap(
        self,
        *,
        test_id: str | None = None,
        role: str | None = None,
        name: str | None = None,
        text: str | None = None,
    ) -> None:
        """Tap the one element with that address: test id, else role and name, else text."""
        self._take(Step(action=Action.TAP, test_id=test_id, role=role, name=name, text=text))

    def scroll_to(
        self,
        *,
        test_id: str | None = None,
        role: str | None = None,
        name: str | None = None,
        text: str | None = None,
    ) -> None:
        """Scroll until the one element with that address is in view."""
        self._take(Step(action=Action.SCROLL_TO, test_id=test_id, role=role, name=name, text=text))

    def enter_text(
        self,
        value: str | None = None,
        *,
        env: str | None = None,
        test_id: str | None = None,
        role: str | None = None,
        name: str | None = None,
        text: str | None = None,
    ) -> None:
        """Fill the one field with that address with *value*, or with the variable *env*.

        Of a variable only the name is kept. Raises ConfigurationError for a *value* in a password
        field: it would stand in a file.
        """
        if (value is None) == (env is None):
            raise ConfigurationError(
                "enter_text needs either a text or env=",
                where="page_route.enter_text",
                expected='enter_text("Ada", test_id="name"), or env="SHOP_PASSWORD"',
            )
        step = Step(
            action=Action.ENTER_TEXT,
            test_id=test_id,
            role=role,
            name=name,
            text=text,
            value=value,
            env=env,
        )
        self._take(step)

    def replay(self) -> None:
        """Open the page again and take all steps; CaptureError names the one that fails."""
        recipe = self.recipe
        assert recipe is not None
        url = absolute_url(recipe.route, base=self._base)
        self.page.goto(url)
        follow(self.page, recipe, url=url, timeout=self._timeout)

    def _take(self, step: Step) -> None:
        if self._route is None:
            raise ConfigurationError(
                f"page_route.{step.action} was called before page_route.open",
                expected='page_route.open("/checkout") first: a way begins at an address',
            )
        if not step.addresses or (step.name is not None and step.role is None):
            raise ConfigurationError(
                f"page_route.{step.action} has no address",
                expected="test_id=, role= (with name=), or text=",
            )
        place = f"step {len(self._steps) + 1} ({step})"
        limit = self._timeout
        if step.value is not None and is_password(self.page, step, place=place, timeout=limit):
            raise ConfigurationError(
                "a password would be written into nav.yaml",
                where=f"page_route.enter_text, {' or '.join(step.addresses)}",
                expected="the name of an environment variable that holds it",
                next_step='write env="SHOP_PASSWORD" in place of the text',
            )
        take_step(self.page, step, place=place, timeout=limit)
        self._steps.append(step)
