"""Playwright's own Chromium, found on disk without starting Playwright's driver.

Playwright keeps each build in ``<registry>/chromium-<revision>`` and names the revision it wants in
``browsers.json`` inside its package; it launches a build when the executable is there. The same is
looked at here: importing playwright or starting its driver only to ask would cost half a second.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Relative to the build's folder. The first part has had several names: chrome-linux until 2025,
# chrome-linux64 and chrome-linux-arm64 since; the headless shell was called headless_shell.
_EXECUTABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "chromium": {
        "linux": ("chrome-linux*/chrome",),
        "darwin": ("chrome-mac*/*.app/Contents/MacOS/*",),
        "win32": ("chrome-win*/chrome.exe",),
    },
    "chromium-headless-shell": {
        "linux": ("chrome-*linux*/headless_shell", "chrome-*linux*/chrome-headless-shell"),
        "darwin": ("chrome-*mac*/headless_shell", "chrome-*mac*/chrome-headless-shell"),
        "win32": ("chrome-*win*/headless_shell.exe", "chrome-*win*/chrome-headless-shell.exe"),
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnChromium:
    """A build of Playwright's: where it is, and the version Playwright says it has."""

    executable: Path
    version: str | None


def find_own_chromium(
    *,
    environ: Mapping[str, str],
    headless: bool = True,
    platform: str = sys.platform,
    home: Path | None = None,
    package: Path | None = None,
) -> OwnChromium | None:
    """Return the build Playwright would launch, None when it is not installed.

    Headless launches use the headless shell where Playwright knows one, headed ones the browser.
    *package* is the folder of the playwright package (default: the one that would be imported).
    """
    package = package or _playwright_package()
    if package is None:
        return None
    builds = _read_builds(package)
    kind = "chromium"
    if headless and any(build.get("name") == "chromium-headless-shell" for build in builds):
        kind = "chromium-headless-shell"
    registry = _registry(environ, platform=platform, home=home, package=package)
    for build in builds:
        if build.get("name") != kind:
            continue
        for folder in _folders(registry, kind, build):
            executable = _executable(folder, kind, platform)
            if executable is not None:
                return OwnChromium(executable=executable, version=build.get("browserVersion"))
    return None


def _playwright_package() -> Path | None:
    # find_spec of a top-level name reads the path only, it does not import.
    spec = importlib.util.find_spec("playwright")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _read_builds(package: Path) -> list[dict[str, Any]]:
    path = package / "driver" / "package" / "browsers.json"
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    builds = document.get("browsers") if isinstance(document, dict) else None
    return [b for b in builds if isinstance(b, dict)] if isinstance(builds, list) else []


def _registry(
    environ: Mapping[str, str], *, platform: str, home: Path | None, package: Path
) -> Path:
    given = environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if given == "0":
        return package / "driver" / "package" / ".local-browsers"
    if given:
        return Path(environ.get("INIT_CWD") or Path.cwd()) / given
    home = home or Path.home()
    if platform == "darwin":
        cache = home / "Library" / "Caches"
    elif platform == "win32":
        cache = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        cache = Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
    return cache / "ms-playwright"


def _folders(registry: Path, kind: str, build: Mapping[str, Any]) -> Iterator[Path]:
    """Yield where the build may be: old systems get another revision under a special name."""
    prefix = kind.replace("-", "_")
    yield registry / f"{prefix}-{build.get('revision')}"
    overrides = build.get("revisionOverrides")
    if isinstance(overrides, dict):
        for host, revision in sorted((str(k), str(v)) for k, v in overrides.items()):
            name = f"{prefix}_{host}_special".replace("-", "_")
            yield registry / f"{name}-{revision}"


def _executable(folder: Path, kind: str, platform: str) -> Path | None:
    for pattern in _EXECUTABLES[kind].get(platform, _EXECUTABLES[kind]["linux"]):
        found = sorted(path for path in folder.glob(pattern) if path.is_file())
        if found:
            return found[0]
    return None
