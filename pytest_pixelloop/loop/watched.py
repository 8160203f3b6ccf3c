"""The sources a fixer may edit, fingerprinted by content: did anything change, and what."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: Folders that hold no sources, by name. Virtual environments are known by their pyvenv.cfg.
IGNORED_NAMES = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".pixelloop",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        ".cache",
        ".parcel-cache",
        ".vite",
        "__pycache__",
        "node_modules",
        "test-results",
        "playwright-report",
    }
)
MAX_FILES = 20_000
MAX_BYTES = 500_000_000
#: Above this size a file is told apart by size and times only.
MAX_HASHED = 16_000_000
#: Two writes within this time may leave the same time stamp: such a file is read again.
_RACY_NS = 2_000_000_000

_Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedSources:
    """Where the sources of the page are.

    ``root`` is what changed paths are told relative to, ``roots`` the watched files and folders
    (none = ``root``). ``ignore`` are further files and folders to leave out, for example the
    designs and the run directory.
    """

    root: Path
    roots: tuple[Path, ...] = ()
    ignore: tuple[Path, ...] = ()
    max_files: int = MAX_FILES
    max_bytes: int = MAX_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What every watched file holds: path -> digest, sorted.

    ``note`` says why the fingerprint is incomplete; None when it is complete.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    note: str | None = None

    @property
    def digest(self) -> str | None:
        """One hash of all files, None when the fingerprint is incomplete and proves nothing."""
        if self.note is not None:
            return None
        whole = hashlib.sha256()
        for path, digest in self.files.items():
            whole.update(f"{path}\0{digest}\n".encode("utf-8", "surrogateescape"))
        return whole.hexdigest()[:32]


def changed_files(before: Fingerprint, after: Fingerprint) -> tuple[str, ...]:
    """Return the sorted paths that were added, removed or edited between two fingerprints."""
    paths = set(before.files) | set(after.files)
    return tuple(sorted(p for p in paths if before.files.get(p) != after.files.get(p)))


class Watcher:
    """Takes fingerprints of the same sources again and again, reading only what may have changed.

    A file is read again when its size, its times or its inode differ, and also when it was
    written so shortly before it was last read that its times could not show another write.
    *now_ns* is the wall clock in nanoseconds that file times are compared with.
    """

    def __init__(
        self, sources: WatchedSources, *, now_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self._sources = sources
        self._now_ns = now_ns
        self._ignore = frozenset(os.path.realpath(p) for p in sources.ignore)
        self._known: dict[str, tuple[_Stamp, str]] = {}
        self._folders: list[str] = []

    @property
    def roots(self) -> tuple[str, ...]:
        """The watched files and folders, as people name them."""
        root = self._sources.root
        return tuple(self._name(os.path.realpath(r)) if r != root else "." for r in self._tops())

    @property
    def folders(self) -> tuple[str, ...]:
        """Every folder that the last fingerprint looked into, sorted; of a file its own."""
        return tuple(sorted(set(self._folders)))

    def _tops(self) -> tuple[Path, ...]:
        return self._sources.roots or (self._sources.root,)

    def fingerprint(self) -> Fingerprint:
        """Return what the watched files hold now."""
        found: dict[str, os.stat_result | None] = {}
        total = 0
        for path in self._paths():
            status = _status(path)
            if status is not None and _is_hashed(status) and path not in found:
                total += status.st_size
            found[path] = status
            if len(found) > self._sources.max_files:
                return self._too_much(f"more than {self._sources.max_files} files")
            if total > self._sources.max_bytes:
                return self._too_much(f"more than {self._sources.max_bytes} bytes")
        known: dict[str, tuple[_Stamp, str]] = {}
        files: dict[str, str] = {}
        for path, status in found.items():
            digest = _told_by_name(path) if status is None else self._digest(path, status, known)
            if digest is not None:
                files[self._name(path)] = digest
        self._known = known
        return Fingerprint(files=dict(sorted(files.items())))

    def _too_much(self, what: str) -> Fingerprint:
        return Fingerprint(
            note=f"the watched sources are {what}: whether a fix changed anything is unknown "
            "(name the folders that matter in the ini key pixelloop_sources)"
        )

    def _paths(self) -> Iterator[str]:
        self._folders = []
        for root in self._tops():
            top = os.path.realpath(root)
            if os.path.isdir(top):  # noqa: PTH112 - strings all the way: this walk has to be quick
                yield from self._walk(top)
                continue
            home = os.path.dirname(top)  # noqa: PTH120
            if os.path.isdir(home):  # noqa: PTH112
                self._folders.append(home)
            yield top

    def _walk(self, top: str) -> Iterator[str]:
        """Yield the files below *top*. Linked folders are not entered, so loops cannot trap it."""
        stack = [top]
        while stack:
            folder = stack.pop()
            try:
                with os.scandir(folder) as entries:
                    found = sorted(entries, key=lambda e: e.name)
            except OSError:
                continue  # gone, or not ours to read
            if folder != top and any(e.name == "pyvenv.cfg" for e in found):
                continue
            self._folders.append(folder)
            for entry in found:
                if entry.path in self._ignore:
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    yield entry.path
                elif entry.name not in IGNORED_NAMES:
                    stack.append(entry.path)

    def _digest(
        self, path: str, status: os.stat_result, known: dict[str, tuple[_Stamp, str]]
    ) -> str | None:
        """Return what the file holds, read only when its stamp leaves a doubt.

        Remembers the answer in *known* unless the stamp could hide a later write.
        """
        stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        if not stat.S_ISREG(status.st_mode):
            return "special"
        if not _is_hashed(status):
            return "large:" + ":".join(map(str, stamp[:3]))
        before = self._known.get(path)
        if before is not None and before[0] == stamp:
            known[path] = before
            return before[1]
        now = self._now_ns()
        try:
            digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:32]
        except FileNotFoundError:
            return None
        except OSError:
            return "unreadable"
        if max(status.st_mtime_ns, status.st_ctime_ns) + _RACY_NS <= now:
            known[path] = (stamp, digest)
        return digest

    def _name(self, path: str) -> str:
        root = os.path.realpath(self._sources.root)
        if path.startswith(root + os.sep):
            return path[len(root) + 1 :].replace(os.sep, "/")
        return path.replace(os.sep, "/")


def _status(path: str) -> os.stat_result | None:
    """Return the status of the file behind *path*; None for a linked folder, or nothing there."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return None if stat.S_ISDIR(status.st_mode) else status


def _is_hashed(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_HASHED


def _told_by_name(path: str) -> str | None:
    """Return where a link to a folder, or to nothing, points; None when there is no link."""
    try:
        return f"link:{os.readlink(path)}"  # noqa: PTH115
    except OSError:
        return None
