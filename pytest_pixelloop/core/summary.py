"""What a loop came to: the fields of ``summary.md`` and ``summary.json``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The end of one test's loop.

    ``status`` is ``converged``, ``not-converged:<rule>``, ``in-progress``,
    ``undetermined:<reason>``, or for a plain gate the verdict word (``pass``, ``conditional``,
    ``fail``, ``undetermined:<reason>``). ``record`` is what ``summary.json`` holds; ``path`` is
    ``summary.md``.
    """

    status: str
    passed: bool
    rule: str | None
    reason: str
    record: Mapping[str, Any]
    path: Path
