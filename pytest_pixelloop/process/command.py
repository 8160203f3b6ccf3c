"""One command, run to its end: no shell, own process group, own timeout, bounded output."""

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

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

GRACE = 3.0
_DRAIN = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended. ``exit_code`` is None when it could not start or was stopped."""

    exit_code: int | None
    seconds: float
    timed_out: bool = False
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the command did not say that all went well."""
        return self.timed_out or self.error is not None or self.exit_code != 0

    @property
    def words(self) -> str:
        """How it ended, to complete "the command ..."."""
        if self.timed_out:
            return "took longer than its time and was killed"
        return self.error or f"ended with exit code {self.exit_code}"


def run_command(
    argv: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    timeout: float,
    keep: Callable[[bytes], None],
    stdin: bytes = b"",
    grace: float = GRACE,
    started: Callable[[int], None] = lambda _pid: None,
) -> Ended:
    """Return how the command ended, after it and everything it left behind is gone.

    *keep* gets what it printed to standard output and error, bounded in size, on every way out.
    *started* gets the process id. ``grace`` is how many seconds it has between being asked to stop
    and being killed.
    """
    begin = time.monotonic()
    kept = KeptOutput()
    try:
        process = _start(argv, cwd, environ)
    except OSError as error:
        keep(b"")
        why = f"could not be started: {error.strerror or error}"
        return Ended(exit_code=None, seconds=0.0, error=why)
    threads: tuple[threading.Thread, ...] = ()
    try:
        started(process.pid)
        threads = _talk(process, stdin, kept)
        timed_out = _wait(process, timeout, grace)
    finally:  # on Ctrl-C, too: nothing goes on working, and what was printed is kept
        kill_group(process.pid)
        process.wait()
        for thread in threads:
            thread.join(_DRAIN)
        keep(kept.text())
    return Ended(
        exit_code=None if timed_out else process.returncode,
        seconds=time.monotonic() - begin,
        timed_out=timed_out,
    )


def _start(argv: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=dict(environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _wait(process: subprocess.Popen[bytes], timeout: float, grace: float) -> bool:
    """Wait for the command; tell whether its time ran out and it had to be stopped."""
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        ask_group_to_stop(process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
        return True
    return False


def _talk(
    process: subprocess.Popen[bytes], told: bytes, kept: KeptOutput
) -> tuple[threading.Thread, ...]:
    """Start feeding its input and draining the output, so that neither can block the other."""

    def feed() -> None:
        assert process.stdin is not None
        # A command may well ignore its input or end before it has read it.
        with contextlib.suppress(OSError, ValueError):
            process.stdin.write(told)
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
