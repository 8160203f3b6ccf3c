"""Lines drawn as boxes, gradients, veils, and what changed its colours but not its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest
from drawn_page import (
    HEIGHT,
    INK,
    PAGE,
    WHITE,
    WIDTH,
    Color,
    blank,
    frame_node,
    gating_findings,
    page_node,
    solid,
    text_node,
    write_text,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import DesignNode

GRAY = (203, 213, 225)
BLUE, ROSE, AMBER = (37, 99, 235), (244, 63, 94), (251, 191, 36)


def _ruled(top: float = 120.0, color: Color = GRAY, thick: float = 1.0) -> NDArray[np.uint8]:
    """Return a page with a rule that another one crosses; between two pixels it lies on both."""
    image = blank()
    rows = np.arange(HEIGHT)
    cover = np.clip(np.minimum(rows + 1, top + thick) - np.maximum(rows, top), 0, 1)
    part = image[:, 40:360].astype(float)
    share = cover[:, None, None]
    image[:, 40:360] = np.rint(part * (1 - share) + np.array(color) * share)
    image[60:180, 200] = GRAY
    return image


def _rules(top: float = 120.0) -> DesignNode:
    across = frame_node("1:1", (40, top, 320, 1), [solid(GRAY)])
    return page_node(across, frame_node("1:2", (200, 60, 1, 120), [solid(GRAY)]))


@pytest.mark.parametrize("top", [120.0, 120.5])
@pytest.mark.parametrize("shown", [120.0, 120.3, 121.0])
def test_a_line_on_other_pixels_passes(top: float, shown: float) -> None:
    """Whether a rasteriser puts a line on one row or on two halves says nothing of it."""
    assert gating_findings(_rules(top), _ruled(top), _ruled(shown)) == []


@pytest.mark.parametrize("top", [120.0, 120.5])
def test_a_line_that_is_gone_is_missing(top: float) -> None:
    """A divider that the page has not is told as missing, however thin it is."""
    gone = blank()
    gone[60:180, 200] = GRAY
    assert ("1:1", "missing") in gating_findings(_rules(top), _ruled(top), gone)


def test_a_line_of_another_colour_or_thickness_is_told() -> None:
    """A divider has a colour and a thickness, as any other box."""
    darker = gating_findings(_rules(), _ruled(), _ruled(color=(148, 163, 184)))
    assert darker == [("1:1", "background")]
    assert ("1:1", "height") in gating_findings(_rules(), _ruled(), _ruled(thick=2))


def test_a_line_that_ends_early_is_told_and_letters_at_its_end_are_not() -> None:
    """The length of a rule is read along it: letters in the row beside it are no end of it."""
    short = _ruled()
    short[120, 240:360] = PAGE
    assert ("1:1", "width") in gating_findings(_rules(), _ruled(), short)
    for says in ("40", "30"):
        before, after = _ruled(), _ruled(120.5)
        for image, label in ((before, "40"), (after, says)):
            write_text(image, label, (12, 104, 30, 30), INK)
        assert "1:1" not in {at for at, _ in gating_findings(_rules(), before, after)}


def _sunset(*, end: Color = AMBER, angle: float = 0.0) -> NDArray[np.uint8]:
    """Return a page with a card from rose to another colour."""
    image = blank()
    y, x = np.mgrid[0:120, 0:300]
    along = np.cos(np.radians(angle)) * (x / 300 - 0.5) + np.sin(np.radians(angle)) * (
        y / 120 - 0.5
    )
    part = np.clip(along + 0.5, 0, 1)[..., None]
    colors = np.array(ROSE) * (1 - part) + np.array(end) * part
    image[60:180, 50:350] = np.rint(colors)
    write_text(image, "Evening", (80, 100, 200, 30), WHITE)
    return image


@pytest.mark.parametrize("change", [{"end": ROSE}, {"end": BLUE}, {"angle": 60}])
def test_another_gradient_is_a_background(change: dict[str, Any]) -> None:
    """A gradient of other colours, or in another direction, is told of the box that has it."""
    label = text_node("1:2", (80, 100, 200, 30), "Evening", WHITE)
    gradient = {"type": "GRADIENT_LINEAR", "gradientStops": []}
    root = page_node(frame_node("1:1", (50, 60, 300, 120), [gradient], label))
    assert ("1:1", "background") in gating_findings(root, _sunset(), _sunset(**change))
    soft = np.asarray(cv2.GaussianBlur(_sunset(), (0, 0), 0.4), np.uint8)
    assert ("1:1", "background") not in gating_findings(root, _sunset(), soft)


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

    picture = frame_node("1:1", (0, 0, WIDTH, HEIGHT), [{"type": "IMAGE"}])
    root = page_node(picture, frame_node("1:2", (60, 80, 280, 80), [solid(INK, 0.6)]))
    assert ("1:2", "background") in gating_findings(root, drawn(0.6), drawn(0.4))


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

    text = text_node("1:3", label, "3 seats left", (184, 67, 26))
    veil = frame_node("1:2", badge, [solid(WHITE, 0.9)], text)
    root = page_node(frame_node("1:1", (0, 0, WIDTH, HEIGHT), [{"type": "IMAGE"}]), veil)
    assert ("1:2", "background") not in gating_findings(root, drawn(6), drawn(3))


def test_a_chosen_row_is_told_by_its_colours() -> None:
    """A row that is not chosen has another fill and text colour: nothing in it is missing."""
    row, label = (40, 80, 320, 40), (60, 85, 200, 30)

    def drawn(*, chosen: bool) -> NDArray[np.uint8]:
        image = blank()
        image[80:120, 40:360] = BLUE if chosen else WHITE
        write_text(image, "harbour-plan", label, WHITE if chosen else INK)
        return image

    root = page_node(
        frame_node("1:1", row, [solid(BLUE)], text_node("1:2", label, "harbour-plan", WHITE))
    )
    told = gating_findings(root, drawn(chosen=True), drawn(chosen=False))
    assert sorted(told) == [("1:1", "background"), ("1:2", "color")]


def test_zebra_rows_stay_where_they_are_on_another_page_colour() -> None:
    """Where light and dark change places at an edge it has not moved to the next row."""
    rows = [
        frame_node(f"1:{k}", (40, 40 + 26 * k, 320, 26), [solid((247, 247, 249))])
        for k in (1, 3, 5)
    ]

    def drawn(page: Color) -> NDArray[np.uint8]:
        image = np.full((HEIGHT, WIDTH, 3), page, np.uint8)
        for k in (1, 3, 5):
            image[40 + 26 * k : 66 + 26 * k, 40:360] = (247, 247, 249)
        return image

    root = frame_node("1:0", (0, 0, WIDTH, HEIGHT), [solid(WHITE)], *rows)
    assert gating_findings(root, drawn(WHITE), drawn((229, 231, 235))) == [("1:0", "background")]
