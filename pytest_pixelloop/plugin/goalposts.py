"""What a test's verdict is measured against, read from disk each time.

Files do not depend on how far a test got: every file that the manifest names counts, from before
the first measurement on, and not only those that were loaded. Limits are different: they are known
only once a comparison was judged by them, and stay goalposts from then on.
"""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.sources.plan import PlannedComparison

ABSENT = "absent"
#: A file that was written this shortly before it was read may be written again unseen.
_RACY_NS = 2_000_000_000
_LIMITS = "limits:"
BESIDE_MANIFEST = ("designs.yaml", "designs.lock", "judgements.yaml")


class FileHashes:
    """SHA-256 of files, read again only where a file's stamp leaves a doubt.

    One for a session: many tests are measured against the same designs.
    """

    def __init__(self, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._now_ns = now_ns
        self._known: dict[Path, tuple[tuple[int, ...], str]] = {}

    def of(self, path: Path) -> str:
        """Return the hash of the file as it is now, ``absent`` when it cannot be read."""
        try:
            status = path.stat()
            stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            known = self._known.get(path)
            if known is not None and known[0] == stamp:
                return known[1]
            now = self._now_ns()
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:
            return ABSENT
        if max(stamp[1], stamp[2]) + _RACY_NS <= now:
            self._known[path] = (stamp, digest)
        return digest


class Goalposts:
    """The goalposts of one test over all its iterations.

    ``sources`` are the files that make the test what it is: its own module, the conftest files
    that may redefine its fixtures, the ini file. ``more`` gives further goalposts by name, read
    again each time. ``designs`` is the folder of the manifest, None
    where designs are not watched (a plain gate measures once). ``options`` are limits from the
    command line and the ini file.
    """

    def __init__(
        self,
        *,
        root: Path,
        sources: Sequence[Path],
        designs: Path | None,
        options: Mapping[str, object],
        hashes: FileHashes,
        more: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self._root = root
        self._sources = tuple(sources)
        self._designs = designs
        self._options = {f"option:{name}": digest(value) for name, value in options.items()}
        self._hashes = hashes
        self._more = more
        self._limits: dict[str, str] = {}

    def recall(self, recorded: Mapping[str, str]) -> None:
        """Take over the limits by which an earlier process of the run judged.

        They cannot be known before the test has run again, and must not be missed until then.
        """
        for name, value in recorded.items():
            if name.startswith(_LIMITS):
                self._limits.setdefault(name, value)

    def judged(
        self,
        label: str,
        *,
        gate: str,
        tolerance: Mapping[str, object],
        conditions: Mapping[str, object],
        channels: object = None,
        design: object = None,
    ) -> None:
        """Note what the comparison *label* was judged by; *conditions* are all that it is not.

        *design* are the hashes of the files that were really loaded: a design that is swapped and
        put back before anybody looks at its file is another one all the same.
        """
        self._limits[_LIMITS + label] = digest([gate, tolerance, conditions, channels, design])

    def current(self) -> dict[str, str]:
        """Return every goalpost by name, as it is now; never raises."""
        found = {**self._options, **self._limits, **self._more()}
        for path in self._sources:
            found["test:" + self._relative(path)] = self._hashes.of(path)
        if self._designs is not None:
            for path in sorted({*self._files(self._designs)}):
                found["design:" + self._relative(path)] = self._hashes.of(path)
        return dict(sorted(found.items()))

    def _files(self, folder: Path) -> Iterator[Path]:
        yield from (folder / name for name in BESIDE_MANIFEST)
        yield from manifest_files(folder)

    def _relative(self, path: Path) -> str:
        try:
            return path.relative_to(self._root).as_posix()
        except ValueError:
            return path.as_posix()


def manifest_files(folder: Path) -> Iterator[Path]:
    """Yield every picture and node file that the manifest in *folder* can make a test read.

    Nothing for a manifest that cannot be read: its own hash is the goalpost then.
    """
    from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415
    from pytest_pixelloop.sources.bridge import bridge_files, project_of  # noqa: PLC0415
    from pytest_pixelloop.sources.manifest import MANIFEST_NAME, load_manifest  # noqa: PLC0415
    from pytest_pixelloop.sources.plan import plan_entry  # noqa: PLC0415

    try:
        manifest = load_manifest(folder / MANIFEST_NAME)
    except PixelloopError:
        return
    for entry in manifest.designs.values():
        for planned in plan_entry(manifest, entry):
            yield from planned.looked_in
            yield from _frame_files(planned)
            if planned.bridge is not None:
                home = project_of(planned.bridge) or folder.parent
                yield from bridge_files(planned.bridge, project=home)
            if planned.nodes is not None:
                yield planned.nodes
            if planned.nav is not None:
                yield planned.nav


def _frame_files(planned: PlannedComparison) -> Iterator[Path]:
    """Yield the files of the frames that a section or component set stands for."""
    from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415
    from pytest_pixelloop.sources.sections import group_of, plan_frames  # noqa: PLC0415

    try:
        group = group_of(planned)
        frames = plan_frames(group) if group is not None else ()
    except PixelloopError:  # a lock that cannot be read is a goalpost itself
        return
    for frame in frames:
        yield from frame.looked_in
        if frame.nodes is not None:
            yield frame.nodes


def digest(value: object) -> str:
    """Return a hash of a JSON value that does not depend on the order of its keys."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
