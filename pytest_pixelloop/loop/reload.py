"""The reload ladder of one loop: each rung is on disk before it is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.records import Kind, record
from pytest_pixelloop.core.reload import Rung, next_rung

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pytest_pixelloop.core.history import History


class ReloadLadder:
    """Gives the next rung, and counts the restarts over iterations and processes.

    ``history`` is what the ledger tells, ``add`` puts a record into it, ``say`` tells the user of a
    rung, why it is taken, and what is done on it.
    """

    def __init__(
        self,
        *,
        history: Callable[[], History],
        add: Callable[[Mapping[str, Any]], None],
        say: Callable[[Rung, str, str | None], None],
        clock: Callable[[], float],
    ) -> None:
        self._history = history
        self._add = add
        self._say = say
        self._clock = clock
        self._taken: list[Rung] = []

    def climb(self, available: Collection[Rung], why: str, *, by: str | None = None) -> Rung | None:
        """Return the rung to take because of *why*, None when none is left.

        *by* says what is done on it where that is not what is done for a page. A restart counts
        from here on, whether it succeeds or this process is killed in it.
        """
        history = self._history()
        spent = [Rung(rung) for rung in history.rungs]
        # A record without its rung, of another version, is a restart all the same.
        spent += [Rung.CONTEXT] * (history.restarts - len(spent))
        rung = next_rung(self._taken, restarts=spent, available=available)
        if rung is None:
            return None
        self._taken.append(rung)
        iteration = history.pending.iteration if history.pending else history.highest
        kind = Kind.RELOADED if rung is Rung.PAGE else Kind.RESTARTED
        self._add(
            record(kind, at=self._clock(), iteration=iteration, rung=int(rung), reason=why[:1000])
        )
        self._say(rung, why, by)
        return rung

    def reached(self) -> None:
        """Note that the target was reached: the next trouble begins at the lowest rung."""
        self._taken.clear()
