"""Projects whose loops are killed: what each fixer does, and how an undisturbed loop ends."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
DRAWN_TEST = """
import io, json, pathlib
from PIL import Image

SITE = pathlib.Path(__file__).parent / "site"


def page():
    image = Image.new("RGB", (160, 120), "#ffffff")
    for x, y, w, h, colour in json.loads((SITE / "page.json").read_text())["boxes"]:
        image.paste(colour, (x, y, x + w, y + h))
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def test_page(assert_matches_design):
    assert_matches_design(page(), "card")
"""
FIXER = """
import json, os, pathlib, sys, time

SITE = pathlib.Path("site")
PAGE = SITE / "page.json"
what = sys.argv[1]
page = json.loads(PAGE.read_text())


def write(path, text):  # whole or not at all: what is torn is never this fixer's doing
    new = path.with_name(path.name + f".{os.getpid()}.new")
    new.write_text(text)
    new.replace(path)


time.sleep(0.05)
if what == "repair":
    right = json.loads(pathlib.Path("right.json").read_text())["boxes"]
    wrong = [n for n, box in enumerate(right) if page["boxes"][n] != box]
    if wrong:
        page["boxes"][wrong[0]] = right[wrong[0]]
    write(PAGE, json.dumps(page))
elif what == "churn":
    page["note"] = page.get("note", 0) + 1
    write(PAGE, json.dumps(page))
elif what == "hard-code":
    for n in range(12):
        write(SITE / f"part{n}.css", ":root { --fill: #0f766e; }\\n.card { color: #0f766e; }\\n")
time.sleep(0.05)
"""
RIGHT = [
    [8, 8, 40, 24, "#2563eb"],
    [60, 8, 40, 24, "#16a34a"],
    [8, 44, 40, 24, "#111827"],
    [60, 44, 40, 24, "#dc2626"],
    [8, 80, 40, 24, "#7c3aed"],
]
CSS = ":root { --fill: #0f766e; }\n.card { color: var(--fill); }\n"
PIPES = ("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One project: its fixer and the status of an undisturbed loop."""

    name: str
    fixer: str
    status: str
    browser: bool = False

    def make(self, root: Path) -> None:
        """Write the project into *root*, as a git checkout."""
        if self.browser:
            shutil.copytree(ROOT / "conftest_examples/served_app", root)
        else:
            _drawn(root)
        for words in (["init", "-q"], ["add", "-A"]):
            subprocess.run(["git", *words], cwd=root, check=True)

    @property
    def command(self) -> list[str]:
        """The pytest that loops, or goes on with the loop."""
        words = [sys.executable, "-m", "pytest", *PIPES, "-p", "benchmarks.loop.kill_phases"]
        words += ["--run-id=r", "--patch-gate=revert", "--iteration-cap=20"]
        if self.browser:
            return words
        fix = f"{sys.executable} fixer.py {self.fixer}"
        return [*words, "-p", "no:playwright", "--pixel-loop", "--fix-command", fix]


SCENARIOS = (
    Scenario(name="converges", fixer="repair", status="converged"),
    Scenario(name="taken back", fixer="hard-code", status="not-converged:breaker"),
    Scenario(name="stalls", fixer="churn", status="not-converged:stalled"),
    Scenario(name="served, browser", fixer="", status="converged", browser=True),
)


def _drawn(root: Path) -> None:
    import json

    image = Image.new("RGB", (160, 120), "#ffffff")
    for x, y, w, h, colour in RIGHT:
        image.paste(str(colour), (int(x), int(y), int(x) + int(w), int(y) + int(h)))
    files = {
        "designs/designs.yaml": "schema_version: 1\ndesigns:\n  card:\n    image: card.png\n",
        "right.json": json.dumps({"boxes": RIGHT}),
        "site/page.json": json.dumps({"boxes": [[*box[:4], "#ff00ff"] for box in RIGHT]}),
        "test_page.py": DRAWN_TEST,
        "fixer.py": FIXER,
        "pytest.ini": "[pytest]\npixelloop_sources = site\n",
        **{f"site/part{n}.css": CSS for n in range(12)},
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    image.save(root / "designs/card.png")
