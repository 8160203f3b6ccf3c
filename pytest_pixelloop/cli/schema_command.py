"""``pixelloop schema``: print the JSON Schema of a file that fixers read.

Exit codes: 0 printed, 2 there is no such schema.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

SCHEMAS = ("brief",)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "schema",
        help="print the JSON Schema of brief.json",
        description="Prints the JSON Schema (draft 2020-12) of what a fixer reads.",
        epilog="exit codes: 0 printed, 2 there is no such schema",
    )
    parser.add_argument("name", choices=SCHEMAS, help="which file's schema")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the schema as it is shipped and return the exit code."""
    print(schema_text(arguments.name), end="")
    return 0


def schema_text(name: str) -> str:
    """Return the text of a shipped schema."""
    place = resources.files("pytest_pixelloop.report").joinpath(f"{name}.schema.json")
    return place.read_text("utf-8")
