"""What somebody who looked at the picture says of it: read strictly, counted, never believed more.

A vision finding is one of the appearance channel and of no other. An answer that is not of the form
below is no answer: nothing of it is used.

    {"findings": [{"message": "...", "priority": "P1", "box": [x, y, w, h], "confidence": 0.8}],
     "tokens": 1200, "cost_usd": 0.004}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_pixelloop.core.appearance import VISION, Issue, Priority
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.geometry import Box

VISION_SCHEMA_VERSION = 1
NOT_ASKED = "not run: no vision command and no hook"
_MOST = 50
_PRIORITIES = (Priority.P0, Priority.P1, Priority.P2)


class AnswerError(ValueError):
    """An answer is not of the form that is asked for; the text says what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionAnswer:
    """A readable answer, and what it cost."""

    issues: tuple[Issue, ...] = ()
    tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What vision calls have cost so far."""

    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0

    def as_record(self) -> dict[str, Any]:
        """Return the totals as plain JSON."""
        return {"calls": self.calls, "tokens": self.tokens, "cost_usd": round(self.cost_usd, 6)}


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionBudget:
    """What vision calls of a run may cost together; None is without limit."""

    max_cost_usd: float | None = None
    max_tokens: int | None = None

    def refusal(self, spent: Spent) -> str:
        """Return in words why no further call is made, "" when one is."""
        if self.max_cost_usd is not None and spent.cost_usd >= self.max_cost_usd:
            return f"the budget of {self.max_cost_usd:g} USD is spent"
        if self.max_tokens is not None and spent.tokens >= self.max_tokens:
            return f"the budget of {self.max_tokens} tokens is spent"
        return ""

    def excess(self, spent: Spent) -> str:
        """Return in words by what a call went beyond the budget, "" when it did not."""
        if self.max_cost_usd is not None and spent.cost_usd > self.max_cost_usd:
            return f"{spent.cost_usd:g} USD are more than the budget of {self.max_cost_usd:g} USD"
        if self.max_tokens is not None and spent.tokens > self.max_tokens:
            return f"{spent.tokens} tokens are more than the budget of {self.max_tokens}"
        return ""


def read_cost(record: Any) -> tuple[int, float]:
    """Return tokens and USD that an answer says it cost; AnswerError for odd numbers.

    Read apart from the findings: what cannot be used has been paid for all the same.
    """
    if not isinstance(record, Mapping):
        raise AnswerError("it is no JSON object")
    tokens, cost = record.get("tokens", 0), record.get("cost_usd", 0.0)
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0:
        raise AnswerError(f"tokens {tokens!r} is no whole number of 0 or more")
    if not _is_number(cost) or cost < 0:
        raise AnswerError(f"cost_usd {cost!r} is no number of 0 or more")
    return tokens, float(cost)


def read_answer(record: Any) -> VisionAnswer:
    """Return what an answer says. Raises AnswerError for everything that is not of its form."""
    tokens, cost = read_cost(record)
    findings = record.get("findings")
    if not isinstance(findings, list | tuple):
        raise AnswerError("it has no list of findings")
    if len(findings) > _MOST:
        raise AnswerError(f"it has {len(findings)} findings, more than {_MOST}")
    issues = tuple(_issue(item, number) for number, item in enumerate(findings, start=1))
    return VisionAnswer(issues=issues, tokens=tokens, cost_usd=cost)


def _issue(item: Any, number: int) -> Issue:
    where = f"finding {number}"
    if not isinstance(item, Mapping):
        raise AnswerError(f"{where} is no JSON object")
    message, priority = item.get("message"), item.get("priority", "P2")
    if not isinstance(message, str) or not message.strip():
        raise AnswerError(f"{where} has no message")
    if priority not in _PRIORITIES:
        raise AnswerError(f"{where} has the priority {priority!r}, not P0, P1 or P2")
    confidence = item.get("confidence", 1.0)
    if not _is_number(confidence) or not 0 <= confidence <= 1:
        raise AnswerError(f"{where} has the confidence {confidence!r}, not 0 to 1")
    return Issue(
        check=VISION,
        message=printable(message.strip()),
        box=_box(item.get("box"), where),
        priority=Priority(priority),
        confidence=float(confidence),
        source=VISION,
    )


def _box(value: Any, where: str) -> Box | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple) or len(value) != 4 or not all(map(_is_number, value)):
        raise AnswerError(f"{where} has a box that is not [x, y, w, h]")
    x, y, w, h = (float(v) for v in value)
    if w <= 0 or h <= 0 or max(map(abs, (x, y, w, h))) > 1e7:
        raise AnswerError(f"{where} has a box without a place")
    return Box(x, y, w, h)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
