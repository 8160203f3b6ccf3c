"""A Chromium of the system: on the PATH, or where macOS and Windows keep applications."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAC = (
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_WINDOWS = (
    ("Chromium", "Application", "chrome.exe"),
    ("Google", "Chrome", "Application", "chrome.exe"),
    ("Microsoft", "Edge", "Application", "msedge.exe"),
)
_WINDOWS_ROOTS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
_STUB_LIMIT = 8192


def find_system_chromium(
    *, environ: Mapping[str, str], platform: str = sys.platform, home: Path | None = None
) -> tuple[Path, str] | None:
    """Return a system browser's executable and how it was found, None when there is none."""
    for path, found in _candidates(environ, platform, home or Path.home()):
        if path.is_file() and not _is_stub(path):
            return path, found
    return None


def find_command(name: str, environ: Mapping[str, str]) -> Path | None:
    """Return the executable that *name* stands for on the PATH of *environ*."""
    found = shutil.which(name, path=environ.get("PATH", ""))
    return Path(found) if found else None


def _candidates(
    environ: Mapping[str, str], platform: str, home: Path
) -> Iterator[tuple[Path, str]]:
    for name in COMMANDS:
        path = find_command(name, environ)
        if path is not None:
            yield path, f"the command {name}"
    if platform == "darwin":
        for folder in (Path("/Applications"), home / "Applications"):
            for name in _MAC:
                yield folder / name, "the applications folder"
    if platform == "win32":
        for parts in _WINDOWS:
            for root in _WINDOWS_ROOTS:
                if environ.get(root):
                    yield Path(environ[root], *parts), "the programs folder"


def _is_stub(path: Path) -> bool:
    """Tell whether *path* only says "install the snap": Ubuntu's chromium-browser without it."""
    try:
        if path.stat().st_size > _STUB_LIMIT:
            return False
        text = path.read_bytes()
    except OSError:
        return False
    return text.startswith(b"#!") and b"snap install chromium" in text and not _has_snap()


def _has_snap() -> bool:
    return Path("/snap/bin/chromium").exists()
