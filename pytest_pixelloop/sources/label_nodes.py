"""The node file of one label: a ``nodes`` answer that holds its node and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENTRY = ("document", "components", "componentSets", "schemaVersion", "styles")


def label_nodes(
    node: str,
    entry: Mapping[str, Any],
    *,
    name: str | None,
    file_key: str | None,
    version: str | None,
    last_modified: str | None,
    extra: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the bytes of a node file: the node's *entry* in an answer as the API gives it.

    One line of JSON without a line end: no checkout with other line ends changes its hash.
    Addresses of the answer (thumbnails) are left out, since they are signed.
    """
    value: dict[str, Any] = {
        "name": name,
        "fileKey": file_key,
        "lastModified": last_modified,
        "version": version,
        "nodes": {node: {key: entry[key] for key in _ENTRY if key in entry}},
        **(extra or {}),
    }
    told = {key: part for key, part in value.items() if part is not None}
    try:
        text = _line(told)
    except ValueError:  # NaN or an infinity, which no JSON has: null, as the reader takes it
        text = _line(json.loads(json.dumps(told), parse_constant=lambda _: None))
    return text.encode("utf-8", "backslashreplace")  # half a surrogate pair: its JSON escape


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def same_entry(data: bytes, node: str, entry: Mapping[str, Any]) -> bool:
    """Tell whether the node file *data* already holds this *entry*, whatever its version."""
    try:
        nodes = json.loads(data)["nodes"]
        return bool(nodes[node] == {key: entry[key] for key in _ENTRY if key in entry})
    except (ValueError, KeyError, TypeError):
        return False
