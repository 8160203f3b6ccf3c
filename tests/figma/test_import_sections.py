"""``pixelloop import`` of sections: pictures of the frames, or one picture of all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from figma_project import Project
from figma_server import FigmaServer, box, card, frame, render

from pytest_pixelloop.sources.folder import load_design, plan_comparisons
from pytest_pixelloop.sources.manifest import load_manifest

if TYPE_CHECKING:
    from pathlib import Path

CART, PAY = ({**card(f"1:{n}", x=100 * n), "name": name} for n, name in ((3, "Cart"), (4, "Pay")))
SECTION = frame("9:1", box(0, 0, 600, 200), CART, PAY, name="Flow", type="SECTION")
TREE = {"nodes": {"9:1": {"document": SECTION}}, "version": "7"}


def picture(raw: dict[str, Any]) -> bytes:
    """Return the export of a node at scale 2."""
    return render(raw, 2, absolute=True, max_pixels=10**9)


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Project:
    """Return a project beside an export with the tree of a section and no picture yet."""
    server = FigmaServer()
    server.close()
    made = Project(tmp_path / "shop", server, capsys)
    folder = made.path / "flow"
    folder.mkdir(parents=True)
    (folder / "nodes.json").write_text(json.dumps(TREE), "utf-8")
    return made


def export(shop: Project, **pictures: dict[str, Any]) -> str:
    """Write pictures of nodes into the export and return its folder; ``n1_3`` is node 1:3."""
    for name, raw in pictures.items():
        stem = name.removeprefix("n").replace("_", "-")
        (shop.path / "flow" / f"{stem}.png").write_bytes(picture(raw))
    return str(shop.path / "flow")


def planned(shop: Project) -> list[tuple[str, str]]:
    """Return label and name of everything that is planned for the design."""
    return [(item.label, item.name) for item in plan_comparisons(shop.designs, "flow")]


def test_pictures_of_the_frames_are_one_design(shop: Project) -> None:
    """The section is the design; each frame has its label, its files and its entry in the lock."""
    said = shop.run("import", export(shop, n1_3=CART, n1_4=PAY))
    assert said.code == 0, said.all
    assert load_manifest(shop.designs / "designs.yaml").designs["flow"].node == "9:1"
    assert planned(shop) == [("1-3", "flow/Cart"), ("1-4", "flow/Pay")]
    assert shop.load("flow/Pay").frame == (40, 30)
    assert sorted(shop.lock["designs"]["flow"]) == ["1-3", "1-4", "9-1"]
    assert shop.lock["designs"]["flow"]["9-1"]["image"] is None
    assert shop.run("import", export(shop)).code == 0  # once more


def test_one_picture_of_the_section_serves_its_frames(shop: Project) -> None:
    """The frames are cut out of it."""
    said = shop.run("import", export(shop, screenshot=SECTION))
    assert said.code == 0, said.all
    assert planned(shop) == [("1-3", "flow/Cart"), ("1-4", "flow/Pay")]
    for item in plan_comparisons(shop.designs, "flow"):
        design = load_design(item)
        assert (design.frame, design.scale) == ((40, 30), 2)
        assert tuple(design.image[30, 20]) == (0x25, 0x63, 0xEB, 255)


def test_a_frame_without_picture_is_named_and_comes_later(shop: Project) -> None:
    """It is missing, exit code 2; importing it into the same design completes the section."""
    third = {**card("1:5", x=500), "name": "Done"}
    raw = {**SECTION, "children": [CART, PAY, third]}
    tree = {"nodes": {"9:1": {"document": raw}}}
    folder = export(shop, n1_3=CART, n1_4=PAY)
    (shop.path / "flow/nodes.json").write_text(json.dumps(tree), "utf-8")
    said = shop.run("import", folder)
    assert said.code == 2
    assert "missing: flow 1-5 (Done): no picture of this frame" in said.out
    assert [label for label, _name in planned(shop)] == ["1-3", "1-4", "1-5"]
    for name in ("1-3.png", "1-4.png"):
        (shop.path / "flow" / name).unlink()
    said = shop.run("import", export(shop, n1_5=third))
    assert said.code == 0, said.all
    assert shop.load("flow/Done").label == "1-5"


def test_one_frame_of_a_section_is_a_design_of_its_own(shop: Project) -> None:
    """Who exports a single frame means that frame, although the tree is of its section."""
    assert shop.run("import", export(shop, n1_3=CART)).code == 0
    assert planned(shop) == [("1-3", "flow")]
