"""Texts on gradients are read as on a plain colour: same letters pass, other ones do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.gate_design import judge_design
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.ground import levelled
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HEIGHT = 320, 120
TEXT = Box(20, 30, 200, 34)
LAVENDER = (221, 214, 254)


def _gradient(slope: float = 1.0) -> NDArray[np.uint8]:
    """Return a linear gradient from indigo to pink, or a part of the way, as RGBA."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    part = slope * ((x / WIDTH + y / HEIGHT) / 2)[..., None]
    start, end = np.array([49, 46, 129]), np.array([219, 39, 119])
    colors = np.rint(start + (end - start) * part).astype(np.uint8)
    return np.dstack([colors, np.full((HEIGHT, WIDTH), 255, np.uint8)])


def _draw(
    text: str,
    *,
    color: tuple[int, int, int] = LAVENDER,
    softer: bool = False,
    line: bool = False,
    slope: float = 1.0,
) -> NDArray[np.uint8]:
    image = _gradient(slope)
    ink = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.putText(ink, text, (22, 54), cv2.FONT_HERSHEY_SIMPLEX, 0.8, 255, 2, cv2.LINE_AA)
    if line:
        (wide, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.8, 2)
        ink[58:60, 22 : 22 + wide] = 255
    if softer:
        ink = np.asarray(cv2.GaussianBlur(ink, (0, 0), 0.6), np.uint8)
    part = ink[..., None] / 255
    image[..., :3] = np.rint(image[..., :3] * (1 - part) + np.array(color) * part)
    return image


def _judge(after: NDArray[np.uint8], *, slope: float = 1.0) -> list[str | None]:
    style = {"fontSize": 24, "lineHeightPx": 34, "fontWeight": 600}
    fill: dict[str, Any] = {"type": "SOLID", "color": {"r": 0.87, "g": 0.84, "b": 1, "a": 1}}
    label = DesignNode(
        id="1:2", name="Brand", type="TEXT", box=TEXT, characters="ATLAS 90",
        properties={"style": style, "fills": [fill]},
    )  # fmt: skip
    root = DesignNode(
        id="1:1", name="Hero", type="FRAME", box=Box(0, 0, WIDTH, HEIGHT), children=(label,),
        properties={"fills": [{"type": "GRADIENT_LINEAR"}]},
    )  # fmt: skip
    design = Design(
        name="t",
        label="t",
        image=_draw("ATLAS 90", slope=slope),
        frame=(WIDTH, HEIGHT),
        scale=1,
        root=root,
    )
    capture = Capture(image=after, scale=1, source="test")
    found = judge_design(design, capture, tolerance=Tolerance()).findings
    return [f.property for f in found if f.node is not None and f.node.id == "1:2"]


def test_the_gradient_is_taken_out() -> None:
    """What remains under the letters is one colour, give or take the rounding of levels."""
    even = levelled(_draw("ATLAS 90")[..., :3], core=(20, 30, 220, 64))
    assert even is not None
    assert even.share > 0.6
    corner = even.crop[30:34, 20:220].reshape(-1, 3).astype(int)
    assert np.abs(corner - even.color).max() <= 2


def test_two_areas_are_no_gradient() -> None:
    """A text over an edge between two colours has no even backdrop."""
    crop = np.full((40, 200, 3), 255, np.uint8)
    crop[:, 100:] = (37, 99, 235)
    assert levelled(crop, core=(0, 0, 200, 40)) is None


@pytest.mark.parametrize("slope", [0.0, 0.03, 0.06, 0.12, 0.2, 0.4, 1.0])
def test_text_on_a_gradient_is_judged_at_any_slope(slope: float) -> None:
    """Another rasteriser's letters are the same letters, another digit is another text."""
    assert _judge(_draw("ATLAS 90", softer=True, slope=slope), slope=slope) == []
    assert _judge(_draw("ATLAS 60", slope=slope), slope=slope) == ["text"]


@pytest.mark.parametrize(
    ("after", "names"),
    [
        (_draw("ATLAS 60"), {"text"}),
        (_draw("ATLAS 90", color=(167, 139, 250)), {"color"}),
        (_draw("ATLAS 90", line=True), {"text-decoration"}),
    ],
    ids=["digit", "colour", "underline"],
)
def test_a_change_on_a_gradient_is_found(after: NDArray[np.uint8], names: set[str]) -> None:
    """A digit, a colour step and an underline are seen on a gradient as well."""
    found = _judge(after)
    assert found
    assert set(found) <= names
