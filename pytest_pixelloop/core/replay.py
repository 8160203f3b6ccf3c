"""A loop's decisions made again from its ledger: what the rules say, beside what was recorded.

Every decision is a pure function of the records before it and of the limits that the process wrote
down when it began. Only the clock is not in the history: the time budget was asked at some moment
between the measurement's record and the next one, so both ends are asked, and either answer holds.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.history import INTERRUPTED
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.core.records import Kind
from pytest_pixelloop.core.sealing import SEALED, disclosed
from pytest_pixelloop.core.stopping import (
    CONVERGED,
    Decision,
    Limits,
    decide,
    decide_entry,
    moved_decision,
    seal_broken,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_OVERRULED = frozenset((INTERRUPTED, f"{moved_decision(()).status} (goalposts)"))
_SESSION = frozenset((str(Kind.START), str(Kind.RESUMED)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One decision: of *iteration*, None for one that was made before anything was measured.

    ``recorded`` and ``recomputed`` are ``again`` or the status with its rule; ``recomputed`` holds
    every answer that the rules allow, more than one only where the clock decides.
    """

    iteration: int | None
    recorded: str
    recomputed: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether the rules say what was recorded."""
        return self.recorded in self.recomputed


def limits_record(limits: Limits) -> dict[str, Any]:
    """Return the limits as a ledger keeps them; what counts this process's work is not one."""
    told = dataclasses.asdict(limits)
    del told["measured_here"]
    return told


def read_limits(session: Mapping[str, Any], *, measured_here: int = 0) -> Limits:
    """Return the limits that a ``start`` or ``resumed`` record tells.

    Records of a version that kept no limits tell cap, looping and iterations per run alone; the
    others are the defaults then. Raises KeyError, TypeError or ValueError for one that is none.
    """
    told = dict(session.get("limits") or {})
    known = {f.name for f in dataclasses.fields(Limits)}
    told = {name: value for name, value in told.items() if name in known}
    told["cap"] = int(session["iteration_cap"])
    told["looping"] = bool(session["looping"])
    told["iterations_per_run"] = session.get("iterations_per_run")
    return Limits(**told, measured_here=measured_here)


def replay(records: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    """Return every decision that *records* tell, recorded and made again.

    A process that was killed before it told what it decided has no step for that measurement.
    Raises LedgerError as fold() does.
    """
    return tuple(_steps(disclosed(records)))


def _steps(records: Sequence[Mapping[str, Any]]) -> Iterator[Step]:
    session: Mapping[str, Any] | None = None
    measured_here = 0
    last: str | None = None
    for index, line in enumerate(records):
        kind = line.get("kind")
        if kind in _SESSION:
            session, measured_here, last = line, 0, "session"
        elif kind == Kind.MEASURED:
            measured_here, last = measured_here + 1, "measured"
            following = _following(records, index)
            if session is not None and following is not None:
                yield _measured(records, index, following, session, measured_here)
        elif kind == Kind.ITERATION_STARTED:
            last = "iteration"
        elif kind == Kind.ENDED and last == "session" and session is not None:
            yield _entry(records, index, session)
        elif kind == Kind.ENDED and last == "iteration":
            yield _cut_off(line)


def _following(records: Sequence[Mapping[str, Any]], index: int) -> Mapping[str, Any] | None:
    """Return the record that tells what was decided; None where the process did not get there."""
    for line in records[index + 1 :]:
        kind = line.get("kind")
        if kind in _SESSION:
            return None
        if kind in {Kind.ITERATION_STARTED, Kind.MEASURED, Kind.ENDED}:
            return line
    return None


def _measured(
    records: Sequence[Mapping[str, Any]],
    index: int,
    following: Mapping[str, Any],
    session: Mapping[str, Any],
    measured_here: int,
) -> Step:
    history = fold(records[: index + 1])
    limits = read_limits(session, measured_here=measured_here)
    moments = (float(records[index]["at"]), float(following["at"]))
    answers = dict.fromkeys(_word(decide(history, limits, now=now)) for now in moments)
    recorded = _recorded(following)
    # Ctrl-C, an error that is no verdict, or files of the run that were found forged after the
    # decision: no rule of the history says so, and nothing is green by it.
    if recorded in _OVERRULED:
        answers[recorded] = None
    # What is sealed was decided by, and cannot be decided by again yet; nothing is green by it.
    lost = seal_broken(history.seal_broken)
    if recorded == _word(lost) or (SEALED in records[index] and not recorded.startswith(CONVERGED)):
        answers[recorded] = None
    return Step(
        iteration=int(records[index]["iteration"]), recorded=recorded, recomputed=tuple(answers)
    )


def _entry(records: Sequence[Mapping[str, Any]], index: int, session: Mapping[str, Any]) -> Step:
    decision = decide_entry(fold(records[:index]), read_limits(session))
    allowed = () if decision is None else (_word(decision),)
    recorded = _recorded(records[index])
    return Step(iteration=None, recorded=recorded, recomputed=(*allowed, INTERRUPTED))


def _cut_off(line: Mapping[str, Any]) -> Step:
    """Return the end of a process that had begun an iteration: it can only be an interruption."""
    return Step(iteration=None, recorded=_recorded(line), recomputed=(INTERRUPTED,))


def _recorded(line: Mapping[str, Any]) -> str:
    if line.get("kind") != Kind.ENDED:
        return "again"
    rule = line.get("rule")
    return str(line.get("status")) + (f" ({rule})" if rule else "")


def _word(decision: Decision) -> str:
    if decision.again:
        return "again"
    return f"{decision.status}" + (f" ({decision.rule})" if decision.rule else "")
