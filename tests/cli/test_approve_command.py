"""``pixelloop approve`` and ``pixelloop judgements``: what a person accepts or is refused."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.cli.main import main
from pytest_pixelloop.core.measurement import LoopSettings, Measurement
from pytest_pixelloop.core.records import Kind, measured_record, record, session_record
from pytest_pixelloop.core.tolerance import IterationCap
from pytest_pixelloop.sources.judgements import load_judgements
from pytest_pixelloop.store.images import write_png
from pytest_pixelloop.store.iteration_files import iteration_folder, write_reports
from pytest_pixelloop.store.ledger_file import LedgerFile
from pytest_pixelloop.store.run_directory import open_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SNAPSHOT = "tests/__screenshots__/test_a.py/card.png"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a project with one recorded snapshot, as working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "designs").mkdir()
    path = tmp_path / SNAPSHOT
    path.parent.mkdir(parents=True)
    write_png(path, np.full((4, 6, 4), 255, dtype=np.uint8))
    return tmp_path


def _sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _changed(project: Path, **words: Any) -> dict[str, Any]:
    """Return the report of a snapshot that differs."""
    return {
        "label": "card",
        "status": "fail",
        "gate": "snapshot",
        "score": 3.0,
        "design": {
            "name": "card",
            "image": SNAPSHOT,
            "sha256": {"image": _sha(project / SNAPSHOT)},
        },
        "artifacts": {"actual": "card-actual.png"},
        "pixels": {"total": 24, "mismatch": 8},
        "size": {"expected": [6, 4], "actual": [6, 4]},
        "findings": [],
        **words,
    }


def _design(**words: Any) -> dict[str, Any]:
    return {
        "label": "1-2",
        "status": "fail",
        "gate": "design",
        "score": 3.0,
        "design": {"name": "shop", "figma": "https://figma.test/x"},
        "findings": [
            {"delta_id": "1-2/node:1:3", "gating": True, "state": "open", "property": "color"}
        ],
        **words,
    }


def _run(project: Path, *reports: Mapping[str, Any], proposals: str = "") -> Path:
    run = open_run(project / ".pixelloop", None, now=datetime(2026, 11, 30, tzinfo=UTC))
    folder = run.test_folder("t.py::test_a")
    home = iteration_folder(folder, 0)
    home.mkdir(parents=True)
    image = np.zeros((4, 6, 4), dtype=np.uint8)
    image[..., 3] = 255
    write_png(home / "card-actual.png", image)
    names = write_reports(home, reports)
    (folder / "proposals.jsonl").write_text(proposals, encoding="utf-8")
    settings = LoopSettings(looping=False, cap=IterationCap(value=6, source="default"))
    with LedgerFile(folder / "ledger.jsonl") as ledger:
        told = session_record(
            Kind.START,
            at=0.0,
            run_id=run.run_id,
            test_id="t.py::test_a",
            settings=settings,
            goalposts={},
        )
        ledger.append(told)
        ledger.append(record(Kind.ITERATION_STARTED, at=1.0, iteration=0, fix=False))
        measured = measured_record(
            Measurement(status="fail", score=3.0, reports=tuple(reports)),
            at=2.0,
            iteration=0,
            reports=names,
            sources=None,
            known_goalposts={},
            goalposts={},
        )
        ledger.append(measured)
        ledger.append(record(Kind.ENDED, at=3.0, status="fail", rule="gate", reason="x"))
    return home


def _history(project: Path) -> list[dict[str, Any]]:
    path = project / "designs" / "approvals.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_snapshot_is_replaced_and_a_line_tells_who(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Figures and picture are shown, the file is replaced, the history says from which run."""
    before = _sha(project / SNAPSHOT)
    home = _run(project, _changed(project))
    assert main(["approve", "--yes"]) == 0
    out = capsys.readouterr().out
    assert "8 of 24 px differ" in out
    assert "card-actual.png" in out
    assert (project / SNAPSHOT).read_bytes() == (home / "card-actual.png").read_bytes()
    (line,) = _history(project)
    assert (line["before"], line["after"]) == (before, _sha(project / SNAPSHOT))
    assert (line["run_id"], line["path"]) == ("20261130-0000", SNAPSHOT)
    assert line["who"]


def test_a_missing_snapshot_can_be_approved(project: Path) -> None:
    """A picture that was captured for a snapshot that is not there becomes it."""
    report = _changed(project, status="undetermined:missing-baseline", findings=[])
    (project / SNAPSHOT).unlink()
    _run(project, report)
    assert main(["approve", "--yes"]) == 0
    assert (project / SNAPSHOT).is_file()


def test_without_a_terminal_nobody_agreed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked in CI without --yes, it shows what would change, changes nothing and exits with 2."""
    before = _sha(project / SNAPSHOT)
    _run(project, _changed(project))
    assert main(["approve"]) == 2
    told = capsys.readouterr()
    assert "8 of 24 px differ" in told.out
    assert "--yes" in told.err
    assert _sha(project / SNAPSHOT) == before
    assert not _history(project)


@pytest.mark.parametrize(
    ("answers", "code", "applied"), [("yn", 1, 1), ("yy", 0, 2), ("\nn", 1, 0)]
)
def test_each_is_asked_for_by_itself(
    project: Path, answers: str, code: int, applied: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Yes to one and no to the other applies one."""
    other = "tests/__screenshots__/test_a.py/other.png"
    write_png(project / other, np.full((4, 6, 4), 9, dtype=np.uint8))
    design = {"image": other, "sha256": {"image": _sha(project / other)}}
    _run(project, _changed(project), _changed(project, label="other", design=design))
    given = iter(answers)
    monkeypatch.setattr("builtins.input", lambda _: next(given))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["approve"]) == code
    assert len(_history(project)) == applied


def test_a_snapshot_that_changed_since_the_run_is_kept(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody has seen is not overwritten."""
    _run(project, _changed(project))
    write_png(project / SNAPSHOT, np.full((4, 6, 4), 7, dtype=np.uint8))
    before = _sha(project / SNAPSHOT)
    assert main(["approve", "--yes"]) == 2
    assert "has changed since this run" in capsys.readouterr().err
    assert _sha(project / SNAPSHOT) == before


@pytest.mark.parametrize("path", ["../outside.png", "/tmp/outside.png", "designs/designs.yaml"])
def test_a_run_cannot_name_a_file_outside(
    project: Path, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report is untrusted: a snapshot lies in the project and is a picture."""
    design = {"image": path, "sha256": {"image": None}}
    _run(project, _changed(project, design=design))
    assert main(["approve", "--yes"]) == 2
    assert "outside the project" in capsys.readouterr().err
    assert not (project.parent / "outside.png").exists()


def test_a_figma_design_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its picture comes by pull; asked for by name that is an error."""
    _run(project, _design())
    assert main(["approve", "--yes"]) == 0
    assert "pixelloop pull" in capsys.readouterr().err
    assert main(["approve", "--yes", "1-2"]) == 2
    assert "cannot be approved" in capsys.readouterr().err


def test_labels_choose_and_unknown_ones_are_refused(project: Path) -> None:
    """Only what is named is applied; a label that has nothing to approve is an error."""
    home = _run(project, _changed(project))
    assert main(["approve", "--yes", "nope"]) == 2
    run_id = home.parents[3].name
    assert main(["approve", "--yes", run_id, "card"]) == 0
    assert len(_history(project)) == 1


PROPOSAL = {"delta_id": "1-2/node:1:3", "kind": "known", "reason": 'a "reason": #1', "issue": "7"}


def test_a_proposed_judgement_is_added_beside_what_is_there(project: Path) -> None:
    """Comments and other entries stay, and the new entry is read back as it was proposed."""
    path = project / "designs" / "judgements.yaml"
    text = (
        "# ours\nschema_version: 1\njudgements:\n  a/node:1: {kind: version, reason: old} # why\n"
    )
    path.write_text(text, encoding="utf-8")
    stray = {"delta_id": "9-9/node:1", "reason": "not in this run"}
    _run(project, _design(), proposals=f"{json.dumps(PROPOSAL)}\n{json.dumps(stray)}\n")
    assert main(["approve", "--yes"]) == 0
    assert path.read_text("utf-8").startswith(text)
    found = {e.delta_id: e for e in load_judgements(project / "designs")}
    assert set(found) == {"a/node:1", "1-2/node:1:3"}
    assert (found["1-2/node:1:3"].reason, found["1-2/node:1:3"].issue) == ('a "reason": #1', "7")
    assert main(["judgements"]) == 0
    assert main(["judgements", "--check-issues"]) == 1


def test_a_judgements_file_of_another_style_is_left_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where an entry cannot be appended, the lines to add are shown and nothing is written."""
    path = project / "designs" / "judgements.yaml"
    text = "schema_version: 1\njudgements: {a/node:1: {kind: known, reason: x}}\n"
    path.write_text(text, encoding="utf-8")
    _run(project, _design(), proposals=json.dumps(PROPOSAL))
    assert main(["approve", "--yes"]) == 2
    assert '"1-2/node:1:3":' in capsys.readouterr().err
    assert path.read_text("utf-8") == text


def test_expired_judgements_are_listed_as_such(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``pixelloop judgements`` says what counts no more, with exit code 1."""
    assert main(["judgements"]) == 0
    path = project / "designs" / "judgements.yaml"
    path.write_text(
        "schema_version: 1\njudgements:\n"
        "  a/node:1: {kind: known, reason: x, expires: 2020-01-01, issue: 4}\n",
        encoding="utf-8",
    )
    assert main(["judgements", "--check-issues"]) == 1
    assert "expired" in capsys.readouterr().out
