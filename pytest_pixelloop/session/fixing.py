"""The fixes of one loop: who makes them, what they are told, and what is said of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.fix_brief import FixBrief
from pytest_pixelloop.loop.fix_step import FixStep, fix_variables
from pytest_pixelloop.loop.fixer import CommandFixer
from pytest_pixelloop.loop.style_files import StyleFiles
from pytest_pixelloop.report.derived_files import Brief, write_brief
from pytest_pixelloop.report.lines import fix_line, note_line, patch_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from pytest_pixelloop.core.history import History
    from pytest_pixelloop.core.measurement import LoopSettings
    from pytest_pixelloop.loop.patch_gate import PatchGate
    from pytest_pixelloop.loop.watched import Fingerprint, Watcher


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
        self._step: FixStep | None = None
        if settings.looping and settings.fix_command is not None:
            fixer = CommandFixer(settings.fix_command, root=root, environ=environ)
            self._step = FixStep(
                fixer, watcher=watcher, folder=folder, add=add, clock=clock, gate=gate
            )

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

    def run(self, iteration: int, *, before: History) -> Fingerprint:
        """Run the fix of *iteration*, say what it came to, return the sources after it."""
        assert self._step is not None
        after = self._step.run(self._told(iteration, before), before=before)
        history = self._history()
        if history.pending is not None and history.pending.fix is not None:
            self._say(fix_line(history, history.pending.fix, cap=self._settings.cap.value))
            for line in patch_lines(history.pending.fix):
                self._say(line)
        for note in (after.note, self._gate.note if self._gate else None):
            if note is not None and note not in self._said:
                self._said.add(note)
                self._say(note_line(note))
        return after

    def _told(self, iteration: int, before: History) -> FixBrief:
        """Return what the fixer of *iteration* is told; no fix outlasts the budget's minutes."""
        brief = self.brief(iteration)
        left = self._history().budget_at(self._clock()).seconds_left
        most = self._settings.fix_timeout
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
