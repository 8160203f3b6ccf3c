"""What a run has spent outside one test: the ledgers of its other tests, and those who looked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.budget import Spent
from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.store.ledger_file import read_records
from pytest_pixelloop.store.run_directory import LEDGER_NAME

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.store.run_directory import RunDirectory

_Stamp = tuple[int, int]


class RunSpending:
    """Adds up what a run has spent; a ledger is read again only when it has grown."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run
        self._known: dict[Path, tuple[_Stamp, Spent]] = {}

    def elsewhere(self, folder: Path) -> Spent:
        """Return what all tests but that of *folder* and the vision calls have spent."""
        whole = vision_spending(self._run)
        for path in sorted((self._run.path / "tests").glob(f"*/{LEDGER_NAME}")):
            if path.parent != folder:
                whole += self._of(path)
        return whole

    def _of(self, path: Path) -> Spent:
        try:
            status = path.stat()
            stamp = (status.st_size, status.st_mtime_ns)
            if path not in self._known or self._known[path][0] != stamp:
                self._known[path] = (stamp, fold(read_records(path)).spent)
        except (OSError, PixelloopError):
            return Spent()  # a ledger that cannot be read is its own test's error
        return self._known[path][1]


def vision_spending(run: RunDirectory) -> Spent:
    """Return what the vision calls of *run* have cost so far."""
    from pytest_pixelloop.store.vision_answers import VisionAnswers  # noqa: PLC0415

    folder = run.path / "vision"
    if not folder.is_dir():
        return Spent()
    looked = VisionAnswers(folder).spent()
    return Spent(cost_usd=looked.cost_usd, tokens=looked.tokens)
