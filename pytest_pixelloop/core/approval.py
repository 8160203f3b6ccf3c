"""What of a run a person may approve: pure, from the records that the run left."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.explain import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SNAPSHOT, JUDGEMENT = "snapshot", "judgement"
_MISSING = "undetermined:missing-baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that would change: a snapshot's picture, or an entry in judgements.yaml.

    ``path`` is the file that changes, relative to rootdir. ``picture`` is the new picture,
    relative to the iteration's folder; ``before`` the hash of the picture it was compared with,
    None when there was none. ``entry`` is a proposed judgement. ``words`` are the figures. ``note``
    is the environment that a picture was made in.
    """

    kind: str
    label: str
    words: str
    test_id: str
    path: str = ""
    picture: str = ""
    before: str | None = None
    entry: Mapping[str, str] | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Something that is open in the run and cannot be approved, and why in words."""

    label: str
    why: str


def changes_of(
    test_id: str,
    reports: Iterable[Mapping[str, Any]],
    proposed: Iterable[Mapping[str, str]],
) -> tuple[tuple[Change, ...], tuple[Refused, ...]]:
    """Return what could be approved of one test's last measurement, and what could not.

    *reports* are report records, *proposed* the excuses that a fixer asked for. A design comes
    from where it lives, so its picture is never replaced by a capture.
    """
    changes: list[Change] = []
    refused: list[Refused] = []
    open_ids: set[str] = set()
    for report in reports:
        label, status = str(report.get("label")), str(report.get("status"))
        if status == "pass":
            continue
        if report.get("gate") == SNAPSHOT:
            change = _snapshot(test_id, label, status, report)
            if change is not None:
                changes.append(change)
            else:
                refused.append(Refused(label=label, why=f"it is {status}: there is no new picture"))
            continue
        for finding in report.get("findings") or ():
            if finding.get("gating") and finding.get("state") == "open":
                open_ids.add(str(finding.get("delta_id")))
        design = report.get("design") or {}
        source = (
            "its Figma file: pixelloop pull" if design.get("figma") else "where it was exported"
        )
        refused.append(
            Refused(
                label=label,
                why=f"the picture of a design comes from {source}; to accept a difference, write a "
                "judgement",
            )
        )
    changes += [_judgement(test_id, e) for e in proposed if e.get("delta_id") in open_ids]
    return tuple(changes), tuple(refused)


def _snapshot(test_id: str, label: str, status: str, report: Mapping[str, Any]) -> Change | None:
    design = report.get("design") or {}
    picture, path = (report.get("artifacts") or {}).get("actual"), design.get("image")
    if not (isinstance(picture, str) and isinstance(path, str)):
        return None
    if status == _MISSING:
        words, before = "new: there is no snapshot yet", None
    elif status == "fail":
        words = _figures(report)
        before = (design.get("sha256") or {}).get("image")
    else:
        return None
    fingerprint = (report.get("environment") or {}).get("fingerprint")
    return Change(
        kind=SNAPSHOT,
        label=label,
        words=words,
        test_id=test_id,
        path=path,
        picture=picture,
        before=before,
        note=json.dumps(fingerprint, sort_keys=True) if fingerprint else None,
    )


def _figures(report: Mapping[str, Any]) -> str:
    size, pixels = report.get("size") or {}, report.get("pixels") or {}
    expected, actual = size.get("expected"), size.get("actual")
    if expected and actual and expected != actual:
        return f"{expected[0]}x{expected[1]} px becomes {actual[0]}x{actual[1]} px"
    return f"{pixels.get('mismatch', 0):,} of {pixels.get('total', 0):,} px differ"


def _judgement(test_id: str, entry: Mapping[str, str]) -> Change:
    of = f" ({entry['property']})" if entry.get("property") else ""
    words = f"excuse {entry['delta_id']}{of} as {entry.get('kind', 'known')}: {entry['reason']}"
    return Change(
        kind=JUDGEMENT,
        label=entry["delta_id"].partition("/")[0],
        words=printable(words, limit=400),
        test_id=test_id,
        entry=dict(entry),
    )
