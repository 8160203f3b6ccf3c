"""The fixes of one loop: who makes them, what they are told, and what is said of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.fix_brief import FixBrief
from pytest_pixelloop.loop.fix_step import FixStep, fix_variables
from pytest_pixelloop.loop.fixer import CommandFixer
from pytest_pixelloop.loop.style_files import StyleFiles
from pytest_pixelloop.loop.waiting import WaitFixer
from pytest_pixelloop.report.derived_files import Brief, shown_path, write_brief
from pytest_pixelloop.report.lines import fix_line, note_line, patch_lines, wait_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from pytest_pixelloop.core.history import History
    from pytest_pixelloop.core.measurement import LoopSettings
    from pytest_pixelloop.loop.fixer import Fixer
    from pytest_pixelloop.loop.patch_gate import PatchGate
    from pytest_pixelloop.loop.watched import Fingerprint, Watcher


@dataclass(frozen=True, slots=True, kw_only=True)
class FixPlugin:
    """What of fixing needs a plugin of a test runner; None where it is not asked for.

    ``hook`` fixes where no command and no waiting is told. ``confirm`` gets an iteration, its patch
    and the file that it lies in, and tells whether a person wants it to be measured.
    """

    hook: Fixer | None = None
    confirm: Callable[[int, str, str], bool] | None = None


class Fixing:
    """Writes the brief of each iteration and runs its fix.

    ``history`` gives what the ledger tells now, ``add`` puts a line into it, ``say`` takes one
    line for the terminal, ``environ`` is what the fixer inherits, ``gate`` judges what each fix did
    to the files. Raises ConfigurationError when the fixer cannot be run at all.
    """

    def __init__(
        self,
        *,
        folder: Path,
        root: Path,
        settings: LoopSettings,
        watcher: Watcher,
        gate: PatchGate | None,
        environ: Mapping[str, str],
        clock: Callable[[], float],
        say: Callable[[str], None],
        add: Callable[[Mapping[str, Any]], None],
        history: Callable[[], History],
        plugin: FixPlugin,
    ) -> None:
        self._folder = folder
        self._root = root
        self._settings = settings
        self._gate = gate
        self._say = say
        self._history = history
        self._clock = clock
        self._said: set[str] = set()
        self._styles = StyleFiles(root, watcher)
        self._watcher = watcher
        self._step: FixStep | None = None
        fixer = self._fixer(environ, plugin.hook) if settings.looping else None
        if fixer is not None:
            self._step = FixStep(
                fixer,
                watcher=watcher,
                folder=folder,
                add=add,
                clock=clock,
                gate=gate,
                confirm=plugin.confirm,
            )

    def _fixer(self, environ: Mapping[str, str], hook: Fixer | None) -> Fixer | None:
        settings = self._settings
        if settings.fix_command is not None:
            return CommandFixer(settings.fix_command, root=self._root, environ=environ)
        if settings.fix_wait is None:
            return hook
        return WaitFixer(
            self._watcher,
            announce=self._announce,
            note=self._say_once,
        )

    def _announce(self, brief: FixBrief) -> None:
        cap = self._settings.cap.value
        self._say(
            wait_line(
                self._history(),
                cap=cap,
                iteration=brief.iteration,
                seconds=brief.seconds,
                roots=self._watcher.roots,
                brief=shown_path(brief.text_path, root=self._root),
            )
        )

    def _say_once(self, note: str | None) -> None:
        if note is not None and note not in self._said:
            self._said.add(note)
            self._say(note_line(note))

    def measuring(self, iteration: int) -> None:
        """Get ready for edits that are made while *iteration* is measured: they are the next fix's.

        Only where somebody edits at any time.
        """
        if self._step is not None and self._step.waits:
            self._step.note(iteration + 1)

    @property
    def possible(self) -> bool:
        """Whether there is somebody who fixes."""
        return self._step is not None

    def brief(self, iteration: int) -> Brief:
        """Return the brief for the fix of *iteration*; it is on disk."""
        cap = self._settings.cap.value
        return write_brief(
            self._folder,
            self._history(),
            iteration=iteration,
            cap=cap,
            root=self._root,
            texts=self._styles.texts(),
        )

    def run(self, iteration: int, *, before: History, measured: Fingerprint) -> Fingerprint:
        """Run the fix of *iteration*, say what it came to, return the sources after it.

        *measured* are the sources as this process measured them last.
        """
        assert self._step is not None
        after = self._step.run(self._told(iteration, before), before=before, measured=measured)
        history = self._history()
        if history.pending is not None and history.pending.fix is not None:
            self._say(fix_line(history, history.pending.fix, cap=self._settings.cap.value))
            for line in patch_lines(history.pending.fix):
                self._say(line)
        for note in (after.note, self._gate.note if self._gate else None):
            self._say_once(note)
        return after

    def _told(self, iteration: int, before: History) -> FixBrief:
        """Return what the fixer of *iteration* is told; no fix outlasts the budget's minutes."""
        brief = self.brief(iteration)
        left = self._history().budget_at(self._clock()).seconds_left
        most = self._settings.fix_seconds
        seconds = most if left is None else min(most, left)
        usage_path = self._folder / "fix" / f"{iteration:02d}.usage.json"
        return FixBrief(
            iteration=iteration,
            text=brief.text,
            text_path=brief.text_path,
            json_path=brief.json_path,
            usage_path=usage_path,
            seconds=seconds,
            short=seconds < most,
            record=brief.record,
            variables=fix_variables(
                brief.record,
                brief_path=brief.text_path,
                json_path=brief.json_path,
                folder=self._folder,
                root=self._root,
                timeout=seconds,
                usage_path=usage_path,
                history=before,
            ),
            sources=before.last.sources if before.last else None,
        )
