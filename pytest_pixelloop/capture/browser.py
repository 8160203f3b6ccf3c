"""Which Chromium is used, and with which arguments it is launched."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.own_chromium import find_own_chromium
from pytest_pixelloop.capture.system_chromium import COMMANDS, find_command, find_system_chromium
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VARIABLE = "PIXELLOOP_BROWSER"

RENDERING_ARGUMENTS = ("--disable-lcd-text",)
"""What Playwright does not say already and what changes pixels: without it, a machine whose fonts
are set up for an LCD panel renders text with coloured edges, and no other machine's picture is the
same. ``--hide-scrollbars`` and ``--force-color-profile=srgb`` are Playwright's own. Measured with
Chromium 156: ``--font-render-hinting`` in any setting changes no pixel, so it is not here."""

_ADVICE = (
    "pixelloop browser --install, or playwright install chromium, "
    f"or apt-get install chromium, or {VARIABLE}=/path/to/chromium"
)
_VERSION_TIMEOUT = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserChoice:
    """The Chromium that is used, and how it was found.

    ``managed`` means that it is Playwright's own build, which Playwright launches by itself.
    ``source`` completes "found by ...". ``version`` is known without a launch only for ``managed``.
    """

    executable: str
    source: str
    managed: bool = False
    version: str | None = None


def find_browser(
    option: str | None,
    *,
    environ: Mapping[str, str],
    headless: bool = True,
    platform: str = sys.platform,
    home: Path | None = None,
) -> BrowserChoice:
    """Return the browser: *option*, else PIXELLOOP_BROWSER, Playwright's own, the system's.

    What is asked for by name and cannot be used is an error, never replaced by another browser.
    Raises CaptureError with reason ``no-browser``, naming the commands that help.
    """
    for given, source in (
        (option, "the option for the browser"),
        (environ.get(VARIABLE), VARIABLE),
    ):
        if given and given.strip():
            return BrowserChoice(
                executable=_asked_for(given.strip(), source, environ), source=source
            )
    own = find_own_chromium(environ=environ, headless=headless, platform=platform, home=home)
    if own is not None:
        return BrowserChoice(
            executable=str(own.executable),
            source="Playwright's own Chromium",
            managed=True,
            version=own.version,
        )
    system = find_system_chromium(environ=environ, platform=platform, home=home)
    if system is not None:
        return BrowserChoice(executable=str(system[0]), source=system[1])
    raise CaptureError(
        "no Chromium was found",
        reason="no-browser",
        where=f"{VARIABLE}, Playwright's own, the commands {', '.join(COMMANDS)}",
        next_step=_ADVICE,
    )


def _asked_for(given: str, source: str, environ: Mapping[str, str]) -> str:
    path = Path(given).expanduser()
    if path.is_file():
        if os.access(path, os.X_OK):
            return str(path.absolute())
        problem = "is not executable"
    elif path.is_dir():
        problem = "is a folder"
    elif (command := find_command(given, environ)) is not None:
        return str(command)
    else:
        problem = "does not exist" if os.sep in given or "/" in given else "is no command"
    raise CaptureError(
        f"the browser {given!r} {problem}",
        reason="no-browser",
        where=source,
        expected="the executable of a Chromium, or a command on the PATH",
        next_step=f"correct it, or leave it away; {_ADVICE}",
    )


def launch_arguments(
    choice: BrowserChoice,
    *,
    arguments: Sequence[str] = (),
    headless: bool = True,
    needs_no_sandbox: bool | None = None,
) -> dict[str, Any]:
    """Return the keyword arguments of Playwright's ``chromium.launch`` for *choice*.

    The user's *arguments* come last, so that they win. Chromium's sandbox cannot be used by root
    on Linux and is switched off there; elsewhere Playwright's own default is left alone.
    """
    if needs_no_sandbox is None:
        needs_no_sandbox = is_root_on_linux()
    sandbox = ("--no-sandbox",) if needs_no_sandbox else ()
    launch: dict[str, Any] = {
        "headless": headless,
        "args": [*RENDERING_ARGUMENTS, *sandbox, *arguments],
    }
    if not choice.managed:
        launch["executable_path"] = choice.executable
    return launch


def is_root_on_linux() -> bool:
    """Tell whether this process is one for which Chromium refuses to start with its sandbox."""
    return sys.platform.startswith("linux") and os.geteuid() == 0


def browser_version(choice: BrowserChoice) -> str:
    """Return the version of *choice* in its own words, ``unknown`` when it does not say."""
    if choice.version:
        return f"Chromium {choice.version}"
    path = Path(choice.executable)
    if sys.platform == "win32":
        # chrome.exe --version opens a window there; its folder holds one named by the version.
        names = sorted(p.name for p in path.parent.glob("*.*.*.*") if p.is_dir())
        return names[-1] if names else "unknown"
    try:
        done = subprocess.run(
            [choice.executable, "--version"],
            capture_output=True,
            text=True,
            timeout=_VERSION_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip() or "unknown"
