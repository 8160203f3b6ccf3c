"""Seconds by phase."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Stopwatch:
    """Adds up how long each phase takes; the time of an inner phase is the inner one's only."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds: dict[str, float] = {}
        self._inner = 0.0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the time inside the block for *name*."""
        outer, self._inner = self._inner, 0.0
        started = self._clock()
        try:
            yield
        finally:
            whole = self._clock() - started
            self._seconds[name] = self._seconds.get(name, 0.0) + whole - self._inner
            self._inner = outer + whole

    @property
    def durations(self) -> dict[str, float]:
        """Seconds by phase, rounded to microseconds, in the order in which phases began."""
        return {name: round(seconds, 6) for name, seconds in self._seconds.items()}
