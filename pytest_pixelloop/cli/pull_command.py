"""``pixelloop pull``: the designs of the manifest, fetched from Figma. Tests never do this."""

from __future__ import annotations

import math
import os
import random
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.lock import read_lock
from pytest_pixelloop.sources.manifest import MANIFEST_NAME, load_manifest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_pixelloop.sources.figma.client import FigmaClient
    from pytest_pixelloop.sources.figma.pull import PullReport
    from pytest_pixelloop.sources.figma.wanted import NotWanted, Wanted

DONE, OUTDATED, INCOMPLETE = 0, 1, 2
MAX_WAIT = 60.0


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "pull",
        help="fetch the designs that the manifest names by Figma link",
        description="Fetches the designs that the manifest names by Figma link. The token is read "
        "from FIGMA_TOKEN or FIGMA_ACCESS_TOKEN.",
        epilog="exit codes: 0 everything is there, 1 (--check) something changed in Figma, "
        "2 something is missing or could not be asked for",
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="designs of designs.yaml (default: all)")
    add("--designs", type=Path, default=Path("designs"), metavar="DIR", help="the designs folder")
    add("--check", action="store_true", help="say what a pull would fetch, and fetch nothing")
    add("--force", action="store_true", help="fetch also what did not change")
    add(
        "--figma-max-wait",
        type=float,
        default=MAX_WAIT,
        metavar="SECONDS",
        help="longest wait that Figma's rate limit may ask for (default: %(default)g)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Fetch or check, say what came of it, and return the exit code."""
    from pytest_pixelloop.sources.figma.wanted import wanted_labels  # noqa: PLC0415

    manifest = load_manifest(arguments.designs.absolute() / MANIFEST_NAME)
    wanted, left = wanted_labels(manifest, arguments.names)
    problems = [one for one in left if one.problem]
    for one in left:
        if not one.problem:
            print(f"left alone: {printable(one.name)} {printable(one.label)}: {one.why}")
    if not wanted and not problems:
        raise ConfigurationError(
            "there is nothing to pull",
            where=manifest.shown(manifest.path),
            expected="a design with figma: and without image:",
            next_step='add figma: "https://www.figma.com/design/...?node-id=12-340" to a design',
        )
    client = _client(arguments.figma_max_wait)
    if arguments.check:
        return _check(manifest.folder, wanted, problems, client)
    from pytest_pixelloop.sources.figma.pull import pull_labels  # noqa: PLC0415

    report = pull_labels(
        manifest.folder,
        wanted,
        problems,
        client=client,
        now=lambda: datetime.now(UTC),
        say=_say,
        force=arguments.force,
        whole_manifest=not arguments.names,
    )
    _tell(report, client.tier1)
    if not arguments.names:
        _tell_orphans(manifest.folder, wanted)
    return DONE if report.whole else INCOMPLETE


def _client(max_wait: float) -> FigmaClient:
    from pytest_pixelloop.sources.figma.client import (  # noqa: PLC0415
        API,
        API_VARIABLE,
        FigmaClient,
    )
    from pytest_pixelloop.sources.figma.token import read_token  # noqa: PLC0415

    if not (math.isfinite(max_wait) and max_wait >= 0):
        raise ConfigurationError(
            f"--figma-max-wait {max_wait!r} is no waiting time", expected="seconds, 0 or more"
        )
    return FigmaClient(
        read_token(os.environ),
        base=os.environ.get(API_VARIABLE, "").strip() or API,
        max_wait=max_wait,
        sleep=time.sleep,
        jitter=random.random,
        say=lambda line: _say(f"  {line}"),
    )


def _check(
    folder: Path, wanted: Sequence[Wanted], problems: Sequence[NotWanted], client: FigmaClient
) -> int:
    """Say which labels a pull would fetch; nothing is written."""
    from pytest_pixelloop.sources.figma.errors import FigmaError  # noqa: PLC0415
    from pytest_pixelloop.sources.figma.pull import stale_labels  # noqa: PLC0415

    lock = read_lock(folder)
    code = INCOMPLETE if problems else DONE
    for key in dict.fromkeys(one.key for one in wanted):
        labels = [one for one in wanted if one.key == key]
        try:
            state = client.state(key)
        except FigmaError as error:
            if error.stops:
                raise
            print(f"unknown: file {key}: {error}")
            code = INCOMPLETE
            continue
        name = f' "{printable(state.name, limit=60)}"' if state.name else ""
        when = f", touched {printable(state.touched_at)}" if state.touched_at else ""
        print(f"file {key}{name}, version {printable(state.version or 'not said')}{when}")
        stale = stale_labels(folder, lock, labels, state)
        for one in stale:
            print(f"  outdated: {one.wanted.title}: {one.why}")
        current = len(labels) - len(stale)
        if current:
            print(f"  current: {current} of {len(labels)}")
        if stale and code == DONE:
            code = OUTDATED
    for problem in problems:
        print(f"cannot be pulled: {printable(problem.name)} {problem.label}: {problem.why}")
    return code


def _tell(report: PullReport, tier1: int) -> None:
    total = len(report.fetched) + len(report.current) + len(report.missing)
    print(
        f"{len(report.fetched)} fetched, {len(report.current)} current, "
        f"{len(report.missing)} missing, of {total} designs ({tier1} Tier 1 requests)"
    )
    if report.whole:
        return
    print("NOT COMPLETE, missing:", file=sys.stderr)
    for gap in report.missing:
        print(f"  {printable(gap.name)} {printable(gap.label)}: {gap.why}", file=sys.stderr)
    if report.stopped is not None:
        print(f"pixelloop: {report.stopped}", file=sys.stderr)


def _tell_orphans(folder: Path, wanted: Sequence[Wanted]) -> None:
    from pytest_pixelloop.sources.figma.groups import with_kept_frames  # noqa: PLC0415

    lock = read_lock(folder)
    known = {(one.name, one.label) for one in with_kept_frames(folder, lock, wanted)}
    for (name, label), entry in lock.entries.items():
        if entry.source == "figma" and (name, label) not in known:
            left = entry.image or entry.nodes
            print(f"no longer in the manifest: {printable(name)} {label} ({left} stays)")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
