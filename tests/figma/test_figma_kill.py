"""A pull that is killed at any point leaves every label whole: as it was, or as it is to be."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from pathlib import Path

import killed_pulls
import pytest
from figma_project import KEY, Project, link
from figma_server import FigmaFile, box, card, frame

from pytest_pixelloop.core.errors import DesignNotExportedError

NAMES = ("a", "b", "c")
POINTS = 30


@pytest.fixture
def shop(project: Project) -> Project:
    """Return a project with three designs of one file, none pulled yet."""
    change(project, "#2563eb", version="100")
    project.manifest(*(f'{name}: {{figma: "{link(f"1-{n}")}"}}' for n, name in enumerate(NAMES, 2)))
    return project


def change(project: Project, color: str, *, version: str) -> None:
    """Give all three designs another colour in Figma."""
    nodes = {f"1:{n}": card(f"1:{n}", color=color) for n in (2, 3, 4)}
    project.figma.files[KEY] = FigmaFile(nodes, version=version)


def pulled(project: Project, *points: int) -> list[tuple[int, int, int]]:
    """Return (point, exit code, steps) of a pull that is killed at each point."""
    script = str(Path(killed_pulls.__file__))
    words = [sys.executable, script, str(project.path), *map(str, points)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    rows = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    return [(point, code, steps) for point, code, steps in rows]


def state(project: Project, point: int, *, within: str = "") -> list[str]:
    """Return for each design the colour that picture and tree agree on; "none" where none is."""
    copy = Project(
        project.path.with_name(f"{project.path.name}-{point}"), project.figma, project.capsys
    )
    found = []
    for name in NAMES:
        try:
            design = copy.load(within + name)
        except DesignNotExportedError:
            found.append("none")
            continue
        assert design.root is not None
        fill = design.root.children[1].properties["fills"][0]["color"]
        tree = "#" + "".join(f"{round(fill[k] * 255):02x}" for k in "rgb")
        picture = "#" + bytes(design.image[30, 20, :3]).hex()
        assert tree == picture, f"{name} is half of each at point {point}"
        found.append(tree)
    return found


@pytest.mark.parametrize("before", ["pulled", "empty"])
def test_a_killed_pull_leaves_every_label_whole(shop: Project, before: str) -> None:
    """SIGKILL at 30 random steps (15 from an older pull, 15 from nothing): old or new, no mixture.

    The next pull finishes what was begun and leaves nothing behind.
    """
    old = "none"
    if before == "pulled":
        assert shop.pull().code == 0
        old, new = "#2563eb", "#dc2626"
        change(shop, new, version="101")
    else:
        new = "#2563eb"
    ((_, code, total),) = pulled(shop, 0)
    assert (code, state(shop, 0)) == (0, [new] * 3)
    points = sorted(random.Random(before).sample(range(1, total + 1), POINTS // 2))
    seen = set()
    for point, code, _steps in pulled(shop, *points):
        assert code == -9
        found = state(shop, point)
        assert set(found) <= {old, new}
        seen.add(tuple(found))
        _pull_again(shop, point, new)
    assert len(seen) > 2, "the points have to fall between the labels too"


def _pull_again(shop: Project, point: int, new: str) -> None:
    copy = Project(shop.path.with_name(f"{shop.path.name}-{point}"), shop.figma, shop.capsys)
    assert copy.pull().code == 0
    assert state(shop, point) == [new] * 3
    left = [name for name in copy.tree() if name.rpartition("/")[2].startswith(".next-")]
    assert left == []
    for (image, nodes), entry in _entries(copy):
        assert entry["sha256"] == {"image": image, "nodes": nodes}


def _entries(project: Project) -> list[tuple[tuple[str, str], dict[str, object]]]:
    found = []
    for labels in project.lock["designs"].values():
        for entry in labels.values():
            hashes = [
                hashlib.sha256((project.designs / entry[kind]).read_bytes()).hexdigest()
                for kind in ("image", "nodes")
            ]
            found.append(((hashes[0], hashes[1]), entry))
    return found


def change_section(project: Project, color: str, *, version: str) -> None:
    """Give all three frames of the section another colour in Figma."""
    frames = [{**card(f"1:{n}", color=color), "name": name} for n, name in enumerate(NAMES, 2)]
    node = frame("9:1", box(0, 0, 600, 200), *frames, name="Flow", type="SECTION")
    project.figma.files[KEY] = FigmaFile({"9:1": node}, version=version)


@pytest.mark.parametrize("before", ["pulled", "empty"])
def test_a_killed_pull_leaves_every_frame_of_a_section_whole(project: Project, before: str) -> None:
    """The same for a section: each frame is old, new, or planned and not exported."""
    change_section(project, "#2563eb", version="100")
    project.manifest(f'flow: {{figma: "{link("9-1")}"}}')
    old, new = "none", "#2563eb"
    if before == "pulled":
        assert project.pull().code == 0
        old, new = "#2563eb", "#dc2626"
        change_section(project, new, version="101")
    ((_, code, total),) = pulled(project, 0)
    assert (code, state(project, 0, within="flow/")) == (0, [new] * 3)
    points = sorted(random.Random(before).sample(range(1, total + 1), POINTS // 2))
    for point, killed, _steps in pulled(project, *points):
        assert killed == -9
        assert set(state(project, point, within="flow/")) <= {old, new}
        copy = Project(
            project.path.with_name(f"{project.path.name}-{point}"), project.figma, project.capsys
        )
        assert copy.pull().code == 0
        assert state(project, point, within="flow/") == [new] * 3
        assert copy.pull("--check").code == 0
