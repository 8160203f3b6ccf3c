"""The channels beside the pixels, asked for in every way that a user may ask."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.plugin.channels import merged_answers

if TYPE_CHECKING:
    from drawn_project import Project

WITNESS = """
import json, pathlib, sys
question = json.load(sys.stdin)
pathlib.Path("asked.txt").open("a").write(question["label"] + "\\n")
print(json.dumps({"findings": [{"message": "the logo is upside down", "priority": sys.argv[1]}],
                  "tokens": 10, "cost_usd": 0.5}))
"""
HOOK = """
def pytest_pixelloop_vision(capture):
    assert capture.image.shape == (64, 96, 4)
    {body}
"""


def report(project: Project) -> dict[str, Any]:
    """Return the one report of the last run."""
    (path,) = project.runs[-1].glob("tests/*/diff/00/*.report.json")
    record: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return record


def look(project: Project, priority: str) -> str:
    """Return the words that ask a witness who finds one thing of that priority."""
    project.write("witness.py", WITNESS)
    return f"{sys.executable} witness.py {priority}"


def test_a_vision_p0_fails_a_test_whose_pixels_match(project: Project) -> None:
    """The failure names the channel, the finding counts into the score, pixels stay as they are."""
    result = project.run("--vision-command", look(project, "P0"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*card: fail*by appearance*", "*the logo is upside down*"])
    record = report(project)
    assert record["status"] == "fail"
    assert record["verdicts"]["visual"] == "pass"
    assert record["verdicts"]["causes"] == ["appearance"]
    assert record["score"] == 10.0
    assert record["confidence"] == 1.0
    (found,) = record["findings"]
    assert (found["source"], found["channel"], found["gating"]) == ("vision", "appearance", True)


@pytest.mark.parametrize(
    "words", [("--appearance", "report"), ("--appearance", "vision=P1"), ("--appearance", "off")]
)
def test_a_user_may_take_it_down(project: Project, words: tuple[str, ...]) -> None:
    """Mode and priority decide what gates; off asks nobody."""
    result = project.run("--vision-command", look(project, "P0"), *words)
    result.assert_outcomes(passed=1)
    assert report(project)["score"] == 0
    assert (project.path / "asked.txt").exists() is (words[1] != "off")


def test_what_vision_costs_stands_in_the_run(project: Project) -> None:
    """run.json and the channel's record have calls, tokens and USD."""
    project.run("--vision-command", look(project, "P2")).assert_outcomes(passed=1)
    run = json.loads((project.runs[-1] / "run.json").read_text("utf-8"))
    expected = {"calls": 1, "tokens": 10, "cost_usd": 0.5}
    assert run["vision"] == expected
    vision = report(project)["channels"]["appearance"]["vision"]
    assert vision["run_total"] == expected
    assert vision["asked"][0]["by"] == "command"


def test_a_loop_asks_once_for_a_picture_that_stays(project: Project) -> None:
    """Two iterations with equal pictures cost one call."""
    project.spoil("title")
    project.loop("churn", "--vision-command", look(project, "P2"), "--iteration-cap", "3")
    assert (project.path / "asked.txt").read_text("utf-8") == "card\n"


@pytest.mark.parametrize(
    ("body", "outcome", "said"),
    [
        ('return [{"message": "m", "priority": "P0"}]', "failed", "compared"),
        ('return {"findings": [], "tokens": 3}', "passed", "compared"),
        ("return None", "passed", "gave no answer"),
        ("return 3", "passed", "an answer that is none"),
        ('return [{"message": "m", "priority": "P9"}]', "passed", "unusable"),
        ("raise RuntimeError('no key')", "passed", "raised RuntimeError: no key"),
    ],
)
def test_the_hook_is_asked_and_not_trusted(
    project: Project, body: str, outcome: str, said: str
) -> None:
    """Its findings count; what it throws or garbles is said, and neither passes nor fails."""
    project.write("conftest.py", HOOK.format(body=body))
    project.run().assert_outcomes(**{outcome: 1})
    assert said in report(project)["channels"]["appearance"]["vision"]["status"]


def test_a_look_that_did_not_happen_is_said_of_a_test_that_passes(project: Project) -> None:
    """Nobody reads the report of a green test, so the terminal says it."""
    project.write("conftest.py", HOOK.format(body="raise RuntimeError('no key')"))
    result = project.run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["pass *", "  warning: card: vision not run:*no key*"])


def test_a_page_without_a_server_is_told_how_to_get_one(project: Project) -> None:
    """An address is a missing file where nothing is served; the message knows both."""
    project.write(
        "test_card.py",
        'def test_card(assert_matches_design):\n    assert_matches_design("/checkout", "card")\n',
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*undetermined:image-unreadable*", "*--serve-url*"])


def test_expectations_of_a_picture_are_skipped_in_words(project: Project) -> None:
    """A picture has no accessibility tree: neither pass nor fail, and no file."""
    project.write(
        "test_card.py",
        "from draw import page\n\n\ndef test_card(assert_matches_design):\n"
        '    assert_matches_design(page(), "card", expect=[{"role": "button", "name": "Pay"}])\n',
    )
    project.run().assert_outcomes(passed=1)
    record = report(project)
    assert record["channels"]["functional"] == "skipped: a picture has no accessibility tree"
    assert record["verdicts"]["functional"] == "skipped"
    assert not list(project.runs[-1].glob("tests/*/diff/00/*.functional.json"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--appearance", "gates"), "unknown mode"),
        (("--appearance", "contrast=P5"), "unknown priority"),
        (("--vision-command", "./nobody"), "vision command's program does not exist"),
        (("--vision-timeout", "0"), "--vision-timeout"),
        (("-o", "pixelloop_appearance=colour=P0"), "unknown check"),
        (("-o", "pixelloop_appearance_allow=contrast:"), "names nothing"),
    ],
)
def test_wrong_words_stop_the_session(project: Project, words: tuple[str, ...], said: str) -> None:
    """One message before any test runs."""
    result = project.run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


@pytest.mark.parametrize(
    "marker",
    [
        'expect=[{"role": ""}]',
        'expect="button"',
        'appearance="gates"',
        'allow=["*"]',
    ],
)
def test_a_wrong_marker_stops_the_session(project: Project, marker: str) -> None:
    """The marker is checked at collection."""
    project.write(
        "test_card.py",
        f"import pytest\n\n\n@pytest.mark.design({marker})\ndef test_card():\n    pass\n",
    )
    assert project.run().ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("expect: [{role: button, nome: Pay}]", "nome"),
        ("expect: [button]", "is no list item"),
        ("appearance: {contrast: P7}", "P7"),
        ('allow: ["contrast:"]', "names nothing"),
    ],
)
def test_a_wrong_manifest_entry_names_its_line(project: Project, entry: str, said: str) -> None:
    """File and line come with what is wrong."""
    path = project.path / "designs" / "designs.yaml"
    path.write_text(path.read_text("utf-8") + f"    {entry}\n")
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{said}*", "*designs.yaml:6*"])


def test_the_manifest_asks_as_a_call_does(project: Project) -> None:
    """appearance: off in the manifest is what the report says."""
    path = project.path / "designs" / "designs.yaml"
    more = (
        "    appearance: off\n    expect: [{role: button, name: Pay, enabled: true}]\n"
        '    allow: ["#x"]\n'
    )
    path.write_text(path.read_text("utf-8") + more)
    project.run().assert_outcomes(passed=1)
    channels = report(project)["channels"]
    assert channels["appearance"] == "off"
    assert channels["functional"].startswith("skipped: a picture")


def test_several_hooks_are_one_answer() -> None:
    """Findings, tokens and costs add up."""
    parts: list[Any] = [[{"message": "a"}], {"findings": [{"message": "b"}], "tokens": 2}]
    merged = merged_answers(parts)["answer"]
    assert [f["message"] for f in merged["findings"]] == ["a", "b"]
    assert merged["tokens"] == 2
