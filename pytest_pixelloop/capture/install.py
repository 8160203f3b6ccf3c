"""Getting a Chromium: Playwright's download, else Debian's package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from pytest_pixelloop.capture.browser import VARIABLE, find_browser, is_root_on_linux
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_pixelloop.capture.browser import BrowserChoice

STEP_TIMEOUT = 900.0


def run_step(command: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Run *command* with its output shown, and tell whether it succeeded."""
    try:
        done = subprocess.run(list(command), env=dict(environ), timeout=STEP_TIMEOUT, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def install_browser(
    option: str | None = None,
    *,
    environ: Mapping[str, str],
    say: Callable[[str], None],
    run: Callable[[Sequence[str], Mapping[str, str]], bool] = run_step,
    may_use_apt: bool | None = None,
    find: Callable[..., BrowserChoice] = find_browser,
) -> BrowserChoice:
    """Return a browser that is there afterwards, saying every step through *say* before it.

    A browser that is found already is kept: nothing is installed. Raises CaptureError with reason
    ``no-browser`` when no step helped, or when the one that is asked for by name is wrong.
    """
    if option or environ.get(VARIABLE):
        # Installing something else would not change what is used.
        return find(option, environ=environ)
    try:
        choice = find(option, environ=environ)
    except CaptureError:
        pass
    else:
        say(f"nothing to install: {choice.executable} is there ({choice.source})")
        return choice
    if may_use_apt is None:
        may_use_apt = is_root_on_linux() and shutil.which("apt-get") is not None
    for words, steps in _ways(environ, may_use_apt=may_use_apt):
        say(words)
        for command in steps:
            say("  running: " + " ".join(command))
            if not run(command, environ):
                say("  that failed")
        try:
            return find(option, environ=environ)
        except CaptureError:
            continue
    if not may_use_apt:
        say("Debian's package is not tried: that needs root and apt-get")
    raise CaptureError(
        "no browser could be installed",
        reason="no-browser",
        where="; ".join(words for words, _ in _ways(environ, may_use_apt=may_use_apt)),
        next_step=f"install a Chromium by other means and set {VARIABLE}=/path/to/chromium",
    )


def _ways(environ: Mapping[str, str], *, may_use_apt: bool) -> list[tuple[str, list[list[str]]]]:
    ways = [
        (
            "downloading Playwright's own Chromium",
            [[sys.executable, "-m", "playwright", "install", "chromium"]],
        )
    ]
    if may_use_apt:
        prefix = [] if environ.get("DEBIAN_FRONTEND") else ["env", "DEBIAN_FRONTEND=noninteractive"]
        apt = [*prefix, "apt-get"]
        ways.append(
            (
                "installing Debian's package chromium",
                [[*apt, "update"], [*apt, "install", "--yes", "chromium"]],
            )
        )
    return ways
