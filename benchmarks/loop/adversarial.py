"""``python -m benchmarks.loop.adversarial``: fixers that try to win without repairing.

Each runs as a real pytest process with a real browser on a fresh copy of a small project. The
table says how each ended, and which sentence in the run tells why. Exits 1 on any deviation.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.loop import behaviour_cheats, evidence_cheats, goalpost_cheats, page_cheats
from benchmarks.loop.broken_project import REPAIRS, BrokenProject, Ended
from benchmarks.loop.cheat import PREAMBLE, Cheat

GROUPS: dict[str, tuple[Cheat, ...]] = {
    "goalposts": goalpost_cheats.CHEATS,
    "evidence": evidence_cheats.CHEATS,
    "page": page_cheats.CHEATS,
    "behaviour": behaviour_cheats.CHEATS,
}
_GREEN = ("converged", "pass")


def _program(body: str) -> str:
    return PREAMBLE % {"repairs": REPAIRS} + body


def run_cheat(cheat: Cheat, folder: Path) -> Ended:
    """Run one fixer, over several processes where it needs them."""
    project = BrokenProject(folder)
    project.make()
    helper = cheat.prepare(project) if cheat.prepare is not None else None
    library = project.own_packages(*cheat.library) if cheat.library else None
    try:
        ended = project.run(_program(cheat.body), *cheat.options, library=library)
        for step in cheat.between:
            _between(project, step)
            ended = project.run(_program(cheat.body), *cheat.options, library=library)
    finally:
        if helper is not None:
            helper.kill()
            helper.wait()
    return ended


def _between(project: BrokenProject, step: str) -> None:
    import os

    environ = {
        **os.environ,
        "PIXELLOOP_ROOT": str(project.path),
        "PIXELLOOP_ITERATION": "0",
        "PIXELLOOP_CHEAT_LIB": "",
    }
    subprocess.run([sys.executable, "-c", _program(step)], env=environ, check=True)


def deviations(cheat: Cheat, ended: Ended) -> list[str]:
    """Return what is not as it must be; nothing when the referee stood firm."""
    found = []
    if ended.code == 0 or ended.status in _GREEN:
        found.append(f"CONVERGED (exit code {ended.code})")
    if ended.status not in cheat.statuses:
        found.append(f"status {ended.status}")
    if cheat.iterations is not None and ended.iterations != cheat.iterations:
        found.append(f"{ended.iterations} iterations")
    if cheat.tells not in evidence(ended):
        found.append(f"nothing says {cheat.tells!r}")
    return found


def evidence(ended: Ended) -> str:
    """Return what the run leaves for a reader: summary, ledger, reports, terminal."""
    return f"{ended.summary}\n{ended.ledger}\n{ended.reports}\n{ended.output}"


def _why(ended: Ended) -> str:
    text = str(ended.summary.get("reason") or "")
    return text or next(
        (line for line in reversed(ended.output.splitlines()) if "rror" in line), "killed"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="WORDS")
    parser.add_argument("--group", action="append", default=[], choices=GROUPS)
    parser.add_argument("--keep", type=Path, help="leave the projects below this folder")
    parser.add_argument("--verbose", action="store_true", help="print pytest's output, too")
    arguments = parser.parse_args()
    cheats = [c for name in arguments.group or GROUPS for c in GROUPS[name]]
    chosen = [c for c in cheats if not arguments.only or any(w in c.name for w in arguments.only)]
    wrong = 0
    print("| fixer | right end | end | iterations | fewest | why |")
    print("|---|---|---|---|---|---|", flush=True)
    begun = time.monotonic()
    for number, cheat in enumerate(chosen):
        with tempfile.TemporaryDirectory(prefix="cheat-") as temporary:
            base = arguments.keep or Path(temporary)
            folder = base / f"{number:02d}"
            ended = run_cheat(cheat, folder)
        found = deviations(cheat, ended)
        wrong += bool(found)
        mark = f" **{'; '.join(found)}**" if found else ""
        fewest = "-" if cheat.iterations is None else cheat.iterations
        told = "-" if ended.iterations is None else ended.iterations
        right = " or ".join(cheat.statuses)
        why = _why(ended).replace("|", "/")[:220]
        print(
            f"| {cheat.name} | {right} | {ended.status}{mark} | {told} | {fewest} | {why} |",
            flush=True,
        )
        if arguments.verbose:
            print(ended.output)
    seconds = time.monotonic() - begun
    print(f"\n{len(chosen)} fixers, {wrong} deviations, {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
