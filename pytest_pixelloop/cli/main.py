"""The ``pixelloop`` command: parses words, hands them to one subcommand, returns its exit code.

Exit codes: 0 pass, 1 conditional or fail, 2 could not run.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback

from pytest_pixelloop import __version__
from pytest_pixelloop.cli import (
    approve_command,
    browser_command,
    diff_command,
    evaluate_command,
    import_command,
    judgements_command,
    merge_command,
    plan_command,
    pull_command,
    schema_command,
    score_command,
    verify_command,
)
from pytest_pixelloop.core.errors import PixelloopError

COULD_NOT_RUN = 2
_OWN_FAULT = (
    "pixelloop: this is a fault of pixelloop itself; nothing was judged. Please report the lines "
    "above with the command, and the output of: pixelloop --version"
)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    parser = argparse.ArgumentParser(
        prog="pixelloop",
        description="Says whether a rendered page is the design.",
        epilog="exit codes: 0 pass, 1 conditional or fail, 2 could not run",
    )
    parser.add_argument("--version", action="version", version=f"pytest-pixelloop {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in (
        verify_command,
        diff_command,
        plan_command,
        pull_command,
        import_command,
        evaluate_command,
        merge_command,
        approve_command,
        judgements_command,
        browser_command,
        score_command,
        schema_command,
    ):
        command.add_parser(subparsers)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one subcommand and return its exit code; errors are text on stderr.

    A traceback is printed only where pixelloop itself is at fault; that, too, exits with 2.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A pipe on Windows, or LC_ALL=C, cannot write every name: escaped, not a traceback,
            # whose exit code would be read as "the page is not the design".
            stream.reconfigure(errors="backslashreplace")
    arguments = build_parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except PixelloopError as error:
        print(f"pixelloop: {error}", file=sys.stderr)
    except BrokenPipeError:
        # The reader went away (`| head`): say nothing, and keep Python from saying it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"pixelloop: {error.strerror or error}: {error.filename or ''}", file=sys.stderr)
    except KeyboardInterrupt:
        print("pixelloop: interrupted", file=sys.stderr)
    except Exception:  # noqa: BLE001 - Python's own exit code 1 would read as "not the design"
        traceback.print_exc()
        print(_OWN_FAULT, file=sys.stderr)
    return COULD_NOT_RUN
