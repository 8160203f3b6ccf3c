"""``pixelloop verify`` with a served application, a route, or a capture command."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from served_project import APP, app_command, lives

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.cli.main import main
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from pathlib import Path

URL = "http://127.0.0.1:{port}/"
MANIFEST = "schema_version: 1\ndesigns:\n  card:\n    image: card.png\n"
RENDER = """
import os, pathlib, shutil, sys
for label in os.environ["PIXELLOOP_LABELS"].split():
    shutil.copyfile(sys.argv[1], pathlib.Path(os.environ["PIXELLOOP_CAPTURE_DIR"], label + ".png"))
"""
PAGE = """<!doctype html><style>body{margin:0;background:#fff}#box{width:100px;height:50px;
background:#dc2626}#box.open{background:#16a34a}</style><div id=box></div>
<button data-testid=open style="position:fixed;left:-90px" onclick="box.className='open'">.</button>
"""


def _browser_missing() -> bool:
    try:
        find_browser(None, environ=os.environ)
    except CaptureError:
        return True
    return False


needs_browser = pytest.mark.skipif(_browser_missing(), reason="no Chromium: pixelloop browser")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the current folder: the design ``card`` (a green box on white), an application."""
    image = np.full((100, 200, 4), 255, np.uint8)
    image[:50, :100, :3] = (22, 163, 74)
    write_png(tmp_path / "right.png", image)
    write_png(tmp_path / "wrong.png", np.ascontiguousarray(image[:, ::-1]))
    (tmp_path / "designs").mkdir()
    write_png(tmp_path / "designs" / "card.png", image)
    (tmp_path / "designs" / "designs.yaml").write_text(MANIFEST)
    (tmp_path / "render.py").write_text(RENDER)
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "page.html").write_text(PAGE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def render(picture: str) -> str:
    """Return a capture command that gives that picture."""
    return f"{shlex.quote(sys.executable)} render.py {picture}"


def serve(fault: str = "none", timeout: str = "30") -> list[str]:
    """Return the words that serve the application."""
    command = app_command(fault=fault)
    return ["--serve-command", command, "--serve-url", URL, "--serve-timeout", timeout]


@pytest.mark.parametrize(("picture", "code"), [("right.png", 0), ("wrong.png", 1)])
def test_a_capture_command_is_judged(project: Path, picture: str, code: int) -> None:
    """Its picture passes or fails as any other; with --output its folder is kept."""
    words = ["verify", "card", "--capture-command", render(picture)]
    assert main([*words, "--output", str(project / "out")]) == code
    assert list(project.glob("out/capture-*/pictures/card.png"))
    assert not (project / ".pixelloop").exists()


def test_a_capture_command_that_gives_nothing_exits_2(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No picture is no mismatch: undetermined, named by its label or by its exit code."""
    command = f"{shlex.quote(sys.executable)} -c pass"
    assert main(["verify", "card", "--capture-command", command]) == 2
    assert "card: the capture command wrote no picture" in capsys.readouterr().out
    assert main(["verify", "card", "--capture-command", render("nowhere.png")]) == 2
    assert "undetermined:unreachable" in capsys.readouterr().out


def test_the_manifest_names_the_command(project: Path) -> None:
    """capture_command: of a design is run where the command line names nothing to judge."""
    line = f"    capture_command: {render('right.png')}\n"
    (project / "designs" / "designs.yaml").write_text(MANIFEST + line)
    assert main(["verify", "card"]) == 0
    assert main(["verify", "card", "--actual", "wrong.png"]) == 1


@pytest.mark.parametrize(
    ("fault", "timeout", "said"),
    [
        ("dies-at-start", "30", "ended by itself before it answered, with exit code 3"),
        ("hangs", "1", "does not answer within"),
        ("500", "1", "answers with status 500"),
    ],
)
def test_an_application_that_does_not_come_up_exits_2(
    project: Path, fault: str, timeout: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Undetermined with the reason and the last lines; no browser is needed to say so."""
    assert main(["verify", "card", *serve(fault, timeout)]) == 2
    out = capsys.readouterr().out
    assert "undetermined:unreachable" in out
    assert said in out
    assert "| application start 1" in out
    pids = [int(word) for word in (project / "starts.txt").read_text().split()]
    assert not any(lives(pid) for pid in pids)
    assert not (project / ".pixelloop").exists()


@needs_browser
def test_a_route_is_followed_in_a_served_application(project: Path) -> None:
    """The box is green only after the step; the application is started and ended."""
    nav = project / "nav.yaml"
    nav.write_text("schema_version: 1\nroute: /\nsteps:\n  - tap: {test_id: open}\n")
    page = (project / "page.html").read_text().replace("position:fixed;left:-90px", "opacity:0")
    (project / "page.html").write_text(page)
    assert main(["verify", "card", *serve()]) == 1
    assert main(["verify", "card", "--nav", "nav.yaml", *serve()]) == 0
    (project / "designs" / "designs.yaml").write_text(MANIFEST + "    nav: ../nav.yaml\n")
    assert main(["verify", "card", *serve()]) == 0
    pids = [int(word) for word in (project / "starts.txt").read_text().split()]
    assert len(pids) == 3
    assert not any(lives(pid) for pid in pids)


@needs_browser
def test_a_route_that_is_not_reached_exits_2(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The step that fails is named, and nothing is compared."""
    nav = "schema_version: 1\nroute: /\nsteps:\n  - tap: {test_id: nowhere}\n"
    (project / "nav.yaml").write_text(nav)
    assert main(["verify", "card", "--nav", "nav.yaml", *serve()]) == 2
    out = capsys.readouterr().out
    assert "undetermined:capture-failed" in out
    assert "step 1 of 1 (tap test id 'nowhere')" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["card"], "say what to judge"),
        (["card", "--actual", "right.png", "--capture-command", "x"], "only once"),
        (["card", "--nav", "nav.yaml", "--actual", "right.png"], "only once"),
        (["card", "--serve-command", "x"], "--serve-command needs --serve-url"),
        (["card", "--serve-url", "nowhere"], "is not the address of an application"),
        (["card", "--serve-url", "http://h/", "--serve-timeout", "0"], "no waiting time"),
        (["card", "--capture-command", "no-such-renderer"], "program is not found"),
        (["card", "--nav", "missing.yaml", "--url", "http://127.0.0.1:1/"], "missing.yaml"),
        (["card", "--nav", "half.yaml"], "no whole URL"),
    ],
)
def test_wrong_words_about_the_target_exit_2(
    project: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused in words, without a traceback."""
    (project / "half.yaml").write_text("schema_version: 1\nroute: /checkout\n")
    assert main(["verify", *words]) == 2
    captured = capsys.readouterr()
    assert said in captured.err + captured.out
    assert "Traceback" not in captured.err + captured.out


def test_a_line_of_a_batch_runs_no_program(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which program is run is said on the command line, never by a line of data."""
    batch = project / "batch.jsonl"
    batch.write_text(json.dumps({"name": "card", "capture_command": render("right.png")}) + "\n")
    assert main(["verify", "--batch", str(batch)]) == 2
    assert "unknown key 'capture_command'" in capsys.readouterr().out
    batch.write_text(json.dumps({"name": "card"}) + "\n")
    assert main(["verify", "--batch", str(batch), "--capture-command", render("right.png")]) == 0
