"""``pixelloop import``: what people, plugins and agents export, checked, kept and locked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from figma_project import Project
from figma_server import FigmaServer, box, card, frame, rect, render

from pytest_pixelloop.sources.folder import load_design, plan_comparisons
from pytest_pixelloop.sources.manifest import load_manifest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "figma"
METADATA = """<frame id="1:2" name="Card" x="100" y="50" width="40" height="30">
  <rounded-rectangle id="7:21" name="bar" x="4" y="4" width="32" height="4" />
  <rounded-rectangle id="7:22" name="button" x="4" y="14" width="16" height="10" />
</frame>"""
PROSE = "\nIMPORTANT: After you call this tool, you MUST call get_design_context."


def picture(raw: dict[str, Any] | None = None, scale: float = 2) -> bytes:
    """Return the export of a node."""
    return render(raw or card(), scale, absolute=True, max_pixels=10**9)


class Shop(Project):
    """A project with a folder that was exported."""

    def export(self, files: dict[str, bytes | str | dict[str, Any]], name: str = "export") -> Path:
        """Write files into a folder beside the designs and return it."""
        folder = self.path / name
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            data = json.dumps(content) if isinstance(content, dict) else content
            target.write_bytes(data if isinstance(data, bytes) else data.encode())
        return folder


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shop:
    """Return an empty project, which no server belongs to."""
    server = FigmaServer()
    server.close()
    made = Shop(tmp_path / "shop", server, capsys)
    made.path.mkdir()
    return made


NODES = {"nodes": {"1:2": {"document": card(), "components": {}}}, "version": "77", "name": "Shop"}
SHAPES: dict[str, dict[str, bytes | str | dict[str, Any]]] = {
    "nodes answer": {"screenshot.png": picture(), "nodes.json": NODES},
    "files answer": {
        "1-2.png": picture(),
        "data.json": {
            "document": {
                "id": "0:0",
                "type": "DOCUMENT",
                "children": [{"id": "0:1", "type": "CANVAS", "children": [card()]}],
            },
            "schemaVersion": 0,
        },
    },
    "plugin": {"frame@2x.png": picture(), "node.json": {"document": card(), "components": {}}},
    "bare node": {"anything.png": picture(), "anything.json": card()},
    "named by label": {"1-2.png": picture(), "1-2.nodes.json": NODES},
    "mcp": {"screenshot.png": picture(), "metadata.xml": METADATA},
    "mcp with prose": {"screenshot.png": picture(), "metadata.xml": METADATA + PROSE},
    "mcp in a fence": {"1-2.png": picture(), "metadata.xml": f"Here:\n```xml\n{METADATA}\n```\n"},
    "mcp in json": {
        "screenshot.png": picture(),
        "metadata.xml": json.dumps([{"type": "text", "text": METADATA + PROSE}]),
    },
    "mcp and rest": {
        "screenshot.png": picture(),
        "metadata.xml": METADATA,
        "nodes.json": NODES,
        "Component.tsx": "x",
    },
}


@pytest.mark.parametrize("case", SHAPES)
def test_every_shape_becomes_a_design(shop: Shop, case: str) -> None:
    """REST answers, plugin exports and MCP bundles load by name, with tree, scale and lock."""
    folder = shop.export(SHAPES[case], name="card")
    said = shop.run("import", str(folder))
    assert said.code == 0, said.all
    design = shop.load("card")
    assert (design.label, design.scale, design.frame) == ("1-2", 2.0, (40, 30))
    assert design.root is not None
    boxes = [child.box for child in design.root.children]
    assert [(b.x, b.y, b.w, b.h) for b in boxes if b] == [(104, 54, 32, 4), (104, 64, 16, 10)]
    entry = shop.lock["designs"]["card"]["1-2"]
    assert entry["source"] == ("mcp" if case.startswith("mcp") and "rest" not in case else "rest")


def test_a_second_import_says_what_changed(shop: Shop) -> None:
    """The same name again: files and lock are the new ones, the change is told node by node."""
    folder = shop.export({"1-2.png": picture(), "nodes.json": NODES}, name="card")
    shop.run("import", str(folder))
    red = card(color="#dc2626")
    shop.export({"1-2.png": picture(red), "nodes.json": red}, name="card")
    said = shop.run("import", str(folder))
    assert said.code == 0
    assert "fills [#2563eb] -> [#dc2626]" in said.out
    assert tuple(shop.load("card").image[30, 20]) == (0xDC, 0x26, 0x26, 255)


def test_an_imported_file_that_changes_by_hand_is_refused(shop: Shop) -> None:
    """The lock vouches for imports as for pulls, and names the command for them."""
    folder = shop.export({"1-2.png": picture(), "nodes.json": NODES}, name="card")
    shop.run("import", str(folder))
    (shop.designs / "card" / "1-2.png").write_bytes(picture(card(color="#dc2626")))
    with pytest.raises(Exception, match="not the file that was fetched") as caught:
        shop.load("card")
    assert "pixelloop import" in str(caught.value)


def test_pictures_named_by_label_are_one_design(shop: Shop) -> None:
    """Node id, theme and viewport in the names: labels, and a manifest that plans them."""
    names = ["1-2__light__desktop", "1-3__light__mobile", "1-4__dark__desktop", "1-5__dark__mobile"]
    folder = shop.export({f"{name}.png": picture() for name in names})
    said = shop.run("import", str(folder), "--name", "checkout")
    assert said.code == 0, said.all
    planned = plan_comparisons(shop.designs, "checkout")
    assert sorted(p.label for p in planned) == sorted(names)
    assert {load_design(p).label for p in planned} == set(names)


def test_names_without_id_are_themes_and_viewports(shop: Shop) -> None:
    """home__dark is a theme, home__mobile a viewport; the label is the design's own name."""
    folder = shop.export({"home__light.png": picture(), "home__dark.png": picture()}, name="home")
    assert shop.run("import", str(folder)).code == 0
    assert [p.label for p in plan_comparisons(shop.designs, "home")] == [
        "home__dark",
        "home__light",
    ]
    assert shop.load("home", theme="dark").label == "home__dark"
    folder = shop.export({"x__mobile.png": picture(), "x__desktop.png": picture()}, name="x")
    assert shop.run("import", str(folder)).code == 0
    assert shop.load("x", viewport="mobile").label == "x__mobile"


def test_a_bare_picture_is_a_design(shop: Shop) -> None:
    """One PNG without tree and id becomes a design of the folder's name, @2x its scale."""
    folder = shop.export({"badge.png": picture()}, name="badge")
    assert shop.run("import", str(folder)).code == 0
    assert shop.load("badge").label == "badge"


def test_several_bare_pictures_are_several_designs(shop: Shop) -> None:
    """PNGs that differ in neither theme nor viewport are screens of their own."""
    folder = shop.export({"a.png": picture(), "b.png": picture()}, name="icons")
    said = shop.run("import", str(folder))
    assert said.code == 0, said.all
    assert set(load_manifest(shop.designs / "designs.yaml").designs) == {"icons/a", "icons/b"}
    assert shop.load("icons/a").pixel_size == (80, 60)


def test_a_folder_of_folders_is_imported_one_by_one(shop: Shop) -> None:
    """One that cannot be read is named and does not stop the others; exit code 2."""
    shop.export({"1-2.png": picture(), "nodes.json": NODES}, name="all/good")
    shop.export({"1-2.png": picture()[:-40], "nodes.json": NODES}, name="all/bad")
    said = shop.run("import", str(shop.path / "all"))
    assert said.code == 2
    assert "missing: bad: the PNG is truncated" in said.out
    assert shop.load("good").label == "1-2"


def test_the_sidecar_names_file_node_and_version(shop: Shop) -> None:
    """pixelloop.json tells what the files themselves do not."""
    several = {"document": {"id": "0:1", "type": "CANVAS", "children": [card(), card("1:3")]}}
    sidecar = {"fileKey": "KeyOne", "nodeId": "1-3", "version": "9", "source": "agent"}
    files: dict[str, bytes | str | dict[str, Any]] = {
        "screenshot.png": picture(),
        "node.json": several,
        "pixelloop.json": sidecar,
        "variables.json": {"color/brand": "#2563eb"},
    }
    assert shop.run("import", str(shop.export(files, name="card"))).code == 0
    entry = shop.lock["designs"]["card"]["1-3"]
    assert (entry["file_key"], entry["version"]) == ("KeyOne", "9")
    kept = json.loads((shop.designs / entry["nodes"]).read_text("utf-8"))
    assert kept["variables"] == {"color/brand": "#2563eb"}


@pytest.mark.parametrize("scale", [0.6, 1.3])
def test_a_screenshot_of_unknown_scale_is_placed_and_said(shop: Shop, scale: float) -> None:
    """A client that scaled the screenshot is told from its size, and warned about."""
    raw = card() | {"absoluteBoundingBox": box(100, 50, 400, 300)}
    raw["children"] = [rect("7:1", box(110, 60, 200, 100))]
    files: dict[str, bytes | str | dict[str, Any]] = {
        "screenshot.png": picture(raw, scale),
        "node.json": raw,
    }
    said = shop.run("import", str(shop.export(files, name="card")))
    assert said.code == 0
    words = "scaled down to 0.6" if scale < 1 else "odd scale 1.3"
    assert words in said.out
    assert shop.load("card").scale == pytest.approx(scale)


REFUSED: dict[str, tuple[dict[str, bytes | str | dict[str, Any]], str]] = {
    "no picture": ({"nodes.json": NODES}, "no picture of the design"),
    "only a render": (
        {"web-render.png": picture(), "nodes.json": NODES},
        "only renders (web-render.png)",
    ),
    "two pictures": (
        {"a.png": picture(), "b.png": picture(), "nodes.json": NODES},
        "2 pictures, and none is named by a node id",
    ),
    "other size": (
        {"1-2.png": picture(frame("1:2", box(0, 0, 77, 31))), "nodes.json": NODES},
        "does not fit its node",
    ),
    "several frames": (
        {
            "x.png": picture(),
            "node.json": {"type": "CANVAS", "id": "0:1", "children": [card(), card("1:3")]},
        },
        "2 frames and none is chosen",
    ),
    "not rest": (
        {"x.png": picture(), "node.json": {"id": "1:2", "type": 4, "children": []}},
        "not Figma's REST format",
    ),
    "broken nodes": ({"x.png": picture(), "nodes.json": '{"nodes": '}, "ends early"),
    "entities": (
        {
            "x.png": picture(),
            "metadata.xml": '<!DOCTYPE x [<!ENTITY a "aaaa">]>' + METADATA.replace("Card", "&a;"),
        },
        "document type",
    ),
    "cut xml": ({"x.png": picture(), "metadata.xml": METADATA[:-20]}, "ends early or is damaged"),
    "empty": ({"notes.txt": "x"}, "nothing to import"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_design_is_refused(shop: Shop, case: str) -> None:
    """Exit code 2, the reason in words, and not one file in the designs folder."""
    files, words = REFUSED[case]
    said = shop.run("import", str(shop.export(files)))
    assert said.code == 2
    assert words in said.all
    assert "Traceback" not in said.all
    assert not shop.designs.exists()


def test_image_and_node_choose(shop: Shop) -> None:
    """--image and --node say which picture and node are meant."""
    several = {"type": "CANVAS", "id": "0:1", "children": [card(), card("1:3", color="#dc2626")]}
    folder = shop.export({"a.png": picture(), "b.png": picture(), "node.json": several})
    words = ("--image", str(folder / "b.png"), "--node", "1-3", "--name", "card")
    assert shop.run("import", str(folder), *words).code == 0
    assert shop.load("card").label == "1-3"


def test_a_manifest_keeps_its_comments(shop: Shop) -> None:
    """A design is added at the end; everything that stood there stands there still."""
    shop.manifest("a: {image: a.png}  # mine", "# the last line")
    before = (shop.designs / "designs.yaml").read_text("utf-8")
    folder = shop.export({"1-2.png": picture(), "nodes.json": NODES}, name="card")
    assert shop.run("import", str(folder)).code == 0
    assert (shop.designs / "designs.yaml").read_text("utf-8").startswith(before)
    assert shop.load("card").label == "1-2"


def test_a_manifest_that_cannot_be_added_to_is_left_alone(shop: Shop) -> None:
    """Where the end of the file is not the end of designs:, the lines to add are printed."""
    shop.designs.mkdir()
    text = "designs: {a: {image: a.png}}\nschema_version: 1\n"
    (shop.designs / "designs.yaml").write_text(text, "utf-8")
    folder = shop.export({"1-2.png": picture(), "nodes.json": NODES}, name="card")
    said = shop.run("import", str(folder))
    assert said.code == 2
    assert '  card: {node: "1:2"}' in said.out
    assert (shop.designs / "designs.yaml").read_text("utf-8") == text


def test_a_design_of_the_manifest_takes_only_its_labels(shop: Shop) -> None:
    """A picture of a label that the manifest does not plan is refused with those that it does."""
    shop.manifest('card: {viewports: {desktop: {node: "1:2"}, mobile: {node: "1:3"}}}')
    folder = shop.export({"1-2.png": picture()}, name="card")
    said = shop.run("import", str(folder))
    assert said.code == 2
    assert "one of 1-2__desktop, 1-3__mobile" in said.err
    folder = shop.export({"1-2__desktop.png": picture()}, name="other")
    assert shop.run("import", str(folder), "--name", "card").code == 0
    assert shop.load("card", viewport="desktop").label == "1-2__desktop"
    shop.manifest("card: {image: mine.png}")
    folder = shop.export({"card.png": picture()}, name="third")
    said = shop.run("import", str(folder), "--name", "card")
    assert said.code == 2
    assert "names a picture of its own" in said.err


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/cases/figma")
@pytest.mark.parametrize(
    ("place", "count"), [("mobile", 6), ("sds", 2), ("mcp/425-2086", 1), ("vector-frame", 1)]
)
def test_every_shared_pair_is_imported(shop: Shop, place: str, count: int) -> None:
    """Real exports of other tools become designs that load, at the scale they were made."""
    folder = shop.path / Path(place).name
    shutil.copytree(SHARED / place, folder)
    said = shop.run("import", str(folder))
    assert said.code == 0, said.all
    names = list(load_manifest(shop.designs / "designs.yaml").designs)
    assert len(names) == count
    scale = 1.0 if place == "vector-frame" else 2.0
    assert {shop.load(name).scale for name in names} == {scale}
