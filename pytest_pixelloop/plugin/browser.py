"""pytest-playwright's ``browser`` without a conftest: the launch gets the browser that is there.

``launch_browser`` is wrapped and not ``browser_type_launch_args``: a user who overrides the latter
with a dictionary of their own gets a browser too, and what they say wins.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@pytest.fixture(scope="session")
def launch_browser(
    launch_browser: Callable[..., Any],
    browser_type: Any,
    browser_type_launch_args: Mapping[str, Any],
    connect_options: Mapping[str, Any] | None,
    pytestconfig: pytest.Config,
) -> Callable[..., Any]:
    """Launch as pytest-playwright does, with an executable and arguments where none are given."""

    def launch(**given: Any) -> Any:
        said = {**browser_type_launch_args, **given}
        if connect_options or browser_type.name != "chromium":
            return launch_browser(**given)
        return launch_browser(**{**_additions(said, pytestconfig), **given})

    return launch


def _additions(said: Mapping[str, Any], config: pytest.Config) -> dict[str, Any]:
    """Return what the launch lacks; nothing when the user named a browser of their own."""
    if said.get("executable_path") or said.get("channel"):
        return {}
    from pytest_pixelloop.capture.browser import (  # noqa: PLC0415
        find_browser,
        launch_arguments,
    )
    from pytest_pixelloop.core.errors import CaptureError  # noqa: PLC0415

    headless = said.get("headless", True) is not False
    option: str | None = config.getoption("pixelloop_browser", None) or None
    try:
        choice = find_browser(option, environ=os.environ, headless=headless)
    except CaptureError as error:
        # A test that cannot get a browser is no failed comparison: say what to type, no traceback.
        pytest.fail(str(error), pytrace=False)
    return launch_arguments(choice, arguments=said.get("args") or (), headless=headless)
