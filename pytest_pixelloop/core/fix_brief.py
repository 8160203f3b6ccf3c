"""What whoever fixes is told, whichever way that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class FixBrief:
    """The brief of one fix. ``str(brief)`` is its text of at most 40 lines.

    ``record`` is what ``brief.json`` holds, with every open finding; ``text_path`` and
    ``json_path`` are the files. ``iteration`` is the number of the iteration that the fix begins.
    ``seconds`` is how long it may take, ``short`` whether that is all the budget has left and less
    than a fix usually has. ``variables`` are those that a fix command finds in its
    environment; ``usage_path`` is the file named there as ``PIXELLOOP_USAGE``. ``sources`` tells
    the sources that were measured last, None where nothing was or they are unknown.
    """

    iteration: int
    text: str
    text_path: Path
    json_path: Path
    usage_path: Path
    seconds: float
    record: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    sources: str | None = None
    short: bool = False

    def __str__(self) -> str:
        return self.text
