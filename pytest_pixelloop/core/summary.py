"""What a loop came to: the fields of ``summary.md`` and ``summary.json``, for a test and a run."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.fingerprint import environment_line
from pytest_pixelloop.core.history import IN_PROGRESS, INTERRUPTED
from pytest_pixelloop.core.sealing import SEALED
from pytest_pixelloop.core.stopping import CONVERGED
from pytest_pixelloop.core.verdict import CONDITIONAL, FAIL, PASS, UNDETERMINED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.core.history import History, Measured

SUMMARY_SCHEMA_VERSION = 1
STALE = f"{UNDETERMINED}:stale"
#: What the id of a test's second measurement ends with, see plugin/regressions.py.
AGAIN = " after the last fix"
CRASHED = "crashed"
#: The fields that callers may branch on, in the order of the block at the head of summary.md.
BLOCK = (
    "status",
    "run_id",
    "source",
    "iterations",
    "iteration_cap",
    "iteration_cap_source",
    "restarts",
    "initial_score",
    "score_history",
    "residual_delta_ids",
    "excused",
    "patches_reverted",
    "compare_summary",
    "channels",
    "gate",
    "goalposts",
)


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

    @property
    def text(self) -> str:
        """How it ended and why; before that, where the environment is another than it was."""
        changes = tuple(self.record.get("environment_changed") or ())
        first = f"{environment_line(changes)}\n" if changes else ""
        return f"{first}{self.status}: {self.reason}"


def summary_of(told: Mapping[str, Any], *, path: Path, conditional_passes: bool) -> Summary:
    """Return the end that a summary record tells of, with whether it is one that passes."""
    good = {CONVERGED, PASS} | ({CONDITIONAL} if conditional_passes else set())
    return Summary(
        status=told["status"],
        passed=told["status"] in good,
        rule=told["rule"],
        reason=told["reason"],
        record=told,
        path=path,
    )


def summary_record(history: History) -> dict[str, Any]:
    """Return everything ``summary.json`` holds of one test: BLOCK first, then the details."""
    last = history.last
    comparisons = last.comparisons if last else ()
    best = history.best
    end = history.end
    fixes = [m.fix for m in history.measurements if m.fix is not None]
    return {
        "status": history.status,
        "run_id": history.run_id,
        "source": sorted({c.design for c in comparisons}),
        "iterations": history.highest or 0,
        "iteration_cap": history.iteration_cap,
        "iteration_cap_source": history.iteration_cap_source,
        "restarts": history.restarts,
        "initial_score": history.scores[0] if history.measurements else None,
        "score_history": list(history.scores),
        "residual_delta_ids": list(last.delta_ids) if last else [],
        "excused": sorted({d for c in comparisons for d in c.excused}),
        "patches_reverted": sum(f.reverted and not f.declined for f in fixes),
        "compare_summary": "compare/summary.json" if last else None,
        "channels": dict(last.channels) if last else {},
        "gate": ", ".join(sorted({c.gate for c in comparisons if c.gate})) or None,
        "goalposts": _goalposts(history),
        "schema_version": SUMMARY_SCHEMA_VERSION,
        "test_id": history.test_id,
        "looping": history.looping,
        "mode": history.mode,
        "rule": end.rule if end else None,
        "reason": end.reason if end else "the process ended without saying how",
        "best_iteration": best.iteration if best else None,
        "best_score": best.score if best else None,
        "new_since_best": _new_since_best(history),
        "measurements": [_row(m) for m in history.measurements],
        "interrupted": [{"iteration": p.iteration, "phase": p.phase} for p in history.interrupted],
        "processes": history.processes,
        "spent_seconds": round(history.spent_seconds, 3),
        "budget": history.budget.as_record(),
        "budget_words": list(history.budget.words),
        "notes": list(history.notes),
        "environment_changed": list(last.environment_changed) if last else [],
        "noise_floor": history.noise_floor,
        "ledger_link": history.link,
        "held_out": _held_out(history),
        "measured_at": history.measured_at,
        "patched_at": history.patched_at,
    }


def _held_out(history: History) -> dict[str, Any]:
    """Return what is told of the held-out comparisons: nothing but that, while they are sealed.

    ``blind`` is None where none were measured, False where a measurement was opened before.
    """
    last = history.last
    told = [c for c in (last.comparisons if last else ()) if c.hold_out]
    state = SEALED if history.sealed else "told" if told else "none"
    blind = None
    if last is not None and state != "none":
        blind = history.disclosed_after is None or last.iteration <= history.disclosed_after
    return {
        "state": state,
        "blind": blind,
        "disclosed_after": history.disclosed_after,
        "comparisons": [
            {
                "label": c.label,
                "status": c.status,
                "score": c.score,
                "delta_ids": list(c.delta_ids),
                "report": c.report,
            }
            for c in told
        ],
    }


def _new_since_best(history: History) -> list[str]:
    """Return what is open at the end and was not where the score was lowest."""
    last, best = history.last, history.best
    return sorted(set(last.delta_ids) - set(best.delta_ids)) if last and best else []


def _goalposts(history: History) -> dict[str, Any]:
    names = history.goalposts
    whole = hashlib.sha256("".join(f"{k}\0{v}\n" for k, v in sorted(names.items())).encode())
    return {
        "state": "moved" if history.goalposts_moved else "unchanged",
        "moved": list(history.goalposts_moved),
        "count": len(names),
        "digest": whole.hexdigest()[:16],
    }


def _row(measured: Measured) -> dict[str, Any]:
    fix = measured.fix
    return {
        "iteration": measured.iteration,
        "status": measured.status,
        "score": measured.score,
        "open": len(measured.delta_ids),
        "fix": str(fix.outcome) if fix else None,
        "exit_code": fix.exit_code if fix else None,
        "seconds": fix.seconds if fix else None,
        "changed": list(fix.changed) if fix else [],
        "changed_count": fix.changed_count if fix else 0,
        "usage": fix.usage.as_record() if fix and fix.usage else None,
        "problem": measured.problem,
    }


def run_record(
    run_id: str,
    tests: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    silent: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what the run's ``summary.json`` holds: each test by folder name, worst status first.

    *tests* are pairs of a folder name and that test's summary record. *silent* tells how tests
    without a record ended; one whose worker crashed before it began was interrupted. A test that
    is green and older than the run's last patch is ``stale``, and the run is not green then.
    """
    told = list(tests)
    stale = _stale([record for _folder, record in told])
    rows = [
        {**_test_row(folder, record), "stale": record["test_id"] in stale}
        for folder, record in told
    ]
    rows += [_crashed_row(name) for name, word in sorted((silent or {}).items()) if word == CRASHED]
    counts = Counter(row["status"] for row in rows)
    worst = sorted(counts, key=lambda status: (_badness(status), status))
    words = sorted({*worst, STALE} if stale else worst, key=lambda s: (_badness(s), s))
    return {
        "schema_version": SUMMARY_SCHEMA_VERSION,
        "run_id": run_id,
        "status": words[0] if words else f"{UNDETERMINED}:no-comparable-channel",
        "counts": {status: counts[status] for status in worst},
        "tests": rows,
    }


def _stale(records: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the tests that are green and were not measured since the run's last patch."""
    patched = max((r["patched_at"] for r in records if r["patched_at"] is not None), default=None)
    if patched is None:
        return set()
    fresh = {
        str(r["test_id"]).removesuffix(AGAIN)
        for r in records
        if r["measured_at"] is not None and r["measured_at"] >= patched
    }
    green = {r["test_id"] for r in records if r["status"] in {CONVERGED, PASS, CONDITIONAL}}
    return {name for name in green if str(name).removesuffix(AGAIN) not in fresh}


def _crashed_row(test_id: str) -> dict[str, Any]:
    return {
        "test_id": test_id,
        "status": INTERRUPTED,
        "reason": "its worker crashed before the test began",
        "iterations": 0,
        "initial_score": None,
        "score": None,
        "open": 0,
        "summary": None,
        "stale": False,
    }


def _test_row(folder: str, record: Mapping[str, Any]) -> dict[str, Any]:
    scores = record["score_history"]
    return {
        "test_id": record["test_id"],
        "status": record["status"],
        "reason": record["reason"],
        "iterations": record["iterations"],
        "initial_score": record["initial_score"],
        "score": scores[-1] if scores else None,
        "open": len(record["residual_delta_ids"]),
        "summary": f"tests/{folder}/summary.md",
    }


def _badness(status: str) -> int:
    """Return the rank of a status, the worst lowest: what a person has to look at first."""
    order = ("not-converged", FAIL, UNDETERMINED, IN_PROGRESS, "conditional", CONVERGED, PASS)
    head = status.partition(":")[0]
    return order.index(head) if head in order else 0
