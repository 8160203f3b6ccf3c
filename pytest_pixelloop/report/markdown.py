"""``summary.md`` of a test and of a run, rendered from the records that ``summary.json`` holds.

The same record gives the same bytes. The YAML block at the head is for programs, the rest for
people; a program branches on ``status`` and on nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.fingerprint import ENV_CHANGED
from pytest_pixelloop.core.summary import BLOCK
from pytest_pixelloop.report.cells import cell, table
from pytest_pixelloop.report.lines import figure, held_out_words
from pytest_pixelloop.report.yaml_text import yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NOTHING = ["Nothing was measured.", ""]
_MEASURED = ("iteration", "fix", "seconds", "changed", "verdict", "score", "open")
_DETAILS = ("test_id", "mode", "rule", "reason", "best_iteration", "best_score", "schema_version")


def summary_markdown(record: Mapping[str, Any]) -> str:
    """Return ``summary.md`` of one test."""
    block = {key: record[key] for key in (*BLOCK, *_DETAILS)}
    lines = [
        f"# {cell(record['test_id'])}",
        "",
        *_environment(record),
        f"**{cell(record['status'])}**: {cell(record['reason'])}",
        "",
        *(table(_MEASURED, map(_measured_row, record["measurements"])) or _NOTHING),
        *_interrupted(record["interrupted"]),
        *_bullets("Budget", [f"{words} are spent" for words in record["budget_words"]]),
        *_bullets("Held out", [_held_out(line) for line in held_out_words(record["held_out"])]),
        *_bullets("Still open", record["residual_delta_ids"]),
        *_bullets("Regressed since the best iteration", record["new_since_best"]),
        *_bullets("Excused", record["excused"]),
        *_bullets("Moved goalposts", record["goalposts"]["moved"]),
        *_bullets("Notes", record["notes"]),
    ]
    return f"---\n{yaml_text(block)}---\n\n" + "\n".join(lines).rstrip() + "\n"


def run_markdown(record: Mapping[str, Any]) -> str:
    """Return ``summary.md`` of a run."""
    block = {key: record[key] for key in ("status", "run_id", "counts", "schema_version")}
    rows = (
        (
            f"[{cell(test['test_id'])}]({test['summary']})"
            if test["summary"]
            else cell(test["test_id"]),
            cell(test["status"]) + (", not measured since the last patch" if test["stale"] else ""),
            str(test["iterations"]),
            f"{figure(test['initial_score'])} -> {figure(test['score'])}",
            str(test["open"]),
        )
        for test in record["tests"]
    )
    lines = [
        f"# Run {cell(record['run_id'])}",
        "",
        *(table(("test", "status", "iterations", "score", "open"), rows) or _NOTHING),
    ]
    return f"---\n{yaml_text(block)}---\n\n" + "\n".join(lines).rstrip() + "\n"


def _measured_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    fix = row["fix"] or "none"
    if row["exit_code"]:
        fix += f" (exit code {row['exit_code']})"
    names = row["changed"][:3]
    changed = ", ".join(names)
    if row["changed_count"] > len(names):
        changed += f" and {row['changed_count'] - len(names)} more"
    return (
        str(row["iteration"]),
        fix,
        "" if row["seconds"] is None else f"{row['seconds']:.1f}",
        cell(changed),
        cell(row["status"]),
        figure(row["score"]),
        str(row["open"]),
    )


def _environment(record: Mapping[str, Any]) -> list[str]:
    """Return what is said first: that the environment is another than it was."""
    changes = record.get("environment_changed") or ()
    return [f"**{ENV_CHANGED}**: {cell(', '.join(changes))}", ""] if changes else []


def _interrupted(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    return _bullets(
        "Interrupted", [f"iteration {e['iteration']} in its {e['phase']}" for e in entries]
    )


def _held_out(line: str) -> str:
    return line.removeprefix("held out: ")


def _bullets(title: str, items: Sequence[str]) -> list[str]:
    if not items:
        return []
    return [f"## {title}", "", *(f"- {cell(item)}" for item in items), ""]
