"""Another environment is said first, and the noise of a page is measured on request."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from drawn_project import Project

#: Makes captures of pictures look as if a browser had taken them: env.json is its fingerprint, and
#: noise.json how many px differ from capture to capture.
BROWSER = """
import dataclasses, importlib, itertools, json, pathlib
import pytest
from pytest_pixelloop.core.fingerprint import fingerprint_of

HERE = pathlib.Path(__file__).parent
# Where the name is looked up, in the module of this run: the package may still hold that of an
# earlier one in this process.
design_capture = importlib.import_module("pytest_pixelloop.capture.design_capture")
real = design_capture.capture_target
counter = itertools.count()


def capture_target(*given, **named):
    capture = real(*given, **named)
    environment = json.loads((HERE / "env.json").read_text())
    image = capture.image.copy()
    if (HERE / "noise.json").exists():
        image[0:12, 0 : 12 * (next(counter) % 2)] = (255, 0, 255, 255)
    environment["fingerprint"] = fingerprint_of(environment)
    return dataclasses.replace(capture, image=image, environment=environment)


@pytest.fixture(autouse=True)
def captured(monkeypatch):
    monkeypatch.setattr(design_capture, "capture_target", capture_target)
"""


@pytest.fixture
def browsed(project: Project) -> Project:
    """Give a project whose pictures are captures of a browser with a fingerprint."""
    project.write("conftest.py", BROWSER)
    _environment(project, "156.0")
    return project


def _environment(project: Project, version: str) -> None:
    environment = {"browser": "chromium", "browser_version": version, "fonts": "abc"}
    project.write("env.json", json.dumps(environment))


def test_resumed_run_says_first_that_the_browser_is_another(browsed: Project) -> None:
    """ENV_CHANGED with the names is in the transcript, the section, the summary and the report."""
    browsed.spoil("title", "photo")
    browsed.write("tox.ini", "[pytest]\npixelloop_sources = page.json\n")
    words = ("--run-id=r", "--iterations-per-run=1")
    browsed.loop("repair", *words)
    _environment(browsed, "157.0")
    result = browsed.loop("repair", *words)
    told = "ENV_CHANGED: browser_version 156.0 -> 157.0"
    lines = result.outlines
    first = next(n for n, line in enumerate(lines) if line.startswith(told))
    assert "compare" in lines[first + 1]
    section = next(n for n, line in enumerate(lines) if "= pixelloop =" in line)
    assert lines[section + 1] == f"{told} (test_card.py::test_card)"
    (folder,) = browsed.runs[-1].glob("tests/test_card-*")
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    assert summary["environment_changed"] == ["browser_version 156.0 -> 157.0"]
    body = (folder / "summary.md").read_text("utf-8").partition("\n---\n")[2]
    assert body.splitlines()[3].startswith("**ENV_CHANGED**: browser")
    report = json.loads((folder / "diff/01/card.report.json").read_text("utf-8"))
    assert report["environment"]["changed"] == ["browser_version 156.0 -> 157.0"]
    assert report["warnings"][0] == told


def test_same_environment_says_nothing(browsed: Project) -> None:
    """A run that goes on with the same browser does not mention it."""
    browsed.spoil("title", "photo")
    words = ("--run-id=r", "--iterations-per-run=1")
    browsed.loop("repair", *words)
    result = browsed.loop("repair", *words)
    assert "ENV_CHANGED" not in result.stdout.str()


def test_noise_is_measured_once_and_recorded(browsed: Project) -> None:
    """--noise-captures tells how far the page differs from itself, before the first fix only."""
    browsed.spoil("title", "photo")
    browsed.write("noise.json", "{}")
    result = browsed.loop("repair", "--noise-captures=3", "--iteration-cap=1")
    result.stdout.fnmatch_lines(
        ["note: card: noise floor * over 3 captures: at most 128 px differ*"]
    )
    (folder,) = browsed.runs[-1].glob("tests/test_card-*")
    reports = [
        json.loads((folder / f"diff/0{n}/card.report.json").read_text("utf-8")) for n in (0, 1)
    ]
    assert reports[0]["noise"]["captures"] == 3
    assert reports[0]["noise"]["floor"] > 0
    assert reports[1]["noise"] == {}
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    assert summary["noise_floor"] == reports[0]["noise"]["floor"]


@pytest.mark.parametrize("known", [True, False])
def test_unstable_rule_knows_the_noise(browsed: Project, known: bool) -> None:  # noqa: FBT001
    """A score that moves by no more than the measured noise does not end the loop as unstable."""
    browsed.spoil("title", "photo")
    browsed.write("noise.json", "{}")
    browsed.write("tox.ini", "[pytest]\npixelloop_sources = page.json\n")
    # An odd number of captures, so that iteration 1 shows the other of the two pictures.
    captures = ["--noise-captures=3"] if known else []
    command = f"{sys.executable} fixer.py nothing"
    browsed.run("--pixel-loop", "--fix-command", command, "--iteration-cap=1", *captures)
    status = browsed.summary()["status"]
    assert (status == "undetermined:unstable-render") is not known


@pytest.mark.parametrize("value", ["0", "many", "-1"])
def test_number_of_captures_must_be_one(project: Project, value: str) -> None:
    """What is no whole number of 1 or more is a usage error that names the option."""
    result = project.run(f"--noise-captures={value}")
    result.stderr.fnmatch_lines([f"*--noise-captures: '{value}' is not a whole number*"])
