"""The history of a loop, folded from its ledger: the one place that reads ledger records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.budget import BudgetLimits, Spent, Usage
from pytest_pixelloop.core.errors import LedgerError
from pytest_pixelloop.core.history import Compared, End, Fix, History, Measured, Pending, Running
from pytest_pixelloop.core.ledger_chain import LINK
from pytest_pixelloop.core.records import (
    LEDGER_SCHEMA_VERSION,
    FixOutcome,
    Kind,
    moved_goalposts,
)
from pytest_pixelloop.core.sealing import SEALED, opens, whole_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def fold(records: Sequence[Mapping[str, Any]]) -> History:
    """Return the history that *records* tell; any prefix of a ledger tells one.

    Unknown kinds of records are skipped: a later version may have written them. Raises
    LedgerError for a record without what its kind must have, or of a newer schema.
    """
    folding = _Folding()
    for number, line in enumerate(records, start=1):
        try:
            folding.take(line)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LedgerError(
                f"record {number} of the ledger cannot be understood: {error!r}",
                expected=f"a record of schema_version {LEDGER_SCHEMA_VERSION}",
                next_step="start a new run (leave --run-id away)",
            ) from error
    return folding.history()


class _Folding:
    """The state while folding: one method for each kind of record."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}
        self.notes: list[str] = []
        self.goalposts: dict[str, str] = {}
        self.moved: tuple[str, ...] = ()
        self.forged: tuple[str, ...] = ()
        self.measured: dict[int, Measured] = {}
        self.sealed: dict[int, Mapping[str, Any]] = {}
        self.broken: tuple[str, ...] = ()
        self.disclosed: int | None = None
        self.measured_at: float | None = None
        self.patched_at: float | None = None
        self.pending: Pending | None = None
        self.booked = False
        self.running: Running | None = None
        self.interrupted: list[Pending] = []
        self.spent = 0.0
        self.limits = BudgetLimits()
        self.cost = Spent()
        self.elsewhere = Spent()
        self.fixing = False
        self.segment: tuple[float, float] | None = None
        self.restarts = 0
        self.rungs: list[int] = []
        self.processes = 0
        self.end: End | None = None
        self.link: str | None = None
        self.steps = {
            Kind.START: self._session,
            Kind.RESUMED: self._session,
            Kind.ITERATION_STARTED: self._iteration,
            Kind.FIX_STARTED: self._fix_started,
            Kind.FIX_RUNNING: self._fix_running,
            Kind.FIX_ENDED: self._fix_ended,
            Kind.MEASURED: self._measured,
            Kind.RESTARTED: self._restarted,
            Kind.UNSEALED: self._unsealed,
            Kind.ENDED: self._ended,
        }

    def take(self, line: Mapping[str, Any]) -> None:
        self.link = _text(line.get(LINK))
        version = line["schema_version"]
        if not isinstance(version, int) or version > LEDGER_SCHEMA_VERSION:
            raise ValueError(f"schema_version {version!r}")
        at = float(line["at"])
        kind = line["kind"]
        if kind in {Kind.START, Kind.RESUMED}:
            self._close_segment()
            self.segment = (at, at)
        elif self.segment is not None:
            self.segment = (self.segment[0], max(self.segment[1], at))
        step = self.steps.get(kind)
        if step is not None:
            step(line)

    def _close_segment(self) -> None:
        if self.segment is not None:
            self.spent += self.segment[1] - self.segment[0]

    def _session(self, line: Mapping[str, Any]) -> None:
        self._leave_pending()
        self.processes += 1
        self.end = None
        self.told = {
            "run_id": str(line["run_id"]),
            "test_id": str(line["test_id"]),
            "looping": bool(line["looping"]),
            "mode": str(line["mode"]),
            "iteration_cap": int(line["iteration_cap"]),
            "iteration_cap_source": str(line["iteration_cap_source"]),
        }
        self.notes.extend(n for n in map(str, line["notes"]) if n not in self.notes)
        self.limits = BudgetLimits.of(line.get("budget") or {})
        self._spent_elsewhere(line)
        goalposts = {str(k): str(v) for k, v in line["goalposts"].items()}
        self.forged += _texts(line.get("forged"))
        self.moved = (*moved_goalposts(self.goalposts, goalposts), *self.forged)
        self.broken = _texts(line.get("seal_broken"))
        self.goalposts = {**goalposts, **self.goalposts}

    def _spent_elsewhere(self, line: Mapping[str, Any]) -> None:
        if line.get("elsewhere") is not None:
            self.elsewhere = Spent.of(line["elsewhere"])

    def _leave_fix(self) -> None:
        """Book what a fix has cost that was cut off: it is unknown, and it is not nothing."""
        if self.fixing:
            self.cost += Usage().spent
        self.fixing = False

    def _leave_pending(self) -> None:
        """Book an unfinished iteration as interrupted; what its fix came to is kept."""
        if self.pending is not None and not self.booked:
            self.interrupted.append(self.pending)
            self.booked = True

    def _set_pending(self, pending: Pending | None) -> None:
        self.pending = pending
        self.booked = False

    def _iteration(self, line: Mapping[str, Any]) -> None:
        number = int(line["iteration"])
        kept = self.pending.fix if self.pending and self.pending.iteration == number else None
        phase = "measure" if kept or not line["fix"] else "fix"
        self._set_pending(Pending(iteration=number, phase=phase, fix=kept))

    def _fix_started(self, line: Mapping[str, Any]) -> None:
        self._leave_fix()
        self.fixing = True
        self._set_pending(Pending(iteration=int(line["iteration"]), phase="fix"))

    def _fix_running(self, line: Mapping[str, Any]) -> None:
        self.running = Running(
            iteration=int(line["iteration"]), pid=int(line["pid"]), identity=str(line["identity"])
        )

    def _fix_ended(self, line: Mapping[str, Any]) -> None:
        number = int(line["iteration"])
        self.running = None
        self.fixing = False
        fix = _fix(line)
        self.cost += (fix.usage or Usage()).spent
        if fix.outcome is not FixOutcome.UNCHANGED or fix.changed_count:
            self.patched_at = float(line["at"])
        self._set_pending(Pending(iteration=number, phase="measure", fix=fix))

    def _measured(self, line: Mapping[str, Any]) -> None:
        number = int(line["iteration"])
        fix = self.pending.fix if self.pending and self.pending.iteration == number else None
        self.measured[number] = _measurement(line, fix=fix)
        self.measured_at = float(line["at"])
        for name, value in (line.get("goalposts_added") or {}).items():
            self.goalposts.setdefault(str(name), str(value))
        self.moved = self.measured[number].goalposts_moved
        self.forged += _texts(line.get("forged"))
        self._spent_elsewhere(line)
        self.broken = self.measured[number].seal_broken
        if self.measured[number].sealed:
            self.sealed[number] = line
        else:
            self.sealed.pop(number, None)
        self._set_pending(None)
        self.running = None
        self.end = None

    def _unsealed(self, line: Mapping[str, Any]) -> None:
        """Take what a measurement left out; what it was not bound to is no record of it."""
        number = int(line["iteration"])
        if self.disclosed is None:
            self.disclosed = max(self.measured, default=number)
        sealed = self.sealed.pop(number, None)
        if sealed is None:
            return
        hidden = line["hidden"]
        if not opens(sealed, nonce=str(line["nonce"]), hidden=hidden):
            raise ValueError(f"iteration {number} was not sealed with these figures")
        fix = self.measured[number].fix
        self.measured[number] = _measurement(whole_line(sealed, hidden), fix=fix)

    def _restarted(self, line: Mapping[str, Any]) -> None:
        self.restarts += 1
        if line.get("rung") is not None:
            self.rungs.append(int(line["rung"]))

    def _ended(self, line: Mapping[str, Any]) -> None:
        self._leave_pending()
        rule = line.get("rule")
        self.end = End(
            status=str(line["status"]),
            rule=None if rule is None else str(rule),
            reason=str(line.get("reason") or ""),
        )

    def history(self) -> History:
        self._close_segment()
        if self.end is None:
            self._leave_pending()
        self._leave_fix()
        return History(
            **self.told,
            notes=tuple(self.notes),
            goalposts=self.goalposts,
            goalposts_moved=self.moved,
            seal_broken=self.broken,
            disclosed_after=self.disclosed,
            measured_at=self.measured_at,
            patched_at=self.patched_at,
            measurements=tuple(self.measured[n] for n in sorted(self.measured)),
            pending=self.pending,
            running=self.running,
            interrupted=tuple(self.interrupted),
            spent_seconds=self.spent,
            limits=self.limits,
            cost=self.cost,
            elsewhere=self.elsewhere,
            last_at=self.segment[1] if self.segment else None,
            restarts=self.restarts,
            rungs=tuple(self.rungs),
            processes=self.processes,
            end=self.end,
            link=self.link,
        )


def _fix(line: Mapping[str, Any]) -> Fix:
    return Fix(
        iteration=int(line["iteration"]),
        outcome=FixOutcome(line["outcome"]),
        exit_code=None if line.get("exit_code") is None else int(line["exit_code"]),
        seconds=float(line.get("seconds") or 0.0),
        changed=_texts(line.get("changed")),
        changed_count=int(line.get("changed_count") or 0),
        output=_text(line.get("output")),
        error=_text(line.get("error")),
        patch=dict(line["patch"]) if line.get("patch") else None,
        usage=Usage.of(line["usage"]) if line.get("usage") else None,
        by=str(line.get("by") or "command"),
    )


def _measurement(line: Mapping[str, Any], *, fix: Fix | None) -> Measured:
    return Measured(
        iteration=int(line["iteration"]),
        status=str(line["status"]),
        score=_number(line["score"]),
        delta_ids=_texts(line["delta_ids"]),
        channels=dict(line["channels"]),
        comparisons=tuple(_compared(entry) for entry in line.get("comparisons") or ()),
        problem=_text(line.get("problem")),
        sources=_text(line.get("sources")),
        goalposts_moved=_texts(line.get("goalposts_moved")),
        moving=_texts(line.get("moving")),
        environment_changed=_texts(line.get("environment_changed")),
        fix=fix,
        sealed=SEALED in line,
        seal_broken=_texts(line.get("seal_broken")),
    )


def _compared(entry: Mapping[str, Any]) -> Compared:
    return Compared(
        label=str(entry["label"]),
        design=str(entry["design"]),
        status=str(entry["status"]),
        gate=_text(entry.get("gate")),
        score=_number(entry.get("score")),
        delta_ids=_texts(entry.get("delta_ids")),
        excused=_texts(entry.get("excused")),
        hold_out=entry.get("hold_out") is True,
        report=str(entry["report"]),
        environment={str(k): str(v) for k, v in (entry.get("environment") or {}).items()},
        noise_floor=_number(entry.get("noise_floor")),
        masked=_number(entry.get("masked")),
        texts=None if entry.get("texts") is None else int(entry["texts"]),
    )


def _texts(values: Sequence[Any] | None) -> tuple[str, ...]:
    return tuple(str(v) for v in values or ())


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
