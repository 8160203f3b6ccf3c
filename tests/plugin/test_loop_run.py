"""pytest --pixel-loop with scripted fixers: how each loop ends, and what is left of it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from drawn_project import draw

if TYPE_CHECKING:
    from drawn_project import Project

ALL = ("title", "photo", "price", "button")


def ledger(project: Project) -> list[dict[str, object]]:
    """Return the records of ``test_card`` in the last run."""
    (path,) = project.runs[-1].glob("tests/test_card-*/ledger.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_broken_page_becomes_the_design(project: Project) -> None:
    """The loop repairs one box an iteration, converges, and the test passes once."""
    project.spoil("title", "photo", "price")
    result = project.loop("repair")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "pixelloop: loop (cap 6 by default), designs in designs/, run *",
            "test_card.py::test_card",
            "[[]0/6] compare  x score * (3 open regions, channels=visual*",
            "[[]1/6] fix      v exit code 0*changed page.json",
            "[[]1/6] compare  x score * -> * (2 open regions*",
            "[[]2/6] fix*",
            "[[]2/6] compare  x score * -> * (1 open region,*",
            "[[]3/6] fix*",
            "[[]3/6] compare  v score * -> 0.0 (0 open regions*",
            "[[]3/6] ended    v converged after 3 iterations*summary.md",
            "*= pixelloop =*",
            "converged  test_card.py::test_card  score 0.0  .pixelloop/runs/*/summary.md",
            "*1 passed, 3 rerun*",
        ]
    )
    assert "R" not in result.outlines
    summary = project.summary()
    assert (summary["status"], summary["iterations"]) == ("converged", 3)
    scores = summary["score_history"]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("capture", ["fd", "sys", "no"])
def test_transcript_shows_whatever_is_captured(project: Project, capture: str) -> None:
    """The lines of the loop reach the terminal, also while pytest captures output."""
    project.spoil("title")
    result = project.run_apart(
        "--pixel-loop", "--fix-command", f"{sys.executable} fixer.py repair", f"--capture={capture}"
    )
    result.stdout.fnmatch_lines(["[[]1/6] ended    v converged*"])


def test_lines_pass_the_capturing_of_output(project: Project) -> None:
    """A line that is said while a test runs is not taken for the test's output."""
    project.write(
        "test_card.py",
        "from pytest_pixelloop.plugin.state import plugin_key\n"
        "def test_card(pytestconfig, capfd):\n"
        "    pytestconfig.stash[plugin_key].say('said at once')\n"
        "    assert capfd.readouterr().out == ''\n",
    )
    result = project.run_apart()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["said at once"])


ENDS = {
    "converges": ("repair", ALL[:3], "converged"),
    "at-the-cap": ("repair", ALL[:2], "converged"),
    "past-the-cap": ("repair", ALL, "not-converged:cap-exhausted"),
    "ping-pong-2": ("ping 2", ALL[:1], "not-converged:oscillating"),
    "ping-pong-3": ("ping 3", ALL[:1], "not-converged:oscillating"),
    "stalls": ("churn", ALL[:1], "not-converged:stalled"),
    "partial-then-stalls": ("partial", ALL, "not-converged:stalled"),
    "fix-crashes": ("crash", ALL[:1], "not-converged:breaker"),
    "fix-hangs": ("hang", ALL[:1], "not-converged:breaker"),
    "fix-changes-nothing": ("nothing", ALL[:1], "not-converged:breaker"),
    "fix-edits-the-design": ("edit-design", ALL[:1], "undetermined:goalposts-moved"),
    "fix-edits-the-manifest": ("edit-manifest", ALL[:1], "undetermined:goalposts-moved"),
    "fix-excuses-itself": ("excuse", ALL[:1], "undetermined:goalposts-moved"),
    "fix-edits-the-test": ("edit-test", ALL[:1], "undetermined:goalposts-moved"),
    "fix-takes-the-assertion-away": ("hijack", ALL[:1], "undetermined:goalposts-moved"),
    "fix-adds-a-better-ini": ("better-ini", ALL[:1], "undetermined:goalposts-moved"),
    "fix-adds-a-shared-ini": ("shared-ini", ALL[:1], "undetermined:goalposts-moved"),
    "fix-adds-a-conftest-beside": ("conftest-beside", ALL[:1], "undetermined:goalposts-moved"),
    "fix-adds-a-sitecustomize": ("startup", ALL[:1], "undetermined:goalposts-moved"),
    "fix-sets-up-another-tool": ("other-tool", ALL, "converged"),
    "two-colours-take-turns": ("colours", ALL[:1], "not-converged:oscillating"),
    "fix-deletes-the-design": ("delete-design", ALL[:1], "undetermined:goalposts-moved"),
    "page-becomes-blank": ("blank", ALL[:1], "undetermined:blank-capture"),
    "page-throws": ("throw", ALL[:1], "undetermined:test-error"),
}
CAPS = {"at-the-cap": "2", "past-the-cap": "2", "ping-pong-3": "9"}


@pytest.mark.parametrize("case", ENDS)
def test_how_a_loop_ends(project: Project, case: str) -> None:
    """Each scripted fixer leads to its own end; only convergence is green, nothing is an error."""
    fixer, wrong, status = ENDS[case]
    project.spoil(*wrong)
    if fixer == "edit-design":
        project.write("draft.png", _other_picture(project))
    timeout = "0.3" if fixer == "hang" else "60"
    result = project.loop(fixer, "--iteration-cap", CAPS.get(case, "6"), "--fix-timeout", timeout)
    assert project.status == status
    result.assert_outcomes(**{"passed" if status == "converged" else "failed": 1})
    text = result.stdout.str()
    assert "INTERNALERROR" not in text
    assert ("the page is not the design" in text) == status.startswith("not-converged")
    if status != "converged":
        result.stdout.fnmatch_lines([f"*ended*{status}*", f"{status}  test_card.py::test_card*"])
        assert status in text.partition("= FAILURES =")[2]


def _other_picture(project: Project) -> bytes:
    page = json.loads((project.path / "page.json").read_text("utf-8"))
    return draw(page)


def test_design_made_to_fit_the_page_does_not_pass(project: Project) -> None:
    """A fixer that copies the page over the design makes the comparison pass and the test fail."""
    project.spoil("title")
    project.write("draft.png", _other_picture(project))
    result = project.loop("edit-design")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "the test passes, but its loop ended as undetermined:goalposts-moved",
            "*design:designs/card.png changed*",
        ]
    )


@pytest.mark.parametrize(
    "limits", ["tolerance={'region_fail': 0.1 + note / 10}", "mask=[(60 + note, 50, 4, 4)]"]
)
def test_limits_that_change_between_iterations_are_moved_goalposts(
    project: Project, limits: str
) -> None:
    """A test whose tolerance or mask comes from a file that the fix edits is undetermined."""
    project.spoil("title")
    project.write(
        "test_card.py",
        "import json\nfrom draw import page, HERE\n"
        "def test_card(assert_matches_design):\n"
        "    note = json.loads((HERE / 'page.json').read_text()).get('note', 0)\n"
        f"    assert_matches_design(page(), 'card', {limits})\n",
    )
    project.loop("churn").assert_outcomes(failed=1)
    assert project.status == "undetermined:goalposts-moved"


def test_assertion_that_is_reached_later_joins_the_loop(project: Project) -> None:
    """A second design that is compared once the first one passes moves no goalposts."""
    project.write(
        "designs/designs.yaml",
        "schema_version: 1\ndesigns:\n"
        "  card: {image: card.png, gate: pixel}\n"
        "  twin: {image: card.png, gate: pixel}\n",
    )
    project.write(
        "test_card.py",
        "from draw import page\n"
        "def test_card(assert_matches_design):\n"
        "    assert_matches_design(page(), 'card')\n"
        "    assert_matches_design(page(), 'twin')\n",
    )
    project.spoil("title")
    project.loop("repair").assert_outcomes(passed=1)
    assert project.summary()["source"] == ["card", "twin"]


def test_create_mode_runs_the_fix_first(project: Project) -> None:
    """--mode=create measures iteration 1 first, after a fix."""
    project.spoil("title")
    project.loop("repair", "--mode=create").assert_outcomes(passed=1)
    kinds = [r["kind"] for r in ledger(project)]
    assert kinds.index("fix-ended") < kinds.index("measured")
    assert project.summary()["iterations"] == 1


def test_create_mode_fixes_nothing_for_a_skipped_test(project: Project) -> None:
    """A test that a marker skips costs no fix, in create mode neither."""
    project.write(
        "test_card.py",
        "import pytest\n@pytest.mark.skip\ndef test_card(assert_matches_design):\n    pass\n",
    )
    before = (project.path / "page.json").read_bytes()
    project.loop("churn", "--mode=create").assert_outcomes(skipped=1)
    assert (project.path / "page.json").read_bytes() == before
    assert not project.runs


def test_without_a_fixer_the_loop_measures_again(project: Project) -> None:
    """--pixel-loop alone loops until a stop rule ends it, and edits nothing."""
    project.spoil("title")
    project.run("--pixel-loop").assert_outcomes(failed=1)
    assert project.status == "not-converged:stalled"


FOREIGN = {
    "own-assert-after-pass": (
        (),
        "    assert_matches_design(page(), 'card')\n    assert 1 == 2\n",
        "undetermined:test-error",
        "failed",
    ),
    "exception-before": (
        ("title",),
        "    raise KeyError('x')\n",
        "undetermined:test-error",
        "failed",
    ),
    "exception-after-mismatch": (
        ("title",),
        "    visual_verdict(figma_baseline('card'), render_capture(page())); [][0]\n",
        "undetermined:test-error",
        "failed",
    ),
    "skip-after-mismatch": (
        ("title",),
        "    visual_verdict(figma_baseline('card'), render_capture(page())); pytest.skip('no')\n",
        "undetermined:skipped",
        "skipped",
    ),
    "xfail-after-mismatch": (
        ("title",),
        "    visual_verdict(figma_baseline('card'), render_capture(page())); pytest.xfail('x')\n",
        "undetermined:expected-failure",
        "xfailed",
    ),
    "verdict-not-asserted": (
        ("title",),
        "    assert not visual_verdict(figma_baseline('card'), render_capture(page())).passed\n",
        "undetermined:not-asserted",
        "passed",
    ),
    "nothing-compared": ((), "    pass\n", "undetermined:no-comparable-channel", "failed"),
    "unknown-tolerance": (
        (),
        "    assert_matches_design(page(), 'card', tolerance='pixels=1')\n",
        "undetermined:configuration",
        "failed",
    ),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_what_is_no_mismatch_is_not_looped(project: Project, case: str) -> None:
    """A test that ends for a reason of its own is run once, never fixed and never converged."""
    wrong, body, status, outcome = FOREIGN[case]
    project.spoil(*wrong)
    project.write(
        "test_card.py",
        "import pytest\nfrom draw import page\n"
        "def test_card(assert_matches_design, figma_baseline, render_capture, visual_verdict):\n"
        + body,
    )
    project.loop("repair").assert_outcomes(**{outcome: 1})
    assert project.status == status
    assert not [r for r in ledger(project) if r["kind"] == "fix-started"]


def test_plain_assert_on_a_verdict_is_looped(project: Project) -> None:
    """``assert verdict.passed`` loops as assert_matches_design does."""
    project.spoil("title", "photo")
    project.write(
        "test_card.py",
        "from draw import page\n"
        "def test_card(figma_baseline, render_capture, visual_verdict):\n"
        "    verdict = visual_verdict(figma_baseline('card'), render_capture(page()))\n"
        "    assert verdict.passed, verdict.explain()\n",
    )
    project.loop("repair").assert_outcomes(passed=1)
    assert project.summary()["iterations"] == 2


def test_setup_error_is_not_looped(project: Project) -> None:
    """A fixture that fails is an error, recorded as such, and nothing is fixed."""
    project.write(
        "test_card.py",
        "import pytest\n"
        "@pytest.fixture\ndef server():\n    raise OSError('port in use')\n"
        "def test_card(server, assert_matches_design):\n    pass\n",
    )
    project.loop("churn").assert_outcomes(errors=1)
    assert project.status == "undetermined:setup-error"


def test_imported_assertion_is_looped_where_it_is_seen(project: Project) -> None:
    """A test that calls the imported function by its name is looped without marker or fixture."""
    project.spoil("title")
    project.write(
        "test_card.py",
        "from pytest_pixelloop import assert_matches_design\nfrom draw import page\n"
        "def test_card():\n    assert_matches_design(page(), 'card')\n",
    )
    project.loop("repair").assert_outcomes(passed=1)


def test_hidden_assertion_is_measured_once_with_a_warning(project: Project) -> None:
    """An assertion hidden in a helper cannot be seen: one measurement, and the way out is told."""
    project.spoil("title")
    project.write(
        "test_card.py",
        "import pytest_pixelloop\nfrom draw import page\n"
        "def check():\n    pytest_pixelloop.assert_matches_design(page(), 'card')\n"
        "def test_card():\n    check()\n",
    )
    result = project.loop("repair")
    result.assert_outcomes(failed=1, warnings=1)
    result.stdout.fnmatch_lines(["*measured once and not looped*"])
    marked = (project.path / "test_card.py").read_text("utf-8")
    marked = marked.replace("def test_card", "import pytest\n@pytest.mark.design\ndef test_card")
    project.write("test_card.py", marked)
    project.loop("repair").assert_outcomes(passed=1)


def test_plain_tests_are_left_alone(project: Project) -> None:
    """Tests without designs run as ever beside looped ones, with --reruns too."""
    project.spoil("title")
    project.write(
        "test_plain.py",
        "def test_plain(tmp_path_factory):\n"
        "    path = tmp_path_factory.getbasetemp() / 'seen'\n"
        "    seen = path.exists()\n"
        "    path.touch()\n"
        "    assert seen\n",
    )
    result = project.loop("repair", "--reruns=1")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*2 passed, 2 rerun*"])


def test_iterations_per_run_goes_on_in_the_next_process(project: Project) -> None:
    """One iteration a process with one run id: in progress until it converges, nothing lost."""
    project.spoil("title", "photo")
    options = ("--run-id=work", "--iterations-per-run=1")
    project.loop("repair", *options).assert_outcomes(failed=1)
    assert project.status == "in-progress"
    project.loop("repair", *options).assert_outcomes(failed=1)
    project.loop("repair", *options).assert_outcomes(passed=1)
    summary = project.summary()
    assert (summary["status"], summary["iterations"], summary["processes"]) == ("converged", 2, 3)
    assert [p.name for p in project.runs] == ["work"]


def test_spent_cap_is_not_reset_by_a_new_process(project: Project) -> None:
    """A run that spent its cap fails with the reason, without another measurement or fix."""
    project.spoil(*ALL)
    options = ("--run-id=work", "--iteration-cap=1")
    project.loop("repair", *options).assert_outcomes(failed=1)
    before = (project.path / "page.json").read_bytes()
    result = project.loop("repair", *options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["nothing was measured: not-converged:cap-exhausted"])
    assert (project.path / "page.json").read_bytes() == before


def test_goalposts_that_move_between_processes_are_seen(project: Project) -> None:
    """A looser --tolerance for the next process of a run is told before anything is fixed."""
    project.spoil(*ALL)
    options = ("--run-id=work", "--iterations-per-run=1")
    project.loop("repair", *options)
    before = (project.path / "page.json").read_bytes()
    project.loop("repair", *options, "--tolerance=region_fail=1").assert_outcomes(failed=1)
    assert project.status == "undetermined:goalposts-moved"
    assert (project.path / "page.json").read_bytes() == before


def test_interrupt_is_recorded_and_resumed(project: Project) -> None:
    """Ctrl-C in an iteration leaves an ended ledger, and the run id goes on from there."""
    project.spoil("title")
    project.write(
        "test_card.py",
        "from draw import page, HERE\n"
        "def test_card(assert_matches_design):\n"
        "    if (HERE / 'stop').exists():\n"
        "        (HERE / 'stop').unlink()\n"
        "        raise KeyboardInterrupt\n"
        "    assert_matches_design(page(), 'card')\n",
    )
    project.write("stop", "")
    fixer = ("--pixel-loop", "--fix-command", f"{sys.executable} fixer.py repair", "--run-id=work")
    assert project.run_apart(*fixer).ret == pytest.ExitCode.INTERRUPTED
    assert project.status == "undetermined:interrupted"
    project.run_apart(*fixer).assert_outcomes(passed=1)
    assert project.status == "converged"


def test_another_process_in_the_run_is_refused(project: Project) -> None:
    """A ledger that another process writes fails the test in words, and nothing is fixed."""
    from pytest_pixelloop.store.ledger_file import LedgerFile

    project.spoil("title")
    project.loop("repair", "--run-id=work")
    (path,) = project.runs[-1].glob("tests/*/ledger.jsonl")
    project.spoil("title")
    before = (project.path / "page.json").read_bytes()
    with LedgerFile(path):
        result = project.loop("repair", "--run-id=work")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["this test of this run is being looped by another process"])
    assert (project.path / "page.json").read_bytes() == before


def test_exit_first_stops_after_the_loop(project: Project) -> None:
    """With -x a loop runs to its end, and the session stops after it."""
    project.spoil(*ALL)
    project.write("test_later.py", "def test_later():\n    pass\n")
    result = project.loop("churn", "-x")
    result.assert_outcomes(failed=1)
    assert project.status == "not-converged:stalled"


def test_summary_of_the_run_lists_its_tests(project: Project) -> None:
    """The run's own summary names every test and the worst status."""
    project.spoil("title")
    project.write("test_more.py", "from test_card import test_card as test_more  # noqa\n")
    project.loop("repair")
    record = json.loads((project.runs[-1] / "summary.json").read_text("utf-8"))
    assert record["counts"] == {"converged": 2}


def test_suite_without_visual_tests_leaves_nothing(project: Project) -> None:
    """--pixel-loop on a suite without visual tests leaves no run directory."""
    project.write("test_card.py", "def test_card():\n    pass\n")
    project.loop("repair").assert_outcomes(passed=1)
    assert not (project.path / ".pixelloop").exists()


def test_run_that_held_nothing_is_not_the_latest(project: Project) -> None:
    """A run without visual tests disappears, and ``latest`` names the one before."""
    project.run()
    latest = (project.path / ".pixelloop/latest").read_text("utf-8")
    project.write("test_card.py", "def test_card():\n    pass\n")
    project.loop("repair")
    assert (project.path / ".pixelloop/latest").read_text("utf-8") == latest
    assert len(project.runs) == 1


def test_held_out_comparison_is_measured_and_not_told(project: Project) -> None:
    """A held-out design keeps the loop from converging; a loop's failure names none of its places.

    The gate tells everything.
    """
    project.write(
        "designs/designs.yaml",
        "schema_version: 1\ndesigns:\n"
        "  card: {image: card.png, gate: pixel}\n"
        "  secret: {image: card.png, gate: pixel, hold_out: true}\n",
    )
    project.write("hidden.json", (project.path / "right.json").read_text("utf-8"))
    project.write(
        "test_card.py",
        "from draw import page\n"
        "def test_card(assert_matches_design):\n"
        "    assert_matches_design(page(), 'card')\n"
        "    assert_matches_design(page('hidden'), 'secret')\n",
    )
    hidden = (project.path / "hidden.json").read_text("utf-8").replace("#2563eb", "#ff00ff")
    project.write("hidden.json", hidden)
    project.spoil("price")
    result = project.loop("repair")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*1 held-out comparison: measured, and sealed until*"])
    result.stdout.fnmatch_lines(["held out: secret: fail, score *"])
    result.stdout.no_fnmatch_line("*at 8,8 24x12*")
    project.run().stdout.fnmatch_lines(["*at 8,8 24x12"])


def test_item_of_another_kind_is_left_to_pytest(project: Project) -> None:
    """A doctest beside visual tests is no visual test, whatever its names."""
    project.write("test_card.py", "")
    project.write("module.py", 'def f():\n    """\n    >>> f()\n    """\n')
    project.loop("repair", "--doctest-modules", "module.py").assert_outcomes(passed=1)


def test_run_folder_that_cannot_be_made_is_a_usage_error(project: Project) -> None:
    """Where the run directory cannot be made, pytest says so before it runs anything."""
    project.write(".pixelloop", "a file")
    result = project.loop("repair")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*cannot make the folder of the run*"])


def test_an_assertion_that_is_taken_away_between_processes_is_never_green(project: Project) -> None:
    """A conftest that appears between two processes of a run moves the goalposts, and fails."""
    project.spoil("title")
    words = ("--run-id", "X", "--iterations-per-run", "1")
    project.loop("hijack", *words).assert_outcomes(failed=1)
    for _ in range(2):
        result = project.run_apart(
            "--pixel-loop", "--fix-command", f"{sys.executable} fixer.py hijack", *words
        )
        result.assert_outcomes(failed=1)
        assert project.status == "undetermined:goalposts-moved"


def test_an_assertion_that_compares_nothing_is_no_convergence(project: Project) -> None:
    """A looped test whose assertion was replaced from the start is undetermined, and fails."""
    project.write(
        "conftest.py",
        "import pytest\n@pytest.fixture\ndef assert_matches_design():\n"
        "    return lambda *a, **k: None\n",
    )
    result = project.run_apart("--pixel-loop")
    result.assert_outcomes(failed=1)
    assert project.status == "undetermined:no-comparable-channel"
