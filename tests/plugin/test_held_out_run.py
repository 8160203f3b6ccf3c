"""Held-out designs in a run of pytest: nothing of them is told before the loop has ended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drawn_project import Project

MANIFEST = """\
schema_version: 1
designs:
  card: {image: card.png, gate: pixel}
  secret: {image: card.png, gate: pixel, hold_out: true}
  covert: {image: card.png, gate: pixel, hold_out: true}
"""
ASSERTED = """
from draw import page

def test_card(assert_matches_design):
    seen = []
    for name, design in [("hidden", "secret"), ("hidden", "covert"), ("page", "card")]:
        try:
            assert_matches_design(page(name), design)
        except AssertionError as error:
            seen.append(error)
    if seen:
        raise ExceptionGroup("all of them", seen)
"""
IN_STEPS = """
from draw import page

def test_card(figma_baseline, render_capture, visual_verdict):
    told = []
    for name, design in [("hidden", "secret"), ("hidden", "covert"), ("page", "card")]:
        baseline = figma_baseline(design)
        told.append(visual_verdict(baseline, render_capture(page(name), baseline=baseline)))
    print([(v.delta_ids, v.score) for v in told])
    assert all(v.passed for v in told), "\\n".join(v.explain() for v in told)
"""


def hold_out(project: Project, test: str) -> None:
    """Give the project two held-out designs, whose page is wrong elsewhere than the shown one."""
    project.write("designs/designs.yaml", MANIFEST)
    project.write("test_card.py", test)
    hidden = json.loads((project.path / "right.json").read_text("utf-8"))
    hidden["boxes"]["button"][4] = "#00ffff"
    project.write("hidden.json", json.dumps(hidden))
    project.spoil("title")


def told_of_them(project: Project, *texts: str) -> list[str]:
    """Return what of the held-out measurement stands in files of the run or in *texts*."""
    files = [p for p in (project.path / ".pixelloop").rglob("*") if p.is_file()]
    whole = "".join(p.read_bytes().decode("utf-8", "replace") for p in files) + "".join(texts)
    names = [p.name for p in files]
    words = ["px:40,32", "40,32", "secret/", "covert/", "secret: fail", "covert: fail"]
    return [w for w in words if w in whole] + [n for n in names if n.startswith(("secret", "cove"))]


def test_two_held_out_designs_stay_sealed_between_processes(project: Project) -> None:
    """One process an iteration: terminal and run folder tell of them only when the loop ends."""
    hold_out(project, ASSERTED)
    words = ("--run-id", "X", "--iterations-per-run", "1", "-rA", "--iteration-cap", "2")
    for _ in range(2):
        result = project.loop("repair", *words)
        result.assert_outcomes(failed=1)
        output = result.stdout.str()
        assert "1 held-out comparison: measured, and sealed until the loop ends" in output
        assert told_of_them(project, output) == []
    result = project.loop("churn", *words)
    result.stdout.fnmatch_lines(["*held out: secret: fail, score *", "*held out: covert: fail, *"])
    assert project.status == "not-converged:cap-exhausted"
    assert set(told_of_them(project)) >= {"secret/", "secret.report.json", "covert.diff.png"}


def test_a_verdict_in_a_test_tells_nothing_of_them_either(project: Project) -> None:
    """What visual_verdict gives in a loop knows that a held-out design fails, and not where."""
    hold_out(project, IN_STEPS)
    words = ("--run-id", "X", "--iterations-per-run", "1", "-rA")
    result = project.loop("repair", *words)
    result.assert_outcomes(failed=1)
    assert told_of_them(project, result.stdout.str()) == []
    result.stdout.fnmatch_lines(["*((), None), ((), None), (('card/px:*"])


def test_a_page_that_matches_them_too_converges(project: Project) -> None:
    """Held-out designs that pass are told as such at the end, and the run is green."""
    hold_out(project, ASSERTED)
    project.write("hidden.json", (project.path / "right.json").read_text("utf-8"))
    result = project.loop("repair")
    assert result.ret == 0
    held = project.summary()["held_out"]
    assert [(c["label"], c["status"]) for c in held["comparisons"]] == [
        ("secret", "pass"),
        ("covert", "pass"),
    ]
