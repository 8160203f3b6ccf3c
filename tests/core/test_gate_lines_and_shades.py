"""Lines drawn as boxes, gradients, veils, and what changed its colours but not its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.gate_design import judge_design
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HEIGHT = 400, 240
Color = tuple[int, int, int]
Place = tuple[float, float, float, float]
PAGE, WHITE, INK, GRAY = (243, 244, 246), (255, 255, 255), (31, 41, 55), (203, 213, 225)
BLUE, ROSE, AMBER = (37, 99, 235), (244, 63, 94), (251, 191, 36)


def _paint(color: Color, alpha: float = 1.0) -> dict[str, Any]:
    red, green, blue = (c / 255 for c in color)
    return {"type": "SOLID", "opacity": alpha, "color": {"r": red, "g": green, "b": blue, "a": 1}}


def _box(
    identity: str, place: Place, fills: list[dict[str, Any]], *children: DesignNode
) -> DesignNode:
    return DesignNode(
        id=identity, name=identity, type="FRAME", box=Box(*place), properties={"fills": fills},
        children=children,
    )  # fmt: skip


def _text(identity: str, place: Place, says: str, color: Color) -> DesignNode:
    style = {"fontSize": 16, "lineHeightPx": place[3], "fontWeight": 400}
    return DesignNode(
        id=identity, name=says, type="TEXT", box=Box(*place), characters=says,
        properties={"fills": [_paint(color)], "style": style},
    )  # fmt: skip


def _page(*children: DesignNode) -> DesignNode:
    return _box("1:0", (0, 0, WIDTH, HEIGHT), [_paint(PAGE)], *children)


def _blank() -> NDArray[np.uint8]:
    return np.full((HEIGHT, WIDTH, 3), PAGE, np.uint8)


def _write(image: NDArray[np.uint8], says: str, place: Place, color: Color) -> None:
    at = (round(place[0]) + 2, round(place[1]) + 21)
    cv2.putText(image, says, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, color, 1, cv2.LINE_AA)


def _found(
    root: DesignNode, before: NDArray[np.uint8], after: NDArray[np.uint8]
) -> list[tuple[str | None, str | None]]:
    opaque = np.full((*before.shape[:2], 1), 255, np.uint8)
    design = Design(
        name="t", label="t", image=np.dstack([before, opaque]), frame=(WIDTH, HEIGHT), scale=1,
        root=root,
    )  # fmt: skip
    capture = Capture(image=np.dstack([after, opaque]), scale=1, source="test")
    found = judge_design(design, capture, tolerance=Tolerance()).findings
    return [(f.node.id if f.node else None, f.property) for f in found if f.gating]


def _ruled(top: float = 120.0, color: Color = GRAY, thick: float = 1.0) -> NDArray[np.uint8]:
    """Return a page with a rule that another one crosses; between two pixels it lies on both."""
    image = _blank()
    rows = np.arange(HEIGHT)
    cover = np.clip(np.minimum(rows + 1, top + thick) - np.maximum(rows, top), 0, 1)
    part = image[:, 40:360].astype(float)
    share = cover[:, None, None]
    image[:, 40:360] = np.rint(part * (1 - share) + np.array(color) * share)
    image[60:180, 200] = GRAY
    return image


def _rules(top: float = 120.0) -> DesignNode:
    across = _box("1:1", (40, top, 320, 1), [_paint(GRAY)])
    return _page(across, _box("1:2", (200, 60, 1, 120), [_paint(GRAY)]))


@pytest.mark.parametrize("top", [120.0, 120.5])
@pytest.mark.parametrize("shown", [120.0, 120.3, 121.0])
def test_a_line_on_other_pixels_passes(top: float, shown: float) -> None:
    """Whether a rasteriser puts a line on one row or on two halves says nothing of it."""
    assert _found(_rules(top), _ruled(top), _ruled(shown)) == []


@pytest.mark.parametrize("top", [120.0, 120.5])
def test_a_line_that_is_gone_is_missing(top: float) -> None:
    """A divider that the page has not is told as missing, however thin it is."""
    gone = _blank()
    gone[60:180, 200] = GRAY
    assert ("1:1", "missing") in _found(_rules(top), _ruled(top), gone)


def test_a_line_of_another_colour_or_thickness_is_told() -> None:
    """A divider has a colour and a thickness, as any other box."""
    darker = _found(_rules(), _ruled(), _ruled(color=(148, 163, 184)))
    assert darker == [("1:1", "background")]
    assert ("1:1", "height") in _found(_rules(), _ruled(), _ruled(thick=2))


def test_a_line_that_ends_early_is_told_and_letters_at_its_end_are_not() -> None:
    """The length of a rule is read along it: letters in the row beside it are no end of it."""
    short = _ruled()
    short[120, 240:360] = PAGE
    assert ("1:1", "width") in _found(_rules(), _ruled(), short)
    for says in ("40", "30"):
        before, after = _ruled(), _ruled(120.5)
        for image, label in ((before, "40"), (after, says)):
            _write(image, label, (12, 104, 30, 30), INK)
        assert "1:1" not in {at for at, _ in _found(_rules(), before, after)}


def _sunset(*, end: Color = AMBER, angle: float = 0.0) -> NDArray[np.uint8]:
    """Return a page with a card from rose to another colour."""
    image = _blank()
    y, x = np.mgrid[0:120, 0:300]
    along = np.cos(np.radians(angle)) * (x / 300 - 0.5) + np.sin(np.radians(angle)) * (
        y / 120 - 0.5
    )
    part = np.clip(along + 0.5, 0, 1)[..., None]
    colors = np.array(ROSE) * (1 - part) + np.array(end) * part
    image[60:180, 50:350] = np.rint(colors)
    _write(image, "Evening", (80, 100, 200, 30), WHITE)
    return image


@pytest.mark.parametrize("change", [{"end": ROSE}, {"end": BLUE}, {"angle": 60}])
def test_another_gradient_is_a_background(change: dict[str, Any]) -> None:
    """A gradient of other colours, or in another direction, is told of the box that has it."""
    label = _text("1:2", (80, 100, 200, 30), "Evening", WHITE)
    gradient = {"type": "GRADIENT_LINEAR", "gradientStops": []}
    root = _page(_box("1:1", (50, 60, 300, 120), [gradient], label))
    assert ("1:1", "background") in _found(root, _sunset(), _sunset(**change))
    soft = np.asarray(cv2.GaussianBlur(_sunset(), (0, 0), 0.4), np.uint8)
    assert ("1:1", "background") not in _found(root, _sunset(), soft)


def test_a_veil_over_a_picture_is_judged_by_its_strength() -> None:
    """What shows through a translucent fill tells how translucent it is."""
    rng = np.random.default_rng(7)
    coarse = rng.integers(60, 220, (12, 20, 3)).astype(np.uint8)
    photo = cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)

    def drawn(alpha: float) -> NDArray[np.uint8]:
        image = np.asarray(photo, np.uint8).copy()
        part = image[80:160, 60:340].astype(float)
        image[80:160, 60:340] = np.rint(part * (1 - alpha) + np.array(INK) * alpha)
        return image

    picture = _box("1:1", (0, 0, WIDTH, HEIGHT), [{"type": "IMAGE"}])
    root = _page(picture, _box("1:2", (60, 80, 280, 80), [_paint(INK, 0.6)]))
    assert ("1:2", "background") in _found(root, drawn(0.6), drawn(0.4))


def test_letters_in_a_small_veil_are_not_its_fill() -> None:
    """In a badge over a picture letters may be most of a part: thinner, they are still letters."""
    rng = np.random.default_rng(7)
    coarse = rng.integers(60, 220, (12, 20, 3)).astype(np.uint8)
    photo = np.asarray(cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC), np.uint8)
    badge, label = (60, 80, 110, 20), (62, 75, 106, 30)
    ink = (np.array((184, 67, 26)) + rng.integers(-12, 12, (16, 104, 3))).astype(np.uint8)

    def drawn(thick: int) -> NDArray[np.uint8]:
        image = photo.copy()
        part = image[80:100, 60:170].astype(float)
        image[80:100, 60:170] = np.rint(part * 0.1 + 255 * 0.9)
        for k in range(13):
            image[82:98, 63 + 8 * k : 63 + thick + 8 * k] = ink[:, 8 * k : 8 * k + thick]
        return image

    text = _text("1:3", label, "3 seats left", (184, 67, 26))
    veil = _box("1:2", badge, [_paint(WHITE, 0.9)], text)
    root = _page(_box("1:1", (0, 0, WIDTH, HEIGHT), [{"type": "IMAGE"}]), veil)
    assert ("1:2", "background") not in _found(root, drawn(6), drawn(3))


def test_a_chosen_row_is_told_by_its_colours() -> None:
    """A row that is not chosen has another fill and text colour: nothing in it is missing."""
    row, label = (40, 80, 320, 40), (60, 85, 200, 30)

    def drawn(*, chosen: bool) -> NDArray[np.uint8]:
        image = _blank()
        image[80:120, 40:360] = BLUE if chosen else WHITE
        _write(image, "harbour-plan", label, WHITE if chosen else INK)
        return image

    root = _page(_box("1:1", row, [_paint(BLUE)], _text("1:2", label, "harbour-plan", WHITE)))
    told = _found(root, drawn(chosen=True), drawn(chosen=False))
    assert sorted(told) == [("1:1", "background"), ("1:2", "color")]


def test_zebra_rows_stay_where_they_are_on_another_page_colour() -> None:
    """Where light and dark change places at an edge it has not moved to the next row."""
    rows = [
        _box(f"1:{k}", (40, 40 + 26 * k, 320, 26), [_paint((247, 247, 249))]) for k in (1, 3, 5)
    ]

    def drawn(page: Color) -> NDArray[np.uint8]:
        image = np.full((HEIGHT, WIDTH, 3), page, np.uint8)
        for k in (1, 3, 5):
            image[40 + 26 * k : 66 + 26 * k, 40:360] = (247, 247, 249)
        return image

    root = _box("1:0", (0, 0, WIDTH, HEIGHT), [_paint(WHITE)], *rows)
    assert _found(root, drawn(WHITE), drawn((229, 231, 235))) == [("1:0", "background")]
