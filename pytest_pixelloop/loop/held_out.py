"""Held-out comparisons during a loop: measured and decided upon, and in no file that can be read.

Each measurement's held-out figures, reports and pictures are one enciphered file in the test's
folder, ``sealed/NN.sealed``, written before the ledger's line. Its key lies in the user's state
folder. When the loop ends, the ledger gets ``unsealed`` lines first; then the files take their
places in ``diff/NN/``. A process that is killed in between leaves that to the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.records import Kind, record
from pytest_pixelloop.core.sealing import (
    SEALED,
    commitment,
    hidden_of,
    is_held_out,
    opens,
    public_line,
    whole_line,
)
from pytest_pixelloop.store.atomic import json_text, write_bytes_atomic
from pytest_pixelloop.store.iteration_files import iteration_folder
from pytest_pixelloop.store.sealed_file import Parcel, SealError, opened_bytes, sealed_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.store.vault import SealKey, Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sealed:
    """One iteration's seal: what it hides, and the hash of the file that holds it."""

    hidden: Mapping[str, Any]
    nonce: str
    digest: str


class HeldOut:
    """Seals what one test's held-out comparisons measured, and opens it when the loop has ended.

    *folder* is the test's own in the run directory.
    """

    def __init__(self, folder: Path, vault: Vault) -> None:
        self._test_folder = folder
        self._folder = folder / "sealed"
        self._vault = vault
        self._key: SealKey | None = None
        self._known: dict[int, _Sealed] = {}
        self._lost: dict[int, str] = {}

    def pick_up(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Read what earlier processes sealed, and finish an opening that one did not come to."""
        opened = {r["iteration"] for r in records if r["kind"] == Kind.UNSEALED}
        lines = {r["iteration"]: r for r in records if r["kind"] == Kind.MEASURED}
        for iteration, line in lines.items():
            if SEALED not in line or iteration in opened:
                continue
            try:
                self._known[iteration] = self._read(iteration, line)
            except SealError as error:
                self._lost[iteration] = f"iteration {iteration}: {error.what}"
        if opened:
            self.deliver(records)

    def joined(self, records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return a ledger's lines with everything that was measured: what decisions are made by."""
        whole: list[Mapping[str, Any]] = []
        for line in records:
            known = self._known.get(line["iteration"]) if SEALED in line else None
            whole.append(line if known is None else whole_line(line, known.hidden))
        return whole

    def seal(
        self,
        line: dict[str, Any],
        *,
        reports: Sequence[Mapping[str, Any]],
        files: Mapping[str, bytes],
    ) -> dict[str, Any]:
        """Return a ``measured`` line as the ledger gets it; what it leaves out is on the disk.

        *files* are the artifacts of the held-out comparisons.
        """
        names = [c["report"] for c in line["comparisons"]]
        kept = dict(files)
        for report, name, told in zip(reports, names, line["comparisons"], strict=True):
            if is_held_out(report):
                kept[name] = json_text(report).encode("utf-8", "backslashreplace")
                own = [name, *map(str, (report.get("artifacts") or {}).values())]
                told["evidence"] = {file: _digest(kept[file]) for file in own if file in kept}
        if not kept:
            return line
        if self._key is None:
            self._key = self._vault.make(of=self._test_folder)
        iteration, nonce, hidden = int(line["iteration"]), secrets.token_hex(16), hidden_of(line)
        told = {"iteration": iteration, "nonce": nonce, "hidden": hidden}
        data = sealed_bytes(self._key.secret, Parcel(record=told, files=kept))
        write_bytes_atomic(self._path(iteration), data)
        self._known[iteration] = _Sealed(hidden=hidden, nonce=nonce, digest=_digest(data))
        seal = {"key": self._key.name, "commitment": commitment(nonce, hidden)}
        return public_line(line, reports=reports, seal=seal)

    def broken(self) -> tuple[str, ...]:
        """Return what is sealed no longer, in words: a file that is gone or was edited."""
        for iteration, known in sorted(self._known.items()):
            try:
                same = _digest(self._path(iteration).read_bytes()) == known.digest
                words = "" if same else "a sealed file is not what was sealed"
            except OSError:
                words = "a sealed file is gone"
            if words:
                self._lost[iteration] = f"iteration {iteration}: {words}"
        return tuple(self._lost[n] for n in sorted(self._lost))

    def open(
        self,
        *,
        add: Callable[[Mapping[str, Any]], None],
        records: Callable[[], Sequence[Mapping[str, Any]]],
        at: float,
    ) -> tuple[str, ...]:
        """Tell the ledger what is sealed, and move the files; return what of it is lost, in words.

        The ledger has everything before a file is moved, so a process that is killed leaves
        nothing that the next one could not finish.
        """
        broken = self.broken()
        for iteration, known in sorted(self._known.items()):
            told = {"iteration": iteration, "nonce": known.nonce, "hidden": known.hidden}
            add(record(Kind.UNSEALED, at=at, **told))
        if self._known:
            self.deliver(records())
        return broken

    def deliver(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Give every file whose figures the ledger has told its place in ``diff/NN/``."""
        lines = {r["iteration"]: r for r in records if r["kind"] == Kind.MEASURED}
        for iteration in sorted({r["iteration"] for r in records if r["kind"] == Kind.UNSEALED}):
            line = lines.get(iteration) or {}
            with contextlib.suppress(SealError):
                parcel = self._parcel(iteration, line)
                folder = iteration_folder(self._test_folder, iteration)
                for name, data in parcel.files.items():
                    write_bytes_atomic(folder / name, data)
                self._path(iteration).unlink(missing_ok=True)
            self._known.pop(iteration, None)
        if self._known or self._lost:
            return
        with contextlib.suppress(OSError):
            self._folder.rmdir()
        names = {str((r.get(SEALED) or {}).get("key", "")) for r in lines.values()}
        for name in sorted(names):
            self._vault.drop(name)
        self._key = None

    def _path(self, iteration: int) -> Path:
        return self._folder / f"{iteration:02d}.sealed"

    def _read(self, iteration: int, line: Mapping[str, Any]) -> _Sealed:
        told = self._parcel(iteration, line).record
        hidden, nonce = told["hidden"], str(told["nonce"])
        if not opens(line, nonce=nonce, hidden=hidden):
            raise SealError("a sealed file is of another measurement")
        digest = _digest(self._path(iteration).read_bytes())
        return _Sealed(hidden=hidden, nonce=nonce, digest=digest)

    def _parcel(self, iteration: int, line: Mapping[str, Any]) -> Parcel:
        path = self._path(iteration)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise SealError("a sealed file is gone", where=str(path)) from error
        key = self._vault.find(str((line.get(SEALED) or {}).get("key", "")))
        if key is None:
            raise SealError("the key of a sealed file is gone", where=str(path))
        self._key = self._key or key
        parcel = opened_bytes(key.secret, data, name=str(path))
        if parcel.record.get("iteration") != iteration:
            raise SealError("a sealed file is of another iteration", where=str(path))
        return parcel


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
