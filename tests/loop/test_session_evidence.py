"""A fixer that writes in the run's own folder ends the loop, and nothing that was known is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.core.ledger_chain import broken_links
from pytest_pixelloop.core.measurement import Measurement

if TYPE_CHECKING:
    from pathlib import Path

    from tests.loop.conftest import Project

MOVED = "undetermined:goalposts-moved"
TEST = """
import shutil
test = pathlib.Path(os.environ["PIXELLOOP_BRIEF"]).parent
ledger = test / "ledger.jsonl"
"""
FAKE = '{"schema_version":1,"kind":"ended","at":9,"status":"converged","rule":"converged"}\\n'
FORGERIES = {
    "added-to": (f"ledger.write_text(ledger.read_text() + '{FAKE}')", "ledger.jsonl was added to"),
    "cut-off": ("os.truncate(ledger, 40)", "ledger.jsonl was cut off"),
    "edited": (
        "ledger.write_text(ledger.read_text().replace('fail', 'pass'))",
        "ledger.jsonl was edited",
    ),
    "taken-away": ("ledger.unlink()", "ledger.jsonl was taken away"),
    "all-taken-away": ("shutil.rmtree('.pixelloop')", "ledger.jsonl was taken away"),
    "replaced": (
        "data = ledger.read_bytes(); ledger.unlink(); ledger.write_bytes(data)",
        "ledger.jsonl was replaced by another file",
    ),
    "report-edited": (
        "(test / 'diff/00/1-2.report.json').write_text('{}')",
        "diff/00/1-2.report.json was edited",
    ),
    "picture-taken-away": (
        "(test / 'diff/00/0.actual.png').unlink()",
        "diff/00/0.actual.png was taken away",
    ),
    "picture-a-pipe": (
        "p = test / 'diff/00/0.actual.png'; p.unlink(); os.mkfifo(p)",
        "diff/00/0.actual.png was taken away",
    ),
}


@pytest.mark.parametrize("case", FORGERIES)
def test_a_forged_run_never_converges(project: Project, case: str) -> None:
    """A fixer that wrote in the run's folder ends the loop at once, whatever the page is."""
    forge, words = FORGERIES[case]
    project.page(a=9)
    looped = project.loop(TEST + forge + "\nsave()")
    assert looped.status == MOVED
    assert looped.measured == [0, 1]
    assert words in looped.summary.reason
    kinds = [r["kind"] for r in project.records]
    assert kinds[:3] == ["start", "iteration-started", "measured"]
    assert kinds[-2:] == ["measured", "ended"]
    assert broken_links(project.records) == ()
    assert project.records[2]["status"] == "fail"


def test_what_a_forger_wrote_is_kept(project: Project) -> None:
    """The ledger is put right, and the forged one lies beside it: no data on disk is lost."""
    project.page(a=9)
    project.loop(TEST + "ledger.write_text('mine')")
    assert (project.folder / "ledger.jsonl.forged-1").read_text() == "mine"


def _edit(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b'"score":9.0', b'"score":99.0') for line in lines]


BETWEEN: dict[str, Any] = {
    "edited": (_edit, "was changed"),
    "one-record-gone": (lambda lines: [*lines[:1], *lines[2:]], "was changed"),
    "end-gone": (lambda lines: lines[:2], "are gone"),
    "all-gone": (lambda _lines: [], "are gone"),
    "added-to": (
        lambda lines: [*lines, FAKE.replace("\\n", "\n").encode()],
        "was not written by a loop",
    ),
}


@pytest.mark.parametrize("case", BETWEEN)
def test_a_ledger_that_was_edited_between_processes_stops_the_run(
    project: Project, case: str
) -> None:
    """The next process of the run fixes and measures nothing, and names the record."""
    change, words = BETWEEN[case]
    project.page(a=9)
    assert project.loop(iterations_per_run=1).status == "in-progress"
    ledger = project.folder / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(change(lines)))
    for _ in range(2):
        looped = project.loop("save()", iterations_per_run=1)
        assert (looped.status, looped.measured) == (MOVED, [])
        assert words in looped.summary.reason


def test_an_honest_run_of_many_processes_trips_nothing(project: Project) -> None:
    """Processes that hand a run on, and a torn last line, are no forgery."""
    project.page(a=9, b=4)
    project.loop(iterations_per_run=1)
    with (project.folder / "ledger.jsonl").open("ab") as stream:
        stream.write(b'{"torn')
    assert project.loop("save(b=4)", iterations_per_run=1).status == "in-progress"
    assert project.loop("save()", iterations_per_run=1).status == "converged"


def _masked(project: Project, *shares: float) -> Any:
    """Return a measuring function whose masks cover another share of the picture each time."""

    def measure(number: int, _folder: Path) -> Measurement:
        page = json.loads((project.root / "page.json").read_text())
        wrong = {k: float(v) for k, v in page.items() if k != "edit"}
        status = "fail" if wrong else "pass"
        report = project.report("1-2", status, sum(wrong.values()), wrong)
        report["screenshot"] = {"masked_share": shares[number]}
        return Measurement(
            status=status,
            score=sum(wrong.values()),
            delta_ids=tuple(wrong),
            channels={"visual": "compared"},
            reports=(report,),
        )

    return measure


@pytest.mark.parametrize(
    ("shares", "status"),
    [
        ((0.10, 0.12), "converged"),
        ((0.10, 0.40), MOVED),
        ((0.40, 0.05), "converged"),
        ((0.0, 0.04), "converged"),
        ((0.0, 0.20), MOVED),
        ((0.002, 0.01), "converged"),
    ],
)
def test_a_page_does_not_pass_by_growing_its_masks(
    project: Project, shares: tuple[float, ...], status: str
) -> None:
    """Masks that cover far more than at first are moved goalposts where something is won."""
    project.page(a=9)
    looped = project.loop("save()", measure=_masked(project, *shares))
    assert looped.status == status
    if status == MOVED:
        assert "the masks of 1-2 cover" in looped.summary.reason


def test_masks_that_grow_on_a_page_that_fails_stop_nothing(project: Project) -> None:
    """A broken layout may do anything to a masked element as long as nothing is won by it."""
    project.page(a=9)
    measure = _masked(project, 0.1, 0.9, 0.1)
    looped = project.loop("save(**({'a': 4} if iteration == 1 else {}))", measure=measure)
    assert looped.status == "converged"


def test_a_report_that_was_edited_between_processes_stops_the_run(project: Project) -> None:
    """Reports are held to the hashes in the ledger; one that is gone shows nothing false."""
    project.page(a=9)
    project.loop(iterations_per_run=1)
    report = project.folder / "diff/00/1-2.report.json"
    kept = report.read_text()
    report.write_text(kept.replace('"fail"', '"pass"'))
    looped = project.loop("save()", iterations_per_run=1)
    assert (looped.status, looped.measured) == (MOVED, [])
    assert "run:diff/00/1-2.report.json was edited" in looped.summary.reason


def test_a_report_that_was_deleted_between_processes_stops_nothing(project: Project) -> None:
    """Somebody may clear away old pictures; the loop goes on by its ledger."""
    project.page(a=9)
    project.loop(iterations_per_run=1)
    (project.folder / "diff/00/1-2.report.json").unlink()
    assert project.loop("save()", iterations_per_run=1).status == "converged"
