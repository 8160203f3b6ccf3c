"""Remote browsers, and those that only know Playwright's own calls: the same pictures."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from trouble_pages import FRAME, TROUBLES, Trouble, take

from pytest_pixelloop.capture.browser import find_browser, launch_arguments
from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.unstable import Cause, UnstableCaptureError
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.store.images import encode_png

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_pixelloop.capture.session import BrowserSession

    Open = Callable[..., Any]

#: What each way of taking a picture has to get right: sizes, frames, tiles, what moves and waits.
SAME = (
    "late font",
    "GIF",
    "sticky header over 12,000 px",
    "infinite CSS animation",
    "iframe",
    "shadow DOM",
    "right to left",
    "20,000 px",
    "scale 1.5",
    "requestAnimationFrame animation",
)


@pytest.fixture
def playwright_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take pictures as in Firefox and WebKit: no protocol of the browser's own."""
    monkeypatch.setattr("pytest_pixelloop.capture.camera.browser_name", lambda _: "firefox")


@pytest.fixture(scope="module")
def remote() -> Iterator[str]:
    """Start a Playwright server with a browser in a process of its own and give its address."""
    try:
        choice = find_browser(None, environ=os.environ)
    except CaptureError as error:
        pytest.skip(str(error))
    launch = launch_arguments(choice)
    settings = {"args": launch["args"], "headless": True, "host": "127.0.0.1", "port": 0}
    if "executable_path" in launch:
        settings["executablePath"] = launch["executable_path"]
    command = [sys.executable, "-m", "playwright", "launch-server", "--browser=chromium"]
    with subprocess.Popen(
        [*command, "--config=/dev/stdin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(settings))
        server.stdin.close()
        found = re.search(r"ws://\S+", server.stdout.readline())
        try:
            if found is None:
                pytest.fail("the Playwright server gave no address")
            yield found.group(0)
        finally:
            if hasattr(os, "killpg"):  # the command is a Python that waits for the server itself
                os.killpg(server.pid, signal.SIGTERM)
            else:
                server.terminate()


@pytest.mark.parametrize("trouble", [t for t in TROUBLES if t.name in SAME], ids=lambda t: t.name)
@pytest.mark.usefixtures("playwright_only")
def test_playwrights_own_calls_do_as_well(
    site: str, session: BrowserSession, trouble: Trouble
) -> None:
    """Without the browser's protocol a page is right, alike, or refused with the same cause."""
    outcomes = [take(trouble, site=site, browser=session.browser) for _ in range(2)]
    assert [o.wrong for o in outcomes] == [(), ()]
    assert len({o.picture for o in outcomes}) == 1


@pytest.mark.parametrize("name", ["scale.html", "shadow.html", "fixed-header.html", "rtl.html"])
def test_both_ways_give_the_same_pixels(
    site: str, open_page: Open, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A page in another viewport than its own gives the same picture in either way."""
    page = open_page(f"{site}/{name}", viewport={"width": 500, "height": 400})
    through_protocol = capture_target(page, frame=FRAME, scale=1)
    monkeypatch.setattr("pytest_pixelloop.capture.camera.browser_name", lambda _: "webkit")
    through_playwright = capture_target(page, frame=FRAME, scale=1)
    np.testing.assert_array_equal(through_protocol.image, through_playwright.image)
    assert page.viewport_size == {"width": 500, "height": 400}


def test_protocol_that_is_refused_is_done_without(
    site: str, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Chromium that lets nobody talk in its protocol is captured through Playwright's calls."""
    page = open_page(f"{site}/scale.html", viewport={"width": 500, "height": 400})
    expected = capture_target(page, frame=FRAME, scale=1)

    def refuse(_: object) -> Any:
        from playwright.sync_api import Error

        raise Error("Protocol error: not allowed")

    monkeypatch.setattr(page.context, "new_cdp_session", refuse)
    found = capture_target(page, frame=FRAME, scale=1)
    np.testing.assert_array_equal(found.image, expected.image)
    with pytest.raises(CaptureError, match="device_scale_factor"):
        capture_target(page, frame=FRAME, scale=2)


@pytest.mark.parametrize(("frame", "scale"), [(FRAME, 1.0), ((600.0, 403.0), 2.0)])
def test_remote_browser_gives_the_same_picture(
    site: str, session: BrowserSession, remote: str, frame: tuple[float, float], scale: float
) -> None:
    """A browser behind a Playwright server gives the pixels and the fingerprint of a local one."""
    far = session.browser.browser_type.connect(remote)
    pages = [browser.new_page() for browser in (session.browser, far)]
    captures = []
    for page in pages:
        page.goto(f"{site}/scale.html")
        captures.append(capture_target(page, frame=frame, scale=scale))
    near_one, far_one = captures
    np.testing.assert_array_equal(near_one.image, far_one.image)
    assert near_one.environment["fingerprint"] == far_one.environment["fingerprint"]
    url = f"{site}/script-animation.html"
    with pytest.raises(UnstableCaptureError) as caught:
        capture_target(
            url, frame=FRAME, scale=1, browser=lambda: far, options=CaptureOptions(timeout=1)
        )
    assert caught.value.cause is Cause.SCRIPT_ANIMATION
    pages[0].close()
    far.close()


def test_visual_test_with_connect_options(
    site: str, session: BrowserSession, remote: str, pytester: pytest.Pytester
) -> None:
    """pytest-playwright's connect_options leads a visual test to the remote browser."""
    design = capture_target(
        f"{site}/disabled.html", frame=FRAME, scale=1, browser=lambda: session.browser
    )
    folder = pytester.mkdir("designs")
    (folder / "form.png").write_bytes(encode_png(design.image))
    (folder / "designs.yaml").write_text(
        "schema_version: 1\ndesigns:\n  form: {image: form.png, scale: 1}\n", encoding="utf-8"
    )
    pytester.makeini("[pytest]\n")
    pytester.makeconftest(
        "import inspect\nimport pytest\nfrom playwright.sync_api import BrowserType\n\n"
        # The name of the address has changed between versions of Playwright.
        "NAME = list(inspect.signature(BrowserType.connect).parameters)[1]\n\n"
        "@pytest.fixture(scope='session')\ndef connect_options():\n"
        f"    return {{NAME: {remote!r}}}\n"
    )
    pytester.makepyfile(
        "def test_form(page, assert_matches_design):\n"
        f"    page.goto({site + '/disabled.html'!r})\n"
        "    assert_matches_design(page, 'form')\n"
        f"    assert_matches_design({site + '/disabled.html'!r}, 'form')\n"
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    reports = sorted(_reports(pytester.path))
    assert len(reports) == 2
    for report in reports:
        fingerprint = json.loads(report.read_text("utf-8"))["environment"]["fingerprint"]
        assert fingerprint == design.environment["fingerprint"]


def _reports(folder: Path) -> list[Path]:
    return list(folder.glob(".pixelloop/runs/*/tests/*/diff/00/*.report.json"))
