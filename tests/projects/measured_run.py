"""A run on disk without pytest or a browser: comparisons of drawn pictures, really recorded."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_pixelloop.checker import check
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.measurement import Measurement, merged_channels
from pytest_pixelloop.core.tolerance import IterationCap, Tolerance
from pytest_pixelloop.core.verdict import combine_statuses, sum_scores
from pytest_pixelloop.report.derived_files import write_run_summary
from pytest_pixelloop.session import LoopSession, LoopSettings, WatchedSources
from pytest_pixelloop.store.collection_file import Collection, note_collection
from pytest_pixelloop.store.run_directory import RunDirectory, note_end, note_outcomes, open_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
SIDE = 40


@dataclass(frozen=True)
class Made:
    """One test of a run: ``wrong`` are how many px are wrong, one number an iteration."""

    test_id: str
    wrong: Sequence[int]
    gate: str = "pixel"
    looping: bool = True


def picture(wrong: int) -> Any:
    """Return a picture with a dark box, of which the first *wrong* px of a row are red."""
    image = np.full((SIDE, SIDE, 4), 255, np.uint8)
    image[10:30, 10:30, :3] = 40
    image[20, 10 : 10 + wrong, :3] = (255, 0, 0)
    return image


def measure(wrong: int, gate: str, folder: Path) -> Measurement:
    """Return the measurement of a picture, written to the iteration's folder."""
    design = Design(
        name="card", label="card", image=picture(0), frame=(SIDE, SIDE), scale=1.0, gate=gate
    )
    capture = Capture(image=picture(wrong), scale=1.0, source="drawn")
    report = check(design, capture, tolerance=Tolerance(), gate=gate, folder=folder)
    status = combine_statuses((report.status,))
    return Measurement(
        status=status,
        score=sum_scores([(report.status, report.score)]),
        delta_ids=report.delta_ids,
        channels=merged_channels([report.channels]),
        reports=(report.as_record(),),
        problem=report.problem,
    )


def make_test(run: RunDirectory, root: Path, made: Made, **goalposts: str) -> None:
    """Loop over one test of *run*, from its first to its last picture."""
    page = root / "page.txt"
    clock = count(1)
    session = LoopSession(
        folder=run.test_folder(made.test_id),
        run_id=run.run_id,
        test_id=made.test_id,
        root=root,
        settings=LoopSettings(looping=made.looping, cap=IterationCap(value=6, source="default")),
        goalposts=lambda: {"design:designs.yaml": "1", **goalposts},
        sources=WatchedSources(root=root, roots=(page,)),
        clock=lambda: float(next(clock)),
        say=lambda _line: None,
        environ=dict(os.environ),
    )
    page.write_text(str(made.wrong[0]))
    assert session.prepare()
    for number, wrong in enumerate(made.wrong):
        decision = session.record(measure(wrong, made.gate, session.iteration_folder))
        if not decision.again or number + 1 == len(made.wrong):
            break
        page.write_text(f"{number} {made.wrong[number + 1]}")
        session.advance()
    session.finish()


def make_run(
    base: Path,
    run_id: str,
    tests: Sequence[Made],
    *,
    collected: Sequence[str] = (),
    shard: tuple[int, int] | None = None,
    skipped: Sequence[str] = (),
    **goalposts: str,
) -> RunDirectory:
    """Return a finished run with these tests, *collected* ones beside them, some *skipped*."""
    run = open_run(base, run_id, now=NOW)
    root = base.parent
    for made in tests:
        make_test(run, root, made, **goalposts)
    own = frozenset((*(made.test_id for made in tests), *skipped))
    note_collection(
        run.path, Collection(collected=own | frozenset(collected), selected=own, shard=shard)
    )
    note_outcomes(run, dict.fromkeys(skipped, "skipped"))
    write_run_summary(run)
    note_end(run, now=NOW)
    return run


def edit_json(path: Path, **changes: Any) -> None:
    """Change fields of a JSON file and nothing else."""
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")
