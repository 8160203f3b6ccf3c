"""Pulls that are killed: ``python killed_pulls.py FOLDER POINT...`` pulls once for each point.

Each pull works on a copy of FOLDER, ``FOLDER-<point>``, in a process of its own that sends itself
SIGKILL at its POINT-th step on the file system; 0 is a pull that is left alone. Printed is a line
for each: the point, the exit code (-9 when it was killed) and the steps that were made.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from pytest_pixelloop.cli.main import main

STEPS = ("open", "replace", "fsync", "mkdir", "unlink", "close")


def count_steps(point: int, pipe: int) -> None:
    """Count calls of the file system and kill this process at *point*."""
    done = 0

    def counted(real: Any) -> Any:
        def step(*arguments: Any, **words: Any) -> Any:
            nonlocal done
            done += 1
            os.pwrite(pipe, f"{done:6}".encode(), 0)
            if done == point:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **words)

        return step

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))


def pull(folder: Path, point: int) -> tuple[int, int]:
    """Return the exit code of a pull that dies at *point*, and its steps."""
    counter = os.open(folder.with_name("steps"), os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    child = os.fork()
    if child == 0:
        count_steps(point, counter)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = main(["pull", "--designs", str(folder / "designs")])
        os._exit(code)
    _, status = os.waitpid(child, 0)
    steps = int(os.pread(counter, 6, 0) or b"0")
    os.close(counter)
    return os.waitstatus_to_exitcode(status), steps


def run(folder: Path, points: list[int]) -> None:
    """Pull once for each point and print what came of it."""
    for point in points:
        copy = folder.with_name(f"{folder.name}-{point}")
        shutil.copytree(folder, copy)
        code, steps = pull(copy, point)
        sys.stdout.write(f"{point} {code} {steps}\n")


if __name__ == "__main__":
    run(Path(sys.argv[1]), [int(word) for word in sys.argv[2:]])
