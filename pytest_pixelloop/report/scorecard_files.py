"""``scorecard.json``, ``scorecard.md`` and ``checkpoint.json``, from the recorded rounds alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.scorecard import (
    SCHEMA_VERSION,
    Ruling,
    Scorecard,
    Word,
    spent_cost,
    spent_minutes,
)
from pytest_pixelloop.report.cells import cell, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.scorecard import Round

_SHOWN_ROUNDS = 20


def scorecard_record(
    card: Scorecard,
    rounds: Sequence[Round],
    ruling: Ruling,
    *,
    static: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return what ``scorecard.json`` holds.

    A held-out dimension is named without figures until the verdict is STOP: whoever improves the
    pages may read this file. The score then is that of the dimensions that are shown.
    """
    last = rounds[-1] if rounds else None
    secret = ruling.word is not Word.STOP
    return {
        "schema_version": SCHEMA_VERSION,
        "verdict": str(ruling.word),
        "rule": ruling.rule,
        "reason": ruling.reason,
        "score": None if last is None else shown_score(last, secret=secret),
        "target": card.target,
        "consecutive": card.consecutive,
        "full": None if last is None else last.full,
        "run_id": None if last is None else last.run_id,
        "dimensions": [] if last is None else _dimensions(last, secret=secret),
        "history": [
            {
                "round": number,
                "run_id": item.run_id,
                "score": shown_score(item, secret=secret),
                "full": item.full,
                "at": item.at,
            }
            for number, item in enumerate(rounds, 1)
        ],
        "static": {"counts": dict(last.static) if last else {}, "rows": list(static)},
        "auto_merge": False,
    }


def shown_score(item: Round, *, secret: bool) -> float:
    """Return the score; without the held-out dimensions, the others made to sum to 1."""
    if not secret or not any(part.hold_out for part in item.parts):
        return item.score
    shown = [part for part in item.parts if not part.hold_out]
    weight = sum(part.weight for part in shown)
    if weight <= 0:
        return 0.0
    return round(100 * sum(p.weight * (p.share or 0.0) for p in shown) / weight, 6)


def _dimensions(item: Round, *, secret: bool) -> list[dict[str, Any]]:
    return [
        {"name": part.name, "weight": part.weight, "hold_out": True, "measured": part.full}
        if secret and part.hold_out
        else part.as_record()
        for part in item.parts
    ]


def checkpoint_record(card: Scorecard, rounds: Sequence[Round], *, now: float) -> dict[str, Any]:
    """Return what ``checkpoint.json`` holds: what is spent of what may be spent."""
    known, unknown = spent_cost(rounds)
    return {
        "schema_version": SCHEMA_VERSION,
        "rounds": len(rounds),
        "max_rounds": card.caps.max_rounds,
        "minutes": round(spent_minutes(rounds, now=now), 2),
        "max_minutes": card.caps.max_minutes,
        "cost_usd": round(known, 6),
        "rounds_of_unknown_cost": unknown,
        "max_cost_usd": card.caps.max_cost_usd,
        "last_run_id": rounds[-1].run_id if rounds else None,
    }


def scorecard_markdown(record: Mapping[str, Any], checkpoint: Mapping[str, Any]) -> str:
    """Return ``scorecard.md``."""
    score = record["score"]
    lines = [
        f"# {record['verdict']}: {cell(record['reason'])}",
        "",
        (
            f"- score: {'nothing measured' if score is None else f'{score:g}'} "
            f"(target {record['target']:g}, in {record['consecutive']} rounds in a row)"
        ),
        f"- spent: {_spent(checkpoint)}",
        "",
        *table(("dimension", "weight", "passed", "share"), map(_row, record["dimensions"])),
        *table(("round", "run", "score", "full"), map(_round, record["history"][-_SHOWN_ROUNDS:])),
    ]
    counted = record["static"]["counts"]
    if counted:
        lines.append("Static analysis: " + ", ".join(f"{k} {v}" for k, v in counted.items()))
    return "\n".join(lines).rstrip() + "\n"


def _spent(checkpoint: Mapping[str, Any]) -> str:
    def of(value: float, cap: float | None, unit: str) -> str:
        return f"{value:g}{'' if cap is None else f' of {cap:g}'} {unit}"

    told = [
        of(checkpoint["rounds"], checkpoint["max_rounds"], "rounds"),
        of(checkpoint["minutes"], checkpoint["max_minutes"], "minutes"),
    ]
    unknown, cost = checkpoint["rounds_of_unknown_cost"], checkpoint["cost_usd"]
    if checkpoint["max_cost_usd"] is not None or cost > 0:
        note = f" (unknown for {unknown} of the rounds)" if unknown else ""
        told.append(of(cost, checkpoint["max_cost_usd"], "USD") + note)
    return ", ".join(told)


def _row(dimension: Mapping[str, Any]) -> tuple[str, ...]:
    head = (cell(dimension["name"]), f"{dimension['weight']:g}")
    if "passed" not in dimension:
        return (*head, "held out", "measured" if dimension["measured"] else "not measured")
    counted = dimension["measured"] + dimension["undetermined"]
    share = dimension["share"]
    unknown = dimension["undetermined"]
    note = f" ({unknown} undetermined)" if unknown else ""
    told = "not measured" if share is None else f"{share * 100:.1f} %"
    return (*head, f"{dimension['passed']} of {counted}{note}", told)


def _round(row: Mapping[str, Any]) -> tuple[str, ...]:
    full = "yes" if row["full"] else "no"
    return str(row["round"]), cell(row["run_id"]), f"{row['score']:g}", full
