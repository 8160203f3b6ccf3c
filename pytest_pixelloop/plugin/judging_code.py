"""The code that judges, as it is installed now: this package, pytest, the browser driver, plugins.

A fixer may write wherever its user may, and so into the packages that judge its work. What this
process has imported already stays as it was, but a module that is imported later, and the next
process of the run, would act on the edit.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.plugin.goalposts import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.plugin.goalposts import FileHashes

#: What has a hand in a verdict, by the name it is imported by.
PACKAGES = (
    "pytest_pixelloop",
    "pytest",
    "_pytest",
    "pluggy",
    "pytest_playwright",
    "playwright",
    "numpy",
    "cv2",
    "PIL",
    "yaml",
)
#: Modules that Python imports by itself where they are.
STARTUP = ("sitecustomize", "usercustomize")
PREFIX = "installed:"
#: A larger file counts by its size, and within one process by its times.
MAX_HASHED = 1_000_000
_Stamp = tuple[int, int, int, int]


class JudgingCode:
    """Fingerprints of the installed code; one for a session, since only what changed is read again.

    ``hashes`` reads the files. ``path`` is where Python looks for modules, by default ``sys.path``
    at the time of each look.
    """

    def __init__(
        self,
        hashes: FileHashes,
        *,
        path: tuple[str, ...] | None = None,
        packages: tuple[str, ...] = PACKAGES,
    ) -> None:
        self._hashes = hashes
        self._path = path
        self._packages = packages
        self._first: dict[str, _Stamp] = {}

    def fingerprints(self) -> dict[str, str]:
        """Return a hash by name, ``installed:<package>`` and ``installed:plugins``; never raises.

        It tells of contents only and not of places: the same code at another place is the same.
        """
        importlib.invalidate_caches()  # a module that appeared must be found
        found = {PREFIX + name: self._package(name) for name in (*self._packages, *STARTUP)}
        found[PREFIX + "plugins"] = self._plugins()
        return found

    def _package(self, name: str) -> str:
        try:
            spec = PathFinder.find_spec(name, None if self._path is None else list(self._path))
        except (ImportError, ValueError):
            return ABSENT
        if spec is None:
            return ABSENT
        folders = list(spec.submodule_search_locations or ())
        if not folders:
            return self._whole([spec.origin] if spec.origin else [])
        return self._whole([path for folder in folders for path in _files(folder)])

    def _whole(self, paths: list[str]) -> str:
        if not paths:
            return ABSENT
        base = os.path.commonpath([os.path.dirname(path) for path in paths])  # noqa: PTH120
        whole = hashlib.sha256()
        for path in sorted(paths):
            digest = self._compiled(path) if path.endswith(".pyc") else self._digest(path)
            if digest is not None:
                name = os.path.relpath(path, base)
                whole.update(f"{name}\0{digest}\n".encode("utf-8", "surrogateescape"))
        return whole.hexdigest()

    def _compiled(self, path: str) -> str | None:
        """Return None for a compiled module, but for one that was edited since it was first seen.

        Python itself writes those that are missing, so none of them tells anything by being there.
        """
        stamp = _stamp(path)
        if stamp is None or self._first.setdefault(path, stamp) == stamp:
            return None
        return str(stamp)

    def _digest(self, path: str) -> str:
        """Return what tells a file from its later self."""
        stamp = _stamp(path)
        if stamp is None:
            return ABSENT
        if stamp[0] > MAX_HASHED:
            same = self._first.setdefault(path, stamp) == stamp
            return str(stamp[0]) if same else str(stamp)
        return self._hashes.of(Path(path))

    def _plugins(self) -> str:
        """Return a hash of what makes Python or pytest load code by itself."""
        told: set[tuple[str, str]] = set()
        for folder in dict.fromkeys(sys.path if self._path is None else self._path):
            told.update(self._announced(folder or os.curdir))
        whole = hashlib.sha256(repr(sorted(told)).encode("utf-8", "surrogatepass"))
        return whole.hexdigest()

    def _announced(self, folder: str) -> Iterator[tuple[str, str]]:
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError:
            return
        for name in names:
            if name.endswith(".pth"):
                yield name, self._digest(str(Path(folder, name)))
            elif name.endswith((".dist-info", ".egg-info")):
                yield from _entry_points(Path(folder, name, "entry_points.txt"))


def _stamp(path: str) -> _Stamp | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - strings all the way: thousands of files are asked
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _entry_points(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the plugins that a distribution announces to pytest."""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return
    _, found, rest = text.partition("[pytest11]")
    if found:
        yield "pytest11", rest.partition("\n[")[0].strip()


def _files(top: str) -> Iterator[str]:
    """Yield the files below a package's folder.

    Linked folders are not entered, so loops cannot trap it.
    """
    stack = [top]
    while stack:
        try:
            with os.scandir(stack.pop()) as entries:
                found = list(entries)
        except OSError:
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                stack.append(entry.path)
            else:
                yield entry.path
