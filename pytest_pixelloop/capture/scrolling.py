"""Where a page is scrolled to while it is captured, and scrolling through it for lazy content."""

from __future__ import annotations

import contextlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.problems import playwright_error_types
from pytest_pixelloop.capture.view import read_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_STEPS = 200
"""Screens of a page that is scrolled through: one that loads more at its end has no end."""
STEP_PAUSE = 0.1
"""Seconds a screen: two frames for an intersection observer, and the start of a request."""

_STEP = """(y) => {
  window.scrollTo({ left: scrollX, top: y, behavior: 'instant' });
  const root = document.scrollingElement || document.documentElement;
  return { top: scrollY, height: root ? root.scrollHeight : innerHeight, view: innerHeight };
}"""


@contextmanager
def scrolled(page: Any, *, to_top: bool) -> Iterator[None]:
    """Put the page's scroll offset back afterwards; meanwhile the page is at its top if asked for.

    A full page with a fixed header is only right from the top.
    """
    x, y = read_view(page).scroll
    if to_top and (x or y):
        page.evaluate(scripts.SCROLL, [0, 0])
    try:
        yield
    finally:
        with contextlib.suppress(*playwright_error_types()):
            page.evaluate(scripts.SCROLL, [x, y])


def scroll_through(page: Any, *, sleep: Callable[[float], None]) -> list[str]:
    """Show every screen of *page* once, from its top to its end, and go back to where it was.

    Returns a warning when the page grew for as long as it was scrolled.
    """
    x, y = read_view(page).scroll
    state = page.evaluate(_STEP, 0)
    steps, end = 0, False
    while not end and steps < MOST_STEPS:
        sleep(STEP_PAUSE)
        steps += 1
        below = state["top"] + state["view"]
        end = below >= state["height"] - 1
        if not end:
            state = page.evaluate(_STEP, below)
        else:  # what came meanwhile may have made the page longer
            state = page.evaluate(_STEP, state["top"])
            end = state["top"] + state["view"] >= state["height"] - 1
    page.evaluate(scripts.SCROLL, [x, y])
    sleep(STEP_PAUSE)
    if end:
        return []
    said = (
        f"the page still grew after {MOST_STEPS} screens of scrolling through it: "
        f"it is {state['height']} px high by now"
    )
    return [said]
