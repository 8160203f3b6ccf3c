"""``pixelloop pull`` without the command line: the manifest's Figma designs, fetched and kept.

File by file, and in a file label by label: whatever stops the pull, what was fetched until then is
whole and in the lock, and everything else is named as missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.figma.errors import (
    FigmaAnswerError,
    FigmaError,
    FigmaGoneError,
)
from pytest_pixelloop.sources.figma.fetch import fetch_nodes
from pytest_pixelloop.sources.figma.groups import (
    frame_answer,
    is_pictured_group,
    kept_frames,
    wanted_frame,
    with_kept_frames,
)
from pytest_pixelloop.sources.figma.keep import Keeper
from pytest_pixelloop.sources.figma.render import Frame, Renderer
from pytest_pixelloop.sources.figma_nodes import build_tree
from pytest_pixelloop.sources.lock import (
    Lock,
    LockEntry,
    MissingLabel,
    is_intact,
    read_lock,
    settle,
    write_lock,
)
from pytest_pixelloop.sources.sections import frames_of, is_group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from pytest_pixelloop.core.design import DesignNode
    from pytest_pixelloop.sources.figma.client import FigmaClient, FileState, NodesAnswer
    from pytest_pixelloop.sources.figma.picture import CheckedPicture
    from pytest_pixelloop.sources.figma.wanted import NotWanted, Wanted

__all__ = ["PullReport", "Stale", "pull_labels", "stale_labels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """A label that a pull would fetch, and why."""

    wanted: Wanted
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullReport:
    """What a pull came to, label by label. ``whole`` only when nothing is missing."""

    fetched: tuple[str, ...]
    current: tuple[str, ...]
    missing: tuple[MissingLabel, ...]
    stopped: FigmaError | None = None

    @property
    def whole(self) -> bool:
        """Whether every wanted design is there, in the version that Figma has now."""
        return not self.missing


def stale_labels(
    folder: Path, lock: Lock, wanted: Sequence[Wanted], state: FileState | None
) -> tuple[Stale, ...]:
    """Return which labels of one file have to be fetched when the file is in *state*.

    *state* None means that Figma did not tell: then everything may be stale.
    """
    found = []
    for one in wanted:
        why = _why_stale(folder, lock, one, state)
        if why is not None:
            found.append(Stale(wanted=one, why=why))
    return tuple(found)


def _why_stale(folder: Path, lock: Lock, one: Wanted, state: FileState | None) -> str | None:
    entry = lock.entries.get((one.name, one.label))
    if entry is None:
        return "never pulled"
    why = _why_another(folder, entry, one)
    if why is None and (one.name, one.label) in lock.missing:
        why = "the last pull could not fetch it"
    if why is None:
        why = _why_outdated(entry, state)
    if why is not None:
        return why
    frames = kept_frames(folder, lock, one) or ()
    told = ((frame, _why_stale(folder, lock, frame, state)) for frame in frames)
    return next((f"its frame {frame.node}: {why}" for frame, why in told if why), None)


def _why_another(folder: Path, entry: LockEntry, one: Wanted) -> str | None:
    """Return why what was fetched is not what the manifest wants, None when it is."""
    if entry.source != "figma" or entry.file_key != one.key or entry.node != one.node:
        return "the manifest names another file or node than was pulled"
    if is_pictured_group(folder, entry):
        return "it is a section or component set, whose frames were never pulled"
    pictured = entry.image is not None
    if pictured and one.scale is not None and one.scale != entry.scale:
        return f"the manifest wants scale {one.scale:g}, pulled is {entry.scale or 0:g}"
    if not is_intact(folder, entry):
        return "its files are missing or were changed by hand"
    return None


def _why_outdated(entry: LockEntry, state: FileState | None) -> str | None:
    """Return why the file is another one now, None when Figma says that it is not.

    The answer is held against the one before the fetch as well as against the fetched version:
    nobody promises that the two requests word one state alike.
    """
    if state is None:
        return "Figma does not say whether it changed"
    if state.mark is not None and state.mark in (entry.probed, entry.version):
        return None
    if state.version is not None:
        return f"the file changed in Figma: version {entry.version} -> {state.version}"
    if state.touched_at is not None and state.touched_at == entry.last_modified:
        return None
    return f"the file was touched in Figma at {state.touched_at or 'an unknown time'}"


def pull_labels(
    folder: Path,
    wanted: Sequence[Wanted],
    problems: Iterable[NotWanted] = (),
    *,
    client: FigmaClient,
    now: Callable[[], datetime],
    say: Callable[[str], None],
    force: bool = False,
    whole_manifest: bool = False,
) -> PullReport:
    """Fetch what of *wanted* is not current into the designs *folder*, and say what came of it.

    *problems* are labels that should be there and cannot be asked for. *whole_manifest* tells that
    there are no others: gaps of designs that nobody wants any more are forgotten then. Raises
    ConfigurationError for a lock that cannot be read; everything that Figma refuses is part of
    the report.
    """
    settle(folder)
    files: dict[str, list[Wanted]] = {}
    for one in wanted:
        files.setdefault(one.key, []).append(one)
    pull = _Pull(folder, client=client, now=now, say=say, force=force, total=len(wanted))
    for number, (key, labels) in enumerate(files.items(), 1):
        say(f"[{number}/{len(files)}] file {key}: {_count(len(labels), 'design')}")
        pull.file(key, labels)
    pull.note_problems(problems)
    known = with_kept_frames(folder, read_lock(folder), wanted)
    return pull.report(known={(w.name, w.label) for w in known} if whole_manifest else None)


class _Pull:
    def __init__(
        self,
        folder: Path,
        *,
        client: FigmaClient,
        now: Callable[[], datetime],
        say: Callable[[str], None],
        force: bool,
        total: int,
    ) -> None:
        self._folder = folder
        self._client = client
        self._now = now
        self._say = say
        self._force = force
        self._keeper = Keeper(folder, holds_token=client.holds_token, now=now)
        self._total = total
        self._fetched: list[str] = []
        self._current: list[str] = []
        self._missing: list[MissingLabel] = []
        self._stopped: FigmaError | None = None
        self._probed: str | None = None

    def file(self, key: str, labels: Sequence[Wanted]) -> None:
        """Fetch what is stale of one file; an error that stops everything is remembered."""
        if self._stopped is not None:
            for one in labels:
                self._miss(one, self._stopped)
            return
        left = {(one.name, one.label): one for one in labels}
        try:
            self._file(key, labels, left)
        except FigmaError as error:
            if error.stops:
                self._stopped = error
            for one in left.values():
                self._miss(one, error)

    def _file(
        self, key: str, labels: Sequence[Wanted], left: dict[tuple[str, str], Wanted]
    ) -> None:
        state = self._state(key)
        stale = {s.wanted for s in stale_labels(self._folder, self._lock(), labels, state)}
        for one in labels:
            if not self._force and one not in stale:
                frames = kept_frames(self._folder, self._lock(), one)
                self._current.extend([one.title] if frames is None else [f.title for f in frames])
                del left[(one.name, one.label)]
        if not left:
            version = state.version if state is not None else None
            self._say(f"  up to date (version {version})")
            return
        self._probed = state.mark if state is not None else None
        self._fetch(key, tuple(left.values()), left)

    def _state(self, key: str) -> FileState | None:
        """Return the file's state; None, said, where this token may not ask for it."""
        try:
            return self._client.state(key)
        except FigmaError as error:
            if error.stops:
                raise
            self._say(f"  cannot ask whether it changed, so it is fetched: {error.what}")
            return None

    def _fetch(
        self, key: str, labels: Sequence[Wanted], left: dict[tuple[str, str], Wanted]
    ) -> None:
        ids = list(dict.fromkeys(one.node for one in labels))
        self._say(f"  asking for {_count(len(ids), 'node')}")
        answers, failed = fetch_nodes(self._client, key, ids)
        frames: dict[tuple[str, float | None], Frame] = {}
        pictured: list[Wanted] = []
        for one in labels:
            error = failed.get(one.node)
            if error is None:
                try:
                    for found, root in self._found(one, answers, left):
                        frames[(found.node, found.scale)] = Frame(root=root, scale=found.scale)
                        pictured.append(found)
                    continue
                except FigmaError as problem:
                    error = problem
            self._miss(one, error)
            del left[(one.name, one.label)]
        if frames:
            self._render(key, pictured, frames, answers, left)

    def _found(
        self,
        one: Wanted,
        answers: dict[str, NodesAnswer],
        left: dict[tuple[str, str], Wanted],
    ) -> list[tuple[Wanted, DesignNode]]:
        """Return what to render for *one*: its node, or the frames of its section.

        The section's own tree is kept at once: a frame whose picture then cannot be had is planned
        and missing, and never left out.
        """
        answer = answers[one.node]
        root = _root(answer, one.node)
        if not is_group(root):
            return [(one, root)]
        shown = frames_of(root)
        if not shown:
            raise FigmaGoneError(
                f"node {one.node} ({printable(root.name, limit=60)}), a {root.type}, "
                "has no visible frame in it"
            )
        found = [(wanted_frame(one, frame.node.id), frame.node) for frame in shown]
        self._keeper.keep_group(one, answer, probed=self._probed)
        del left[(one.name, one.label)]
        for frame, _node in found:
            answers.setdefault(frame.node, frame_answer(answer, one.node, frame.node))
            left[(frame.name, frame.label)] = frame
        self._total += len(found) - 1
        self._say(f"  {one.title}: a {root.type} of {_count(len(found), 'frame')}")
        return found

    def _render(
        self,
        key: str,
        labels: Sequence[Wanted],
        frames: Mapping[tuple[str, float | None], Frame],
        answers: Mapping[str, NodesAnswer],
        left: dict[tuple[str, str], Wanted],
    ) -> None:
        renderer = Renderer(self._client, key, version=_version(answers, frames), say=self._say)
        for frame, picture in renderer.pictures(frames.values()):
            for one in labels:
                if (one.node, one.scale) != (frame.root.id, frame.scale):
                    continue
                if isinstance(picture, FigmaError):
                    self._miss(one, picture)
                else:
                    self._keep(one, answers[one.node], picture)
                del left[(one.name, one.label)]

    def _keep(self, one: Wanted, answer: NodesAnswer, picture: CheckedPicture) -> None:
        try:
            lines = self._keeper.keep(one, answer, picture, probed=self._probed)
        except FigmaError as error:
            self._miss(one, error)
            return
        self._fetched.append(one.title)
        done = len(self._fetched) + len(self._current) + len(self._missing)
        self._say(f"  [{done}/{self._total}] {one.title}: {lines[0]}")
        for line in lines[1:]:
            self._say(f"      {line}")

    def _miss(self, one: Wanted, error: FigmaError) -> None:
        self._note(one.name, one.label, error.what, final=error.final)

    def note_problems(self, problems: Iterable[NotWanted]) -> None:
        """Count labels that cannot be asked for as missing."""
        for problem in problems:
            self._note(problem.name, problem.label, problem.why, final=False)

    def _note(self, name: str, label: str, why: str, *, final: bool) -> None:
        at = self._now().strftime("%Y-%m-%dT%H:%M:%SZ")
        text = self._client.hidden(printable(why.splitlines()[0], limit=300))
        self._missing.append(MissingLabel(name=name, label=label, why=text, final=final, at=at))

    def _lock(self) -> Lock:
        return read_lock(self._folder)

    def report(self, *, known: set[tuple[str, str]] | None) -> PullReport:
        """Return the report, with what is missing noted in the lock.

        Of *known* labels, None for all, older gaps are kept.
        """
        lock = self._lock()
        gaps = {k: v for k, v in lock.missing.items() if known is None or k in known}
        gaps |= {(gap.name, gap.label): gap for gap in self._missing}
        if gaps != dict(lock.missing):
            write_lock(self._folder, Lock(entries=lock.entries, missing=gaps))
        return PullReport(
            fetched=tuple(self._fetched),
            current=tuple(self._current),
            missing=tuple(self._missing),
            stopped=self._stopped,
        )


def _root(answer: NodesAnswer, node: str) -> DesignNode:
    """Return the tree of *node*; FigmaGoneError when it is not there or cannot be seen."""
    entry = answer.entries.get(node)
    if entry is None:
        raise FigmaGoneError(f"node {node} is not in the file (Figma answers null): deleted?")
    root = build_tree(entry["document"])
    shown = f"node {node} ({printable(root.name, limit=60)})"
    if not root.visible or root.opacity <= 0:
        raise FigmaGoneError(f"{shown} is hidden in Figma, so it has no picture")
    if root.box is None or root.box.area <= 0:
        raise FigmaGoneError(f"{shown}, a {root.type}, has no box with an area: it is no frame")
    if root.id != node:
        raise FigmaAnswerError(f"Figma answered with node {printable(root.id)} for {node}")
    return root


def _version(
    answers: Mapping[str, NodesAnswer], frames: Mapping[tuple[str, float | None], Frame]
) -> str | None:
    """Return the version that all trees are of; None when the file changed between two answers."""
    versions = {answers[node].version for node, _scale in frames}
    return versions.pop() if len(versions) == 1 else None


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"
