"""The plain gate: pytest without --pixel-loop, as a CI job runs it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from drawn_project import RIGHT, draw

if TYPE_CHECKING:
    from drawn_project import Project

THREE_STEPS = """
from draw import page


def test_card(figma_baseline, render_capture, visual_verdict):
    baseline = figma_baseline("card")
    verdict = visual_verdict(baseline, render_capture(page()))
    assert verdict.passed, verdict.explain()
"""

IMPORTED = """
from pytest_pixelloop import assert_matches_design
from draw import page


def test_card():
    assert_matches_design(page(), "card")
"""

WAYS = {"fixture": None, "three-steps": THREE_STEPS, "imported": IMPORTED}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("wrong", "outcome"), [((), "passed"), (("title",), "failed")])
def test_the_ways_to_ask_give_the_same_verdict(
    project: Project, way: str, wrong: tuple[str, ...], outcome: str
) -> None:
    """Fixture, three steps and imported function pass and fail alike, and leave a record."""
    project.spoil(*wrong)
    if (source := WAYS[way]) is not None:
        project.write("test_card.py", source)
    project.run().assert_outcomes(**{outcome: 1})
    assert project.status == ("fail" if wrong else "pass")


def test_run_directory_of_a_gate_is_complete(project: Project) -> None:
    """A gate run leaves ledger, iteration 0 with its pictures, and the summaries."""
    project.spoil("title")
    project.run()
    (run,) = project.runs
    (folder,) = run.glob("tests/*")
    assert {"run.json", "summary.json", "summary.md"} <= {p.name for p in run.iterdir()}
    assert {"ledger.jsonl", "summary.json", "summary.md"} <= {p.name for p in folder.iterdir()}
    assert sorted(p.name for p in (folder / "diff" / "00").iterdir()) == [
        "card.actual.png",
        "card.diff.png",
        "card.expected.png",
        "card.report.json",
    ]
    assert project.summary()["looping"] is False


@pytest.mark.parametrize("style", ["auto", "short", "long", "native", "line"])
def test_failure_is_told_without_traceback(project: Project, style: str) -> None:
    """A mismatch prints its explanation once, and no line of code, whatever --tb says."""
    project.spoil("title", "price")
    result = project.run(f"--tb={style}")
    text = result.stdout.str()
    if style != "line":
        assert text.count("card: fail (gate pixel") == 1
    result.stdout.fnmatch_lines(["*the page is not the design: fail*"])
    for noise in ("Traceback", "assert_matches_design(", "VisualMismatchError", ".py:3"):
        assert noise not in text, noise


def test_failure_text_as_a_stranger_reads_it(project: Project) -> None:
    """The failure names status, score, the differences with box and colours, and the run."""
    project.spoil("title", "price")
    project.run().stdout.fnmatch_lines(
        [
            "the page is not the design: fail",
            "  card: fail (gate pixel, score *, confidence 0.9062)",
            "    - 288 px differ (#ff00ff, expected #2563eb), at 8,8 24x12",
            "    - 288 px differ (#ff00ff, expected #111827), at 8,32 24x12",
            "  reports and pictures: .pixelloop/runs/*/tests/test_card-*/diff/00",
            "*= pixelloop =*",
            "fail  test_card.py::test_card  score *  .pixelloop/runs/*/summary.md",
            "FAILED test_card.py::test_card - the page is not the design: fail",
        ]
    )


def test_the_worst_five_findings_are_named(project: Project) -> None:
    """Of seven differences five are named, and the others counted."""
    boxes = {f"b{n}": [4 + 40 * n, 4, 6 + n, 10, "#ff00ff"] for n in range(7)}
    dot = [0, 60, 2, 2, "#000000"]
    wrong = {"size": [300, 64], "boxes": {**boxes, "dot": dot}}
    project.write("page.json", json.dumps(wrong))
    project.write("designs/card.png", draw({"size": [300, 64], "boxes": {"dot": dot}}))
    result = project.run()
    shown = [line for line in result.outlines if line.startswith("    - ")]
    named = {line.rpartition(" at ")[2] for line in shown}
    assert named == {f"{4 + 40 * n},4 {6 + n}x10" for n in (6, 5, 4, 3, 2)}
    result.stdout.fnmatch_lines(["    and 2 more: see the report"])


def test_undetermined_is_never_worded_as_a_mismatch(project: Project) -> None:
    """A capture that cannot be read fails as undetermined, in its own words."""
    project.write(
        "test_card.py",
        "def test_card(assert_matches_design):\n    assert_matches_design(b'no png', 'card')\n",
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["nothing can be said about the page: undetermined:image-unreadable"]
    )
    result.stdout.no_fnmatch_line("*is not the design*")
    assert project.status == "undetermined:image-unreadable"


def test_one_comparison_that_cannot_be_made_hides_no_other(project: Project) -> None:
    """With one viewport's picture missing the other is measured, and both are in the record."""
    project.write(
        "designs/designs.yaml",
        "schema_version: 1\n"
        "designs:\n"
        "  card:\n"
        "    gate: pixel\n"
        "    viewports:\n"
        "      desktop: {image: card.png}\n"
        "      mobile: {image: gone.png}\n",
    )
    project.spoil("title")
    result = project.run()
    result.stdout.fnmatch_lines(
        [
            "the page is not the design: fail",
            "  card__desktop: fail*",
            "  card__mobile: undetermined:figma-unreadable",
            "*designs/gone.png*",
        ]
    )
    (folder,) = project.runs[-1].glob("tests/*/diff/00")
    assert {p.name for p in folder.glob("*.report.json")} == {
        "card__desktop.report.json",
        "card__mobile.report.json",
    }
    assert project.summary()["score_history"] == [None]


def test_several_assertions_are_one_measurement(project: Project) -> None:
    """Everything recorded in a run of the test counts, a passing first comparison too."""
    project.spoil("title")
    project.write(
        "test_card.py",
        "from draw import page\n"
        "def test_card(assert_matches_design):\n"
        "    assert_matches_design(page('right'), 'card')\n"
        "    assert_matches_design(page(), 'card')\n",
    )
    project.run().assert_outcomes(failed=1)
    (folder,) = project.runs[-1].glob("tests/*/diff/00")
    statuses = {
        path.name: json.loads(path.read_text("utf-8"))["status"]
        for path in folder.glob("*.report.json")
    }
    assert statuses == {"card.report.json": "pass", "card__2.report.json": "fail"}
    assert project.summary()["residual_delta_ids"] == ["card__2/px:8,8,24,16"]


def test_own_failure_of_the_test_is_no_verdict(project: Project) -> None:
    """A test that matches and then fails by its own assert fails as pytest shows it."""
    project.write(
        "test_card.py",
        "from draw import page\n"
        "def test_card(assert_matches_design):\n"
        "    assert_matches_design(page(), 'card')\n"
        "    assert 1 == 2\n",
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">*assert 1 == 2"])
    assert project.status == "undetermined:test-error"


def test_expected_failure_keeps_its_verdict(project: Project) -> None:
    """An xfail test that does not match is xfailed, and its record says fail."""
    project.spoil("title")
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "@pytest.mark.xfail\n"
        "def test_card(assert_matches_design):\n"
        "    assert_matches_design(page(), 'card')\n",
    )
    project.run().assert_outcomes(xfailed=1)
    assert project.status == "fail"


def test_unused_fixture_leaves_no_record(project: Project) -> None:
    """A test that asks for a fixture and compares nothing opens no run."""
    project.write("test_card.py", "def test_card(assert_matches_design):\n    pass\n")
    project.run().assert_outcomes(passed=1)
    assert not (project.path / ".pixelloop").exists()


def test_verdict_in_a_fixture_of_the_user_counts(project: Project) -> None:
    """A comparison in the setup of a user's fixture is the test's comparison."""
    project.spoil("title")
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "@pytest.fixture\n"
        "def card(assert_matches_design):\n"
        "    assert_matches_design(page(), 'card')\n"
        "def test_card(card):\n    pass\n",
    )
    result = project.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the page is not the design: fail*"])
    assert project.status == "fail"


def test_comparison_after_the_test_is_refused(project: Project) -> None:
    """A comparison in a teardown comes too late for the verdict and says so."""
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "@pytest.fixture\n"
        "def late(assert_matches_design):\n"
        "    yield\n"
        "    assert_matches_design(page(), 'card')\n"
        "def test_card(late, assert_matches_design):\n"
        "    assert_matches_design(page(), 'card')\n",
    )
    result = project.run()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*asked for after the test had ended*"])


def test_exit_leaves_an_ended_ledger(project: Project) -> None:
    """pytest.exit() after a comparison ends the record as interrupted."""
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "def test_card(assert_matches_design):\n"
        "    assert_matches_design(page(), 'card')\n"
        "    pytest.exit('enough')\n",
    )
    project.run()
    (path,) = project.runs[-1].glob("tests/*/ledger.jsonl")
    last = json.loads(path.read_text("utf-8").splitlines()[-1])
    assert (last["kind"], last["status"]) == ("ended", "undetermined:interrupted")
    assert last["reason"] == "Exit: enough"


def test_conditional_fails_or_passes_as_told(project: Project) -> None:
    """A conditional verdict fails, and passes with a warning when the ini file says so."""
    project.write(
        "test_card.py",
        "from draw import page\n"
        "def test_card(assert_matches_design):\n"
        "    assert_matches_design(page(), 'card', tolerance={'region_fail': 1})\n",
    )
    x, y, w, h, colour = RIGHT["boxes"]["title"]
    framed = {"frame": [x, y, w, h, "#ff00ff"], "inner": [x + 1, y + 1, w - 2, h - 2, colour]}
    project.write("page.json", json.dumps({"boxes": {**RIGHT["boxes"], **framed}}))
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["the page is not the design: conditional"])
    result = project.run("-o", "pixelloop_conditional=pass")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*test_card.py:3: PytestWarning: the page*conditional*"])
    assert project.status == "conditional"


def test_ledger_fixture_reads_the_run(project: Project) -> None:
    """pixelloop_ledger gives the run's id, path, tests and histories to other tests."""
    project.write(
        "test_later.py",
        "def test_later(pixelloop_ledger):\n"
        "    assert pixelloop_ledger.path.name == pixelloop_ledger.run_id == 'nightly'\n"
        "    assert pixelloop_ledger.tests == ('test_card.py::test_card',)\n"
        "    (history,) = pixelloop_ledger.histories.values()\n"
        "    assert history.last.status == 'pass'\n",
    )
    project.run("--run-id=nightly").assert_outcomes(passed=2)


def test_header_tells_gate_and_folders(project: Project) -> None:
    """The header says what is done and where designs and runs are; a plain suite has none."""
    project.run().stdout.fnmatch_lines(
        ["pixelloop: gate, designs in designs/, runs in .pixelloop/"]
    )
    project.run("--pixelloop-designs=nowhere").stdout.no_fnmatch_line("pixelloop:*")


def test_matching_tests_are_counted_when_many(project: Project) -> None:
    """The summary names every test that does not match, and counts the others past twenty."""
    project.spoil("title")
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "@pytest.mark.parametrize('number', range(22))\n"
        "def test_card(assert_matches_design, number):\n"
        "    assert_matches_design(page('page' if number == 7 else 'right'), 'card')\n",
    )
    result = project.run("--tb=no")
    result.assert_outcomes(passed=21, failed=1)
    result.stdout.fnmatch_lines(
        ["fail  test_card.py::test_card?7?  *", "and 21 tests that match their design"]
    )
