"""Recorded snapshots: what is written, when it is, and what never passes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from drawn_project import RIGHT, draw

if TYPE_CHECKING:
    from pathlib import Path

    from drawn_project import Project

TEST = """
from draw import page


def test_card(assert_matches_design):
    assert_matches_design(page(), snapshot="card"{words})
"""


@pytest.fixture
def snapped(project: Project) -> Project:
    """Give a project whose test holds the page against the snapshot ``card``."""
    project.write("test_card.py", TEST.format(words=""))
    return project


def _place(project: Project) -> Path:
    return project.path / "__screenshots__" / "test_card.py" / "card.png"


def _record(project: Project) -> bytes:
    project.run()
    return _place(project).read_bytes()


def _report(project: Project) -> dict[str, Any]:
    (path,) = project.runs[-1].glob("tests/*/diff/00/card.report.json")
    record = json.loads(path.read_text("utf-8"))
    assert isinstance(record, dict)
    return record


def test_a_missing_snapshot_is_recorded_and_does_not_pass(snapped: Project) -> None:
    """The first run records the picture and fails as undetermined; the second compares it."""
    result = snapped.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*it is recorded now, and nothing was compared*"])
    assert snapped.status == "undetermined:missing-baseline"
    assert _place(snapped).is_file()
    snapped.run().assert_outcomes(passed=1)
    assert snapped.status == "pass"
    snapped.spoil("title")
    snapped.run().assert_outcomes(failed=1)
    assert snapped.status == "fail"


def test_artefacts_have_playwrights_names(snapped: Project) -> None:
    """A mismatch leaves -expected, -actual and -diff."""
    _record(snapped)
    snapped.spoil("title")
    snapped.run()
    (folder,) = snapped.runs[-1].glob("tests/*/diff/00")
    names = sorted(p.name for p in folder.glob("*.png"))
    assert names == ["card-actual.png", "card-diff.png", "card-expected.png"]
    assert _report(snapped)["gate"] == "snapshot"


@pytest.mark.parametrize("how", ["none", "ci"])
def test_nothing_is_recorded_where_nobody_asks(
    snapped: Project, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --pixelloop-update=none, and under CI, a missing snapshot is refused."""
    if how == "ci":
        monkeypatch.setenv("CI", "true")
    result = snapped.run(*(["--pixelloop-update=none"] if how == "none" else []))
    result.assert_outcomes(failed=1)
    assert not _place(snapped).exists()
    assert snapped.status == "undetermined:missing-baseline"
    result.stdout.fnmatch_lines(["*pytest --pixelloop-update=missing*"])


def test_ci_records_what_is_asked_for_by_name(
    snapped: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under CI the option still holds."""
    monkeypatch.setenv("CI", "true")
    snapped.run("--pixelloop-update=missing").assert_outcomes(failed=1)
    assert _place(snapped).is_file()


@pytest.mark.parametrize(
    ("update", "written"), [("missing", False), ("changed", True), ("all", True)]
)
def test_a_changed_snapshot_is_replaced_only_when_asked(
    snapped: Project, update: str, *, written: bool
) -> None:
    """``changed`` and ``all`` replace it, keep the old one as -previous, and say so."""
    before = _record(snapped)
    snapped.spoil("title")
    result = snapped.run(f"--pixelloop-update={update}")
    result.assert_outcomes(passed=int(written), failed=int(not written), warnings=int(written))
    assert (_place(snapped).read_bytes() != before) is written
    if written:
        result.stdout.fnmatch_lines(["*card.png is replaced*288 px differed*"])
        assert set(_report(snapped)["artifacts"]) == {"expected", "actual", "previous"}
    snapped.run().assert_outcomes(passed=int(written), failed=int(not written))


def test_equal_pictures_are_not_written_again(snapped: Project) -> None:
    """``all`` leaves a snapshot alone whose pixels are those of the page."""
    _record(snapped)
    stamp = _place(snapped).stat().st_mtime_ns
    snapped.run("--pixelloop-update=all").assert_outcomes(passed=1)
    assert _place(snapped).stat().st_mtime_ns == stamp


def test_a_test_that_fails_otherwise_writes_nothing(snapped: Project) -> None:
    """A picture of a page that the test itself found wrong must not become what is right."""
    before = _record(snapped)
    source = TEST.format(words="") + "    assert page() == b'', 'something else'\n"
    snapped.write("test_card.py", source)
    snapped.spoil("title")
    snapped.run("--pixelloop-update=all").assert_outcomes(failed=1, warnings=1)
    assert _place(snapped).read_bytes() == before


def test_a_loop_writes_and_loops_on_nothing(snapped: Project) -> None:
    """In loop mode a missing snapshot ends at once, unrecorded, whatever was asked."""
    result = snapped.loop("repair", "--pixelloop-update=all")
    result.assert_outcomes(failed=1)
    assert not _place(snapped).exists()
    assert snapped.status == "undetermined:missing-baseline"
    assert snapped.summary()["iterations"] == 0


def test_a_loop_repairs_towards_a_snapshot(snapped: Project) -> None:
    """A recorded snapshot is a goal like any other."""
    _record(snapped)
    snapped.spoil("title", "price")
    snapped.loop("repair").assert_outcomes(passed=1)
    assert snapped.status == "converged"


def test_a_fixer_that_edits_the_snapshot_moves_the_goalposts(snapped: Project) -> None:
    """Replacing the recorded picture is no repair."""
    _record(snapped)
    snapped.spoil("title")
    snapped.write("wrong.png", draw({**RIGHT, "background": "#eeeeee"}))
    snapped.write(
        "fixer.py",
        "import pathlib, shutil\nhere = pathlib.Path(__file__).parent\n"
        "shutil.copy(here / 'wrong.png', here / '__screenshots__/test_card.py/card.png')\n",
    )
    snapped.loop("x").assert_outcomes(failed=1)
    assert snapped.status == "undetermined:goalposts-moved"


@pytest.mark.parametrize(
    ("words", "passes"),
    [
        ("", False),
        (", max_diff_pixels=288", True),
        (", max_diff_pixels=287", False),
        (", max_diff_pixel_ratio=0.05", True),
        (", max_diff_pixel_ratio=0.01", False),
        (", max_diff_pixels=1000, max_diff_pixel_ratio=0.01", False),
        (", threshold=1", True),
    ],
)
def test_playwrights_words_are_keywords(snapped: Project, words: str, *, passes: bool) -> None:
    """max_diff_pixels, max_diff_pixel_ratio and threshold mean what they mean there."""
    _record(snapped)
    snapped.spoil("title")
    snapped.write("test_card.py", TEST.format(words=words))
    snapped.run().assert_outcomes(passed=int(passes), failed=int(not passes))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (', name="card"', "snapshot= and name= do not go together"),
        (', viewport="mobile"', "snapshot= and viewport= do not go together"),
        (", max_diff_pixels=-1", "not a number of 0 or more"),
        (", max_diff_pixel_ratio=2", "above 1"),
    ],
)
def test_wrong_words_are_errors(snapped: Project, words: str, told: str) -> None:
    """What does not go together is refused, never compared."""
    snapped.write("test_card.py", TEST.format(words=words))
    result = snapped.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{told}*"])
    assert not _place(snapped).exists()


def test_a_blank_picture_is_not_recorded(snapped: Project) -> None:
    """A page of one colour becomes nobody's goal."""
    snapped.write("page.json", '{"boxes": {}}')
    result = snapped.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*a blank page is not recorded*"])
    assert not _place(snapped).exists()


def test_a_damaged_snapshot_is_undetermined_and_kept(snapped: Project) -> None:
    """A truncated file is neither a pass nor replaced behind anybody's back."""
    before = _record(snapped)[:-20]
    _place(snapped).write_bytes(before)
    snapped.run("--pixelloop-update=changed").assert_outcomes(failed=1)
    assert snapped.status == "undetermined:figma-unreadable"
    assert _place(snapped).read_bytes() == before


def test_unnamed_snapshots_take_the_tests_name(snapped: Project) -> None:
    """``snapshot=True`` is the test's name, numbered from the second on."""
    snapped.write(
        "test_card.py",
        "from draw import page\nimport pytest\n\ndef test_card(assert_matches_design):\n"
        "    for _ in range(2):\n"
        "        try:\n            assert_matches_design(page(), snapshot=True)\n"
        "        except Exception: pass\n",
    )
    snapped.run()
    names = sorted(p.name for p in _place(snapped).parent.iterdir())
    assert names == ["test_card-2.png", "test_card.png"]


def test_the_place_is_set_in_the_ini_file(snapped: Project) -> None:
    """``pixelloop_snapshot_path`` moves the files; a template that cannot work is a usage error."""
    snapped.pytester.makeini("[pytest]\npixelloop_snapshot_path = shots/{name}.png\n")
    snapped.run()
    assert (snapped.path / "shots" / "card.png").is_file()
    snapped.pytester.makeini("[pytest]\npixelloop_snapshot_path = shots/{nme}.png\n")
    result = snapped.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unknown token {nme}*"])
