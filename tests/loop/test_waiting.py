"""Waiting for somebody who edits: contents decide, alarms only say when to look."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.fix_brief import FixBrief
from pytest_pixelloop.loop.source_alarm import SourceAlarm
from pytest_pixelloop.loop.waiting import WaitFixer
from pytest_pixelloop.loop.watched import WatchedSources, Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_pixelloop.loop.fixer import FixResult
    from tests.loop.conftest import Project


@dataclass
class Script:
    """A clock and an alarm in one: at each quarter of a second a step of the story may happen."""

    steps: dict[float, Callable[[], object]]
    alarms: bool = True
    now: float = 0.0
    every: float = 5.0
    followed: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self) -> float:
        """Return the seconds since the beginning."""
        return self.now

    def follow(self, folders: Sequence[str]) -> None:
        """Note what would be watched."""
        self.followed.append(tuple(folders))

    def wait(self) -> bool:
        """Let a quarter of a second pass."""
        self.now += 0.25
        step = self.steps.pop(self.now, None)
        if step is not None:
            step()
        return step is not None and self.alarms

    def close(self) -> None:
        """Stop watching."""


@dataclass
class Waited:
    """A project with one stylesheet that somebody is waited for to edit."""

    root: Path

    def __post_init__(self) -> None:
        self.css = self.root / "site" / "style.css"
        self.css.parent.mkdir(parents=True)
        self.css.write_text("a { color: red }")
        (self.root / "node_modules").mkdir()
        self.watcher = Watcher(WatchedSources(root=self.root, ignore=(self.root / "designs",)))
        self.announced: list[FixBrief] = []
        self.notes: list[str] = []

    def wait(
        self,
        script: Script | None,
        *,
        seconds: float = 60.0,
        sources: str | None = None,
        short: bool = False,
    ) -> FixResult:
        """Wait and return what came of it; with a real alarm and clock where there is no script."""
        told = self.root.parent
        brief = FixBrief(
            iteration=1,
            text="the brief",
            text_path=told / "brief.md",
            json_path=told / "brief.json",
            usage_path=told / "01.usage.json",
            seconds=seconds,
            sources=sources,
            short=short,
        )
        kinds: dict[str, object] = {} if script is None else {"alarm": lambda _note: script}
        if script is not None:
            kinds["clock"] = script
        fixer = WaitFixer(
            self.watcher,
            announce=self.announced.append,
            note=self.notes.append,
            **kinds,  # type: ignore[arg-type]
        )
        return fixer.run(brief, output=told / "01.log")

    def edit(self, text: str = "a { color: blue }") -> Callable[[], object]:
        """Return the step that writes the stylesheet."""
        return lambda: self.css.write_text(text)


@pytest.fixture
def waited(tmp_path: Path) -> Waited:
    """Give the project."""
    return Waited(tmp_path / "project")


@pytest.mark.parametrize("alarms", [True, False])
def test_a_change_ends_the_waiting_once_it_is_quiet(waited: Waited, *, alarms: bool) -> None:
    """An edit is seen with or without an alarm, and measured a second after its last part."""
    script = Script({2.0: waited.edit(), 2.75: waited.edit("a {}")}, alarms=alarms)
    result = waited.wait(script)
    assert (result.failed, result.idle, result.error) == (False, False, None)
    assert 3.75 <= result.seconds <= (4.25 if alarms else 11.0)
    assert len(waited.announced) == 1


def test_nothing_that_changes_is_told_as_such(waited: Waited) -> None:
    """A wait that is over says how long it was, and is no failure: nobody did anything."""
    result = waited.wait(Script({}), seconds=10.0)
    assert (result.failed, result.idle) == (False, True)
    assert result.error == "nothing changed within 10 s"
    short = waited.wait(Script({}), seconds=10.0, short=True)
    assert short.error == "nothing changed within 10 s, all that was left of the budget's minutes"


def test_a_change_between_measuring_and_waiting_is_not_lost(waited: Waited) -> None:
    """What was edited before the waiting began ends it at once, without a word of waiting."""
    measured = waited.watcher.fingerprint().digest
    waited.edit()()
    result = waited.wait(Script({}), sources=measured)
    assert (result.idle, result.error) == (False, None)
    assert result.seconds <= 1.5
    assert waited.announced == []


def test_a_change_that_is_undone_is_none(waited: Waited) -> None:
    """The same bytes again, and what is not watched, are no change; the next real one is."""
    script = Script(
        {
            1.0: waited.edit(),
            1.5: waited.edit("a { color: red }"),
            5.0: waited.css.touch,
            8.0: lambda: (waited.root / "node_modules" / "x.js").write_text("x"),
            20.0: waited.edit(),
        }
    )
    result = waited.wait(script)
    assert result.error is None
    assert 21.0 <= result.seconds <= 22.0
    assert not any("node_modules" in folder for folders in script.followed for folder in folders)


def test_a_change_at_the_last_moment_counts(waited: Waited) -> None:
    """When time is up the sources are looked at once more, quiet or not."""
    result = waited.wait(Script({9.75: waited.edit()}, alarms=False), seconds=10.0)
    assert (result.idle, result.error) == (False, None)


def test_a_new_folder_is_watched_from_then_on(waited: Waited) -> None:
    """Folders that appear while somebody works are watched, too."""
    new = waited.root / "site" / "pages"

    def make() -> None:
        new.mkdir()
        (waited.root / "site" / "a.css").write_text("")
        (waited.root / "site" / "a.css").unlink()

    script = Script({1.0: make, 20.0: lambda: (new / "b.css").write_text("b")})
    result = waited.wait(script)
    assert result.error is None
    assert any(str(new.resolve()) in folders for folders in script.followed)


def test_sources_that_are_too_many_cannot_be_waited_for(tmp_path: Path) -> None:
    """Where contents cannot be told apart, waiting fails in words instead of waiting for ever."""
    waited = Waited(tmp_path / "project")
    waited.watcher = Watcher(WatchedSources(root=waited.root, max_files=0))
    result = waited.wait(Script({}))
    assert result.failed
    assert "cannot be waited for: the watched sources are more than 0 files" in str(result.error)


def test_ctrl_c_passes_and_closes_the_watch(waited: Waited) -> None:
    """KeyboardInterrupt while waiting is nobody's failed fix."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        waited.wait(Script({1.0: interrupt}))


def test_the_file_system_gives_the_alarm(waited: Waited) -> None:
    """With the real watch and clock an edit by somebody else ends the waiting."""
    pytest.importorskip("watchfiles")
    editor = threading.Timer(0.5, waited.edit())
    editor.start()
    result = waited.wait(None, seconds=120.0)
    editor.join()
    assert (result.idle, result.error) == (False, None)
    assert waited.notes == []


@pytest.mark.parametrize("fault", ["import", "start", "later"])
def test_what_cannot_be_watched_is_polled_and_said(
    waited: Waited, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Without the library, or when the system has no watches left, time gives the alarm."""
    watchfiles = pytest.importorskip("watchfiles")

    def broken(*_folders: str, **_words: object) -> object:
        def later() -> object:
            yield set()
            raise OSError("no space left on device: watches")

        if fault == "start":
            raise OSError("no space left on device: watches")
        return later()

    if fault == "import":
        monkeypatch.setitem(__import__("sys").modules, "watchfiles", None)
    else:
        monkeypatch.setattr(watchfiles, "watch", broken)
    now = [0.0]
    editor = waited.edit()

    def sleep(seconds: float) -> None:
        now[0] += seconds
        if now[0] == 3.0:
            editor()

    fixer_alarm: Callable[..., SourceAlarm] = lambda note: SourceAlarm(note, sleep=sleep)  # noqa: E731
    brief = FixBrief(
        iteration=1,
        text="",
        text_path=waited.root,
        json_path=waited.root,
        usage_path=waited.root,
        seconds=60.0,
    )
    fixer = WaitFixer(
        waited.watcher,
        announce=waited.announced.append,
        note=waited.notes.append,
        alarm=fixer_alarm,
        clock=lambda: now[0],
    )
    result = fixer.run(brief, output=waited.root.parent / "01.log")
    assert (result.idle, result.error) == (False, None)
    (note,) = waited.notes
    assert note.startswith("looking at the sources every 1 s, they cannot be watched: ")
    assert ("watches" if fault != "import" else "watchfiles") in note


def test_too_many_folders_are_polled(waited: Waited) -> None:
    """Above a thousand folders no watch is asked for."""
    alarm = SourceAlarm(waited.notes.append, sleep=lambda _seconds: None)
    alarm.follow([os.fspath(waited.root)] * 1001)
    assert alarm.every == 1.0
    assert not alarm.wait()
    assert "more than 1000 folders" in waited.notes[0]


def test_a_wait_that_nobody_answers_is_a_useless_fix(project: Project) -> None:
    """Two waits without a change trip the breaker, and the transcript says what was waited for."""
    ended = project.loop(fix_wait=0.3)
    assert ended.status == "not-converged:breaker"
    assert ended.measured == [0, 1, 2]
    assert "iteration 1 changed nothing; iteration 2 changed nothing" in ended.summary.reason
    (said, *_rest) = [line for line in ended.lines if "waiting up to" in line]
    assert said == (
        "[1/6] fix      - waiting up to 0.3 s for a change below .; the brief is "
        ".pixelloop/runs/r/tests/t/brief.md; Ctrl-C ends the loop"
    )
    fixes = [r for r in project.records if r["kind"] == "fix-ended"]
    assert {(r["by"], r["outcome"]) for r in fixes} == {("wait", "unchanged")}


def test_an_edit_while_the_page_is_measured_is_the_next_fix(project: Project) -> None:
    """Somebody who edits during a measurement is not overlooked, nor waited for once more."""

    def measure(number: int, folder: Path) -> object:
        value = project.measure(number, folder)
        if number == 0:
            project.page(a=30.0)
        if number == 1:
            project.page()
        return value

    ended = project.loop(measure=measure, fix_wait=60.0)  # type: ignore[arg-type]
    assert ended.status == "converged"
    assert ended.measured == [0, 1, 2]
    assert not [line for line in ended.lines if "waiting" in line]
    fixes = [r for r in project.records if r["kind"] == "fix-ended"]
    assert [(r["outcome"], r["changed"]) for r in fixes] == [("changed", ["page.json"])] * 2


def test_an_edit_between_two_processes_is_the_next_fix(project: Project) -> None:
    """What changed since the last measurement of a run counts, whichever process made it."""
    project.loop(fix_wait=60.0, iterations_per_run=1)
    project.page()
    ended = project.loop(fix_wait=60.0)
    assert ended.status == "converged"
    assert any("changed before this process began" in line for line in ended.lines)


def test_ctrl_c_while_waiting_is_interrupted_and_resumed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop ends as interrupted in its fix; the next process waits again."""

    def interrupted(_alarm: SourceAlarm) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SourceAlarm, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            project.loop(fix_wait=60.0)
    assert project.history.status == "undetermined:interrupted"
    (left,) = project.history.interrupted
    assert (left.iteration, left.phase) == (1, "fix")
    project.page()
    assert project.loop(fix_wait=60.0).status == "converged"


moments = st.dictionaries(
    st.integers(min_value=1, max_value=60).map(lambda quarter: quarter / 4),
    st.sampled_from(["a { color: red }", "a { color: blue }", "a {}"]),
    max_size=6,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(edits=moments, alarms=st.booleans())
def test_waiting_ends_with_a_change_exactly_when_there_is_one(
    tmp_path_factory: pytest.TempPathFactory, edits: dict[float, str], *, alarms: bool
) -> None:
    """Whatever is edited and undone when: what is measured next is other than what was, or idle."""
    waited = Waited(tmp_path_factory.mktemp("waited") / "project")
    base = waited.watcher.fingerprint()
    script = Script({at: waited.edit(text) for at, text in edits.items()}, alarms=alarms)
    result = waited.wait(script, seconds=12.0)
    changed = waited.watcher.fingerprint() != base
    assert (result.error is None, result.idle) == (changed, not changed)
    assert (12.0 if result.idle else 1.0) <= result.seconds <= 12.25
