"""What a loop is told before it starts, and what one run of the test gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_pixelloop.core.budget import BudgetLimits
from pytest_pixelloop.core.tolerance import IterationCap

_NOT_COMPARED = frozenset(
    {"", "skipped", "n/a", "none", "off", "missing", "undetermined", "not compared"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    """How one test is looped.

    ``looping`` False is the plain gate: measured once, recorded, never fixed. ``mode`` is
    ``repair`` (measure first, as iteration 0) or ``create`` (fix first, measure iteration 1).
    One of ``fix_command``, ``fix_wait`` (how many seconds to wait for somebody who edits) and
    ``fix_hook`` says who fixes. ``fix_timeout`` is in seconds.
    ``iterations_per_run`` limits the measurements of this process.
    ``breaker_limit`` is how many useless fixes in a row end the loop. ``noise_floor`` is how far
    a score may move while the sources stand still. ``conditional_passes`` lets a ``conditional``
    verdict count as passed (the ini key ``pixelloop_conditional = pass``). ``budget`` is what the
    whole run may spend.
    """

    looping: bool
    cap: IterationCap
    mode: str = "repair"
    fix_command: str | None = None
    fix_wait: float | None = None
    fix_hook: bool = False
    fix_timeout: float = 600.0
    iterations_per_run: int | None = None
    breaker_limit: int = 2
    noise_floor: float = 0.0
    conditional_passes: bool = False
    budget: BudgetLimits = field(default_factory=BudgetLimits)

    @property
    def fixer(self) -> str | None:
        """Who fixes, as a ledger names it: of a command the program alone, None for nobody.

        Arguments may hold what no file should.
        """
        if self.fix_command is not None:
            return next(iter(self.fix_command.split()), None)
        return "hook" if self.fix_hook else "wait" if self.fix_wait is not None else None

    @property
    def fix_seconds(self) -> float:
        """How long one fix may take."""
        return self.fix_timeout if self.fix_wait is None else self.fix_wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What one run of the test gave.

    ``status`` is ``pass``, ``conditional``, ``fail`` or ``undetermined:<reason>``, over every
    comparison including held-out ones. ``score`` None is unknown. ``channels`` maps a channel's
    name to what became of it: a word (``skipped`` and ``n/a`` mean not compared) or a mapping
    with the word under ``status``. ``reports`` are ``ComparisonReport.as_record()`` each, their
    artifact paths relative to the iteration's folder; a held-out comparison has
    ``design["hold_out"]`` true. ``problem`` is the error text where something went wrong.
    ``held_out_files`` are the artifacts of held-out comparisons by name, which lie nowhere yet.
    """

    status: str
    score: float | None = None
    delta_ids: tuple[str, ...] = ()
    channels: Mapping[str, Any] = field(default_factory=dict)
    reports: tuple[Mapping[str, Any], ...] = ()
    problem: str | None = None
    held_out_files: Mapping[str, bytes] = field(default_factory=dict)


def compared_channels(channels: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sorted names of the channels that had input and were compared."""
    return tuple(sorted(name for name, value in channels.items() if _was_compared(value)))


def _was_compared(value: Any) -> bool:
    if isinstance(value, Mapping):
        return _was_compared(value.get("status"))
    if isinstance(value, str):
        return value.strip().lower().partition(":")[0] not in _NOT_COMPARED
    return bool(value)


def merged_channels(all_channels: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the channels over all comparisons: compared where it was in any of them."""
    merged: dict[str, Any] = {}
    for channels in all_channels:
        for name, value in channels.items():
            if name not in merged or compared_channels({name: value}):
                merged[name] = _in_short(value)
    return merged


def _in_short(value: Any) -> Any:
    """Return a channel's record without its lists, which stand in the report."""
    if not isinstance(value, Mapping):
        return value
    return {key: item for key, item in value.items() if not isinstance(item, list)}


def resumed_cap(told: IterationCap, *, recorded: tuple[int | None, str | None]) -> IterationCap:
    """Return the cap of a resumed run: the one given now, else the one that is *recorded*.

    A cap that was given and refused counts as given: then the default holds, as always.
    """
    value, source = recorded
    if value is None or told.source != "default" or told.notes:
        return told
    return IterationCap(value=value, source=source or told.source)
