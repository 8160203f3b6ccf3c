"""``pixelloop evaluate``: a run is what its files give, or it is said what is not."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from measured_run import Made, edit_json, make_run

from pytest_pixelloop.cli.main import main
from pytest_pixelloop.core.ledger_chain import LINK, link_of
from pytest_pixelloop.store.ledger_file import read_records

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TESTS = (
    Made("test_a.py::test_loop", (20, 12, 0)),
    Made("test_a.py::test_gate", (16,), gate="design", looping=False),
    Made("test_a.py::test_snapshot", (3,), gate="snapshot", looping=False),
    Made("test_a.py::test_same", (0,), looping=False),
    Made("test_a.py::test_stalled", (20, 20, 20, 20)),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of runs with one run, to be copied."""
    base = tmp_path_factory.mktemp("project") / ".pixelloop"
    make_run(base, "r", TESTS)
    return base


@pytest.fixture
def base(made: Path, tmp_path: Path) -> Path:
    """Give a copy of the run that may be tampered with."""
    shutil.copytree(made, tmp_path / "runs")
    return tmp_path / "runs"


def folder(base: Path, name: str) -> Path:
    """Return the folder of one test."""
    (found,) = base.glob(f"runs/r/tests/*-{name}-*")
    return found


def evaluate(base: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Return exit code and what is printed."""
    code = main(["evaluate", "--dir", str(base), *words])
    told = capsys.readouterr()
    return code, told.out + told.err


def test_an_honest_run_is_the_same(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0 and one line, with and without measuring the pictures again."""
    code, text = evaluate(base, capsys)
    assert code == 0, text
    assert text.count("\n") == 1
    assert "5 tests, 10 iterations, 10 comparisons, 10 decisions made again" in text
    code, text = evaluate(base, capsys, "last", "--remeasure", "--json", "-")
    assert code == 0, text
    record = json.loads(text)
    assert (record["status"], record["remeasured"]) == ("same", 10)


def report(base: Path, name: str, number: int = 0) -> Path:
    """Return the report of an iteration."""
    return folder(base, name) / f"diff/{number:02d}/card.report.json"


def edit_finding(path: Path, **changes: Any) -> None:
    """Change the first finding of a report."""
    record = json.loads(path.read_text("utf-8"))
    record["findings"][0].update(changes)
    path.write_text(json.dumps(record), "utf-8")


def edit_ledger(path: Path, kind: str, *, relink: bool, **changes: Any) -> None:
    """Change the last record of a kind, and on request the whole chain after it."""
    records = [dict(line) for line in read_records(path)]
    next(line for line in reversed(records) if line["kind"] == kind).update(changes)
    before = ""
    for line in records if relink else ():
        line[LINK] = before = link_of(line, after=before)
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in records))


def drop_finding(path: Path) -> None:
    """Take the first finding out of a report, and its severity out of the score."""
    record = json.loads(path.read_text("utf-8"))
    gone = record["findings"].pop(0)
    edit_json(path, findings=record["findings"], score=record["score"] - gone["severity"])


def forge_pass(path: Path) -> None:
    """Make a failing report pass in every word, with its findings left out."""
    record = json.loads(path.read_text("utf-8"))
    verdicts = {**record["verdicts"], "visual": "pass", "causes": []}
    edit_json(path, status="pass", score=0.0, findings=[], verdicts=verdicts)


TAMPERED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "status": (
        lambda base: edit_json(report(base, "test_gate"), status="pass"),
        r"test_gate +0 +card: status +pass +fail",
    ),
    "severity": (
        lambda base: edit_finding(report(base, "test_loop", 1), severity=0.5),
        r"test_loop +1 +card: score .* the sum of its findings",
    ),
    "finding removed": (
        lambda base: drop_finding(report(base, "test_loop")),
        r"test_loop +0 +card: score ",
    ),
    "score": (
        lambda base: edit_json(report(base, "test_loop"), score=0.25),
        r"test_loop +0 +card: score +0\.25 +\d",
    ),
    "finding excused": (
        lambda base: edit_finding(report(base, "test_gate"), state="excused"),
        r"test_gate +0 +card: status +fail +pass",
    ),
    "finding not gating": (
        lambda base: edit_finding(report(base, "test_gate"), gating=False),
        r"test_gate +0 +card: the visual verdict +fail +pass",
    ),
    "visual word": (
        lambda base: forge_pass(report(base, "test_snapshot")),
        r"test_snapshot +0 +card: the visual verdict +pass +fail",
    ),
    "figures": (
        lambda base: edit_json(
            report(base, "test_snapshot"), pixels={"total": 1600, "mismatch": 0, "ratio": 0.0}
        ),
        r"test_snapshot +0 +card: the visual verdict +fail +pass",
    ),
    "undetermined": (
        lambda base: edit_json(
            report(base, "test_gate"),
            status="undetermined:unstable",
            verdicts={"visual": "undetermined:unstable", "causes": ["visual"]},
        ),
        r"test_gate +0 +card: the visual verdict +undetermined:unstable +fail",
    ),
    "picture": (
        lambda base: shutil.copy(
            folder(base, "test_gate") / "diff/00/card.expected.png",
            folder(base, "test_gate") / "diff/00/card.actual.png",
        ),
        r"test_gate +0 +bytes of card\.actual\.png",
    ),
    "a space": (
        lambda base: report(base, "test_same").write_bytes(
            report(base, "test_same").read_bytes() + b" "
        ),
        r"test_same +0 +bytes of card\.report\.json",
    ),
    "ledger line": (
        lambda base: edit_ledger(
            folder(base, "test_gate") / "ledger.jsonl", "measured", relink=False, status="pass"
        ),
        r"test_gate +ledger\.jsonl +a chain of records +record \d \(measured\)",
    ),
    "ledger line, linked anew": (
        lambda base: edit_ledger(
            folder(base, "test_gate") / "ledger.jsonl", "measured", relink=True, status="pass"
        ),
        r"test_gate +0 +status of the test +pass +fail",
    ),
    "end, linked anew": (
        lambda base: edit_ledger(
            folder(base, "test_stalled") / "ledger.jsonl",
            "ended",
            relink=True,
            status="converged",
            rule="converged",
        ),
        r"test_stalled +3 +what followed +converged \(converged\) +not-converged:stalled",
    ),
    "cap, linked anew": (
        lambda base: edit_ledger(
            folder(base, "test_stalled") / "ledger.jsonl", "start", relink=True, iteration_cap=2
        ),
        r"test_stalled +2 +what followed +again +not-converged:cap-exhausted",
    ),
    "summary": (
        lambda base: edit_json(folder(base, "test_stalled") / "summary.json", status="converged"),
        r'status in summary\.json +"converged" +"not-converged:stalled"',
    ),
    "summary.md": (
        lambda base: (path := folder(base, "test_stalled") / "summary.md").write_text(
            path.read_text().replace("not-converged:stalled", "converged", 1)
        ),
        r"head of summary\.md +status: converged +status: not-converged:stalled",
    ),
    "run summary": (
        lambda base: (path := base / "runs/r/summary.json").write_text(
            path.read_text().replace('"status": "fail"', '"status": "pass"')
        ),
        r"test_gate +status in the run's summary\.json +pass +fail",
    ),
    "ledger cut": (
        lambda base: (path := folder(base, "test_loop") / "ledger.jsonl").write_text(
            "".join(path.read_text().splitlines(keepends=True)[:5])
        ),
        r"test_loop +2 +measured iterations +no such record +diff/02",
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_is_told(
    base: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Exit code 1 and a table with test, iteration, what was recorded and what the files give."""
    import re

    tamper, expected = TAMPERED[name]
    tamper(base)
    code, text = evaluate(base, capsys)
    assert code == 1, text
    assert text.startswith("different: run r: ")
    assert re.search(r"^test +iteration +what +recorded +recomputed$", text, re.MULTILINE)
    assert re.search(expected, text), text


MISSING: dict[str, tuple[Callable[[Path], Any], str]] = {
    "report": (
        lambda base: report(base, "test_gate").unlink(),
        "test_gate, iteration 0: card.report.json: there is no such file",
    ),
    "report cut off": (
        lambda base: report(base, "test_gate").write_text("{"),
        "test_gate, iteration 0: card.report.json is no JSON",
    ),
    "report of a newer version": (
        lambda base: edit_json(report(base, "test_gate"), schema_version=2),
        "card.report.json cannot be evaluated: it has schema_version 2, this version reads up to 1",
    ),
    "report that is none": (
        lambda base: report(base, "test_gate").write_text("[]"),
        "card.report.json cannot be evaluated: it is no JSON object",
    ),
    "picture": (
        lambda base: (folder(base, "test_gate") / "diff/00/card.actual.png").unlink(),
        "test_gate, iteration 0: card.actual.png is missing",
    ),
    "ledger": (
        lambda base: (folder(base, "test_gate") / "ledger.jsonl").unlink(),
        "ledger.jsonl is missing",
    ),
    "ledger of a newer version": (
        lambda base: edit_ledger(
            folder(base, "test_gate") / "ledger.jsonl", "start", relink=True, schema_version=2
        ),
        "record 1 of the ledger cannot be understood",
    ),
    "ledger broken": (
        lambda base: (path := folder(base, "test_gate") / "ledger.jsonl").write_text(
            path.read_text().replace("{", "", 1)
        ),
        "line 1 of the ledger is no record",
    ),
    "test": (
        lambda base: shutil.rmtree(folder(base, "test_gate")),
        "test_a.py::test_gate: summary.json names it, no ledger does",
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_what_cannot_be_made_again_is_never_the_same(
    base: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Files that are missing, cut off or of another version are named; exit code 2 at least."""
    tamper, expected = MISSING[name]
    tamper(base)
    code, text = evaluate(base, capsys)
    assert expected in text
    assert code == (1 if text.startswith("different") else 2), text


def test_pictures_that_were_swapped_with_their_hashes_are_measured_again(
    base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A forger who mends every hash and word is found out by the pictures."""
    from pytest_pixelloop.store.iteration_files import file_digest

    home = folder(base, "test_gate") / "diff/00"
    forge_pass(home / "card.report.json")
    names = ("card.report.json", "card.actual.png", "card.expected.png")
    evidence = {name: file_digest(home / name) for name in names}
    ledger = home.parent.parent / "ledger.jsonl"
    comparison = dict(read_records(ledger)[-2]["comparisons"][0])
    comparison |= {"status": "pass", "score": 0.0, "delta_ids": [], "evidence": evidence}
    edit_ledger(
        ledger,
        "measured",
        relink=True,
        status="pass",
        score=0.0,
        delta_ids=[],
        comparisons=[comparison],
    )
    edit_ledger(ledger, "ended", relink=True, status="pass")
    for path in (*home.parent.parent.glob("summary.*"), *base.glob("runs/r/summary.*")):
        path.unlink()
    assert evaluate(base, capsys)[0] == 0
    code, text = evaluate(base, capsys, "--remeasure")
    assert code == 1
    assert "card: remeasured findings  none      card/px:8,16,24,8" in text


@pytest.mark.parametrize("limits", [{"unheard_of": 1}, {"threshold": "wide"}, [], None])
def test_limits_that_are_none_cannot_be_measured_with(
    base: Path, capsys: pytest.CaptureFixture[str], limits: Any
) -> None:
    """A report whose tolerance was edited into nonsense is named, and ends nothing."""
    path = report(base, "test_gate")
    record = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**record, "tolerance": limits}), "utf-8")
    code, text = evaluate(base, capsys, "--remeasure")
    assert code in {1, 2}
    assert path.name in text or "card" in text


def test_no_run_and_an_empty_run_could_not_be_evaluated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing to look at is exit code 2, in words."""
    code, text = evaluate(tmp_path, capsys)
    assert code == 2
    assert text.startswith(f"pixelloop: there is no run\n  where: {tmp_path}\n")
    make_run(tmp_path / ".pixelloop", "empty", ())
    code, text = evaluate(tmp_path / ".pixelloop", capsys, "empty")
    assert code == 2
    assert "the run holds no visual test" in text
