"""Export geometry as real exports have it: the size of each PNG is given, not computed.

Every case is a node tree and the size that Figma's export of it has at scale 1, by default and
with absolute bounds (docs and measurements of real files). The frame holds a blue mark of 8x8 CSS
px at 4, 4: wherever the picture starts, the design that is loaded has the mark there.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from figma_server import box, frame, paint, rect

from pytest_pixelloop.sources.folder import design_from_files
from pytest_pixelloop.store.images import encode_png

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MARK = (0x25, 0x63, 0xEB)
W, H = 40.0, 30.0


def shadow(radius: float, x: float = 0, y: float = 0, spread: float = 0) -> dict[str, Any]:
    """Return a drop shadow."""
    offset = {"x": x, "y": y}
    return {"type": "DROP_SHADOW", "radius": radius, "offset": offset, "spread": spread}


def child(x: float, y: float, w: float, h: float, **fields: Any) -> dict[str, Any]:
    """Return a rectangle placed in the frame at 100, 50."""
    return rect("9:1", box(100 + x, 50 + y, w, h), "#111827", **fields)


def outside(weight: float, align: str = "OUTSIDE") -> dict[str, Any]:
    """Return a stroke."""
    return {"strokes": [paint("#000000")], "strokeWeight": weight, "strokeAlign": align}


OPEN = {"clipsContent": False}
# case -> (fields of the frame, its children, left, top, right, bottom overhang in CSS px)
CASES: dict[str, tuple[dict[str, Any], list[dict[str, Any]], tuple[float, float, float, float]]] = {
    "plain": ({}, [], (0, 0, 0, 0)),
    "shadow": ({"effects": [shadow(24)]}, [], (24, 24, 24, 24)),
    "shadow with offset": ({"effects": [shadow(24, x=2, y=4)]}, [], (22, 20, 26, 28)),
    "shadow with spread": ({"effects": [shadow(10, spread=5)]}, [], (15, 15, 15, 15)),
    "shadow of negative spread": ({"effects": [shadow(10, spread=-4)]}, [], (6, 6, 6, 6)),
    "shadow far below": ({"effects": [shadow(2, y=20)]}, [], (2, 0, 2, 22)),
    "two shadows": ({"effects": [shadow(4), shadow(6, y=6)]}, [], (6, 4, 6, 12)),
    "hidden shadow": ({"effects": [shadow(24) | {"visible": False}]}, [], (0, 0, 0, 0)),
    "inner shadow": ({"effects": [shadow(24) | {"type": "INNER_SHADOW"}]}, [], (0, 0, 0, 0)),
    "layer blur": ({"effects": [{"type": "LAYER_BLUR", "radius": 8}]}, [], (8, 8, 8, 8)),
    "background blur": ({"effects": [{"type": "BACKGROUND_BLUR", "radius": 8}]}, [], (0, 0, 0, 0)),
    "outside stroke": (outside(3), [], (3, 3, 3, 3)),
    "centred stroke": (outside(4, "CENTER"), [], (2, 2, 2, 2)),
    "inside stroke": (outside(4, "INSIDE"), [], (0, 0, 0, 0)),
    "one-sided stroke": (
        outside(1) | {"individualStrokeWeights": {"top": 0, "right": 0, "bottom": 4, "left": 0}},
        [],
        (0, 0, 0, 4),
    ),
    "stroke under a shadow": (outside(1) | {"effects": [shadow(6)]}, [], (7, 7, 7, 7)),
    "overflow": (OPEN, [child(30, 20, 30, 30)], (0, 0, 20, 20)),
    "overflow above": (OPEN, [child(10, -12, 10, 10)], (0, 12, 0, 0)),
    "overflow that is clipped": ({}, [child(30, 20, 30, 30)], (0, 0, 0, 0)),
    "overflow that is hidden": (OPEN, [child(30, 20, 30, 30, visible=False)], (0, 0, 0, 0)),
    "overflow of opacity 0": (OPEN, [child(30, 20, 30, 30, opacity=0)], (0, 0, 0, 0)),
    "overflow with a shadow": (OPEN, [child(30, 20, 20, 20, effects=[shadow(5)])], (0, 0, 15, 15)),
    "overflow under a mask": (
        OPEN,
        [child(0, 0, 50, 10, isMask=True), child(30, 0, 90, 90)],
        (0, 0, 10, 0),
    ),
    "overflow of a grandchild": (
        OPEN,
        [frame("8:1", box(100, 50, 40, 30), child(-6, 0, 10, 10), clipsContent=False)],
        (6, 0, 0, 0),
    ),
    "overflow of a clipping child": (
        OPEN,
        [frame("8:1", box(100, 50, 40, 30), child(-6, 0, 10, 10))],
        (0, 0, 0, 0),
    ),
    "section": (
        {"type": "SECTION", "absoluteRenderBounds": None},
        [],
        (0, 0, 0, 0),
    ),
    "unknown kind": ({"type": "SLOT"}, [], (0, 0, 0, 0)),
}
RENDER_BOUNDS: dict[str, Callable[[dict[str, float]], Any]] = {
    "right": lambda whole: whole,
    "null": lambda _whole: None,
    "of nulls": lambda _whole: dict.fromkeys(("x", "y", "width", "height")),
    "missing": lambda _whole: "missing",
}


def tree(case: str, bounds: str) -> tuple[dict[str, Any], tuple[float, float, float, float]]:
    """Return the raw frame of a case and its overhang."""
    fields, children, overhang = CASES[case]
    left, top, right, bottom = overhang
    whole = box(100 - left, 50 - top, W + left + right, H + top + bottom)
    told = RENDER_BOUNDS[bounds](whole)
    raw = frame("1:2", box(100, 50, W, H), *children) | fields
    raw["absoluteRenderBounds"] = told
    if told == "missing":
        del raw["absoluteRenderBounds"]
    return raw, overhang


def export(overhang: tuple[float, float, float, float], scale: float) -> bytes:
    """Return a picture of the given size with the mark where the frame's 4, 4 is."""
    left, top, right, bottom = overhang
    width, height = (math.floor(v * scale + 0.5) for v in (W + left + right, H + top + bottom))
    image = np.full((height, width, 4), 255, np.uint8)
    x, y = round((left + 4) * scale), round((top + 4) * scale)
    image[y : y + round(8 * scale), x : x + round(8 * scale), :3] = MARK
    return encode_png(image)


def marked(image: np.ndarray[Any, np.dtype[np.uint8]]) -> tuple[int, int, int, int]:
    """Return the box of the mark in a picture."""
    rows, columns = np.nonzero((image[..., :3] == MARK).all(axis=-1))
    return (
        int(columns.min()),
        int(rows.min()),
        int(columns.max()) + 1,
        int(rows.max()) + 1,
    )


@pytest.mark.parametrize("scale", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("bounds", RENDER_BOUNDS)
@pytest.mark.parametrize("case", CASES)
def test_the_frame_is_found_in_every_export(
    tmp_path: Path, case: str, bounds: str, scale: float
) -> None:
    """By default and with absolute bounds, with and without render bounds in the JSON."""
    raw, overhang = tree(case, bounds)
    (tmp_path / "a.nodes.json").write_text(json.dumps(raw), "utf-8")
    for shown in (overhang, (0.0, 0.0, 0.0, 0.0)):
        (tmp_path / "a.png").write_bytes(export(shown, scale))
        design = design_from_files(tmp_path / "a.png", tmp_path / "a.nodes.json")
        at, size = round(4 * scale), round(8 * scale)
        assert (design.scale, design.frame) == (scale, (W, H)), case
        assert marked(design.image) == (at, at, at + size, at + size), case


SIZES = [
    # frame, PNG at scale 2: measured on real exports
    ((390, 844), (780, 1688)),
    ((563.3333129882812, 100), (1127, 200)),
    ((89.33333587646484, 100), (179, 200)),
    ((572, 859), (1144, 1718)),
    ((1290, 1069), (2580, 2138)),
]


@pytest.mark.parametrize(("size", "pixels"), SIZES)
@pytest.mark.parametrize("origin", [(0, 0), (6919.188, 8733.72), (-41300.5, -1525.25)])
def test_sizes_do_not_depend_on_where_a_frame_lies(
    tmp_path: Path,
    size: tuple[float, float],
    pixels: tuple[int, int],
    origin: tuple[float, float],
) -> None:
    """Fractional origins change nothing; fractional sizes are rounded up by less than a pixel."""
    raw = frame("1:2", box(*origin, *size))
    (tmp_path / "a.nodes.json").write_text(json.dumps(raw), "utf-8")
    (tmp_path / "a.png").write_bytes(encode_png(np.full((pixels[1], pixels[0], 4), 255, np.uint8)))
    design = design_from_files(tmp_path / "a.png", tmp_path / "a.nodes.json")
    assert (design.scale, design.frame) == (2.0, size)


def test_a_text_is_its_ink_or_its_box(tmp_path: Path) -> None:
    """The default export of a text is its ink, with absolute bounds its box: both are placed."""
    raw = {
        "id": "1:2",
        "name": "Title",
        "type": "TEXT",
        "absoluteBoundingBox": box(0, 0, 1071, 246),
        "absoluteRenderBounds": box(12.5, 20.25, 785.6, 198.3),
    }
    (tmp_path / "a.nodes.json").write_text(json.dumps(raw), "utf-8")
    for pixels, origin in (((786, 198), [-12.5, -20.25]), ((1071, 246), [0, 0])):
        image = np.full((pixels[1], pixels[0], 4), 255, np.uint8)
        (tmp_path / "a.png").write_bytes(encode_png(image))
        design = design_from_files(tmp_path / "a.png", tmp_path / "a.nodes.json")
        assert design.provenance["placement"]["origin"] == origin
        assert design.pixel_size == (1071, 246)
