"""Boxes under the design gate: corners, borders, shadows and edges, drawn by two rasterisers."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

WIDTH, HEIGHT = 200, 140
Color = tuple[int, int, int]
Place = tuple[float, float, float, float]
WHITE, GRAY_100, GRAY_200 = (255, 255, 255), (243, 244, 246), (229, 231, 235)
GRAY_300, GRAY_400, BLUE = (209, 213, 219), (156, 163, 175), (37, 99, 235)
BAR = (17, 24, 39)


@dataclass(frozen=True, kw_only=True)
class Shade:
    """A shadow: down, blur and spread in px, and its alpha."""

    down: float
    blur: float
    alpha: float
    spread: float = 0.0


SM = (Shade(down=1, blur=2, alpha=0.05),)
MD = (Shade(down=4, blur=6, spread=-1, alpha=0.1), Shade(down=2, blur=4, spread=-2, alpha=0.1))
XL = (Shade(down=20, blur=25, spread=-5, alpha=0.1),)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One box on a page, with what can be wrong with it."""

    box: Place = (40, 30, 120, 70)
    page: Color = GRAY_100
    fill: Color = WHITE
    radius: float = 8
    border: float = 0
    line: Color = GRAY_300
    shades: tuple[Shade, ...] = ()

    def drawn(self, *, exact: bool, fall_off: float = 1.0) -> NDArray[np.uint8]:
        """Return the picture: *exact* smooths edges where they lie, else they are snapped."""
        place = self.box
        if not exact:
            x0, y0 = round(place[0]), round(place[1])
            x1, y1 = round(place[0] + place[2]), round(place[1] + place[3])
            place = (x0, y0, x1 - x0, y1 - y0)
        image = np.full((HEIGHT, WIDTH, 3), self.page, np.float64)
        image[2:14, 10:190] = BAR
        for shade in reversed(self.shades):
            spread = _grown(place, shade.spread, down=shade.down)
            inked = _cover(spread, max(self.radius + shade.spread, 0), exact=exact) * shade.alpha
            if shade.blur:
                sigma = shade.blur / 2 * fall_off
                inked = np.asarray(cv2.GaussianBlur(inked, (0, 0), sigma), np.float64)
            image *= 1 - inked[..., None]
        _paint(image, _cover(place, self.radius, exact=exact), self.line if self.border else None)
        inner = _grown(place, -self.border)
        _paint(image, _cover(inner, max(self.radius - self.border, 0), exact=exact), self.fill)
        opaque = np.full((HEIGHT, WIDTH, 1), 255, np.uint8)
        return np.concatenate([np.rint(image).astype(np.uint8), opaque], axis=2)

    def root(self) -> DesignNode:
        """Return the node tree."""
        panel: dict[str, Any] = {
            "fills": [_solid(self.fill)],
            "cornerRadius": self.radius,
            "effects": [_effect(s) for s in self.shades],
        }
        if self.border:
            panel |= {"strokes": [_solid(self.line)], "strokeWeight": self.border}
        child = DesignNode(
            id="1:1", name="Panel", type="FRAME", box=Box(*self.box), properties=panel
        )
        bar = DesignNode(
            id="1:2",
            name="Bar",
            type="RECTANGLE",
            box=Box(10, 2, 180, 12),
            properties={"fills": [_solid(BAR)]},
        )
        page = {"fills": [_solid(self.page)]}
        whole = Box(0, 0, WIDTH, HEIGHT)
        return DesignNode(
            id="1:0", name="Page", type="FRAME", box=whole, properties=page, children=(bar, child)
        )

    def design(self) -> Design:
        """Return the panel as a design: drawn by the other rasteriser, whose shadows end early."""
        image = self.drawn(exact=True, fall_off=0.93)
        return Design(
            name="panel", label="1-0", image=image, frame=(WIDTH, HEIGHT), scale=1, root=self.root()
        )


def _solid(color: Color) -> dict[str, Any]:
    red, green, blue = (c / 255 for c in color)
    return {"type": "SOLID", "color": {"r": red, "g": green, "b": blue, "a": 1}}


def _effect(shade: Shade) -> dict[str, Any]:
    return {
        "type": "DROP_SHADOW",
        "color": {"r": 0, "g": 0, "b": 0, "a": shade.alpha},
        "offset": {"x": 0, "y": shade.down},
        "radius": shade.blur,
        "spread": shade.spread,
    }


def _grown(place: Place, by: float, *, down: float = 0.0) -> Place:
    x, y, w, h = place
    return x - by, y - by + down, max(w + 2 * by, 0), max(h + 2 * by, 0)


def _cover(place: Place, radius: float, *, exact: bool) -> NDArray[np.float64]:
    """Return how much of each pixel a rounded rectangle covers, by 4x4 samples or by distance."""
    fine = 4 if exact else 1
    x, y, w, h = (v * fine for v in place)
    r = min(radius * fine, w / 2, h / 2)
    across = np.abs(np.arange(WIDTH * fine) + 0.5 - x - w / 2)[None, :] - (w / 2 - r)
    down = np.abs(np.arange(HEIGHT * fine) + 0.5 - y - h / 2)[:, None] - (h / 2 - r)
    beyond = np.hypot(np.maximum(across, 0), np.maximum(down, 0))
    distance = beyond + np.minimum(np.maximum(across, down), 0) - r
    covered = np.clip(0.5 - distance, 0, 1)
    return np.asarray(covered.reshape(HEIGHT, fine, WIDTH, fine).mean(axis=(1, 3)))


def _paint(image: NDArray[np.float64], cover: NDArray[np.float64], color: Color | None) -> None:
    if color is not None:
        image += cover[..., None] * (np.array(color) - image)


def _judge(design: Panel, page: Panel) -> Judgement:
    capture = Capture(image=page.drawn(exact=False), scale=1, source="test")
    return judge_design(design.design(), capture, tolerance=Tolerance())


def _properties(judgement: Judgement) -> set[str | None]:
    return {f.property for f in judgement.findings if f.node is not None and f.node.id == "1:1"}


places = st.tuples(
    st.integers(30 * 16, 50 * 16).map(lambda v: v / 16),
    st.integers(28 * 16, 36 * 16).map(lambda v: v / 16),
    st.integers(40 * 16, 100 * 16).map(lambda v: v / 16),
    st.integers(32 * 16, 60 * 16).map(lambda v: v / 16),
)


@settings(deadline=None, max_examples=60)
@given(
    box=places,
    radius=st.sampled_from([0, 4, 6, 8, 12, 16]),
    border=st.sampled_from([0, 1, 2]),
    shades=st.sampled_from([(), SM, MD]),
    line=st.sampled_from([GRAY_200, GRAY_300, GRAY_400]),
    fill=st.sampled_from([WHITE, BLUE]),
)
def test_what_another_rasteriser_makes_of_a_box_passes(
    box: Place, radius: float, border: float, shades: tuple[Shade, ...], line: Color, fill: Color
) -> None:
    """A box at fractions of a pixel passes where the page snaps it and blurs it a little wider."""
    panel = Panel(box=box, radius=radius, border=border, shades=shades, line=line, fill=fill)
    judgement = _judge(panel, panel)
    assert judgement.status == "pass", [f.message for f in judgement.findings]


@pytest.mark.parametrize(
    ("old", "new"), [(8, 0), (4, 0), (8, 14), (16, 8), (12, 6), (8, 4), (0, 8)]
)
@pytest.mark.parametrize(
    "panel",
    [
        Panel(),
        Panel(fill=BLUE),
        Panel(page=WHITE, border=1, line=GRAY_300),
        Panel(box=(40.5, 30.25, 119.25, 70.5), border=1, shades=MD),
    ],
    ids=["faint", "strong", "bordered", "shadowed"],
)
def test_another_corner_radius_is_named(panel: Panel, old: float, new: float) -> None:
    """A radius that differs by a design token's step is a border-radius finding on the box."""
    if panel.shades and old == 4:
        pytest.skip("four pixels in a shadow, between two greys: what smoothing may explain")
    judgement = _judge(replace(panel, radius=old), replace(panel, radius=new))
    assert "border-radius" in _properties(judgement), [f.message for f in judgement.findings]


def test_a_pill_that_became_a_rectangle_is_named() -> None:
    """A pill drawn with smaller corners is a border-radius finding."""
    pill = Panel(box=(40, 40, 100, 34), radius=17, fill=BLUE)
    assert _properties(_judge(pill, replace(pill, radius=6))) == {"border-radius"}


@pytest.mark.parametrize(
    ("old", "new"),
    [(SM, ()), (MD, ()), (XL, ()), (MD, SM), (SM, MD), (MD, XL), (SM, XL)],
    ids=["sm-none", "md-none", "xl-none", "md-sm", "sm-md", "md-xl", "sm-xl"],
)
@pytest.mark.parametrize("border", [0, 1])
def test_another_shadow_is_named(
    old: tuple[Shade, ...], new: tuple[Shade, ...], border: float
) -> None:
    """A shadow that is missing or of another level is a box-shadow finding, of few levels too."""
    panel = Panel(page=WHITE, border=border, shades=old)
    judgement = _judge(panel, replace(panel, shades=new))
    assert "box-shadow" in _properties(judgement), [f.message for f in judgement.findings]


@settings(deadline=None, max_examples=30)
@given(strength=st.floats(0.8, 1.25), blur=st.floats(0.85, 1.15))
def test_a_shadow_that_falls_off_a_little_otherwise_passes(strength: float, blur: float) -> None:
    """Kernel and gamma of a blur are the rasteriser's."""
    panel = Panel(shades=MD)
    shades = tuple(replace(s, alpha=s.alpha * strength, blur=s.blur * blur) for s in MD)
    judgement = _judge(panel, replace(panel, shades=shades))
    assert judgement.status == "pass", [f.message for f in judgement.findings]


@pytest.mark.parametrize("box", [(40, 30, 120, 70), (40.5, 30.4, 119.7, 70.3)])
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"line": GRAY_400}, "border-color"),
        ({"line": GRAY_200}, "border-color"),
        ({"line": WHITE}, "border-width"),
        ({"border": 2}, "border-width"),
        ({"border": 0}, "border-width"),
    ],
)
def test_another_border_is_named(box: Place, change: dict[str, Any], named: str) -> None:
    """One token step of a hairline, a missing and a wider one are findings on the box."""
    panel = Panel(box=box, border=1, line=GRAY_300)
    judgement = _judge(panel, replace(panel, **change))
    assert named in _properties(judgement), [f.message for f in judgement.findings]


@pytest.mark.parametrize("top", [30.0, 30.25, 30.5, 30.75])
@pytest.mark.parametrize("fill", [BAR, (24, 24, 27), BLUE])
def test_a_border_of_the_fills_colour_is_never_missed(top: float, fill: Color) -> None:
    """Nobody sees such a border: that it is gone or wider is not told, that it is green is."""
    panel = Panel(box=(40, top, 118, 36), page=WHITE, fill=fill, line=fill, border=1)
    assert _judge(panel, panel).status == "pass"
    assert _judge(panel, replace(panel, border=0)).status == "pass"
    assert "border-color" in _properties(_judge(panel, replace(panel, line=(22, 163, 74))))
