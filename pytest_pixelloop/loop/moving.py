"""Whether the sources stood still while the page was measured.

A process that the fix left behind, or woke, may show one page to the camera and another to whoever
looks at the files. What is measured while it is edited is no measurement of anything.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_pixelloop.loop.watched import Fingerprint, Watcher

#: What tests and applications write as they run, and no page is made of.
RECORDS = frozenset(
    (".log", ".pid", ".lock", ".tmp", ".swp", ".db", ".sqlite", ".sqlite3", ".pyc", ".coverage")
)
#: How often a page is measured again because its sources moved.
TRIES = 2
_Stamp = tuple[int, ...]


class MovingSources:
    """Looks at the watched sources before and after each measurement.

    Their times count, too: a file that was swapped and put back has its old content and new times.
    What changes in a measurement before any fix is written by the test or the application itself,
    and is left out from then on.
    """

    def __init__(self, watcher: Watcher, *, root: Path) -> None:
        self._watcher = watcher
        self._root = os.path.realpath(root)
        self._before: dict[str, _Stamp] | None = None
        self._own: set[tuple[str, str]] = set()
        self._fixed = False
        self._tries = 0

    def begin(self, sources: Fingerprint, *, fixed: bool) -> None:
        """Note the *sources* as a measurement begins; *fixed* tells that a fix came before it."""
        self._fixed = self._fixed or fixed
        self._before = None if sources.note else self._stamps(sources)
        self._tries = 0

    def again(self) -> Fingerprint | None:
        """Return the sources as they are now where the measurement is worth another try.

        None where they stood still, or moved in two tries before. The next measurement begins then.
        """
        if self._tries >= TRIES or not self.changed():
            return None
        tries, sources = self._tries + 1, self._watcher.fingerprint()
        self.begin(sources, fixed=True)
        self._tries = tries
        return sources

    @contextmanager
    def own_work(self) -> Iterator[None]:
        """Leave out what is written in the block: a reload of the target, before it is looked at.

        What was written in the measurement before the block, or is written after it, still counts.
        """
        before = self._now()
        try:
            yield
        finally:
            after = self._now()
            if self._before and before is not None and after is not None:
                for name in _differing(before, after):
                    self._before[name] = after.get(name, ())

    def changed(self) -> tuple[str, ...]:
        """Return the sources that were written since the measurement began, sorted."""
        now = self._now()
        if not self._before or now is None:
            return ()
        written = _differing(self._before, now)
        places = {name: _place(name) for name in written if not _is_working_file(name)}
        if not self._fixed:
            self._own.update(places.values())
            return ()
        return tuple(sorted(name for name, at in places.items() if at not in self._own))

    def _now(self) -> dict[str, _Stamp] | None:
        """Return the sources as they are, None where nothing is compared with them."""
        if not self._before:
            return None  # a plain gate does not watch
        sources = self._watcher.fingerprint()
        return None if sources.note else self._stamps(sources)

    def _stamps(self, sources: Fingerprint) -> dict[str, _Stamp]:
        return {name: self._stamp(name) for name in sources.files}

    def _stamp(self, name: str) -> _Stamp:
        path = os.path.join(self._root, name)  # noqa: PTH118 - thousands of files are asked
        try:
            own, target = os.lstat(path), os.stat(path)  # noqa: PTH116
        except OSError:
            return ()
        return (
            *(target.st_mtime_ns, target.st_ctime_ns, target.st_ino, target.st_size),
            *(own.st_ctime_ns, own.st_ino),
        )


def _differing(one: dict[str, _Stamp], other: dict[str, _Stamp]) -> set[str]:
    return {n for n in {*one, *other} if one.get(n, ()) != other.get(n, ())}


def _is_working_file(name: str) -> bool:
    """Tell whether tests, applications and development servers write it as they run."""
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") for part in path.parent.parts)  # .next, .nuxt, .svelte-kit
    return hidden or path.suffix.lower() in RECORDS


def _place(name: str) -> tuple[str, str]:
    """Return the folder of a file and its ending: a test names its files anew each time."""
    path = PurePosixPath(name)
    return str(path.parent), path.suffix.lower() or path.name
