"""Tests some of whose comparisons have no design side, under the plain gate and in a loop."""

from __future__ import annotations

import json
import sys
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


def test_the_plan_tells_what_each_comparison_needs(project: Project) -> None:
    """plan.json has viewport, files and gate of every label, also of what could not be made."""
    project.write("designs/designs.yaml", MIXED)
    project.run()
    (path,) = project.runs[-1].glob("tests/*/compare/plan.json")
    plan = json.loads(path.read_text("utf-8"))
    desktop, mobile = plan["comparisons"]
    assert (desktop["label"], desktop["name"], desktop["gate"]) == (
        "card__desktop",
        "card",
        "pixel",
    )
    assert (desktop["comparable"], desktop["reason"]) == (True, None)
    assert desktop["image"] == "designs/card.png"
    assert desktop["viewport"] == {
        "name": "desktop",
        "width": 96,
        "height": 64,
        "device_scale_factor": 1,
        "touch": False,
        "mobile": False,
    }
    assert desktop["design"]["name"] == "card"
    assert (mobile["label"], mobile["node"]) == ("1-3__mobile", "1:3")
    assert (mobile["comparable"], mobile["reason"]) == (False, "not-exported")
    assert mobile["image"] == "designs/card/1-3__mobile.png"
    assert mobile["next"] == "pixelloop pull card"
    assert (mobile["viewport"]["touch"], mobile["viewport"]["name"]) == (True, "mobile")


def test_a_held_out_label_without_design_stays_held_out(project: Project) -> None:
    """What nobody may see while fixing is not seen because its design is missing."""
    project.write("designs/designs.yaml", MIXED + "    hold_out: true\n")
    project.run()
    (path,) = project.runs[-1].glob("tests/*/compare/plan.json")
    plan = json.loads(path.read_text("utf-8"))
    assert [item["hold_out"] for item in plan["comparisons"]] == [True, True]


SECTION = {
    "id": "9:1",
    "name": "Flow",
    "type": "SECTION",
    "absoluteBoundingBox": {"x": 0, "y": 0, "width": 300, "height": 64},
    "children": [
        {
            "id": f"1:{number}",
            "name": name,
            "type": "FRAME",
            "absoluteBoundingBox": {"x": 100 * number, "y": 0, "width": 96, "height": 64},
        }
        for number, name in enumerate(("Card", "Frame 7", "Done"))
    ],
}


def write_section(project: Project, *labels: str) -> None:
    """Make the design a section of which the frames *labels* are on disk."""
    picture = (project.path / "designs/card.png").read_bytes()
    manifest = 'schema_version: 1\ndesigns:\n  card: {node: "9:1", gate: pixel}\n'
    project.write("designs/designs.yaml", manifest)
    project.write("designs/card/9-1.nodes.json", json.dumps({"document": SECTION}))
    for label in labels:
        project.write(f"designs/card/{label}.png", picture)


def test_a_test_chooses_a_frame_of_a_section(project: Project) -> None:
    """One frame by its name is one comparison, under its node id."""
    write_section(project, "1-0")
    test = (project.path / "test_card.py").read_text("utf-8").replace('"card"', '"card/Card"')
    project.write("test_card.py", test)
    project.run().assert_outcomes(passed=1)
    assert statuses(project) == {"1-0": "pass"}


def test_a_whole_section_is_every_frame_with_its_own_reason(project: Project) -> None:
    """What is there passes; the frame without a name and the one not on disk are gathered."""
    write_section(project, "1-0", "1-1")
    result = project.run()
    result.assert_outcomes(failed=1)
    assert project.status == "undetermined:design-side"
    assert statuses(project) == {
        "1-0": "pass",
        "1-1": "undetermined:unnamed-frame",
        "1-2": "undetermined:not-exported",
    }
    result.stdout.fnmatch_lines(["*1-1: undetermined:unnamed-frame*", "*name it in Figma*"])


def test_a_fixer_cannot_take_a_frame_out_of_a_section(project: Project) -> None:
    """The tree and the pictures of a section's frames are goalposts of a loop."""
    write_section(project, "1-0", "1-1", "1-2")
    project.spoil("title", "photo")
    fixer = "import pathlib; p = pathlib.Path('designs/card/1-2.png'); p.unlink()"
    project.write("remove.py", fixer)
    project.run("--pixel-loop", "--fix-command", f"{sys.executable} remove.py")
    assert project.status == "undetermined:goalposts-moved"
