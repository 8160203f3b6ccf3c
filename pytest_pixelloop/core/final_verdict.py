"""The one place that makes a verdict out of channels, from what a report says and nothing else.

Each channel says ``pass``, ``conditional``, ``warn``, ``fail``, ``undetermined:<reason>`` or
``skipped``. What was not compared counts neither way. Where the pictures could not be compared,
nothing can be said about the page, whatever the other channels saw of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.verdict import (
    CONDITIONAL,
    FAIL,
    PASS,
    UNDETERMINED,
    is_undetermined,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

VISUAL = "visual"
SKIPPED, WARN = "skipped", "warn"
#: In this order a failing channel is named.
ORDER = ("visual", "functional", "appearance", "style")
#: Channels that never fail anything.
EVIDENCE = frozenset(("style",))
_KNOWN = frozenset((PASS, CONDITIONAL, WARN, FAIL, SKIPPED))


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalVerdict:
    """A status, and which channels made it what it is (none for a pass)."""

    status: str
    causes: tuple[str, ...] = ()


def decide_verdict(results: Mapping[str, str]) -> FinalVerdict:
    """Return the verdict of one comparison from its channels' results by name.

    A word that is not known is undetermined: it must never read as a pass.
    """
    said = {name: _known(word) for name, word in results.items() if name not in EVIDENCE}
    visual = said.get(VISUAL, SKIPPED)
    if is_undetermined(visual):
        return FinalVerdict(status=visual, causes=(VISUAL,))
    failing = _named(name for name, word in said.items() if word == FAIL)
    if failing:
        return FinalVerdict(status=FAIL, causes=failing)
    unknown = _named(name for name, word in said.items() if is_undetermined(word))
    if unknown:
        return FinalVerdict(status=said[unknown[0]], causes=unknown)
    doubtful = _named(name for name, word in said.items() if word == CONDITIONAL)
    if doubtful:
        return FinalVerdict(status=CONDITIONAL, causes=doubtful)
    if all(word == SKIPPED for word in said.values()):
        return FinalVerdict(status=f"{UNDETERMINED}:no-comparable-channel")
    return FinalVerdict(status=PASS)


def results_of(report: Mapping[str, Any]) -> dict[str, str]:
    """Return what each channel says in a ``report.json``: its own findings and its record decide.

    A report of a version without verdicts has one channel that gates, the visual one.
    """
    verdicts = report.get("verdicts")
    visual = verdicts.get(VISUAL) if isinstance(verdicts, Mapping) else None
    results = {VISUAL: str(visual or report.get("status") or UNDETERMINED)}
    for name, record in (report.get("channels") or {}).items():
        if name != VISUAL and name not in EVIDENCE:
            results[name] = _result(name, record, report.get("findings") or ())
    return results


def evaluate_report(report: Mapping[str, Any]) -> FinalVerdict:
    """Return the verdict of a comparison recomputed from its ``report.json`` alone."""
    return decide_verdict(results_of(report))


def _result(name: str, record: Any, findings: Iterable[Any]) -> str:
    if not isinstance(record, Mapping) or record.get("status") != "compared":
        return SKIPPED
    gating = any(
        isinstance(f, Mapping)
        and f.get("channel") == name
        and f.get("gating") is True
        and f.get("state", "open") == "open"
        for f in findings
    )
    if gating:
        return FAIL
    said = str(record.get("result"))
    # An excused finding no longer fails, though the channel saw it.
    return WARN if said == FAIL else said


def _known(word: str) -> str:
    return word if word in _KNOWN or is_undetermined(word) else f"{UNDETERMINED}:unknown-result"


def _named(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda n: (ORDER.index(n) if n in ORDER else len(ORDER), n)))
