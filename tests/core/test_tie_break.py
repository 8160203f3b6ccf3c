"""The design gate where the pixels doubt: what the matched element says decides, and only there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from pytest_pixelloop.core.calibration import Calibration
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode, place_nodes
from pytest_pixelloop.core.dom import DomSnapshot, Element
from pytest_pixelloop.core.gate_design import judge_design
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.glyphs import GLYPH_LIMIT
from pytest_pixelloop.core.ink import Ink
from pytest_pixelloop.core.judged_nodes import JudgedNode, judged_nodes
from pytest_pixelloop.core.leaf_judgement import judge_leaf
from pytest_pixelloop.core.reading import Reading
from pytest_pixelloop.core.style_channel import name_elements, pair_elements
from pytest_pixelloop.core.style_evidence import COLORS, LETTERS, Witness, Witnesses
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HEIGHT = 320, 120
TEXT = Box(20, 30, 260, 30)
INK = (17, 24, 39)
STYLE = {"font-size": "20px", "line-height": "30px", "color": "rgb(17, 24, 39)"}


def _solid(color: tuple[int, int, int]) -> dict[str, Any]:
    red, green, blue = (c / 255 for c in color)
    return {"type": "SOLID", "color": {"r": red, "g": green, "b": blue, "a": 1}}


def _root(text: str = "Total amount 250") -> DesignNode:
    style = {"fontSize": 20, "lineHeightPx": 30, "fontWeight": 400}
    label = DesignNode(
        id="1:2", name="Total", type="TEXT", box=TEXT, characters=text,
        properties={"style": style, "fills": [_solid(INK)]},
    )  # fmt: skip
    return DesignNode(
        id="1:1", name="Page", type="FRAME", box=Box(0, 0, WIDTH, HEIGHT), children=(label,),
        properties={"fills": [_solid((255, 255, 255))]},
    )  # fmt: skip


def _draw(
    text: str = "Total amount 250", *, color: tuple[int, int, int] = INK
) -> NDArray[np.uint8]:
    image = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    cv2.putText(image, text, (20, 52), cv2.FONT_HERSHEY_SIMPLEX, 0.7, color, 1, cv2.LINE_AA)
    return np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])


def _dom(text: str = "Total amount 250", *more: Element, **style: str) -> DomSnapshot:
    page = Element(index=0, parent=None, selector="body", tag="body", box=Box(0, 0, WIDTH, HEIGHT))
    words = Element(
        index=1, parent=0, selector="p", tag="p", box=TEXT, text=text, label=text,
        lines=(Box(20, 35, 190, 20),),
        style=STYLE | {k.replace("_", "-"): v for k, v in style.items()},
    )  # fmt: skip
    return DomSnapshot(elements=(page, words, *more), size=(WIDTH, HEIGHT))


def _judge(image: NDArray[np.uint8], dom: DomSnapshot | None) -> list[tuple[str | None, str]]:
    design = Design(
        name="t", label="t", image=_draw(), frame=(WIDTH, HEIGHT), scale=1, root=_root()
    )
    capture = Capture(image=image, scale=1, source="test", dom=dom)
    judgement = judge_design(design, capture, tolerance=Tolerance())
    return [(f.property, f.message) for f in judgement.findings]


def _leaf() -> JudgedNode:
    return judged_nodes(_root(), scale=1, shape=(HEIGHT, WIDTH))[1]


def _ink(level: float = 1.0) -> Ink:
    white, dark = np.full(3, 255, np.float32), np.array(INK, np.float32)
    color = white + (dark - white) * np.float32(level)
    return Ink(
        backdrop=white, color=color, contrast=float(np.linalg.norm(white - color)),
        coverage=np.ones((4, 4), np.float32), total=np.asarray(500 * (color - white), np.float64),
        plain=True,
    )  # fmt: skip


def _read(**values: Any) -> Reading:
    known: dict[str, Any] = {
        "at": 1, "ink_rect": (20, 35, 210, 55), "expected_ink": _ink(), "actual_ink": _ink(),
    }  # fmt: skip
    return Reading(**(known | values))


def _found(reading: Reading, dom: DomSnapshot | None) -> list[str]:
    witnesses = Witnesses(place_nodes(_root()), dom)
    drafts = judge_leaf(
        _leaf(), reading, Calibration(), witness=lambda: witnesses.of("1:2"),
        tolerance=Tolerance(), scale=1,
    )  # fmt: skip
    return [d.property for d in drafts]


def _witness(dom: DomSnapshot) -> Witness:
    found = Witnesses(place_nodes(_root()), dom).of("1:2")
    assert found is not None
    return found


DOUBTFUL = _read(mismatch=0.75 * GLYPH_LIMIT)
LIKELY = _read(mismatch=1.5 * GLYPH_LIMIT)
SURE = _read(mismatch=4 * GLYPH_LIMIT)


def test_doubtful_letters_are_a_finding_where_the_element_has_other_words() -> None:
    """Letters that are less unlike than the limit count when the element's text differs."""
    assert _found(DOUBTFUL, _dom("Total amount 260")) == ["text"]
    assert _found(DOUBTFUL, _dom()) == []
    assert _found(DOUBTFUL, None) == []


def test_doubtful_letters_are_noise_where_the_element_says_the_same() -> None:
    """Letters a little beyond the limit pass where text and style are the design's."""
    assert _found(LIKELY, _dom()) == []
    assert _found(LIKELY, None) == ["text"]


def test_sure_pixels_are_never_excused() -> None:
    """An element that says all is well excuses nothing that the pixels show clearly."""
    assert _found(SURE, _dom()) == ["text"]


def test_calm_pixels_are_never_a_finding() -> None:
    """Style and text alone never gate, whatever they say."""
    dom = _dom("Something else", color="rgb(255, 0, 0)", font_size="40px", font_weight="900")
    assert _found(_read(mismatch=0.2 * GLYPH_LIMIT), dom) == []
    assert _judge(_draw(), dom) == []


@pytest.mark.parametrize(
    ("style", "named"),
    [
        ({"font-weight": "700"}, "font-weight"),
        ({"font-size": "21px"}, "font-size"),
        ({"letter-spacing": "0.5px"}, "letter-spacing"),
        ({"font-family": "Lato"}, "text"),
        ({"text-decoration-line": "line-through"}, "text-decoration"),
    ],
)
def test_the_element_names_what_the_pixels_allow(style: dict[str, str], named: str) -> None:
    """Letters that are surely other ones are named by the element's own difference."""
    changed = _dom(**style)
    assert _found(SURE, changed) == [named]


def test_a_property_that_the_pixels_do_not_show_is_not_named() -> None:
    """A colour that differs in the style alone does not name letters that differ."""
    assert _found(SURE, _dom(color="rgb(200, 0, 0)")) == ["text"]


def test_a_doubtful_colour_is_decided_by_the_element() -> None:
    """Ink a little too light is the element's colour where that differs, else noise."""
    lighter = _read(actual_ink=_ink(0.95), amount_ratio=0.95, contrast_ratio=0.95)
    assert _found(lighter, _dom(color="rgb(31, 41, 55)")) == ["color"]
    assert _found(lighter, _dom()) == []
    much = _read(actual_ink=_ink(0.9), amount_ratio=0.9, contrast_ratio=0.9)
    assert _found(much, None) == ["color"]
    assert _found(much, _dom()) == []
    far = _read(actual_ink=_ink(0.7), amount_ratio=0.7, contrast_ratio=0.7)
    assert "color" in _found(far, _dom())


def test_a_colour_that_the_user_tolerates_is_not_named() -> None:
    """The tolerance for colours holds for what an element says as well."""
    lighter = _read(actual_ink=_ink(0.95), amount_ratio=0.95, contrast_ratio=0.95)
    witness = _witness(_dom(color="rgb(31, 41, 55)"))
    drafts = judge_leaf(
        _leaf(), lighter, Calibration(), witness=lambda: witness,
        tolerance=Tolerance(color_delta_e=9), scale=1,
    )  # fmt: skip
    assert drafts == []


def _over(tag: str, **more: Any) -> Element:
    return Element(index=2, parent=0, selector=tag, tag=tag, box=Box(0, 0, WIDTH, HEIGHT), **more)


@pytest.mark.parametrize(
    "cover",
    [
        _over("img"),
        _over("canvas"),
        _over("svg"),
        _over("iframe"),
        _over("div", style={"background-image": 'url("shot.png")'}),
        _over("div", pseudo=True),
    ],
    ids=lambda e: str(e.tag),
)
def test_a_text_under_or_over_a_picture_excuses_nothing(cover: Element) -> None:
    """Where a picture may paint what is seen, the words in the document are no evidence."""
    assert _found(LIKELY, _dom("Total amount 250", cover)) == ["text"]


@pytest.mark.parametrize(
    "style",
    [
        {"filter": "blur(1px)"},
        {"mix-blend-mode": "multiply"},
        {"text-shadow": "rgb(0, 0, 0) 1px 1px 0px"},
    ],
)
def test_what_styles_do_not_tell_excuses_nothing(style: dict[str, str]) -> None:
    """An element whose paint is more than its text and colour does not calm the pixels."""
    assert not _witness(_dom(**style)).calms(LETTERS, seen=(0, 0))


def test_an_opacity_above_the_text_excuses_no_colour() -> None:
    """A faded ancestor is a difference of colour, though not of letters."""
    dom = _dom()
    faded = replace(dom.elements[0], style={"opacity": "0.8"})
    witness = _witness(replace(dom, elements=(faded, dom.elements[1])))
    assert not witness.calms(COLORS, seen=(0, 0))
    assert witness.calms(LETTERS, seen=(0, 0))


def test_an_element_speaks_for_the_place_where_it_is() -> None:
    """An element that lies elsewhere than the pixels in question does not calm them."""
    witness = _witness(_dom())
    assert witness.calms(LETTERS, seen=(0, 0))
    assert not witness.calms(LETTERS, seen=(40, 0))


def test_no_meaningful_document_says_nothing() -> None:
    """A canvas app has no witnesses: the pixels decide alone."""
    assert Witnesses(place_nodes(_root()), replace(_dom(), meaningful=False)).of("1:2") is None
    assert Witnesses(place_nodes(_root()), None).of("1:2") is None


def test_an_added_full_stop_is_found() -> None:
    """A full stop more is a finding: the element's text says that the few pixels are one."""
    found = _judge(_draw("Total amount 250."), _dom("Total amount 250."))
    assert [name for name, _ in found] == ["text"]
    assert 'text "Total amount 250.", expected "Total amount 250"' in found[0][1]


def test_a_screenshot_with_hidden_words_does_not_pass() -> None:
    """Words of the design in the document do not excuse a picture that shows other ones."""
    cover = _over("img")
    found = _judge(_draw("Total amount 860"), _dom("Total amount 250", cover))
    assert [name for name, _ in found] == ["text"]


def test_a_moved_text_is_found_where_its_element_lies() -> None:
    """A text further away than is searched is found by its element: moved, not missing."""
    image = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    image[50:, :] = _draw()[:70]
    dom = _dom()
    words = replace(dom.elements[1], box=TEXT.shifted(0, 50), lines=(Box(20, 85, 190, 20),))
    found = _judge(image, replace(dom, elements=(dom.elements[0], words)))
    assert [name for name, _ in found] == ["position"]


def test_what_the_gate_has_matched_is_not_matched_again() -> None:
    """A judgement brings along the matches and styles that it asked for, the same as anybody's."""
    design = Design(
        name="t", label="t", image=_draw(), frame=(WIDTH, HEIGHT), scale=1, root=_root()
    )
    dom = _dom("Total amount 256")
    capture = Capture(image=_draw("Total amount 256"), scale=1, source="test", dom=dom)
    judgement = judge_design(design, capture, tolerance=Tolerance())
    assert judgement.matches == pair_elements(design, dom)
    assert judgement.styles is not None
    named = name_elements(judgement.findings, design, dom, styles=judgement.styles)
    assert named == name_elements(judgement.findings, design, dom)
    same = replace(capture, image=_draw())
    assert judge_design(design, same, tolerance=Tolerance()).matches is None
