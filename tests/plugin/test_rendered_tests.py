"""Tests whose target is None: a capture command renders, or the manifest knows the way."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.store.ledger_file import read_records

if TYPE_CHECKING:
    from drawn_project import Project

RENDERED_TEST = """
def test_card(assert_matches_design):
    assert_matches_design(None, "card")
"""
#: Draws what the sources say. ``loaded.json`` is what a reload command made it load.
RENDER = """
import json, os, pathlib, sys
import draw
here = pathlib.Path(os.environ["PIXELLOOP_CAPTURE_DIR"])
what = sys.argv[1] if len(sys.argv) > 1 else "page"
if what == "nothing":
    sys.exit()
if what == "crash":
    sys.exit("no emulator is running")
if what == "loaded" and not pathlib.Path("alive").exists():
    sys.exit("the application is gone")
for label in os.environ["PIXELLOOP_LABELS"].split("\\n"):
    (here / f"{label}.png").write_bytes(draw.page(what))
"""
#: A reload: loads the sources, unless the application is gone; rung 2 brings it back.
RELOAD = """
import os, pathlib, shutil
with open("rungs.txt", "a") as stream:
    stream.write(os.environ["PIXELLOOP_RUNG"] + "\\n")
helps = pathlib.Path("helps.txt")
if helps.exists() and os.environ["PIXELLOOP_RUNG"] == helps.read_text():
    pathlib.Path("alive").touch()
shutil.copy("page.json", "loaded.json")
"""


@pytest.fixture
def rendered(project: Project) -> Project:
    """Give a project that is rendered by a command."""
    project.write("test_card.py", RENDERED_TEST)
    project.write("render.py", RENDER)
    project.write("reload.py", RELOAD)
    return project


def command(*words: str) -> str:
    """Return a command line of the project."""
    return " ".join([sys.executable, *words])


def report(project: Project, iteration: str = "00") -> dict[str, Any]:
    """Return the one report of an iteration of the last run."""
    (path,) = project.runs[-1].glob(f"tests/*/diff/{iteration}/*.report.json")
    value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return value


def test_a_command_renders_for_the_gate(rendered: Project) -> None:
    """Its picture is compared as any capture; a wrong one fails, and its folder is kept."""
    words = ("--capture-command", command("render.py"))
    rendered.run(*words).assert_outcomes(passed=1)
    assert report(rendered)["environment"]["renderer"] == "command"
    rendered.spoil("title")
    rendered.run(*words).assert_outcomes(failed=1)
    assert rendered.status == "fail"
    (plan,) = rendered.runs[-1].glob("tests/*/diff/00/capture-*/plan.json")
    assert json.loads(plan.read_text())["comparisons"][0]["label"] == "card"


def test_the_manifest_may_name_the_command(rendered: Project) -> None:
    """capture_command: of a design; the command line's wins."""
    manifest = (rendered.path / "designs" / "designs.yaml").read_text()
    line = f"    capture_command: {command('render.py', 'crash')}\n"
    rendered.write("designs/designs.yaml", manifest + line)
    rendered.run().assert_outcomes(failed=1)
    assert rendered.status == "undetermined:unreachable"
    rendered.run("--capture-command", command("render.py")).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("what", "status", "said"),
    [
        ("nothing", "undetermined:capture-failed", "*card: the capture command wrote no picture*"),
        ("crash", "undetermined:unreachable", "*the capture command ended with exit code 1*"),
    ],
)
def test_no_picture_is_no_mismatch(rendered: Project, what: str, status: str, said: str) -> None:
    """A command that gives nothing is undetermined, named by label, never looped on."""
    words = ("--capture-command", command("render.py", what))
    result = rendered.loop("repair", *words)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([said])
    assert rendered.status == status
    assert len(rendered.summary()["measurements"]) == 1


def test_a_command_renders_in_a_loop(rendered: Project) -> None:
    """Each iteration renders anew, and the loop converges."""
    rendered.spoil("title", "price")
    result = rendered.loop("repair", "--capture-command", command("render.py"))
    result.assert_outcomes(passed=1)
    assert rendered.status == "converged"
    assert rendered.summary()["restarts"] == 0


def _rungs(project: Project) -> list[str]:
    return (project.path / "rungs.txt").read_text().split()


#: The first fix also takes the application away, where that is asked for.
KILLER = """
import pathlib, subprocess, sys
first = not pathlib.Path("fixed").exists()
pathlib.Path("fixed").touch()
subprocess.run([sys.executable, "fixer.py", "repair"], input=b"", check=True)
if first and "kill" in sys.argv:
    pathlib.Path("alive").unlink()
"""


def _loop_with_reloads(project: Project, *words: str, helps: str) -> pytest.RunResult:
    """Loop on a renderer that shows what was loaded last; *helps* is the rung that revives it."""
    reload = command("reload.py")
    lines = "".join(f"    {reload}\n" for _ in range(3))
    project.pytester.makeini(f"[pytest]\npixelloop_capture_reload =\n{lines}")
    project.spoil("title", "price")
    project.write("loaded.json", (project.path / "page.json").read_bytes())
    project.write("alive", "")
    project.write("helps.txt", helps)
    project.write("kill.py", KILLER)
    render = ("--capture-command", command("render.py", "loaded"))
    return project.run("--pixel-loop", "--fix-command", command("kill.py", *words), *render)


def test_after_a_fix_it_is_told_to_reload(rendered: Project) -> None:
    """Rung 0 runs before every measurement after a fix, and costs no restart."""
    result = _loop_with_reloads(rendered, helps="never")
    result.assert_outcomes(passed=1)
    assert _rungs(rendered) == ["0", "0"]
    assert rendered.summary()["restarts"] == 0
    result.stdout.fnmatch_lines(
        ["*[[]1/6] reload   - rung 0, its reload command (restarts=0/2): the sources*"]
    )


@pytest.mark.parametrize(
    ("helps", "rungs", "status"),
    [
        ("1", ["0", "1", "0"], "converged"),
        ("2", ["0", "1", "2", "0"], "converged"),
        ("never", ["0", "1", "2"], "not-converged:reload-exhausted"),
    ],
)
def test_its_rungs_are_climbed_when_it_is_gone(
    rendered: Project, helps: str, rungs: list[str], status: str
) -> None:
    """Each rung is its own command, taken once, going up, until the pictures come again."""
    _loop_with_reloads(rendered, "kill", helps=helps)
    assert _rungs(rendered) == rungs
    assert rendered.status == status
    assert rendered.summary()["restarts"] == len([r for r in rungs if r != "0"])
    (ledger,) = rendered.runs[-1].glob("tests/*test_card-*/ledger.jsonl")
    told = [str(r["rung"]) for r in read_records(ledger) if r["kind"] in {"reloaded", "restarted"}]
    assert told == rungs


def test_none_without_a_way_is_refused(rendered: Project) -> None:
    """Nothing named to capture: said with the three ways to name it."""
    result = rendered.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*nothing to capture is named*", "*--capture-command*nav:*"])


def test_wrong_words_of_a_capture_command(rendered: Project) -> None:
    """A program that is not there is said in words; four reload commands are one too many."""
    result = rendered.run("--capture-command", "no-such-renderer")
    result.stdout.fnmatch_lines(["*capture command's program is not found*"])
    rendered.pytester.makeini("[pytest]\npixelloop_capture_reload =\n    a\n    b\n    c\n    d\n")
    result = rendered.run("--capture-command", command("render.py"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the ladder has 3 rungs*"])
