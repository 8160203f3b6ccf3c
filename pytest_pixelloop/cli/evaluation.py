"""A run looked at by somebody else: every verdict made again from the files of the run alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop import __version__
from pytest_pixelloop.core.errors import LedgerError, PixelloopError
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.core.ledger_chain import broken_links, lost_records
from pytest_pixelloop.core.records import Kind
from pytest_pixelloop.core.reevaluation import (
    Difference,
    UnknownReportError,
    check_measurement,
    check_report,
)
from pytest_pixelloop.core.replay import replay
from pytest_pixelloop.core.sealing import SEALED, disclosed
from pytest_pixelloop.core.summary import BLOCK, run_record, summary_record
from pytest_pixelloop.report.markdown import summary_markdown
from pytest_pixelloop.store.disk import read_file
from pytest_pixelloop.store.iteration_files import file_digest, iteration_folder
from pytest_pixelloop.store.ledger_file import read_records, torn_bytes
from pytest_pixelloop.store.run_directory import LEDGER_NAME, not_recorded, read_run_json, slug_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.core.remeasurement import Remeasured
    from pytest_pixelloop.store.run_directory import RunDirectory

    Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One recorded value of a test that its files do not give, or a gap: ``recomputed`` None.

    A gap is something that cannot be made again, told in ``what``.
    """

    test_id: str
    iteration: int | None
    what: str
    recorded: str = ""
    recomputed: str | None = None

    def as_record(self) -> dict[str, Any]:
        """Return the row as ``--json`` gives it."""
        told = {"test_id": self.test_id, "iteration": self.iteration, "what": self.what}
        if self.recomputed is None:
            return told
        return {**told, "recorded": self.recorded, "recomputed": self.recomputed}


@dataclass(slots=True, kw_only=True)
class Evaluation:
    """What came of it. ``differences`` and ``gaps`` are empty for a run that is what it says.

    ``notes`` are for the reader and change nothing. ``not_whole`` counts the comparisons whose
    verdict could not be made again from their pictures, by the reason.
    """

    run_id: str
    tests: int = 0
    iterations: int = 0
    comparisons: int = 0
    decisions: int = 0
    remeasured: int = 0
    differences: list[Row] = field(default_factory=list)
    gaps: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_whole: dict[str, int] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """``same``, ``different`` or ``incomplete``."""
        if self.differences:
            return "different"
        return "incomplete" if self.gaps else "same"


def evaluate_run(
    run: RunDirectory, *, remeasure: Callable[[Mapping[str, Any], Path], Remeasured] | None = None
) -> Evaluation:
    """Return what becomes of every verdict of *run* when it is made again from its files.

    *remeasure* compares the pictures in a folder that a report names, where that was asked for.
    """
    found = Evaluation(run_id=run.run_id)
    version = read_run_json(run).get("version")
    if version not in {None, __version__}:
        found.notes.append(f"recorded by version {version}, evaluated by {__version__}")
    summaries = []
    for folder in sorted((run.path / "tests").glob("*")):
        record = _Test(folder, found, remeasure).evaluate()
        if record is not None:
            summaries.append((folder.name, record))
    _run_summary(run, found, summaries)
    for reason, count in sorted(found.not_whole.items()):
        found.notes.append(f"{count} comparison{'s' * (count > 1)} {reason}")
    return found


class _Test:
    """The evaluation of one test's folder."""

    def __init__(
        self,
        folder: Path,
        found: Evaluation,
        remeasure: Callable[[Mapping[str, Any], Path], Remeasured] | None,
    ) -> None:
        self._folder = folder
        self._found = found
        self._remeasure = remeasure
        self._test_id = folder.name

    def evaluate(self) -> dict[str, Any] | None:
        """Add what is found; return the test's summary, None where its ledger tells none."""
        path = self._folder / LEDGER_NAME
        if not path.exists():
            if any(self._folder.iterdir()):
                self._gap(None, f"{LEDGER_NAME} is missing")
            return None
        try:
            records = read_records(path)
            history = fold(records)
        except LedgerError as error:
            self._gap(None, error.what)
            return None
        if history.test_id is None:
            self._gap(None, f"{LEDGER_NAME} tells of no test")
            return None
        self._test_id = history.test_id
        self._found.tests += 1
        self._ledger(path, records)
        for line in disclosed(records):
            if line["kind"] != Kind.MEASURED:
                continue
            if SEALED in line:
                self._gap(int(line["iteration"]), "what is held out is sealed until the loop ends")
            else:
                self._measured(line)
        self._decisions(records)
        self._unknown_iterations(records)
        self._summary(records)
        return summary_record(history)

    def _ledger(self, path: Path, records: Records) -> None:
        torn = torn_bytes(path)
        if torn and records[-1]["kind"] == Kind.ENDED:
            self._other(None, LEDGER_NAME, "the end of the loop", f"{torn} bytes after it")
        elif torn:
            self._found.notes.append(f"{self._test_id}: the last line of its ledger is torn")
        for words in broken_links(records):
            self._other(None, LEDGER_NAME, "a chain of records", words)
        if self._folder.name != slug_of(self._test_id):
            self._other(None, "folder", self._folder.name, slug_of(self._test_id))
        numbers = [int(line["iteration"]) for line in records if line["kind"] == Kind.MEASURED]
        first = numbers[0] if numbers else 0
        if numbers != list(range(first, first + len(numbers))) or first not in {0, 1}:
            told = ", ".join(map(str, numbers))
            self._other(None, "measured iterations", told, "each number once, without a gap")

    def _measured(self, line: Mapping[str, Any]) -> None:
        number = int(line["iteration"])
        self._found.iterations += 1
        folder = iteration_folder(self._folder, number)
        entries = line.get("comparisons") or ()
        reports = [self._report(entry, folder, number) for entry in entries]
        known = [report for report in reports if report is not None]
        if len(known) < len(reports):
            return  # what is missing is told, and the rest cannot be added up
        try:
            self._rows(number, "", check_measurement(line, known))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._gap(number, f"its reports cannot be added up: {error!r}")

    def _report(self, entry: Mapping[str, Any], folder: Path, number: int) -> dict[str, Any] | None:
        name = str(entry["report"])
        self._evidence(entry, folder, number)
        try:
            data = read_file(folder / name, name=name, error=PixelloopError)
            report: dict[str, Any] = json.loads(data)
            self._rows(number, f"{entry['label']}: ", check_report(report))
            self._found.comparisons += 1
            self._pictures(report, folder, number)
        except PixelloopError as error:
            self._gap(number, f"{name}: {error.what}")
        except (ValueError, RecursionError) as error:
            self._gap(number, f"{name} is no JSON: {error}")
        except UnknownReportError as error:
            self._gap(number, f"{name} cannot be evaluated: {error}")
        else:
            return report
        return None

    def _evidence(self, entry: Mapping[str, Any], folder: Path, number: int) -> None:
        """Look whether the files are those that were there when the record was written."""
        for name, digest in (entry.get("evidence") or {}).items():
            now = file_digest(folder / str(name))
            if now is None and name != entry["report"]:
                self._gap(number, f"{name} is missing")
            elif now is not None and now != digest:
                self._other(number, f"bytes of {name}", str(digest)[:16], now[:16])

    def _pictures(self, report: Mapping[str, Any], folder: Path, number: int) -> None:
        if self._remeasure is None:
            return
        try:
            again = self._remeasure(report, folder)
        except PixelloopError as error:
            self._gap(number, f"{report['label']} cannot be measured again: {error.what}")
            return
        except (KeyError, TypeError, ValueError, AttributeError) as error:  # an edited report
            self._gap(number, f"{report.get('label')} cannot be measured again: {error!r}")
            return
        self._found.remeasured += again.why_not is None or again.whole
        if again.why_not is not None:
            reasons = self._found.not_whole
            how = "measured again in pixels alone" if again.pixels else "not measured again"
            words = f"{how}: {again.why_not}"
            reasons[words] = reasons.get(words, 0) + 1
        self._rows(number, f"{report['label']}: ", again.differences)

    def _decisions(self, records: Records) -> None:
        try:
            steps = replay(records)
        except (LedgerError, KeyError, TypeError, ValueError) as error:
            self._gap(None, f"its decisions cannot be made again: {error}")
            return
        self._found.decisions += len(steps)
        for step in steps:
            if not step.same:
                said = " or ".join(step.recomputed)
                self._other(step.iteration, "what followed", step.recorded, said)

    def _unknown_iterations(self, records: Records) -> None:
        """Look for reports of iterations that the ledger does not know: it was cut then."""
        known = {int(line["iteration"]) for line in records if "iteration" in line}
        for path in sorted((self._folder / "diff").glob("*")):
            name = path.name.removesuffix(".yaml")
            empty = path.is_dir() and not any(path.glob("*.report.json"))
            if name.isdigit() and int(name) not in known and not empty:
                self._other(int(name), "measured iterations", "no such record", f"diff/{path.name}")

    def _summary(self, records: Records) -> None:
        """Look whether the summary is one that the ledger told once; it may lag behind a kill."""
        told = _json(self._folder / "summary.json")
        pages = _text(self._folder / "summary.md")
        if told is None and pages is None:
            return  # derived, and may be deleted
        for words in lost_records(records, known=(told or {}).get("ledger_link")):
            self._other(None, LEDGER_NAME, "the record that summary.json names", words)
        possible = [summary_record(h) for h in _endings(records)]
        blocks = [{name: record.get(name) for name in BLOCK} for record in possible]
        block = {name: told.get(name) for name in BLOCK} if told else None
        if block is not None and block not in [json.loads(json.dumps(b)) for b in blocks]:
            names = [name for name in BLOCK if block[name] != blocks[-1][name]]
            for name in names or ["status"]:
                self._other(
                    None, f"{name} in summary.json", _short(block[name]), _short(blocks[-1][name])
                )
        heads = {_head(summary_markdown(record)) for record in possible}
        if pages is not None and _head(pages) not in heads:
            recorded, again = _unlike(_head(pages), _head(summary_markdown(possible[-1])))
            self._other(None, "head of summary.md", recorded, again)

    def _rows(self, number: int, prefix: str, differences: Sequence[Difference]) -> None:
        for found in differences:
            self._other(number, prefix + found.what, found.recorded, found.recomputed)

    def _other(self, number: int | None, what: str, recorded: str, recomputed: str) -> None:
        self._found.differences.append(
            Row(
                test_id=self._test_id,
                iteration=number,
                what=what,
                recorded=recorded,
                recomputed=recomputed,
            )
        )

    def _gap(self, number: int | None, what: str) -> None:
        self._found.gaps.append(Row(test_id=self._test_id, iteration=number, what=what))


def _endings(records: Records) -> Iterator[Any]:
    """Yield the history at each moment at which a summary is written; the last one is of now."""
    for index, line in enumerate(records, start=1):
        if line["kind"] == Kind.ENDED and index < len(records):
            yield fold(records[:index])
    yield fold(records)


def _run_summary(
    run: RunDirectory, found: Evaluation, tests: Sequence[tuple[str, dict[str, Any]]]
) -> None:
    told = _json(run.path / "summary.json")
    if told is None:
        return
    again = run_record(run.run_id, tests, silent=not_recorded(run))
    rows = {str(row.get("test_id")): row.get("status") for row in told.get("tests") or ()}
    now = {str(row["test_id"]): row["status"] for row in again["tests"]}
    for test_id in sorted({*rows, *now}):
        if test_id not in now:
            found.gaps.append(
                Row(test_id=test_id, iteration=None, what="summary.json names it, no ledger does")
            )
        elif test_id not in rows:
            found.notes.append(f"{test_id} was recorded after the run's summary was written")
        elif rows[test_id] != now[test_id]:
            found.differences.append(
                Row(
                    test_id=test_id,
                    iteration=None,
                    what="status in the run's summary.json",
                    recorded=str(rows[test_id]),
                    recomputed=str(now[test_id]),
                )
            )
    if not found.differences and set(rows) == set(now) and told.get("status") != again["status"]:
        found.differences.append(
            Row(
                test_id="(run)",
                iteration=None,
                what="status in summary.json",
                recorded=str(told.get("status")),
                recomputed=str(again["status"]),
            )
        )


def _json(path: Path) -> dict[str, Any] | None:
    text = _text(path)
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = {}
    return value if isinstance(value, dict) else {}


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError):
        return None


def _head(markdown: str) -> str:
    """Return the block at the head of a summary: the only part that callers branch on."""
    return markdown.removeprefix("---\n").partition("\n---\n")[0]


def _unlike(recorded: str, recomputed: str) -> tuple[str, str]:
    """Return the first lines in which two texts differ."""
    left, right = recorded.splitlines(), recomputed.splitlines()
    for ours, theirs in zip(left, right, strict=False):
        if ours != theirs:
            return ours, theirs
    return f"{len(left)} lines", f"{len(right)} lines"


def _short(value: Any) -> str:
    return json.dumps(value)[:80]
