"""Sections and component sets in the manifest: one name that is several comparisons."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.core.errors import DesignNotExportedError, DesignUnreadableError
from pytest_pixelloop.sources.folder import load_design, plan_comparisons
from pytest_pixelloop.store.images import encode_png

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.sources.plan import PlannedComparison


def node(
    node_id: str, name: str, x: float, *children: dict[str, Any], **fields: Any
) -> dict[str, Any]:
    """Return a raw frame of 20 x 10 at *x*."""
    return {
        "id": node_id,
        "name": name,
        "type": "FRAME",
        "absoluteBoundingBox": {"x": x, "y": 0, "width": 20, "height": 10},
        "children": list(children),
        **fields,
    }


def section(*children: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a raw section of 200 x 10 with *children*."""
    around = {"x": 0, "y": 0, "width": 200, "height": 10}
    named = {"type": "SECTION", "absoluteBoundingBox": around}
    return node("9:1", "Checkout", 0, *children) | named | fields


FORM = {
    "id": "2:1",
    "name": "form",
    "type": "FRAME",
    "absoluteBoundingBox": {"x": 42, "y": 2, "width": 8, "height": 4},
}
FRAMES = (
    node("1:1", "Cart", 0),
    node("1:2", "Pay", 40, FORM),
    node("1:3", "Frame 12", 80),
    node("1:4", "", 120),
    section(node("1:5", "Pay", 160), id="9:2", name="Mobile"),
    node("1:6", "Old", 180, visible=False),
)


@pytest.fixture
def designs(tmp_path: Path) -> Path:
    """Return a designs folder whose only design is a section, with its tree and no picture."""
    folder = tmp_path / "designs"
    (folder / "flow").mkdir(parents=True)
    (folder / "designs.yaml").write_text(
        'schema_version: 1\ndesigns:\n  flow: {node: "9:1"}\n', "utf-8"
    )
    write_tree(folder, section(*FRAMES))
    return folder


def write_tree(folder: Path, root: dict[str, Any]) -> None:
    """Write the node file of the section."""
    answer = {"nodes": {root["id"]: {"document": root}}}
    (folder / "flow/9-1.nodes.json").write_text(json.dumps(answer), "utf-8")


def plan(designs: Path, name: str = "flow", **which: Any) -> tuple[PlannedComparison, ...]:
    """Return what is planned for *name*."""
    return plan_comparisons(designs, name, **which)


def status_of(planned: PlannedComparison) -> str:
    """Return why a comparison has no design side."""
    with pytest.raises(DesignUnreadableError) as caught:
        load_design(planned)
    return caught.value.status


def write_frame(designs: Path, label: str, value: int) -> None:
    """Write the picture of one frame."""
    (designs / f"flow/{label}.png").write_bytes(encode_png(np.full((10, 20, 4), value, np.uint8)))


def test_a_section_is_every_visible_frame_in_it(designs: Path) -> None:
    """Frames of inner sections too, in document order, labels by node id, names by path."""
    assert [(item.label, item.name) for item in plan(designs)] == [
        ("1-1", "flow/Cart"),
        ("1-2", "flow/Pay"),
        ("1-3", "flow/Frame 12"),
        ("1-4", "flow/1:4"),
        ("1-5", "flow/Mobile/Pay"),
    ]


def test_each_frame_has_its_own_reason(designs: Path) -> None:
    """On disk it loads, not on disk it is not-exported, without a name it is unnamed-frame."""
    for label in ("1-1", "1-3", "1-4"):
        write_frame(designs, label, 255)
    cart, pay, frame_12, nameless, mobile = plan(designs)
    design = load_design(cart)
    assert (design.name, design.label, design.frame) == ("flow/Cart", "1-1", (20, 10))
    assert status_of(pay) == status_of(mobile) == "undetermined:not-exported"
    assert status_of(frame_12) == status_of(nameless) == "undetermined:unnamed-frame"
    with pytest.raises(DesignUnreadableError, match=r'name it in Figma(?s:.*)"flow/1:3"'):
        load_design(frame_12)


def test_a_frame_without_a_name_can_be_asked_for_by_its_id(designs: Path) -> None:
    """Who says its id says which one is meant."""
    write_frame(designs, "1-3", 255)
    (planned,) = plan(designs, "flow/1:3")
    assert load_design(planned).label == "1-3"


@pytest.mark.parametrize(
    ("name", "label", "part"),
    [
        ("flow/Cart", "1-1", None),
        ("flow/1-1", "1-1", None),
        ("flow/Pay", "1-2", None),  # the whole path, and not only its end
        ("flow/Mobile/Pay", "1-5", None),
        ("flow/Pay/form", "2-1", "form"),
        ("flow/1:2/form", "2-1", "form"),
        ("flow/form", "2-1", "form"),  # only one of the frames has it
    ],
)
def test_a_name_chooses_a_frame_or_a_node_in_it(
    designs: Path, name: str, label: str, part: str | None
) -> None:
    """A frame is a whole design; what stands behind its name is cut out of it."""
    write_frame(designs, "1-1", 255)
    write_frame(designs, "1-2", 255)
    write_frame(designs, "1-5", 255)
    (planned,) = plan(designs, name)
    assert (planned.label, planned.part) == (label, part)
    design = load_design(planned)
    assert design.frame == ((8, 4) if part else (20, 10))


def test_a_name_that_means_no_frame_lists_them(designs: Path) -> None:
    """What there is, and what was probably meant."""
    (planned,) = plan(designs, "flow/Crat")
    assert status_of(planned) == "undetermined:figma-unreadable"
    assert planned.refusal == (
        "no frame of it is called 'Crat'; it has Cart, Pay, Frame 12, 1:4, Mobile/Pay; "
        'did you mean "Cart"?'
    )


def test_two_frames_of_one_name_are_told_apart_by_id(designs: Path) -> None:
    """The name is refused with both ids; asking for the section plans both."""
    write_tree(designs, section(node("1:1", "Pay", 0), node("1:2", "Pay", 40)))
    (planned,) = plan(designs, "flow/Pay")
    assert planned.refusal == "2 frames of it are called 'Pay': 1:1, 1:2 (give an id)"
    assert [item.label for item in plan(designs)] == ["1-1", "1-2"]


def test_a_picture_of_the_whole_section_serves_its_frames(designs: Path) -> None:
    """A frame without a picture is cut out of that of its section; its own picture wins."""
    picture = np.full((20, 400, 4), 255, np.uint8)
    picture[:, 80:120] = (9, 8, 7, 255)
    (designs / "flow/9-1.png").write_bytes(encode_png(picture))
    write_frame(designs, "1-1", 200)
    cart, pay, *_rest = (load_design(item) for item in plan(designs) if item.refusal is None)
    assert (cart.scale, int(cart.image[0, 0, 0])) == (1, 200)
    assert (pay.label, pay.scale, pay.frame) == ("1-2", 2, (20, 10))
    assert (pay.image == (9, 8, 7, 255)).all()
    (planned,) = plan(designs, "flow/Pay/form")
    assert load_design(planned).frame == (8, 4)


def test_themes_and_viewports_of_a_section_are_in_the_labels(designs: Path) -> None:
    """Frames x themes: each theme's section is expanded; its pictures have its labels."""
    (designs / "designs.yaml").write_text(
        "schema_version: 1\ndesigns:\n  flow:\n    nodes: flow/9-1.nodes.json\n"
        '    node: "9:1"\n    themes: {light: {}, dark: {node: "9:2"}}\n',
        "utf-8",
    )
    assert [(item.label, item.theme) for item in plan(designs)] == [
        ("1-1__light", "light"),
        ("1-2__light", "light"),
        ("1-3__light", "light"),
        ("1-4__light", "light"),
        ("1-5__light", "light"),
        ("1-5__dark", "dark"),
    ]
    assert [item.label for item in plan(designs, theme="dark")] == ["1-5__dark"]


def test_a_theme_that_a_section_does_not_have_is_one_reason(designs: Path) -> None:
    """It is planned once, as unthemable."""
    (planned,) = plan(designs, theme="dark")
    assert status_of(planned) == "undetermined:unthemable"


def test_a_section_without_frames_says_so(designs: Path) -> None:
    """Nothing to compare is never nothing planned."""
    write_tree(designs, section(node("1:6", "Old", 0, visible=False)))
    (planned,) = plan(designs)
    assert planned.refusal == "the section Checkout (9:1) has no visible frame in it"


def test_a_section_that_was_never_exported_is_planned(designs: Path) -> None:
    """Without its tree nobody knows its frames: one comparison, not exported."""
    (designs / "flow/9-1.nodes.json").unlink()
    (planned,) = plan(designs)
    with pytest.raises(DesignNotExportedError):
        load_design(planned)


def test_names_of_frames_are_untrusted(designs: Path) -> None:
    """Escape sequences and direction overrides in a frame's name reach no report."""
    write_tree(designs, section(node("1:1", "Ca\x1b[31mrt\u202e", 0)))
    (planned,) = plan(designs)
    assert planned.name == "flow/Ca\ufffd[31mrt\ufffd"
