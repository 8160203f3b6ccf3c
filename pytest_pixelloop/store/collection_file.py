"""Which visual tests a run was to hold: collected, selected, and which shard of how many it is."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.store.atomic import write_json
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

COLLECTION_NAME = "collection.json"
COLLECTION_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """The visual tests of a run by node id.

    ``collected`` are those that were found before anything was deselected, ``selected`` those that
    were to run. ``shard`` is (number, of how many), None where nobody said. ``goalposts`` are the
    hashes of what all tests are measured against, by name.
    """

    collected: frozenset[str] = frozenset()
    selected: frozenset[str] = frozenset()
    shard: tuple[int, int] | None = None
    goalposts: Mapping[str, str] = field(default_factory=dict)

    def joined(self, other: Collection) -> Collection:
        """Return what two sessions of one run were to hold together."""
        return Collection(
            collected=self.collected | other.collected,
            selected=self.selected | other.selected,
            shard=other.shard or self.shard,
            goalposts={**self.goalposts, **other.goalposts},
        )

    def as_record(self) -> dict[str, Any]:
        """Return the collection as its file holds it."""
        return {
            "schema_version": COLLECTION_SCHEMA_VERSION,
            "shard": list(self.shard) if self.shard else None,
            "collected": sorted(self.collected),
            "selected": sorted(self.selected),
            "goalposts": dict(sorted(self.goalposts.items())),
        }


def note_collection(folder: Path, collection: Collection) -> None:
    """Add *collection* to what the run in *folder* is known to hold.

    All workers of a session collect the same and write the same bytes, so none waits for another.
    """
    known = read_collection(folder) or Collection()
    joined = known.joined(collection)
    if joined != known:
        write_json(folder / COLLECTION_NAME, joined.as_record())


def read_collection(folder: Path) -> Collection | None:
    """Return what the run in *folder* was to hold, None where it does not say.

    Raises ConfigurationError for a file that cannot be read as one.
    """
    path = folder / COLLECTION_NAME
    if not path.exists():
        return None
    data = read_file(path, name=str(path), error=ConfigurationError)
    try:
        value = json.loads(data)
        if value["schema_version"] > COLLECTION_SCHEMA_VERSION:
            raise ConfigurationError(
                "the file was written by a newer version of pytest-pixelloop", where=str(path)
            )
        shard = value["shard"]
        return Collection(
            collected=_ids(value["collected"]),
            selected=_ids(value["selected"]),
            shard=None if shard is None else (int(shard[0]), int(shard[1])),
            goalposts={str(k): str(v) for k, v in value["goalposts"].items()},
        )
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ConfigurationError(
            f"the list of the run's tests cannot be read: {error!r}",
            where=str(path),
            next_step="restore the file, or run the tests again",
        ) from error


def read_shard(text: str | None, *, where: str) -> tuple[int, int] | None:
    """Return what ``2/5`` says, None for nothing; raises ConfigurationError for anything else."""
    if text is None:
        return None
    number, slash, of = text.partition("/")
    if slash and all(part.isascii() and part.isdigit() for part in (number, of)):
        shard = int(number), int(of)
        if 1 <= shard[0] <= shard[1]:
            return shard
    raise ConfigurationError(
        f"{text!r} is no shard", where=where, expected="N/M, such as 2/5: the second of five"
    )


def _ids(value: Iterable[Any]) -> frozenset[str]:
    return frozenset(str(item) for item in value)
