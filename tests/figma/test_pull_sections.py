"""``pixelloop pull`` of sections and component sets: the frames in them, each its own label."""

from __future__ import annotations

import json
from typing import Any

import pytest
from figma_project import KEY, Project, link
from figma_server import FigmaFile, Reply, box, card, frame

from pytest_pixelloop.core.errors import DesignNotExportedError
from pytest_pixelloop.sources.folder import load_design, plan_comparisons


def named(node: str, name: str, *, x: float, **fields: Any) -> dict[str, Any]:
    """Return a card that is called *name*."""
    return {**card(node, x=x), "name": name, **fields}


def section(
    node: str, name: str, *children: dict[str, Any], kind: str = "SECTION"
) -> dict[str, Any]:
    """Return a section around *children*."""
    return frame(node, box(0, 0, 600, 200), *children, name=name, type=kind)


def flow(*more: dict[str, Any]) -> dict[str, Any]:
    """Return a section with two frames, an inner section, and what is no frame to compare."""
    inner = section("9:9", "Errors", named("1:5", "Empty", x=300))
    hidden = named("1:8", "Old", x=400, visible=False)
    note = {"id": "8:1", "name": "note", "type": "TEXT", "absoluteBoundingBox": box(0, 0, 9, 9)}
    return section(
        "9:1",
        "Checkout",
        named("1:3", "Cart", x=100),
        named("1:4", "Pay", x=200),
        inner,
        hidden,
        note,
        *more,
    )


@pytest.fixture
def shop(project: Project) -> Project:
    """Return a project with one design, ``flow``, that is a section."""
    project.figma.files[KEY] = FigmaFile({"9:1": flow()})
    project.manifest(f'flow: {{figma: "{link("9-1")}"}}')
    return project


def labels(project: Project, name: str = "flow") -> list[str]:
    """Return the labels that are planned for a name."""
    return [item.label for item in plan_comparisons(project.designs, name)]


def test_the_frames_of_a_section_come_in_the_same_two_requests(shop: Project) -> None:
    """One nodes request for the section, one images request for its frames; all are locked."""
    said = shop.pull()
    assert said.code == 0, said.all
    assert "3 fetched, 0 current, 0 missing, of 3 designs (2 Tier 1 requests)" in said.out
    (asked,) = [s for s in shop.figma.seen if s.path.startswith("/v1/images")]
    assert asked.query["ids"] == "1:3,1:4,1:5"
    assert sorted(shop.tree()) == [
        "designs.lock",
        "designs.yaml",
        "flow/1-3.nodes.json",
        "flow/1-3.png",
        "flow/1-4.nodes.json",
        "flow/1-4.png",
        "flow/1-5.nodes.json",
        "flow/1-5.png",
        "flow/9-1.nodes.json",
    ]
    assert list(shop.lock["designs"]["flow"]) == ["1-3", "1-4", "1-5", "9-1"]
    assert shop.lock["designs"]["flow"]["9-1"]["image"] is None
    design = shop.load("flow/Pay")
    assert (design.name, design.label, design.frame) == ("flow/Pay", "1-4", (40, 30))
    assert tuple(design.image[30, 20]) == (0x25, 0x63, 0xEB, 255)
    assert design.provenance["lock"]["version"] == "100"
    assert labels(shop) == ["1-3", "1-4", "1-5"]


def test_a_component_set_is_its_variants(project: Project) -> None:
    """Each variant has a label by its id and is called by its properties."""
    variants = [
        named("4:2", "State=Default, Size=L", x=100, type="COMPONENT"),
        named("4:3", "State=Hover, Size=L", x=200, type="COMPONENT"),
    ]
    node = section("4:1", "Button", *variants, kind="COMPONENT_SET")
    project.figma.files[KEY] = FigmaFile({"4:1": node})
    project.manifest(f'button: {{figma: "{link("4-1")}"}}')
    assert project.pull().code == 0
    names = [item.name for item in plan_comparisons(project.designs, "button")]
    assert names == ["button/State=Default, Size=L", "button/State=Hover, Size=L"]
    assert project.load("button/State=Hover, Size=L").label == "4-3"


def test_what_did_not_change_is_not_fetched_again(shop: Project) -> None:
    """A section whose file stands still costs only the probe, and counts its frames."""
    shop.pull()
    before = shop.tree()
    shop.figma.seen.clear()
    said = shop.pull()
    assert (said.code, shop.figma.paths()) == (0, [f"files/{KEY}/meta"])
    assert "0 fetched, 3 current, 0 missing, of 3 designs" in said.out
    assert "no longer in the manifest" not in said.out
    assert shop.tree() == before
    assert shop.pull("--check").code == 0


def test_a_frame_that_is_gone_from_disk_is_fetched_again(shop: Project) -> None:
    """The section is outdated as long as one of its frames is not whole."""
    shop.pull()
    (shop.designs / "flow/1-4.png").unlink()
    said = shop.pull("--check")
    assert said.code == 1
    assert "its frame 1:4: its files are missing or were changed by hand" in said.out
    assert shop.pull().code == 0
    assert shop.load("flow/Pay").label == "1-4"


def test_frames_come_and_go_with_the_section(shop: Project) -> None:
    """A new frame is planned after the pull, a removed one is not, and its files are named."""
    shop.pull()
    changed = flow(named("1:6", "Done", x=500))
    changed["children"] = [child for child in changed["children"] if child["id"] != "1:3"]
    shop.figma.files[KEY] = FigmaFile({"9:1": changed}, version="101")
    said = shop.pull()
    assert said.code == 0, said.all
    assert labels(shop) == ["1-4", "1-5", "1-6"]
    assert "no longer in the manifest: flow 1-3 (flow/1-3.png stays)" in said.out


def test_a_frame_that_cannot_be_rendered_is_missing_and_planned(shop: Project) -> None:
    """One picture that Figma does not give is a gap of its label and hides no other frame."""
    shop.figma.null_images["1:4"] = 9
    said = shop.pull()
    assert said.code == 2
    assert "2 fetched, 0 current, 1 missing, of 3 designs" in said.out
    assert labels(shop) == ["1-3", "1-4", "1-5"]
    with pytest.raises(DesignNotExportedError, match=r"Figma rendered nothing(?s:.*)pull flow$"):
        shop.load("flow/Pay")
    assert shop.load("flow/Cart").label == "1-3"
    shop.figma.null_images.clear()
    assert shop.pull().code == 0
    assert shop.load("flow/Pay").label == "1-4"


def test_a_stop_in_the_middle_leaves_nothing_unplanned(shop: Project) -> None:
    """When the pictures cannot be had, every frame of the section is planned and not exported."""
    reply = Reply(status=429, body={"status": 429, "err": "slow"}, headers={"Retry-After": "90000"})
    shop.figma.trouble("/images/", reply, times=99)
    assert shop.pull().code == 2
    assert labels(shop) == ["1-3", "1-4", "1-5"]
    for item in plan_comparisons(shop.designs, "flow"):
        with pytest.raises(DesignNotExportedError):
            load_design(item)


def test_a_section_without_frames_is_missing(project: Project) -> None:
    """There is nothing to fetch in it, and the pull says so."""
    project.figma.files[KEY] = FigmaFile({"9:1": section("9:1", "Ideas")})
    project.manifest(f'flow: {{figma: "{link("9-1")}"}}')
    said = project.pull()
    assert said.code == 2
    assert "a SECTION, has no visible frame in it" in said.err


def test_a_set_that_was_pulled_as_one_picture_is_pulled_as_its_variants(shop: Project) -> None:
    """A picture of a whole section, of an older pull, serves its frames until the next one."""
    shop.pull()
    lock = json.loads((shop.designs / "designs.lock").read_text("utf-8"))
    entry, one = lock["designs"]["flow"]["9-1"], lock["designs"]["flow"]["1-3"]
    entry.update(image=one["image"], sha256={**entry["sha256"], "image": one["sha256"]["image"]})
    (shop.designs / "designs.lock").write_text(json.dumps(lock), "utf-8")
    said = shop.pull("--check")
    assert said.code == 1
    assert "whose frames were never pulled" in said.out


def test_a_section_tree_that_was_changed_by_hand_is_refused(shop: Project) -> None:
    """Taking a frame out of the kept tree does not take it out of the verdict."""
    shop.pull()
    path = shop.designs / "flow/9-1.nodes.json"
    path.write_text(path.read_text("utf-8").replace('"name":"Pay"', '"name":"P"'), "utf-8")
    (planned,) = plan_comparisons(shop.designs, "flow")
    assert planned.refusal is not None
    assert "is not the one that was fetched" in planned.refusal
