"""pytest-playwright's browser fixture finds the Chromium that is there, and yields to the user."""

from __future__ import annotations

import ast
import os
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.capture import own_chromium
from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("pytest_playwright")


def _no_browser() -> bool:
    try:
        find_browser(None, environ=os.environ)
    except CaptureError:
        return True
    return False


needs_browser = pytest.mark.skipif(_no_browser(), reason="no Chromium: pixelloop browser")

# Stands in for the browser type, so that the launch itself can be looked at.
LAUNCH = """
import json
import pytest

class FakeType:
    name = "chromium"
    def launch(self, **options):
        return ("launched", options)
    def connect(self, *args, **options):
        return ("connected", options)

@pytest.fixture(scope="session")
def browser_type(browser_name):
    fake = FakeType()
    fake.name = browser_name
    return fake
"""
SHOW = """
def test_launch(launch_browser, browser_name):
    how, options = launch_browser()
    print("LAUNCH", browser_name, how, options)
"""
USES_PAGE = """
def test_page(page):
    page.set_content("<h1>found</h1>")
    assert page.inner_text("h1") == "found"
"""


@pytest.fixture
def executable(tmp_path: Path) -> Path:
    """Make a file that can be executed and is no browser: nothing here starts it."""
    path = tmp_path / "some-chromium"
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def no_own_chromium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty Playwright's registry: what the developer has installed does not matter."""
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "registry"))
    monkeypatch.delenv("PIXELLOOP_BROWSER", raising=False)


def _run(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    # In a process of its own: a second synchronous Playwright cannot start in this one.
    return pytester.run(sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", *args)


def _launches(result: pytest.RunResult) -> list[str]:
    found = [line.partition("LAUNCH ")[2] for line in result.outlines if "LAUNCH " in line]
    assert found, result.stdout.str() + result.stderr.str()
    return found


@needs_browser
@pytest.mark.parametrize(
    "order",
    [
        (),
        ("-p", "pixelloop", "-p", "playwright"),
        ("-p", "playwright", "-p", "pixelloop"),
    ],
    ids=["entry points", "ours first", "theirs first"],
)
@pytest.mark.usefixtures("no_own_chromium")
def test_page_works_without_conftest(pytester: pytest.Pytester, order: tuple[str, ...]) -> None:
    """A test that asks for ``page`` gets one without a conftest, in whatever order plugins load."""
    pytester.makepyfile(USES_PAGE)
    _run(pytester, *order).assert_outcomes(passed=1)


@pytest.mark.usefixtures("no_own_chromium")
def test_executable_and_switches_are_added(pytester: pytest.Pytester, executable: Path) -> None:
    """The launch gets the resolved executable and the switches of our own captures."""
    pytester.makeconftest(LAUNCH)
    pytester.makepyfile(SHOW)
    (line,) = _launches(_run(pytester, f"--pixelloop-browser={executable}"))
    assert repr(str(executable)) in line
    assert "--disable-lcd-text" in line


@pytest.mark.usefixtures("no_own_chromium")
def test_ini_names_the_browser(pytester: pytest.Pytester, executable: Path) -> None:
    """The ini key names the browser where no option does."""
    pytester.makeconftest(LAUNCH)
    pytester.makepyfile(SHOW)
    pytester.makeini(f"[pytest]\npixelloop_browser = {executable}\n")
    (line,) = _launches(_run(pytester))
    assert repr(str(executable)) in line


@pytest.mark.usefixtures("no_own_chromium")
def test_environment_names_the_browser(
    pytester: pytest.Pytester, executable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PIXELLOOP_BROWSER serves the fixture too."""
    monkeypatch.setenv("PIXELLOOP_BROWSER", str(executable))
    pytester.makeconftest(LAUNCH)
    pytester.makepyfile(SHOW)
    (line,) = _launches(_run(pytester))
    assert repr(str(executable)) in line


@pytest.mark.parametrize(
    ("override", "kept"),
    [
        pytest.param(
            '{**browser_type_launch_args, "slow_mo": 5}', "'slow_mo': 5", id="extends ours"
        ),
        pytest.param('{"slow_mo": 5}', "'slow_mo': 5", id="a dictionary of its own"),
        pytest.param('{"args": ["--mine"]}', "'--mine'", id="switches of its own"),
    ],
)
@pytest.mark.usefixtures("no_own_chromium")
def test_users_arguments_are_kept_and_completed(
    pytester: pytest.Pytester, executable: Path, override: str, kept: str
) -> None:
    """A user's launch arguments stay as they are and still get a browser."""
    pytester.makeconftest(
        LAUNCH
        + f"""
@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {override}
"""
    )
    pytester.makepyfile(SHOW)
    (line,) = _launches(_run(pytester, f"--pixelloop-browser={executable}"))
    assert kept in line
    assert repr(str(executable)) in line
    assert line.count("--disable-lcd-text") == 1


@pytest.mark.parametrize(
    "override",
    ['{"executable_path": "/theirs"}', '{"channel": "msedge"}'],
    ids=["executable", "channel"],
)
@pytest.mark.usefixtures("no_own_chromium")
def test_users_browser_wins(pytester: pytest.Pytester, executable: Path, override: str) -> None:
    """A browser that the user's own fixture chooses is launched exactly as they say."""
    pytester.makeconftest(
        LAUNCH
        + f"""
@pytest.fixture(scope="session")
def browser_type_launch_args():
    return {override}
"""
    )
    pytester.makepyfile(SHOW)
    (line,) = _launches(_run(pytester, f"--pixelloop-browser={executable}"))
    assert line == f"chromium launched {ast.literal_eval(override)}"


@pytest.mark.usefixtures("no_own_chromium")
def test_channel_option_is_left_alone(pytester: pytest.Pytester) -> None:
    """--browser-channel chooses a browser: nothing is added."""
    pytester.makeconftest(LAUNCH)
    pytester.makepyfile(SHOW)
    (line,) = _launches(_run(pytester, "--browser-channel=chrome"))
    assert line == "chromium launched {'channel': 'chrome'}"


@pytest.mark.usefixtures("no_own_chromium")
def test_other_engines_are_left_alone(pytester: pytest.Pytester, executable: Path) -> None:
    """Firefox and WebKit get nothing of ours, also beside Chromium in one session."""
    pytester.makeconftest(LAUNCH)
    pytester.makepyfile(
        SHOW
        + """
def test_arguments(browser_type_launch_args, browser_name):
    print("LAUNCH", browser_name, "arguments", browser_type_launch_args)
"""
    )
    lines = _launches(
        _run(
            pytester,
            f"--pixelloop-browser={executable}",
            *("--browser=chromium", "--browser=firefox", "--browser=webkit"),
        )
    )
    assert len(lines) == 6
    for line in lines:
        assert (str(executable) in line) == line.startswith("chromium")
        assert ("--disable-lcd-text" in line) == line.startswith("chromium")


@pytest.mark.usefixtures("no_own_chromium")
def test_remote_browser_is_left_alone(pytester: pytest.Pytester, executable: Path) -> None:
    """A remote browser is not told about an executable of this machine."""
    pytester.makeconftest(
        LAUNCH
        + """
@pytest.fixture(scope="session")
def connect_options():
    return {"ws_endpoint": "ws://somewhere"}
"""
    )
    pytester.makepyfile(SHOW)
    (line,) = _launches(_run(pytester, f"--pixelloop-browser={executable}"))
    assert "connected" in line
    assert str(executable) not in line


@pytest.mark.skipif(sys.platform != "linux", reason="writes a registry as Linux has it")
def test_own_chromium_is_left_to_playwright(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Playwright's own build is installed, Playwright chooses between its two kinds."""
    package = own_chromium._playwright_package()
    assert package is not None
    for build in own_chromium._read_builds(package):
        folder = f"{build['name'].replace('-', '_')}-{build['revision']}"
        for name in ("chrome-linux/chrome", "chrome-linux/headless_shell"):
            path = tmp_path / "registry" / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "registry"))
    monkeypatch.delenv("PIXELLOOP_BROWSER", raising=False)
    pytester.makeconftest(LAUNCH)
    pytester.makepyfile(SHOW)
    (line,) = _launches(_run(pytester))
    assert "executable_path" not in line
    assert line.count("--disable-lcd-text") == 1


@pytest.mark.usefixtures("no_own_chromium")
def test_no_browser_is_one_message(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any browser a test that needs one ends with the commands to type, no traceback."""
    monkeypatch.setenv("PATH", str(tmp_path))
    pytester.makepyfile(USES_PAGE)
    result = _run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no Chromium was found*", "*pixelloop browser --install*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*playwright install*ms-playwright*")


@pytest.mark.usefixtures("no_own_chromium")
def test_wrong_browser_is_not_replaced(pytester: pytest.Pytester) -> None:
    """A wrong --pixelloop-browser is an error that names it, never another browser."""
    pytester.makepyfile(USES_PAGE)
    result = _run(pytester, "--pixelloop-browser=/nowhere/chromium")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*'/nowhere/chromium' does not exist*"])


def test_without_pytest_playwright_nothing_is_registered(pytester: pytest.Pytester) -> None:
    """``-p no:playwright`` works: no fixture of ours stands in the way."""
    pytester.makepyfile(
        """
import sys

def test_plain(request, pytestconfig):
    assert "launch_browser" not in request.session._fixturemanager._arg2node2fixturedefs \
        if hasattr(request.session._fixturemanager, "_arg2node2fixturedefs") \
        else "launch_browser" not in request.session._fixturemanager._arg2fixturedefs
    assert "playwright" not in sys.modules
"""
    )
    _run(pytester, "-p", "no:playwright").assert_outcomes(passed=1)


@needs_browser
@pytest.mark.usefixtures("no_own_chromium")
def test_persistent_context_of_the_users_own(pytester: pytest.Pytester) -> None:
    """A fixture that launches with ``browser_type_launch_args`` by itself finds the browser."""
    pytester.makeconftest(
        """
import pytest

@pytest.fixture
def context(browser_type, browser_type_launch_args, tmp_path):
    context = browser_type.launch_persistent_context(str(tmp_path), **browser_type_launch_args)
    yield context
    context.close()
"""
    )
    pytester.makepyfile(USES_PAGE)
    _run(pytester).assert_outcomes(passed=1)
