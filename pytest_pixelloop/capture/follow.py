"""Following a route: its steps are taken on the open page, and what does not work is named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.problems import first_line, is_gone, playwright_error_types
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.core.route import Action, same_place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_pixelloop.core.route import Recipe, Step

STEP_TIMEOUT = 10.0
_LOOK = 50.0
_HIDES_TEXT = "e => e instanceof HTMLInputElement && e.type === 'password'"


def follow(
    page: Any,
    recipe: Recipe,
    *,
    url: str,
    timeout: float = STEP_TIMEOUT,
    environ: Mapping[str, str] | None = None,
) -> None:
    """Take the steps of *recipe* on *page*, which has just opened *url*.

    Raises CaptureError with reason ``capture-failed`` that names the step which did not work:
    a page that is not where the recipe leads is never captured in its place.
    """
    check_place(page, url)
    for number, step in enumerate(recipe.steps, start=1):
        place = f"step {number} of {len(recipe.steps)} ({step})"
        take_step(page, step, place=place, timeout=timeout, environ=environ)
    if recipe.settle_ms:
        page.wait_for_timeout(recipe.settle_ms)


def check_place(page: Any, url: str) -> None:
    """Raise CaptureError unless *page* is at *url*: a login page is not the page behind it."""
    if url.startswith("file:") or same_place(str(page.url), url):
        return
    from pytest_pixelloop.capture.navigation import shown_url  # noqa: PLC0415

    raise CaptureError(
        "the route was not reached: the page went elsewhere",
        reason="capture-failed",
        where=f"{shown_url(url)} led to {shown_url(str(page.url))}",
        expected="the address of the route, before its first step",
        next_step="write the final address as the route, or log in with steps",
    )


def take_step(
    page: Any,
    step: Step,
    *,
    place: str,
    timeout: float = STEP_TIMEOUT,
    environ: Mapping[str, str] | None = None,
) -> None:
    """Do one step; CaptureError names it as *place* where it cannot be done.

    *timeout* is how long its element is looked for.
    """
    value = _value(step, place, os.environ if environ is None else environ)
    try:
        element = _element(page, step, place, timeout)
        limit = max(timeout, STEP_TIMEOUT) * 1000  # it is there: what follows is up to the machine
        if step.action is Action.TAP:
            element.click(timeout=limit)
        elif step.action is Action.SCROLL_TO:
            element.scroll_into_view_if_needed(timeout=limit)
        else:
            element.fill(value, timeout=limit)
    except playwright_error_types() as error:
        if is_gone(error):
            raise
        raise CaptureError(
            f"the route was not reached: {place} failed: {first_line(error)}",
            reason="capture-failed",
            where=str(page.url),
            expected=f"an element on which {step.action} works",
            next_step="see whether it is disabled, hidden, covered or still moving at that moment",
        ) from error


def is_password(page: Any, step: Step, *, place: str, timeout: float = STEP_TIMEOUT) -> bool:
    """Tell whether the element of *step* hides what is typed into it."""
    return bool(_element(page, step, place, timeout).evaluate(_HIDES_TEXT))


def _element(page: Any, step: Step, place: str, timeout: float) -> Any:
    """Return the one element that the first address with exactly one match leads to.

    The better addresses are asked first each time, so a text is used only where the test id and
    the role lead nowhere.
    """
    candidates = _candidates(page, step)
    waited = 0.0
    while True:
        counts = [locator.count() for locator in candidates]
        for locator, count in zip(candidates, counts, strict=True):
            if count == 1:
                return locator
        if waited >= timeout * 1000:
            break
        page.wait_for_timeout(_LOOK)
        waited += _LOOK
    found = ", ".join(
        f"{words}: {count} elements" for words, count in zip(step.addresses, counts, strict=True)
    )
    raise CaptureError(
        f"the route was not reached: {place} found no single element",
        reason="capture-failed",
        where=f"{page.url}; {found}",
        expected=f"exactly one element within {timeout:g} s",
        next_step="look at the page, or give the element a test id",
    )


def _candidates(page: Any, step: Step) -> list[Any]:
    found = []
    if step.test_id is not None:
        found.append(page.get_by_test_id(step.test_id))
    if step.role is not None:
        named = {"name": step.name, "exact": True} if step.name is not None else {}
        found.append(page.get_by_role(step.role, **named))
    if step.text is not None:
        found.append(page.get_by_text(step.text, exact=True))
    return found


def _value(step: Step, place: str, environ: Mapping[str, str]) -> str:
    if step.env is None:
        return step.value or ""
    if step.env not in environ:
        raise CaptureError(
            f"the route was not reached: {place} needs the environment variable {step.env}",
            reason="capture-failed",
            expected=f"{step.env} to be set",
            next_step=f"export {step.env}=...",
        )
    return environ[step.env]
