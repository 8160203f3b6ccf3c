"""Where texts and icons are found, what belongs to them, and which line is drawn along a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.dom import DomSnapshot, Element
from pytest_pixelloop.core.gate_design import judge_design
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.leaf_search import ALIKE, make_search
from pytest_pixelloop.core.picture_pair import make_pair
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HEIGHT = 300, 260
INK = (17, 24, 39)
ROWS = tuple(range(20, 240, 36))


def _blank() -> NDArray[np.uint8]:
    return np.full((HEIGHT, WIDTH, 4), 255, np.uint8)


def _write(image: NDArray[np.uint8], text: str, at: tuple[int, int]) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (*INK, 255), 1, cv2.LINE_AA)


def _star(image: NDArray[np.uint8], x: int, y: int) -> None:
    cv2.circle(image, (x + 8, y + 8), 6, (*INK, 255), 1, cv2.LINE_AA)
    cv2.line(image, (x + 2, y + 8), (x + 14, y + 8), (*INK, 255), 1, cv2.LINE_AA)


def _fill(color: tuple[int, int, int]) -> list[dict[str, Any]]:
    red, green, blue = (c / 255 for c in color)
    return [{"type": "SOLID", "color": {"r": red, "g": green, "b": blue, "a": 1}}]


def _text(identity: str, words: str, box: Box) -> DesignNode:
    style = {"fontSize": 18, "lineHeightPx": 26, "fontWeight": 400}
    return DesignNode(
        id=identity, name=words, type="TEXT", box=box, characters=words,
        properties={"style": style, "fills": _fill(INK)},
    )  # fmt: skip


def _found(
    children: tuple[DesignNode, ...],
    before: NDArray[np.uint8],
    after: NDArray[np.uint8],
    dom: DomSnapshot | None = None,
) -> list[tuple[str | None, str | None]]:
    root = DesignNode(
        id="1:0", name="Page", type="FRAME", box=Box(0, 0, WIDTH, HEIGHT), children=children,
        properties={"fills": _fill((255, 255, 255))},
    )  # fmt: skip
    design = Design(name="t", label="t", image=before, frame=(WIDTH, HEIGHT), scale=1, root=root)
    capture = Capture(image=after, scale=1, source="test", dom=dom)
    judgement = judge_design(design, capture, tolerance=Tolerance())
    return [(f.node.id if f.node else None, f.property) for f in judgement.findings]


def test_one_of_many_equal_icons_that_moved_a_little_is_found() -> None:
    """An icon that moved by 4 px is moved, however many like it stand in the rows around."""
    icons = tuple(
        DesignNode(
            id=f"1:{k}",
            name="icon",
            type="VECTOR",
            box=Box(30, y, 16, 16),
            properties={"fills": _fill(INK)},
        )
        for k, y in enumerate(ROWS, 1)
    )
    before, after = _blank(), _blank()
    for k, y in enumerate(ROWS, 1):
        _star(before, 30, y)
        _star(after, 26 if k == 3 else 30, y)
    assert _found(icons, before, after) == [("1:3", "position")]


@pytest.mark.parametrize(("below", "name"), [(3, "underline"), (-5, "line-through")])
def test_a_line_along_a_text_is_named_by_its_place(below: int, name: str) -> None:
    """A line below the letters is an underline, one through them is not."""
    box = Box(20, 20, 200, 26)
    before, after = _blank(), _blank()
    _write(before, "Street name", (20, 39))
    _write(after, "Street name", (20, 39))
    (wide, _), _ = cv2.getTextSize("Street name", cv2.FONT_HERSHEY_SIMPLEX, 0.6, 1)
    after[39 + below, 20 : 20 + wide, :3] = INK
    root = (_text("1:1", "Street name", box),)
    assert _found(root, before, after) == [("1:1", "text-decoration")]
    design = Design(
        name="t", label="t", image=before, frame=(WIDTH, HEIGHT), scale=1,
        root=DesignNode(
            id="1:0", name="Page", type="FRAME", box=Box(0, 0, WIDTH, HEIGHT), children=root,
            properties={"fills": _fill((255, 255, 255))},
        ),
    )  # fmt: skip
    capture = Capture(image=after, scale=1, source="test")
    (finding,) = judge_design(design, capture, tolerance=Tolerance()).findings
    assert finding.actual == name


def test_what_came_close_to_a_text_is_not_part_of_it() -> None:
    """An icon that moved next to a text leaves the text right: its element ends before it."""
    words = _text("1:1", "Error rate", Box(20, 20, 120, 26))
    icon = DesignNode(
        id="1:2", name="icon", type="VECTOR", box=Box(200, 24, 16, 16),
        properties={"fills": _fill(INK)},
    )  # fmt: skip
    before, after = _blank(), _blank()
    for image in (before, after):
        _write(image, "Error rate", (20, 39))
    (wide, _), _ = cv2.getTextSize("Error rate", cv2.FONT_HERSHEY_SIMPLEX, 0.6, 1)
    _star(before, 200, 24)
    _star(after, 20 + wide + 2, 24)
    page = Element(index=0, parent=None, selector="body", tag="body", box=Box(0, 0, WIDTH, HEIGHT))
    text = Element(
        index=1, parent=0, selector="p", tag="p", box=Box(20, 20, 120, 26), text="Error rate",
        label="Error rate", lines=(Box(20, 22, wide, 22),),
        style={"font-size": "18px", "line-height": "26px", "color": "rgb(17, 24, 39)"},
    )  # fmt: skip
    dom = DomSnapshot(elements=(page, text), size=(WIDTH, HEIGHT))
    found = _found((words, icon), before, after, dom)
    assert found
    assert all(node != "1:1" for node, _ in found)


def test_a_line_below_that_came_close_is_not_part_of_a_text() -> None:
    """A subtitle that moved up under a title leaves both right: their elements end there."""
    title, line = Box(20, 20, 160, 26), Box(20, 47, 160, 26)
    words = _text("1:1", "Paper boats", title), _text("1:2", "by the low tide", line)
    before, after = _blank(), _blank()
    for image, y in ((before, 66), (after, 58)):
        _write(image, "Paper boats", (20, 39))
        _write(image, "by the low tide", (20, y))
    page = Element(index=0, parent=None, selector="body", tag="body", box=Box(0, 0, WIDTH, HEIGHT))
    style = {"font-size": "18px", "line-height": "26px", "color": "rgb(17, 24, 39)"}
    shown = [
        Element(
            index=k, parent=0, selector=f"p{k}", tag="p", box=box, text=says, label=says,
            lines=(Box(20, top, 150, 22),), style=style,
        )
        for k, box, says, top in (
            (1, title, "Paper boats", 22), (2, Box(20, 39, 160, 26), "by the low tide", 41)
        )
    ]  # fmt: skip
    dom = DomSnapshot(elements=(page, *shown), size=(WIDTH, HEIGHT))
    assert "text" not in {name for _, name in _found(words, before, after, dom)}


@pytest.mark.parametrize(("like", "went"), [(0.6, (0, 18)), (0.3, (0, 0))])
def test_what_is_fairly_alike_where_others_went_has_gone_along(
    like: float, went: tuple[int, int]
) -> None:
    """Between two pixels a small drawing is not very alike anywhere, but much more there."""
    rng = np.random.default_rng(3)
    drawing, other = (rng.normal(0, 30, (10, 10)) for _ in range(2))
    mixed = like * drawing + (1 - like**2) ** 0.5 * other
    before, after = _blank(), _blank()
    before[40:50, 40:50, :3] = np.clip(128 + drawing, 0, 255)[..., None]
    after[58:68, 40:50, :3] = np.clip(128 + mixed, 0, 255)[..., None]
    search = make_search(make_pair(before, after, scale=1, masks=()))
    search.seen.append((0, 18))
    dx, dy, likeness = search.locate((41, 41, 49, 49), 1.0)
    assert max(abs(dx - went[0]), abs(dy - went[1])) <= 3
    assert (likeness >= ALIKE) is (went != (0, 0)), "what went along is found there: it has moved"


def test_a_text_that_is_clipped_in_a_loose_line_is_read_where_it_shows() -> None:
    """Half of a line that its frame cuts off below still has to show the same letters."""
    style = {"fontSize": 18, "lineHeightPx": 60, "fontWeight": 400}
    words = DesignNode(
        id="1:1", name="words", type="TEXT", box=Box(20, 20, 200, 60), characters="Inbox items",
        properties={"style": style, "fills": _fill(INK)},
    )  # fmt: skip
    frame = DesignNode(
        id="1:2", name="frame", type="FRAME", box=Box(10, 10, 250, 44), children=(words,),
        clips=True,
    )  # fmt: skip
    before, after = _blank(), _blank()
    _write(before, "Inbox items", (20, 56))
    _write(after, "Index 1998", (20, 56))
    for image in (before, after):
        image[54:] = 255
    assert "1:1" in [node for node, _ in _found((frame,), before, after)]
    assert _found((frame,), before, before) == []
