"""Workers of one run, one of them killed: every finished comparison is in the run, none twice.

``python -m benchmarks.loop.workers [--workers 8] [--tests 400] [--rounds 1] [--seed 1]`` makes a
project whose pages are drawn pictures (no browser), runs it under ``pytest -n``, and kills one
worker by SIGKILL after a random number of tests. Each worker writes down, outside the run, every
test that it was told is over: those must be in the run, measured once. The other tests must be
there once as well, but for the one that the killed worker was at: it is shown as interrupted, or is
missing where it had not begun. Exit code 1 when one is lost or there twice.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.store.ledger_file import read_records

TESTS = """
import io
import pytest
from PIL import Image


def page(number):
    image = Image.new("RGB", (96, 64), "#ffffff")
    image.paste("#2563eb", (8, 8, 40, 40))
    if number % 10 == 0:
        image.paste("#dc2626", (50, 8, 80, 40))  # one in ten does not match
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize("number", range({tests}))
def test_card(assert_matches_design, number):
    assert_matches_design(page(number), "card")
"""
CONFTEST = """
import os, pathlib

HERE = pathlib.Path(__file__).parent
WORKER = os.environ.get("PYTEST_XDIST_WORKER")


def pytest_runtest_logreport(report):
    if WORKER and report.when == "call":
        line = f"{os.getpid()} {report.nodeid} {report.outcome}\\n".encode()
        file = os.open(HERE / f"witness-{WORKER}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, line)
        os.close(file)
"""
QUIET = ("-q", "-p", "no:playwright", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")


@dataclass(frozen=True, kw_only=True)
class Round:
    """What was seen of one run."""

    killed_after: int
    witnessed: int
    recorded: int
    lost: int
    twice: int
    interrupted: int
    missing: int
    listed: int
    evaluated: str
    seconds: float

    @property
    def good(self) -> bool:
        """Whether nothing is lost, nothing twice, and only the test cut off is not measured."""
        cut_off = self.interrupted + self.missing
        return self.lost == self.twice == 0 and cut_off <= 1 and self.evaluated == "same"


def make_project(root: Path, tests: int) -> None:
    (root / "designs").mkdir(parents=True)
    image = Image.new("RGB", (96, 64), "#ffffff")
    image.paste("#2563eb", (8, 8, 40, 40))
    image.save(root / "designs/card.png")
    (root / "designs/designs.yaml").write_text(
        "schema_version: 1\ndesigns:\n  card:\n    image: card.png\n    gate: pixel\n"
    )
    (root / "test_cards.py").write_text(TESTS.replace("{tests}", str(tests)))
    (root / "conftest.py").write_text(CONFTEST)
    (root / "pytest.ini").write_text("[pytest]\n")


def witnesses(root: Path) -> list[tuple[int, str]]:
    """Return the process and the test of every line that some worker wrote down."""
    lines = [
        line.split(" ")
        for path in sorted(root.glob("witness-*"))
        for line in path.read_text().splitlines()
    ]
    return [(int(line[0]), line[1]) for line in lines]


def play(root: Path, *, workers: int, tests: int, chance: random.Random) -> Round:
    make_project(root, tests)
    goal = chance.randrange(tests // 8, tests * 3 // 4)
    begin = time.monotonic()
    command = [sys.executable, "-m", "pytest", *QUIET, f"-n{workers}", "--run-id=r"]
    with (root / "output.txt").open("wb") as output:
        process = subprocess.Popen(command, cwd=root, stdout=output, stderr=output)
        seen: list[tuple[int, str]] = []
        while process.poll() is None and len(seen) < goal:
            time.sleep(0.02)
            seen = witnesses(root)
        if process.poll() is None:
            os.kill(chance.choice(sorted({pid for pid, _ in seen})), signal.SIGKILL)
        process.wait()
    return look(root, tests=tests, killed_after=len(seen), seconds=time.monotonic() - begin)


def look(root: Path, *, tests: int, killed_after: int, seconds: float) -> Round:
    run = root / ".pixelloop/runs/r"
    told = Counter(test_id for _pid, test_id in witnesses(root))
    measured: Counter[str] = Counter()
    interrupted = 0
    for path in sorted(run.glob("tests/*/ledger.jsonl")):
        records = read_records(path)
        history = fold(records)
        count = sum(1 for line in records if line["kind"] == "measured")
        measured[str(history.test_id)] += count
        interrupted += count == 0
    rows: list[dict[str, Any]] = json.loads((run / "summary.json").read_text())["tests"]
    evaluated = subprocess.run(
        [sys.executable, "-m", "pytest_pixelloop", "evaluate", "r", "--json", "-"],
        cwd=root,
        capture_output=True,
        check=False,
    )
    return Round(
        killed_after=killed_after,
        witnessed=len(told),
        recorded=sum(1 for count in measured.values() if count),
        lost=sum(1 for test_id in told if not measured[test_id]),
        twice=sum(1 for count in measured.values() if count > 1)
        + sum(1 for count in told.values() if count > 1),
        interrupted=interrupted,
        missing=tests - len(measured),
        listed=len({row["test_id"] for row in rows}),
        evaluated=json.loads(evaluated.stdout)["status"],
        seconds=seconds,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--tests", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    chance = random.Random(told.seed)
    print(f"{told.workers} workers, {told.tests} visual tests, one worker killed by SIGKILL")
    names = ("killed after", "finished", "recorded", "lost", "twice", "interrupted", "missing")
    print(f"| {' | '.join(names)} | in the summary | evaluate | s |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--|--:|")
    good = True
    for _ in range(told.rounds):
        with tempfile.TemporaryDirectory() as folder:
            done = play(Path(folder), workers=told.workers, tests=told.tests, chance=chance)
        good = good and done.good
        print(
            f"| {done.killed_after} | {done.witnessed} | {done.recorded} | {done.lost} "
            f"| {done.twice} | {done.interrupted} | {done.missing} | {done.listed} "
            f"| {done.evaluated} | {done.seconds:.0f} |",
            flush=True,
        )
    print("right" if good else "WRONG")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
