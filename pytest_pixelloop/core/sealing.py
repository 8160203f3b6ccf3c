"""What held-out comparisons measured, taken out of a ledger line and put back: commit and reveal.

While a loop runs, its ledger holds of a measurement what a fixer may know, the overall status, and
a commitment: the hash of a random number and of the figures that are left out. When the loop ends,
an ``unsealed`` line gives both. Who folds the ledger then has every figure, and the hash proves
that it is the one that was measured.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.measurement import merged_channels
from pytest_pixelloop.core.records import Kind
from pytest_pixelloop.core.verdict import sum_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

SEALED = "sealed"
#: The fields of a ``measured`` line that tell of held-out comparisons.
HIDDEN = ("score", "delta_ids", "channels", "problem", "comparisons")


def is_held_out(report: Mapping[str, Any]) -> bool:
    """Tell whether a report is of a held-out comparison."""
    design = report.get("design")
    return isinstance(design, Mapping) and design.get("hold_out") is True


def hidden_of(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a ``measured`` line that are sealed, held-out comparisons included."""
    return {key: line[key] for key in HIDDEN}


def public_line(
    line: Mapping[str, Any], *, reports: Sequence[Mapping[str, Any]], seal: Mapping[str, str]
) -> dict[str, Any]:
    """Return a ``measured`` line as it may be read during the loop, with its *seal*.

    *reports* are those of the line, in its order. The overall status stays: a page that does not
    match what is held out must never read as one that passes.
    """
    shown = [c for c in line["comparisons"] if c.get("hold_out") is not True]
    channels = [r.get("channels") or {} for r in reports if not is_held_out(r)]
    return {
        **line,
        "score": sum_scores((c["status"], c["score"]) for c in shown),
        "delta_ids": sorted({d for c in shown for d in c["delta_ids"]}),
        "channels": merged_channels(channels),
        "problem": None,
        "comparisons": shown,
        SEALED: dict(seal),
    }


def whole_line(line: Mapping[str, Any], hidden: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ``measured`` line with everything that was measured, as if nothing were sealed."""
    whole = {**line, **{key: hidden[key] for key in HIDDEN}}
    whole.pop(SEALED, None)
    return whole


def disclosed(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return a ledger's lines with what they left out, where the ledger tells it further down."""
    told = {
        (line["iteration"], commitment(str(line["nonce"]), line["hidden"])): line["hidden"]
        for line in records
        if line.get("kind") == Kind.UNSEALED
    }
    whole: list[Mapping[str, Any]] = []
    for line in records:
        seal = line.get(SEALED) or {}
        hidden = told.get((line["iteration"], seal["commitment"])) if seal else None
        whole.append(line if hidden is None else whole_line(line, hidden))
    return whole


def commitment(nonce: str, hidden: Mapping[str, Any]) -> str:
    """Return the hash that binds a ledger line to what was left out of it.

    *nonce* keeps it from being guessed: there are few likely scores.
    """
    text = json.dumps(hidden, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(f"{nonce}\n{text}".encode()).hexdigest()


def opens(line: Mapping[str, Any], *, nonce: str, hidden: Mapping[str, Any]) -> bool:
    """Tell whether *hidden* is what a sealed ``measured`` line was bound to."""
    seal = line.get(SEALED) or {}
    return bool(nonce) and seal.get("commitment") == commitment(nonce, hidden)
