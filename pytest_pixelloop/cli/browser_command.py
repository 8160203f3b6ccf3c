"""``pixelloop browser``: which Chromium is used and how, and a way to get one."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from pytest_pixelloop.capture.browser import (
    BrowserChoice,
    browser_version,
    find_browser,
    launch_arguments,
)
from pytest_pixelloop.capture.install import install_browser
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

FOUND = 0
NOT_FOUND = 2


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "browser",
        help="say which Chromium is used, or get one",
        description="Says which Chromium is used, where it was found, and how it is launched.",
        epilog="exit codes: 0 there is a browser, 2 there is none",
    )
    add = parser.add_argument
    add("--browser", metavar="PATH", help="ask for this executable or command")
    add("--browser-arg", action="append", default=[], metavar="ARG", help="one more browser switch")
    add(
        "--install",
        action="store_true",
        help="get a browser where there is none: Playwright's download, else (as root) Debian's "
        "package",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the browser and return 0, or print what to type and return 2."""
    try:
        if arguments.install:
            choice = install_browser(arguments.browser, environ=os.environ, say=_say)
        else:
            choice = find_browser(arguments.browser, environ=os.environ)
    except CaptureError as error:
        print(f"pixelloop: {error}", file=sys.stderr)
        return NOT_FOUND
    print("\n".join(describe(choice, arguments.browser_arg)))
    return FOUND


def describe(choice: BrowserChoice, arguments: Sequence[str] = ()) -> list[str]:
    """Return the lines that tell what *choice* is and how it is launched."""
    launch = launch_arguments(choice, arguments=arguments)
    return [
        f"executable: {choice.executable}",
        f"version:    {browser_version(choice)}",
        f"found by:   {choice.source}",
        f"arguments:  {shlex.join(launch['args'])}, after Playwright's own",
    ]


def _say(line: str) -> None:
    # Flushed, so that the steps stand in order with the output of the commands they announce.
    print(line, flush=True)
