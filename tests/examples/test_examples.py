"""Every example runs from the repository on a copy, and ends as its README says."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.core.errors import CaptureError

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "conftest_examples"


def _browser_missing() -> bool:
    import os

    try:
        find_browser(None, environ=os.environ)
    except CaptureError:
        return True
    return False


needs_browser = pytest.mark.skipif(_browser_missing(), reason="no Chromium: pixelloop browser")


def _run(example: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / "run.py"), example, "--to", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def _summaries(folder: Path) -> dict[str, dict[str, object]]:
    """Return each test's summary.json by the test's name."""
    found = sorted(folder.glob(".pixelloop/runs/*/tests/*/summary.json"))
    records = [json.loads(path.read_text("utf-8")) for path in found]
    looped = [r for r in records if r["rule"] != "gate"]  # not the check after the last fix
    return {str(r["test_id"]).rpartition("::")[2].partition("[")[0]: r for r in looped}


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and "__pycache__" not in p.parts
    }


@needs_browser
def test_quickstart_converges(tmp_path: Path) -> None:
    """Two broken pages become their design in 3 to 6 iterations, and the checkout stays clean."""
    before = _tree(EXAMPLES)
    done = _run("quickstart", tmp_path / "work")
    assert done.returncode == 0, done.stdout + done.stderr
    summaries = _summaries(tmp_path / "work")
    assert set(summaries) == {"test_login", "test_settings"}
    for summary in summaries.values():
        assert summary["status"] == "converged"
        iterations, scores = summary["iterations"], summary["score_history"]
        assert isinstance(iterations, int)
        assert isinstance(scores, list)
        assert 3 <= iterations <= 6
        assert all(b < a for a, b in itertools.pairwise(scores)), scores
        assert scores[-1] == 0
    assert _tree(EXAMPLES) == before


@needs_browser
@pytest.mark.parametrize(
    ("example", "status"),
    [("ping_pong", "not-converged:oscillating"), ("stuck", "not-converged:stalled")],
)
def test_loops_that_do_not_converge(example: str, status: str, tmp_path: Path) -> None:
    """A fixer that goes in circles or nowhere fails the test with the rule that ended it."""
    done = _run(example, tmp_path / "work")
    assert done.returncode == 1, done.stdout + done.stderr
    (summary,) = _summaries(tmp_path / "work").values()
    assert summary["status"] == status
    assert status in done.stdout


@needs_browser
def test_cheating_does_not_pay(tmp_path: Path) -> None:
    """A picture of the design fails by its own finding, and a forged ledger ends the loop."""
    work = tmp_path / "work"
    done = _run("cheating", work)
    assert done.returncode == 1, done.stdout + done.stderr
    (summary,) = _summaries(work).values()
    assert summary["status"] == "undetermined:goalposts-moved"
    assert summary["iterations"] == 2
    assert "ledger.jsonl was added to" in str(summary["reason"])
    (path,) = work.glob(".pixelloop/runs/*/tests/*/diff/01/1-1.report.json")
    (finding,) = json.loads(path.read_text("utf-8"))["findings"]
    assert finding["kind"] == "picture-in-place-of-content"
    assert finding["gating"]
    (kept,) = work.glob(".pixelloop/runs/*/tests/*/ledger.jsonl.forged-1")
    assert '"status":"converged"' in kept.read_text("utf-8")


@needs_browser
def test_gate_only_passes_and_turns_red(tmp_path: Path) -> None:
    """The gate passes on the right page; one changed colour makes it fail and name the node."""
    work = tmp_path / "work"
    assert _run("gate_only", work).returncode == 0
    css = work / "site" / "tiles.css"
    css.write_text(css.read_text("utf-8").replace("#dc2626", "#16a34a"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest"], capture_output=True, text=True, check=False, cwd=work
    )
    assert done.returncode == 1
    assert "late tile" in done.stdout
    assert "Traceback" not in done.stdout


@needs_browser
def test_channels_see_what_pixels_hide(tmp_path: Path) -> None:
    """The example passes: of two pages that look alike, the one that cannot be used is refused."""
    work = tmp_path / "work"
    done = _run("channels", work)
    assert done.returncode == 0, done.stdout + done.stderr
    reports = [json.loads(p.read_text("utf-8")) for p in work.rglob("*.report.json")]
    causes = {tuple(r["verdicts"]["causes"]) for r in reports}
    assert causes == {(), ("functional",)}


def test_a_bridge_file_serves_pytest_and_the_command(tmp_path: Path) -> None:
    """The bridge example passes under pytest, and the command in its text exits 0."""
    work = tmp_path / "work"
    done = _run("bridge", work, "-p", "no:playwright")
    assert done.returncode == 0, done.stdout + done.stderr
    words = ["verify", "--project", ".", "--name", "badge", "--actual", "rendered/badge.png"]
    command = [sys.executable, "-m", "pytest_pixelloop", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=work)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (work / ".ddalkak/reports/badge.desktop.visual.json").is_file()


def test_the_scorecard_stops_after_two_rounds(tmp_path: Path) -> None:
    """The scorecard example says CONTINUE, and after a second run STOP."""
    work = tmp_path / "work"
    assert _run("scorecard", work, "-p", "no:playwright").returncode == 0
    score = [sys.executable, "-m", "pytest_pixelloop", "score"]
    assert subprocess.run(score, capture_output=True, check=False, cwd=work).returncode == 1
    again = [sys.executable, "-m", "pytest", "-p", "no:playwright"]
    assert subprocess.run(again, capture_output=True, check=False, cwd=work).returncode == 0
    done = subprocess.run(score, capture_output=True, text=True, check=False, cwd=work)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("# STOP")


def test_snapshots_pass_and_turn_red(tmp_path: Path) -> None:
    """The snapshot example passes on the recorded picture and is red without it, also in CI."""
    work = tmp_path / "work"
    done = _run("snapshots", work, "-p", "no:playwright", "--pixelloop-update=none")
    assert done.returncode == 0, done.stdout + done.stderr
    (work / "__screenshots__/test_badge.py/badge.png").unlink()
    command = [sys.executable, "-m", "pytest", "-p", "no:playwright", "--pixelloop-update=none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=work)
    assert done.returncode == 1
    assert "undetermined:missing-baseline" in done.stdout


def test_a_patch_that_breaks_a_rule_is_taken_back(tmp_path: Path) -> None:
    """The patch gate example ends without convergence, and its style sheet is as before."""
    work = tmp_path / "work"
    done = _run("patch_gate", work, "-p", "no:playwright")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "not-converged:breaker" in done.stdout
    assert "#2563eb is written out where the project has --fill" in done.stdout
    before = EXAMPLES / "patch_gate" / "site" / "colors.css"
    assert (work / "site" / "colors.css").read_bytes() == before.read_bytes()


@pytest.mark.parametrize(
    ("example", "status", "said"),
    [
        ("fix_hook", "converged", "spent: 0.04 of 1 USD"),
        ("fix_wait", "converged", "somebody changed the sources"),
        ("budgets", "not-converged:budget-exhausted", "1.2 of 1 USD are spent"),
    ],
)
def test_who_fixes_and_what_it_costs(tmp_path: Path, example: str, status: str, said: str) -> None:
    """A hook, somebody who is waited for, and a budget end as the README says."""
    done = _run(example, tmp_path / "work", "-p", "no:playwright")
    assert done.returncode == (0 if status == "converged" else 1), done.stdout + done.stderr
    assert _summaries(tmp_path / "work")["test_badge"]["status"] == status
    assert said in done.stdout


def test_what_is_held_out_is_told_when_the_loop_has_ended(tmp_path: Path) -> None:
    """A fixer that repairs only what it is shown does not get there, and the end says why."""
    work = tmp_path / "work"
    done = _run("held_out", work, "-p", "no:playwright")
    assert done.returncode == 1, done.stdout + done.stderr
    (before, after) = done.stdout.split("ended    x not-converged:breaker")
    assert "held out: sealed" in before
    assert "alarm" not in before
    assert "held out: alarm: fail, score 43.9" in after
    told = "".join(p.read_text("utf-8") for p in sorted(work.rglob("fix/*.log")))
    assert "alarm" not in told
    assert (work / next(work.rglob("diff/03/alarm.diff.png"))).is_file()


@needs_browser
def test_a_page_that_is_only_a_picture_is_told_when_the_loop_has_ended(tmp_path: Path) -> None:
    """Of two pages that look the same the pinned one fails, and a loop keeps why to its end."""
    work = tmp_path / "work"
    loop = ["--pixel-loop", "--iteration-cap=1", "--iterations-per-run=1", "--run-id=X"]
    first = _run("overfit", work, *loop)
    assert first.returncode == 1, first.stdout + first.stderr
    summaries = _summaries(work)
    assert summaries["test_follows"]["status"] == "converged"
    assert summaries["test_pinned"]["status"] == "in-progress"
    told = "".join(p.read_text("utf-8", "replace") for p in work.rglob("*test_pinned*/**/*.*"))
    assert "held out: sealed" in first.stdout
    assert "Banner" not in first.stdout + told
    command = [sys.executable, "-m", "pytest", *loop, "-k", "pinned"]
    subprocess.run(command, capture_output=True, check=False, cwd=work)
    held = _summaries(work)["test_pinned"]["held_out"]
    assert isinstance(held, dict)
    assert [c["delta_ids"] for c in held["comparisons"]] == [
        ["1-1__probes/node:1:2", "1-1__probes/node:1:5"]
    ]


def test_a_judged_difference_passes_and_counts_again_without_the_judgement(tmp_path: Path) -> None:
    """The judgements example passes; without its file the same page fails."""
    work = tmp_path / "work"
    done = _run("judgements", work, "-p", "no:playwright")
    assert done.returncode == 0, done.stdout + done.stderr
    listed = [sys.executable, "-m", "pytest_pixelloop", "judgements", "--check-issues"]
    assert subprocess.run(listed, capture_output=True, check=False, cwd=work).returncode == 0
    (work / "designs" / "judgements.yaml").unlink()
    command = [sys.executable, "-m", "pytest", "-p", "no:playwright"]
    assert subprocess.run(command, capture_output=True, check=False, cwd=work).returncode == 1


def test_shards_become_one_run_that_anybody_can_evaluate(tmp_path: Path) -> None:
    """Two shards are merged, one alone is not, and the merged run is what its files give."""
    work = tmp_path / "work"
    quiet = ("-p", "no:playwright")
    for number, name in enumerate(("one", "two"), start=1):
        words = (f"test_{name}.py", f"--pixelloop-shard={number}/2", f"--run-id={name}", *quiet)
        command = [sys.executable, "-m", "pytest", *words]
        done = (
            _run("shards", work, *words)
            if number == 1
            else subprocess.run(command, capture_output=True, text=True, check=False, cwd=work)
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def pixelloop(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest_pixelloop", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=work)

    alone = pixelloop("merge", "one", "-o", "whole")
    assert alone.returncode == 2
    assert "missing: shard 2/2" in alone.stderr
    whole = pixelloop("merge", "two", "one", "-o", "whole")
    assert whole.returncode == 0, whole.stdout + whole.stderr
    evaluated = pixelloop("evaluate", "whole", "--remeasure")
    assert evaluated.returncode == 0, evaluated.stdout
    assert "run whole: 4 tests" in evaluated.stdout


def test_no_browser_passes_without_playwright(tmp_path: Path) -> None:
    """Two PNG files are compared although pytest-playwright is switched off."""
    done = _run("no_browser", tmp_path / "work", "-p", "no:playwright")
    assert done.returncode == 0, done.stdout + done.stderr


def test_figma_pull_needs_no_figma(tmp_path: Path) -> None:
    """One design is pulled from the example's server, one imported; both match, no browser."""
    done = _run("figma_pull", tmp_path / "work", "-p", "no:playwright", "-s")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 fetched, 0 current, 0 missing" in done.stdout
    assert "imported badge-of-an-agent 1-2: picture and nodes (mcp), scale 2" in done.stdout
    names = {path.name for path in (tmp_path / "work" / "designs").rglob("*") if path.is_file()}
    assert names == {"designs.yaml", "designs.lock", "1-2.png", "1-2.nodes.json"}


def _reports(folder: Path) -> dict[str, str]:
    """Return the status of each comparison of the newest run by its label."""
    run = max(folder.glob(".pixelloop/runs/*"))
    records = [json.loads(path.read_text("utf-8")) for path in run.rglob("*.report.json")]
    return {record["label"]: record["status"] for record in records}


@needs_browser
def test_viewports_and_themes_are_each_judged(tmp_path: Path) -> None:
    """Four comparisons pass; a colour wrong in the dark theme fails the two dark ones only."""
    work = tmp_path / "work"
    done = _run("viewports_themes", work)
    assert done.returncode == 0, done.stdout + done.stderr
    light, dark = (
        ["1-1__light__desktop", "2-1__light__mobile"],
        [
            "3-1__dark__desktop",
            "4-1__dark__mobile",
        ],
    )
    assert _reports(work) == dict.fromkeys([*light, *dark], "pass")
    css = work / "site" / "tiles.css"
    css.write_text(css.read_text("utf-8").replace("#f87171", "#a3e635"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-k", "everywhere"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=work)
    assert done.returncode == 1
    assert _reports(work) == dict.fromkeys(light, "pass") | dict.fromkeys(dark, "fail")


@needs_browser
def test_screenshot_options_serve_pytest_and_the_command(tmp_path: Path) -> None:
    """The example passes; the command says the same with flags, and fails without them."""
    work = tmp_path / "work"
    done = _run("screenshot_options", work)
    assert done.returncode == 0, done.stdout + done.stderr
    command = [sys.executable, "-m", "pytest_pixelloop", "verify", "board"]
    command += ["--url", "site/board.html", "--hide", ".chat"]
    regions = ["--region", "photo=data", "--region", ".legend=ignore_colors"]
    for words, code in ((regions, 0), (regions[:2], 1), ([], 1)):
        ended = subprocess.run([*command, *words], capture_output=True, check=False, cwd=work)
        assert ended.returncode == code, ended.stdout + ended.stderr


@needs_browser
def test_moving_page_is_frozen_or_refused(tmp_path: Path) -> None:
    """A page that moves by script passes while it is frozen, and is no verdict while it runs."""
    done = _run("moving", tmp_path / "work")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "undetermined:unstable  test_meter.py::test_running" in done.stdout
    found = [p.name for p in (tmp_path / "work").glob(".pixelloop/runs/*/tests/*/diff/00/*.png")]
    assert {"meter.unstable-1.png", "meter.unstable-2.png"} <= set(found)


@needs_browser
def test_served_app_converges_over_a_restart(tmp_path: Path) -> None:
    """The application dies of the first fix, is restarted, and the loop converges."""
    work = tmp_path / "work"
    done = _run("served_app", work)
    assert done.returncode == 0, done.stdout + done.stderr
    summary = _summaries(work)["test_tiles"]
    assert summary["status"] == "converged"
    assert summary["restarts"] == 2
    (nav,) = work.glob(".pixelloop/runs/*/tests/*test_tiles*-*/nav.yaml")
    text = nav.read_text("utf-8")
    assert "route: /tiles.html" in text
    assert "test_id: accept" in text
    assert "giving up" in "".join(
        path.read_text("utf-8") for path in work.glob(".pixelloop/runs/*/serve/*.log")
    )


def test_capture_command_converges_without_a_browser(tmp_path: Path) -> None:
    """A renderer named in the manifest is looped on, with pytest-playwright switched off."""
    done = _run("capture_command", tmp_path / "work", "-p", "no:playwright")
    assert done.returncode == 0, done.stdout + done.stderr
    summary = _summaries(tmp_path / "work")["test_badge"]
    assert summary["status"] == "converged"
    assert summary["iterations"] == 2
