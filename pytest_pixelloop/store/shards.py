"""Runs that are parts of one: what each holds, and why they cannot be put together."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.fingerprint import environment_changes
from pytest_pixelloop.store.collection_file import Collection, read_collection
from pytest_pixelloop.store.iteration_files import file_digest
from pytest_pixelloop.store.run_directory import (
    LEDGER_NAME,
    NOT_RUN,
    RUN_SCHEMA_VERSION,
    read_run_json,
)
from pytest_pixelloop.store.run_lock import holder_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_pixelloop.core.history import History
    from pytest_pixelloop.store.run_directory import RunDirectory

#: Goalposts that are the same for all tests of a project. Limits belong to one test's comparison.
_COMMON = ("design:", "option:", "test:")
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One run that is to be a part of another. ``ledgers`` are hashes by test id."""

    run: RunDirectory
    told: Mapping[str, Any]
    collection: Collection
    histories: Mapping[str, History]
    ledgers: Mapping[str, str]
    goalposts: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How the shard is called in messages."""
        told = self.collection.shard
        return self.run.run_id + (f" (shard {told[0]}/{told[1]})" if told else "")

    @property
    def digest(self) -> str:
        """What tells two runs of one name apart: a hash of all their ledgers."""
        return hashlib.sha256(json.dumps(sorted(self.ledgers.items())).encode()).hexdigest()[:16]

    @property
    def order(self) -> tuple[tuple[int, int], str, str]:
        """Where it stands among the others, whatever their order on the command line."""
        return self.collection.shard or (0, 0), self.run.run_id, self.digest


def read_shard_run(run: RunDirectory) -> Shard:
    """Return what *run* holds.

    Raises ConfigurationError for one that cannot be read, was written by a newer version, or does
    not know what it was to hold; LedgerError for a broken ledger.
    """
    told = read_run_json(run)
    version = told.get("schema_version")
    if not isinstance(version, int) or version > RUN_SCHEMA_VERSION:
        raise ConfigurationError(
            f"run.json of {run.run_id} cannot be read: it has schema_version {version!r}",
            where=str(run.path),
            expected=f"a run with schema_version {RUN_SCHEMA_VERSION}",
        )
    collection = read_collection(run.path)
    if collection is None:
        raise ConfigurationError(
            f"the run {run.run_id} does not know which tests it was to hold",
            where=str(run.path),
            expected="collection.json, which pytest writes before the first visual test",
            next_step="run the shard again with this version of pytest-pixelloop",
        )
    found = {h.test_id or "": (folder, h) for folder, h in run.histories()}
    goalposts = dict(collection.goalposts)
    for _folder, history in found.values():
        common = {k: v for k, v in history.goalposts.items() if k.startswith(_COMMON)}
        goalposts = {**common, **goalposts}
    return Shard(
        run=run,
        told=told,
        collection=collection,
        histories={name: history for name, (_folder, history) in found.items()},
        ledgers={
            name: file_digest(folder / LEDGER_NAME) or "" for name, (folder, _) in found.items()
        },
        goalposts=goalposts,
    )


def why_not_merged(shards: Sequence[Shard], *, deselected: bool) -> tuple[str, ...]:
    """Return every reason in words for which *shards* are not the whole of one run, () for none.

    *deselected* says that tests which were collected and are in no shard were left out on purpose.
    """
    found = [*_unfinished(shards), *_duplicates(shards), *_mixed(shards), *_numbers(shards)]
    declared = all(shard.collection.shard for shard in shards)
    if not deselected and not declared:
        found += _missing(shards)
    return tuple(found)


def _unfinished(shards: Iterable[Shard]) -> Iterator[str]:
    for shard in shards:
        holder = holder_of(shard.run.path)
        if holder is not None:
            yield f"{shard.name} is being worked on: {holder.words}"
        elif "ended" not in shard.told:
            yield f"{shard.name} has no end: its session was killed; go on with --run-id"
        silent = shard.told.get("not_recorded") or {}
        not_run = sorted(test_id for test_id, word in silent.items() if word == NOT_RUN)
        if not_run:
            yield f"{shard.name}: {_tests(not_run)} selected and never run"
        lost = sorted(shard.collection.selected - set(shard.ledgers) - set(silent))
        if lost and "ended" in shard.told:
            yield f"{shard.name}: the records of {_tests(lost, verb=False)} are missing"


def _duplicates(shards: Sequence[Shard]) -> Iterator[str]:
    holders: dict[str, list[str]] = defaultdict(list)
    for shard in shards:
        for test_id in sorted({*shard.ledgers, *shard.collection.selected}):
            holders[test_id].append(shard.name)
    pairs: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for test_id, names in sorted(holders.items()):
        if len(names) > 1:
            pairs[tuple(sorted(names))].append(test_id)
    for holding, test_ids in sorted(pairs.items()):
        yield f"{_tests(test_ids)} in more than one shard: {', '.join(holding)}"


def _mixed(shards: Sequence[Shard]) -> Iterator[str]:
    versions = {str(shard.told.get("version")): shard.name for shard in reversed(shards)}
    if len(versions) > 1:
        told = ", ".join(f"{name} by {version}" for version, name in sorted(versions.items()))
        yield f"the shards were measured by different versions of pytest-pixelloop: {told}"
    seen: dict[str, tuple[str, str]] = {}
    for shard in shards:
        for name, value in sorted(shard.goalposts.items()):
            before = seen.setdefault(name, (value, shard.name))
            if before[0] != value:
                yield (
                    f"{name} is another one in {shard.name} than in {before[1]}: "
                    f"{value[:12]} and {before[0][:12]}"
                )


def _numbers(shards: Sequence[Shard]) -> Iterator[str]:
    told = [shard.collection.shard for shard in shards if shard.collection.shard]
    if not told:
        return
    silent = [shard.name for shard in shards if not shard.collection.shard]
    if silent:
        yield f"{', '.join(silent)} does not say which shard it is, and others do"
    sizes = sorted({of for _number, of in told})
    if len(sizes) > 1:
        yield f"the shards say that there are {' and '.join(map(str, sizes))} of them"
        return
    numbers = [number for number, _of in told]
    missing = sorted(set(range(1, sizes[0] + 1)) - set(numbers))
    if missing:
        yield f"missing: shard {', '.join(f'{number}/{sizes[0]}' for number in missing)}"
    twice = sorted({number for number in numbers if numbers.count(number) > 1})
    if twice:
        yield f"given twice: shard {', '.join(f'{number}/{sizes[0]}' for number in twice)}"


def _missing(shards: Sequence[Shard]) -> Iterator[str]:
    collected = frozenset[str]().union(*(s.collection.collected for s in shards))
    held = frozenset[str]().union(*({*s.collection.selected, *s.ledgers} for s in shards))
    if missing := sorted(collected - held):
        yield (
            f"{_tests(missing)} collected and in no shard: one is missing (left out on purpose: "
            "--deselected, or say --pixelloop-shard=N/M in each)"
        )


def _tests(test_ids: Sequence[str], *, verb: bool = True) -> str:
    named = ", ".join(printable(test_id) for test_id in test_ids[:_NAMED])
    more = f" and {len(test_ids) - _NAMED} more" if len(test_ids) > _NAMED else ""
    is_are = ("is " if len(test_ids) == 1 else "are ") if verb else ""
    return f"{named}{more} {is_are}".rstrip()


def environments_of(shards: Sequence[Shard]) -> tuple[str, ...]:
    """Return in words where shards were measured in another environment than the first of them."""
    said: dict[str, None] = {}
    first: tuple[str, Mapping[str, str]] | None = None
    for shard in shards:
        for history in shard.histories.values():
            for compared in history.last.comparisons if history.last else ():
                if not compared.environment:
                    continue
                first = first or (shard.name, compared.environment)
                changes = environment_changes(first[1], compared.environment)
                if changes:
                    said[f"{shard.name} beside {first[0]}: {', '.join(changes)}"] = None
    return tuple(said)
