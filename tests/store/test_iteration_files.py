"""An iteration's reports, and the folder that shows the latest comparison."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.core.history import Compared, Measured
from pytest_pixelloop.store.iteration_files import (
    file_stem,
    fresh_iteration_folder,
    iteration_folder,
    read_proposals,
    read_reports,
    write_compare_folder,
    write_reports,
)

if TYPE_CHECKING:
    from pathlib import Path


def report(label: str, **artifacts: str) -> dict[str, Any]:
    """Return a small report."""
    return {"label": label, "status": "fail", "artifacts": artifacts, "design": {"name": "shop"}}


def measured(iteration: int, *names: str) -> Measured:
    """Return a measurement whose comparisons have reports of these file names."""
    comparisons = tuple(
        Compared(
            label=name.partition(".")[0],
            design="shop",
            status="fail",
            gate="design",
            score=1.0,
            delta_ids=(),
            excused=(),
            hold_out=False,
            report=name,
        )
        for name in names
    )
    return Measured(
        iteration=iteration,
        status="fail",
        score=1.0,
        delta_ids=(),
        channels={},
        comparisons=comparisons,
    )


def test_reports_are_named_by_label_and_never_overwrite_each_other(tmp_path: Path) -> None:
    """Two comparisons of one label, or labels that are no file names, keep a file each."""
    reports = [report("12-3__dark"), report("12-3__dark"), report("a/../b"), report("a:b")]
    names = write_reports(tmp_path, reports)
    assert names[:2] == ("12-3__dark.report.json", "12-3__dark-2.report.json")
    assert len(set(names)) == 4
    assert {p.name for p in tmp_path.iterdir()} == set(names)
    assert [r["label"] for r in read_reports(tmp_path, names)] == [r["label"] for r in reports]


@pytest.mark.parametrize("label", ["", ".", "..", "a/b", "ä", "x" * 300, ".hidden", "a\0b", "a b"])
def test_a_label_becomes_a_safe_file_name(label: str) -> None:
    """No label leads out of the folder, hides, or is longer than a file name may be."""
    stem = file_stem(label)
    assert stem
    assert len(stem) <= 80
    assert not stem.startswith(".")
    assert stem.isascii()
    assert "/" not in stem


@pytest.mark.parametrize("label", ["12-345__dark", "I12-3;4-5__mobile", "checkout"])
def test_a_usual_label_is_its_own_file_name(label: str) -> None:
    """Labels of Figma nodes and designs stay readable."""
    assert file_stem(label) == label


def test_missing_and_broken_reports_are_left_out(tmp_path: Path) -> None:
    """Evidence that somebody took away or broke does not break the loop."""
    (tmp_path / "broken.report.json").write_text("{")
    (tmp_path / "list.report.json").write_text("[]")
    names = ("gone.report.json", "broken.report.json", "list.report.json")
    assert read_reports(tmp_path, names) == ()


def test_what_an_interrupted_measurement_left_is_gone(tmp_path: Path) -> None:
    """An iteration that is measured again starts with an empty folder."""
    folder = fresh_iteration_folder(tmp_path, 3)
    assert folder == tmp_path / "diff" / "03" == iteration_folder(tmp_path, 3)
    (folder / "half.png").write_bytes(b"x")
    assert list(fresh_iteration_folder(tmp_path, 3).iterdir()) == []


def compare(folder: Path, iteration: int, *labels: str) -> None:
    """Measure these labels in that iteration and make compare/ show it."""
    home = fresh_iteration_folder(folder, iteration)
    reports = []
    for label in labels:
        for kind in ("expected", "actual", "diff"):
            (home / f"{label}.{kind}.png").write_text(f"{label} {kind} {iteration}")
        kinds = {kind: f"{label}.{kind}.png" for kind in ("expected", "actual", "diff")}
        reports.append(report(label, **kinds))
    names = write_reports(home, reports)
    write_compare_folder(folder, measured(iteration, *names), reports)


def test_compare_shows_the_latest_iteration_and_nothing_older(tmp_path: Path) -> None:
    """Pictures and reports of the last iteration, those of labels that are gone removed."""
    compare(tmp_path, 0, "a", "b")
    compare(tmp_path, 1, "a")
    files = sorted(
        p.relative_to(tmp_path / "compare").as_posix()
        for p in (tmp_path / "compare").rglob("*")
        if p.is_file()
    )
    assert files == [
        "design/a.png",
        "judgement.json",
        "plan.json",
        "render/a.png",
        "reports/a.report.json",
        "summary.json",
    ]
    assert (tmp_path / "compare/render/a.png").read_text() == "a actual 1"
    shown = json.loads((tmp_path / "compare/reports/a.report.json").read_text())
    for kind, path in shown["artifacts"].items():
        assert (tmp_path / "compare/reports" / path).read_text() == f"a {kind} 1"
    summary = json.loads((tmp_path / "compare/summary.json").read_text())
    assert (summary["iteration"], summary["schema_version"]) == (1, 1)
    assert summary["comparisons"][0]["report"] == "reports/a.report.json"
    plan = json.loads((tmp_path / "compare/plan.json").read_text())
    assert plan["comparisons"][0]["design"] == {"name": "shop"}


def test_proposed_excuses_are_read_as_advice(tmp_path: Path) -> None:
    """Lines that are no proposal are left out, long ones cut, and none of it raises."""
    path = tmp_path / "proposals.jsonl"
    assert read_proposals(path) == ()
    good = {"delta_id": "a/node:1", "reason": "r" * 500, "kind": "known", "status": "pass"}
    lines = [json.dumps(good), "{", "[]", '{"delta_id": 4, "reason": "x"}', "[" * 50_000, "\udc80"]
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
    (found,) = read_proposals(path)
    assert found == {"delta_id": "a/node:1", "reason": "r" * 400, "kind": "known"}
    compare(tmp_path, 0, "a")
    record = json.loads((tmp_path / "compare/judgement.json").read_text())
    assert record["proposed"] == [{**found, "counts": False}]


def test_writing_compare_again_changes_nothing(tmp_path: Path) -> None:
    """Derived twice from the same iteration, every byte is the same and no file is left over."""

    def contents() -> dict[str, bytes]:
        files = (p for p in sorted(tmp_path.rglob("*")) if p.is_file())
        return {p.relative_to(tmp_path).as_posix(): p.read_bytes() for p in files}

    compare(tmp_path, 0, "a")
    before = contents()
    reports = read_reports(tmp_path / "diff/00", ["a.report.json"])
    write_compare_folder(tmp_path, measured(0, "a.report.json"), reports)
    assert contents() == before


def test_a_picture_that_is_gone_is_left_out_and_the_report_stays(tmp_path: Path) -> None:
    """A missing picture costs that picture and nothing else."""
    home = fresh_iteration_folder(tmp_path, 0)
    reports = [report("a", actual="a.actual.png")]
    names = write_reports(home, reports)
    write_compare_folder(tmp_path, measured(0, *names), reports)
    assert (tmp_path / "compare/reports/a.report.json").exists()
    assert not (tmp_path / "compare/render").exists()
