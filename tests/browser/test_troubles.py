"""Each page of trouble is captured right and alike, or refused with the cause named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from trouble_pages import FRAME, TROUBLES, Trouble, take

if TYPE_CHECKING:
    from pytest_pixelloop.capture.session import BrowserSession

#: `python -m benchmarks.captures` takes twenty.
TIMES = 2


@pytest.mark.parametrize("trouble", TROUBLES, ids=[t.name.replace(" ", "-") for t in TROUBLES])
def test_page_of_trouble(site: str, session: BrowserSession, trouble: Trouble) -> None:
    """Right, and the same each time; or the cause by its class, with the element that moves."""
    browser = session.browser
    context = browser.new_context(viewport={"width": int(FRAME[0]), "height": int(FRAME[1])})
    page: Any = None
    if trouble.steps is not None:
        page = context.new_page()
        page.goto(f"{site}/{trouble.page}")
    outcomes = [take(trouble, site=site, browser=browser, page=page) for _ in range(TIMES)]
    context.close()
    for outcome in outcomes:
        assert outcome.wrong == ()
    assert len({o.picture for o in outcomes}) == 1, "not the same each time"
