"""``pixelloop approve``: a person accepts what a run found, one thing at a time.

Exit codes: 0 everything shown was applied (or there was nothing to approve), 1 something was
declined, 2 could not run.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.approval import SNAPSHOT, Change, Refused, changes_of
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.judgements_edit import add_judgement
from pytest_pixelloop.store.disk import read_file
from pytest_pixelloop.store.images import read_image, write_png
from pytest_pixelloop.store.iteration_files import (
    PROPOSALS_NAME,
    iteration_folder,
    read_proposals,
    read_reports,
)
from pytest_pixelloop.store.ledger_file import append_record
from pytest_pixelloop.store.run_directory import existing_run

if TYPE_CHECKING:
    import argparse

    from pytest_pixelloop.store.run_directory import RunDirectory

HISTORY_NAME = "approvals.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """One change and the folder that its picture lies in."""

    change: Change
    folder: Path


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "approve",
        help="accept what a run found: new snapshots, proposed judgements",
        description="Shows what would change and applies it, one thing at a time.",
        epilog="exit codes: 0 all applied, 1 something declined, 2 could not run",
    )
    add = parser.add_argument
    add("words", nargs="*", metavar="RUN|LABEL", help="a run id (default: the latest), labels")
    add("--yes", action="store_true", help="apply everything without asking")
    add("--root", type=Path, default=Path(), metavar="DIR", help="pytest's rootdir (default: .)")
    add("--dir", type=Path, metavar="DIR", help="the runs' folder (default: ROOT/.pixelloop)")
    add("--designs", type=Path, metavar="DIR", help="the designs folder (default: ROOT/designs)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show, ask, apply; return the exit code."""
    root = arguments.root.absolute()
    base = arguments.dir or root / ".pixelloop"
    designs = (arguments.designs or root / "designs").absolute()
    run_directory, labels = _chosen(base, arguments.words)
    found, refused = _collect(run_directory)
    shown = [item for item in found if not labels or item.change.label in labels]
    _say_refused(refused, labels, known={item.change.label for item in found})
    if not shown:
        print(f"nothing to approve in run {run_directory.run_id}")
        return 0
    if not arguments.yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        for item in shown:
            _show(item, root)
        raise ConfigurationError(
            "nobody can be asked here: there is no terminal",
            expected="a terminal, or --yes to apply everything that is shown",
        )
    declined = 0
    for item in shown:
        _show(item, root)
        if not (arguments.yes or _agreed()):
            declined += 1
            continue
        _apply(item, root=root, designs=designs, run_id=run_directory.run_id)
    return 1 if declined else 0


def _chosen(base: Path, words: list[str]) -> tuple[RunDirectory, list[str]]:
    """Return the run and the labels: the first word is a run when there is one of that name."""
    if words:
        with contextlib.suppress(ConfigurationError):
            return existing_run(base, words[0]), words[1:]
    return existing_run(base), words


def _collect(run_directory: RunDirectory) -> tuple[list[_Found], list[Refused]]:
    found: list[_Found] = []
    refused: list[Refused] = []
    for folder, history in run_directory.histories():
        last = history.last
        if last is None:
            continue
        home = iteration_folder(folder, last.iteration)
        reports = read_reports(home, (c.report for c in last.comparisons))
        changes, others = changes_of(
            history.test_id or "", reports, read_proposals(folder / PROPOSALS_NAME)
        )
        found += [_Found(change=change, folder=home) for change in changes]
        refused += others
    return found, refused


def _say_refused(refused: list[Refused], labels: list[str], *, known: set[str]) -> None:
    """Say what is open and cannot be approved; asked for by name, that is an error."""
    for item in refused:
        if item.label in labels:
            raise ConfigurationError(
                f"{printable(item.label)} cannot be approved: {item.why}",
                next_step="see docs/judgements.md for an entry to copy",
            )
        if not labels:
            print(f"{printable(item.label)}: not approved: {item.why}", file=sys.stderr)
    unknown = sorted(set(labels) - known)
    if unknown:
        raise ConfigurationError(
            f"there is nothing to approve for {printable(unknown[0])!r}",
            expected="one of " + (", ".join(map(printable, sorted(known))) or "nothing: all pass"),
        )


def _show(item: _Found, root: Path) -> None:
    change = item.change
    print(f"{printable(change.label)}  {change.kind}: {change.words}")
    if change.kind == SNAPSHOT:
        picture = item.folder / change.picture
        print(f"  new picture: {os.path.relpath(picture, root)}")
        print(f"  replaces:    {printable(change.path)}")


def _agreed() -> bool:
    return input("  apply? [y/N] ").strip().lower() in {"y", "yes"}


def _apply(item: _Found, *, root: Path, designs: Path, run_id: str) -> None:
    change = item.change
    designs.mkdir(parents=True, exist_ok=True)
    after = _write_snapshot(item, root) if change.kind == SNAPSHOT else None
    path = root / change.path
    if change.entry is not None:
        path = add_judgement(designs, change.entry)
    append_record(
        designs / HISTORY_NAME,
        {
            "schema_version": 1,
            "kind": "approved",
            "what": change.kind,
            "label": change.label,
            "path": Path(os.path.relpath(path, root)).as_posix(),
            "before": change.before,
            "after": after,
            "entry": dict(change.entry) if change.entry else None,
            "who": _who(root),
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "run_id": run_id,
            "test_id": change.test_id,
        },
    )
    print(f"  applied: {os.path.relpath(path, root)}")


def _write_snapshot(item: _Found, root: Path) -> str:
    """Replace the snapshot by the run's picture; return its hash.

    Refused when the file is not the one that the run compared with: then nobody has seen what
    would be lost.
    """
    change = item.change
    path = Path(os.path.normpath(root / change.path))
    if not path.is_relative_to(Path(os.path.normpath(root))) or path.suffix != ".png":
        raise ConfigurationError(
            "the run names a snapshot outside the project", where=printable(change.path)
        )
    now = _sha256(path)
    if now != change.before:
        raise ConfigurationError(
            f"the snapshot of {printable(change.label)} has changed since this run",
            where=printable(change.path),
            next_step="run pytest again, then approve that run",
        )
    source = item.folder / change.picture
    name = os.path.relpath(source, root)
    image = read_image(read_file(source, name=name, error=ConfigurationError), name=name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_png(path, image, note=change.note)
    return _sha256(path) or ""


def _sha256(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def _who(root: Path) -> str:
    """Return the name that git has for the person here, else that of the account."""
    try:
        done = subprocess.run(
            ["git", "config", "user.name"],  # noqa: S607 - whatever git the person has
            cwd=root,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
        if done.returncode == 0 and done.stdout.strip():
            return printable(done.stdout.strip(), limit=80)
    except (OSError, subprocess.SubprocessError):
        pass
    try:
        return printable(getpass.getuser(), limit=80)
    except (OSError, KeyError):
        return "unknown"
