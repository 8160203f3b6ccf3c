"""``pixelloop merge``: the runs of several machines made one, or the reasons why they are none.

Exit codes: 0 merged and everything passes, 1 merged and something does not, 2 not merged.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.report.derived_files import write_run_summary
from pytest_pixelloop.store.atomic import write_text_atomic
from pytest_pixelloop.store.run_directory import LATEST_NAME, check_run_id, existing_run
from pytest_pixelloop.store.run_merge import merge_shards
from pytest_pixelloop.store.shards import environments_of, read_shard_run, why_not_merged

if TYPE_CHECKING:
    import argparse

    from pytest_pixelloop.store.run_directory import RunDirectory

PASSING = frozenset(("pass", "converged"))


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "merge",
        help="make one run of the runs of several machines",
        description="Makes one run of shards that are all there, each test once.",
        epilog="exit codes: 0 merged and all pass, 1 merged and something does not, 2 not merged",
    )
    add = parser.add_argument
    add("runs", nargs="+", metavar="RUN", help="a run id, a run's folder, or last")
    add("-o", "--output", required=True, metavar="OUT", help="a new run id, or a folder to be made")
    add("--deselected", action="store_true", help="tests in no shard were left out on purpose")
    add("--dir", type=Path, default=Path(".pixelloop"), metavar="DIR", help="the runs' folder")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check, merge, say what came of it; return the exit code."""
    base: Path = arguments.dir
    out = _out(base, arguments.output)
    shards = [read_shard_run(existing_run(base, word)) for word in arguments.runs]
    shards.sort(key=lambda shard: shard.order)
    reasons = why_not_merged(shards, deselected=arguments.deselected)
    if reasons:
        raise ConfigurationError(
            "the runs are not the whole of one:\n" + "\n".join(f"  - {r}" for r in reasons),
            where=", ".join(str(shard.run.path) for shard in shards),
            next_step="see docs/ci.md; nothing was merged",
        )
    for words in environments_of(shards):
        print(f"warning: another environment: {printable(words, limit=400)}")
    counts: dict[str, int] = {}

    def finish(merged: RunDirectory) -> None:
        counts.update(write_run_summary(merged)["counts"])

    merged = merge_shards(shards, out, finish=finish)
    if out.parent.name == "runs":
        write_text_atomic(out.parent.parent / LATEST_NAME, merged.run_id + "\n")
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
    print(
        f"merged {_number(len(shards), 'run')} into {merged.path}: "
        f"{_number(sum(counts.values()), 'test')}" + (f" ({told})" if told else "")
    )
    return 0 if counts and set(counts) <= PASSING else 1


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _out(base: Path, word: str) -> Path:
    """Return where the merged run is to be: a plain name is a run id, anything else a folder."""
    if len(Path(word).parts) > 1:
        check_run_id(Path(word).name)
        return Path(word)
    check_run_id(word)
    return base / "runs" / word
