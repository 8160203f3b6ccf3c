"""What lies under an opaque box, or across the side of another one, is judged by what shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.covered import visible_nodes
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.gate_design import judge_design
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judged_nodes import judged_nodes
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode

WIDTH, HEIGHT = 400, 240
Color = tuple[int, int, int]
Place = tuple[float, float, float, float]
PAGE, INK, WHITE, PINK = (243, 244, 246), (31, 41, 55), (255, 255, 255), (251, 207, 232)
VIOLET = (139, 92, 246)
BACK, DIALOG, SAVE = (30, 100, 200, 30), (60, 60, 300, 140), (90, 150, 120, 30)


def _paint(color: Color, alpha: float = 1.0) -> dict[str, Any]:
    red, green, blue = (c / 255 for c in color)
    return {"type": "SOLID", "opacity": alpha, "color": {"r": red, "g": green, "b": blue, "a": 1}}


def _box(
    identity: str,
    place: Place,
    fills: tuple[dict[str, Any], ...] = (),
    children: tuple[DesignNode, ...] = (),
    **more: Any,
) -> DesignNode:
    opacity = more.pop("opacity", 1.0)
    return DesignNode(
        id=identity, name=identity, type="FRAME", box=Box(*place), opacity=opacity,
        properties={"fills": list(fills), **more}, children=children,
    )  # fmt: skip


def _text(identity: str, place: Place, says: str, color: Color = INK) -> DesignNode:
    style = {"fontSize": 16, "lineHeightPx": place[3], "fontWeight": 400}
    return DesignNode(
        id=identity, name=says, type="TEXT", box=Box(*place), characters=says,
        properties={"fills": [_paint(color)], "style": style},
    )  # fmt: skip


def _write(image: NDArray[np.uint8], says: str, place: Place, color: Color = INK) -> None:
    at = (round(place[0]) + 2, round(place[1]) + 21)
    cv2.putText(image, says, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, color, 1, cv2.LINE_AA)


def _fill(image: NDArray[np.uint8], place: Place, color: Color) -> None:
    x, y, w, h = (round(v) for v in place)
    image[y : y + h, x : x + w] = color


def _page(*children: DesignNode) -> DesignNode:
    return _box("1:0", (0, 0, WIDTH, HEIGHT), (_paint(PAGE),), children)


def _blank() -> NDArray[np.uint8]:
    return np.full((HEIGHT, WIDTH, 3), PAGE, np.uint8)


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


def _visible(root: DesignNode) -> dict[str, JudgedNode]:
    nodes = visible_nodes(judged_nodes(root, scale=1, shape=(HEIGHT, WIDTH)), scale=1)
    return {n.node.id: n for n in nodes}


def _behind(*, over: str = "Save", fill: Color = WHITE) -> NDArray[np.uint8]:
    """Return a page whose text lies behind a dialog with a button."""
    image = _blank()
    _write(image, "Behind it", BACK)
    _fill(image, DIALOG, fill)
    _write(image, over, SAVE)
    return image


def test_a_text_behind_a_dialog_is_not_missed() -> None:
    """A text that a dialog covers accuses nobody; what the dialog shows is the dialog's."""
    root = _page(
        _text("1:1", (70, 100, 100, 30), "Behind it"),
        _box("1:2", DIALOG, (_paint(WHITE),), (_text("1:3", SAVE, "Save"),)),
    )
    assert _visible(root)["1:1"].empty
    assert _found(root, _behind(), _behind(over="Send")) != []
    assert {at for at, _ in _found(root, _behind(), _behind(over="Send"))} == {"1:3"}


def test_what_is_seen_through_is_judged() -> None:
    """Behind a translucent box, or one in a faded group, a text is still looked at."""
    behind = _text("1:1", (70, 100, 100, 30), "Behind it")
    veil = _box("1:2", DIALOG, (_paint(WHITE, 0.5),))
    faded = _box("1:2", DIALOG, (), (_box("1:3", DIALOG, (_paint(WHITE),)),), opacity=0.5)
    for cover in (veil, faded):
        assert not _visible(_page(behind, cover))["1:1"].empty


def test_a_box_is_not_hidden_by_what_it_holds() -> None:
    """A container that its content fills keeps its place."""
    inner = _box("1:2", DIALOG, (_paint(WHITE),))
    assert not _visible(_page(_box("1:1", DIALOG, (_paint(PINK),), (inner,))))["1:1"].empty


def test_a_text_half_under_a_box_is_judged_by_its_other_half() -> None:
    """Of a text that runs under a dialog, only what is seen beside it is compared."""
    place = (10, 100, 140, 30)
    root = _page(_text("1:1", place, "Open orders"), _box("1:2", DIALOG, (_paint(WHITE),)))
    assert _visible(root)["1:1"].rect == (10, 100, 60, 130)

    def drawn(says: str, beside: Color = WHITE) -> NDArray[np.uint8]:
        image = _blank()
        _write(image, says, place)
        _fill(image, DIALOG, WHITE)
        _fill(image, (60, 100, 60, 30), beside)
        return image

    told = _found(root, drawn("Open orders"), drawn("Open orders", PINK))
    assert "1:1" not in {at for at, _ in told}
    assert "1:1" in {at for at, _ in _found(root, drawn("Open orders"), drawn("Nine orders"))}


def test_a_text_across_a_side_of_another_box_passes_in_softer_ink() -> None:
    """A text over two backdrops is read on one of them, not against a mixture of both."""
    place, event = (60, 60, 150, 30), (20, 20, 90, 200)
    root = _page(
        _box("1:1", event, (_paint(VIOLET),)),
        _box("1:2", (50, 40, 300, 100), (_paint(WHITE, 0.3),), (_text("1:3", place, "Focus"),)),
    )

    def drawn(soft: float) -> NDArray[np.uint8]:
        image = _blank()
        _fill(image, event, VIOLET)
        part = image[40:140, 50:350].astype(float)
        image[40:140, 50:350] = np.rint(part * 0.7 + 255 * 0.3)
        ink = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        _write(ink, "Focus", place, (255, 255, 255))
        cover = cv2.GaussianBlur(ink, (0, 0), soft)[..., :1] / 255 if soft else ink[..., :1] / 255
        return np.rint(image * (1 - cover) + np.array(INK) * cover).astype(np.uint8)

    assert _visible(root)["1:3"].rect == (111, 60, 210, 90)
    assert _found(root, drawn(0), drawn(0.45)) == []


def test_a_faded_text_at_full_strength_is_told() -> None:
    """The colour that a node declares excuses nothing where its group lets the page through."""
    place = (60, 60, 200, 30)
    text = _text("1:2", place, "Boat house rules")
    root = _page(_box("1:1", (40, 40, 300, 100), (), (text,), opacity=0.5))

    def drawn(color: Color) -> NDArray[np.uint8]:
        image = _blank()
        _write(image, "Boat house rules", place, color)
        return image

    half = tuple(round((a + b) / 2) for a, b in zip(INK, PAGE, strict=True))
    assert _found(root, drawn((half[0], half[1], half[2])), drawn(INK))


def test_a_neighbours_pixel_in_the_rim_is_not_a_texts_ink() -> None:
    """Text boxes meet within a pixel: what shows of the next one there does not widen the text."""
    first, second = (40.0, 60.0, 160.4, 30.0), (200.4, 60.0, 120.0, 30.0)
    track = _box("1:2", second, (_paint(VIOLET),))
    root = _page(_text("1:1", first, "Lamps"), track)

    def drawn(*, shared: bool) -> NDArray[np.uint8]:
        image = _blank()
        _write(image, "Lamps", first)
        _fill(image, (201, 72, 120, 6), VIOLET)
        if shared:
            image[72:78, 200] = (190, 170, 246)
        return image

    assert _found(root, drawn(shared=True), drawn(shared=False)) == []


def test_a_row_with_a_rule_above_has_no_other_sides() -> None:
    """Of a box that paints one side only, what lies at the others is not its edge."""
    row = (40, 60, 300, 40)
    strokes = {
        "strokes": [_paint((156, 163, 175))], "strokeWeight": 1, "strokeAlign": "INSIDE",
        "individualStrokeWeights": {"top": 1, "right": 0, "bottom": 0, "left": 0},
    }  # fmt: skip
    root = _page(_box("1:1", row, (), (_text("1:2", (40, 66, 80, 30), "Rugs"),), **strokes))

    def drawn(beside: int) -> NDArray[np.uint8]:
        image = _blank()
        _fill(image, (40, 60, 300, 1), (156, 163, 175))
        _fill(image, (40, 68, 1, 24), INK)
        image[68:92, 40 - beside : 41 - beside] = INK
        return image

    assert ("1:1", "width") not in _found(root, drawn(0), drawn(20))


def test_what_came_up_over_a_hidden_page_belongs_to_what_shows_there() -> None:
    """Something new in a dialog is the dialog's, not a card's that lies behind it."""
    card = _box("1:2", (70, 70, 320, 120), (_paint(PINK),))
    column = _box("1:1", (50, 50, 340, 160), (), (card,))
    root = _page(column, _box("1:3", DIALOG, (_paint(WHITE),)))
    before = _blank()
    _fill(before, (70, 70, 320, 120), PINK)
    _fill(before, DIALOG, WHITE)
    after = before.copy()
    _fill(after, (100, 90, 60, 20), VIOLET)
    assert _found(root, before, after) == [("1:3", "extra")]


def test_a_neighbour_does_not_hide_a_side() -> None:
    """Boxes that meet between two pixels share them: neither covers the other's side."""
    first, second = (40, 40.0, 300, 40.5), (40, 80.5, 300, 40)
    root = _page(_box("1:1", first, (_paint(WHITE),)), _box("1:2", second, (_paint(PINK),)))
    assert not any(_visible(root)["1:1"].hidden)
    over = _page(_box("1:1", first, (_paint(WHITE),)), _box("1:2", DIALOG, (_paint(PINK),)))
    assert _visible(over)["1:1"].hidden == (False, False, True, True)


def test_a_border_whose_alignment_nobody_told_is_where_the_picture_has_it() -> None:
    """A node file without ``strokeAlign`` says nothing of where the line lies on the box's edge."""
    green, gray, place = (0, 153, 81), (217, 217, 217), (60, 60, 240, 80)
    strokes: dict[str, Any] = {"strokes": [_paint(gray)], "strokeWeight": 2}
    root = _page(_box("1:1", place, (_paint(WHITE),), **strokes))

    def drawn(out: int) -> NDArray[np.uint8]:
        image = np.full((HEIGHT, WIDTH, 3), green, np.uint8)
        x, y, w, h = place
        _fill(image, (x - out, y - out, w + 2 * out, h + 2 * out), gray)
        _fill(image, (x - out + 2, y - out + 2, w + 2 * out - 4, h + 2 * out - 4), WHITE)
        return image

    assert _found(root, drawn(1), drawn(0)) == []
