"""The history of a loop as values: what a ledger says once it is folded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_pixelloop.core.budget import Budget, BudgetLimits, Spent, Usage
from pytest_pixelloop.core.records import FixOutcome
from pytest_pixelloop.core.verdict import combine_statuses, is_design_side, sum_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

N = TypeVar("N", int, float)

IN_PROGRESS = "in-progress"
INTERRUPTED = "undetermined:interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One fix that is over, ``by`` a command, a hook, or somebody who was waited for.

    ``usage`` None: nothing was said of what it cost.
    """

    iteration: int
    outcome: FixOutcome
    exit_code: int | None = None
    seconds: float = 0.0
    changed: tuple[str, ...] = ()
    changed_count: int = 0
    output: str | None = None
    error: str | None = None
    patch: Mapping[str, Any] | None = None
    usage: Usage | None = None
    by: str = "command"

    @property
    def useless(self) -> bool:
        """Whether the fix failed, ran out of time, changed nothing or was taken back."""
        failed = {FixOutcome.FAILED, FixOutcome.TIMED_OUT, FixOutcome.UNCHANGED}
        return self.outcome in failed or self.reverted

    @property
    def reverted(self) -> bool:
        """Whether the patch gate put the files back as they were."""
        return bool(self.patch and self.patch.get("reverted"))

    @property
    def declined(self) -> bool:
        """Whether a person did not want the patch to be measured."""
        return bool(self.patch and self.patch.get("declined"))

    @property
    def objections(self) -> tuple[Mapping[str, Any], ...]:
        """What the patch gate found wrong with the patch."""
        return tuple((self.patch or {}).get("findings") or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What the ledger keeps of one comparison; ``report`` is its file in the iteration's folder.

    ``environment`` is the fingerprint of what it was captured with. ``noise_floor`` is how far its
    score moved over repeated captures of an unchanged page; None where nobody asked for it.
    ``masked`` is the share (0..1) of the picture that masks covered, ``texts`` how many texts of
    the design the page showed by text.
    """

    label: str
    design: str
    status: str
    gate: str | None
    score: float | None
    delta_ids: tuple[str, ...]
    excused: tuple[str, ...]
    hold_out: bool
    report: str
    environment: Mapping[str, str] = field(default_factory=dict)
    noise_floor: float | None = None
    masked: float | None = None
    texts: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One iteration that counts: measured and on disk.

    ``sources`` is the fingerprint of the sources that were rendered, None if unknown.
    ``moving`` are the sources that were written while the page was measured.
    ``environment_changed`` tells in words what is other than where a label was measured first.
    ``sealed`` says that held-out comparisons were measured, too, and are not told here: ``status``
    counts them in, and nothing else does. ``seal_broken`` names what of them is lost.
    """

    iteration: int
    status: str
    score: float | None
    delta_ids: tuple[str, ...]
    channels: Mapping[str, Any]
    comparisons: tuple[Compared, ...] = ()
    problem: str | None = None
    sources: str | None = None
    goalposts_moved: tuple[str, ...] = ()
    moving: tuple[str, ...] = ()
    environment_changed: tuple[str, ...] = ()
    fix: Fix | None = None
    sealed: bool = False
    seal_broken: tuple[str, ...] = ()

    @property
    def comparable_status(self) -> str:
        """The status without the comparisons whose design side is missing, where others are."""
        rest = tuple(c.status for c in self.comparisons if not is_design_side(c.status))
        return combine_statuses(rest) if rest and is_design_side(self.status) else self.status

    @property
    def visible(self) -> Measured:
        """The measurement as a fixer may know it: without the held-out comparisons."""
        shown = tuple(c for c in self.comparisons if not c.hold_out)
        if len(shown) == len(self.comparisons):
            return self
        return Measured(
            iteration=self.iteration,
            status=combine_statuses(tuple(c.status for c in shown)),
            score=sum_scores((c.status, c.score) for c in shown),
            delta_ids=tuple(sorted({d for c in shown for d in c.delta_ids})),
            channels=self.channels,
            comparisons=shown,
            sources=self.sources,
            environment_changed=self.environment_changed,
            fix=self.fix,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """An iteration that started and was not measured. ``phase`` is ``fix`` or ``measure``."""

    iteration: int
    phase: str
    fix: Fix | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A fixer that was started and of which no end is known."""

    iteration: int
    pid: int
    identity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How the loop ended."""

    status: str
    rule: str | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything a ledger says. ``measurements`` are in the order of their iterations.

    ``spent_seconds`` adds up all processes that worked on the run, from their first to their last
    record. ``interrupted`` lists iterations that a process left unfinished, with the phase.
    ``rungs`` are those of the reload ladder that were counted as ``restarts``.
    ``goalposts`` are what the run is held to: each with the hash it had when it was first met.
    ``link`` is the hash that the last record has in the ledger's chain, None where it has none.
    ``limits`` are those of the run's budget. ``cost`` is what the fixes of this test have cost,
    ``elsewhere`` what the run has spent outside this ledger as of its last measurement.
    ``disclosed_after`` is the highest iteration that was measured before held-out comparisons were
    opened for the first time, None while they never were. ``measured_at`` and
    ``patched_at`` are when the last measurement and the last patch were recorded.
    """

    run_id: str | None = None
    test_id: str | None = None
    looping: bool = True
    mode: str = "repair"
    iteration_cap: int | None = None
    iteration_cap_source: str | None = None
    notes: tuple[str, ...] = ()
    goalposts: Mapping[str, str] = field(default_factory=dict)
    goalposts_moved: tuple[str, ...] = ()
    seal_broken: tuple[str, ...] = ()
    disclosed_after: int | None = None
    measured_at: float | None = None
    patched_at: float | None = None
    measurements: tuple[Measured, ...] = ()
    pending: Pending | None = None
    running: Running | None = None
    interrupted: tuple[Pending, ...] = ()
    spent_seconds: float = 0.0
    limits: BudgetLimits = field(default_factory=BudgetLimits)
    cost: Spent = field(default_factory=Spent)
    elsewhere: Spent = field(default_factory=Spent)
    last_at: float | None = None
    restarts: int = 0
    rungs: tuple[int, ...] = ()
    processes: int = 0
    end: End | None = None
    link: str | None = None

    @property
    def last(self) -> Measured | None:
        """The measurement of the highest iteration."""
        return self.measurements[-1] if self.measurements else None

    @property
    def highest(self) -> int | None:
        """The highest recorded iteration, None when nothing was measured."""
        return self.measurements[-1].iteration if self.measurements else None

    @property
    def spent(self) -> Spent:
        """What this test has spent, as far as its ledger goes."""
        return replace(self.cost, seconds=self.spent_seconds)

    @property
    def budget(self) -> Budget:
        """What the run may spend and has spent, as of the last record."""
        return Budget(limits=self.limits, spent=self.spent + self.elsewhere)

    def budget_at(self, now: float) -> Budget:
        """Return the budget with the time from the last record to *now* counted too."""
        since = max(0.0, now - self.last_at) if self.last_at is not None else 0.0
        return replace(self.budget, spent=self.budget.spent + Spent(seconds=since))

    @property
    def noise_floor(self) -> float:
        """How far the score moves by itself: the latest measured floors of all labels, added up."""
        latest: dict[str, float] = {}
        for measured in self.measurements:
            for compared in measured.comparisons:
                if compared.noise_floor is not None:
                    latest[compared.label] = compared.noise_floor
        return sum(latest.values())

    @property
    def scores(self) -> tuple[float | None, ...]:
        """The scores by iteration."""
        return tuple(m.score for m in self.measurements)

    @property
    def best(self) -> Measured | None:
        """The measurement with the lowest known score, the earliest of equals."""
        known = [m for m in self.measurements if m.score is not None]
        return min(known, key=lambda m: (m.score or 0.0, m.iteration), default=None)

    @property
    def status(self) -> str:
        """The final status; a ledger without an end was interrupted."""
        return self.end.status if self.end else INTERRUPTED

    @property
    def sealed(self) -> bool:
        """Whether held-out comparisons were measured that are not told yet."""
        return any(m.sealed for m in self.measurements)

    @property
    def visible(self) -> History:
        """The history as a fixer may know it: without the held-out comparisons."""
        return replace(self, measurements=tuple(m.visible for m in self.measurements))

    def first(self, figure: Callable[[Compared], N | None]) -> dict[str, tuple[int, N]]:
        """Return by label what a *figure* was when it was known first, with the iteration."""
        found: dict[str, tuple[int, N]] = {}
        for measured in self.measurements:
            for compared in measured.comparisons:
                value = figure(compared)
                if value is not None:
                    found.setdefault(compared.label, (measured.iteration, value))
        return found

    def at(self, iteration: int) -> Measured | None:
        """Return the measurement of that iteration."""
        return next((m for m in self.measurements if m.iteration == iteration), None)
