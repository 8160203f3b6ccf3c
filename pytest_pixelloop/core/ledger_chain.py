"""The chain of a ledger's records: each one carries a hash of itself and of all before it.

A chain is no signature: who rewrites the whole file can link it anew. It shows the edit of one
record, the loss of one, a record that something else appended.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The field of a record that holds its hash; a record without one was written by an older version.
LINK = "link"
_LENGTH = 24


def link_of(record: Mapping[str, Any], *, after: str) -> str:
    """Return the hash of *record* in a chain whose record before has the hash *after*."""
    bare = {name: value for name, value in record.items() if name != LINK}
    text = json.dumps(bare, separators=(",", ":"))
    return hashlib.sha256(f"{after}\n{text}".encode()).hexdigest()[:_LENGTH]


def last_link(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash of the last record, "" where it has none."""
    return str(records[-1].get(LINK, "")) if records else ""


def broken_links(records: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return in words the first record that is not what it was when it was written, () for none.

    Records before the first linked one are taken as they are.
    """
    before = ""
    for number, record in enumerate(records, start=1):
        link = record.get(LINK)
        if link is None:
            if before:
                return (f"record {number} ({_kind(record)}) was not written by a loop",)
        elif link != link_of(record, after=before):
            return (f"record {number} ({_kind(record)}), or one before it, was changed",)
        else:
            before = str(link)
    return ()


def _kind(record: Mapping[str, Any]) -> str:
    return str(record.get("kind", "of no kind"))[:40]


def lost_records(records: Sequence[Mapping[str, Any]], *, known: str | None) -> tuple[str, ...]:
    """Return in words that the record with the hash *known*, which was there once, is gone."""
    if not known or any(record.get(LINK) == known for record in records):
        return ()
    return ("records that summary.json was made from are gone",)
