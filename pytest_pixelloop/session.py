"""One looped test, without pytest: prepare, (measure, record, advance)*, finish.

session = LoopSession(...)
try:
    if session.prepare():
        while True:
            decision = session.record(measure(session.iteration, session.iteration_folder))
            if not decision.again:
                break
            session.advance()
except BaseException as error:
    session.abort(repr(error))
    raise
summary = session.finish()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.measurement import LoopSettings, Measurement
from pytest_pixelloop.core.stopping import Decision
from pytest_pixelloop.core.summary import Summary
from pytest_pixelloop.loop.watched import WatchedSources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["Decision", "LoopSession", "LoopSettings", "Measurement", "Summary", "WatchedSources"]


class LoopSession:
    """The loop over one test: everything between two measurements, and what is kept of them.

    ``folder`` is the test's own folder in the run directory, ``root`` the folder the fixer runs
    in. ``goalposts`` gives name -> hash of everything the verdict is measured against and must not
    raise (a missing file is a value such as ``"absent"``). ``clock`` gives seconds; ``say`` takes
    one finished line for the terminal. ``environ`` is what the fixer inherits.
    """

    def __init__(
        self,
        *,
        folder: Path,
        run_id: str,
        test_id: str,
        root: Path,
        settings: LoopSettings,
        goalposts: Callable[[], Mapping[str, str]],
        sources: WatchedSources,
        clock: Callable[[], float],
        say: Callable[[str], None],
        environ: Mapping[str, str],
    ) -> None:
        self.folder = folder
        self.run_id = run_id
        self.test_id = test_id
        self.root = root
        self.settings = settings
        self._goalposts = goalposts
        self._sources = sources
        self._clock = clock
        self._say = say
        self._environ = environ

    @property
    def iteration(self) -> int:
        """The number of the iteration now being measured."""
        raise NotImplementedError

    @property
    def iteration_folder(self) -> Path:
        """The folder ``diff/NN`` of the iteration now being measured; it exists."""
        raise NotImplementedError

    def prepare(self) -> bool:
        """Start or resume; tell whether there is something to measure.

        Runs the fix first where the mode or the resumed state asks for it. False means that
        nothing is to be measured (the cap is spent, the goalposts moved): finish() tells why.
        Raises ConfigurationError when the fix command cannot be run at all.
        """
        raise NotImplementedError

    def record(self, measurement: Measurement) -> Decision:
        """Return what to do next; the measurement is on disk before this returns."""
        raise NotImplementedError

    def advance(self) -> None:
        """Run the fix, if there is one, and go to the next iteration.

        Only after a record() that said ``again``.
        """
        raise NotImplementedError

    def finish(self) -> Summary:
        """Return what the loop came to, with the end recorded and the summaries written.

        Idempotent. A loop that is finished without a final decision counts as interrupted.
        """
        raise NotImplementedError

    def abort(self, reason: str) -> Summary:
        """End as ``undetermined:interrupted``: an exception that is no verdict, or Ctrl-C."""
        raise NotImplementedError
