"""``pixelloop judgements``: what is excused, by which entry, until when.

Exit codes: 0 every entry counts, 1 one has expired or, with ``--check-issues``, names no issue,
2 the file cannot be read.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.judgements import JUDGEMENTS_NAME, load_judgements

if TYPE_CHECKING:
    import argparse

    from pytest_pixelloop.core.excusing import Excuse


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "judgements",
        help="list what designs/judgements.yaml excuses",
        epilog="exit codes: 0 every entry counts, 1 expired or without an issue, 2 could not run",
    )
    add = parser.add_argument
    add("--designs", type=Path, default=Path("designs"), metavar="DIR", help="the designs folder")
    add("--check-issues", action="store_true", help="fail on entries without an issue")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one line an entry and return the exit code."""
    excuses = load_judgements(arguments.designs)
    today = dt.datetime.now().astimezone().date()
    wrong = 0
    for excuse in excuses:
        problem = _problem(excuse, today=today, issues=arguments.check_issues)
        wrong += problem is not None
        print(_line(excuse) + (f"  <- {problem}" if problem else ""))
    if not excuses:
        print(f"no judgement in {arguments.designs / JUDGEMENTS_NAME}")
    return 1 if wrong else 0


def _problem(excuse: Excuse, *, today: dt.date, issues: bool) -> str | None:
    if excuse.expires is not None and today > excuse.expires:
        return "expired: it excuses nothing"
    return "no issue" if issues and not excuse.issue else None


def _line(excuse: Excuse) -> str:
    of = f" ({excuse.property})" if excuse.property else ""
    parts = [
        f"{excuse.where}: {printable(excuse.delta_id)}{of}",
        str(excuse.kind),
        printable(excuse.reason),
        *([f"issue {printable(excuse.issue)}"] if excuse.issue else []),
        *([f"until {excuse.expires}"] if excuse.expires else []),
        *([f"version {printable(excuse.version)}"] if excuse.version else []),
    ]
    return "  ".join(parts)
