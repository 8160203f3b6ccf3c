"""SIGKILL at random points of a looping pytest, then the same run again: nothing may be lost.

``python -m benchmarks.loop.kills [--kills 200] [--browser-share 0.15] [--seed 1] [--keep DIR]``
loops projects with real fixers, the patch gate on a git checkout, drawn pages and, for a share of
the kills, a served page in Chromium. A process is killed at a random moment of a phase that is
chosen in turn (fix, gate, reload, capture, compare, write, start, end); a run is killed several
times and then left to its end. After each kill: the ledger can be read, nothing that was in it is
gone, iterations are numbered on, none is measured twice. After each end: the status is that of an
undisturbed run, sources are whole, ``pixelloop evaluate`` finds every verdict as recorded, no
temporary file and no process is left. Prints how many kills hit which phase; exit code 1 when
anything was wrong, with the project kept.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.loop.kill_phases import PHASES, Board
from benchmarks.loop.killed_projects import CSS, ROOT, SCENARIOS, Scenario
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.store.ledger_file import read_records

#: Seconds a phase lasts about; a kill comes at any moment of it, or a little after.
ABOUT = {
    "start": 0.8,
    "fix": 0.2,
    "gate": 0.012,
    "reload": 0.01,
    "capture": 0.003,
    "compare": 0.012,
    "write": 0.004,
    "end": 0.02,
}
BROWSER_ABOUT = {**ABOUT, "start": 1.5, "reload": 0.8, "capture": 0.6, "compare": 0.05}


class Killed:
    """One run of one project, from its first process to its end."""

    def __init__(self, scenario: Scenario, root: Path) -> None:
        self.scenario = scenario
        self.root = root
        self.problems: list[str] = []
        self._seen: tuple[dict[str, Any], ...] = ()
        self._board = root.parent / f"{root.name}.phases"
        scenario.make(root)

    def start(self) -> tuple[subprocess.Popen[bytes], Board]:
        """Start a process that begins the run or goes on with it; its phases are on the board."""
        self._board.unlink(missing_ok=True)
        environ = {
            **os.environ,
            "KILL_PHASES": str(self._board),
            "PYTHONPATH": os.pathsep.join([str(ROOT), *os.environ.get("PYTHONPATH", "").split()]),
        }
        board = Board(self._board)
        output = (self.root.parent / f"{self.root.name}.out").open("ab")
        with output:
            process = subprocess.Popen(
                self.scenario.command,
                cwd=self.root,
                env=environ,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        return process, board

    def kill_in(self, phase: str, chance: random.Random) -> str | None:
        """Kill a process in or shortly after *phase*; return the phase it was at, None if over."""
        about = BROWSER_ABOUT if self.scenario.browser else ABOUT
        times = chance.randrange(1, 12 if phase == "write" else 3 if self.scenario.browser else 4)
        if phase in {"start", "end"}:
            times = 0 if phase == "start" else 1
        wait = about[phase] * chance.random() * 1.2
        process, board = self.start()
        begun: float | None = None
        while process.poll() is None:
            if begun is None and board.count(phase) >= times:
                begun = time.monotonic()
            if begun is not None and time.monotonic() - begun >= wait:
                break
            time.sleep(0.0002)
        at = board.phase
        process.send_signal(signal.SIGKILL)
        process.wait()
        return at if process.returncode == -signal.SIGKILL else None

    def finish(self) -> None:
        """Let the run go on to its end, and look at everything that it leaves."""
        process, _board = self.start()
        process.wait()
        self.look()
        self._look_at_end()

    def look(self) -> None:
        """Look at every ledger, as a process that was killed has left it."""
        for path in sorted(self.root.glob(".pixelloop/runs/r/tests/*/ledger.jsonl")):
            try:
                records = read_records(path)
                history = fold(records)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told
                self.problems.append(f"the ledger cannot be read: {error}")
                continue
            if "after-the-last-fix" in path.parent.name:
                continue
            if records[: len(self._seen)] != self._seen:
                self.problems.append("a record was lost or changed")
            self._seen = records
            numbers = [line["iteration"] for line in records if line["kind"] == "measured"]
            if numbers != list(range(len(numbers))):
                self.problems.append(f"iterations are numbered {numbers}")
            if history.restarts > 2:
                self.problems.append(f"{history.restarts} restarts")

    def _look_at_end(self) -> None:
        history = fold(self._seen)
        if history.status != self.scenario.status:
            self.problems.append(f"it ended as {history.status}: {history.end}")
        evaluated = subprocess.run(
            [sys.executable, "-m", "pytest_pixelloop", "evaluate", "r"],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        if evaluated.returncode != 0:
            self.problems.append(evaluated.stdout + evaluated.stderr)
        left = [path for path in self.root.rglob(".tmp-*") if ".git" not in path.parts]
        self.problems += [f"left behind: {path.relative_to(self.root)}" for path in left]
        self.problems += [f"still runs: {words}" for words in processes_of(self.root)]
        if not self.scenario.browser:
            self._look_at_sources()

    def _look_at_sources(self) -> None:
        page = json.loads((self.root / "site/page.json").read_text())
        right = json.loads((self.root / "right.json").read_text())
        if self.scenario.fixer == "repair" and page["boxes"] != right["boxes"]:
            self.problems.append("it converged on another page than the right one")
        for path in sorted((self.root / "site").glob("*.css")):
            if path.read_text() != CSS:
                self.problems.append(f"{path.name} is not as it was before the patch")


def processes_of(root: Path) -> list[str]:
    """Return the command lines of processes that work in *root* (Linux)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink().is_relative_to(root):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in {"Z", "X"}:
                    found.append(words.strip()[:100])
    return found


class Campaign:
    """All kills, and what was seen."""

    def __init__(self, folder: Path, *, kills: int, share: float, seed: int) -> None:
        self._folder = folder
        self._chance = random.Random(seed)
        self._wanted = {False: kills - round(kills * share), True: round(kills * share)}
        self.hit: Counter[tuple[str, str]] = Counter()
        self.runs: Counter[str] = Counter()
        self.wrong: list[tuple[str, Path, list[str]]] = []

    def play(self) -> None:
        """Kill as often as was asked for, first without a browser, then with one."""
        number = 0
        for browser in (False, True):
            scenarios = [s for s in SCENARIOS if s.browser == browser]
            done = 0
            while done < self._wanted[browser]:
                scenario = scenarios[number % len(scenarios)]
                number += 1
                done += self._run(scenario, number, at_most=self._wanted[browser] - done)

    def _run(self, scenario: Scenario, number: int, *, at_most: int) -> int:
        """Kill one run several times, let it end, and return how many kills there were."""
        run = Killed(scenario, self._folder / f"run{number}")
        kills = 0
        for _ in range(min(at_most, self._chance.randrange(3, 7))):
            rest = sum(self.hit.values())
            at = run.kill_in(PHASES[rest % len(PHASES)], self._chance)
            if at is None:
                run.look()
                break
            kills += 1
            self.hit[scenario.name, at] += 1
            run.look()
        run.finish()
        self.runs[scenario.name] += 1
        told = f"{sum(self.hit.values())} kills, run {number} ({scenario.name})"
        print(f"{told}: {'; '.join(run.problems) or 'right'}", file=sys.stderr, flush=True)
        if run.problems:
            self.wrong.append((scenario.name, run.root, run.problems))
        else:
            shutil.rmtree(run.root)
        return kills

    def table(self) -> list[str]:
        """Return the lines that tell how many kills hit which phase of which project."""
        names = [s.name for s in SCENARIOS if self.runs[s.name]]
        lines = [f"| phase | {' | '.join(names)} | all |", "|--|" + "--:|" * (len(names) + 1)]
        for phase in PHASES:
            counts = [self.hit[name, phase] for name in names]
            lines.append(f"| {phase} | {' | '.join(map(str, counts))} | {sum(counts)} |")
        counts = [sum(n for (name, _), n in self.hit.items() if name == s) for s in names]
        lines.append(f"| kills | {' | '.join(map(str, counts))} | {sum(counts)} |")
        runs = [self.runs[name] for name in names]
        lines.append(f"| runs | {' | '.join(map(str, runs))} | {sum(runs)} |")
        return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--browser-share", type=float, default=0.15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="where the projects are made")
    told = parser.parse_args()
    folder = told.keep or Path(tempfile.mkdtemp(prefix="kills-"))
    folder.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(folder, kills=told.kills, share=told.browser_share, seed=told.seed)
    with contextlib.suppress(KeyboardInterrupt):  # then the table is of what was done
        campaign.play()
    print("\n".join(campaign.table()))
    for name, root, problems in campaign.wrong:
        print(f"WRONG ({name}) {root}: {'; '.join(problems)}")
    if not campaign.wrong:
        print("right: every run resumed to the end of an undisturbed one")
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if campaign.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
