"""``pixelloop evaluate``: every verdict of a run made again from its files, by anybody.

Exit codes: 0 everything is what was recorded, 1 something is not, 2 something cannot be made again
(files are missing, cut off or of a newer version), or there is no such run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.cli.evaluation import Evaluation, Row, evaluate_run
from pytest_pixelloop.cli.outcome import STDOUT
from pytest_pixelloop.core.errors import ConfigurationError, ImageError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.store.atomic import write_json
from pytest_pixelloop.store.run_directory import existing_run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from pytest_pixelloop.core.remeasurement import Remeasured

EXIT_CODES = {"same": 0, "different": 1, "incomplete": 2}
_NOTES = 10


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "evaluate",
        help="make every verdict of a run again from its files, and compare",
        description="Makes every verdict, score and decision of a run again from its files alone.",
        epilog="exit codes: 0 as recorded, 1 different, 2 cannot be made again or could not run",
    )
    add = parser.add_argument
    add("run_id", nargs="?", metavar="RUN", help="a run id, a run's folder, or last (the default)")
    add("--dir", type=Path, default=Path(".pixelloop"), metavar="DIR", help="the runs' folder")
    add("--remeasure", action="store_true", help="compare the stored pictures again, too")
    add("--json", type=Path, metavar="OUT", help="write the result as JSON; - prints it")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, print, return the exit code."""
    directory = existing_run(arguments.dir, arguments.run_id)
    found = evaluate_run(directory, remeasure=_remeasure if arguments.remeasure else None)
    if not found.tests and not found.gaps:
        raise ConfigurationError(
            "the run holds no visual test",
            where=str(directory.path),
            next_step="pytest, then this again",
        )
    record = _record(found)
    if arguments.json == STDOUT:
        print(json.dumps(record, ensure_ascii=True, allow_nan=False))
    else:
        if arguments.json is not None:
            write_json(arguments.json, record)
        print("\n".join(_lines(found)))
    return EXIT_CODES[found.status]


def _remeasure(report: Mapping[str, Any], folder: Path) -> Remeasured:
    from pytest_pixelloop.core.remeasurement import Remeasured, remeasure  # noqa: PLC0415
    from pytest_pixelloop.store.images import read_image  # noqa: PLC0415

    names = report.get("artifacts") or {}
    if not {"expected", "actual"} <= set(names):
        return Remeasured(why_not="it has no pictures")
    pictures = []
    for kind in ("expected", "actual"):
        path = folder / str(names[kind])
        if not path.resolve().is_relative_to(folder.resolve()):
            raise ImageError("the report names a picture outside its folder", where=str(path))
        pictures.append(read_image(path, name=str(names[kind])))
    return remeasure(report, *pictures)


def _record(found: Evaluation) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "run_id": found.run_id,
        "status": found.status,
        "tests": found.tests,
        "iterations": found.iterations,
        "comparisons": found.comparisons,
        "decisions": found.decisions,
        "remeasured": found.remeasured,
        "differences": [row.as_record() for row in found.differences],
        "gaps": [row.as_record() for row in found.gaps],
        "notes": found.notes,
    }


def _lines(found: Evaluation) -> Iterable[str]:
    counted = ", ".join(
        _counted(number, word)
        for number, word in (
            (found.tests, "test"),
            (found.iterations, "iteration"),
            (found.comparisons, "comparison"),
            (found.decisions, "decision"),
        )
    )
    if found.status == "same":
        yield f"same: run {found.run_id}: {counted} made again, all as recorded"
    else:
        differ = len(found.differences)
        words = [f"{_counted(differ, 'value')} differ{'s' * (differ == 1)}"] if differ else []
        words += [f"{len(found.gaps)} cannot be made again"] if found.gaps else []
        yield f"{found.status}: run {found.run_id}: {' and '.join(words)} ({counted})"
    if found.differences:
        yield ""
        yield from _table(found.differences)
    if found.gaps:
        yield ""
        for row in found.gaps:
            yield printable(f"{_place(row)}: {row.what}", limit=400)
    if found.notes:
        yield ""
        yield from (f"note: {printable(note, limit=400)}" for note in found.notes[:_NOTES])
        if len(found.notes) > _NOTES:
            yield f"and {len(found.notes) - _NOTES} more notes (--json has them all)"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _place(row: Row) -> str:
    return row.test_id + ("" if row.iteration is None else f", iteration {row.iteration}")


def _table(rows: list[Row]) -> Iterable[str]:
    cells = [("test", "iteration", "what", "recorded", "recomputed")]
    for row in rows:
        number = "" if row.iteration is None else str(row.iteration)
        told = (row.test_id, number, row.what, row.recorded, row.recomputed or "")
        cells.append(tuple(printable(cell, limit=100) for cell in told))  # type: ignore[arg-type]
    widths = [max(len(line[k]) for line in cells) for k in range(4)]
    for line in cells:
        padded = [f"{cell:<{width}}" for cell, width in zip(line, widths, strict=False)]
        yield "  ".join([*padded, line[4]]).rstrip()
