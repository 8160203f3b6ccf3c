"""When a loop ends, and as what: every stop rule a small pure function, first hit wins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether to iterate again, else the final status, the rule that fired and why in words.

    ``status`` and ``rule`` are None exactly while ``again`` is True.
    """

    again: bool
    status: str | None = None
    rule: str | None = None
    reason: str = ""
