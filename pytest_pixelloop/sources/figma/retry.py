"""When to ask again: pure rules over headers and numbers."""

from __future__ import annotations

import email.utils
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

TRIES = 3
BASE_WAIT = 1.0
PASSING = frozenset({408, 425, 500, 502, 503, 504})
"""Answers that may be different in a second."""
_EPOCH = 1_000_000_000
_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60


def backoff(attempt: int, *, jitter: float) -> float:
    """Return the seconds to wait after failed *attempt* (0, 1, ...): 1, 2, 4 plus *jitter* 0..1."""
    return float(BASE_WAIT * 2**attempt * (1 + jitter / 4))


def retry_after(text: str | None, *, now: datetime) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for, None for none or nonsense.

    Understands seconds, an HTTP date, and a point in time as seconds since 1970.
    """
    if text is None or not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        return _from_date(text, now)
    if not math.isfinite(number) or number < 0:
        return None
    return max(number - now.timestamp(), 0.0) if number >= _EPOCH else number


def _from_date(text: str, now: datetime) -> float | None:
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    if moment.tzinfo is None:
        return None
    return max((moment - now).total_seconds(), 0.0)


def waiting_words(seconds: float) -> str:
    """Return a waiting time as people say it: ``4.6 days``, ``2.5 hours``, ``90 s``."""
    if seconds >= _DAY:
        return f"{seconds / _DAY:.1f} days"
    if seconds >= 2 * _HOUR:
        return f"{seconds / _HOUR:.1f} hours"
    if seconds >= 2 * _MINUTE:
        return f"{seconds / _MINUTE:.0f} minutes"
    return f"{seconds:.0f} s"
