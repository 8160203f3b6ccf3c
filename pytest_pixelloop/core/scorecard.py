"""The scorecard: measured verdicts weighed into one figure, and STOP, CONTINUE or ESCALATE.

Everything here is a pure function of the configuration and of rounds that are already recorded.
A round is one full measurement, taken from the ledgers of one run. No model takes part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.verdict import PASS, is_undetermined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SCHEMA_VERSION = 1


class Word(StrEnum):
    """What to do next."""

    STOP = "STOP"
    CONTINUE = "CONTINUE"
    ESCALATE = "ESCALATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One part of the score: its ``weight`` (all sum to 1) and what belongs to it.

    ``match`` are patterns (``*``, ``?``) on test ids, design names and labels. A dimension that is
    held out is measured and counts, and is not shown before the end.
    """

    name: str
    weight: float
    match: tuple[str, ...]
    hold_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What may be spent; None is not limited. At least one is given."""

    max_rounds: int | None = None
    max_minutes: float | None = None
    max_cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """The configuration. ``target`` is 0..100, met in ``consecutive`` rounds in a row.

    The breaker escalates after ``no_progress_rounds`` rounds in a row that did not raise the best
    score, and after ``incomplete_rounds`` in a row that were no full measurement.
    """

    dimensions: tuple[Dimension, ...]
    caps: Caps
    target: float = 100.0
    consecutive: int = 2
    no_progress_rounds: int = 4
    incomplete_rounds: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonResult:
    """One comparison of a run, as its ledger has it."""

    test_id: str
    design: str
    label: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One dimension of one round. ``share`` is None when nothing of it was measured."""

    name: str
    weight: float
    passed: int
    measured: int
    undetermined: int
    hold_out: bool

    @property
    def share(self) -> float | None:
        """The share of comparisons that pass; what could not be measured does not."""
        counted = self.measured + self.undetermined
        return self.passed / counted if counted else None

    @property
    def full(self) -> bool:
        """Whether everything of it was measured."""
        return self.measured > 0 and self.undetermined == 0

    def as_record(self) -> dict[str, Any]:
        """Return the part as files hold it."""
        return {
            "name": self.name,
            "weight": self.weight,
            "passed": self.passed,
            "measured": self.measured,
            "undetermined": self.undetermined,
            "share": None if self.share is None else round(self.share, 6),
            "hold_out": self.hold_out,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One measurement of all dimensions. ``at`` and ``seconds`` are of the run.

    ``cost_usd`` is what is known of its cost, None where nothing is; ``cost_unknown`` counts the
    fixes that did not say theirs. ``digest`` tells that a run was measured anew.
    """

    run_id: str
    digest: str
    at: float
    seconds: float
    cost_usd: float | None
    parts: tuple[Part, ...]
    static: Mapping[str, int] = field(default_factory=dict)
    cost_unknown: int = 0

    @property
    def score(self) -> float:
        """The sum of weight x share, 0..100; a dimension without measurement adds nothing."""
        return round(100 * sum(p.weight * (p.share or 0.0) for p in self.parts), 6)

    @property
    def full(self) -> bool:
        """Whether every dimension was measured whole."""
        return all(part.full for part in self.parts)

    def as_record(self) -> dict[str, Any]:
        """Return the round as the history holds it."""
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "round",
            "run_id": self.run_id,
            "digest": self.digest,
            "at": self.at,
            "seconds": self.seconds,
            "cost_usd": self.cost_usd,
            "cost_unknown": self.cost_unknown,
            "score": self.score,
            "full": self.full,
            "parts": [part.as_record() for part in self.parts],
            "static": dict(self.static),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The verdict over all rounds, the rule that gave it and why in words."""

    word: Word
    rule: str
    reason: str


def measure(card: Scorecard, results: Iterable[ComparisonResult]) -> tuple[Part, ...]:
    """Return each dimension's share of passing comparisons, in the order of the configuration.

    A comparison that several dimensions name counts in each of them.
    """
    every = tuple(results)
    return tuple(_part(dimension, every) for dimension in card.dimensions)


def _part(dimension: Dimension, results: Sequence[ComparisonResult]) -> Part:
    own = [r for r in results if belongs(r, dimension.match)]
    unknown = sum(is_undetermined(r.status) for r in own)
    return Part(
        name=dimension.name,
        weight=dimension.weight,
        passed=sum(r.status == PASS for r in own),
        measured=len(own) - unknown,
        undetermined=unknown,
        hold_out=dimension.hold_out,
    )


def belongs(result: ComparisonResult, patterns: Iterable[str]) -> bool:
    """Tell whether a pattern fits the comparison's test, design or label."""
    names = (result.test_id, result.design, result.label)
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


def decide(card: Scorecard, rounds: Sequence[Round], *, now: float) -> Ruling:
    """Return what to do after *rounds*, the oldest first; *now* is in seconds as their ``at``.

    The target is asked for first: a goal that is reached with the last round that was allowed is
    reached. Caps come before the breaker, and CONTINUE is what is left.
    """
    for rule in (_target_met, _cap, _breaker):
        ruling = rule(card, rounds, now)
        if ruling is not None:
            return ruling
    if not rounds:
        return Ruling(word=Word.CONTINUE, rule="start", reason="nothing was measured yet")
    last = rounds[-1]
    if not last.full:
        return Ruling(word=Word.CONTINUE, rule="incomplete", reason=_incomplete(last))
    if last.score >= card.target:
        reason = f"the target is met in {_streak(card, rounds)} of {card.consecutive} rounds"
        return Ruling(word=Word.CONTINUE, rule="confirm", reason=reason)
    reason = f"score {last.score:g} of {card.target:g}"
    return Ruling(word=Word.CONTINUE, rule="below-target", reason=reason)


def _target_met(card: Scorecard, rounds: Sequence[Round], _now: float) -> Ruling | None:
    if _streak(card, rounds) < card.consecutive:
        return None
    reason = f"score of at least {card.target:g} in {card.consecutive} full rounds in a row"
    return Ruling(word=Word.STOP, rule="target", reason=reason)


def _streak(card: Scorecard, rounds: Sequence[Round]) -> int:
    count = 0
    for item in reversed(rounds):
        if not item.full or item.score < card.target:
            break
        count += 1
    return count


def _cap(card: Scorecard, rounds: Sequence[Round], now: float) -> Ruling | None:
    caps = card.caps
    if caps.max_rounds is not None and len(rounds) >= caps.max_rounds:
        return _escalate("max_rounds", f"{len(rounds)} of {caps.max_rounds} rounds are spent")
    minutes = spent_minutes(rounds, now=now)
    if caps.max_minutes is not None and minutes >= caps.max_minutes:
        return _escalate("max_minutes", f"{minutes:.0f} of {caps.max_minutes:g} minutes are spent")
    if caps.max_cost_usd is None or not rounds:
        return None
    known, unknown = spent_cost(rounds)
    if known >= caps.max_cost_usd:
        return _escalate("max_cost_usd", f"{known:g} of {caps.max_cost_usd:g} USD are spent")
    if unknown and caps.max_rounds is None and caps.max_minutes is None:
        return _escalate(
            "max_cost_usd",
            f"the cost of {unknown} rounds is unknown and no other cap is set: nothing limits it",
        )
    return None


def spent_minutes(rounds: Sequence[Round], *, now: float) -> float:
    """Return the minutes from the start of the first round to *now*."""
    if not rounds:
        return 0.0
    first = rounds[0]
    return max(0.0, now - (first.at - first.seconds)) / 60


def spent_cost(rounds: Sequence[Round]) -> tuple[float, int]:
    """Return the known cost in USD and the number of rounds whose cost is not known whole."""
    known = sum(r.cost_usd for r in rounds if r.cost_usd is not None)
    return known, sum(r.cost_usd is None or r.cost_unknown > 0 for r in rounds)


def _breaker(card: Scorecard, rounds: Sequence[Round], _now: float) -> Ruling | None:
    tail = rounds[-card.incomplete_rounds :]
    if len(tail) == card.incomplete_rounds and not any(r.full for r in tail):
        return _escalate(
            "incomplete",
            f"{len(tail)} rounds in a row were no full measurement: " + _incomplete(rounds[-1]),
        )
    best, since = -1.0, 0
    for item in rounds:
        if item.score > best:
            best, since = item.score, 0
        else:
            since += 1
    if since >= card.no_progress_rounds and _streak(card, rounds) == 0:
        return _escalate("no-progress", f"{since} rounds in a row did not raise {best:g}")
    return None


def _incomplete(item: Round) -> str:
    """Say what of a round was not measured; a held-out dimension is not named."""
    names = [p.name for p in item.parts if not p.full and not p.hold_out]
    names += ["a held-out dimension"] if any(not p.full and p.hold_out for p in item.parts) else []
    return "not measured whole: " + ", ".join(names)


def _escalate(rule: str, reason: str) -> Ruling:
    return Ruling(word=Word.ESCALATE, rule=rule, reason=reason)
