"""One run's folder: who may be in it, how it is named, one folder for each test."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import re
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError, PixelloopError
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.store.atomic import TEMPORARY_PREFIX, write_json, write_text_atomic
from pytest_pixelloop.store.collection_file import read_collection
from pytest_pixelloop.store.ledger_file import read_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pytest_pixelloop.core.history import History

RUN_SCHEMA_VERSION = 1
LEDGER_NAME = "ledger.jsonl"
RUN_NAME = "run.json"
LATEST_NAME = "latest"
LAST = "last"
NOT_RUN = "not-run"
MAX_SLUG = 60
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDirectory:
    """The folder ``<base>/runs/<run_id>``, which exists. ``base`` is ``.pixelloop``.

    A run that lies elsewhere, such as one from another machine, has a ``folder`` of its own.
    """

    base: Path
    run_id: str
    folder: Path | None = None

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.folder or self.base / "runs" / self.run_id

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


def open_run(
    base: Path, run_id: str | None = None, *, now: datetime, session: str | None = None
) -> RunDirectory:
    """Return the run directory: a new one, or the one named *run_id*, made when there is none.

    A new run is called ``YYYYMMDD-HHMM``, with ``-2``, ``-3``, ... when another process took the
    name. It appears whole, with its ``run.json``, by one rename. Processes that give the same
    *session* and *now* share one run, whichever of them comes first, without waiting.
    ``<base>/latest`` names the run afterwards. Raises ConfigurationError for a run id that is no
    plain name.
    """
    if run_id is not None:
        check_run_id(run_id)
        run = RunDirectory(base=base, run_id=run_id)
        _make(run.path)
    else:
        run = _new_run(base, now, session)
    _keep_out_of_git(base)
    if not (run.path / RUN_NAME).exists():
        write_json(run.path / RUN_NAME, _identity(run.run_id, now, session))
    write_text_atomic(base / LATEST_NAME, run.run_id + "\n")
    return run


def run_of_session(base: Path, *, now: datetime, session: str) -> RunDirectory | None:
    """Return the run that a process of this session has opened, None when none did."""
    for run in _candidates(base, now):
        if not run.path.is_dir():
            return None
        if read_run_json(run).get("session") == session:
            return run
    raise AssertionError  # the candidates never end


def _candidates(base: Path, now: datetime) -> Iterator[RunDirectory]:
    stem = now.strftime("%Y%m%d-%H%M")
    for number in itertools.count(1):
        yield RunDirectory(base=base, run_id=stem if number == 1 else f"{stem}-{number}")


def _new_run(base: Path, now: datetime, session: str | None) -> RunDirectory:
    _make(base / "runs")
    made = base / "runs" / (TEMPORARY_PREFIX + secrets.token_hex(8))
    _make(made)
    try:
        for run in _candidates(base, now):
            if session is not None and read_run_json(run).get("session") == session:
                return run
            if run.path.exists():
                continue
            write_json(made / RUN_NAME, _identity(run.run_id, now, session))
            try:
                made.rename(run.path)
            except OSError as error:
                if not run.path.exists():
                    raise _trouble(run.path, error) from error
                # Another process was faster; it may be one of this session.
                if session is not None and read_run_json(run).get("session") == session:
                    return run
                continue
            return run
    finally:
        shutil.rmtree(made, ignore_errors=True)
    raise AssertionError  # the candidates never end


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


def existing_run(base: Path, word: str | None = None) -> RunDirectory:
    """Return the run that *word* names: an id, a folder, or ``last``, which is the default.

    ``last`` is the run that was opened last, unless a run has that very name. Raises
    ConfigurationError for what is no name, and where there is no such run.
    """
    if word is not None and (len(Path(word).parts) > 1 or word in {".", ".."}):
        return _run_in(Path(word))
    if word is not None:
        check_run_id(word)
    if word == LAST and not (base / "runs" / LAST).is_dir():
        word = None
    chosen = word or latest_run_id(base)
    if chosen is not None and (base / "runs" / chosen).is_dir():
        return RunDirectory(base=base, run_id=chosen)
    if chosen is not None and (Path(chosen) / RUN_NAME).is_file():
        return _run_in(Path(chosen))
    named = f" {chosen}" if chosen else ""
    raise ConfigurationError(
        f"there is no run{named}",
        where=str(base),
        expected="a run id, the folder of a run, or last",
        next_step="pytest makes one",
    )


def _run_in(folder: Path) -> RunDirectory:
    """Return the run whose folder is given; it may lie anywhere."""
    where = folder.absolute()
    if not (where / RUN_NAME).is_file():
        raise ConfigurationError(
            "this folder is no run" if where.is_dir() else "there is no such folder",
            where=str(folder),
            expected=f"the folder of a run, with {RUN_NAME} in it",
        )
    base = where.parent.parent if where.parent.name == "runs" else where.parent
    told = read_run_json(RunDirectory(base=base, run_id=where.name, folder=where))
    return RunDirectory(base=base, run_id=str(told.get("run_id") or where.name), folder=where)


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


def _identity(run_id: str, now: datetime, session: str | None) -> dict[str, Any]:
    from pytest_pixelloop import __version__  # noqa: PLC0415 - the package's door imports this

    return {
        "schema_version": RUN_SCHEMA_VERSION,
        "run_id": run_id,
        "started": now.isoformat(timespec="seconds"),
        "version": __version__,
        **({} if session is None else {"session": session}),
    }


def read_run_json(run: RunDirectory) -> dict[str, Any]:
    """Return what ``run.json`` holds; {} when it is missing or no JSON object."""
    try:
        value = json.loads((run.path / RUN_NAME).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def note_outcomes(run: RunDirectory, outcomes: Mapping[str, str]) -> None:
    """Write into ``run.json`` how the selected tests ended that recorded nothing.

    *outcomes* are how tests were reported by node id: ``skipped``, ``failed``, ``crashed``, ...; a
    test that was never reported is ``not-run``.
    """
    collection = read_collection(run.path)
    recorded = {history.test_id for _folder, history in run.histories()}
    missing = sorted(collection.selected - recorded) if collection is not None else []
    before = not_recorded(run)  # of an earlier session of this run
    silent = {name: outcomes.get(name) or before.get(name) or NOT_RUN for name in missing}
    _add_to_identity(run, not_recorded=silent)


def not_recorded(run: RunDirectory) -> dict[str, str]:
    """Return how the tests of a run ended that recorded nothing, by node id."""
    told = read_run_json(run).get("not_recorded")
    return {str(k): str(v) for k, v in told.items()} if isinstance(told, dict) else {}


def note_end(run: RunDirectory, *, now: datetime) -> None:
    """Write into ``run.json`` that its session has ended, with every file in its place."""
    _add_to_identity(run, ended=now.isoformat(timespec="seconds"))


def _add_to_identity(run: RunDirectory, **fields: Any) -> None:
    told = read_run_json(run)
    if told:
        write_json(run.path / RUN_NAME, {**told, **fields})


def remove_abandoned(folder: Path, *, deep: bool) -> None:
    """Remove what writes that were killed have left in *folder*, and below it where it is *deep*.

    Only for a folder that nobody else writes in at this moment.
    """
    pattern = TEMPORARY_PREFIX + "*"
    for path in folder.rglob(pattern) if deep else folder.glob(pattern):
        with contextlib.suppress(OSError):
            path.unlink()


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
