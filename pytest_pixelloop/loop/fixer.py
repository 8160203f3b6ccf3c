"""The command that repairs the page between two measurements, kept on a short leash."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.loop.kept_output import KeptOutput
from pytest_pixelloop.store.atomic import write_bytes_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: What a fixer never inherits: it needs no access to the designs' home to repair a page.
SECRETS = ("FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN")
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
        self._environ = {k: v for k, v in environ.items() if k.upper() not in SECRETS}
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
            _ask_group_to_stop(process.pid)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self._grace)
            return True
        return False


def split_command(command: str, *, root: Path, environ: Mapping[str, str]) -> list[str]:
    """Return the command as words, the program as a path that exists.

    Raises ConfigurationError, worded for the person who wrote the command.
    """
    where = f"--fix-command {command!r}"
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError as error:
        raise ConfigurationError(
            f"the fix command cannot be split into words: {error}",
            where=where,
            expected="a program and its arguments, quoted as in a shell",
        ) from error
    if not words:
        raise ConfigurationError(
            "the fix command is empty", where=where, expected="a program and its arguments"
        )
    return [_find_program(words[0], root=root, environ=environ, where=where), *words[1:]]


def _find_program(word: str, *, root: Path, environ: Mapping[str, str], where: str) -> str:
    if Path(word).name != word:
        path = root / word
        if not path.is_file():
            raise ConfigurationError(
                f"the fix command's program does not exist: {word}",
                where=where,
                expected=f"a file, relative to {root}",
                next_step="correct the path; no shell is involved, so ~ and $VARIABLES stay as is",
            )
        if not os.access(path, os.X_OK):
            raise ConfigurationError(
                f"the fix command's program is not executable: {word}",
                where=where,
                next_step=f"chmod +x {word}",
            )
        return str(path)
    found = shutil.which(word, path=environ.get("PATH"))
    if found is None:
        raise ConfigurationError(
            f"the fix command's program is not found: {word}",
            where=where,
            expected="a program on PATH (no shell is involved: no pipes, aliases or built-ins)",
            next_step=f"a script in the project is written ./{word}",
        )
    return str(Path(found).absolute())


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


def _ask_group_to_stop(pid: int) -> None:
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGTERM)


def kill_group(pid: int) -> None:
    """Kill the process group that *pid* leads: children that outlive the command, too."""
    if sys.platform == "win32":
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(pid)],  # noqa: S607 - a Windows system program
            check=False,
            capture_output=True,
        )
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def process_identity(pid: int) -> str:
    """Return what tells this process from a later one with the same id; "" where unknown.

    On Linux the time it was started, from /proc.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
        return stat.rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def kill_orphan(pid: int, *, identity: str) -> bool:
    """Kill a fixer that a killed process left running; tell whether there was one.

    Only when *identity* proves that the process is the one that was started then: it would go on
    editing the sources while the next one does, too.
    """
    if not identity or process_identity(pid) != identity:
        return False
    kill_group(pid)
    return True
