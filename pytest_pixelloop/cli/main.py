"""The ``pixelloop`` command."""

from __future__ import annotations


def main(argv: list[str] | None = None) -> int:
    """Run one subcommand and return its exit code."""
    del argv
    return 2
