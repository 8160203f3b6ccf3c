"""What lies under an opaque box, or across the side of another one, is judged by what shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from drawn_page import (
    HEIGHT,
    INK,
    PAGE,
    WHITE,
    WIDTH,
    Color,
    blank,
    fill_box,
    frame_node,
    gating_findings,
    page_node,
    solid,
    text_node,
    write_text,
)

from pytest_pixelloop.core.covered import visible_nodes
from pytest_pixelloop.core.judged_nodes import judged_nodes

if TYPE_CHECKING:
    import pytest
    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import DesignNode
    from pytest_pixelloop.core.judged_nodes import JudgedNode

PINK, VIOLET = (251, 207, 232), (139, 92, 246)
BACK, DIALOG, SAVE = (30, 100, 200, 30), (60, 60, 300, 140), (90, 150, 120, 30)


def _visible(root: DesignNode) -> dict[str, JudgedNode]:
    nodes = visible_nodes(judged_nodes(root, scale=1, shape=(HEIGHT, WIDTH)), scale=1)
    return {n.node.id: n for n in nodes}


def _behind(*, over: str = "Save", fill: Color = WHITE) -> NDArray[np.uint8]:
    """Return a page whose text lies behind a dialog with a button."""
    image = blank()
    write_text(image, "Behind it", BACK)
    fill_box(image, DIALOG, fill)
    write_text(image, over, SAVE)
    return image


def test_a_text_behind_a_dialog_is_not_missed() -> None:
    """A text that a dialog covers accuses nobody; what the dialog shows is the dialog's."""
    root = page_node(
        text_node("1:1", (70, 100, 100, 30), "Behind it"),
        frame_node("1:2", DIALOG, (solid(WHITE),), text_node("1:3", SAVE, "Save")),
    )
    assert _visible(root)["1:1"].empty
    assert gating_findings(root, _behind(), _behind(over="Send")) != []
    assert {at for at, _ in gating_findings(root, _behind(), _behind(over="Send"))} == {"1:3"}


def test_what_is_seen_through_is_judged() -> None:
    """Behind a translucent box, or one in a faded group, a text is still looked at."""
    behind = text_node("1:1", (70, 100, 100, 30), "Behind it")
    veil = frame_node("1:2", DIALOG, (solid(WHITE, 0.5),))
    faded = frame_node("1:2", DIALOG, (), frame_node("1:3", DIALOG, (solid(WHITE),)), opacity=0.5)
    for cover in (veil, faded):
        assert not _visible(page_node(behind, cover))["1:1"].empty


def test_a_box_is_not_hidden_by_what_it_holds() -> None:
    """A container that its content fills keeps its place."""
    inner = frame_node("1:2", DIALOG, (solid(WHITE),))
    assert not _visible(page_node(frame_node("1:1", DIALOG, (solid(PINK),), inner)))["1:1"].empty


def test_a_text_half_under_a_box_is_judged_by_its_other_half() -> None:
    """Of a text that runs under a dialog, only what is seen beside it is compared."""
    place = (10, 100, 140, 30)
    root = page_node(
        text_node("1:1", place, "Open orders"), frame_node("1:2", DIALOG, (solid(WHITE),))
    )
    assert _visible(root)["1:1"].rect == (10, 100, 60, 130)

    def drawn(says: str, beside: Color = WHITE) -> NDArray[np.uint8]:
        image = blank()
        write_text(image, says, place)
        fill_box(image, DIALOG, WHITE)
        fill_box(image, (60, 100, 60, 30), beside)
        return image

    told = gating_findings(root, drawn("Open orders"), drawn("Open orders", PINK))
    assert "1:1" not in {at for at, _ in told}
    assert "1:1" in {
        at for at, _ in gating_findings(root, drawn("Open orders"), drawn("Nine orders"))
    }


def test_a_text_across_a_side_of_another_box_passes_in_softer_ink() -> None:
    """A text over two backdrops is read on one of them, not against a mixture of both."""
    place, event = (60, 60, 150, 30), (20, 20, 90, 200)
    root = page_node(
        frame_node("1:1", event, (solid(VIOLET),)),
        frame_node(
            "1:2", (50, 40, 300, 100), (solid(WHITE, 0.3),), text_node("1:3", place, "Focus")
        ),
    )

    def drawn(soft: float) -> NDArray[np.uint8]:
        image = blank()
        fill_box(image, event, VIOLET)
        part = image[40:140, 50:350].astype(float)
        image[40:140, 50:350] = np.rint(part * 0.7 + 255 * 0.3)
        ink = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        write_text(ink, "Focus", place, (255, 255, 255))
        cover = cv2.GaussianBlur(ink, (0, 0), soft)[..., :1] / 255 if soft else ink[..., :1] / 255
        return np.rint(image * (1 - cover) + np.array(INK) * cover).astype(np.uint8)

    assert _visible(root)["1:3"].rect == (111, 60, 210, 90)
    assert gating_findings(root, drawn(0), drawn(0.45)) == []


def test_a_faded_text_at_full_strength_is_told() -> None:
    """The colour that a node declares excuses nothing where its group lets the page through."""
    place = (60, 60, 200, 30)
    text = text_node("1:2", place, "Boat house rules")
    root = page_node(frame_node("1:1", (40, 40, 300, 100), (), text, opacity=0.5))

    def drawn(color: Color) -> NDArray[np.uint8]:
        image = blank()
        write_text(image, "Boat house rules", place, color)
        return image

    half = tuple(round((a + b) / 2) for a, b in zip(INK, PAGE, strict=True))
    assert gating_findings(root, drawn((half[0], half[1], half[2])), drawn(INK))


def test_a_neighbours_pixel_in_the_rim_is_not_a_texts_ink() -> None:
    """Text boxes meet within a pixel: what shows of the next one there does not widen the text."""
    first, second = (40.0, 60.0, 160.4, 30.0), (200.4, 60.0, 120.0, 30.0)
    track = frame_node("1:2", second, (solid(VIOLET),))
    root = page_node(text_node("1:1", first, "Lamps"), track)

    def drawn(*, shared: bool) -> NDArray[np.uint8]:
        image = blank()
        write_text(image, "Lamps", first)
        fill_box(image, (201, 72, 120, 6), VIOLET)
        if shared:
            image[72:78, 200] = (190, 170, 246)
        return image

    assert gating_findings(root, drawn(shared=True), drawn(shared=False)) == []


def test_a_row_with_a_rule_above_has_no_other_sides() -> None:
    """Of a box that paints one side only, what lies at the others is not its edge."""
    row = (40, 60, 300, 40)
    strokes = {
        "strokes": [solid((156, 163, 175))], "strokeWeight": 1, "strokeAlign": "INSIDE",
        "individualStrokeWeights": {"top": 1, "right": 0, "bottom": 0, "left": 0},
    }  # fmt: skip
    root = page_node(
        frame_node("1:1", row, (), text_node("1:2", (40, 66, 80, 30), "Rugs"), **strokes)
    )

    def drawn(beside: int) -> NDArray[np.uint8]:
        image = blank()
        fill_box(image, (40, 60, 300, 1), (156, 163, 175))
        fill_box(image, (40, 68, 1, 24), INK)
        image[68:92, 40 - beside : 41 - beside] = INK
        return image

    assert ("1:1", "width") not in gating_findings(root, drawn(0), drawn(20))


def test_what_came_up_over_a_hidden_page_belongs_to_what_shows_there() -> None:
    """Something new in a dialog is the dialog's, not a card's that lies behind it."""
    card = frame_node("1:2", (70, 70, 320, 120), (solid(PINK),))
    column = frame_node("1:1", (50, 50, 340, 160), (), card)
    root = page_node(column, frame_node("1:3", DIALOG, (solid(WHITE),)))
    before = blank()
    fill_box(before, (70, 70, 320, 120), PINK)
    fill_box(before, DIALOG, WHITE)
    after = before.copy()
    fill_box(after, (100, 90, 60, 20), VIOLET)
    assert gating_findings(root, before, after) == [("1:3", "extra")]


def test_a_neighbour_does_not_hide_a_side() -> None:
    """Boxes that meet between two pixels share them: neither covers the other's side."""
    first, second = (40, 40.0, 300, 40.5), (40, 80.5, 300, 40)
    root = page_node(
        frame_node("1:1", first, (solid(WHITE),)), frame_node("1:2", second, (solid(PINK),))
    )
    assert not any(_visible(root)["1:1"].hidden)
    over = page_node(
        frame_node("1:1", first, (solid(WHITE),)), frame_node("1:2", DIALOG, (solid(PINK),))
    )
    assert _visible(over)["1:1"].hidden == (False, False, True, True)


def test_a_border_whose_alignment_nobody_told_is_where_the_picture_has_it() -> None:
    """A node file without ``strokeAlign`` says nothing of where the line lies on the box's edge."""
    green, gray, place = (0, 153, 81), (217, 217, 217), (60, 60, 240, 80)
    strokes: dict[str, Any] = {"strokes": [solid(gray)], "strokeWeight": 2}
    root = page_node(frame_node("1:1", place, (solid(WHITE),), **strokes))

    def drawn(out: int) -> NDArray[np.uint8]:
        image = np.full((HEIGHT, WIDTH, 3), green, np.uint8)
        x, y, w, h = place
        fill_box(image, (x - out, y - out, w + 2 * out, h + 2 * out), gray)
        fill_box(image, (x - out + 2, y - out + 2, w + 2 * out - 4, h + 2 * out - 4), WHITE)
        return image

    assert gating_findings(root, drawn(1), drawn(0)) == []


def test_how_boxes_meet_does_not_hang_on_how_many_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A large design is taken in parts, so that its pairs do not fill the memory: the same come."""
    cards = [
        frame_node(f"1:{k + 10}", (7 * k, 5 * k, 60, 40), (solid(PINK if k % 2 else WHITE),))
        for k in range(24)
    ]
    root = page_node(*cards, text_node("1:2", (30, 30, 80, 30), "Lamps"), frame_node("1:3", SAVE))

    def seen() -> dict[str, Any]:
        return {k: (n.rect, n.whole, n.hidden) for k, n in _visible(root).items()}

    whole = seen()
    monkeypatch.setattr("pytest_pixelloop.core.covered._AT_ONCE", 3)
    assert seen() == whole
    assert any(any(hidden) for _, _, hidden in whole.values())
