"""The fix that somebody else makes: wait until the sources are others than those measured last."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from pytest_pixelloop.loop.fixer import FixResult
from pytest_pixelloop.loop.source_alarm import SourceAlarm
from pytest_pixelloop.store.atomic import write_text_atomic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_pixelloop.core.fix_brief import FixBrief
    from pytest_pixelloop.loop.watched import Fingerprint, Watcher

#: Seconds without a further change after which an edit is over: editors save file by file.
QUIET = 1.0


class WaitFixer:
    """Waits for a person, or for anything that edits by itself.

    What counts is what the sources hold: a change that is undone is none, and one that was made
    since the last measurement and before the waiting began is one. ``announce`` is called when
    there is something to wait for, ``note`` with what a person should know.
    """

    by = "wait"
    waits = True

    def __init__(
        self,
        watcher: Watcher,
        *,
        announce: Callable[[FixBrief], None],
        note: Callable[[str], None],
        alarm: Callable[[Callable[[str], None]], SourceAlarm] = SourceAlarm,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._watcher = watcher
        self._announce = announce
        self._note = note
        self._alarm = alarm
        self._clock = clock

    def run(
        self,
        brief: FixBrief,
        *,
        output: Path,
        started: Callable[[int], None] = lambda _pid: None,  # noqa: ARG002 - there is no process
    ) -> FixResult:
        """Return when the sources have changed and are quiet, or the brief's time is up."""
        begin = self._clock()
        seen = self._watcher.fingerprint()
        base = brief.sources or seen.digest
        if seen.digest is not None and seen.digest == base:
            self._announce(brief)
        with contextlib.closing(self._alarm(self._note)) as alarm:
            seen = self._other_than(base, seen, alarm, until=begin + brief.seconds)
        seconds = self._clock() - begin
        idle = seen.digest is not None and seen.digest == base
        error = None
        if seen.digest is None:
            error = f"a change cannot be waited for: {seen.note}"
        elif idle:
            why = ", all that was left of the budget's minutes" if brief.short else ""
            error = f"nothing changed within {round(brief.seconds, 1):g} s{why}"
        write_text_atomic(output, f"waited {seconds:.1f} s: {error or 'the sources changed'}\n")
        return FixResult(exit_code=None, seconds=seconds, error=error, idle=idle)

    def _other_than(
        self, base: str | None, seen: Fingerprint, alarm: SourceAlarm, *, until: float
    ) -> Fingerprint:
        """Return the sources when they are others than *base* and quiet, or when time is up."""
        since = look = self._clock()
        while seen.digest is not None:
            alarm.follow(self._watcher.folders)
            now = self._clock()
            over = now >= until
            quiet = seen.digest != base and now - since >= QUIET
            if not (over or quiet or now >= look):
                if alarm.wait():
                    look = self._clock()
                continue
            before, seen = seen, self._watcher.fingerprint()
            if over or (quiet and seen == before):
                break
            if seen != before:
                since = self._clock()
            look = self._clock() + alarm.every
        return seen
