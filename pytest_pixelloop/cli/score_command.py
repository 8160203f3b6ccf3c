"""``pixelloop score`` and ``pixelloop status``: the scorecard of measured runs.

Exit codes: 0 STOP (the target is met), 1 CONTINUE, 3 ESCALATE (a person is needed), 2 could not
run. Programs branch on ``verdict`` in ``scorecard.json`` or on the exit code.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.scorecard import (
    ComparisonResult,
    Part,
    Round,
    Ruling,
    Scorecard,
    Word,
    decide,
    measure,
)
from pytest_pixelloop.core.static_findings import counts, join, read_sarif
from pytest_pixelloop.report.scorecard_files import (
    checkpoint_record,
    scorecard_markdown,
    scorecard_record,
)
from pytest_pixelloop.sources.scorecard_config import load_scorecard
from pytest_pixelloop.store.atomic import write_json, write_text_atomic
from pytest_pixelloop.store.disk import read_file
from pytest_pixelloop.store.ledger_file import LedgerFile, read_records
from pytest_pixelloop.store.run_directory import existing_run
from pytest_pixelloop.store.run_spending import vision_spending

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from pytest_pixelloop.core.history import History
    from pytest_pixelloop.store.run_directory import RunDirectory

HISTORY_NAME = "scorecard.jsonl"
EXIT_CODES = {Word.STOP: 0, Word.CONTINUE: 1, Word.ESCALATE: 3}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the words of both subcommands."""
    epilog = "exit codes: 0 STOP, 1 CONTINUE, 3 ESCALATE, 2 could not run"
    score = subparsers.add_parser(
        "score",
        help="score a run by the scorecard in pyproject.toml and say whether to go on",
        epilog=epilog,
    )
    score.add_argument(
        "run_id", nargs="?", metavar="RUN", help="a run id (default: the latest run)"
    )
    score.add_argument("--sarif", type=Path, metavar="FILE", help="a static analysis to join")
    score.set_defaults(run=_score)
    status = subparsers.add_parser(
        "status", help="say what the last score came to, and change nothing", epilog=epilog
    )
    status.set_defaults(run=_status)
    for parser in (score, status):
        add = parser.add_argument
        add(
            "--config",
            type=Path,
            default=Path("pyproject.toml"),
            metavar="TOML",
            help="the file with [tool.pixelloop.scorecard] (default: %(default)s)",
        )
        add("--dir", type=Path, default=Path(".pixelloop"), metavar="DIR", help="the runs' folder")


def _score(arguments: argparse.Namespace) -> int:
    """Record one round, write the three files, print the verdict and return the exit code."""
    card, sources = load_scorecard(arguments.config)
    run = existing_run(arguments.dir, arguments.run_id)
    histories = [history for _, history in run.histories()]
    if not histories:
        raise ConfigurationError(
            "the run holds no visual test", where=str(run.path), next_step="pytest, then this again"
        )
    results = tuple(r for history in histories for r in _results(history))
    rows: tuple[dict[str, Any], ...] = ()
    if arguments.sarif is not None:
        rows = join(results, _static(arguments.sarif), sources=sources)
    path = arguments.dir / HISTORY_NAME
    new = _round(card, run, histories, results, static=counts(rows))
    with LedgerFile(path) as ledger:
        rounds = _rounds(ledger.records, path)
        # The same measurement scored twice is one round: asking costs nothing.
        if not any((r.run_id, r.digest) == (new.run_id, new.digest) for r in rounds):
            ledger.append(new.as_record())
            rounds = (*rounds, new)
    return _told(arguments.dir, card, rounds, static=rows)


def _status(arguments: argparse.Namespace) -> int:
    card, _ = load_scorecard(arguments.config)
    path = arguments.dir / HISTORY_NAME
    rounds = _rounds(read_records(path), path)
    ruling = decide(card, rounds, now=time.time())
    record = scorecard_record(card, rounds, ruling)
    print(scorecard_markdown(record, checkpoint_record(card, rounds, now=time.time())), end="")
    return EXIT_CODES[ruling.word]


def _told(
    base: Path, card: Scorecard, rounds: tuple[Round, ...], *, static: tuple[dict[str, Any], ...]
) -> int:
    now = time.time()
    ruling: Ruling = decide(card, rounds, now=now)
    record = scorecard_record(card, rounds, ruling, static=static)
    checkpoint = checkpoint_record(card, rounds, now=now)
    markdown = scorecard_markdown(record, checkpoint)
    write_json(base / "scorecard.json", record)
    write_json(base / "checkpoint.json", checkpoint)
    write_text_atomic(base / "scorecard.md", markdown)
    print(markdown, end="")
    return EXIT_CODES[ruling.word]


def _results(history: History) -> list[ComparisonResult]:
    """Return the last measured comparisons of a test; one undetermined where there are none.

    None counts while others of the test are sealed: what is shown is not all that was measured.
    """
    test_id = history.test_id or ""
    last = history.last
    if last is None or not last.comparisons:
        status = last.status if last is not None else history.status
        unknown = status if status.startswith("undetermined") else "undetermined:not-measured"
        return [ComparisonResult(test_id=test_id, design="", label="", status=unknown)]
    return [
        ComparisonResult(
            test_id=test_id,
            design=c.design,
            label=c.label,
            status="undetermined:sealed" if last.sealed else c.status,
        )
        for c in last.comparisons
    ]


def _round(
    card: Scorecard,
    run: RunDirectory,
    histories: list[History],
    results: tuple[ComparisonResult, ...],
    *,
    static: Mapping[str, int],
) -> Round:
    at = max((h.last_at for h in histories if h.last_at is not None), default=time.time())
    measured = sorted((r.test_id, r.design, r.label, r.status) for r in results)
    counted = [len(h.measurements) for h in histories]
    digest = hashlib.sha256(json.dumps([measured, counted]).encode()).hexdigest()[:16]
    spent = sum((h.spent for h in histories), vision_spending(run))
    return Round(
        run_id=run.run_id,
        digest=digest,
        at=at,
        seconds=spent.seconds,
        cost_usd=round(spent.cost_usd, 6) if spent.cost_usd > 0 or _told_cost(histories) else None,
        cost_unknown=spent.cost_unknown,
        parts=measure(card, results),
        static=static,
    )


def _told_cost(histories: Iterable[History]) -> bool:
    """Tell whether any fixer said what it cost; whoever edits outside a loop does not."""
    fixes = (m.fix for history in histories for m in history.measurements)
    return any(fix and fix.usage and fix.usage.cost_usd is not None for fix in fixes)


def _rounds(records: Iterable[Mapping[str, Any]], path: Path) -> tuple[Round, ...]:
    """Return the recorded rounds; a record that is none is an error, not a round less."""
    return tuple(_read_round(record, path) for record in records)


def _read_round(record: Mapping[str, Any], path: Path) -> Round:
    try:
        parts = tuple(Part(**{k: p[k] for k in Part.__slots__}) for p in record["parts"])
        return Round(
            run_id=str(record["run_id"]),
            digest=str(record["digest"]),
            at=float(record["at"]),
            seconds=float(record["seconds"]),
            cost_usd=None if record["cost_usd"] is None else float(record["cost_usd"]),
            parts=parts,
            static=dict(record["static"]),
            cost_unknown=int(record.get("cost_unknown") or 0),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(
            f"a record of the history is no round: {error!r}",
            where=str(path),
            next_step="restore the file; its lines are never edited",
        ) from error


def _static(path: Path) -> Any:
    data = read_file(path, name=str(path), error=ConfigurationError, max_bytes=256_000_000)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"not valid JSON: {error}", where=str(path)) from error
    found = read_sarif(value)
    if found is None:
        raise ConfigurationError(
            "this is no SARIF log", where=str(path), expected='{"version": "2.1.0", "runs": [...]}'
        )
    return found
