"""Several runs made one: copied into a folder that nobody sees before it is whole."""

from __future__ import annotations

import os
import secrets
import shutil
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError, PixelloopError
from pytest_pixelloop.store.atomic import TEMPORARY_PREFIX, is_temporary, sync_folder, write_json
from pytest_pixelloop.store.collection_file import COLLECTION_NAME, Collection
from pytest_pixelloop.store.run_directory import (
    RUN_NAME,
    RUN_SCHEMA_VERSION,
    RunDirectory,
)
from pytest_pixelloop.store.run_lock import LOCK_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_pixelloop.store.shards import Shard

#: What a run holds beside its tests and is made anew for the whole.
_OWN = frozenset(("tests", LOCK_NAME))


def merge_shards(
    shards: Sequence[Shard], out: Path, *, finish: Callable[[RunDirectory], None]
) -> RunDirectory:
    """Return the run in *out* that holds every test of *shards*, byte for byte.

    It is made under a temporary name beside *out*; *finish* writes what is derived there. *out*
    appears by one rename, whole, or not at all; the same shards give the same bytes in any order.
    Raises ConfigurationError where *out* exists, PixelloopError where a copy cannot be made or does
    not hold what went in.
    """
    out = out.absolute()
    if os.path.lexists(out):
        raise ConfigurationError(
            "there is something already where the merged run is to be",
            where=str(out),
            next_step="choose another name for -o, or remove it",
        )
    made = out.with_name(TEMPORARY_PREFIX + secrets.token_hex(8))
    run = RunDirectory(base=out.parent, run_id=out.name, folder=made)
    try:
        made.mkdir(parents=True)
        _fill(run, sorted(shards, key=lambda shard: shard.order))
        finish(run)
        _check(run, shards)
        made.rename(out)
        sync_folder(out.parent)
    except OSError as error:
        raise PixelloopError(
            f"the runs cannot be merged: {error.strerror or error}",
            where=str(error.filename or out),
            next_step="check free space and permissions; nothing was changed",
        ) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return RunDirectory(base=out.parent, run_id=out.name, folder=out)


def _fill(run: RunDirectory, shards: Sequence[Shard]) -> None:
    joined = Collection()
    silent: dict[str, str] = {}
    rows = []
    for number, shard in enumerate(shards, start=1):
        source = shard.run.path
        for folder in sorted((source / "tests").glob("*")):
            _copy(folder, run.path / "tests" / folder.name)
        own = run.path / "shards" / f"{number}-{shard.run.run_id}"
        for path in sorted(source.glob("*")):
            if path.name not in _OWN:
                _copy(path, own / path.name)
        joined = joined.joined(shard.collection)
        silent.update(shard.told.get("not_recorded") or {})
        rows.append(_row(shard, own.name))
    whole = Collection(
        collected=joined.collected, selected=joined.selected, goalposts=joined.goalposts
    )
    write_json(run.path / COLLECTION_NAME, whole.as_record())
    told: dict[str, Any] = {
        "schema_version": RUN_SCHEMA_VERSION,
        "run_id": run.run_id,
        "started": min(str(shard.told.get("started")) for shard in shards),
        "version": shards[0].told.get("version"),
        "ended": max(str(shard.told.get("ended")) for shard in shards),
        "not_recorded": dict(sorted(silent.items())),
        "merged": rows,
    }
    if any("vision" in shard.told for shard in shards):
        told["vision"] = _vision(shards)
    write_json(run.path / RUN_NAME, told)


def _row(shard: Shard, folder: str) -> dict[str, Any]:
    return {
        "run_id": shard.run.run_id,
        "shard": list(shard.collection.shard) if shard.collection.shard else None,
        "started": shard.told.get("started"),
        "ended": shard.told.get("ended"),
        "tests": len(shard.ledgers),
        "digest": shard.digest,
        "folder": f"shards/{folder}",
    }


def _vision(shards: Sequence[Shard]) -> dict[str, Any]:
    spent = [shard.told["vision"] for shard in shards if "vision" in shard.told]
    return {
        name: sum(s.get(name) or 0 for s in spent) for name in sorted({k for s in spent for k in s})
    }


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a folder without what is temporary; a link would lead out of the run."""
    if source.is_symlink():
        raise ConfigurationError("a run that is merged holds no links", where=str(source))
    if is_temporary(source):
        return
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted(source.iterdir()):
            _copy(path, target / path.name)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def take_in(run: RunDirectory, part: Path) -> int:
    """Copy the tests that a worker of the same session recorded in the folder *part* into *run*.

    Each appears whole, and one that is there already is left alone. Returns how many were copied.
    Raises PixelloopError where a copy cannot be made.
    """
    copied = 0
    try:
        for folder in sorted((part / "tests").glob("*")):
            target = run.path / "tests" / folder.name
            if is_temporary(folder) or target.exists():
                continue
            made = target.with_name(TEMPORARY_PREFIX + secrets.token_hex(8))
            _copy(folder, made)
            made.rename(target)
            copied += 1
    except OSError as error:
        raise PixelloopError(
            f"what a worker recorded cannot be copied: {error.strerror or error}",
            where=str(part),
            next_step=f"copy it by hand: cp -r {part}/tests/. {run.path}/tests/",
        ) from error
    return copied


def _check(run: RunDirectory, shards: Sequence[Shard]) -> None:
    """See that what went in came out: every test once, and every ledger byte for byte."""
    from pytest_pixelloop.store.shards import read_shard_run  # noqa: PLC0415 - the other way round

    went_in = {name: digest for shard in shards for name, digest in shard.ledgers.items()}
    if dict(read_shard_run(run).ledgers) != went_in:
        raise PixelloopError(
            "a run changed while it was merged, or the copy is not what was read",
            where=str(run.path),
            next_step="see that no session works on the runs, then merge again",
        )
