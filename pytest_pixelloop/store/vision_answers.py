"""Answers of a run about its pictures, on disk: asked once for equal pictures, by any process.

``<run>/vision/<hash>.json`` is one question's answer, ``<hash>.png`` the picture it was about. The
hash is that of the pixels and of who was asked. A file ``<hash>.asked`` is taken before the
question is put and stays: what was asked once is never asked again, whatever came of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.records import plain
from pytest_pixelloop.core.vision import VISION_SCHEMA_VERSION, AnswerError, Spent, read_cost
from pytest_pixelloop.store.atomic import write_json
from pytest_pixelloop.store.images import write_png
from pytest_pixelloop.store.run_directory import RUN_NAME, RunDirectory, read_run_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

_PAUSE = 0.2


class VisionAnswers:
    """The answers of one run. *folder* need not exist."""

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.folder = folder
        self._clock = clock
        self._sleep = sleep

    def key(self, image: NDArray[np.uint8], *, asked: str) -> str:
        """Return the hash of a picture's pixels and of who is *asked*."""
        digest = hashlib.sha256(asked.encode("utf-8", "surrogatepass"))
        digest.update(repr(image.shape).encode())
        digest.update(image.tobytes())
        return digest.hexdigest()[:32]

    def read(self, key: str) -> dict[str, Any] | None:
        """Return the answer that is kept, None for none."""
        with contextlib.suppress(OSError, ValueError):
            record = json.loads((self.folder / f"{key}.json").read_text("utf-8"))
            if isinstance(record, dict):
                return record
        return None

    def claim(self, key: str) -> bool:
        """Tell whether the caller is the first to ask this; nobody else may from now on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            os.close(os.open(self.folder / f"{key}.asked", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        return True

    def await_other(self, key: str, *, timeout: float) -> dict[str, Any] | None:
        """Return the answer that another process is waiting for; None when none comes in time."""
        deadline = self._clock() + timeout
        while (record := self.read(key)) is None and self._clock() < deadline:
            self._sleep(_PAUSE)
        return record

    def picture(self, key: str, image: NDArray[np.uint8]) -> Path:
        """Return the path of the picture, written where it is not yet."""
        path = self.folder / f"{key}.png"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            write_png(path, image)
        return path.absolute()

    def keep(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep an answer, or what went wrong instead of one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = {"schema_version": VISION_SCHEMA_VERSION, **record}
        write_json(self.folder / f"{key}.json", plain(kept))

    def spent(self) -> Spent:
        """Return what all answers of the run have cost."""
        calls, tokens, cost = 0, 0, 0.0
        for path in sorted(self.folder.glob("*.json")):
            record = self.read(path.stem)
            if record is None:
                continue
            calls += 1
            with contextlib.suppress(AnswerError):
                more, dollars = read_cost(record.get("answer"))
                tokens, cost = tokens + more, cost + dollars
        return Spent(calls=calls, tokens=tokens, cost_usd=cost)


def note_totals(run: RunDirectory) -> None:
    """Write what the run's vision calls have cost into ``run.json``, where there were any."""
    folder = run.path / "vision"
    record = read_run_json(run)
    if record and folder.is_dir():
        spent = VisionAnswers(folder).spent().as_record()
        write_json(run.path / RUN_NAME, {**record, "vision": spent})
