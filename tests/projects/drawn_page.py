"""A small page drawn in arrays, and its design of the same boxes and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.gate_design import judge_design
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WIDTH, HEIGHT = 400, 240
Color = tuple[int, int, int]
Place = tuple[float, float, float, float]
PAGE, INK, WHITE = (243, 244, 246), (31, 41, 55), (255, 255, 255)


def solid(color: Color, alpha: float = 1.0) -> dict[str, Any]:
    """Return a plain paint."""
    red, green, blue = (c / 255 for c in color)
    return {"type": "SOLID", "opacity": alpha, "color": {"r": red, "g": green, "b": blue, "a": 1}}


def frame_node(
    identity: str,
    place: Place,
    fills: Sequence[dict[str, Any]] = (),
    *children: DesignNode,
    **more: Any,
) -> DesignNode:
    """Return a box of the design; *more* are its opacity and other properties."""
    opacity = more.pop("opacity", 1.0)
    return DesignNode(
        id=identity, name=identity, type="FRAME", box=Box(*place), opacity=opacity,
        properties={"fills": list(fills), **more}, children=children,
    )  # fmt: skip


def text_node(identity: str, place: Place, says: str, color: Color = INK) -> DesignNode:
    """Return a text of the design, its line as high as its box."""
    style = {"fontSize": 16, "lineHeightPx": place[3], "fontWeight": 400}
    return DesignNode(
        id=identity, name=says, type="TEXT", box=Box(*place), characters=says,
        properties={"fills": [solid(color)], "style": style},
    )  # fmt: skip


def page_node(*children: DesignNode) -> DesignNode:
    """Return the whole page."""
    return frame_node("1:0", (0, 0, WIDTH, HEIGHT), (solid(PAGE),), *children)


def blank() -> NDArray[np.uint8]:
    """Return the page's picture with nothing on it."""
    return np.full((HEIGHT, WIDTH, 3), PAGE, np.uint8)


def write_text(image: NDArray[np.uint8], says: str, place: Place, color: Color = INK) -> None:
    """Draw a text into its box."""
    at = (round(place[0]) + 2, round(place[1]) + 21)
    cv2.putText(image, says, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, color, 1, cv2.LINE_AA)


def fill_box(image: NDArray[np.uint8], place: Place, color: Color) -> None:
    """Draw a box."""
    x, y, w, h = (round(v) for v in place)
    image[y : y + h, x : x + w] = color


def gating_findings(
    root: DesignNode, before: NDArray[np.uint8], after: NDArray[np.uint8]
) -> list[tuple[str | None, str | None]]:
    """Return node and property of what the ``design`` gate finds between two pictures."""
    opaque = np.full((*before.shape[:2], 1), 255, np.uint8)
    design = Design(
        name="t", label="t", image=np.dstack([before, opaque]), frame=(WIDTH, HEIGHT), scale=1,
        root=root,
    )  # fmt: skip
    capture = Capture(image=np.dstack([after, opaque]), scale=1, source="test")
    found = judge_design(design, capture, tolerance=Tolerance()).findings
    return [(f.node.id if f.node else None, f.property) for f in found if f.gating]
