"""SIGKILL at random points of a looping run, then the same run again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.store.ledger_file import read_records

if TYPE_CHECKING:
    from pytest_pixelloop.core.history import History

KILLS = 50
CAP = 90
PROCESS = Path(__file__).with_name("looping_process.py")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")


class KilledRun:
    """One run that is killed again and again, and what was seen of it so far."""

    def __init__(self, root: Path, page: int) -> None:
        self.root = root
        self.folder = root / ".pixelloop/runs/r/tests/t"
        self.ledger = self.folder / "ledger.jsonl"
        self.seen: tuple[dict[str, Any], ...] = ()
        self.spent = 0.0
        root.mkdir()
        (root / "page.txt").write_text(f"{page}\n")
        fix = root / "fix.sh"
        fix.write_text(
            "#!/bin/sh\nread left < page.txt\necho $((left - 1)) > .new\nmv .new page.txt\n"
        )
        fix.chmod(0o755)

    def size(self) -> int:
        """Return how many bytes the ledger has."""
        return self.ledger.stat().st_size if self.ledger.exists() else 0

    def start(self) -> subprocess.Popen[bytes]:
        """Start a process that works on the run, or goes on with it."""
        return subprocess.Popen(
            [sys.executable, str(PROCESS), str(self.root)], stderr=subprocess.PIPE
        )

    def kill_somewhere(self, chance: random.Random) -> bool:
        """Kill a process once the ledger grew by some bytes; False when it ended before."""
        goal = self.size() + chance.randrange(3000)
        extra = chance.randrange(200)  # looks at the file after that: the point between two lines
        process = self.start()
        while process.poll() is None:
            if self.size() >= goal:
                extra -= 1
                if extra < 0:
                    break
            os.sched_yield()
        process.send_signal(signal.SIGKILL)
        _out, errors = process.communicate()
        assert process.returncode in {0, -signal.SIGKILL}, errors.decode()
        return process.returncode != 0

    def check(self) -> History:
        """Check that everything on disk is whole and that nothing recorded was lost."""
        records = read_records(self.ledger)
        assert records[: len(self.seen)] == self.seen, "a record was lost or changed"
        self.seen = records
        history = fold(records)
        numbers = [r["iteration"] for r in records if r["kind"] == "measured"]
        assert numbers == list(range(len(numbers))), "an iteration is missing or counted twice"
        for line in self.acknowledged():
            number, score = line.split()
            assert history.scores[int(number)] == float(score)
        assert history.spent_seconds >= self.spent
        self.spent = history.spent_seconds
        if history.measurements:
            assert history.iteration_cap == CAP
        self.check_files()
        return history

    def acknowledged(self) -> list[str]:
        """Return the iterations that some process was told are recorded."""
        path = self.root / "witness"
        return path.read_text().splitlines() if path.exists() else []

    def check_files(self) -> None:
        """Check that no derived file is torn."""
        for path in self.folder.rglob("*.json"):
            json.loads(path.read_text())
        for path in self.folder.rglob("*.yaml"):
            assert set(yaml.safe_load(path.read_text())) >= {"delta_ids", "score", "channels"}
        for path in self.folder.rglob("*.md"):
            assert path.read_text().endswith("\n")


def test_no_kill_loses_a_recorded_iteration(tmp_path: Path) -> None:
    """After 50 SIGKILLs at random points: every record kept, cap and spent time carried on."""
    chance = random.Random(20240611)
    kills = runs = 0
    run = KilledRun(tmp_path / "run0", page=70)
    while kills < KILLS:
        if run.kill_somewhere(chance):
            kills += 1
            run.check()
            continue
        assert run.check().status == "converged"
        runs += 1
        assert runs < KILLS, "the runs end before they can be killed"
        run = KilledRun(tmp_path / f"run{runs}", page=70)
    process = run.start()
    _out, errors = process.communicate()
    assert process.returncode == 0, errors.decode()
    history = run.check()
    assert history.status in {"converged", "not-converged:cap-exhausted"}
    assert (history.highest or 0) <= CAP
    assert history.processes > 1
    summary = json.loads((run.folder / "summary.json").read_text())
    assert summary["score_history"] == list(history.scores)
