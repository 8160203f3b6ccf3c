"""The files of one test beside its ledger: each iteration's reports, and the latest comparison."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.core.excusing import judgement_record
from pytest_pixelloop.store.atomic import write_bytes_atomic, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_pixelloop.core.history import Measured

COMPARE_SCHEMA_VERSION = 1
REPORT_SUFFIX = ".report.json"
_SAFE = re.compile(r"[\w;,+-][\w.;,+-]{0,99}", re.ASCII)
PROPOSALS_NAME = "proposals.jsonl"
MAX_PROPOSALS = 200
_LARGEST_PROPOSALS = 1_000_000
_PROPOSAL = ("delta_id", "kind", "property", "reason", "issue")
#: Which artifact of a report lies in which folder of ``compare/``.
_PICTURES = {"expected": "design", "actual": "render"}


def iteration_folder(test_folder: Path, iteration: int) -> Path:
    """Return the folder of one iteration, ``diff/NN``, which may not exist."""
    return test_folder / "diff" / f"{iteration:02d}"


def fresh_iteration_folder(test_folder: Path, iteration: int) -> Path:
    """Return the folder of an iteration that is about to be measured, empty.

    What an interrupted measurement of the same iteration left there is removed: it must not be
    taken for evidence of the one that counts.
    """
    folder = iteration_folder(test_folder, iteration)
    try:
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
    except OSError as error:
        raise PixelloopError(
            f"cannot make an empty folder for the iteration: {error.strerror or error}",
            where=str(folder),
        ) from error
    return folder


def write_reports(
    folder: Path,
    reports: Sequence[Mapping[str, Any]],
    *,
    without: Callable[[Mapping[str, Any]], bool] = lambda _report: False,
) -> tuple[str, ...]:
    """Write each report as ``<label>.report.json`` and return the file names, in order.

    A report that it is to do *without* has a name and no file. A label that is no safe file name is
    made one; labels that collide get a number.
    """
    names: list[str] = []
    for report in reports:
        stem = file_stem(str(report.get("label", "unlabelled")))
        name, number = stem + REPORT_SUFFIX, 2
        while name in names:
            name, number = f"{stem}-{number}{REPORT_SUFFIX}", number + 1
        if not without(report):
            write_json(folder / name, report)
        names.append(name)
    return tuple(names)


def evidence_of(
    folder: Path, names: Sequence[str], reports: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, str], ...]:
    """Return the SHA-256 of each report's file and of the pictures it names, by file name.

    A file that is not there has none: what was never written cannot be looked for later.
    """
    found = []
    for name, report in zip(names, reports, strict=True):
        files = [name, *map(str, (report.get("artifacts") or {}).values())]
        hashes = {file: file_digest(folder / file) for file in dict.fromkeys(files)}
        found.append({file: digest for file, digest in hashes.items() if digest is not None})
    return tuple(found)


def file_digest(path: Path) -> str | None:
    """Return the SHA-256 of a file's bytes, None when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def read_reports(folder: Path, names: Iterable[str]) -> tuple[dict[str, Any], ...]:
    """Return those reports of the folder that can be read, in order."""
    reports: list[dict[str, Any]] = []
    for name in names:
        with contextlib.suppress(OSError, ValueError):
            value = json.loads((folder / name).read_text("utf-8"))
            if isinstance(value, dict):
                reports.append(value)
    return tuple(reports)


def file_stem(label: str) -> str:
    """Return a label as a file name: itself where it is safe, else made safe and unique."""
    if _SAFE.fullmatch(label):
        return label
    digest = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    readable = re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-")[:60]
    return f"{readable}-{digest}" if readable else digest


def write_compare_folder(
    test_folder: Path, measured: Measured, reports: Sequence[Mapping[str, Any]]
) -> None:
    """Make ``compare/`` show the latest iteration, and nothing of the ones before.

    Derived from the iteration's folder: pictures are linked to it, or copied where the file
    system has no links. *reports* are in the order of ``measured.comparisons``.
    """
    compare = test_folder / "compare"
    source = iteration_folder(test_folder, measured.iteration)
    kept: set[Path] = set()
    for compared, report in zip(measured.comparisons, reports, strict=True):
        stem = compared.report.removesuffix(REPORT_SUFFIX)
        artifacts: dict[str, str] = {}
        for kind, path in sorted((report.get("artifacts") or {}).items()):
            origin = source / str(path)
            if kind in _PICTURES and origin.is_file():
                target = compare / _PICTURES[kind] / f"{stem}{origin.suffix}"
                _link_or_copy(origin, target)
                kept.add(target)
                origin = target
            artifacts[str(kind)] = _relative(origin, compare / "reports")
        target = compare / "reports" / compared.report
        write_json(target, {**report, "artifacts": artifacts})
        kept.add(target)
    _drop_others(compare, kept)
    write_json(compare / "plan.json", _plan(measured, reports))
    write_json(compare / "summary.json", _summary(measured))
    proposed = read_proposals(test_folder / PROPOSALS_NAME)
    write_json(compare / "judgement.json", judgement_record(reports, proposed))


def read_proposals(path: Path) -> tuple[dict[str, str], ...]:
    """Return the excuses that a fixer asked for, one JSON object a line; never raises.

    They are advice for a person and change nothing. What is no proposal, and everything beyond
    MAX_PROPOSALS, is left out.
    """
    try:
        with path.open("rb") as stream:
            lines = stream.read(_LARGEST_PROPOSALS).splitlines()
    except OSError:
        return ()
    found: list[dict[str, str]] = []
    for line in lines:
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(line)
            texts = {k: value.get(k) for k in _PROPOSAL} if isinstance(value, dict) else {}
            if isinstance(texts.get("delta_id"), str) and isinstance(texts.get("reason"), str):
                found.append({k: v[:400] for k, v in texts.items() if isinstance(v, str)})
    return tuple(found[:MAX_PROPOSALS])


def _plan(measured: Measured, reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "schema_version": COMPARE_SCHEMA_VERSION,
        "iteration": measured.iteration,
        "comparisons": [
            {
                **(report.get("plan") or {}),
                "label": compared.label,
                "gate": compared.gate,
                "hold_out": compared.hold_out,
                "design": dict(report.get("design") or {}),
            }
            for compared, report in zip(measured.comparisons, reports, strict=True)
        ],
    }


def _summary(measured: Measured) -> dict[str, Any]:
    return {
        "schema_version": COMPARE_SCHEMA_VERSION,
        "iteration": measured.iteration,
        "status": measured.status,
        "score": measured.score,
        "delta_ids": list(measured.delta_ids),
        "channels": dict(measured.channels),
        "comparisons": [
            {
                "label": c.label,
                "status": c.status,
                "score": c.score,
                "delta_ids": list(c.delta_ids),
                "report": f"reports/{c.report}",
            }
            for c in measured.comparisons
        ],
    }


def _drop_others(compare: Path, kept: set[Path]) -> None:
    for folder in ("reports", *_PICTURES.values()):
        for path in sorted((compare / folder).glob("*")):
            if path not in kept:
                with contextlib.suppress(OSError):
                    path.unlink()


def _link_or_copy(origin: Path, target: Path) -> None:
    """Leave *origin*'s bytes under *target*. The pictures of a recorded iteration never change."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        if target.exists() and target.samefile(origin):
            return
        target.unlink(missing_ok=True)
        target.hardlink_to(origin)
        return
    try:
        write_bytes_atomic(target, origin.read_bytes())
    except OSError as error:
        raise PixelloopError(
            f"cannot copy the picture: {error.strerror or error}", where=str(origin)
        ) from error


def _relative(path: Path, start: Path) -> str:
    return Path(os.path.relpath(path, start)).as_posix()
