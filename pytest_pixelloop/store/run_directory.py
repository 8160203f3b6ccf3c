"""One run's folder: who may be in it, how it is named, one folder for each test."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError, PixelloopError
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.store.atomic import write_json, write_text_atomic
from pytest_pixelloop.store.ledger_file import read_records

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from pytest_pixelloop.core.history import History

RUN_SCHEMA_VERSION = 1
LEDGER_NAME = "ledger.jsonl"
RUN_NAME = "run.json"
LATEST_NAME = "latest"
MAX_SLUG = 60
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDirectory:
    """The folder ``<base>/runs/<run_id>``, which exists. ``base`` is ``.pixelloop``."""

    base: Path
    run_id: str

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.base / "runs" / self.run_id

    @property
    def ledgers(self) -> tuple[Path, ...]:
        """The ledgers of all tests of the run, sorted by folder name."""
        return tuple(sorted(self.path.glob(f"tests/*/{LEDGER_NAME}")))

    def test_folder(self, test_id: str) -> Path:
        """Return the folder of one test, which exists; no other test id has the same one."""
        folder = self.path / "tests" / slug_of(test_id)
        _make(folder)
        return folder

    def histories(self) -> tuple[tuple[Path, History], ...]:
        """Return each test's folder and history, folded from its ledger, sorted by test id."""
        found = [(ledger.parent, fold(read_records(ledger))) for ledger in self.ledgers]
        told = [(folder, history) for folder, history in found if history.test_id is not None]
        return tuple(sorted(told, key=lambda pair: (pair[1].test_id or "", pair[0].name)))


def open_run(base: Path, run_id: str | None = None, *, now: datetime) -> RunDirectory:
    """Return the run directory: a new one, or the one named *run_id*, made when there is none.

    A new run is called ``YYYYMMDD-HHMM``, with ``-2``, ``-3``, ... when another process took the
    name; taking a name is one exclusive mkdir. ``<base>/latest`` names the run afterwards.
    Raises ConfigurationError for a run id that is no plain name.
    """
    if run_id is not None:
        check_run_id(run_id)
        run = RunDirectory(base=base, run_id=run_id)
        _make(run.path)
    else:
        run = _new_run(base, now)
    _keep_out_of_git(base)
    if not (run.path / RUN_NAME).exists():
        write_json(run.path / RUN_NAME, _identity(run.run_id, now))
    write_text_atomic(base / LATEST_NAME, run.run_id + "\n")
    return run


def _new_run(base: Path, now: datetime) -> RunDirectory:
    stem = now.strftime("%Y%m%d-%H%M")
    _make(base / "runs")
    for number in itertools.count(1):
        run = RunDirectory(base=base, run_id=stem if number == 1 else f"{stem}-{number}")
        try:
            run.path.mkdir()
        except FileExistsError:
            continue
        except OSError as error:
            raise _trouble(run.path, error) from error
        return run
    raise AssertionError  # the count never ends


def check_run_id(run_id: str) -> None:
    """Raise ConfigurationError unless *run_id* is a name that is safe as a folder everywhere."""
    good = _RUN_ID.fullmatch(run_id) and not _RESERVED.fullmatch(run_id)
    if not good or run_id.endswith("."):
        raise ConfigurationError(
            f"the run id {run_id[:100]!r} cannot be used",
            where="--run-id",
            expected="1 to 80 letters, digits, '-', '_' or '.', starting with a letter or digit",
            next_step="leave --run-id away to get a new run id",
        )


def latest_run_id(base: Path) -> str | None:
    """Return the id of the run that was opened last, None when there is none."""
    try:
        text = (base / LATEST_NAME).read_text("utf-8").strip()
        check_run_id(text)
    except (OSError, ValueError, ConfigurationError):
        return None
    return text if (base / "runs" / text).is_dir() else None


def existing_run(base: Path, run_id: str | None = None) -> RunDirectory:
    """Return the run of that id, by default the one that was opened last.

    Raises ConfigurationError for an id that is no name, and where there is no such run.
    """
    if run_id is not None:
        check_run_id(run_id)
    chosen = run_id or latest_run_id(base)
    if chosen is None or not (base / "runs" / chosen).is_dir():
        named = f" {chosen}" if chosen else ""
        raise ConfigurationError(
            f"there is no run{named}", where=str(base), next_step="pytest makes one"
        )
    return RunDirectory(base=base, run_id=chosen)


def slug_of(test_id: str) -> str:
    """Return a folder name for a test: readable, safe on every system, unique by a hash.

    Two ids that read alike once unsafe characters are gone, or differ only in case, differ in
    the hash of the whole id.
    """
    digest = hashlib.sha256(test_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    readable = re.sub(r"[^A-Za-z0-9_]+", "-", test_id.replace(".py::", "-")).strip("-")
    if len(readable) > MAX_SLUG:
        readable = readable[-MAX_SLUG:].lstrip("-")  # the end tells tests apart
    return f"{readable}-{digest}" if readable else digest


def _identity(run_id: str, now: datetime) -> dict[str, Any]:
    return {
        "schema_version": RUN_SCHEMA_VERSION,
        "run_id": run_id,
        "started": now.isoformat(timespec="seconds"),
    }


def read_run_json(run: RunDirectory) -> dict[str, Any]:
    """Return what ``run.json`` holds; {} when it is missing or no JSON object."""
    try:
        value = json.loads((run.path / RUN_NAME).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _keep_out_of_git(base: Path) -> None:
    """Leave a .gitignore in the folder, which holds measurements and no sources."""
    ignore = base / ".gitignore"
    if not ignore.exists():
        with contextlib.suppress(PixelloopError):
            write_text_atomic(ignore, "*\n")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _trouble(folder, error) from error


def _trouble(folder: Path, error: OSError) -> PixelloopError:
    return PixelloopError(
        f"cannot make the folder of the run: {error.strerror or error}",
        where=str(folder),
        next_step="check permissions and free space, or set the ini key pixelloop_dir",
    )
