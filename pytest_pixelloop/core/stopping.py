"""When a loop ends, and as what: every stop rule a small pure function, first hit wins.

The rules stand in RULES in the order in which they are asked. Three readings of that order:

* ``goalposts`` comes first. A verdict that was reached against another design, tolerance or test
  is none, so no rule may look at it, ``converged`` least of all.
* ``undetermined`` (``figma-unreadable`` among others) ends the loop at once: nothing is fixed
  because of a page about which nothing is known.
* ``oscillating`` asks that the set of findings was left and came back. A set that merely stays is
  ``stalled`` one iteration later.

An unknown score counts as "did not improve" everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.history import IN_PROGRESS
from pytest_pixelloop.core.measurement import compared_channels
from pytest_pixelloop.core.movement import blamed, differs, improved, left, same_error
from pytest_pixelloop.core.records import FixOutcome
from pytest_pixelloop.core.reload import MAX_RESTARTS
from pytest_pixelloop.core.verdict import (
    CONDITIONAL,
    DESIGN_SIDE,
    FAIL,
    PASS,
    UNDETERMINED,
    is_design_side,
    is_undetermined,
)

if TYPE_CHECKING:
    from pytest_pixelloop.core.budget import Budget
    from pytest_pixelloop.core.history import History, Measured

CONVERGED = "converged"
_NO_CHANNEL = f"{UNDETERMINED}:no-comparable-channel"
_FIGMA = f"{UNDETERMINED}:figma-unreadable"
_UNREACHABLE = f"{UNDETERMINED}:unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether to iterate again, else the final status, the rule that fired and why in words.

    ``status`` and ``rule`` are None exactly while ``again`` is True.
    """

    again: bool
    status: str | None = None
    rule: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the rules measure against. None = not limited.

    ``measured_here`` counts this process's measurements; the rest is as in LoopSettings.
    What the run may spend is in its history.
    """

    cap: int
    looping: bool = True
    breaker: int = 2
    noise_floor: float = 0.0
    iterations_per_run: int | None = None
    measured_here: int = 0
    conditional_passes: bool = False


def decide(history: History, limits: Limits, *, now: float) -> Decision:
    """Return what follows the last measurement: the first rule that hits, else another iteration.

    *now* is the clock in seconds. Total and deterministic: the same history gives the same
    decision, and every history gives one.
    """
    if history.last is None:
        return Decision(again=True, reason="nothing is measured yet")
    for rule in RULES if limits.looping else GATE_RULES:
        decision = rule(history, history.last, limits, now)
        if decision is not None:
            return decision
    return Decision(again=True, reason=f"the verdict is {history.last.status}")


def decide_entry(history: History, limits: Limits) -> Decision | None:
    """Return why a resumed run must not go on at all, None when it may.

    A run whose goalposts moved is not fixed towards the new ones, and a spent cap or budget buys no
    further measurement: only a larger one does. What was never measured is measured once, where
    that needs no fix: whether it passes costs next to nothing.
    """
    if history.goalposts_moved:
        return moved_decision(history.goalposts_moved)
    if history.seal_broken:
        return seal_broken(history.seal_broken)
    highest = history.highest
    if limits.looping and highest is not None and highest >= limits.cap:
        return _cap_spent(highest, limits.cap)
    pending = history.pending
    fixed = pending is not None and pending.fix is not None  # paid for, and not yet measured
    if limits.looping and not fixed and (highest is not None or history.mode == "create"):
        return _budget_spent(history.budget)
    return None


def _goalposts(history: History, last: Measured, _limits: Limits, _now: float) -> Decision | None:
    moved = last.goalposts_moved or history.goalposts_moved
    return moved_decision(moved) if moved else None


def moved_decision(moved: tuple[str, ...]) -> Decision:
    """Return the end of a loop of which something moved that its verdict rests on."""
    return _stop(
        f"{UNDETERMINED}:goalposts-moved",
        "goalposts",
        "what the verdict is measured against is not what it was at iteration 0: "
        + "; ".join(moved),
    )


def _seal(history: History, _last: Measured, _limits: Limits, _now: float) -> Decision | None:
    return seal_broken(history.seal_broken) if history.seal_broken else None


def seal_broken(broken: tuple[str, ...]) -> Decision:
    """Return the end of a loop whose held-out evidence is lost: it proves nothing any more."""
    what = "what held-out comparisons measured was taken away or edited: " + "; ".join(broken)
    return _stop(f"{UNDETERMINED}:seal-broken", "seal", what)


def _moving(_history: History, last: Measured, _limits: Limits, _now: float) -> Decision | None:
    """End what would be won on a page whose sources were edited under the camera."""
    if not last.moving or last.status not in {PASS, CONDITIONAL}:
        return None
    names = ", ".join(last.moving[:5])
    more = f" and {len(last.moving) - 5} more" if len(last.moving) > 5 else ""
    return _stop(
        f"{UNDETERMINED}:unstable-render",
        "moving",
        f"{names}{more} did not stand still while the page was measured (name the folders that "
        "matter in the ini key pixelloop_sources where this is no part of the page)",
    )


def _converged(_history: History, last: Measured, limits: Limits, _now: float) -> Decision | None:
    if not compared_channels(last.channels):
        return None
    if last.status == PASS and last.score is not None:
        return _stop(CONVERGED, "converged", f"the verdict is pass at iteration {last.iteration}")
    if last.status == CONDITIONAL and limits.conditional_passes:
        return _stop(
            CONVERGED,
            "converged",
            f"the verdict is conditional at iteration {last.iteration}, which is set to pass",
        )
    return None


def _design_side(_history: History, last: Measured, limits: Limits, _now: float) -> Decision | None:
    """End what cannot be brought further: everything that has a design side passes."""
    sides = [c for c in last.comparisons if is_design_side(c.status)]
    rest = {c.status for c in last.comparisons if not is_design_side(c.status)}
    if limits.looping and _waits(last, limits):
        return None  # the others are fixed first
    if not is_design_side(last.status) and not (sides and rest == {PASS}):
        return None
    names = ", ".join(f"{c.label} ({c.status.partition(':')[2]})" for c in sides)
    return _stop(
        DESIGN_SIDE, "design-side", f"the design side is missing for: {names or 'see the reports'}"
    )


def _waits(last: Measured, limits: Limits) -> bool:
    """Tell whether what has a design side is conditional, and is to be brought to pass."""
    return last.comparable_status == CONDITIONAL and not limits.conditional_passes


def _no_channel(_history: History, last: Measured, _limits: Limits, _now: float) -> Decision | None:
    empty = last.status in {PASS, CONDITIONAL} and not compared_channels(last.channels)
    if last.status != _NO_CHANNEL and not empty:
        return None
    return _stop(_NO_CHANNEL, "no-channel", last.problem or "no channel had anything to compare")


def _undetermined(history: History, last: Measured, limits: Limits, _now: float) -> Decision | None:
    if _restarts_spent(history, last):
        return None  # has a rule of its own
    if limits.looping and is_design_side(last.status) and _waits(last, limits):
        return None
    if is_undetermined(last.status):
        rule = "figma-unreadable" if last.status == _FIGMA else UNDETERMINED
        return _stop(last.status, rule, last.problem or "nothing can be said about the page")
    if last.status == PASS and last.score is None:
        return _stop(
            f"{UNDETERMINED}:unknown-score", UNDETERMINED, "the verdict is pass without a score"
        )
    if last.status not in {PASS, FAIL, CONDITIONAL}:
        return _stop(
            f"{UNDETERMINED}:unknown-status", UNDETERMINED, f"unknown status {last.status!r}"
        )
    return None


def _unstable(history: History, last: Measured, limits: Limits, _now: float) -> Decision | None:
    if len(history.measurements) < 2:
        return None
    before = history.measurements[-2]
    floor = max(limits.noise_floor, history.noise_floor)
    if last.sources is None or last.sources != before.sources or not differs(before, last, floor):
        return None
    beyond = f", beyond the measured noise floor of {_figure(floor)}" if floor > 0 else ""
    return _stop(
        f"{UNDETERMINED}:unstable-render",
        "unstable",
        f"{blamed(before, last)}no watched source changed between iterations "
        f"{before.iteration} and {last.iteration}, "
        f"yet the score went from {_figure(before.score)} to {_figure(last.score)} "
        f"and the open findings from {len(before.delta_ids)} to {len(last.delta_ids)}{beyond}",
    )


def _breaker(history: History, last: Measured, limits: Limits, _now: float) -> Decision | None:
    useless: list[str] = []
    for measured in reversed(history.measurements):
        if measured.fix is None or not measured.fix.useless:
            break
        useless.insert(0, _useless_words(measured))
    if len(useless) >= limits.breaker > 0:
        why = f"{len(useless)} useless fixes in a row: " + "; ".join(useless)
        return _stop("not-converged:breaker", "breaker", why)
    if last.fix is not None and same_error(history, limits.breaker):
        why = f"the same error came back {limits.breaker} times in a row: {last.problem}"
        return _stop("not-converged:breaker", "breaker", why)
    return None


def _useless_words(measured: Measured) -> str:
    fix = measured.fix
    assert fix is not None
    if fix.reverted and not fix.declined:
        return f"iteration {measured.iteration} was taken back by the patch gate"
    words = {
        FixOutcome.TIMED_OUT: "timed out",
        FixOutcome.UNCHANGED: "was declined" if fix.declined else "changed nothing",
        FixOutcome.FAILED: fix.error
        or (f"failed with exit code {fix.exit_code}" if fix.exit_code is not None else "failed"),
    }
    return f"iteration {measured.iteration} {words[fix.outcome]}"


def _stalled(history: History, last: Measured, _limits: Limits, _now: float) -> Decision | None:
    if last.iteration < 3 or len(history.measurements) < 3:
        return None
    first, second, third = history.measurements[-3:]
    if improved(third, second) or improved(second, first):
        return None
    return _stop(
        "not-converged:stalled",
        "stalled",
        "the score did not fall in two iterations: "
        + " -> ".join(_figure(m.score) for m in (first, second, third)),
    )


def _oscillating(history: History, last: Measured, _limits: Limits, _now: float) -> Decision | None:
    if last.iteration < 2:
        return None
    for distance in (2, 3):
        if len(history.measurements) <= distance:
            break
        *_rest, then = history.measurements[:-distance]
        between = history.measurements[-distance:-1]
        if then.delta_ids != last.delta_ids or improved(last, then):
            continue
        if any(left(then, m, back=last) for m in between):
            return _stop(
                "not-converged:oscillating",
                "oscillating",
                f"the open findings are again those of iteration {then.iteration}, and the score "
                f"({_figure(then.score)} -> {_figure(last.score)}) is not lower",
            )
    return None


def _reload(history: History, last: Measured, _limits: Limits, _now: float) -> Decision | None:
    if not _restarts_spent(history, last):
        return None
    return _stop(
        "not-converged:reload-exhausted",
        "reload",
        f"the target cannot be reached and all {MAX_RESTARTS} restarts are spent",
    )


def _restarts_spent(history: History, last: Measured) -> bool:
    return history.restarts >= MAX_RESTARTS and last.status == _UNREACHABLE


def _budget(history: History, _last: Measured, _limits: Limits, now: float) -> Decision | None:
    return _budget_spent(history.budget_at(now))


def _budget_spent(budget: Budget) -> Decision | None:
    if not budget.exhausted:
        return None
    why = "; ".join(f"{words} are spent" for words in budget.exhausted)
    return _stop("not-converged:budget-exhausted", "budget", why)


def _cap(_history: History, last: Measured, limits: Limits, _now: float) -> Decision | None:
    if last.iteration < limits.cap:
        return None
    return _cap_spent(last.iteration, limits.cap)


def _cap_spent(iteration: int, cap: int) -> Decision:
    return _stop(
        "not-converged:cap-exhausted", "cap", f"iteration {iteration} of at most {cap} is measured"
    )


def _pause(_history: History, _last: Measured, limits: Limits, _now: float) -> Decision | None:
    allowed = limits.iterations_per_run
    if allowed is None or limits.measured_here < allowed:
        return None
    return _stop(
        IN_PROGRESS,
        "iterations-per-run",
        f"this process was given {allowed} iteration{'' if allowed == 1 else 's'}; "
        "go on with the same --run-id",
    )


def _gate(_history: History, last: Measured, _limits: Limits, _now: float) -> Decision | None:
    return _stop(last.status, "gate", last.problem or f"the verdict is {last.status}")


RULES = (
    _goalposts,
    _seal,
    _moving,
    _converged,
    _design_side,
    _no_channel,
    _undetermined,
    _unstable,
    _breaker,
    _stalled,
    _oscillating,
    _reload,
    _budget,
    _cap,
    _pause,
)
GATE_RULES = (_goalposts, _design_side, _no_channel, _undetermined, _gate)


def _figure(score: float | None) -> str:
    return "unknown" if score is None else f"{score:.1f}"


def _stop(status: str, rule: str, reason: str) -> Decision:
    return Decision(again=False, status=status, rule=rule, reason=reason)
