"""What a run may spend and has spent: minutes, money, tokens.

What a fix has cost is what its fixer says. Whatever it does not say, or says in a way that cannot
be a cost, is unknown: counted as unknown, never as nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pytest_pixelloop.core.explain import printable

_T = TypeVar("_T")
#: A figure above is a mistake and not a cost.
MAX_COST_USD = 1e6
MAX_TOKENS = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """What a run may spend; None is not limited."""

    max_minutes: float | None = None
    max_cost_usd: float | None = None
    max_tokens: int | None = None

    @property
    def any(self) -> bool:
        """Whether anything is limited."""
        return any(v is not None for v in (self.max_minutes, self.max_cost_usd, self.max_tokens))

    def or_else(self, recorded: BudgetLimits) -> BudgetLimits:
        """Return these limits, and those that are *recorded* where none is given."""
        return BudgetLimits(
            max_minutes=_first(self.max_minutes, recorded.max_minutes),
            max_cost_usd=_first(self.max_cost_usd, recorded.max_cost_usd),
            max_tokens=_first(self.max_tokens, recorded.max_tokens),
        )

    def as_record(self) -> dict[str, Any]:
        """Return the limits as plain JSON."""
        return {
            "max_minutes": self.max_minutes,
            "max_cost_usd": self.max_cost_usd,
            "max_tokens": self.max_tokens,
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> BudgetLimits:
        """Return the limits that a ledger's record holds."""
        minutes, cost = record.get("max_minutes"), record.get("max_cost_usd")
        tokens = record.get("max_tokens")
        return cls(
            max_minutes=None if minutes is None else float(minutes),
            max_cost_usd=None if cost is None else float(cost),
            max_tokens=None if tokens is None else int(tokens),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was spent: known figures, and of how many fixes a figure is not known."""

    seconds: float = 0.0
    cost_usd: float = 0.0
    tokens: int = 0
    cost_unknown: int = 0
    tokens_unknown: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            seconds=self.seconds + other.seconds,
            cost_usd=self.cost_usd + other.cost_usd,
            tokens=self.tokens + other.tokens,
            cost_unknown=self.cost_unknown + other.cost_unknown,
            tokens_unknown=self.tokens_unknown + other.tokens_unknown,
        )

    def as_record(self) -> dict[str, Any]:
        """Return the figures as plain JSON."""
        return {
            "seconds": round(self.seconds, 3),
            "cost_usd": round(self.cost_usd, 6),
            "tokens": self.tokens,
            "cost_unknown": self.cost_unknown,
            "tokens_unknown": self.tokens_unknown,
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Spent:
        """Return what a ledger's record holds."""
        return cls(
            seconds=float(record.get("seconds") or 0.0),
            cost_usd=float(record.get("cost_usd") or 0.0),
            tokens=int(record.get("tokens") or 0),
            cost_unknown=int(record.get("cost_unknown") or 0),
            tokens_unknown=int(record.get("tokens_unknown") or 0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a run may spend and what all its tests have spent.

    What is left is None where nothing is limited, and never below 0.
    """

    limits: BudgetLimits
    spent: Spent

    @property
    def seconds_left(self) -> float | None:
        """How long the run may still take."""
        most = self.limits.max_minutes
        return None if most is None else max(0.0, 60 * most - self.spent.seconds)

    @property
    def cost_usd_left(self) -> float | None:
        """How many USD the run may still spend, as far as the costs are known."""
        most = self.limits.max_cost_usd
        return None if most is None else max(0.0, most - self.spent.cost_usd)

    @property
    def tokens_left(self) -> int | None:
        """How many tokens the run may still use, as far as they are known."""
        most = self.limits.max_tokens
        return None if most is None else max(0, most - self.spent.tokens)

    @property
    def exhausted(self) -> tuple[str, ...]:
        """What is spent, in words; empty while nothing is."""
        return tuple(words for left, words in self._rows() if left <= 0)

    @property
    def words(self) -> tuple[str, ...]:
        """What of each limit is spent, in words."""
        return tuple(words for _left, words in self._rows())

    def _rows(self) -> Iterator[tuple[float, str]]:
        """Yield of each limit what is left and what is spent, in words."""
        limits, spent = self.limits, self.spent
        if self.seconds_left is not None:
            yield (
                self.seconds_left,
                f"{spent.seconds / 60:.1f} of {limits.max_minutes:g} minutes",
            )
        if self.cost_usd_left is not None:
            known = f"{spent.cost_usd:.4g} of {limits.max_cost_usd:g} USD"
            yield self.cost_usd_left, known + _unknown(spent.cost_unknown)
        if self.tokens_left is not None:
            known = f"{spent.tokens} of {limits.max_tokens} tokens"
            yield self.tokens_left, known + _unknown(spent.tokens_unknown)

    def as_record(self) -> dict[str, Any]:
        """Return limits, what is spent and what is left as plain JSON."""
        left = self.seconds_left
        return {
            "limits": self.limits.as_record(),
            "spent": self.spent.as_record(),
            "left": {
                "minutes": None if left is None else round(left / 60, 3),
                "cost_usd": None if self.cost_usd_left is None else round(self.cost_usd_left, 6),
                "tokens": self.tokens_left,
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one fix has cost; None is unknown, and ``problem`` says why where it is not obvious."""

    cost_usd: float | None = None
    tokens: int | None = None
    problem: str | None = None

    @property
    def spent(self) -> Spent:
        """The usage as it counts towards a budget."""
        return Spent(
            cost_usd=self.cost_usd or 0.0,
            tokens=self.tokens or 0,
            cost_unknown=self.cost_usd is None,
            tokens_unknown=self.tokens is None,
        )

    def as_record(self) -> dict[str, Any]:
        """Return the usage as a ledger holds it."""
        return {"cost_usd": self.cost_usd, "tokens": self.tokens, "problem": self.problem}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Usage:
        """Return the usage that a ledger's record holds."""
        cost, tokens = record.get("cost_usd"), record.get("tokens")
        return cls(
            cost_usd=None if cost is None else float(cost),
            tokens=None if tokens is None else int(tokens),
            problem=record.get("problem"),
        )


def read_usage(value: Any) -> Usage:
    """Return the usage that a fixer reports; total.

    ``{"cost_usd": 0.12, "tokens": 3400}``, or in place of ``tokens`` both ``input_tokens`` and
    ``output_tokens``. Each figure by itself: one that is wrong leaves the other known.
    """
    if not isinstance(value, Mapping):
        return Usage(problem="it is no JSON object")
    problems: list[str] = []
    cost = _figure(value, "cost_usd", MAX_COST_USD, problems)
    if "tokens" in value:
        tokens = _figure(value, "tokens", MAX_TOKENS, problems, whole=True)
    else:
        parts = [
            _figure(value, name, MAX_TOKENS, problems, whole=True)
            for name in ("input_tokens", "output_tokens")
        ]
        tokens = None if any(part is None for part in parts) else sum(p or 0 for p in parts)
    if cost is None and tokens is None and not problems:
        problems.append("it has neither cost_usd nor tokens")
    return Usage(
        cost_usd=cost,
        tokens=None if tokens is None else int(tokens),
        problem="; ".join(problems) or None,
    )


def _figure(
    value: Mapping[Any, Any], name: str, most: float, problems: list[str], *, whole: bool = False
) -> float | int | None:
    if value.get(name) is None:
        return None
    figure = value[name]
    good = isinstance(figure, int | float) and not isinstance(figure, bool)
    # An int is compared and not converted: it may be too large for a float.
    good = good and (isinstance(figure, int) or math.isfinite(figure)) and 0 <= figure <= most
    if good and not (whole and int(figure) != figure):
        return int(figure) if whole else float(figure)
    kind = "a whole number" if whole else "a number"
    problems.append(f"{name} {_shown(figure)} is not {kind} from 0 to {most:g}")
    return None


def _shown(figure: Any) -> str:
    if isinstance(figure, int) and not isinstance(figure, bool) and abs(figure) > 10**15:
        return "with more than 15 digits"  # some are too long to be written out
    return printable(repr(figure), limit=40)


def _unknown(count: int) -> str:
    return f" (and {count} fix{'' if count == 1 else 'es'} of unknown usage)" if count else ""


def _first(given: _T | None, recorded: _T | None) -> _T | None:
    return recorded if given is None else given
