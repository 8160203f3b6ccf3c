"""A design that changed between two runs is said first, and a resumed loop does not go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from figma_project import KEY, Project, link
from figma_server import FigmaFile, box, card, rect

CARD_TEST = """
from pathlib import Path

def test_card(assert_matches_design):
    assert_matches_design(Path(__file__).parent / "shot.png", "card")
"""
HEADLINE = "the design changed since the last run (designs.lock):"


@pytest.fixture
def shop(project: Project) -> Project:
    """Return a project whose design was pulled, with a test of a picture that matches it."""
    project.figma.files[KEY] = FigmaFile({"1:2": card()})
    project.manifest(f'card: {{figma: "{link()}"}}')
    assert project.pull().code == 0
    shot = (project.designs / "card" / "1-2.png").read_bytes()
    (project.path / "shot.png").write_bytes(shot)
    (project.path / "test_card.py").write_text(CARD_TEST, "utf-8")
    (project.path / "test_plain.py").write_text("def test_plain():\n    pass\n", "utf-8")
    (project.path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    return project


def run(project: Project, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on the project in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-p", "no:playwright", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, *words],
        cwd=project.path,
        env={k: v for k, v in os.environ.items() if "FIGMA" not in k},
        capture_output=True,
        text=True,
        check=False,
    )


def redraw(project: Project) -> None:
    """Change the design in Figma and pull it."""
    changed = card(color="#dc2626")
    changed["children"].append(rect("7:99", box(130, 70, 4, 4), name="badge"))
    project.figma.files[KEY] = FigmaFile({"1:2": changed}, version="101")
    assert project.pull().code == 0


def test_what_changed_in_the_design_is_said_first(shop: Project) -> None:
    """Nothing on the first run; after a pull the nodes that changed, before any test; then no more.

    A run without visual tests does not count as having seen it.
    """
    assert HEADLINE not in run(shop).stdout
    assert HEADLINE not in run(shop).stdout
    redraw(shop)
    assert HEADLINE in run(shop, "test_plain.py").stdout
    done = run(shop)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    at = next(n for n, line in enumerate(lines) if HEADLINE in line)
    assert lines[at + 1] == "  card 1-2: 1 added, 1 restyled"
    assert '    ~ 7:22 "button" (RECTANGLE): fills [#2563eb] -> [#dc2626]' in lines
    assert '    + 7:99 "badge" (RECTANGLE)' in lines
    others = [n for n, line in enumerate(lines) if "pixelloop: gate" in line or ".py" in line]
    assert at < min(others)
    assert HEADLINE not in run(shop).stdout


def test_a_quiet_run_says_it_too(shop: Project) -> None:
    """Under -q there is no header: the whole of it stands at the end."""
    run(shop)
    redraw(shop)
    done = run(shop, "-q")
    assert HEADLINE in done.stdout
    assert '+ 7:99 "badge"' in done.stdout


def test_with_workers_it_is_said_once(shop: Project) -> None:
    """-n2: the controller says it, and keeps what was measured."""
    run(shop, "-n2")
    redraw(shop)
    done = run(shop, "-n2")
    assert done.stdout.count('+ 7:99 "badge"') == 1
    assert HEADLINE not in run(shop, "-n2").stdout


def test_a_picture_that_changed_alone_is_said(shop: Project) -> None:
    """The same tree with another picture: fonts and images change without the nodes."""
    run(shop)
    other = card(color="#dc2626")
    from figma_server import render

    shop.figma.bodies["1:2"] = render(other, 2, absolute=True, max_pixels=10**9)
    shop.figma.files[KEY].version = "101"
    shop.pull()
    assert "card 1-2: the picture changed" in run(shop).stdout


def test_new_and_lost_designs_are_said(shop: Project) -> None:
    """A label that came and one that went are each a line."""
    run(shop)
    lock = shop.lock
    lock["designs"]["other"] = {"9-9": lock["designs"].pop("card")["1-2"]}
    (shop.designs / "designs.lock").write_text(json.dumps(lock), "utf-8")
    done = run(shop)
    assert "other 9-9: a new design" in done.stdout
    assert "card 1-2: no longer in designs.lock" in done.stdout


def test_an_incomplete_pull_is_said_in_every_run(shop: Project) -> None:
    """What the last pull could not fetch stands in the header until it is fetched."""
    shop.manifest(f'card: {{figma: "{link()}"}}', f'more: {{figma: "{link("4-4")}"}}')
    assert shop.pull().code == 2
    for _ in range(2):
        assert "the last pull is not complete, missing: more 4-4" in run(shop).stdout


def test_a_broken_lock_is_said_and_passes_nothing(shop: Project) -> None:
    """A lock that cannot be read fails the test as a configuration error, without a traceback."""
    (shop.designs / "designs.lock").write_text("<<<<<<< ours\n", "utf-8")
    done = run(shop)
    assert done.returncode == 1
    assert "merge conflict" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_lost_memory_is_no_error(shop: Project) -> None:
    """Notes that cannot be read are forgotten, and written again."""
    run(shop)
    seen = shop.path / ".pixelloop" / "designs-seen.json"
    seen.write_text("{", "utf-8")
    assert run(shop).returncode == 0
    assert json.loads(seen.read_text("utf-8"))["schema_version"] == 1


def test_a_resumed_loop_names_the_design_that_moved(shop: Project) -> None:
    """The design is pulled anew between two processes of one run: goalposts-moved, by name."""
    shot = shop.path / "shot.png"
    other = card(color="#16a34a")
    from figma_server import render

    shot.write_bytes(render(other, 2, absolute=True, max_pixels=10**9))
    words = ("--pixel-loop", "--run-id", "r1", "--iterations-per-run=1", "test_card.py")
    assert run(shop, *words).returncode == 1
    redraw(shop)
    done = run(shop, *words)
    assert done.returncode == 1
    assert HEADLINE in done.stdout
    assert "undetermined:goalposts-moved" in done.stdout
    (summary,) = (shop.path / ".pixelloop" / "runs" / "r1" / "tests").glob("*/summary.json")
    told = json.loads(summary.read_text("utf-8"))
    assert told["status"] == "undetermined:goalposts-moved"
    moved = "; ".join(told["goalposts"]["moved"])
    for name in ("designs/designs.lock", "designs/card/1-2.png", "designs/card/1-2.nodes.json"):
        assert f"design:{name} changed" in moved
