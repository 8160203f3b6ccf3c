"""The patch gate: what a fix did to the files, judged, and taken back by content where asked.

Only bytes that were read before the fix are ever written back. The user's index, stash and branches
are not touched: git is asked which files there are, and for nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.design_tokens import Tokens, find_tokens
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.patch_rules import FilePatch, PatchFinding, judge_patch
from pytest_pixelloop.loop.patch_text import FileChange
from pytest_pixelloop.loop.watched import Fingerprint, WatchedSources, Watcher, changed_files
from pytest_pixelloop.store.atomic import is_temporary, write_bytes_atomic, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

OFF, WARN, REVERT = "off", "warn", "revert"
MODES = (OFF, WARN, REVERT)
#: What is kept to be taken back; a project above that is watched, and its gate says so.
MAX_KEPT = 200_000_000
MAX_TEXT = 4_000_000
NAMED = 50
_GIT_TIMEOUT = 30.0
_HELD = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """The files before a fix: digests by path, their modes, and why some are not covered."""

    files: Mapping[str, str] = field(default_factory=dict)
    modes: Mapping[str, int] = field(default_factory=dict)
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchOutcome:
    """What became of a patch: what is wrong with it and which files were put back.

    ``kept`` are files that should have been put back and could not be.
    """

    findings: tuple[PatchFinding, ...] = ()
    reverted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    note: str | None = None


def patch_record(outcome: PatchOutcome, *, mode: str) -> dict[str, Any]:
    """Return what the ledger keeps of a patch; long lists are cut, and their length is kept."""
    return {
        "mode": mode,
        "findings": [f.as_record() for f in outcome.findings[:NAMED]],
        "finding_count": len(outcome.findings),
        **put_back_record(outcome),
        "note": outcome.note,
    }


def put_back_record(outcome: PatchOutcome) -> dict[str, Any]:
    """Return what the ledger keeps of the files that were put back."""
    return {
        "reverted": list(outcome.reverted[:NAMED]),
        "reverted_count": len(outcome.reverted),
        "not_put_back": list(outcome.kept[:NAMED]),
    }


class PatchGate:
    """Judges one fix after another; the bytes it needs for that lie in *store*, by their hash.

    A store may serve the gates of many tests. *folder* is the test's own: what was there before
    each of its fixes is written down in it.

    ``sources`` are what a fix may change. With git every other file of the project is watched too,
    and a change to one is a finding; without git only the sources are, and ``note`` says so.
    ``shows_design`` tells whether a picture's bytes show the design. ``design_files`` are the names
    of the designs' pictures. ``keep_all`` keeps what put_back() needs in every mode.
    """

    def __init__(
        self,
        sources: WatchedSources,
        *,
        mode: str,
        store: Path,
        folder: Path,
        design_files: Sequence[str] = (),
        shows_design: Callable[[bytes], bool] | None = None,
        keep_all: bool = False,
    ) -> None:
        self.mode = mode
        self._keep_all = keep_all or mode == REVERT
        self._store = store
        self._folder = folder
        self._design_files = tuple(design_files)
        self._shows_design = shows_design
        self._root = Path(os.path.realpath(sources.root))
        self._own = tuple(Path(os.path.realpath(r)) for r in sources.roots)
        self._git = _is_git(self._root)
        self._noted: dict[int, Before] = {}
        roots = (sources.root,) if self._git else sources.roots
        self._watcher = Watcher(
            WatchedSources(
                root=sources.root,
                roots=roots,
                ignore=sources.ignore,
                max_files=sources.max_files,
                max_bytes=min(sources.max_bytes, MAX_KEPT),
            )
        )

    @property
    def note(self) -> str | None:
        """What the gate cannot see, said once; None when it sees the whole project."""
        if self._git:
            return None
        return "the patch gate sees only the watched sources: this is no git checkout"

    def before(self, iteration: int) -> Before:
        """Read what is there, and keep the bytes of every file that may have to be put back.

        It is written down for the *iteration*: when the process is killed in its fix, the fix that
        is run again is judged against what was there before the first one. A file of a later fix
        than this process began with is no such note: a fix may have forged it, and is not asked.
        """
        if iteration in self._noted:
            return self._noted[iteration]
        path = self._folder / f"before-{iteration:02d}.json"
        known = None if self._noted else _read_before(path)
        if known is not None:
            self._drop_torn(known)
        found = known or self._note(path)
        self._noted = {iteration: found}  # one fix is judged at a time
        return found

    def forget(self) -> None:
        """Remove what was written down for a fix that is judged and recorded.

        What is left then, or was put there for a later fix, would be believed by the next process.
        """
        for path in self._folder.glob("before-*.json"):
            with contextlib.suppress(OSError):
                path.unlink()

    def _note(self, path: Path) -> Before:
        """Read what is there now, and write it down where all of it could be seen."""
        found = self._look()
        if found.note is None:
            write_json(
                path, {"schema_version": 1, "files": dict(found.files), "modes": dict(found.modes)}
            )
        return found

    def _drop_torn(self, before: Before) -> None:
        """Remove what this gate was writing when its process was killed as it put files back."""
        for name in self._files()[0]:
            path = self._root / name
            if name not in before.files and is_temporary(path):
                with contextlib.suppress(OSError):
                    path.unlink()

    def _look(self) -> Before:
        files, note = self._files()
        modes: dict[str, int] = {}
        for name, digest in files.items():
            path = self._root / name
            with contextlib.suppress(OSError):
                modes[name] = stat.S_IMODE(path.stat().st_mode)
                self._keep(path, digest)
        return Before(files=files, modes=modes, note=note)

    def after(self, before: Before) -> PatchOutcome:
        """Return what the fix did since *before*; in ``revert`` mode a bad patch is gone then."""
        if before.note is not None:
            return PatchOutcome(note=before.note)
        files, note = self._files()
        if note is not None:
            return PatchOutcome(note=note)
        names = changed_files(Fingerprint(files=before.files), Fingerprint(files=files))
        if self.mode == OFF:
            return PatchOutcome()
        patches = [self._patch(name, before, files) for name in names]
        findings = judge_patch(patches, self._tokens(before), design_files=self._design_files)
        if not findings or self.mode != REVERT:
            return PatchOutcome(findings=findings)
        return replace(self._take_back(names, before), findings=findings)

    def changes(self, before: Before) -> tuple[FileChange, ...]:
        """Return what every changed file held *before* and holds now, by name.

        Raises ConfigurationError where that cannot be seen.
        """
        files, note = self._files()
        if note is not None or before.note is not None:
            raise ConfigurationError(
                "the patch cannot be shown", where=str(note or before.note), expected="a patch"
            )
        names = changed_files(Fingerprint(files=before.files), Fingerprint(files=files))
        return tuple(
            FileChange(
                name=name,
                existed=name in before.files,
                exists=name in files,
                before=self._kept(before.files.get(name)),
                after=_bytes(self._root / name) if name in files else None,
            )
            for name in names
        )

    def put_back(self, before: Before) -> PatchOutcome:
        """Put every changed file back as it was *before*, whatever the mode."""
        files, _note = self._files()
        names = changed_files(Fingerprint(files=before.files), Fingerprint(files=files))
        return self._take_back(names, before)

    def _take_back(self, names: Sequence[str], before: Before) -> PatchOutcome:
        kept = tuple(name for name in names if not self._put_back(name, before))
        return PatchOutcome(reverted=tuple(n for n in names if n not in kept), kept=kept)

    def _files(self) -> tuple[dict[str, str], str | None]:
        found = self._watcher.fingerprint()
        if found.note is not None:
            return {}, f"the patch gate is blind: {found.note}"
        files = dict(found.files)
        if self._git:
            listed = _git_files(self._root)
            if listed is None:
                return {}, "the patch gate is blind: git does not list the project's files"
            files = {n: d for n, d in files.items() if n in listed or self._is_own(self._root / n)}
        return files, None

    def _is_own(self, path: Path) -> bool:
        return not self._own or any(path == own or path.is_relative_to(own) for own in self._own)

    def _keep(self, path: Path, digest: str) -> None:
        target = self._store / digest
        if not _is_digest(digest) or target.exists():
            return
        # What is never put back is only read as text.
        if self._keep_all or path.stat().st_size <= MAX_TEXT:
            write_bytes_atomic(target, path.read_bytes())

    def _kept(self, digest: str | None) -> bytes | None:
        if digest is None or not _is_digest(digest):
            return None
        try:
            data = (self._store / digest).read_bytes()
        except OSError:
            return None
        # The run's folder is within a fixer's reach: other bytes than were there are never used.
        return data if hashlib.sha256(data).hexdigest().startswith(digest) else None

    def _patch(self, name: str, before: Before, files: Mapping[str, str]) -> FilePatch:
        path = self._root / name
        data = None
        if name in files:
            with contextlib.suppress(OSError):
                data = path.read_bytes()
        shows = bool(data and self._shows_design is not None and self._shows_design(data))
        return FilePatch(
            path=name,
            before=_text(self._kept(before.files.get(name))),
            after=_text(data),
            outside=not self._is_own(path),
            shows_design=shows,
        )

    def _tokens(self, before: Before) -> Tokens:
        texts: dict[str, str] = {}
        for name, digest in before.files.items():
            if name.rsplit(".", 1)[-1].lower() in _TOKEN_ENDINGS:
                text = _text(self._kept(digest))
                if text is not None:
                    texts[name] = text
        return find_tokens(texts)

    def _put_back(self, name: str, before: Before) -> bool:
        """Put one file back as it was; tell whether that was possible."""
        path = self._root / name
        home = Path(os.path.realpath(path.parent))
        # A folder that now is a link elsewhere must not lead a write out of the project.
        if not home.is_relative_to(self._root):
            return False
        digest = before.files.get(name)
        try:
            if digest is None:
                path.unlink(missing_ok=True)
                return True
            data = self._kept(digest)
            if data is None:
                return False
            if path.is_symlink():
                path.unlink()
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes_atomic(path, data)
            if name in before.modes:
                path.chmod(before.modes[name])
        except OSError:
            return False
        return True


def _bytes(path: Path) -> bytes | None:
    with contextlib.suppress(OSError):
        return path.read_bytes()
    return None


def _read_before(path: Path) -> Before | None:
    if not path.is_file():
        return None  # a pipe would be waited for
    try:
        value = json.loads(path.read_text("utf-8"))
        files = {str(k): str(v) for k, v in value["files"].items()}
        modes = {str(k): int(v) for k, v in value["modes"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return Before(files=files, modes=modes)


_TOKEN_ENDINGS = frozenset(
    ("css", "scss", "sass", "less", "json", "js", "ts", "mjs", "cjs", "yaml", "yml", "toml")
)


def _is_digest(digest: str) -> bool:
    return len(digest) == 32 and set(digest) <= _HELD


def _text(data: bytes | None) -> str | None:
    if data is None or len(data) > MAX_TEXT or b"\0" in data:
        return None
    return data.decode("utf-8", "replace")


def _is_git(root: Path) -> bool:
    return _git(root, "rev-parse", "--is-inside-work-tree") == b"true\n"


def _git_files(root: Path) -> frozenset[str] | None:
    """Return the files below *root* that git tracks or would track, relative to it."""
    out = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if out is None:
        return None
    names = out.decode("utf-8", "surrogateescape").split("\0")
    return frozenset(name for name in names if name)


def _git(root: Path, *words: str) -> bytes | None:
    """Return what git prints, None when it is not there or refuses; nothing is ever written."""
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words],  # noqa: S607 - whatever git the user has
            capture_output=True,
            timeout=_GIT_TIMEOUT,
            check=False,
            env=environ,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
