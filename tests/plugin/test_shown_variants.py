"""Viewports, themes and screenshot options under pytest: which one holds, and wrong words."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from drawn_project import RIGHT, draw

if TYPE_CHECKING:
    from drawn_project import Project

VARIANTS = """\
schema_version: 1
designs:
  card:
    gate: pixel
    viewports:
      desktop: {image: card.png}
      mobile: {image: card.png}
"""
BARE = """\
schema_version: 1
designs:
  card: {image: card.png, gate: pixel}
"""


def reports(project: Project) -> dict[str, dict[str, Any]]:
    """Return the reports of the last run's only test by label."""
    found = sorted(project.runs[-1].glob("tests/*/diff/*/*.report.json"))
    records = [json.loads(path.read_text("utf-8")) for path in found]
    return {str(record["label"]): record for record in records}


def assertion(project: Project, call: str, mark: str = "") -> None:
    """Write the project's test with a marker and the keywords of its call."""
    project.write(
        "test_card.py",
        f"import pytest\nfrom draw import page\n\n{mark}\n"
        f"def test_card(assert_matches_design):\n"
        f"    assert_matches_design(page(), 'card'{call})\n",
    )


LAYERS = [
    # call, marker, command line, ini: what is compared, with a design that names two viewports
    ("mobile", "desktop", "desktop", "desktop", ["card__mobile"]),
    ("", "mobile", "desktop", "desktop", ["card__mobile"]),
    ("", "", "mobile", "desktop", ["card__mobile"]),
    ("", "", "", "mobile", ["card__desktop", "card__mobile"]),
    ("mobile,desktop", "", "", "", ["card__desktop", "card__mobile"]),
]


@pytest.mark.parametrize("layers", LAYERS)
def test_the_closest_word_chooses_the_viewports(
    project: Project, layers: tuple[str, str, str, str, list[str]]
) -> None:
    """Call > marker > command line > manifest > ini."""
    call, marker, flag, ini, labels = layers
    project.write("designs/designs.yaml", VARIANTS)
    mark = f"@pytest.mark.design(viewport={marker!r})" if marker else ""
    assertion(project, f", viewport={call!r}" if call else "", mark)
    if ini:
        project.pytester.makeini(f"[pytest]\npixelloop_viewport = {ini}\n")
    result = project.run(*([f"--viewport={flag}"] if flag else []))
    result.assert_outcomes(passed=1)
    assert sorted(reports(project)) == labels


def test_the_ini_files_viewports_are_for_designs_that_name_none(project: Project) -> None:
    """A bare frame is compared at the ini file's viewport, under its label."""
    project.write("designs/designs.yaml", BARE)
    project.pytester.makeini("[pytest]\npixelloop_viewport = 96x64\n")
    project.run().assert_outcomes(passed=1)
    assert list(reports(project)) == ["card__96x64"]


def test_what_a_design_has_not_hides_nothing_and_is_never_green(project: Project) -> None:
    """The comparison that can be made is made; the other is undetermined under its own label."""
    project.write("designs/designs.yaml", VARIANTS)
    result = project.run("--viewport=desktop,tablet,mobile", "--theme=dark")
    result.assert_outcomes(failed=1)
    assert {r["status"] for r in reports(project).values()} == {"undetermined:unthemable"}
    assert project.status == "undetermined:design-side"
    result = project.run("--viewport=desktop,tablet,mobile")
    result.assert_outcomes(failed=1)
    found = {label: r["status"] for label, r in reports(project).items()}
    assert found == {
        "card__desktop": "pass",
        "card__tablet": "undetermined:figma-unreadable",
        "card__mobile": "pass",
    }
    result.stdout.fnmatch_lines(
        ["*card__tablet: undetermined*", '*no design for "card" at viewport "tablet"*']
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_capture_that_fails_hides_no_other(project: Project) -> None:
    """Each viewport of one page has its report on disk; the failed capture is named in its own."""
    views = ("desktop", "tablet", "mobile")
    images = "".join(f"      {view}: {{image: card.png}}\n" for view in views)
    head = VARIANTS.partition("      desktop")[0]
    project.write("designs/designs.yaml", head + images)
    project.write(
        "render.py",
        "import os, pathlib, draw\n"
        "here = pathlib.Path(os.environ['PIXELLOOP_CAPTURE_DIR'])\n"
        "for label in os.environ['PIXELLOOP_LABELS'].split():\n"
        "    if 'tablet' not in label:\n"
        "        (here / f'{label}.png').write_bytes(draw.page())\n",
    )
    project.write(
        "test_card.py",
        "def test_card(assert_matches_design):\n    assert_matches_design(None, 'card')\n",
    )
    result = project.run("--capture-command", f"{sys.executable} render.py")
    result.assert_outcomes(failed=1)
    assert {label: r["status"] for label, r in reports(project).items()} == {
        "card__desktop": "pass",
        "card__tablet": "undetermined:capture-failed",
        "card__mobile": "pass",
    }
    (folder,) = project.runs[-1].glob("tests/*/diff/00")
    assert {path.name for path in folder.glob("*.actual.png")} == {
        "card__desktop.actual.png",
        "card__mobile.actual.png",
    }
    result.stdout.fnmatch_lines(["*card__tablet: the capture command wrote no picture*"])


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--viewport=desktop,"], "*--viewport*"),
        (["--viewport=0x10"], "*--viewport*"),
        (["--theme=,"], "*--theme*"),
    ],
)
def test_a_wrong_option_is_a_usage_error(project: Project, flags: list[str], words: str) -> None:
    """What is no list of names or sizes ends the session before any test runs."""
    result = project.run(*flags)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([words])


WRONG = {
    "word": ("ful_page=True", "unknown keyword 'ful_page'*did you mean full_page*"),
    "mask": ("mask=[(60, 200)]", "(60, 200) is no mask*a CSS selector*"),
    "mask-text": ("mask='60,200'", "*is no mask*"),
    "clip": ("clip=(0, 0, 0, 4)", "*is no clip*"),
    "timeout": ("timeout=5", "*milliseconds*write 5000*"),
    "animations": ("animations='off'", "*one of disabled, allow*"),
    "mask-color": ("mask_color='nothing'", "*is no colour*"),
    "hide": ("hide=3", "*CSS selector*"),
    "style": ("style=['a']", "*is no CSS text*"),
    "scale": ("scale=2", "*one of device, css*"),
    "level": ("regions={'.a': 'loose'}", "unknown matching level 'loose'*strict, layout*"),
    "regions": ("regions=['.a']", "*is no mapping of regions*"),
    "viewport": ("viewport='moble'", "unknown viewport 'moble'*did you mean mobile*"),
    "theme": ("theme='drak'", "unknown theme 'drak'*did you mean dark*"),
    "node": ("regions={'node=Nope': 'strict'}", "*no visible node 'Nope'*"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_keyword_is_told_in_words(project: Project, case: str) -> None:
    """A wrong word or value in a call is a configuration error: what, where, what is right."""
    keyword, words = WRONG[case]
    assertion(project, f", {keyword}")
    result = project.run()
    result.assert_outcomes(failed=1)
    assert project.status == "undetermined:configuration"
    parts = words.split("*")
    text = result.stdout.str().replace("\n", " ")
    at = 0
    for part in parts:
        at = text.find(part, at)
        assert at >= 0, (part, text)
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize("case", [c for c in WRONG if c not in ("viewport", "theme", "node")])
def test_a_wrong_marker_is_a_usage_error(project: Project, case: str) -> None:
    """The same words in a marker are refused before any test runs, with the test's name."""
    assertion(project, "", f"@pytest.mark.design({WRONG[case][0]})")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*@pytest.mark.design of test_card.py::test_card*"])


def test_masks_of_all_places_add_up_and_are_painted(project: Project) -> None:
    """Manifest, marker and call mask together, on both pictures, in the colour asked for."""
    import io

    import numpy as np
    from PIL import Image

    project.write("designs/designs.yaml", BARE.replace("pixel}", 'pixel, mask: ["8,8,24,12"]}'))
    project.spoil("title", "photo", "price")
    assertion(
        project,
        ", mask=(40, 8, 24, 12), mask_color='#00ff00'",
        "@pytest.mark.design(mask=['8,32,24,12'])",
    )
    project.run().assert_outcomes(passed=1)
    (record,) = reports(project).values()
    masks = [[8, 8, 24, 12], [8, 32, 24, 12], [40, 8, 24, 12]]
    assert record["screenshot"]["masks"] == masks
    assert record["screenshot"]["masked_share"] == round(3 * 24 * 12 / (96 * 64), 4)
    for name in ("expected", "actual"):
        (path,) = project.runs[-1].glob(f"tests/*/diff/*/card.{name}.png")
        picture = np.array(Image.open(io.BytesIO(path.read_bytes())).convert("RGB"))
        for x, y, w, h in masks:
            assert (picture[y : y + h, x : x + w] == [0, 255, 0]).all()


def test_large_masks_are_said(project: Project) -> None:
    """More than a quarter of the picture masked is a warning in the report."""
    assertion(project, ", mask=[(0, 0, 96, 20)]")
    project.run().assert_outcomes(passed=1)
    (record,) = reports(project).values()
    assert record["warnings"] == ["the masks cover 31% of the picture: that part is not judged"]


def test_a_clip_cuts_both_sides(project: Project) -> None:
    """Only the clip is compared: what differs outside of it does not count."""
    project.spoil("price", "button")
    assertion(project, ", clip={'x': 0, 'y': 0, 'width': 96, 'height': 30}")
    project.run().assert_outcomes(passed=1)
    (record,) = reports(project).values()
    assert record["size"] == {"expected": [96, 30], "actual": [96, 30]}
    assertion(project, ", clip=(0, 20, 96, 30)")
    project.run().assert_outcomes(failed=1)
    assertion(project, ", clip=(50, 50, 96, 30)")
    project.run().assert_outcomes(failed=1)
    assert project.status == "undetermined:configuration"


def test_a_clip_may_be_where_the_design_lies(project: Project) -> None:
    """A design as large as the clip is what the clip shows, wherever that is on the page."""
    project.write("designs/card.png", draw({**RIGHT, "size": [96, 64]}))
    wide = {**RIGHT, "size": [200, 100]}
    boxes = {k: [b[0] + 50, b[1] + 30, *b[2:]] for k, b in RIGHT["boxes"].items()}
    project.write("page.json", json.dumps({**wide, "boxes": boxes}))
    assertion(project, ", clip=(50, 30, 96, 64)")
    project.run().assert_outcomes(passed=1)


def test_an_ignored_region_is_a_mask(project: Project) -> None:
    """Level ignore covers both sides, as a mask does; other levels need a node tree."""
    project.spoil("title")
    assertion(project, ", regions={(8, 8, 24, 12): 'ignore'}")
    project.run().assert_outcomes(passed=1)
    assertion(project, ", regions={'8,8,24,12': 'layout'}")
    project.run().assert_outcomes(failed=1)
    assert project.status == "undetermined:configuration"


@pytest.mark.parametrize(
    "keyword",
    [
        "clip=(0, 0, 90 + note, 60)",
        "hide='.a' * (note + 1)",
        "style='a{}' + ' ' * note",
        "regions={(0, 0, 5 + note, 5): 'ignore'}",
        "omit_background=note > 0",
    ],
)
def test_what_changes_the_judging_is_a_goalpost(project: Project, keyword: str) -> None:
    """Options that a fix can edit by way of a file end the loop as goalposts-moved."""
    project.spoil("title", "photo")
    project.write(
        "test_card.py",
        "import json, pathlib\nfrom draw import page\n\n\n"
        "def test_card(assert_matches_design):\n"
        "    path = pathlib.Path(__file__).parent / 'page.json'\n"
        "    note = json.loads(path.read_text()).get('note', 0)\n"
        f"    assert_matches_design(page(), 'card', {keyword})\n",
    )
    project.loop("churn").assert_outcomes(failed=1)
    assert project.status == "undetermined:goalposts-moved"


def test_a_timeout_is_no_goalpost(project: Project) -> None:
    """How long is waited changes nothing of what is judged."""
    project.spoil("title")
    project.write(
        "test_card.py",
        "import json, pathlib\nfrom draw import page\n\n\n"
        "def test_card(assert_matches_design):\n"
        "    path = pathlib.Path(__file__).parent / 'page.json'\n"
        "    note = json.loads(path.read_text()).get('note', 0)\n"
        "    assert_matches_design(page(), 'card', timeout=1000 + note)\n",
    )
    project.loop("churn", "--iteration-cap=2").assert_outcomes(failed=1)
    assert project.status != "undetermined:goalposts-moved"
