"""A process that loops over a page that is a number, to be killed by a test.

Called with a project folder. Each iteration that record() acknowledged is written to the file
``witness``, one unbuffered line each: what must be in the ledger, whatever happens next.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from pytest_pixelloop.core.tolerance import IterationCap
from pytest_pixelloop.session import LoopSession, LoopSettings, Measurement, WatchedSources

CAP = 90


def measure(root: Path, folder: Path) -> Measurement:
    """Return what is left to repair, with a picture and a report on disk."""
    left = int((root / "page.txt").read_text() or 0)
    (folder / "1-2.actual.png").write_bytes(b"picture" * 1000)
    status = "fail" if left > 0 else "pass"
    return Measurement(
        status=status,
        score=float(max(left, 0)),
        delta_ids=(f"left-{left}",) if left > 0 else (),
        channels={"visual": "compared"},
        reports=(
            {
                "label": "1-2",
                "status": status,
                "gate": "design",
                "score": float(left),
                "artifacts": {"actual": "1-2.actual.png"},
                "findings": [],
            },
        ),
    )


def main(root: Path) -> None:
    """Loop to the end. Only the first process says what the cap is."""
    folder = root / ".pixelloop/runs/r/tests/t"
    started = (folder / "ledger.jsonl").exists()
    cap = IterationCap(value=6, source="default") if started else None
    session = LoopSession(
        folder=folder,
        run_id="r",
        test_id="t",
        root=root,
        settings=LoopSettings(
            looping=True,
            cap=cap or IterationCap(value=CAP, source="flag"),
            fix_command="./fix.sh",
        ),
        goalposts=lambda: {"design": "1"},
        sources=WatchedSources(root=root, roots=(root / "page.txt",)),
        clock=time.time,
        say=lambda _line: None,
        environ=dict(os.environ),
    )
    witness = os.open(root / "witness", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if session.prepare():
        while True:
            measured = measure(root, session.iteration_folder)
            decision = session.record(measured)
            os.write(witness, f"{session.iteration} {measured.score}\n".encode())
            if not decision.again:
                break
            session.advance()
    session.finish()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
