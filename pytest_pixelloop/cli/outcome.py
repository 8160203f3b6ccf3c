"""A report as a command's outcome: its exit code, its text, its JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.explain import explain_report
from pytest_pixelloop.core.verdict import is_undetermined
from pytest_pixelloop.store.atomic import write_json

if TYPE_CHECKING:
    from pytest_pixelloop.core.verdict import ComparisonReport

STDOUT = Path("-")


def exit_code(report: ComparisonReport) -> int:
    """Return 0 for pass, 1 for conditional and fail, 2 for anything undetermined."""
    if report.passed:
        return 0
    return 2 if is_undetermined(report.status) else 1


def print_report(report: ComparisonReport, json_path: Path | None) -> None:
    """Print the result for a reader, or as one JSON object when ``--json -`` asked for that."""
    if json_path == STDOUT:
        print(json.dumps(report.as_record(), ensure_ascii=True, allow_nan=False))
    else:
        print("\n".join(explain_report(report)))


def write_report(report: ComparisonReport, json_path: Path | None) -> None:
    """Write the report JSON where ``--json`` named a file."""
    if json_path is not None and json_path != STDOUT:
        json_path.parent.mkdir(parents=True, exist_ok=True)
        write_json(json_path, report.as_record())
