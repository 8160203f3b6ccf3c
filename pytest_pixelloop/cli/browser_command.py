"""``pixelloop browser``: which Chromium is used, and how to get one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_pixelloop.capture.browser import browser_version, find_browser, launch_arguments
from pytest_pixelloop.capture.install import install_browser

if TYPE_CHECKING:
    import argparse


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "browser",
        help="print the browser that would be used, or get one",
        description="Prints the Chromium that captures would use, or gets one.",
    )
    parser.add_argument("--browser", metavar="PATH", help="look at this one")
    parser.add_argument(
        "--install",
        action="store_true",
        help="get one when none is there: Playwright's download, else (as root) Debian's package",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the browser and return 0; a CaptureError tells what to type when there is none."""
    if arguments.install:
        choice = install_browser(arguments.browser, environ=os.environ, say=_say)
    else:
        choice = find_browser(arguments.browser, environ=os.environ)
    print(f"browser:   {choice.executable}")
    print(f"version:   {browser_version(choice)}")
    print(f"found by:  {choice.source}")
    print(f"arguments: {' '.join(launch_arguments(choice)['args'])}")
    return 0


def _say(line: str) -> None:
    """Print at once, so that a step is announced before its own output."""
    print(line, flush=True)
