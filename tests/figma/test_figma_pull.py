"""``pixelloop pull``: what it asks for, what it writes, and that a test then needs no network."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from figma_project import KEY, Project, link
from figma_server import TOKEN, FigmaFile, Reply, box, card, rect


@pytest.fixture
def shop(project: Project) -> Project:
    """Return a project with one design, ``card``, that Figma has and nobody pulled yet."""
    project.figma.files[KEY] = FigmaFile({"1:2": card()})
    project.manifest(f'card: {{figma: "{link()}"}}')
    return project


def test_a_design_is_fetched_with_two_tier_1_requests(shop: Project) -> None:
    """Probe, nodes, images, picture; then the design loads, tree and picture together."""
    said = shop.pull()
    assert said.code == 0, said.all
    assert "1 fetched, 0 current, 0 missing, of 1 designs (2 Tier 1 requests)" in said.out
    assert shop.figma.paths() == [f"files/{KEY}/meta", f"files/{KEY}/nodes", f"images/{KEY}"]
    design = shop.load()
    assert (design.label, design.frame, design.scale) == ("1-2", (40, 30), 2.0)
    assert design.root is not None
    assert [child.name for child in design.root.children] == ["bar", "button"]
    assert tuple(design.image[30, 20]) == (0x25, 0x63, 0xEB, 255)
    assert design.provenance["lock"]["version"] == "100"
    assert sorted(shop.tree()) == [
        "card/1-2.nodes.json",
        "card/1-2.png",
        "designs.lock",
        "designs.yaml",
    ]


def test_the_lock_says_where_a_design_is_from(shop: Project) -> None:
    """File key, node, version, time, scale and both hashes, for each label."""
    shop.pull()
    entry = shop.lock["designs"]["card"]["1-2"]
    assert shop.lock["schema_version"] == 1
    assert (entry["file_key"], entry["node"], entry["version"]) == (KEY, "1:2", "100")
    assert (entry["scale"], entry["image"], entry["nodes"]) == (
        2.0,
        "card/1-2.png",
        "card/1-2.nodes.json",
    )
    assert {len(value) for value in entry["sha256"].values()} == {64}
    assert entry["fetched_at"].endswith("Z")


def test_all_nodes_of_a_file_are_one_request(project: Project) -> None:
    """Five labels of one file, two of them of one node: one nodes and one images request."""
    nodes = {f"1:{n}": card(f"1:{n}", x=100 * n) for n in range(2, 6)}
    project.figma.files[KEY] = FigmaFile(nodes)
    project.manifest(
        f'card: {{figma: "{link()}", themes: {{light: {{}}, dark: {{node: "1:3"}}}}}}',
        f'form: {{figma: "{link()}", viewports: {{desktop: {{node: "1:4"}}, '
        f'mobile: {{figma: "{link("1-5")}"}}}}}}',
        f'again: {{figma: "{link()}"}}',
    )
    said = project.pull()
    assert said.code == 0, said.all
    assert "(2 Tier 1 requests)" in said.out
    (asked,) = [s for s in project.figma.seen if s.path.endswith("/nodes")]
    assert asked.query["ids"] == "1:2,1:3,1:4,1:5"
    assert project.load("card", theme="dark").label == "1-3__dark"
    assert project.load("form", viewport="mobile").label == "1-5__mobile"


def test_what_did_not_change_costs_no_tier_1_request(shop: Project) -> None:
    """The same version again: only the probe is asked, nothing is written."""
    shop.pull()
    before = shop.tree()
    shop.figma.seen.clear()
    said = shop.pull()
    assert (said.code, shop.figma.paths()) == (0, [f"files/{KEY}/meta"])
    assert "0 fetched, 1 current" in said.out
    assert shop.tree() == before


@pytest.mark.parametrize(
    "told", [{"version": "other-words-100"}, {"last_touched_at": "2026-02-02T00:00:00Z"}, {}]
)
def test_the_probe_is_held_against_the_probe(shop: Project, told: dict[str, str]) -> None:
    """A probe that words the version another way, or tells a time only, costs no second fetch.

    One that tells nothing is no reason to believe that nothing changed.
    """
    shop.figma.trouble("/meta", Reply(body={"file": told}), times=9)
    assert shop.pull().code == 0
    shop.figma.seen.clear()
    assert shop.pull().code == 0
    assert len(shop.figma.paths()) == (1 if told else 3)


def test_a_new_version_of_other_frames_moves_nothing(shop: Project) -> None:
    """A file that changed elsewhere keeps this label's files byte for byte; the lock follows."""
    shop.pull()
    before = shop.tree()
    shop.figma.files[KEY].version = "101"
    said = shop.pull()
    assert "unchanged" in said.err
    after = shop.tree()
    assert {k: v for k, v in after.items() if k != "designs.lock"} == {
        k: v for k, v in before.items() if k != "designs.lock"
    }
    assert shop.lock["designs"]["card"]["1-2"]["version"] == "101"
    assert shop.load().provenance["version"] == "101"


def test_a_pull_says_what_changed_in_the_design(shop: Project) -> None:
    """Of a changed frame the nodes that were added, moved and restyled are named."""
    shop.pull()
    changed = card(color="#1d4ed8")
    changed["children"][0]["absoluteBoundingBox"] = box(104, 55, 32, 4)
    changed["children"].append(rect("7:99", box(130, 70, 4, 4), name="badge"))
    shop.figma.files[KEY] = FigmaFile({"1:2": changed}, version="101")
    said = shop.pull()
    assert "1 added, 1 moved, 1 restyled" in said.err
    assert '~ 7:22 "button" (RECTANGLE): fills [#2563eb] -> [#1d4ed8]' in said.err
    assert '> 7:21 "bar" (RECTANGLE): y 4 -> 5' in said.err
    assert '+ 7:99 "badge" (RECTANGLE)' in said.err


def test_check_says_what_changed_and_fetches_nothing(shop: Project) -> None:
    """--check: 1 while something is outdated, 0 when all is current; only the probe is asked."""
    said = shop.pull("--check")
    assert (said.code, "card 1-2: never pulled" in said.out) == (1, True)
    shop.pull()
    before = shop.tree()
    shop.figma.seen.clear()
    assert shop.pull("--check").code == 0
    shop.figma.files[KEY].version = "101"
    said = shop.pull("--check")
    assert said.code == 1
    assert "the file changed in Figma: version 100 -> 101" in said.out
    assert set(shop.figma.paths()) == {f"files/{KEY}/meta"}
    assert shop.tree() == before


def test_check_that_cannot_tell_is_neither_current_nor_outdated(shop: Project) -> None:
    """A file that may not be asked about is exit code 2, not 0."""
    shop.pull()
    shop.figma.trouble("/meta", Reply(status=403, body={"status": 403, "err": "Invalid scope"}))
    said = shop.pull("--check")
    assert said.code == 2
    assert "file_metadata:read" in said.out


def test_force_fetches_what_did_not_change(shop: Project) -> None:
    """--force asks again, whatever the version."""
    shop.pull()
    assert "1 fetched" in shop.pull("--force").out


def test_a_file_lost_or_changed_by_hand_is_fetched_again(shop: Project) -> None:
    """The version did not change, but the files are not those of the lock."""
    shop.pull()
    before = shop.tree()
    (shop.designs / "card" / "1-2.png").unlink()
    assert shop.pull().code == 0
    (shop.designs / "card" / "1-2.nodes.json").write_text("{}", "utf-8")
    assert shop.pull().code == 0
    after = shop.tree()
    assert after["card/1-2.png"] == before["card/1-2.png"]
    assert after["card/1-2.nodes.json"] == before["card/1-2.nodes.json"]


def test_only_the_named_designs_are_fetched(shop: Project) -> None:
    """NAME narrows the pull; a name that is none is refused with what there is."""
    shop.figma.files[KEY].nodes["1:3"] = card("1:3")
    shop.manifest(f'card: {{figma: "{link()}"}}', f'other: {{figma: "{link("1-3")}"}}')
    assert shop.pull("other").code == 0
    assert "card/1-2.png" not in shop.tree()
    said = shop.pull("cart")
    assert said.code == 2
    assert 'did you mean "card"?' in said.err


def test_a_design_with_a_picture_of_its_own_is_left_alone(shop: Project) -> None:
    """What the manifest names with image: is never overwritten."""
    shop.manifest(f'card: {{figma: "{link()}", image: own.png}}', f'b: {{figma: "{link()}"}}')
    said = shop.pull()
    assert said.code == 0
    assert "left alone: card 1-2: the manifest names its picture: designs/own.png" in said.out
    assert not (shop.designs / "own.png").exists()


def test_nothing_to_pull_is_said(project: Project) -> None:
    """A manifest without links is exit code 2 with the line to add."""
    project.manifest("badge: {image: badge.png}")
    said = project.pull()
    assert (said.code, "there is nothing to pull" in said.err) == (2, True)


def test_the_scale_of_the_manifest_is_asked_for(shop: Project) -> None:
    """scale: in the manifest decides, and a new one is a reason to pull again."""
    shop.manifest(f'card: {{figma: "{link()}", scale: 3}}')
    shop.pull()
    assert shop.load().pixel_size == (120, 90)
    shop.manifest(f'card: {{figma: "{link()}", scale: 1}}')
    assert "the manifest wants scale 1, pulled is 3" in shop.pull("--check").out
    shop.pull()
    assert shop.load().pixel_size == (40, 30)


def test_an_instance_node_is_fetched_by_its_nested_id(project: Project) -> None:
    """Ids with semicolons survive the link, the query, the answer and the file name."""
    node = "I12:3;4:5"
    project.figma.files[KEY] = FigmaFile({node: card() | {"id": node}})
    project.manifest(f'card: {{figma: "{link("I12-3%3B4-5")}"}}')
    assert project.pull().code == 0
    assert project.load().label == "I12-3;4-5"


def test_a_branch_is_asked_for_by_its_own_key(project: Project) -> None:
    """/design/:key/branch/:branchKey/ uses the branch's key."""
    project.figma.files["BranchKey0123456789abc"] = FigmaFile({"1:2": card()})
    url = f"https://www.figma.com/design/{KEY}/branch/BranchKey0123456789abc/Shop?node-id=1-2"
    project.manifest(f'card: {{figma: "{url}"}}')
    assert project.pull().code == 0


def test_the_access_token_variable_is_read_too(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FIGMA_ACCESS_TOKEN serves without FIGMA_TOKEN; without both it is said what to do."""
    monkeypatch.delenv("FIGMA_TOKEN")
    said = shop.pull()
    assert said.code == 2
    assert "FIGMA_TOKEN, FIGMA_ACCESS_TOKEN" in said.err
    assert "file_content:read" in said.err
    monkeypatch.setenv("FIGMA_ACCESS_TOKEN", TOKEN)
    assert shop.pull().code == 0


GUARD = """
import socket

def refuse(*args, **kwargs):
    raise AssertionError("a test run opened a connection")

socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.create_connection = refuse
socket.getaddrinfo = refuse
"""
CARD_TEST = """
from pathlib import Path

def test_card(assert_matches_design):
    assert_matches_design(Path(__file__).parent / "shot.png", "card")
"""


def test_pulled_designs_are_tested_without_network(shop: Project) -> None:
    """After pull, with Figma gone and sockets refused, the same picture passes, another fails."""
    shop.pull()
    shot = shop.path / "shot.png"
    shot.write_bytes((shop.designs / "card" / "1-2.png").read_bytes())
    (shop.path / "conftest.py").write_text(GUARD, "utf-8")
    (shop.path / "test_card.py").write_text(CARD_TEST, "utf-8")
    (shop.path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    shop.figma.close()

    def run() -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "pytest", "-p", "no:playwright", "-p", "no:cacheprovider"]
        environment = {k: v for k, v in os.environ.items() if "FIGMA" not in k}
        return subprocess.run(
            words, cwd=shop.path, env=environment, capture_output=True, text=True, check=False
        )

    done = run()
    assert done.returncode == 0, done.stdout
    shot.write_bytes(_painted_over(shot.read_bytes()))
    done = run()
    assert done.returncode == 1, done.stdout
    assert "opened a connection" not in done.stdout


def _painted_over(data: bytes) -> bytes:
    from pytest_pixelloop.store.images import encode_png, read_image

    image = np.array(read_image(data, name="shot"))
    image[28:48, 8:40, :3] = (220, 38, 38)
    return encode_png(image)


def test_reading_designs_imports_no_http(shop: Project) -> None:
    """What a test imports to load a pulled design holds no HTTP client and no TLS."""
    code = (
        "import sys, pytest_pixelloop.sources.folder; "
        "print([m for m in ('urllib.request', 'http.client', 'ssl', 'requests', 'httpx') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
