"""Every file of a test's folder that is derived from its ledger, written from what is on disk.

All of them may be deleted: the next process that works on the run, or ``write_summary``, makes
them again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design_tokens import find_tokens
from pytest_pixelloop.core.summary import run_record, summary_record
from pytest_pixelloop.report.brief import Project, brief_record, shown
from pytest_pixelloop.report.brief_text import WORST, brief_text
from pytest_pixelloop.report.markdown import run_markdown, summary_markdown
from pytest_pixelloop.report.yaml_text import iteration_yaml
from pytest_pixelloop.store.atomic import write_json, write_text_atomic
from pytest_pixelloop.store.iteration_files import (
    iteration_folder,
    read_reports,
    write_compare_folder,
)
from pytest_pixelloop.store.run_directory import not_recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_pixelloop.core.history import History, Measured
    from pytest_pixelloop.store.run_directory import RunDirectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A brief that is on disk: its text, its record and where both lie."""

    text: str
    record: Mapping[str, Any]
    text_path: Path
    json_path: Path


def shown_path(path: Path, *, root: Path) -> str:
    """Return a path relative to *root* where it lies below, else as it is; with ``/``."""
    relative = os.path.relpath(path, root)
    return path.as_posix() if relative.startswith("..") else Path(relative).as_posix()


def write_iterations(folder: Path, history: History, *, anew: bool = False) -> None:
    """Write ``diff/NN.yaml`` of every measured iteration that lacks it, and ``compare/``.

    *anew* writes those that are there, too: what was sealed when they were written is not now.
    """
    for measured in history.measurements:
        path = folder / "diff" / f"{measured.iteration:02d}.yaml"
        if anew or measured is history.last or not path.exists():
            write_text_atomic(path, iteration_yaml(measured))
    last = history.last
    if last is None:
        return
    reports = _reports(folder, last)
    if len(reports) == len(last.comparisons):  # else somebody took evidence away
        write_compare_folder(folder, last, reports)


def write_brief(
    folder: Path,
    history: History,
    *,
    iteration: int,
    cap: int,
    root: Path,
    texts: Mapping[str, str] | None = None,
) -> Brief:
    """Return the brief for the fix of *iteration*, written as ``brief.md`` and ``brief.json``.

    *texts* are the project's sources by path: where its tokens are, and what is to be edited.
    """
    seen = history.visible
    last, best = seen.last, seen.best
    reports = _reports(folder, last) if last else ()
    then = _reports(folder, best) if best is not None and best is not last else ()
    known = texts or {}
    record = brief_record(
        history,
        iteration=iteration,
        cap=cap,
        reports=reports,
        best_reports=then,
        earlier=[(m.iteration, _reports(folder, m)) for m in seen.measurements[:-1]],
        project=Project(texts=known, tokens=find_tokens(known)),
        path_of=_artifact_path(folder, last, root),
    )
    if last is not None:
        _add_crops(record, reports, iteration_folder(folder, last.iteration), root)
    json_path = folder / "brief.json"
    text = brief_text(record, json_path=shown_path(json_path, root=root))
    write_json(json_path, record)
    write_text_atomic(folder / "brief.md", text)
    return Brief(text=text, record=record, text_path=folder / "brief.md", json_path=json_path)


def _add_crops(
    record: Mapping[str, Any], reports: Sequence[Mapping[str, Any]], home: Path, root: Path
) -> None:
    """Write a crop of each of the worst findings into the iteration's folder, and name it."""
    from pytest_pixelloop.store.crops import write_crops  # noqa: PLC0415 - loads numpy

    numbered = list(enumerate(record["findings"][:WORST], start=1))
    for report in shown(reports):
        artifacts = report.get("artifacts") or {}
        scale = (report.get("design") or {}).get("scale")
        mine = [(n, f) for n, f in numbered if f["label"] == str(report.get("label")) and f["box"]]
        if not mine or not isinstance(scale, int | float):
            continue
        if not {"expected", "actual"} <= artifacts.keys():
            continue
        made = write_crops(
            home,
            [(f"{n:02d}", f["box"]) for n, f in mine],
            expected=str(artifacts["expected"]),
            actual=str(artifacts["actual"]),
            scale=float(scale),
        )
        for (_, finding), path in zip(mine, made, strict=True):
            finding["crop"] = None if path is None else shown_path(home / path, root=root)


def _artifact_path(folder: Path, last: Measured | None, root: Path) -> Callable[[str], str]:
    home = iteration_folder(folder, last.iteration if last else 0)
    return lambda name: shown_path(home / name, root=root)


def _reports(folder: Path, measured: Measured) -> tuple[dict[str, Any], ...]:
    home = iteration_folder(folder, measured.iteration)
    return read_reports(home, (c.report for c in measured.comparisons))


def write_summary(folder: Path, history: History) -> dict[str, Any]:
    """Write ``summary.md`` and ``summary.json`` of a test and return what they hold."""
    record = summary_record(history)
    write_json(folder / "summary.json", record)
    write_text_atomic(folder / "summary.md", summary_markdown(record))
    return record


def write_run_summary(run: RunDirectory) -> dict[str, Any]:
    """Write ``summary.md`` and ``summary.json`` of a run, from the ledgers of its tests.

    A test whose process was killed has no summary of its own yet: it gets one here. Returns what
    ``summary.json`` holds.
    """
    tests = []
    for folder, history in run.histories():
        if history.end is None or not (folder / "summary.json").exists():
            write_summary(folder, history)
        tests.append((folder.name, summary_record(history)))
    record = run_record(run.run_id, tests, silent=not_recorded(run))
    write_json(run.path / "summary.json", record)
    write_text_atomic(run.path / "summary.md", run_markdown(record))
    return record
