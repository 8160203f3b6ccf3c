"""The application under test as a process: started once, watched, and ended whatever happens.

It is started without a shell, as the leader of a process group of its own, when the first capture
needs it. Everything that can go wrong ends in words and in a limited time: it never answers, it
answers with an error, it ends by itself, its port belongs to somebody else.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shlex
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.probe import Answer, ask, check_url, free_port, is_taken
from pytest_pixelloop.capture.server_record import ServerRecord
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError
from pytest_pixelloop.process.group import ask_group_to_stop, await_reaping, kill_group
from pytest_pixelloop.process.words import split_command, without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

PORT = "{port}"
GRACE = 3.0
LAST_LINES = 10
_ASK = 5.0
_SHORTEST = 1.0
_STEP = 0.05
#: A process that hangs up may be on its way out: what it dies of is worth waiting for.
_DYING = 0.5
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What is to be served and where it answers.

    ``command`` None: it is started by somebody else, and only asked. ``{port}`` in ``command`` and
    ``url`` stands for a free port. ``timeout`` is seconds until it has to answer. ``reuse`` takes
    what answers at the address already for the application.
    """

    url: str
    command: str | None = None
    timeout: float = 60.0
    reuse: bool = False

    @property
    def has_own_port(self) -> bool:
        """Whether each process can have an application of its own."""
        return PORT in self.url


def check_serving(serving: Serving) -> None:
    """Raise ConfigurationError for an address that is none, and for a {port} on one side only."""
    check_url(serving.url, where="--serve-url")
    command = serving.command
    if command is None:
        if serving.has_own_port:
            raise ConfigurationError(
                "{port} in --serve-url has no meaning without a command to start",
                where=f"--serve-url {serving.url}",
                next_step="write the port, or add --serve-command",
            )
        return
    if (PORT in command) != serving.has_own_port:
        raise ConfigurationError(
            "{port} stands in only one of --serve-command and --serve-url",
            where=f"--serve-command {command!r} --serve-url {serving.url}",
            expected="{port} in both, for a free port, or in neither",
        )


_REAPING = 10.0
"""Seconds that the init process is given to reap what was killed: in containers it only polls."""


class ServedApp:
    """One application, for one process and all its captures.

    ``root`` is the folder it runs in. ``output`` gives a new file for what it prints; ``records``
    is the folder where processes say what they serve, so that what a killed one left running is
    found.
    """

    def __init__(
        self,
        serving: Serving,
        *,
        root: Path,
        environ: Mapping[str, str],
        output: Callable[[], Path],
        records: Path,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.serving = serving
        self._root = root
        self._environ = without_secrets(environ)
        self._output = output
        self._records = records
        self._clock = clock
        self._sleep = sleep
        self._port = str(free_port()) if serving.has_own_port else ""
        self._process: subprocess.Popen[bytes] | None = None
        self._record: ServerRecord | None = None
        self._log: Path | None = None
        self._failure: CaptureError | None = None
        self._answered = False
        self._handlers: dict[int, Any] = {}
        self._pid = os.getpid()

    @property
    def url(self) -> str:
        """The address, with the port that was chosen; nothing is started for it."""
        return self.serving.url.replace(PORT, self._port)

    @property
    def restartable(self) -> bool:
        """Whether there is a command that starts it, and what answers is not somebody else's."""
        return self.serving.command is not None and not (self._answered and self._process is None)

    def ready(self, *, again: bool = False) -> None:
        """Return when the application answers; the first call starts it.

        Later calls only look whether its process lives; with *again* (its sources have changed) it
        has to answer once more. Raises CaptureError with reason ``unreachable``, and goes on
        doing so: nothing of ours is started twice unasked, and what somebody else runs is asked
        anew only with *again*. Raises ConfigurationError where its port is taken.
        """
        if self._failure is not None and (self._is_gone or not again):
            raise self._failure
        if self._process is None and not self._answered:
            self._begin()
        elif self._process is not None and self._process.poll() is not None:
            raise self._fail(self._ended_words())
        elif again:
            self._wait(starting=False)

    @property
    def _is_gone(self) -> bool:
        """Whether it is ours to start, was started, and has been ended."""
        ours = self.serving.command is not None and not self._answered
        return ours and self._process is None

    def restart(self) -> None:
        """End the application and start it; raises as ready() does."""
        before = self._process
        self.stop()
        if before is not None:
            await_reaping(before.pid, timeout=_REAPING)
        self._failure = None
        self._begin(again=True)

    def trouble(self) -> CaptureError | None:
        """Return why the application cannot be reached at this moment, None when it can."""
        if self._failure is not None:
            return self._failure
        if self._process is None and not self._answered:
            return None
        if self._process is not None and self._process.poll() is not None:
            return self._fail(self._ended_words())
        answer = ask(self.url, timeout=min(_ASK, self.serving.timeout))
        if answer.good:
            return None
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_DYING)
                return self._fail(self._ended_words())
        return self._unreachable(answer.words)

    def stop(self) -> None:
        """End the application and everything it started; nothing if it does not run."""
        process = self._process
        if process is None or os.getpid() != self._pid:
            return
        try:
            ask_group_to_stop(process.pid)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
        finally:  # on Ctrl-C, too
            kill_group(process.pid)
            process.wait()
        self._process = None
        self._answered = False
        if self._record is not None:
            self._record.remove()
        atexit.unregister(self.stop)
        for number, before in self._handlers.items():
            signal.signal(number, before)
        self._handlers = {}

    def _begin(self, *, again: bool = False) -> None:
        # A killed process whose threads have not all ended still holds the port for a moment.
        ended = ServerRecord.end_orphans(self._records) or again
        if is_taken(self.url) and not (ended and self._becomes_free()):
            if self.serving.command is None or self.serving.reuse:
                self._wait(starting=False)
                return
            raise ConfigurationError(
                f"something answers at {self.url} already, and it was not started by this run",
                where=f"--serve-command {self.serving.command!r}",
                expected="a free port",
                next_step="end it, or use it as it is with --serve-reuse, or write {port} for a "
                "free port in --serve-command and --serve-url",
            )
        if self.serving.command is None:
            raise self._fail("cannot be reached")
        self._start(self.serving.command)
        self._wait(starting=True)

    def _becomes_free(self) -> bool:
        deadline = self._clock() + GRACE
        while is_taken(self.url):
            if self._clock() >= deadline:
                return False
            self._sleep(_STEP)
        return True

    def _start(self, command: str) -> None:
        words = split_command(
            command,
            root=self._root,
            environ=self._environ,
            option="--serve-command",
            noun="serve command",
        )
        argv = [words[0], *(word.replace(PORT, self._port) for word in words[1:])]
        variables = {"PIXELLOOP_SERVE_URL": self.url, "PIXELLOOP_PORT": self._port}
        self._log = self._output()
        try:
            with self._log.open("wb") as stream:
                self._process = subprocess.Popen(
                    argv,
                    cwd=self._root,
                    env={**self._environ, **variables},
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except OSError as error:
            raise self._fail(f"could not be started: {error.strerror or error}") from error
        atexit.register(self.stop)
        self._catch_signals()
        self._record = ServerRecord.write(self._records, self._process.pid, program=words[0])

    def _catch_signals(self) -> None:
        """Let a SIGTERM that would end this process end the application first."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL:
                self._handlers[number] = signal.signal(number, self._end_with)

    def _end_with(self, number: int, _frame: object) -> None:
        if self._process is not None and os.getpid() == self._pid:
            kill_group(self._process.pid)  # at once: the signal may have come during stop()
            self.stop()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def _wait(self, *, starting: bool) -> None:
        """Return when there is a good answer; one that never gives any after its start is ended."""
        deadline = self._clock() + self.serving.timeout
        told: Answer | None = None
        while True:
            answer = self._one_answer(deadline)
            if told is None or told.status is None or answer.status is not None:
                told = answer  # what it answered says more than that the time was up
            if self._process is not None and self._process.poll() is not None:
                raise self._fail(self._ended_words())
            if answer.good:
                self._answered = True
                self._failure = None
                return
            if self._clock() >= deadline:
                failure = self._fail(f"{told.words} (waited {self.serving.timeout:g} s)")
                if starting:
                    self.stop()
                raise failure
            self._sleep(_STEP)

    def _one_answer(self, deadline: float) -> Answer:
        return ask(self.url, timeout=max(min(_ASK, deadline - self._clock()), _SHORTEST))

    def _ended_words(self) -> str:
        assert self._process is not None
        code = self._process.returncode
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        when = "while it was used" if self._answered else "before it answered"
        return f"ended by itself {when}, with {how}"

    def _fail(self, words: str) -> CaptureError:
        self._failure = self._unreachable(words)
        return self._failure

    def _unreachable(self, words: str) -> CaptureError:
        """Return the error that names what happened, what was printed last, and what to type."""
        command = self.serving.command
        printed = self._last_lines()
        where = f"--serve-command {command!r}" if command else "--serve-url"
        if self._log is not None:
            where += f"; its output is in {self._log}"
        if printed:
            where += "\n" + "\n".join(f"    | {line}" for line in printed)
        return CaptureError(
            f"the application at {self.url} {words}",
            reason="unreachable",
            where=where,
            expected=f"an answer with a status below 500 within {self.serving.timeout:g} s",
            next_step=f"cd {shlex.quote(str(self._root))} && "
            + command.replace(PORT, self._port or PORT)
            if command
            else "start the application, or have it started with --serve-command",
        )

    def _last_lines(self) -> list[str]:
        if self._log is None:
            return []
        try:
            with self._log.open("rb") as stream:
                stream.seek(0, os.SEEK_END)
                stream.seek(max(stream.tell() - 8192, 0))
                text = stream.read().decode("utf-8", "replace")
        except OSError:
            return []
        lines = ["".join(c if c.isprintable() else " " for c in line) for line in text.splitlines()]
        return [line[:200].rstrip() for line in lines if line.strip()][-LAST_LINES:]
