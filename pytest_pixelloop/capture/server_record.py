"""What a process says of the server it started, so that the next one finds a left one."""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.process.group import kill_orphan
from pytest_pixelloop.process.process_table import process_identity, process_lives
from pytest_pixelloop.store.atomic import write_json

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA_VERSION = 1
_GONE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRecord:
    """One file in the folder of records, as long as the server runs."""

    path: Path

    @classmethod
    def write(cls, folder: Path, pid: int, *, program: str) -> ServerRecord | None:
        """Return the record of the server *pid*; None where it cannot be written."""
        path = folder / f"{os.getpid()}-{pid}.json"
        record = {
            "schema_version": SCHEMA_VERSION,
            "program": program,
            "server": {"pid": pid, "identity": process_identity(pid)},
            "owner": {"pid": os.getpid(), "identity": process_identity(os.getpid())},
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_json(path, record)
        except (OSError, PixelloopError):
            return None
        return cls(path=path)

    def remove(self) -> None:
        """Take the record away, and the folder with the last one."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
            self.path.parent.rmdir()

    @classmethod
    def end_orphans(cls, folder: Path) -> int:
        """End every server whose owner is gone, and return how many there were.

        Only what is proven to be the process that was started then is killed, and nothing that
        another session, which still lives, has started.
        """
        ended = 0
        for path in sorted(folder.glob("*.json")):
            told = _read(path)
            if told is None or _may_live(told["owner"]):
                continue
            server = told["server"]
            if kill_orphan(int(server["pid"]), identity=str(server["identity"])):
                ended += 1
                _wait_until_gone(server)
            cls(path=path).remove()
        return ended


def _read(path: Path) -> dict[str, Any] | None:
    try:
        told = json.loads(path.read_text("utf-8"))
        for name in ("owner", "server"):
            int(told[name]["pid"]), str(told[name]["identity"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return dict(told)


def _may_live(owner: dict[str, Any]) -> bool:
    """Tell whether the owner runs; where there are no identities it is taken to."""
    identity = str(owner["identity"])
    return not identity or process_lives(int(owner["pid"]), identity=identity)


def _wait_until_gone(server: dict[str, Any]) -> None:
    deadline = time.monotonic() + _GONE
    pid, identity = int(server["pid"]), str(server["identity"])
    while process_lives(pid, identity=identity) and time.monotonic() < deadline:
        time.sleep(0.02)
