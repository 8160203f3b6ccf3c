"""Matching levels in the design gate: what of a region gates, and what only stays in the report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.design_clip import clip_design
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judged_regions import sort_regions
from pytest_pixelloop.core.judging import judge
from pytest_pixelloop.core.levels import Level, Region, RegionWish, check_regions
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.verdict import Judgement

WIDTH, HEIGHT = 360, 240
Color = tuple[int, int, int]
WHITE, INK, BLUE, RED = (255, 255, 255), (17, 24, 39), (37, 99, 235), (220, 38, 38)


@dataclass(frozen=True, kw_only=True)
class Screen:
    """A page with a price in a card, a button, and a badge; each part can be changed."""

    price: str = "Price 120"
    price_color: Color = INK
    price_size: float = 0.8
    button: tuple[int, int, int, int] = (60, 160, 120, 40)
    button_color: Color = BLUE
    badge: Color | None = RED

    def draw(self) -> NDArray[np.uint8]:
        """Return the picture, RGBA."""
        image = np.full((HEIGHT, WIDTH, 3), (243, 244, 246), np.uint8)
        image[30:130, 40:320] = WHITE
        cv2.putText(
            image, self.price, (60, 90), cv2.FONT_HERSHEY_SIMPLEX, self.price_size,
            self.price_color, 2, cv2.LINE_AA,
        )  # fmt: skip
        x, y, w, h = self.button
        image[y : y + h, x : x + w] = self.button_color
        if self.badge is not None:
            image[150:180, 240:300] = self.badge
        return np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])

    def design(self) -> Design:
        """Return the screen as a design."""
        price = _node("1:2", "Price", "TEXT", (58, 62, 200, 36), INK, text=self.price)
        card = _node("1:1", "Card", "FRAME", (40, 30, 280, 100), WHITE, children=(price,))
        button = _node("1:3", "Button", "FRAME", self.button, BLUE)
        badge = _node("1:4", "Badge", "FRAME", (240, 150, 60, 30), RED)
        root = _node(
            "1:0", "Page", "FRAME", (0, 0, WIDTH, HEIGHT), (243, 244, 246),
            children=(card, button, badge),
        )  # fmt: skip
        return Design(
            name="screen", label="1-0", image=self.draw(), frame=(WIDTH, HEIGHT), scale=1, root=root
        )


def _node(
    identity: str,
    name: str,
    kind: str,
    box: tuple[int, int, int, int],
    color: Color,
    *,
    text: str | None = None,
    children: tuple[DesignNode, ...] = (),
) -> DesignNode:
    red, green, blue = (c / 255 for c in color)
    fill = {"type": "SOLID", "color": {"r": red, "g": green, "b": blue, "a": 1}}
    properties: dict[str, Any] = {"fills": [fill]}
    if text is not None:
        properties["style"] = {"fontSize": 22, "lineHeightPx": box[3], "fontWeight": 400}
    return DesignNode(
        id=identity, name=name, type=kind, box=Box(*box), characters=text, properties=properties,
        children=children,
    )  # fmt: skip


def measured(changed: Screen, *regions: Region, gate: str = "design") -> Judgement:
    """Return the judgement of the changed screen under the regions."""
    capture = Capture(image=changed.draw(), scale=1, source="test", regions=regions)
    return judge(Screen().design(), capture, gate=gate, tolerance=Tolerance())


def at(level: str, node: str = "", *, box: tuple[int, int, int, int] | None = None) -> Region:
    """Return a region on a node or a box."""
    boxes = (Box(*box),) if box else ()
    return Region(words="it", level=Level(level), nodes=(node,) if node else (), boxes=boxes)


TABLE = [
    # what changed, where the region is, which levels let it pass
    ({"price_color": (75, 85, 99)}, "1:2", {"layout", "ignore_colors", "text"}),
    (
        {"button_color": (29, 78, 216)},
        "1:3",
        {"layout", "ignore_colors", "text"},
    ),
    ({"price": "Price 874"}, "1:2", {"layout", "data"}),
    ({"button": (60, 160, 140, 40)}, "1:3", {"text"}),
    ({"button": (60, 168, 120, 40)}, "1:3", {"text"}),
    ({"badge": None}, "1:4", {"text"}),
    ({"price": ""}, "1:2", set()),
]


@pytest.mark.parametrize("level", ["strict", "layout", "ignore_colors", "text", "data"])
@pytest.mark.parametrize(("changes", "node", "passes"), TABLE)
def test_a_level_lets_pass_what_it_names(
    changes: dict[str, Any], node: str, passes: set[str], level: str
) -> None:
    """Each level judges its own properties of the nodes in its region, and nothing less."""
    assert measured(Screen(**changes)).status == "fail"
    judgement = measured(Screen(**changes), at(level, node))
    assert judgement.status == ("pass" if level in passes else "fail")
    kept = [f for f in judgement.findings if not f.gating]
    if level in passes:
        assert judgement.score == 0
        assert kept
        assert all(f.matching == {"level": level, "region": "it"} for f in kept)
        assert all(f.as_record()["matching"]["level"] == level for f in kept)


def test_what_lies_outside_of_a_region_is_judged_as_ever() -> None:
    """A level on one node excuses nothing on another."""
    changed = Screen(button_color=(29, 78, 216), price_color=(75, 85, 99))
    judgement = measured(changed, at("ignore_colors", "1:2"))
    assert judgement.status == "fail"
    assert {f.node.id for f in judgement.findings if f.gating and f.node} == {"1:3"}


def test_data_still_judges_the_colour_of_other_words() -> None:
    """Other words in another colour: the words may differ, the colour may not."""
    judgement = measured(Screen(price="Price 874", price_color=(220, 38, 38)), at("data", "1:2"))
    assert [f.property for f in judgement.findings if f.gating] == ["color"]
    assert [f.property for f in judgement.findings if not f.gating] == ["text"]


LONGER = "Price 120 and more"


@pytest.mark.parametrize("region", [at("data", "1:2"), at("data", box=(58, 62, 255, 36))])
def test_data_lets_words_be_longer_than_their_text(region: Region) -> None:
    """What goes on in the row of changed words is their end; it stays in the report."""
    judgement = measured(Screen(price=LONGER), region)
    assert judgement.status == "pass"
    assert {f.property for f in judgement.findings} == {"text", "extra"}
    assert measured(Screen(price=LONGER)).status == "fail"
    assert measured(Screen(price=LONGER), at("ignore_colors", "1:2")).status == "fail"


@pytest.mark.parametrize("place", [(70, 104, 24, 18), (295, 40, 20, 18)])
@pytest.mark.parametrize("region", [at("data", "1:2"), at("data", box=(45, 35, 270, 90))])
def test_data_lets_nothing_else_be_added(place: tuple[int, int, int, int], region: Region) -> None:
    """What is added in another row than the changed words gates, inside of the region too."""
    image = Screen(price="Price 874").draw()
    x, y, w, h = place
    image[y : y + h, x : x + w, :3] = RED
    capture = Capture(image=image, scale=1, source="test", regions=(region,))
    judgement = judge(Screen().design(), capture, gate="design", tolerance=Tolerance())
    assert [f.property for f in judgement.findings if f.gating] == ["extra"]


def test_a_region_as_narrow_as_shorter_words_holds_the_text() -> None:
    """A page's element with fewer words is smaller than the design's text: data holds there."""
    narrow = (58, 62, 60, 36)
    assert measured(Screen(price="Pri"), at("data", box=narrow)).status == "pass"
    assert measured(Screen(price="Pri"), at("text", box=narrow)).status == "fail"
    assert measured(Screen(price="Pri"), at("data", box=(58, 62, 60, 9))).status == "fail"


def test_a_box_holds_the_nodes_that_lie_in_it() -> None:
    """A box in CSS px holds a node from half of the node's box on."""
    changed = Screen(button_color=(29, 78, 216))
    assert measured(changed, at("ignore_colors", box=(50, 150, 140, 60))).status == "pass"
    assert measured(changed, at("ignore_colors", box=(60, 160, 61, 40))).status == "pass"
    assert measured(changed, at("ignore_colors", box=(60, 160, 50, 40))).status == "fail"


def test_the_smallest_region_wins() -> None:
    """Strict inside of a lenient region is strict."""
    changed = Screen(button_color=(29, 78, 216))
    whole = at("ignore_colors", "1:0")
    assert measured(changed, whole).status == "pass"
    assert measured(changed, whole, at("strict", "1:3")).status == "fail"
    assert measured(changed, at("strict", "1:3"), whole).status == "fail"
    assert measured(changed, whole, at("strict", box=(55, 155, 130, 50))).status == "fail"


def test_a_page_that_cannot_be_compared_always_counts() -> None:
    """A dark page is no colour to be ignored: nothing else of it was looked at."""
    dark = Capture(
        image=np.full((HEIGHT, WIDTH, 4), (10, 10, 12, 255), np.uint8),
        scale=1,
        source="test",
        regions=(at("ignore_colors", "1:0"),),
    )
    judgement = judge(Screen().design(), dark, gate="design", tolerance=Tolerance())
    assert judgement.status == "fail"


@pytest.mark.parametrize("level", ["layout", "ignore_colors", "text", "data"])
def test_other_gates_refuse_what_they_cannot_tell_apart(level: str) -> None:
    """Pixels have no properties: only strict and ignore are levels there; so without a tree."""
    with pytest.raises(ConfigurationError, match="the gate pixel counts pixels"):
        measured(Screen(), at(level, "1:3"), gate="pixel")
    assert measured(Screen(), at("strict", "1:3"), gate="pixel").status == "pass"
    bare = replace(Screen().design(), root=None)
    capture = Capture(
        image=bare.image, scale=1, source="test", regions=(at(level, box=(0, 0, 9, 9)),)
    )
    with pytest.raises(ConfigurationError, match="no node tree"):
        judge(bare, capture, gate="design", tolerance=Tolerance())


def test_targets_are_sorted_by_who_finds_them() -> None:
    """Ids, names and paths are nodes, everything else is for the page; ignore becomes a mask."""
    design = Screen().design()
    wishes = check_regions(
        {
            "1-3": "layout",
            "Price": "data",
            "Card/Price": "text",
            ".price": "data",
            "css=Badge": "text",
            (1, 2, 3, 4): "ignore",
            "Badge": "ignore",
            ".ad": "ignore",
        },
        where="test",
    )
    found = sort_regions(wishes, design)
    assert [(r.words, r.nodes) for r in found.nodes] == [
        ("1-3", ("1:3",)),
        ("Price", ("1:2",)),
        ("Card/Price", ("1:2",)),
    ]
    assert [w.target for w in found.wishes] == [".price", "Badge"]
    assert found.masks == (Box(1, 2, 3, 4), Box(240, 150, 60, 30), ".ad")
    with pytest.raises(ConfigurationError, match="no visible node 'Nope'"):
        sort_regions((RegionWish(target="node=Nope", level=Level.TEXT),), design)


def test_a_clip_cuts_the_tree_too() -> None:
    """Nodes outside of the clip are not judged; those inside keep their place in it."""
    clip = Box(40, 140, 160, 80)
    design = clip_design(Screen().design(), clip)
    x, y, w, h = (int(v) for v in clip.as_list())
    changed = Screen(price="Other 1", button=(60, 168, 120, 40)).draw()[y : y + h, x : x + w]
    capture = Capture(image=changed, scale=1, source="test")
    judgement = judge(design, capture, gate="design", tolerance=Tolerance())
    assert {f.node.id for f in judgement.findings if f.gating and f.node} == {"1:3"}
    with pytest.raises(ConfigurationError, match="neither lies in the frame"):
        clip_design(Screen().design(), Box(300, 200, 100, 100))
    assert clip_design(Screen().design(), Box(500, 90, WIDTH, HEIGHT)).frame == (WIDTH, HEIGHT)
