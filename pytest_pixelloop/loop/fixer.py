"""The command that repairs the page between two measurements, kept on a short leash."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.process.group import ask_group_to_stop, kill_group
from pytest_pixelloop.process.kept_output import KeptOutput
from pytest_pixelloop.process.words import split_command, without_secrets
from pytest_pixelloop.store.atomic import write_bytes_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

GRACE = 3.0
_DRAIN = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FixResult:
    """How a fix command ended. ``exit_code`` is None when it could not start or was stopped."""

    exit_code: int | None
    seconds: float
    timed_out: bool = False
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the command did not say that all went well."""
        return self.timed_out or self.error is not None or self.exit_code != 0


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
        begin = time.monotonic()
        kept = KeptOutput()
        try:
            process = self._start({**self._environ, **variables})
        except OSError as error:
            write_bytes_atomic(output, b"")
            why = f"could not be started: {error.strerror or error}"
            return FixResult(exit_code=None, seconds=0.0, error=why)
        threads: tuple[threading.Thread, ...] = ()
        try:
            started(process.pid)
            threads = _talk(process, brief.encode("utf-8", "backslashreplace"), kept)
            timed_out = self._wait(process)
        finally:  # on Ctrl-C, too: nothing goes on editing, and what was printed is kept
            kill_group(process.pid)
            process.wait()
            for thread in threads:
                thread.join(_DRAIN)
            write_bytes_atomic(output, kept.text())
        return FixResult(
            exit_code=None if timed_out else process.returncode,
            seconds=time.monotonic() - begin,
            timed_out=timed_out,
        )

    def _start(self, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._argv,
            cwd=self._root,
            env=dict(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _wait(self, process: subprocess.Popen[bytes]) -> bool:
        """Wait for the command; tell whether its time ran out and it had to be stopped."""
        try:
            process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            ask_group_to_stop(process.pid)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self._grace)
            return True
        return False


def _talk(
    process: subprocess.Popen[bytes], brief: bytes, kept: KeptOutput
) -> tuple[threading.Thread, ...]:
    """Start feeding the brief and draining the output, so that neither can block the other."""

    def feed() -> None:
        assert process.stdin is not None
        # A command may well ignore its input or end before it has read it.
        with contextlib.suppress(OSError, ValueError):
            process.stdin.write(brief)
        with contextlib.suppress(OSError, ValueError):
            process.stdin.close()

    def drain() -> None:
        assert process.stdout is not None
        with contextlib.suppress(OSError, ValueError), process.stdout as stream:
            while chunk := os.read(stream.fileno(), 65536):
                kept.add(chunk)

    threads = tuple(threading.Thread(target=work, daemon=True) for work in (feed, drain))
    for thread in threads:
        thread.start()
    return threads
