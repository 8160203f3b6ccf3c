"""A page that is left while it is captured: told as that, and without credentials."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Error

from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.errors import CaptureError

LEFT = "Page.evaluate: Execution context was destroyed, most likely because of a navigation"
ODD = "Page.evaluate: TypeError: Promise is not a constructor"


class _Page:
    """A page on which every call fails as Playwright's would."""

    url = "http://user:secret@localhost:5173/checkout"

    def __init__(self, message: str) -> None:
        self._message = message

    def __getattr__(self, name: str) -> Any:
        def fail(*_: object, **__: object) -> None:
            raise Error(self._message)

        return fail


@pytest.mark.parametrize(
    ("message", "told"), [(LEFT, "page.wait_for_url"), (ODD, "Promise is not a constructor")]
)
def test_a_failing_page_is_named_without_its_password(message: str, told: str) -> None:
    """Navigation during a capture says what to type; any failure names the page, not its user."""
    with pytest.raises(CaptureError) as caught:
        capture_target(_Page(message), frame=(400, 300), scale=1)
    text = str(caught.value)
    assert caught.value.status == "undetermined:capture-failed"
    assert told in text
    assert "localhost:5173/checkout" in text
    assert "secret" not in text
