"""A command that is asked one question in JSON and gives one answer in JSON."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.process.group import kill_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

#: An answer is a few findings; what is longer is not one.
MOST_BYTES = 1_000_000
_SHOWN = 200
_DRAIN = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonAnswer:
    """What a command answered. ``problem`` says in words why there is no answer, "" when there is.

    ``value`` is the JSON it printed, even where it then failed: what it cost may stand in it.
    """

    value: Any = None
    problem: str = ""
    seconds: float = 0.0


def ask_command(
    argv: Sequence[str],
    question: Mapping[str, Any],
    *,
    root: Path,
    environ: Mapping[str, str],
    timeout: float,
) -> JsonAnswer:
    """Return the answer to *question*, after the command and everything it started is gone.

    No shell. The question is its standard input, one JSON object; standard error is thrown away
    except for its end where the command fails. Never raises for what a command does.
    """
    begin = time.monotonic()
    try:
        process = subprocess.Popen(
            list(argv),
            cwd=root,
            env=dict(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return JsonAnswer(problem=f"could not be started: {error.strerror or error}")
    talk = _Talk(process, json.dumps(question).encode())
    timed_out = False
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        kill_group(process.pid)
        process.wait()
        talk.end()
    seconds = round(time.monotonic() - begin, 3)
    if timed_out:
        return JsonAnswer(problem=f"gave no answer within {timeout:g} s", seconds=seconds)
    value, problem = _parsed(talk.said)
    if process.returncode != 0:
        tail = " ".join(talk.complained.decode("utf-8", "replace").split())[-_SHOWN:]
        problem = f"ended with exit code {process.returncode}" + (f": {tail}" if tail else "")
    return JsonAnswer(value=value, problem=problem, seconds=seconds)


def _parsed(said: bytes) -> tuple[Any, str]:
    if len(said) > MOST_BYTES:
        return None, f"printed more than {MOST_BYTES} bytes"
    try:
        return json.loads(said.decode("utf-8")), ""
    except (ValueError, RecursionError):
        return None, "did not print JSON"


class _Talk:
    """Feeds a command and drains it at once, so that neither can block the other."""

    def __init__(self, process: subprocess.Popen[bytes], question: bytes) -> None:
        self._process = process
        self._kept: dict[str, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        self._threads = [threading.Thread(target=self._feed, args=(question,), daemon=True)]
        self._threads += [
            threading.Thread(target=self._drain, args=(name,), daemon=True) for name in self._kept
        ]
        for thread in self._threads:
            thread.start()

    @property
    def said(self) -> bytes:
        """What it printed, at most one byte more than is read."""
        return bytes(self._kept["stdout"])

    @property
    def complained(self) -> bytes:
        """What it printed to standard error, its beginning."""
        return bytes(self._kept["stderr"])

    def end(self) -> None:
        """Wait until everything that was printed is here."""
        for thread in self._threads:
            thread.join(_DRAIN)

    def _feed(self, question: bytes) -> None:
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):  # it may end without reading
            stream.write(question)
        with contextlib.suppress(OSError, ValueError):
            stream.close()

    def _drain(self, name: str) -> None:
        stream = getattr(self._process, name)
        kept = self._kept[name]
        with contextlib.suppress(OSError, ValueError), stream:
            while chunk := os.read(stream.fileno(), 65536):
                kept += chunk[: MOST_BYTES + 1 - len(kept)]
