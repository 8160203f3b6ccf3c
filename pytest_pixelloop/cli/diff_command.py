"""``pixelloop diff A.png B.png``: two pictures, no design, no browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.cli.outcome import exit_code, print_report, write_report
from pytest_pixelloop.cli.request import Request
from pytest_pixelloop.cli.request_runner import RequestRunner

if TYPE_CHECKING:
    import argparse


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "diff",
        help="compare two PNG files",
        description="Compares two PNG files.",
        epilog="exit codes: 0 pass, 1 conditional or fail, 2 could not run",
    )
    parser.add_argument("expected", type=Path, help="the picture that is right")
    parser.add_argument("actual", type=Path, help="the picture to judge")
    parser.add_argument("--gate", choices=("pixel", "design"), help="default: design")
    parser.add_argument("--tolerance", default="", metavar="K=V,...", help="limits, as in pytest")
    parser.add_argument("--mask", action="append", default=[], metavar="X,Y,W,H", help="ignored")
    parser.add_argument("--output", type=Path, metavar="DIR", help="write report and pictures here")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the report ('-' prints it)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare and return the exit code."""
    request = Request(
        design=arguments.expected,
        actual=arguments.actual,
        gate=arguments.gate,
        tolerance=arguments.tolerance,
        mask=tuple(arguments.mask),
        scale=1.0,
        output=arguments.output,
    )
    with RequestRunner() as runner:
        report = runner.report(request)
    write_report(report, arguments.json)
    print_report(report, arguments.json)
    return exit_code(report)
