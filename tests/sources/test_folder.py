"""Designs from a folder: plans, labels, places, parts, and what is said when one is missing."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_pixelloop.core.errors import ConfigurationError, DesignUnreadableError
from pytest_pixelloop.sources.folder import design_from_files, load_design, plan_comparisons
from pytest_pixelloop.store.images import encode_png

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "figma"


def box(x: float, y: float, w: float, h: float) -> dict[str, float]:
    """Return a raw rectangle."""
    return {"x": x, "y": y, "width": w, "height": h}


def tree(node_id: str, w: float = 40, h: float = 30) -> dict[str, Any]:
    """Return a frame at (100, 50) with a form, two cards and a hidden form in it."""
    form = {
        "id": node_id + "1",
        "name": "form",
        "type": "FRAME",
        "absoluteBoundingBox": box(104, 56, 10, 8),
    }
    cards = [
        {"id": f"{node_id}{n}", "name": "card", "type": "FRAME", "children": []}
        | {"absoluteBoundingBox": box(120, 50 + n, 4, 4)}
        for n in (2, 3)
    ]
    hidden = form | {"id": node_id + "9", "visible": False}
    return {
        "id": node_id,
        "name": "Checkout",
        "type": "FRAME",
        "clipsContent": True,
        "absoluteBoundingBox": box(100, 50, w, h),
        "children": [hidden, form, *cards],
    }


def noise(width: int, height: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return an opaque picture that is different at every pixel."""
    image = np.random.default_rng(width).integers(0, 256, (height, width, 4), dtype=np.uint8)
    image[..., 3] = 255
    return image


class Folder:
    """A designs folder in the making."""

    def __init__(self, root: Path) -> None:
        self.path = root / "designs"
        self.path.mkdir()

    def manifest(self, designs: str) -> Path:
        """Write the manifest with these designs (two spaces deep)."""
        text = "schema_version: 1\ndesigns:\n" + designs
        (self.path / "designs.yaml").write_text(text, "utf-8")
        return self.path

    def picture(self, name: str, width: int = 80, height: int = 60) -> None:
        """Write a picture."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_png(noise(width, height)))

    def nodes(self, name: str, *trees: dict[str, Any]) -> None:
        """Write a ``nodes`` answer."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        value = {"version": "77", "nodes": {t["id"]: {"document": t} for t in trees}}
        path.write_text(json.dumps(value), "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return an empty designs folder."""
    return Folder(tmp_path)


def test_a_design_with_nodes_is_loaded(folder: Folder) -> None:
    """Picture, tree, scale, label, goalposts and provenance of a plain entry."""
    folder.picture("checkout/12-34.png")
    folder.nodes("checkout/12-34.nodes.json", tree("12:34"))
    path = folder.manifest(
        "  checkout: {image: checkout/12-34.png, nodes: checkout/12-34.nodes.json,"
        ' gate: pixel, mask: [".x"], tolerance: {pixel: 1}, hold_out: true}\n'
    )
    (planned,) = plan_comparisons(path, "checkout")
    design = load_design(planned)
    assert (design.name, design.label, planned.label) == ("checkout", "12-34", "12-34")
    assert (design.frame, design.scale, design.pixel_size) == ((40, 30), 2.0, (80, 60))
    assert (design.gate, design.mask, design.hold_out) == ("pixel", (".x",), True)
    assert design.tolerance == {"pixel": 1}
    assert design.root is not None
    assert design.root.id == "12:34"
    assert np.array_equal(design.image, noise(80, 60))
    files = [Path(f).relative_to(path).as_posix() for f in design.files]
    assert files == ["checkout/12-34.png", "checkout/12-34.nodes.json", "designs.yaml"]
    picture = (path / "checkout" / "12-34.png").read_bytes()
    assert design.provenance["sha256"]["image"] == hashlib.sha256(picture).hexdigest()
    assert design.provenance["image"] == "designs/checkout/12-34.png"
    assert (design.provenance["node"], design.provenance["version"]) == ("12:34", "77")


def test_a_picture_alone_is_a_design_under_its_own_name(folder: Folder) -> None:
    """Without a tree the scale is the manifest's, else 1, and the label is the name."""
    folder.picture("badge.png")
    path = folder.manifest("  badge: {image: badge.png}\n  big: {image: badge.png, scale: 2}\n")
    small = load_design(plan_comparisons(path, "badge")[0])
    big = load_design(plan_comparisons(path, "big")[0])
    assert (small.label, small.frame, small.scale, small.root) == ("badge", (80, 60), 1.0, None)
    assert (big.label, big.frame, big.scale) == ("big", (40, 30), 2.0)


FULL = """\
  checkout:
    image: checkout/first.png
    nodes: checkout/all.nodes.json
    node: 12:34
    viewports: {desktop: {node: 12:34}, mobile: {node: 12:51, width: 390, height: 844}}
    themes: {light: {}, dark: {node: 12:77}}
"""


def test_every_theme_and_viewport_is_planned(folder: Folder) -> None:
    """Themes outermost, labels from node, theme and viewport, each with its own picture."""
    for name in ("first", "12-51", "12-77__dark__desktop"):
        folder.picture(f"checkout/{name}.png")
    folder.nodes("checkout/all.nodes.json", tree("12:34"), tree("12:51"), tree("12:77"))
    path = folder.manifest(FULL)
    planned = plan_comparisons(path, "checkout")
    assert [(p.label, p.image.stem if p.image else None) for p in planned] == [
        ("12-34__light__desktop", "first"),
        ("12-51__light__mobile", "12-51"),
        ("12-77__dark__desktop", "12-77__dark__desktop"),
        ("checkout__dark__mobile", None),
    ]
    loaded = [load_design(p) for p in planned[:3]]
    assert [d.root.id for d in loaded if d.root] == ["12:34", "12:51", "12:77"]
    assert [(d.theme, d.viewport, d.viewport_size) for d in loaded] == [
        ("light", "desktop", None),
        ("light", "mobile", (390, 844)),
        ("dark", "desktop", None),
    ]
    with pytest.raises(DesignUnreadableError, match="each have a node of their own"):
        load_design(planned[3])


def test_a_node_for_theme_and_viewport_together_can_be_named(folder: Folder) -> None:
    """Themes may say what is different in them at one viewport."""
    folder.picture("checkout/12-99__dark__mobile.png")
    folder.nodes("checkout/all.nodes.json", tree("12:99"))
    text = FULL.replace("dark: {node: 12:77}", "dark: {viewports: {mobile: {node: 12:99}}}")
    path = folder.manifest(text)
    (planned,) = plan_comparisons(path, "checkout", theme="dark", viewport="mobile")
    assert (planned.label, planned.node) == ("12-99__dark__mobile", "12:99")
    assert load_design(planned).label == "12-99__dark__mobile"


def test_a_picture_for_theme_and_viewport_together_can_be_named(folder: Folder) -> None:
    """A picture alone is enough; its geometry is that of the viewport's node."""
    folder.picture("m.png")
    text = FULL.replace("12:77}", "12:77, viewports: {mobile: {image: m.png}}}")
    path = folder.manifest(text)
    (planned,) = plan_comparisons(path, "checkout", theme="dark", viewport="mobile")
    assert (planned.node, planned.image) == ("12:51", path / "m.png")


def test_viewport_and_theme_choose(folder: Folder) -> None:
    """A filter keeps what it names."""
    path = folder.manifest(FULL)
    assert [p.viewport for p in plan_comparisons(path, "checkout", viewport="mobile")] == [
        "mobile",
        "mobile",
    ]
    assert [p.label for p in plan_comparisons(path, "checkout", theme="dark")] == [
        "12-77__dark__desktop",
        "checkout__dark__mobile",
    ]


def test_no_theme_is_measured_against_the_picture_of_another(folder: Folder) -> None:
    """The design's own picture is that of its first theme; dark without one is missing."""
    folder.picture("home.png")
    path = folder.manifest("  home: {image: home.png, themes: {light: {}, dark: {}}}\n")
    light, dark = plan_comparisons(path, "home")
    assert load_design(light).label == "home__light"
    with pytest.raises(DesignUnreadableError, match="no design for"):
        load_design(dark)
    folder.picture("home/home__dark.png")
    assert load_design(plan_comparisons(path, "home", theme="dark")[0]).theme == "dark"


def test_a_viewports_picture_belongs_to_the_first_theme(folder: Folder) -> None:
    """The picture that a viewport names is not taken for its dark theme."""
    folder.picture("m.png")
    path = folder.manifest("  home: {viewports: {m: {image: m.png}}, themes: {light: , dark: }}\n")
    light, dark = plan_comparisons(path, "home")
    assert (light.image, dark.image) == (path / "m.png", None)


def test_default_places_are_looked_at(folder: Folder) -> None:
    """Without image and nodes, <name>/<label>.png and .nodes.json are the places."""
    folder.picture("home/1-2.png")
    folder.nodes("home/1-2.nodes.json", tree("1:2"))
    path = folder.manifest("  home: {node: 1-2}\n")
    design = load_design(plan_comparisons(path, "home")[0])
    assert (design.label, design.scale, design.root is not None) == ("1-2", 2.0, True)


def test_a_missing_design_says_where_it_was_looked_for(folder: Folder) -> None:
    """What, where it was looked for, and the command that fetches it, in three lines."""
    path = folder.manifest(FULL.replace("    themes: {light: {}, dark: {node: 12:77}}\n", ""))
    (planned,) = plan_comparisons(path, "checkout", viewport="mobile")
    with pytest.raises(DesignUnreadableError) as caught:
        load_design(planned)
    assert str(caught.value) == (
        'no design for "checkout" at viewport "mobile" (node 12:51)\n'
        "  looked in: designs/checkout/12-51__mobile.png, designs/checkout/12-51.png, "
        "designs/designs.yaml\n"
        "  next: export the frame from Figma to designs/checkout/12-51__mobile.png"
    )
    assert caught.value.status == "undetermined:not-exported"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("chekout", 'did you mean: "checkout"'),
        ("nothing/like/it", "which names checkout"),
        ("", "which names checkout"),
        ("/", "which names checkout"),
    ],
)
def test_an_unknown_name_lists_the_known_ones(folder: Folder, name: str, words: str) -> None:
    """A name that the manifest has not is figma-unreadable, with what there is."""
    path = folder.manifest(FULL)
    with pytest.raises(DesignUnreadableError) as caught:
        plan_comparisons(path, name)
    assert words in str(caught.value)
    assert "designs/designs.yaml" in str(caught.value)


def test_an_unknown_viewport_or_theme_lists_the_known_ones(folder: Folder) -> None:
    """A word that is no viewport or theme of anything is a wrong word, with the known ones."""
    path = folder.manifest(FULL + "  home: {}\n")
    with pytest.raises(ConfigurationError, match=r"'mobil'(?s:.*)mean mobile"):
        plan_comparisons(path, "checkout", viewport="mobil")
    with pytest.raises(ConfigurationError, match=r"'blue'(?s:.*)light, dark"):
        plan_comparisons(path, "checkout", theme="blue")
    with pytest.raises(ConfigurationError, match="between two commas"):
        plan_comparisons(path, "checkout", viewport="mobile,,desktop")


def test_a_folder_without_manifest_is_unreadable(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No designs.yaml: figma-unreadable, and the message says what to write."""
    monkeypatch.chdir(folder.path)
    with pytest.raises(DesignUnreadableError, match=r"designs/designs\.yaml \(there is no such"):
        plan_comparisons(Path(), "home")
    with pytest.raises(DesignUnreadableError, match=r"designs/designs\.yaml \(there is no such"):
        plan_comparisons(folder.path, "home")
    with pytest.raises(DesignUnreadableError, match="no such file"):
        plan_comparisons(folder.path / "none", "home")


def test_a_source_that_is_not_there_is_refused_at_use_only(folder: Folder) -> None:
    """A bridge or a link that was not fetched does not disturb the other designs."""
    folder.picture("badge.png")
    folder.picture("got/5-6.png")
    path = folder.manifest(
        "  badge: {image: badge.png}\n"
        "  screen: {bridge: ../x.bridge.json}\n"
        '  soon: {figma: "https://www.figma.com/design/abc/x?node-id=1-2&m=dev"}\n'
        '  got: {figma: "https://www.figma.com/design/abc/x?node-id=5-6"}\n'
    )
    assert load_design(plan_comparisons(path, "badge")[0]).label == "badge"
    assert load_design(plan_comparisons(path, "got")[0]).label == "5-6"
    with pytest.raises(DesignUnreadableError, match="no such file"):
        load_design(plan_comparisons(path, "screen")[0])
    (soon,) = plan_comparisons(path, "soon")
    assert soon.label == "1-2"
    with pytest.raises(DesignUnreadableError, match="not fetched yet"):
        load_design(soon)


def test_a_part_is_cut_out_of_its_design(folder: Folder) -> None:
    """checkout/form is the visible node called form: its picture, frame, tree and label."""
    folder.picture("a.png")
    folder.nodes("a.json", tree("12:34"))
    path = folder.manifest("  checkout: {image: a.png, nodes: a.json, gate: design}\n")
    (planned,) = plan_comparisons(path, "checkout/form")
    design = load_design(planned)
    assert (design.name, design.label, design.gate) == ("checkout/form", "12-341", "design")
    assert planned.label == "12-341"
    assert (design.frame, design.scale) == ((10, 8), 2.0)
    assert design.root is not None
    assert design.root.name == "form"
    assert np.array_equal(design.image, noise(80, 60)[12:28, 8:28])


def test_a_part_can_be_chosen_by_path_or_id(folder: Folder) -> None:
    """Where a name is not unique, the error lists the ids, and an id is accepted."""
    folder.picture("a.png")
    folder.nodes("a.json", tree("12:34"))
    path = folder.manifest("  checkout: {image: a.png, nodes: a.json}\n")
    with pytest.raises(DesignUnreadableError, match=r"2 visible nodes.*12:342.*12:343"):
        load_design(plan_comparisons(path, "checkout/card")[0])
    assert load_design(plan_comparisons(path, "checkout/12:343")[0]).label == "12-343"
    assert load_design(plan_comparisons(path, "checkout/Checkout/form")[0]).label == "12-341"
    with pytest.raises(DesignUnreadableError, match="no visible node"):
        load_design(plan_comparisons(path, "checkout/Checkout")[0])
    with pytest.raises(DesignUnreadableError, match='did you mean "form"'):
        load_design(plan_comparisons(path, "checkout/from")[0])


def test_an_entry_of_that_name_wins_over_a_part(folder: Folder) -> None:
    """checkout/form in the manifest is that entry, not the node in checkout."""
    folder.picture("a.png")
    folder.picture("form.png", 10, 10)
    folder.nodes("a.json", tree("12:34"))
    path = folder.manifest(
        "  checkout: {image: a.png, nodes: a.json}\n  checkout/form: {image: form.png}\n"
    )
    design = load_design(plan_comparisons(path, "checkout/form")[0])
    assert design.frame == (10, 10)


def test_a_part_of_a_bare_picture_is_refused(folder: Folder) -> None:
    """Without a tree there are no parts."""
    folder.picture("a.png")
    path = folder.manifest("  home: {image: a.png}\n")
    with pytest.raises(DesignUnreadableError, match="no node tree"):
        load_design(plan_comparisons(path, "home/form")[0])


@pytest.mark.parametrize(
    ("image", "nodes", "words"),
    [
        (b"", None, "0 bytes"),
        (b"version https://git-lfs.github.com/spec/v1\n", None, "git lfs pull"),
        (encode_png(noise(80, 60))[:-9], None, "truncated"),
        (None, b"", "0 bytes"),
        (None, b"{}", "holds no Figma node"),
        (None, b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (encode_png(noise(80, 64)), None, "does not fit"),
    ],
)
def test_bad_files_are_figma_unreadable(
    folder: Folder, image: bytes | None, nodes: bytes | None, words: str
) -> None:
    """A wrong picture or node file is planned, then refused with the file's name."""
    folder.picture("a.png")
    folder.nodes("a.json", tree("12:34"))
    for name, data in (("a.png", image), ("a.json", nodes)):
        if data is not None:
            (folder.path / name).write_bytes(data)
    path = folder.manifest("  home: {image: a.png, nodes: a.json}\n")
    (planned,) = plan_comparisons(path, "home")
    with pytest.raises(DesignUnreadableError) as caught:
        load_design(planned)
    assert words in str(caught.value)
    assert "designs/a." in caught.value.where


def test_a_named_node_file_that_is_missing_is_an_error(folder: Folder) -> None:
    """A tree that the manifest promises is not silently done without."""
    folder.picture("a.png")
    path = folder.manifest("  home: {image: a.png, nodes: b.json}\n")
    with pytest.raises(DesignUnreadableError, match="no such file"):
        load_design(plan_comparisons(path, "home")[0])


def test_a_manifest_with_a_mistake_is_a_configuration_error(folder: Folder) -> None:
    """A typing error in the manifest is the user's to mend, not an unreadable design."""
    path = folder.manifest("  home: {imge: a.png}\n")
    with pytest.raises(ConfigurationError, match="imge"):
        plan_comparisons(path, "home")


def test_plans_are_the_same_wherever_they_are_made(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative folder and an absolute one give equal plans and equal provenance."""
    folder.picture("a.png")
    path = folder.manifest("  home: {image: a.png}\n")
    absolute = plan_comparisons(path, "home")
    monkeypatch.chdir(path.parent)
    relative = plan_comparisons(Path("designs"), "home")
    assert relative == absolute
    assert load_design(relative[0]).provenance == load_design(absolute[0]).provenance


def test_two_files_are_a_design_without_a_manifest(folder: Folder) -> None:
    """Picture and node file give the same design as a manifest that names them."""
    folder.picture("a.png")
    folder.nodes("a.json", tree("12:34"), tree("12:35"))
    image, nodes = folder.path / "a.png", folder.path / "a.json"
    design = design_from_files(image, nodes, node="12-35", gate="pixel")
    assert (design.name, design.label, design.gate) == ("a", "12-35", "pixel")
    assert (design.frame, design.scale) == ((40, 30), 2.0)
    assert design.files == (str(image), str(nodes))
    with pytest.raises(DesignUnreadableError, match="holds 2 frames"):
        design_from_files(image, nodes)
    with pytest.raises(DesignUnreadableError, match="no such file"):
        design_from_files(folder.path / "none.png")


@pytest.mark.parametrize(
    ("name", "scale", "expected"),
    [("a.png", None, 1.0), ("a@2x.png", None, 2.0), ("a@1.5x.png", None, 1.5), ("a@2x.png", 1, 1)],
)
def test_the_scale_of_a_bare_picture(
    folder: Folder, name: str, scale: float | None, expected: float
) -> None:
    """A given scale, else @2x in the file's name, else 1."""
    folder.picture(name)
    design = design_from_files(folder.path / name, scale=scale)
    assert design.scale == expected
    assert design.frame == (80 / expected, 60 / expected)


def test_the_viewport_tells_the_scale_of_a_bare_picture(folder: Folder) -> None:
    """780 px for a viewport of 390 is 2x; a width that gives no usual scale is no evidence."""
    folder.picture("a.png", 780, 60)
    path = folder.manifest(
        "  home: {image: a.png, viewports: {mobile: {width: 390}}}\n"
        "  card: {image: a.png, viewports: {wide: {width: 1000, height: 700}}}\n"
    )
    home = load_design(plan_comparisons(path, "home")[0])
    card = load_design(plan_comparisons(path, "card")[0])
    assert (home.scale, home.viewport_size) == (2.0, (390, 30))
    assert (card.scale, card.viewport_size) == (1.0, (1000, 700))


def test_impossible_arguments_are_configuration_errors(folder: Folder) -> None:
    """A scale of 0 and an unknown gate are the caller's mistake."""
    folder.picture("a.png")
    for scale in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ConfigurationError, match="scale"):
            design_from_files(folder.path / "a.png", scale=scale)
    with pytest.raises(ConfigurationError, match="design, pixel"):
        design_from_files(folder.path / "a.png", gate="strict")


REAL = [
    *(
        (f"mobile/{name}/figma.png", f"mobile/{name}/nodes.json", 2.0)
        for name in (
            *("bank_home", "food_details", "light_theme_06"),
            *("login_version_9", "mobile_checkout", "reminders"),
        )
    ),
    ("sds/desktop-shop/figma@2x.png", "sds/desktop-shop/nodes.json", 2.0),
    ("sds/mobile-pricing/figma@2x.png", "sds/mobile-pricing/nodes.json", 2.0),
    ("mcp/425-2086/figma@2x.png", "mcp/425-2086/nodes.json", 2.0),
    ("vector-frame/vector-frame.png", "vector-frame/vector-frame.response.json", 1.0),
]


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not here")
@pytest.mark.parametrize(("image", "nodes", "scale"), REAL, ids=[r[0] for r in REAL])
def test_real_exports_load_with_the_right_scale_and_origin(
    image: str, nodes: str, scale: float
) -> None:
    """Real Figma pairs: derived scale, origin, and a picture of exactly frame x scale."""
    design = design_from_files(SHARED / image, SHARED / nodes)
    assert design.root is not None
    assert design.root.box is not None
    assert design.placement is not None
    assert design.scale == scale
    assert design.placement.origin == ((48.0, 48.0) if "light_theme" in image else (0.0, 0.0))
    assert design.pixel_size == (design.root.box.w * scale, design.root.box.h * scale)


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not here")
def test_light_theme_06_is_cut_to_its_content() -> None:
    """The shadow's margin is gone: the frame's own fill begins at pixel 0, 0."""
    folder = SHARED / "mobile" / "light_theme_06"
    design = design_from_files(folder / "figma.png", folder / "nodes.json")
    assert design.pixel_size == (780, 1688)
    middle = design.image[800, :, 3]
    assert middle[0] == middle[-1] == 255, "the frame is opaque up to its edges"


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not here")
def test_a_part_of_a_real_page(tmp_path: Path) -> None:
    """The footer of a real page is a design of its own."""
    (tmp_path / "designs").mkdir()
    shop = SHARED / "sds" / "desktop-shop"
    shutil.copy(shop / "figma@2x.png", tmp_path / "designs" / "shop.png")
    shutil.copy(shop / "nodes.json", tmp_path / "designs" / "shop.json")
    path = Folder.manifest(_At(tmp_path), "  shop: {image: shop.png, nodes: shop.json}\n")
    design = load_design(plan_comparisons(path, "shop/Footer")[0])
    assert (design.label, design.frame) == ("175-7427", (1200, 468))


class _At(Folder):
    """A designs folder that is there already."""

    def __init__(self, root: Path) -> None:
        self.path = root / "designs"
