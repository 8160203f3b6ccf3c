"""Judgements through pytest: what is excused stops counting, and stays to be seen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drawn_project import Project

HEAD = "schema_version: 1\njudgements:\n"


def _report(project: Project) -> dict[str, Any]:
    (path,) = project.runs[-1].glob("tests/*/diff/00/card.report.json")
    record = json.loads(path.read_text("utf-8"))
    assert isinstance(record, dict)
    return record


def _delta_id(project: Project) -> str:
    """Return the identity of the one finding on a page with a wrong title."""
    project.spoil("title")
    project.run().assert_outcomes(failed=1)
    (found,) = [f for f in _report(project)["findings"] if f["gating"]]
    return str(found["delta_id"])


def test_an_excused_finding_passes_and_is_reported(project: Project) -> None:
    """The test passes with score 0; report, ledger and compare/judgement.json name the excuse."""
    delta_id = _delta_id(project)
    project.write(
        "designs/judgements.yaml", f"{HEAD}  {delta_id!r}: {{kind: known, reason: spring}}\n"
    )
    project.run().assert_outcomes(passed=1)
    assert project.status == "pass"
    assert project.summary()["excused"] == [delta_id]
    report = _report(project)
    assert report["score"] == 0
    assert [f["state"] for f in report["findings"] if f["gating"]] == ["excused"]
    assert [e["reason"] for e in report["judgements"]["applied"]] == ["spring"]
    (path,) = project.runs[-1].glob("tests/*/compare/judgement.json")
    assert [row["delta_id"] for row in json.loads(path.read_text())["excused"]] == [delta_id]


def test_what_is_not_excused_still_fails(project: Project) -> None:
    """A second difference beside the excused one fails the test, by itself."""
    delta_id = _delta_id(project)
    project.write("designs/judgements.yaml", f"{HEAD}  {delta_id!r}: {{kind: known, reason: x}}\n")
    project.spoil("title", "button")
    project.run().assert_outcomes(failed=1)
    assert delta_id not in project.summary()["residual_delta_ids"]


def test_an_expired_entry_excuses_nothing_and_is_said(project: Project) -> None:
    """The test fails, and a warning in the report names the entry's line."""
    delta_id = _delta_id(project)
    entry = "{kind: known, reason: x, expires: 2020-01-01}"
    project.write("designs/judgements.yaml", f"{HEAD}  {delta_id!r}: {entry}\n")
    project.run().assert_outcomes(failed=1)
    assert any("expired" in w and "judgements.yaml:3" in w for w in _report(project)["warnings"])


def test_a_file_with_a_mistake_is_an_error_of_the_test(project: Project) -> None:
    """Nothing is compared by judgements that cannot be read."""
    project.write("designs/judgements.yaml", HEAD + "  a/node:1: {kind: known}\n")
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*has no reason*", "*judgements.yaml:3*"])


def test_a_loop_converges_on_what_is_left(project: Project) -> None:
    """An excused finding is not looped on, and the rest is repaired."""
    delta_id = _delta_id(project)
    project.write("designs/judgements.yaml", f"{HEAD}  {delta_id!r}: {{kind: known, reason: x}}\n")
    project.spoil("title", "button")
    right = json.loads((project.path / "right.json").read_text())
    page = json.loads((project.path / "page.json").read_text())
    page["boxes"]["button"] = right["boxes"]["button"]
    project.write(
        "fixer.py",
        "import pathlib\n"
        f"(pathlib.Path(__file__).parent / 'page.json').write_text({json.dumps(page)!r})\n",
    )
    project.loop("x").assert_outcomes(passed=1)
    assert project.status == "converged"
