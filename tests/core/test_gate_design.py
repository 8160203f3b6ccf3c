"""The design gate on small drawn screens: what passes, what fails, and on which node."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.gate_design import judge_design
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.verdict import Judgement

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases"
WIDTH, HEIGHT = 360, 240
Color = tuple[int, int, int]


def _solid(color: Color) -> dict[str, Any]:
    red, green, blue = (c / 255 for c in color)
    return {"type": "SOLID", "color": {"r": red, "g": green, "b": blue, "a": 1}}


class Screen:
    """A card with a title, a button with a label, and a line of text; each part can be changed."""

    def __init__(self, **changes: Any) -> None:
        self.card = (40, 30, 280, 180)
        self.button = (60, 140, 120, 40)
        self.page: Color = (243, 244, 246)
        self.surface: Color = (255, 255, 255)
        self.fill: Color = (37, 99, 235)
        self.title = "Account 250"
        self.title_color: Color = (17, 24, 39)
        self.title_at = (60, 80)
        self.label = "Sign in"
        self.scale = 1
        self.extra = False
        for key, value in changes.items():
            setattr(self, key, value)

    def draw(self) -> NDArray[np.uint8]:
        """Return the picture, RGBA."""
        s = self.scale
        image = np.full((HEIGHT * s, WIDTH * s, 3), self.page, np.uint8)
        for (x, y, w, h), color in ((self.card, self.surface), (self.button, self.fill)):
            image[y * s : (y + h) * s, x * s : (x + w) * s] = color
        if self.extra:
            image[100 * s : 120 * s, 220 * s : 280 * s] = (220, 38, 38)
        _write(image, self.title, self.title_at, self.title_color, 0.8 * s, 2 * s, s)
        x, y, _, _ = self.button
        _write(image, self.label, (x + 24, y + 26), (255, 255, 255), 0.6 * s, s, s)
        return np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])

    def root(self) -> DesignNode:
        """Return the node tree of the unchanged screen."""
        white, blue = (255, 255, 255), (37, 99, 235)
        label = _node("1:4", "Label", "TEXT", (84, 146, 80, 28), white, "Sign in", size=16)
        button = _node("1:3", "Button", "FRAME", (60, 140, 120, 40), blue, children=(label,))
        title = _node(
            "1:2", "Title", "TEXT", (58, 56, 200, 32), (17, 24, 39), "Account 250", size=22
        )
        card = _node(
            "1:1", "Card", "FRAME", (40, 30, 280, 180), (255, 255, 255), children=(title, button)
        )
        whole = (0, 0, WIDTH, HEIGHT)
        return _node("1:0", "Page", "FRAME", whole, (243, 244, 246), children=(card,))

    def design(self) -> Design:
        """Return the screen as a design."""
        return Design(
            name="screen", label="1-0", image=self.draw(), frame=(WIDTH, HEIGHT),
            scale=self.scale, root=self.root(),
        )  # fmt: skip


def _write(
    image: NDArray[np.uint8], text: str, at: tuple[int, int], color: Color, size: float, thick: int,
    scale: int,
) -> None:  # fmt: skip
    place = (at[0] * scale, at[1] * scale)
    cv2.putText(image, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, color, thick, cv2.LINE_AA)


def _node(
    identity: str, name: str, kind: str, box: tuple[int, int, int, int], color: Color,
    text: str | None = None, *, size: int = 0, children: tuple[DesignNode, ...] = (),
) -> DesignNode:  # fmt: skip
    properties: dict[str, Any] = {"fills": [_solid(color)]}
    if text is not None:
        properties["style"] = {"fontSize": size, "lineHeightPx": box[3], "fontWeight": 400}
    return DesignNode(
        id=identity, name=name, type=kind, box=Box(*box), characters=text, properties=properties,
        children=children,
    )  # fmt: skip


def _judge(design: Design, image: NDArray[np.uint8], **limits: float) -> Judgement:
    capture = Capture(image=image, scale=design.scale, source="test")
    return judge_design(design, capture, tolerance=Tolerance(**limits))


def _found(judgement: Judgement) -> list[tuple[str | None, str | None]]:
    return [(f.node.id if f.node else None, f.property) for f in judgement.findings]


def test_the_same_picture_passes_with_score_zero() -> None:
    """Equal pictures pass, with no finding and a score of exactly 0."""
    screen = Screen()
    judgement = _judge(screen.design(), screen.draw())
    assert (judgement.status, judgement.score, judgement.findings) == ("pass", 0.0, ())


@pytest.mark.parametrize("scale", [1, 2])
def test_a_slightly_softer_rasteriser_passes(scale: int) -> None:
    """Other anti-aliasing of text and edges is no difference."""
    screen = Screen(scale=scale)
    soft = cv2.GaussianBlur(screen.draw(), (0, 0), 0.45).astype(np.uint8)
    assert _judge(screen.design(), soft).status == "pass"


def test_text_one_px_lower_passes() -> None:
    """All text may sit a CSS px lower than in the design."""
    lower = Screen(title_at=(60, 81))
    assert _judge(Screen().design(), lower.draw()).status == "pass"


@pytest.mark.parametrize(
    ("changes", "node", "words"),
    [
        ({"fill": (29, 78, 216)}, "1:3", {"background"}),
        ({"surface": (249, 250, 251)}, "1:1", {"background"}),
        ({"page": (255, 255, 255)}, "1:0", {"background"}),
        ({"title_color": (75, 85, 99)}, "1:2", {"color"}),
        ({"title": "Account 280"}, "1:2", {"text"}),
        ({"title": ""}, "1:2", {"missing"}),
        ({"title_at": (66, 80)}, "1:2", {"position"}),
        ({"label": "Log in"}, "1:4", {"text", "font-size"}),
        ({"button": (60, 140, 132, 40)}, "1:3", {"width"}),
        ({"extra": True}, "1:1", {"extra"}),
    ],
)
def test_one_change_is_one_finding_on_its_node(
    changes: dict[str, Any], node: str, words: set[str]
) -> None:
    """One change fails, and the heaviest finding names the changed node and the property."""
    judgement = _judge(Screen().design(), Screen(**changes).draw())
    assert judgement.status == "fail"
    assert judgement.score is not None
    assert judgement.score > 0
    found = _found(judgement)
    assert found[0][0] == node, found
    assert found[0][1] in words, found


def test_the_sentence_names_both_colors() -> None:
    """A background finding reads as a person would say it."""
    judgement = _judge(Screen().design(), Screen(fill=(29, 78, 216)).draw())
    assert judgement.findings[0].message == (
        '"Sign in" Button: background #1d4ed8, expected #2563eb (CIEDE2000 7.1)'
    )
    assert judgement.findings[0].delta_id == "1-0/node:1:3"


def test_a_moved_group_is_one_finding() -> None:
    """A button that moves with its label is one finding, not two."""
    judgement = _judge(Screen().design(), Screen(button=(60, 148, 120, 40)).draw())
    assert _found(judgement) == [("1:3", "position")]


def test_the_other_theme_is_one_finding() -> None:
    """A dark page for a light design is said in one line."""
    dark = Screen(page=(15, 23, 42), surface=(30, 41, 59), title_color=(226, 232, 240))
    assert [p for _, p in _found(_judge(Screen().design(), dark.draw()))] == ["theme"]


def test_another_size_is_compared_and_found() -> None:
    """A larger page is a finding of its own and what differs inside is found as well."""
    image = np.pad(Screen(fill=(29, 78, 216)).draw(), ((0, 40), (0, 0), (0, 0)), mode="edge")
    words = {p for _, p in _found(_judge(Screen().design(), image))}
    assert words == {"size", "background"}


def test_a_mask_hides_a_difference() -> None:
    """What a mask covers is not compared."""
    design, image = Screen().design(), Screen(fill=(29, 78, 216)).draw()
    capture = Capture(image=image, scale=1, source="test", masks=(Box(55, 135, 130, 50),))
    assert judge_design(design, capture, tolerance=Tolerance()).status == "pass"


CHANGES: tuple[dict[str, Any], ...] = (
    {"fill": (29, 78, 216)},
    {"title": "Account 280"},
    {"extra": True},
    {"page": (229, 231, 235)},
    {"label": "Log in"},
)


@settings(max_examples=25, deadline=None)
@given(chosen=st.sets(st.sampled_from(range(len(CHANGES))), min_size=1))
def test_each_difference_adds_to_the_score(chosen: set[int]) -> None:
    """Taking any one of several differences away lowers the score."""
    design = Screen().design()

    def score(which: set[int]) -> float:
        merged: dict[str, Any] = {}
        for k in which:
            merged.update(CHANGES[k])
        return _judge(design, Screen(**merged).draw()).score or 0.0

    whole = score(chosen)
    for k in chosen:
        assert score(chosen - {k}) < whole


def test_the_order_of_siblings_does_not_matter() -> None:
    """Findings and score are the same however the file orders siblings that do not overlap."""
    design, image = Screen().design(), Screen(fill=(29, 78, 216), title="Account 280").draw()
    root = design.root
    assert root is not None
    card = root.children[0]
    turned = replace(root, children=(replace(card, children=card.children[::-1]),))
    first, second = _judge(design, image), _judge(replace(design, root=turned), image)
    assert first.score == second.score
    assert _found(first) == _found(second)


def test_the_score_does_not_depend_on_the_scale() -> None:
    """The same change at a device scale factor of 2 scores the same within 5 %."""
    scores = []
    for scale in (1, 2):
        changed = Screen(scale=scale, fill=(29, 78, 216), title_at=(68, 80))
        scores.append(_judge(Screen(scale=scale).design(), changed.draw()).score or 0.0)
    assert scores[1] == pytest.approx(scores[0], rel=0.05)


def _pairs() -> list[dict[str, Any]]:
    path = SHARED / "bugs" / "pairs.json"
    if not path.exists():
        return []
    found = json.loads(path.read_text(encoding="utf-8"))
    return [p for p in found if p["expected"]["label"] != "error"]


@pytest.mark.skipif(not _pairs(), reason="the shared bug pairs are not on this machine")
@pytest.mark.parametrize("pair", _pairs(), ids=lambda p: str(p["id"]))
def test_bare_pictures_of_public_bug_reports(pair: dict[str, Any]) -> None:
    """Pictures without nodes get the right answer by default."""
    images = [_read(SHARED / "bugs" / pair[side]) for side in ("a", "b")]
    height, width = images[0].shape[:2]
    masks = tuple(
        Box(m["x1"], m["y1"], m["x2"] - m["x1"], m["y2"] - m["y1"])
        for m in pair["options"].get("ignoreRegions", ())
    )
    design = Design(name="a", label="a", image=images[0], frame=(width, height), scale=1.0)
    capture = Capture(image=images[1], scale=1.0, source="b", masks=masks)
    judgement = judge_design(design, capture, tolerance=Tolerance())
    label = pair["expected"]["label"]
    assert (judgement.status == "pass") is (label == "match")
    if label == "size-mismatch":
        assert judgement.findings[0].property == "size"


def _read(path: Path) -> NDArray[np.uint8]:
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    assert image is not None
    if image.dtype == np.uint16:
        image = np.rint(image / 257)
    code = cv2.COLOR_BGR2RGBA if image.shape[2] == 3 else cv2.COLOR_BGRA2RGBA
    return np.asarray(cv2.cvtColor(image.astype(np.uint8), code), np.uint8)


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize(("dx", "dy"), [(4, 0), (0, 4), (20, 0), (0, 16), (8, 8)])
def test_a_screen_that_moved_as_a_whole_fails(dx: int, dy: int, scale: int) -> None:
    """The frame is the picture: content that moved in it as a whole has moved."""
    screen = Screen(scale=scale)
    image = screen.draw()
    moved = np.empty_like(image)
    moved[:] = image[0, 0]
    height, width = image.shape[:2]
    moved[dy * scale :, dx * scale :] = image[: height - dy * scale, : width - dx * scale]
    judgement = _judge(screen.design(), moved)
    assert judgement.status == "fail"
    assert any("too far" in f.message for f in judgement.findings), judgement.findings


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("thick", [1, 2])
def test_a_thin_line_across_the_screen_fails(thick: int, scale: int) -> None:
    """A line of one or two px that the design has not is no edge, however thin it is."""
    screen = Screen(scale=scale)
    image = screen.draw()
    y = 14 * scale
    image[y : y + thick * scale, :, :3] = (220, 38, 38)
    assert _judge(screen.design(), image).status == "fail"


def test_a_thin_frame_around_the_screen_fails() -> None:
    """The picture's own rim is compared like the rest of it."""
    screen = Screen()
    image = screen.draw()
    for rim in (image[:2], image[-2:], image[:, :2], image[:, -2:]):
        rim[..., :3] = (220, 38, 38)
    assert _judge(screen.design(), image).status == "fail"


def test_a_tolerated_colour_is_tolerated_everywhere() -> None:
    """A colour within ``color_delta_e`` is no finding, neither as a fill nor as something extra."""
    screen = Screen()
    image = screen.draw()
    blue = (image[..., :3] == (37, 99, 235)).all(axis=2)
    image[blue, :3] = (29, 78, 216)  # CIEDE2000 7.1
    assert _judge(screen.design(), image).status == "fail"
    assert _judge(screen.design(), image, color_delta_e=9).status == "pass"


def test_a_shadow_that_the_design_has_not_is_named() -> None:
    """A card with a soft shadow where the design has none is a box-shadow finding on the card."""
    screen = Screen()
    image = screen.draw()
    height, width = image.shape[:2]
    shade = np.zeros((height, width), np.float32)
    shade[34:214, 40:320] = 0.15
    shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 4), np.float32)
    shade[30:210, 40:320] = 0
    image[..., :3] = (image[..., :3] * (1 - shade[..., None])).astype(np.uint8)
    judgement = _judge(screen.design(), image)
    assert judgement.status == "fail"
    assert ("1:1", "box-shadow") in _found(judgement)
