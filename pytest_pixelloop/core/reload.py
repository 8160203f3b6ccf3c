"""The reload ladder: which rung is next when the target cannot be reached.

Rung 0 reloads the page and is free. Rung 1 begins with a fresh browser context, rung 2 restarts the
served application; both are restarts, of which a loop has MAX_RESTARTS.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MAX_RESTARTS = 2


class Rung(IntEnum):
    """A rung of the ladder."""

    PAGE = 0
    CONTEXT = 1
    APPLICATION = 2


def next_rung(
    taken: Sequence[Rung], *, restarts: Sequence[Rung], available: Collection[Rung]
) -> Rung | None:
    """Return the rung to take now, None when there is none left.

    *taken* are those since the target was reached last, *restarts* those that were counted in the
    whole loop. No rung is taken twice in a row of failures, it only goes up; and a restart that
    was of no use once in the loop makes way for the one above it, as long as there is one.
    """
    above = sorted(rung for rung in available if not taken or rung > max(taken))
    if len(restarts) >= MAX_RESTARTS:
        return Rung.PAGE if Rung.PAGE in above else None
    fresh = [rung for rung in above if rung not in restarts]
    return next(iter(fresh or above), None)
