"""Whoever repairs the page between two measurements: what they share, and the fix command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_pixelloop.process.adoption import Adoption
from pytest_pixelloop.process.command import GRACE, run_command
from pytest_pixelloop.process.words import split_command, without_secrets
from pytest_pixelloop.store.atomic import write_bytes_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_pixelloop.core.budget import Usage
    from pytest_pixelloop.core.fix_brief import FixBrief


@dataclass(frozen=True, slots=True, kw_only=True)
class FixResult:
    """How a fix ended.

    ``exit_code`` is None for what is no command, or could not start or was stopped. ``idle`` tells
    that nobody did anything, and ``error`` then why; else an ``error`` is a failure. ``usage``
    None: nothing was said here of what it cost.
    """

    exit_code: int | None
    seconds: float
    timed_out: bool = False
    error: str | None = None
    idle: bool = False
    usage: Usage | None = None

    @property
    def failed(self) -> bool:
        """Whether the fix did not say that all went well."""
        wrong = self.error is not None and not self.idle
        return self.timed_out or wrong or self.exit_code not in {0, None}


class Fixer(Protocol):
    """Somebody who fixes. ``by`` is what the ledger calls them.

    ``waits`` tells that the edits are made by somebody else at any time: what changed since the
    last measurement counts, and not since the call.
    """

    @property
    def by(self) -> str:
        """``command``, ``hook`` or ``wait``."""

    @property
    def waits(self) -> bool:
        """Whether the sources are edited while nobody fixes, too."""

    def run(
        self, brief: FixBrief, *, output: Path, started: Callable[[int], None] = ...
    ) -> FixResult:
        """Return how the fix ended.

        What it printed goes to the file *output*. *started* gets the id of its process, if it has
        one of its own.
        """


class CommandFixer:
    """A fix command that can be run: no shell, own process group, own timeout.

    *root* is the folder it runs in and what a relative program path is relative to. Raises
    ConfigurationError when the command cannot be split into words or its program not be found.
    ``grace`` is how many seconds a command has between being asked to stop and being killed.
    """

    by = "command"
    waits = False

    def __init__(
        self, command: str, *, root: Path, environ: Mapping[str, str], grace: float = GRACE
    ) -> None:
        self._argv = split_command(command, root=root, environ=environ)
        self._root = root
        self._environ = without_secrets(environ)
        self._grace = grace

    def run(
        self,
        brief: FixBrief,
        *,
        output: Path,
        started: Callable[[int], None] = lambda _pid: None,
    ) -> FixResult:
        """Return how the command ended, after it and everything it left behind is gone.

        The brief's text goes to its standard input, its variables into its environment. Standard
        output and error go to the file *output*, bounded in size. *started* gets the process id.
        """
        with Adoption(brief.variables) as left:
            ended = run_command(
                self._argv,
                cwd=self._root,
                environ={**self._environ, **brief.variables},
                timeout=brief.seconds,
                grace=self._grace,
                stdin=brief.text.encode("utf-8", "backslashreplace"),
                keep=lambda printed: write_bytes_atomic(output, printed),
                started=started,
            )
        if left.killed:
            told = f"\n[processes left running and killed: {left.killed}]\n"
            write_bytes_atomic(output, output.read_bytes() + told.encode("ascii"))
        return FixResult(
            exit_code=ended.exit_code,
            seconds=ended.seconds,
            timed_out=ended.timed_out,
            error=ended.error,
        )
