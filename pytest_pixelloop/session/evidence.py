"""What a verdict rests on beside its goalposts: the files of the run, what the page shows at all.

A fixer works beside the run's folder and may write in it. What it does there changes no verdict,
since those are made from what this process holds; but a run whose files somebody else wrote shows
nothing to anybody, so its loop ends.
"""

from __future__ import annotations

import hashlib
import json
import stat
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.ledger_chain import broken_links, lost_records
from pytest_pixelloop.core.lost_texts import lost_texts
from pytest_pixelloop.core.mask_growth import grown_masks
from pytest_pixelloop.core.records import Kind
from pytest_pixelloop.core.verdict import CONDITIONAL, PASS
from pytest_pixelloop.store.iteration_files import iteration_folder
from pytest_pixelloop.store.run_directory import LEDGER_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.core.history import History
    from pytest_pixelloop.store.ledger_file import LedgerFile

_GONE = "absent"


class Evidence:
    """Watches what lies in the test's *folder* of the run; every answer is in words for a person.

    ``ledger`` is the open ledger of this process. A plain gate, which is not ``looping``, has no
    fixer beside it: only what its ledger was before counts there.
    """

    def __init__(self, folder: Path, ledger: LedgerFile, *, looping: bool) -> None:
        self._folder = folder
        self._ledger = ledger
        self._looping = looping
        self._kept: dict[Path, str] = {}

    def forged_since(self) -> tuple[str, ...]:
        """Return what became of the run's files since the process before this one wrote them."""
        known = _ledger_link(self._folder / "summary.json")
        records = self._ledger.records
        words = broken_links(records) or lost_records(records, known=known)
        return (*(f"run:{LEDGER_NAME}: {word}" for word in words), *self._edited())

    def _edited(self) -> tuple[str, ...]:
        """Return the files of measured iterations that are not what the ledger says they were.

        One that is gone shows nothing false; who checks the run misses it.
        """
        told: dict[Path, str] = {}
        for record in self._ledger.records:
            if record.get("kind") == Kind.MEASURED:
                folder = iteration_folder(self._folder, int(record["iteration"]))
                for compared in record.get("comparisons") or ():
                    hashes = compared.get("evidence")
                    if isinstance(hashes, dict):
                        told.update((folder / name, str(hashes[name])) for name in hashes)
        return tuple(
            f"run:diff/{path.parent.name}/{path.name} was edited"
            for path, digest in sorted(told.items())
            if _digest(path) not in {digest, _GONE}
        )

    def keep(self, folder: Path) -> None:
        """Remember what an iteration's *folder* holds: from here on nothing in it changes."""
        for path in sorted(folder.glob("*")):
            self._kept[path] = _digest(path)

    def forged(self) -> tuple[str, ...]:
        """Return what somebody else did to the ledger, and to the files of measured iterations."""
        if not self._looping:
            return ()
        self._ledger.restore()
        files = tuple(
            f"run:{path.relative_to(self._folder).as_posix()} "
            + ("was taken away" if now == _GONE else "was edited")
            for path, digest in self._kept.items()
            if (now := _digest(path)) != digest
        )
        return (*(f"run:{words}" for words in self._ledger.forged), *files)

    def hidden(
        self, history: History, reports: Sequence[Mapping[str, Any]], *, status: str
    ) -> tuple[str, ...]:
        """Return what the page hides that was judged at first, where something is won by it."""
        if not self._looping or status not in {PASS, CONDITIONAL}:
            return ()
        return (*grown_masks(history, reports), *lost_texts(history, reports))


def _digest(path: Path) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return _GONE  # a pipe in its place would be waited for for ever
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return _GONE


def _ledger_link(summary: Path) -> str | None:
    """Return the record of the ledger that a summary was made from, None when nothing tells."""
    try:
        link = json.loads(summary.read_text("utf-8"))["ledger_link"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(link) if link else None
