"""One browser for many captures: lazily started, started again after a crash, always ended."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture.problems import (
    first_line,
    is_gone,
    is_timeout,
    playwright_error_types,
)
from pytest_pixelloop.capture.session import BrowserSession
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from pathlib import Path


class FakeError(Exception):
    """Stands for playwright.sync_api.Error."""


class TargetClosedError(FakeError):
    """Stands for Playwright's error of that name."""


class FakeBrowser:
    """A browser that may be crashed."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.alive = True
        self.answers = True

    def is_connected(self) -> bool:
        """Tell whether it lives."""
        return self.alive

    def new_browser_cdp_session(self) -> FakeBrowser:
        """Answer, unless the driver died."""
        if not self.answers:
            raise Exception("Connection closed while reading from the driver")  # noqa: TRY002
        return self

    def detach(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """End it; a crashed one complains."""
        self.world.events.append("close browser")
        if not self.alive:
            raise FakeError("Browser has been closed")
        self.alive = False


class World:
    """Playwright, as far as a session sees it; records what is started and ended."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.launches: list[dict[str, Any]] = []
        self.browsers: list[FakeBrowser] = []
        self.refuses = 0
        self.chromium = self

    def start(self) -> World:
        """Start Playwright."""
        self.events.append("start playwright")
        return self

    def launch(self, **options: Any) -> FakeBrowser:
        """Launch a browser."""
        self.launches.append(options)
        if self.refuses:
            self.refuses -= 1
            raise FakeError(
                "BrowserType.launch: Error: missing library libnss3.so\nlog of 100 lines"
            )
        self.events.append("launch")
        self.browsers.append(FakeBrowser(self))
        return self.browsers[-1]

    def stop(self) -> None:
        """End Playwright."""
        self.events.append("stop playwright")


@pytest.fixture(autouse=True)
def fake_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the fake error where Playwright's would be."""
    module = ModuleType("playwright.sync_api")
    module.Error = FakeError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "playwright.sync_api", module)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Name a browser that is never really started."""
    path = tmp_path / "chromium"
    path.touch(0o755)
    return {"PIXELLOOP_BROWSER": str(path)}


def _session(world: World, environ: dict[str, str], **given: Any) -> BrowserSession:
    return BrowserSession(environ=environ, start=world.start, **given)


def test_nothing_is_started_before_a_browser_is_asked_for(environ: dict[str, str]) -> None:
    """A session that is never used starts nothing and ends nothing."""
    world = World()
    with _session(world, environ):
        pass
    assert world.events == []


def test_one_browser_serves_many_calls(environ: dict[str, str]) -> None:
    """However often it is asked for, the browser is started once, and ended with the session."""
    world = World()
    with _session(world, environ, arguments=("--mine",)) as session:
        assert len({id(session.browser) for _ in range(1000)}) == 1
    assert world.events == ["start playwright", "launch", "close browser", "stop playwright"]
    assert world.launches[0]["executable_path"] == environ["PIXELLOOP_BROWSER"]
    assert world.launches[0]["args"][-1] == "--mine"


@pytest.mark.parametrize("what", ["alive", "answers"])
def test_a_crashed_browser_is_replaced(environ: dict[str, str], what: str) -> None:
    """After a crash of browser or driver the next call starts both anew."""
    world = World()
    with _session(world, environ) as session:
        first = session.browser
        setattr(first, what, False)
        second = session.browser
        assert second is not first
        assert session.browser is second
    assert world.events.count("launch") == world.events.count("start playwright") == 2
    assert world.events[-2:] == ["close browser", "stop playwright"]


def test_a_browser_that_does_not_start_is_an_error(environ: dict[str, str]) -> None:
    """A launch that fails is no-browser with its reason in one line, and Playwright is ended."""
    world = World()
    world.refuses = 1
    session = _session(world, environ)
    with pytest.raises(CaptureError, match=r"started: missing library libnss3\.so\n") as caught:
        _ = session.browser
    assert caught.value.reason == "no-browser"
    assert world.events == ["start playwright", "stop playwright"]
    assert session.browser.is_connected(), "the next call tries anew"


def test_no_browser_at_all_starts_nothing(tmp_path: Path) -> None:
    """Without a browser Playwright is not even started."""
    world = World()
    with pytest.raises(CaptureError):
        _ = _session(world, {"PIXELLOOP_BROWSER": str(tmp_path / "nowhere")}).browser
    assert world.events == []


def test_closing_twice_is_fine(environ: dict[str, str]) -> None:
    """close() may be called at any time and again; the session starts anew when it is used."""
    world = World()
    session = _session(world, environ)
    session.close()
    _ = session.browser
    session.close()
    session.close()
    _ = session.browser
    assert world.events.count("launch") == 2


def test_errors_are_recognised_without_importing_playwright(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Playwright's error is found when Playwright was imported, and nothing otherwise."""
    assert playwright_error_types() == (FakeError,)
    monkeypatch.delitem(sys.modules, "playwright.sync_api")
    assert playwright_error_types() == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Page.goto: net::ERR_FAILED at x\nCall log:\n - a", "net::ERR_FAILED at x"),
        ("Locator.wait_for: Error: strict mode violation", "strict mode violation"),
        ("plain words", "plain words"),
        ("", "FakeError"),
    ],
)
def test_first_line(text: str, line: str) -> None:
    """An error of Playwright's is one line without the name of its call."""
    assert first_line(FakeError(text)) == line


@pytest.mark.parametrize(
    ("error", "gone"),
    [
        (TargetClosedError("anything"), True),
        (FakeError("Target page, context or browser has been closed"), True),
        (FakeError("Page.goto: Page crashed"), True),
        (FakeError("Target crashed"), True),
        (FakeError("Connection closed while reading from the driver"), True),
        (FakeError("net::ERR_CONNECTION_REFUSED"), False),
        (FakeError("Page.goto: net::ERR_CONNECTION_CLOSED at http://localhost/"), False),
        (FakeError("Timeout 5000ms exceeded."), False),
    ],
)
def test_a_lost_browser_is_told_from_other_errors(error: Exception, *, gone: bool) -> None:
    """Only a page or browser that went away is worth another try."""
    assert is_gone(error) is gone
    assert not is_timeout(error)
