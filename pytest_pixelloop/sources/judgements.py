"""The file ``judgements.yaml``: findings that a person has looked at and excused.

schema_version: 1
judgements:
  12-345/node:12:350:
    kind: known              # or version
    property: color          # optional: only this property of the node
    reason: the brand colour changes in spring
    issue: SHOP-112          # optional
    expires: 2027-03-31      # optional, the last day on which it counts
    version: "4411"          # optional: only while the design has this version
"""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.excusing import Excuse, ExcuseKind, Excuses
from pytest_pixelloop.sources.manifest import shown_path
from pytest_pixelloop.sources.manifest_yaml import Field, compose_yaml
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from pathlib import Path

JUDGEMENTS_NAME = "judgements.yaml"
SCHEMA_VERSION = 1
MAX_BYTES = 8_000_000

_ENTRY = ("kind", "reason", "property", "issue", "expires", "version")


def load_judgements(folder: Path) -> tuple[Excuse, ...]:
    """Return the excuses in *folder*, none where there is no file.

    A delta id may stand for several entries when it is given a list of them. Raises
    ConfigurationError that names file, line and key for everything that is wrong in it: a
    judgement that cannot be read excuses nothing, and that is said before anything is measured.
    """
    path = folder.absolute() / JUDGEMENTS_NAME
    if not os.path.lexists(path):
        return ()
    shown = shown_path(path, project=path.parent.parent)
    data = read_file(path, name=shown, error=ConfigurationError, max_bytes=MAX_BYTES)
    top = compose_yaml(data, shown=shown, what="the judgements file").mapping(
        ("schema_version", "judgements")
    )
    version = top.get("schema_version")
    if version is None or version.number() != SCHEMA_VERSION:
        raise ConfigurationError(
            "the judgements file does not say its schema_version",
            where=version.where if version is not None else f"{shown}:1",
            expected=f"schema_version: {SCHEMA_VERSION}",
        )
    found: list[Excuse] = []
    for delta_id, value in (top["judgements"].mapping() if "judgements" in top else {}).items():
        _check_id(delta_id, value)
        found.extend(_excuse(delta_id, entry) for entry in value.items())
    _refuse_twins(found)
    return tuple(found)


def read_excuses(folder: Path) -> Excuses:
    """Return the excuses in *folder* as they count today."""
    return Excuses(entries=load_judgements(folder), today=dt.datetime.now().astimezone().date())


def _check_id(delta_id: str, value: Field) -> None:
    label, _, rest = delta_id.partition("/")
    if not label or not rest.partition(":")[2]:
        raise ConfigurationError(
            f"{delta_id!r} is no delta_id",
            where=value.where,
            expected="<label>/node:<node id> or <label>/px:<x>,<y>,<w>,<h>, as reports name them",
        )


def _excuse(delta_id: str, entry: Field) -> Excuse:
    own = entry.mapping(_ENTRY)
    for key in ("kind", "reason"):
        if key not in own:
            raise ConfigurationError(
                f"{entry.what} has no {key}",
                where=entry.where,
                expected="kind: known or version, and a reason"
                if key == "kind"
                else "reason: why a person accepts this difference",
            )
    kind = own["kind"].text()
    if kind not in list(ExcuseKind):
        raise own["kind"].wrong("known or version")
    return Excuse(
        delta_id=delta_id,
        kind=ExcuseKind(kind),
        reason=own["reason"].text(),
        property=own["property"].text() if "property" in own else None,
        issue=own["issue"].raw() if "issue" in own else None,
        expires=_day(own["expires"]) if "expires" in own else None,
        version=own["version"].raw() if "version" in own else None,
        where=entry.where,
    )


def _day(value: Field) -> dt.date:
    try:
        return dt.date.fromisoformat(value.raw().strip())
    except ValueError:
        raise value.wrong("a day, such as 2027-03-31") from None


def _refuse_twins(excuses: list[Excuse]) -> None:
    seen: dict[tuple[str, str | None], Excuse] = {}
    for excuse in excuses:
        key = (excuse.delta_id, excuse.property)
        if key in seen:
            raise ConfigurationError(
                f"{excuse.delta_id} is judged twice"
                + (f" for {excuse.property}" if excuse.property else ""),
                where=f"{excuse.where} and {seen[key].where}",
                expected="one judgement for a node, or one for each property",
            )
        seen[key] = excuse
