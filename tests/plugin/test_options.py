"""Options, ini keys and marker: what each does, which one holds, and how a wrong one is told."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.core.tolerance import Tolerance
from pytest_pixelloop.plugin.option_table import OPTIONS

if TYPE_CHECKING:
    from drawn_project import Project

SHOW = """
def test_show(pytestconfig):
    from pytest_pixelloop.plugin.state import plugin_key
    settings = pytestconfig.stash[plugin_key].settings
    print("SETTINGS", settings)
"""


def report(project: Project) -> dict[str, object]:
    """Return the one report of the last run's iteration 0."""
    (path,) = project.runs[-1].glob("tests/*/diff/00/*.report.json")
    value: dict[str, object] = json.loads(path.read_text("utf-8"))
    return value


def limit(project: Project, key: str = "region_fail") -> object:
    """Return one limit by which the last run judged."""
    tolerance = report(project)["tolerance"]
    assert isinstance(tolerance, dict)
    return tolerance[key]


def test_every_option_is_in_the_help_with_its_ini_key(project: Project) -> None:
    """--help names every option and ini key of the table, each with its text."""
    text = project.run("--help").stdout.str()
    for option in OPTIONS:
        if option.flag is not None:
            assert option.flag in text
        if option.ini is not None:
            assert f"{option.dest} (" in text


def test_no_name_clashes_with_the_plugins_of_this_field(pytester: pytest.Pytester) -> None:
    """No dest but our own prefix, and pytest-playwright's options still work beside ours."""
    assert all(option.dest.startswith("pixelloop_") for option in OPTIONS)
    result = pytester.runpytest_inprocess("--browser=chromium", "--pixel-loop", "--collect-only")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_short_name_that_is_taken_gets_our_prefix(project: Project) -> None:
    """Where another plugin owns --mode, ours is --pixelloop-mode and both work."""
    project.write(
        "other.py",
        "def pytest_addoption(parser):\n    parser.addoption('--mode', dest='other_mode')\n",
    )
    project.write("test_card.py", SHOW)
    result = project.run_apart("-p", "other", "-s", "--mode=x", "--pixelloop-mode=create")
    result.stdout.fnmatch_lines(["*SETTINGS*mode='create'*"])


PRECEDENCE = [
    # call, marker, command line, manifest, ini: as text, None where not given; what holds
    (("0.5", "0.6", "0.7", "0.8", "0.9"), 0.5),
    ((None, "0.6", "0.7", "0.8", "0.9"), 0.6),
    ((None, None, "0.7", "0.8", "0.9"), 0.7),
    ((None, None, None, "0.8", "0.9"), 0.8),
    ((None, None, None, None, "0.9"), 0.9),
    ((None, None, None, None, None), Tolerance().color_delta_e),
    (("0", "0.6", "0.7", "0.8", "0.9"), 0.0),
]


@pytest.mark.parametrize(("layers", "holds"), PRECEDENCE)
def test_precedence_of_tolerance(
    project: Project, layers: tuple[str | None, ...], holds: float
) -> None:
    """Call > marker > command line > manifest > ini > default, and 0 is a value."""
    call, marker, command_line, manifest, ini = layers
    mark = f"@pytest.mark.design(tolerance='color_delta_e={marker}')\n" if marker else ""
    argument = f", tolerance='color_delta_e={call}'" if call else ""
    project.write(
        "test_card.py",
        f"import pytest\nfrom draw import page\n{mark}"
        f"def test_card(assert_matches_design):\n"
        f"    assert_matches_design(page(), 'card'{argument})\n",
    )
    if manifest:
        path = project.path / "designs/designs.yaml"
        text = path.read_text("utf-8") + f"    tolerance: {{color_delta_e: {manifest}}}\n"
        project.write("designs/designs.yaml", text)
    arguments = [f"--tolerance=color_delta_e={command_line}"] if command_line else []
    if ini:
        arguments += ["-o", f"pixelloop_tolerance=color_delta_e={ini}"]
    project.run(*arguments).assert_outcomes(passed=1)
    assert limit(project, "color_delta_e") == holds


GATES = [
    (("design", "pixel", "pixel", "pixel", "pixel"), "design"),
    ((None, "design", "pixel", "pixel", "pixel"), "design"),
    ((None, None, "design", "pixel", "pixel"), "design"),
    ((None, None, None, "pixel", "design"), "pixel"),
    ((None, None, None, None, "pixel"), "pixel"),
]


@pytest.mark.parametrize(("layers", "holds"), GATES)
def test_precedence_of_gate(
    project: Project, layers: tuple[str | None, ...], holds: str, request: pytest.FixtureRequest
) -> None:
    """The gate follows the same order as the tolerance."""
    if holds == "design":
        pytest.importorskip("pytest_pixelloop.core.gate_design")
    call, marker, command_line, manifest, ini = layers
    mark = f"@pytest.mark.design(gate='{marker}')\n" if marker else ""
    argument = f", gate='{call}'" if call else ""
    project.write(
        "test_card.py",
        f"import pytest\nfrom draw import page\n{mark}"
        f"def test_card(assert_matches_design):\n"
        f"    assert_matches_design(page(), 'card'{argument})\n",
    )
    path = project.path / "designs/designs.yaml"
    line = f"    gate: {manifest}\n" if manifest else ""
    project.write(
        "designs/designs.yaml", path.read_text("utf-8").replace("    gate: pixel\n", line)
    )
    arguments = [f"--pixelloop-gate={command_line}"] if command_line else []
    if ini:
        arguments += ["-o", f"pixelloop_gate={ini}"]
    project.run(*arguments).assert_outcomes(passed=1)
    assert report(project)["gate"] == holds


def test_marker_names_the_design_and_closest_marker_wins(project: Project) -> None:
    """A call without name takes the marker's; a function's marker overrules its class's."""
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "@pytest.mark.design('nobody', tolerance='region_fail=0.5,pixel=1')\n"
        "class TestCard:\n"
        "    @pytest.mark.design('card', tolerance={'region_fail': 0.25})\n"
        "    def test_card(self, assert_matches_design):\n"
        "        assert_matches_design(page())\n",
    )
    project.run("--strict-markers").assert_outcomes(passed=1)
    assert (limit(project), limit(project, "pixel")) == (0.25, 1.0)


def test_marker_chooses_viewport_and_theme(project: Project) -> None:
    """Viewport and theme of the marker hold where the call names none."""
    project.write(
        "designs/designs.yaml",
        "schema_version: 1\ndesigns:\n  card:\n    gate: pixel\n    viewports:\n"
        "      desktop: {image: gone.png}\n      mobile: {image: card.png}\n",
    )
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "@pytest.mark.design('card', viewport='mobile')\n"
        "def test_card(assert_matches_design, figma_baseline):\n"
        "    assert figma_baseline('card').viewport == 'mobile'\n"
        "    assert_matches_design(page())\n",
    )
    project.run().assert_outcomes(passed=1)


WRONG_MARKERS = {
    "unknown-keyword": ("design(tolerence='pixel=1')", "unknown keyword 'tolerence'"),
    "two-names": ("design('a', 'b')", "one name is expected"),
    "name-twice": ("design('a', name='b')", "one name is expected"),
    "no-name": ("design(3)", "3 is not a name"),
    "unknown-gate": ("design(gate='loose')", "unknown gate 'loose'"),
    "unknown-tolerance": ("design(tolerance='pixels=1')", "unknown tolerance key 'pixels'"),
    "negative-tolerance": ("design(tolerance={'pixel': -1})", "tolerance pixel=-1"),
    "odd-tolerance": ("design(tolerance=3)", "tolerance 3 is neither"),
}


@pytest.mark.parametrize("case", WRONG_MARKERS)
def test_wrong_marker_is_a_usage_error_that_names_the_test(project: Project, case: str) -> None:
    """A mistake in a marker stops the session before any test runs."""
    marker, text = WRONG_MARKERS[case]
    project.write(
        "test_card.py", f"import pytest\n@pytest.mark.{marker}\ndef test_card():\n    pass\n"
    )
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*@pytest.mark.design of test_card.py::test_card*"])
    assert text in result.stderr.str()


USAGE_ERRORS = {
    "tolerance-key": (["--tolerance=pixels=2"], "unknown tolerance key 'pixels'"),
    "tolerance-known-keys": (["--tolerance=pixels=2"], "one of pixel, color_delta_e, threshold"),
    "tolerance-number": (["--tolerance=pixel=wide"], "tolerance pixel='wide'"),
    "tolerance-shape": (["--tolerance=2"], "cannot read '2' as a tolerance"),
    "tolerance-ini": (["-o", "pixelloop_tolerance=pixels=2"], "ini key pixelloop_tolerance"),
    "mode": (["--mode=replace"], "--mode: 'replace' is not one of repair, create"),
    "gate": (["--pixelloop-gate=loose"], "--pixelloop-gate: 'loose' is not one of"),
    "gate-ini": (["-o", "pixelloop_gate=loose"], "ini key pixelloop_gate: 'loose'"),
    "conditional": (["-o", "pixelloop_conditional=yes"], "'yes' is not one of fail, pass"),
    "fix-timeout": (["--fix-timeout=soon"], "--fix-timeout: 'soon' is not a number of seconds"),
    "fix-timeout-zero": (["--fix-timeout=0"], "--fix-timeout: '0'"),
    "fix-timeout-nan": (["--fix-timeout=nan"], "--fix-timeout: 'nan'"),
    "run-id-path": (["--run-id=../other"], "'../other'"),
    "run-id-empty": (["--run-id="], "--run-id is empty"),
    "iterations": (["--iterations-per-run=0"], "--iterations-per-run: '0' is not a whole number"),
    "designs-empty": (["--pixelloop-designs="], "--pixelloop-designs is empty"),
    "fixer-missing": (
        ["--pixel-loop", "--fix-command=./nowhere.sh"],
        "the fix command's program does not exist: ./nowhere.sh",
    ),
    "fixer-quotes": (["--pixel-loop", "--fix-command=echo 'x"], "fix command"),
    "fixer-without-loop": (["--fix-command=true"], "without --pixel-loop: add --pixel-loop"),
    "workers": (
        ["--pixel-loop", "--fix-command=true", "-n2"],
        "cannot be combined with -n: *run with -n0",
    ),
    "debugger": (
        ["--pixel-loop", "--fix-command=true", "--pdb"],
        "cannot be combined with --pdb: *drop --pdb",
    ),
}


@pytest.mark.parametrize("case", USAGE_ERRORS)
def test_wrong_option_is_a_usage_error(project: Project, case: str) -> None:
    """A wrong value stops pytest with exit code 4, one message and no traceback."""
    arguments, text = USAGE_ERRORS[case]
    result = project.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{line}*" for line in text.split("\n")])
    assert "Traceback" not in result.stderr.str()
    assert not project.runs


CAPS = {
    "flag": (["--iteration-cap=2"], (2, "flag"), None),
    "alias": (
        ["--tolerance=iteration_cap=3"],
        (3, "tolerance-alias"),
        "iteration_cap=3 in --tolerance is read as --iteration-cap=3",
    ),
    "flag-beats-alias": (
        ["--iteration-cap=2", "--tolerance=iteration_cap=9,pixel=1"],
        (2, "flag"),
        "iteration_cap=9 in --tolerance is overruled by --iteration-cap=2",
    ),
    "ini": (["-o", "pixelloop_iteration_cap=4"], (4, "ini"), None),
    **{
        text: (
            [f"--iteration-cap={text}"],
            (6, "default"),
            f"iteration cap '{text}' (flag) is not a whole number from 1 to 99: the default 6",
        )
        for text in ("0", "-1", "1e9", "six", "100")
    },
}


@pytest.mark.parametrize("case", CAPS)
def test_iteration_cap(project: Project, case: str) -> None:
    """The cap comes from flag, alias or ini; what is no number from 1 to 99 is 6 and told."""
    arguments, (cap, source), note = CAPS[case]
    result = project.run("--pixel-loop", *arguments)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"pixelloop: loop (cap {cap} by {source}), *"])
    summary = project.summary()
    assert (summary["iteration_cap"], summary["iteration_cap_source"]) == (cap, source)
    if note is not None:
        assert [n for n in summary["notes"] if n.startswith(note)]
        assert note in result.stdout.str()


def test_ini_keys_are_read(project: Project) -> None:
    """Folders, fix command, timeout and sources may stand in the ini file."""
    project.pytester.makeini(
        "[pytest]\n"
        "pixelloop_designs = pictures\n"
        "pixelloop_dir = work/loops\n"
        f"pixelloop_fix_command = {sys.executable} fixer.py repair\n"
        "pixelloop_fix_timeout = 30\n"
        "pixelloop_sources =\n"
        "    page.json\n"
    )
    (project.path / "designs").rename(project.path / "pictures")
    project.spoil("title")
    result = project.run("--pixel-loop")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["pixelloop: loop*designs in pictures/*"])
    assert (project.path / "work/loops/latest").exists()


def test_command_line_beats_ini(project: Project) -> None:
    """A folder on the command line is used instead of the ini file's."""
    project.run("-o", "pixelloop_dir=a", "--pixelloop-dir=b").assert_outcomes(passed=1)
    assert (project.path / "b/runs").exists()
    assert not (project.path / "a").exists()


def test_sources_limit_what_counts_as_a_change(project: Project) -> None:
    """A fix outside the watched sources changed nothing, as far as the loop knows."""
    project.spoil("title", "photo", "price")
    project.write("src/empty.css", "")
    project.loop("repair", "-o", "pixelloop_sources=src").assert_outcomes(failed=1)
    assert project.status in {"not-converged:breaker", "undetermined:unstable-render"}


def test_rootdir_and_not_the_current_folder_decides(project: Project) -> None:
    """Run from a folder below, designs and runs are still those of the rootdir."""
    (project.path / "below").mkdir()
    result = project.pytester.run(
        sys.executable,
        "-c",
        "import os, sys, pytest; os.chdir('below');"
        " sys.exit(pytest.main(['-p', 'no:playwright', '..']))",
    )
    result.assert_outcomes(passed=1)
    assert project.runs
