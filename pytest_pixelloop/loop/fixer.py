"""The command that repairs the page between two measurements, kept on a short leash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.process.command import GRACE, Ended, run_command
from pytest_pixelloop.process.words import split_command, without_secrets
from pytest_pixelloop.store.atomic import write_bytes_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

FixResult = Ended


class CommandFixer:
    """A fix command that can be run: no shell, own process group, own timeout.

    *root* is the folder it runs in and what a relative program path is relative to. Raises
    ConfigurationError when the command cannot be split into words or its program not be found.
    ``grace`` is how many seconds a command has between being asked to stop and being killed.
    """

    def __init__(
        self,
        command: str,
        *,
        root: Path,
        environ: Mapping[str, str],
        timeout: float,
        grace: float = GRACE,
    ) -> None:
        self._argv = split_command(command, root=root, environ=environ)
        self._root = root
        self._environ = without_secrets(environ)
        self._timeout = timeout
        self._grace = grace

    def run(
        self,
        brief: str,
        *,
        variables: Mapping[str, str],
        output: Path,
        started: Callable[[int], None] = lambda _pid: None,
    ) -> FixResult:
        """Return how the command ended, after it and everything it left behind is gone.

        *brief* goes to its standard input, *variables* into its environment. Standard output and
        error go to the file *output*, bounded in size. *started* gets the process id.
        """
        return run_command(
            self._argv,
            cwd=self._root,
            environ={**self._environ, **variables},
            timeout=self._timeout,
            grace=self._grace,
            stdin=brief.encode("utf-8", "backslashreplace"),
            keep=lambda printed: write_bytes_atomic(output, printed),
            started=started,
        )
