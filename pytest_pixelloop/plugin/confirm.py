"""Asking a person at the terminal whether a patch is to be measured."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.core.explain import printable

if TYPE_CHECKING:
    from collections.abc import Generator

#: Lines of a patch that are shown; the rest is in its file.
SHOWN = 200
WIDTH = 400
_YES, _NO = frozenset(("y", "yes")), frozenset(("n", "no"))


def refuse_without_terminal(config: pytest.Config) -> None:
    """Refuse to ask where nobody can answer, before anything runs."""
    with real_terminal(config):
        there = all(getattr(s, "isatty", bool)() for s in (sys.stdin, sys.stdout))
    if not there:
        raise pytest.UsageError(
            "--fix-confirm asks before each patch is measured, and there is no terminal to ask at: "
            "run it in a terminal, without redirecting its input or output, or drop --fix-confirm"
        )


@contextmanager
def real_terminal(config: pytest.Config) -> Generator[None]:
    """Take pytest's capturing off where it is on, and that of the input, too.

    Between the phases of a test it is off except for the input, which pytest takes again with the
    next phase. Resuming what was off would capture what the terminal should show.
    """
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    if capture is None:
        yield
        return
    with capture.global_and_fixture_disabled():
        capture.suspend_global_capture(in_=True)
        yield


class Confirm:
    """Shows a patch and asks. Nothing in a patch reaches the terminal as anything but text."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def __call__(self, iteration: int, patch: str, path: str) -> bool:
        """Return whether the *patch* is to be measured; *path* is where it lies whole."""
        writer: Any = self._config.get_terminal_writer()
        with real_terminal(self._config):
            if writer.width_of_current_line:
                writer.line()
            lines = patch.removesuffix("\n").split("\n")
            for line in lines[:SHOWN]:
                writer.line(printable(line.expandtabs(4), limit=WIDTH), **_markup(line))
            more = len(lines) - SHOWN
            if more > 0:
                writer.line(f"({more} more lines; the whole patch: {printable(path)})")
            return self._answer(writer, f"measure this patch of iteration {iteration}? [y/n] ")

    def _answer(self, writer: Any, question: str) -> bool:
        while True:
            writer.write(question, flush=True)
            told = sys.stdin.readline()
            word = told.strip().lower()
            if word in _YES:
                return True
            if not told:  # the input has ended: nobody said yes
                writer.line()
            if word in _NO or not told:
                return False


def _markup(line: str) -> dict[str, bool]:
    if line.startswith(("---", "+++")):
        return {"bold": True}
    colours = {"+": "green", "-": "red", "@": "cyan"}
    return {colours[line[0]]: True} if line[:1] in colours else {}
