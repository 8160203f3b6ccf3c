"""The names of variables and styles that an export gives beside its nodes, by their ids."""

from __future__ import annotations

from typing import Any

_MAPS = ("styles", "variables")


def names_in(envelope: Any) -> dict[str, str]:
    """Return every name by id: ``styles`` and ``variables``, of the whole and of each node.

    The REST answer has ``styles``. Names of variables come from its variables endpoint (there
    under ``meta``) or from a plugin; ``{id: {"name": ...}}`` and ``{id: "name"}`` are both read.
    """
    found: dict[str, str] = {}
    if not isinstance(envelope, dict):
        return found
    nodes = envelope.get("nodes")
    entries = list(nodes.values()) if isinstance(nodes, dict) else []
    for holder in (envelope, envelope.get("meta"), *entries):
        for key in _MAPS if isinstance(holder, dict) else ():
            table = holder.get(key)
            for name_id, value in table.items() if isinstance(table, dict) else ():
                name = value.get("name") if isinstance(value, dict) else value
                if isinstance(name, str) and name:
                    found.setdefault(name_id, name)
    return found
