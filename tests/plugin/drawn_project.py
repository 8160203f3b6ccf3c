"""A small project with visual tests that need no browser: pages drawn from JSON files.

The heavy packages are imported here, because pytester forgets every module that a run in this
process imports, and they do not bear being imported twice.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import PIL.Image
import PIL.ImageDraw
import yaml

import pytest_pixelloop.session  # noqa: F401 - see above

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

IMPORTED_ONCE = (cv2, np, yaml, PIL)

DRAW = '''
import io, json, pathlib
from PIL import Image, ImageDraw

HERE = pathlib.Path(__file__).parent


def draw(spec):
    """Return a PNG with a box for each entry of spec["boxes"]: name -> [x, y, w, h, colour]."""
    image = Image.new("RGB", spec.get("size", [96, 64]), spec.get("background", "#ffffff"))
    pen = ImageDraw.Draw(image)
    for x, y, w, h, colour in spec["boxes"].values():
        pen.rectangle([x, y, x + w - 1, y + h - 1], fill=colour)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def page(name="page"):
    return draw(json.loads((HERE / f"{name}.json").read_text()))
'''

FIXER = '''
"""Scripted fixers. What is right stands in right.json."""
import json, pathlib, sys, time

HERE = pathlib.Path(__file__).parent
PAGE = HERE / "page.json"
what = sys.argv[1]
page = json.loads(PAGE.read_text())
right = json.loads((HERE / "right.json").read_text())
brief = sys.stdin.read()
wrong = [name for name in right["boxes"] if page["boxes"][name] != right["boxes"][name]]


def save(value):
    PAGE.write_text(json.dumps(value))


if what in ("repair", "partial"):
    if what == "partial" and len(wrong) <= 2:
        wrong, page["note"] = [], page.get("note", 0) + 1
    for name in wrong[:1]:
        page["boxes"][name] = right["boxes"][name]
    save(page)
elif what == "ping":
    turn = page["turn"] = page.get("turn", 0) + 1
    period = int(sys.argv[2])
    for index, name in enumerate(right["boxes"]):
        page["boxes"][name] = list(right["boxes"][name])
        if index == turn % period:
            page["boxes"][name][4] = "#ff00ff"
    save(page)
elif what == "churn":
    page["note"] = page.get("note", 0) + 1
    save(page)
elif what == "crash":
    sys.exit("cannot fix this")
elif what == "hang":
    time.sleep(600)
elif what == "blank":
    save({"boxes": {}})
elif what == "throw":
    PAGE.write_text("not json")
elif what == "edit-design":
    (HERE / "designs" / "card.png").write_bytes((HERE / "draft.png").read_bytes())
elif what == "edit-manifest":
    path = HERE / "designs" / "designs.yaml"
    path.write_text(path.read_text() + "    tolerance: {pixel: 9}\\n")
elif what == "excuse":
    (HERE / "designs" / "judgements.yaml").write_text("schema_version: 1\\n")
elif what == "delete-design":
    (HERE / "designs" / "card.png").unlink()
elif what == "edit-ini":
    (HERE / "tox.ini").write_text("[pytest]\\npixelloop_tolerance = pixel=9\\n")
elif what == "better-ini":
    (HERE / "pytest.ini").write_text("[pytest]\\npixelloop_tolerance = pixel=9\\n")
elif what == "shared-ini":
    (HERE / "pyproject.toml").write_text("[tool.pytest.ini_options]\\naddopts = '-x'\\n")
elif what == "other-tool":
    (HERE / "pyproject.toml").write_text("[tool.ruff]\\nline-length = 100\\n")
    (HERE / "package.json").write_text("{}")
    (HERE / "tests_later").mkdir()
    (HERE / "tests_later" / "test_more.py").write_text("")
    page["boxes"] = right["boxes"]
    save(page)
elif what == "conftest-beside":
    (HERE / "tests_later").mkdir()
    (HERE / "tests_later" / "conftest.py").write_text("")
elif what == "startup":
    (HERE / "sitecustomize.py").write_text("")
elif what == "hijack":
    (HERE / "conftest.py").write_text(
        "import pytest\\n@pytest.fixture\\ndef assert_matches_design():\\n"
        "    return lambda *a, **k: None\\n"
    )
elif what == "colours":
    name = next(iter(right["boxes"]))
    now = page["boxes"][name][4]
    page["boxes"][name][4] = "#ff0000" if now == "#ff00ff" else "#ff00ff"
    save(page)
elif what == "edit-test":
    path = HERE / "test_card.py"
    path.write_text(path.read_text() + "\\n# looser\\n")
elif what != "nothing":
    sys.exit(f"unknown fixer {what}")
print("fixed", what)
'''

MANIFEST = """\
schema_version: 1
designs:
  card:
    image: card.png
    gate: pixel
"""

CARD_TEST = """
from draw import page


def test_card(assert_matches_design):
    assert_matches_design(page(), "card")
"""

RIGHT: dict[str, Any] = {
    "boxes": {
        "title": [8, 8, 24, 12, "#2563eb"],
        "photo": [40, 8, 24, 12, "#16a34a"],
        "price": [8, 32, 24, 12, "#111827"],
        "button": [40, 32, 24, 12, "#dc2626"],
    }
}

#: What tests of this folder do not need, and what would only cost time in each of their runs.
QUIET = ("-p", "no:playwright", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")


def draw(spec: dict[str, Any]) -> bytes:
    """Return the PNG of a page, as the project's own draw.py does."""
    names: dict[str, Any] = {"__file__": __file__}
    exec(compile(DRAW, "draw.py", "exec"), names)
    picture: bytes = names["draw"](spec)
    return picture


@dataclass(frozen=True)
class Project:
    """A project with one design, ``card``, whose page has *wrong* boxes of another colour."""

    pytester: pytest.Pytester

    @property
    def path(self) -> Path:
        """The project's folder, also the rootdir of its pytest."""
        return self.pytester.path

    def spoil(self, *names: str, colour: str = "#ff00ff") -> None:
        """Give the named boxes of the page a wrong colour, and all others the right one."""
        page = json.loads(json.dumps(RIGHT))
        for name in names:
            page["boxes"][name][4] = colour
        self.write("page.json", json.dumps(page))

    def write(self, name: str, content: str | bytes) -> Path:
        """Write one file of the project."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        return path

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run pytest on the project in this process."""
        return self.pytester.runpytest_inprocess(*QUIET, *arguments)

    def run_apart(self, *arguments: str) -> pytest.RunResult:
        """Run pytest on the project in a process of its own."""
        return self.pytester.runpytest_subprocess(*QUIET, *arguments)

    def loop(self, fixer: str, *arguments: str) -> pytest.RunResult:
        """Run pytest with the loop and one of the scripted fixers, in this process."""
        command = f"{sys.executable} fixer.py {fixer}"
        return self.run("--pixel-loop", "--fix-command", command, *arguments)

    @property
    def runs(self) -> list[Path]:
        """The run folders, oldest first."""
        return sorted(self.path.glob(".pixelloop/runs/*"))

    def summary(self, test: str = "test_card") -> dict[str, Any]:
        """Return ``summary.json`` of a test of the last run."""
        (path,) = self.runs[-1].glob(f"tests/*{test}-*/summary.json")
        record: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return record

    @property
    def status(self) -> str:
        """The end status of ``test_card`` in the last run."""
        return str(self.summary()["status"])
