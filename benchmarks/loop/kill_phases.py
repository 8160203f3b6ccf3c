"""Tells, in a small shared file, what a looping pytest is at: for a killer that aims.

A pytest plugin (``-p benchmarks.loop.kill_phases``). The file named by ``KILL_PHASES`` has one byte
for the phase of this moment and a counter for each phase, of how often it began.
"""

from __future__ import annotations

import importlib
import mmap
import os
import struct
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

PHASES = ("start", "fix", "gate", "reload", "capture", "compare", "write", "end")
SIZE = 8 + 4 * len(PHASES)
#: Where each phase happens: module, then class or nothing, then function.
PLACES = (
    ("fix", "pytest_pixelloop.loop.fixer", "CommandFixer", "run"),
    ("gate", "pytest_pixelloop.loop.patch_gate", "PatchGate", "before"),
    ("gate", "pytest_pixelloop.loop.patch_gate", "PatchGate", "after"),
    ("capture", "pytest_pixelloop.capture.design_capture", "", "capture_designs"),
    ("compare", "pytest_pixelloop.checker", "", "check"),
    ("write", "pytest_pixelloop.checker", "", "write_comparison"),
    ("write", "pytest_pixelloop.store.ledger_file", "LedgerFile", "append"),
    ("write", "pytest_pixelloop.session.loop_session", "", "write_iterations"),
    ("write", "pytest_pixelloop.session.loop_session", "", "write_summary"),
    ("write", "pytest_pixelloop.store.iteration_files", "", "write_json"),
    ("write", "pytest_pixelloop.report.derived_files", "", "write_brief"),
    ("end", "pytest_pixelloop.plugin.run", "Run", "close"),
)


class Board:
    """The shared file: written by the process that loops, read by the one that kills."""

    def __init__(self, path: Path | str) -> None:
        with open(path, "a+b") as stream:  # noqa: PTH123 - needs a descriptor for mmap
            stream.truncate(SIZE)
            self._map = mmap.mmap(stream.fileno(), SIZE)

    @property
    def phase(self) -> str:
        """The phase of this moment."""
        return PHASES[self._map[0]]

    def count(self, phase: str) -> int:
        """Return how often *phase* has begun."""
        at = 8 + 4 * PHASES.index(phase)
        return int(struct.unpack_from("<I", self._map, at)[0])

    def enter(self, phase: str) -> str:
        """Note that *phase* begins; return the one that it stands in."""
        before = self.phase
        at = 8 + 4 * PHASES.index(phase)
        struct.pack_into("<I", self._map, at, self.count(phase) + 1)
        self._map[0] = PHASES.index(phase)
        return before

    def back(self, phase: str) -> None:
        """Note that the phase before goes on."""
        self._map[0] = PHASES.index(phase)


def pytest_configure() -> None:
    if (path := os.environ.get("KILL_PHASES")) is not None:
        board = Board(path)
        for phase, module, owner, name in PLACES:
            home: Any = importlib.import_module(module)
            home = getattr(home, owner) if owner else home
            setattr(home, name, _marked(board, phase, getattr(home, name)))
        loop = importlib.import_module("pytest_pixelloop.session.loop_session").LoopSession
        advance = loop.advance

        def then_reload(self: Any) -> None:
            advance(self)
            board.enter("reload")  # until the page is captured

        loop.advance = then_reload


@contextmanager
def _within(board: Board, phase: str) -> Generator[None]:
    before = board.enter(phase)
    try:
        yield
    finally:
        board.back(before)


def _marked(board: Board, phase: str, function: Any) -> Any:
    @wraps(function)
    def marked(*args: Any, **kwargs: Any) -> Any:
        with _within(board, phase):
            result = function(*args, **kwargs)
        return _marked_steps(board, phase, result) if phase == "capture" else result

    return marked


def _marked_steps(board: Board, phase: str, steps: Iterator[Any]) -> Iterator[Any]:
    """Yield what *steps* yield: a capture is made when it is asked for."""
    while True:
        with _within(board, phase):
            try:
                value = next(steps)
            except StopIteration:
                return
        yield value
