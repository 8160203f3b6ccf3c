"""The hook that fixes: any way it ends is a fix that ended somehow, never an internal error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from drawn_project import Project

HOOK = """
import json, pathlib, sys
import pytest

HERE = pathlib.Path(__file__).parent


def repair(count=1):
    page = json.loads((HERE / "page.json").read_text())
    right = json.loads((HERE / "right.json").read_text())
    wrong = [n for n in right["boxes"] if page["boxes"][n] != right["boxes"][n]]
    for name in wrong[:count]:
        page["boxes"][name] = right["boxes"][name]
    (HERE / "page.json").write_text(json.dumps(page))


def pytest_pixelloop_fix({arguments}):
{body}
"""


def with_hook(project: Project, body: str, arguments: str = "brief") -> None:
    """Give the project a hook with that body, and two wrong boxes."""
    lines = "\n".join("    " + line for line in body.splitlines())
    project.write("conftest.py", HOOK.format(arguments=arguments, body=lines))
    project.spoil("title", "price")


def fixes(project: Project) -> list[dict[str, Any]]:
    """Return the ledger's records of fixes that ended."""
    (path,) = project.runs[-1].glob("tests/*/ledger.jsonl")
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [r for r in records if r["kind"] == "fix-ended"]


def test_a_hook_repairs_the_page(project: Project) -> None:
    """The hook gets the brief as text, record and files, the iteration, item and config."""
    body = (
        "assert 'open findings: ' in brief.text and str(brief) == brief.text\n"
        "assert brief.text == brief.text_path.read_text()\n"
        "assert brief.record == json.loads(brief.json_path.read_text())\n"
        "assert brief.iteration == iteration == brief.record['iteration']\n"
        "assert brief.variables['PIXELLOOP_ITERATION'] == str(iteration)\n"
        "assert item.name == 'test_card' and config is item.config and brief.seconds == 600.0\n"
        "print('mended one')\n"
        "repair()\n"
        "return {'cost_usd': 0.25, 'input_tokens': 10, 'output_tokens': 5}"
    )
    with_hook(project, body, "brief, iteration, item, config")
    result = project.run("--pixel-loop")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*1/6? fix      v the hook is done, *, 0.25 USD, 15 tokens"])
    assert project.status == "converged"
    found = fixes(project)
    assert [(f["by"], f["outcome"], f["changed"]) for f in found] == [
        ("hook", "changed", ["page.json"])
    ] * 2
    (log,) = project.runs[-1].glob("tests/*/fix/01.log")
    assert log.read_text() == "mended one\n"
    assert project.summary()["budget"]["spent"]["cost_usd"] == 0.5


ENDINGS = {
    "raises": ("raise ValueError('no idea')", "failed", "the hook raised ValueError: no idea"),
    "exits": ("sys.exit(3)", "failed", "the hook raised SystemExit: 3"),
    "fails": ("pytest.fail('not my day')", "failed", "the hook raised Failed: not my day"),
    "false": ("return False", "failed", "the hook returned False"),
    "not ok": (
        "return {'ok': False, 'message': 'no key'}",
        "failed",
        "the hook returned ok=False: no key",
    ),
    "odd ok": ("return {'ok': 1}", "failed", "the hook returned ok=1, not a bool"),
    "text": (
        "return 'done'",
        "failed",
        "the hook returned a value of type str, expected None, True, False or a mapping",
    ),
    "none": ("return None", "unchanged", "no pytest_pixelloop_fix took this fix"),
    "nothing": ("return True", "unchanged", None),
}


@pytest.mark.parametrize("case", ENDINGS)
def test_how_a_hook_can_end(project: Project, case: str) -> None:
    """What is no repair is a useless fix with its reason in the ledger; twice ends the loop."""
    body, outcome, error = ENDINGS[case]
    with_hook(project, "print('trying')\n" + body)
    result = project.run("--pixel-loop")
    result.assert_outcomes(failed=1)
    assert "INTERNALERROR" not in result.stdout.str()
    assert project.status == "not-converged:breaker"
    found = fixes(project)
    assert [(f["outcome"], f["error"]) for f in found] == [(outcome, error)] * 2
    (log,) = project.runs[-1].glob("tests/*/fix/01.log")
    assert log.read_text().startswith("trying\n")
    assert ("Traceback" in log.read_text()) == (case in {"raises", "exits", "fails"})


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "pytest.exit('enough')"])
def test_ctrl_c_in_a_hook_ends_the_session(project: Project, raised: str) -> None:
    """KeyboardInterrupt and pytest.exit() pass, and the loop is interrupted in its fix."""
    with_hook(project, f"raise {raised}" if raised[0] == "K" else raised)
    result = project.run_apart("--pixel-loop")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert project.status == "undetermined:interrupted"
    (left,) = project.summary()["interrupted"]
    assert left == {"iteration": 1, "phase": "fix"}


def test_a_hostile_usage_of_a_hook_is_unknown(project: Project) -> None:
    """A cost that is none is kept as unknown with its reason, and the fix still counts."""
    with_hook(project, "repair(2)\nreturn {'cost_usd': float('nan'), 'tokens': True}")
    result = project.run("--pixel-loop")
    result.assert_outcomes(passed=1)
    (fix,) = fixes(project)
    assert (fix["usage"]["cost_usd"], fix["usage"]["tokens"]) == (None, None)
    assert "cost_usd nan" in fix["usage"]["problem"]


def test_the_hook_closest_to_the_test_is_asked_first(project: Project) -> None:
    """A conftest beside the test comes before the rootdir's; None hands the fix on."""
    with_hook(project, "repair(2)\nprint('root')\nreturn True", "iteration")
    project.write("sub/conftest.py", "def pytest_pixelloop_fix(iteration):\n    return None\n")
    test = (project.path / "test_card.py").read_text()
    (project.path / "test_card.py").unlink()
    project.write("sub/test_card.py", test)
    result = project.run("--pixel-loop")
    result.assert_outcomes(passed=1)
    (log,) = project.runs[-1].glob("tests/*/fix/01.log")
    assert log.read_text() == "root\n"


@pytest.mark.parametrize("place", ["conftest.py", "sub/conftest.py"])
@pytest.mark.parametrize("words", [["--fix-command=true"], ["--fix-wait=5"]])
def test_two_kinds_of_fixers_are_refused(project: Project, place: str, words: list[str]) -> None:
    """A hook beside a command or a wait is a usage error before anything runs, naming both."""
    project.write(place, "def pytest_pixelloop_fix(brief):\n    return True\n")
    project.write("sub/test_other.py", "def test_other():\n    pass\n")
    result = project.run("--pixel-loop", *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    option = words[0].partition("=")[0]
    result.stderr.fnmatch_lines(
        [f"*two kinds of fixers at once: {option}, and the hook pytest_pixelloop_fix of *conftest*"]
    )
    assert not project.runs or not list(project.runs[-1].glob("tests/*/fix"))


def test_a_hook_without_a_loop_is_left_alone(project: Project) -> None:
    """The plain gate asks nobody to fix."""
    with_hook(project, "repair(2)\nreturn True")
    result = project.run()
    result.assert_outcomes(failed=1)


def test_a_hook_is_refused_under_xdist_and_pdb(project: Project) -> None:
    """Every worker would edit the same sources, and the debugger would wait for the fix."""
    pytest.importorskip("xdist")
    with_hook(project, "repair(2)\nreturn True")
    for words, said in (("-n2", "*run with -n0*"), ("--pdb", "*drop --pdb*")):
        result = project.run_apart("--pixel-loop", words)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([said])


def test_a_hook_below_the_rootdir_is_refused_on_a_worker(project: Project) -> None:
    """A worker finds a conftest that the controller never read: its looped test fails."""
    pytest.importorskip("xdist")
    with_hook(project, "repair(2)\nreturn True")
    for name in ("conftest.py", "test_card.py"):
        (project.path / name).rename(project.write(f"sub/{name}", ""))
    result = project.run_apart("--pixel-loop", "-n1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*cannot be combined with -n*"])
