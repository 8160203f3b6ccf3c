"""Tests some of whose comparisons have no design side, under the plain gate and in a loop."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drawn_project import Project

LINK = "https://www.figma.com/design/AbCdEfGhIjKlMnOpQrStUv/Shop?node-id=1-3"
MIXED = f"""\
schema_version: 1
designs:
  card:
    gate: pixel
    viewports:
      desktop: {{image: card.png}}
      mobile: {{figma: "{LINK}"}}
"""


def statuses(project: Project) -> dict[str, str]:
    """Return each label's own status in the last iteration."""
    (compare,) = project.runs[-1].glob("tests/*/compare")
    found = sorted(compare.glob("reports/*.report.json"))
    reports = [json.loads(path.read_text("utf-8")) for path in found]
    return {report["label"]: report["status"] for report in reports}


def test_the_gate_gathers_and_says_what_to_type(project: Project) -> None:
    """What can be compared passes, the rest is design-side, with the command for each label."""
    project.write("designs/designs.yaml", MIXED)
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "nothing can be said about the page: undetermined:design-side",
            "  1-3__mobile: undetermined:not-exported",
            "*next: pixelloop pull card",
        ]
    )
    result.stdout.no_fnmatch_line("*is not the design*")
    assert statuses(project) == {
        "1-3__mobile": "undetermined:not-exported",
        "card__desktop": "pass",
    }
    summary = project.summary()
    assert (summary["status"], summary["rule"]) == ("undetermined:design-side", "design-side")
    assert "1-3__mobile (not-exported)" in summary["reason"]


def test_no_fix_is_run_for_a_missing_design_side(project: Project) -> None:
    """A loop whose comparable labels pass ends at once, without any fix."""
    project.write("designs/designs.yaml", MIXED)
    project.loop("repair").assert_outcomes(failed=1)
    assert project.status == "undetermined:design-side"
    assert project.summary()["iterations"] == 0


def test_a_loop_repairs_what_is_comparable_first(project: Project) -> None:
    """A failing label is fixed in spite of the missing one; then the loop ends as design-side."""
    project.write("designs/designs.yaml", MIXED)
    project.spoil("title", "photo", "price")
    project.loop("repair").assert_outcomes(failed=1)
    summary = project.summary()
    assert (summary["status"], summary["iterations"]) == ("undetermined:design-side", 3)
    assert None not in summary["score_history"]
    assert summary["score_history"][-1] == 0


def test_an_unreadable_design_is_no_missing_one(project: Project) -> None:
    """A named picture that is not there stays figma-unreadable, which ends first."""
    project.write("designs/designs.yaml", MIXED + "      tablet: {image: gone.png}\n")
    project.run().assert_outcomes(failed=1)
    assert project.status == "undetermined:figma-unreadable"
