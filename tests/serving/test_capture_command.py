"""The capture command: what it is told, and everything that may be wrong with its pictures."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pytest_pixelloop.capture.capture_command import CaptureCommand, Renderer
from pytest_pixelloop.capture.rendering import Rendering, Unreached
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """
import json, os, pathlib, shutil, sys, time
here = pathlib.Path(os.environ["PIXELLOOP_CAPTURE_DIR"])
plan = json.loads(pathlib.Path(os.environ["PIXELLOOP_PLAN"]).read_text())
golden = pathlib.Path("golden.png")
"""
GOOD = (
    'for entry in plan["comparisons"]:\n    (here / entry["file"]).write_bytes(golden.read_bytes())'
)


def _design(label: str, theme: str | None = None) -> Design:
    image = np.full((20, 30, 4), 255, np.uint8)
    return Design(name="card", label=label, image=image, frame=(15.0, 10.0), scale=2.0, theme=theme)


DESIGNS = (_design("1-1"), _design("1-1__dark", "dark"))


def _command(folder: Path, script: str, *, timeout: float = 60.0) -> CaptureCommand:
    write_png(folder / "golden.png", np.full((20, 30, 4), 200, np.uint8))
    (folder / "render.py").write_text(HEAD + script, encoding="utf-8")
    renderer = Renderer(
        command=f"{shlex.quote(sys.executable)} render.py", root=folder, timeout=timeout
    )
    return CaptureCommand(renderer, environ={**os.environ, "FIGMA_TOKEN": "figd_secret"})


def _render(folder: Path, script: str) -> Rendering:
    given = _command(folder, script).render(DESIGNS, folder / "out")
    assert isinstance(given, Rendering), given.error
    return given


def test_every_label_becomes_a_capture(tmp_path: Path) -> None:
    """One call for all labels; each capture is its picture, at the design's scale."""
    given = _render(tmp_path, GOOD + '\nopen("calls.txt", "a").write("x")')
    for design in DESIGNS:
        capture = capture_target(
            given, frame=design.frame, scale=design.scale, viewport=None, theme=design.theme
        )
        assert capture.pixel_size == (30, 20)
        assert capture.scale == 2
        assert capture.dom is not None
        assert not capture.dom.meaningful
        assert capture.source.endswith(f"/{design.label}.png")
        assert capture.environment["renderer"] == "command"
    assert (tmp_path / "calls.txt").read_text() == "x"


def test_what_the_command_is_told(tmp_path: Path) -> None:
    """Folder (empty), labels, sizes and variants; no Figma token; the root as its folder."""
    script = GOOD + (
        '\nassert sorted(p.name for p in here.iterdir()) == ["1-1.png", "1-1__dark.png"]'
        '\njson.dump([dict(os.environ), plan, os.getcwd()], open("told.json", "w"))'
    )
    _render(tmp_path, script)
    environ, plan, cwd = json.loads((tmp_path / "told.json").read_text())
    assert environ["PIXELLOOP_LABELS"].split() == ["1-1", "1-1__dark"]
    assert "figd_secret" not in environ.values()
    assert cwd == str(tmp_path)
    assert plan["schema_version"] == 1
    assert plan["comparisons"][1] == {
        "label": "1-1__dark",
        "file": "1-1__dark.png",
        "width": 15.0,
        "height": 10.0,
        "scale": 2.0,
        "pixel_width": 30,
        "pixel_height": 20,
        "viewport": None,
        "theme": "dark",
    }


ONE = '(here / "1-1.png").write_bytes(golden.read_bytes())\n'
BAD = [
    ("", "wrote no picture (it wrote 1-1.png)"),
    ('(here / "1-1__dark.PNG").write_bytes(b"x")', "wrote no picture (it wrote 1-1.png, 1-1__dark"),
    ('os.symlink(golden.absolute(), here / "1-1__dark.png")', "is a link"),
    ('os.link(golden, here / "1-1__dark.png")', "is a link"),
    ('os.utime(golden, (1e9, 1e9)); shutil.copy2(golden, here / "1-1__dark.png")', "older than"),
    ('(here / "1-1__dark.png").mkdir()', "is no file"),
    ('(here / "1-1__dark.png").write_bytes(golden.read_bytes()[:40])', "1-1__dark.png"),
    ('(here / "1-1__dark.png").write_bytes(b"")', "1-1__dark.png"),
]


@pytest.mark.parametrize(("script", "said"), BAD)
def test_a_picture_that_is_none_fails_its_own_label(tmp_path: Path, script: str, said: str) -> None:
    """Missing, linked, stale or broken: that label is a failed capture, the other one stands."""
    given = _render(tmp_path, ONE + script)
    capture_target(given, frame=(15, 10), scale=2)
    with pytest.raises(CaptureError) as caught:
        capture_target(given, frame=(15, 10), scale=2, theme="dark")
    assert caught.value.reason in {"capture-failed", "image-unreadable"}
    assert said in str(caught.value)


def test_a_folder_that_is_gone_is_a_failed_capture(tmp_path: Path) -> None:
    """A command that removes the folder of its pictures is told so, for every label."""
    given = _render(tmp_path, "shutil.rmtree(here)")
    for theme in (None, "dark"):
        with pytest.raises(CaptureError) as caught:
            capture_target(given, frame=(15, 10), scale=2, theme=theme)
        assert caught.value.reason == "capture-failed"
        assert "removed the folder" in caught.value.what


def test_nothing_of_an_earlier_call_is_taken(tmp_path: Path) -> None:
    """A second call that writes nothing fails, although the first one wrote everything."""
    _render(tmp_path, GOOD)
    given = _render(tmp_path, "pass")
    with pytest.raises(CaptureError, match="wrote no picture"):
        given.picture(viewport=None, theme=None)


@pytest.mark.parametrize(
    ("script", "timeout", "said"),
    [
        (GOOD + '\nprint("no emulator"); sys.exit(3)', 60.0, "ended with exit code 3"),
        ('print("no emulator", flush=True); time.sleep(600)', 2.0, "took longer than its time"),
    ],
)
def test_a_command_that_fails_is_a_target_that_was_not_reached(
    tmp_path: Path, script: str, timeout: float, said: str
) -> None:
    """Whatever it wrote before: unreachable, with its last lines, for every label."""
    given = _command(tmp_path, script, timeout=timeout).render(DESIGNS, tmp_path / "out")
    assert isinstance(given, Unreached)
    assert given.error.reason == "unreachable"
    assert said in given.error.what
    assert "| no emulator" in given.error.where
    with pytest.raises(CaptureError, match=said):
        capture_target(given, frame=(15, 10), scale=2)


def test_a_command_that_cannot_be_run_is_refused_before(tmp_path: Path) -> None:
    """A program that is not there, of the command or of a reload, is a configuration error."""
    with pytest.raises(ConfigurationError, match="capture command's program is not found"):
        CaptureCommand(Renderer(command="no-such-renderer", root=tmp_path), environ=os.environ)
    renderer = Renderer(command=sys.executable, root=tmp_path, reloads=("./no-reload",))
    with pytest.raises(ConfigurationError, match="reload command's program does not exist"):
        CaptureCommand(renderer, environ=os.environ)
