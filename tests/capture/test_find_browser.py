"""Which browser is used: by name, Playwright's own, the system's, or a message with commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture import own_chromium
from pytest_pixelloop.capture.browser import (
    RENDERING_ARGUMENTS,
    BrowserChoice,
    browser_version,
    find_browser,
    launch_arguments,
)
from pytest_pixelloop.capture.own_chromium import find_own_chromium
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Mapping


def make_executable(path: Path, text: str = "#!/bin/sh\n") -> Path:
    """Write a script that may be executed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path


def wanted_revision(kind: str) -> str:
    """Return the revision that the installed Playwright asks for."""
    package = own_chromium._playwright_package()
    assert package is not None
    return next(str(b["revision"]) for b in own_chromium._read_builds(package) if b["name"] == kind)


def install_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a registry that holds both builds which the installed Playwright asks for."""
    registry = tmp_path / "registry"
    make_executable(registry / f"chromium-{wanted_revision('chromium')}/chrome-linux64/chrome")
    shell = f"chromium_headless_shell-{wanted_revision('chromium-headless-shell')}"
    path = registry / shell / "chrome-headless-shell-linux64/chrome-headless-shell"
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(registry))
    monkeypatch.delenv("PIXELLOOP_BROWSER", raising=False)
    return make_executable(path)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Make a playwright package that asks for revision 77, on an old Mac for 55."""
    path = tmp_path / "playwright" / "driver" / "package"
    path.mkdir(parents=True)
    builds: list[dict[str, Any]] = [
        {"name": "chromium", "revision": "77", "browserVersion": "150.0"},
        {
            "name": "chromium-headless-shell",
            "revision": "77",
            "browserVersion": "150.0",
            "revisionOverrides": {"mac12-arm64": "55"},
        },
        {"name": "firefox", "revision": "9"},
    ]
    (path / "browsers.json").write_text(json.dumps({"browsers": builds}), "utf-8")
    return tmp_path / "playwright"


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """Make an environment without any browser."""
    (tmp_path / "bin").mkdir(exist_ok=True)
    return {
        "PATH": str(tmp_path / "bin"),
        "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "empty"),
    }


def _find(option: str | None, environ: Mapping[str, str], **given: Any) -> BrowserChoice:
    given.setdefault("platform", "linux")
    return find_browser(option, environ=environ, home=Path("/nonexistent"), **given)


def test_option_wins_over_everything(tmp_path: Path, bare: dict[str, str]) -> None:
    """An option is used before PIXELLOOP_BROWSER and before what is installed."""
    mine = make_executable(tmp_path / "mine")
    other = make_executable(tmp_path / "bin" / "chromium")
    found = _find(str(mine), {**bare, "PIXELLOOP_BROWSER": str(other)})
    assert found.executable == str(mine)
    assert not found.managed


def test_variable_wins_over_what_is_installed(tmp_path: Path, bare: dict[str, str]) -> None:
    """PIXELLOOP_BROWSER may name a command of the PATH, and says that it was it."""
    make_executable(tmp_path / "bin" / "chromium")
    mine = make_executable(tmp_path / "bin" / "my-chromium")
    found = _find(None, {**bare, "PIXELLOOP_BROWSER": "my-chromium"})
    assert (found.executable, found.source) == (str(mine), "PIXELLOOP_BROWSER")


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_word_is_no_word(tmp_path: Path, bare: dict[str, str], empty: str | None) -> None:
    """An empty option or variable counts as absent, as CI systems pass unset variables."""
    path = make_executable(tmp_path / "bin" / "chromium")
    environ = {**bare, "PIXELLOOP_BROWSER": empty or ""}
    assert _find(empty, environ).executable == str(path)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("/nowhere/chromium", "does not exist"),
        ("no-such-command", "is no command"),
        ("{folder}", "is a folder"),
        ("{file}", "is not executable"),
    ],
)
@pytest.mark.parametrize("how", ["option", "variable"])
def test_wrong_word_is_an_error(
    tmp_path: Path, bare: dict[str, str], given: str, problem: str, how: str
) -> None:
    """A browser asked for by name that cannot be used is refused, though another one is there."""
    make_executable(tmp_path / "bin" / "chromium")
    plain = tmp_path / "plain"
    plain.write_text("", "utf-8")
    given = given.format(folder=tmp_path, file=plain)
    option, environ = (
        (given, bare) if how == "option" else (None, {**bare, "PIXELLOOP_BROWSER": given})
    )
    with pytest.raises(CaptureError, match=problem) as caught:
        _find(option, environ)
    assert caught.value.reason == "no-browser"
    assert given in caught.value.what


def test_relative_path_becomes_absolute(
    tmp_path: Path, bare: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path is made absolute: Playwright's driver runs in another folder."""
    path = make_executable(tmp_path / "tools" / "chrome")
    monkeypatch.chdir(tmp_path)
    assert _find("tools/chrome", bare).executable == str(path)


@pytest.mark.parametrize(
    "name", ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
)
def test_system_commands_are_found(tmp_path: Path, bare: dict[str, str], name: str) -> None:
    """Each usual command of a system browser is found and named."""
    path = make_executable(tmp_path / "bin" / name)
    found = _find(None, bare)
    assert found.executable == str(path)
    assert name in found.source


def test_chromium_comes_before_chrome(tmp_path: Path, bare: dict[str, str]) -> None:
    """Of several system browsers the order is fixed, not the folder's."""
    make_executable(tmp_path / "bin" / "google-chrome")
    path = make_executable(tmp_path / "bin" / "chromium")
    assert _find(None, bare).executable == str(path)


def test_script_that_only_points_to_the_snap_is_no_browser(
    tmp_path: Path, bare: dict[str, str]
) -> None:
    """A chromium-browser that only tells to install the snap is passed over."""
    make_executable(
        tmp_path / "bin" / "chromium-browser",
        "#!/bin/sh\necho sudo snap install chromium\nexit 1\n",
    )
    chrome = make_executable(tmp_path / "bin" / "google-chrome")
    assert _find(None, bare).executable == str(chrome)


def test_nothing_found_is_one_message_with_commands(bare: dict[str, str]) -> None:
    """Without any browser there is one message with every command that helps."""
    with pytest.raises(CaptureError) as caught:
        _find(None, bare)
    text = str(caught.value)
    assert caught.value.reason == "no-browser"
    for command in (
        "pixelloop browser --install",
        "playwright install chromium",
        "apt-get install chromium",
        "PIXELLOOP_BROWSER=",
    ):
        assert command in text


@pytest.mark.parametrize(
    ("platform", "headless", "relative"),
    [
        (
            "linux",
            True,
            "chromium_headless_shell-77/chrome-headless-shell-linux64/chrome-headless-shell",
        ),
        ("linux", True, "chromium_headless_shell-77/chrome-linux/headless_shell"),
        ("linux", False, "chromium-77/chrome-linux64/chrome"),
        ("linux", False, "chromium-77/chrome-linux/chrome"),
        ("linux", False, "chromium-77/chrome-linux-arm64/chrome"),
        ("darwin", False, "chromium-77/chrome-mac-arm64/Chrome.app/Contents/MacOS/Chrome"),
        (
            "darwin",
            True,
            "chromium_headless_shell-77/chrome-headless-shell-mac-x64/chrome-headless-shell",
        ),
        (
            "darwin",
            True,
            "chromium_headless_shell_mac12_arm64_special-55/chrome-mac/headless_shell",
        ),
        ("win32", False, "chromium-77/chrome-win64/chrome.exe"),
        ("win32", True, "chromium_headless_shell-77/chrome-win/headless_shell.exe"),
    ],
)
def test_own_build_is_found_where_each_version_puts_it(
    tmp_path: Path,
    package: Path,
    platform: str,
    headless: bool,  # noqa: FBT001
    relative: str,
) -> None:
    """Playwright's own build is found under every name it has had, on every system."""
    path = make_executable(tmp_path / "registry" / relative)
    found = find_own_chromium(
        environ={"PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "registry")},
        headless=headless,
        platform=platform,
        package=package,
    )
    assert found is not None
    assert (found.executable, found.version) == (path, "150.0")


@pytest.mark.parametrize(
    ("platform", "environ", "cache"),
    [
        ("linux", {}, "home/.cache"),
        ("linux", {"XDG_CACHE_HOME": "{tmp}/xdg"}, "xdg"),
        ("darwin", {}, "home/Library/Caches"),
        ("win32", {}, "home/AppData/Local"),
        ("win32", {"LOCALAPPDATA": "{tmp}/local"}, "local"),
    ],
)
def test_default_registry_of_each_system(
    tmp_path: Path, package: Path, platform: str, environ: dict[str, str], cache: str
) -> None:
    """Without PLAYWRIGHT_BROWSERS_PATH the registry is looked for in the system's cache."""
    folder = {"linux": "chrome-linux/chrome", "win32": "chrome-win/chrome.exe"}.get(
        platform, "chrome-mac/Chromium.app/Contents/MacOS/Chromium"
    )
    path = make_executable(tmp_path / cache / "ms-playwright" / "chromium-77" / folder)
    found = find_own_chromium(
        environ={k: v.format(tmp=tmp_path) for k, v in environ.items()},
        headless=False,
        platform=platform,
        home=tmp_path / "home",
        package=package,
    )
    assert found is not None
    assert found.executable == path


def test_registry_inside_the_package(package: Path) -> None:
    """PLAYWRIGHT_BROWSERS_PATH=0 means inside the package, as Playwright reads it."""
    path = make_executable(
        package / "driver/package/.local-browsers/chromium-77/chrome-linux/chrome"
    )
    found = find_own_chromium(
        environ={"PLAYWRIGHT_BROWSERS_PATH": "0"}, headless=False, platform="linux", package=package
    )
    assert found is not None
    assert found.executable == path


@pytest.mark.parametrize(
    "relative",
    ["chromium-76/chrome-linux/chrome", "chromium-77/chrome-linux/README"],
    ids=["another revision", "no executable"],
)
def test_other_build_is_not_ours(tmp_path: Path, package: Path, relative: str) -> None:
    """A build that this Playwright would not launch is not found."""
    make_executable(tmp_path / "registry" / relative)
    found = find_own_chromium(
        environ={"PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "registry")},
        headless=False,
        platform="linux",
        package=package,
    )
    assert found is None


@pytest.mark.parametrize("text", ["", "[]", '{"browsers": 3}', '{"browsers": [3, {}]}'])
def test_unknown_registry_format_is_no_build(package: Path, text: str) -> None:
    """A browsers.json that says something else counts as nothing installed."""
    (package / "driver/package/browsers.json").write_text(text, "utf-8")
    assert find_own_chromium(environ={}, home=package, package=package) is None


def test_own_build_wins_over_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bare: dict[str, str]
) -> None:
    """The installed Playwright's own build is used before a system browser, and Playwright's."""
    shell = install_own(tmp_path, monkeypatch)
    make_executable(tmp_path / "bin" / "chromium")
    found = _find(None, {**bare, "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "registry")})
    assert found.managed
    assert found.executable == str(shell)
    assert "executable_path" not in launch_arguments(found)
    assert browser_version(found).startswith("Chromium ")


def test_windows_programs_folder(tmp_path: Path, bare: dict[str, str]) -> None:
    """On Windows a Chrome in the programs folder is found."""
    path = make_executable(tmp_path / "Google" / "Chrome" / "Application" / "chrome.exe")
    found = _find(None, {**bare, "PROGRAMFILES": str(tmp_path)}, platform="win32")
    assert found.executable == str(path)


def test_mac_applications_folder(tmp_path: Path, bare: dict[str, str]) -> None:
    """On macOS a Chrome in the user's applications folder is found."""
    path = make_executable(
        tmp_path / "Applications" / "Google Chrome.app/Contents/MacOS/Google Chrome"
    )
    found = find_browser(None, environ=bare, platform="darwin", home=tmp_path)
    assert found.executable == str(path)


@pytest.mark.parametrize("root", [True, False])
def test_launch_arguments(root: bool) -> None:  # noqa: FBT001
    """The launch names the executable, our switches, no sandbox only for root, the user's last."""
    choice = BrowserChoice(executable="/usr/bin/some", source="a test")
    launch = launch_arguments(choice, arguments=("--mine",), needs_no_sandbox=root)
    sandbox = ["--no-sandbox"] if root else []
    assert launch == {
        "executable_path": "/usr/bin/some",
        "headless": True,
        "args": [*RENDERING_ARGUMENTS, *sandbox, "--mine"],
    }


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("#!/bin/sh\necho 'Chromium 1.2.3'\necho noise >&2\n", "Chromium 1.2.3"),
        ("#!/bin/sh\nexit 1\n", "unknown"),
        ("not a program", "unknown"),
    ],
)
@pytest.mark.skipif("os.name == 'nt'", reason="shell scripts")
def test_version_is_what_the_browser_says(tmp_path: Path, script: str, version: str) -> None:
    """The version is the browser's own word, and unknown where it says nothing."""
    path = make_executable(tmp_path / "some", script)
    assert browser_version(BrowserChoice(executable=str(path), source="a test")) == version


def test_finding_does_not_import_playwright() -> None:
    """Looking for a browser imports neither playwright nor numpy."""
    import subprocess
    import sys

    code = (
        "import os, sys\n"
        "from pytest_pixelloop.capture.browser import find_browser\n"
        "from pytest_pixelloop.core.errors import CaptureError\n"
        "try:\n    find_browser(None, environ=os.environ)\n"
        "except CaptureError:\n    pass\n"
        "print([m for m in ('playwright', 'numpy', 'PIL', 'cv2') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
