"""Screenshot options and regions on a real Chromium: what each one does to a picture."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture import scrolling
from pytest_pixelloop.capture.design_capture import Shooting, Shot, capture_designs
from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.checker import check
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.levels import Level, RegionWish
from pytest_pixelloop.core.tolerance import Tolerance
from pytest_pixelloop.sources.folder import design_from_files
from pytest_pixelloop.store.images import read_image, write_png

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.verdict import ComparisonReport

    OpenPage = Callable[..., Any]

FONTS = Path(__file__).parents[2] / "conftest_examples" / "quickstart" / "site"
SMALL = {"width": 400, "height": 300}
WHITE = [255, 255, 255, 255]


def shown(page: Any, size: tuple[int, int] = (400, 300), **options: Any) -> Capture:
    """Return a capture of a page with the given options."""
    return capture_target(page, frame=size, scale=1, options=CaptureOptions(**options))


def only(word: str, selector: str) -> dict[str, Any]:
    """Return one option with one selector."""
    return {word: (selector,)}


def colour_at(capture: Capture, box: dict[str, float]) -> list[int]:
    """Return the colour 4 px inside the corner of a box."""
    pixel: list[int] = capture.image[int(box["y"]) + 4, int(box["x"]) + 4].tolist()
    return pixel


def test_a_page_without_background_is_transparent_on_request(
    site: str, open_page: OpenPage
) -> None:
    """omit_background leaves only what is painted; afterwards the page is white as before."""
    page = open_page(f"{site}/variants.html")
    page.set_content("<style>body{margin:0}</style><div style='height:50px;background:#00f'></div>")
    capture = shown(page, omit_background=True)
    assert capture.image[10, 10].tolist() == [0, 0, 255, 255]
    assert capture.image[200, 200, 3] == 0
    assert shown(page).image[200, 200].tolist() == WHITE
    page.evaluate("document.body.style.background = '#fed'")
    assert shown(page, omit_background=True).image[200, 200].tolist() == [255, 238, 221, 255]


def test_style_files_hold_before_the_styles_of_the_call(
    site: str, open_page: OpenPage, tmp_path: Path
) -> None:
    """CSS of files holds in their order, then that of the call, and is gone afterwards."""
    first, second = tmp_path / "first.css", tmp_path / "second.css"
    first.write_text("#corner, #touch { background: #111111 }", encoding="utf-8-sig")
    second.write_text("#touch { background: #222222 }", encoding="utf-8")
    page = open_page(f"{site}/variants.html")
    capture = shown(page, size=(1280, 720), style_path=(first, str(second)))
    assert [capture.image[y, 5, 0] for y in (5, 45)] == [0x11, 0x22]
    style = ("#touch { background: #333333 }",)
    capture = shown(page, size=(1280, 720), style_path=(first, second), style=style)
    assert [capture.image[y, 5, 0] for y in (5, 45)] == [0x11, 0x33]
    assert shown(page, size=(1280, 720)).image[5, 5].tolist() == [0, 0, 255, 255]
    with pytest.raises(ConfigurationError, match=r"nowhere\.css"):
        shown(page, style_path=(tmp_path / "nowhere.css",))


def test_a_mask_is_painted_in_its_colour_on_both_pictures(
    site: str, open_page: OpenPage, tmp_path: Path
) -> None:
    """What a selector masks is covered by mask_color in both pictures of the report."""
    page = open_page(f"{site}/variants.html")
    design = Design(
        name="corner", label="corner", image=shown(page).image, frame=(400, 700), scale=1
    )
    page.evaluate("corner.style.background = '#abcdef'")
    (shot,) = capture_designs(
        page,
        [Shooting(design=design, options={"mask": ("#corner",), "mask_color": "rgb(1 2 3)"})],
        browser=lambda: None,
    )
    assert isinstance(shot, Shot)
    report = check(design, shot.capture, tolerance=Tolerance(), gate="pixel", folder=tmp_path)
    assert report.status == "pass"
    assert report.screenshot["masks"] == [[0, 0, 60, 40]]
    for side in ("expected", "actual"):
        picture = read_image(tmp_path / report.artifacts[side], name=side)
        assert picture[39, 59].tolist() == [1, 2, 3, 255]
        assert picture[41, 5].tolist() != [1, 2, 3, 255]


def test_a_page_that_grows_is_scrolled_to_its_end(site: str, open_page: OpenPage) -> None:
    """scroll_through loads all of a feed, then the page is where it was; without it nothing."""
    page = open_page(
        f"{site}/grows-on-scroll.html?blocks=7", viewport={"width": 400, "height": 300}
    )
    page.evaluate("scrollTo(0, 120)")
    assert shown(page).pixel_size == (400, 1020)
    capture = shown(page, scroll_through=True)
    assert capture.pixel_size == (400, 7 * 500 + 20)
    assert capture.image[-5, 5].tolist() == [204, 0, 0, 255]
    assert capture.warnings == ()
    assert page.evaluate("scrollY") == 120


def test_a_page_that_grows_without_end_is_said(
    site: str, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A feed without end is scrolled a limited number of screens, with a warning."""
    monkeypatch.setattr(scrolling, "MOST_STEPS", 6)
    page = open_page(f"{site}/grows-on-scroll.html?blocks=9999")
    capture = shown(page, scroll_through=True)
    (warning,) = capture.warnings
    assert "the page still grew after 6 screens" in warning
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("word", ["hide", "remove"])
def test_hidden_in_a_shadow_root(site: str, open_page: OpenPage, word: str) -> None:
    """A selector holds inside open shadow roots too; across their edge it matches nothing."""
    page = open_page(f"{site}/shadow.html")
    box = page.locator("#deep").bounding_box()
    assert colour_at(shown(page), box) == [0xCC, 0xDD, 0xEE, 255]
    capture = shown(page, **only(word, "#deep"))
    assert colour_at(capture, box) != [0xCC, 0xDD, 0xEE, 255]
    assert capture.warnings == ()
    assert colour_at(shown(page), box) == [0xCC, 0xDD, 0xEE, 255]
    across = shown(page, **only(word, "x-card #deep"))
    assert across.warnings == (f"{word} 'x-card #deep' matches nothing",)


@pytest.mark.parametrize("word", ["hide", "remove"])
def test_hidden_in_a_frame(site: str, open_page: OpenPage, word: str) -> None:
    """A selector holds inside frames too, also in one that is made of a text."""
    page = open_page(f"{site}/variants.html")
    inner = "<style>body{margin:0}p{margin:0;height:60px;background:#0c0}</style><p class=deep></p>"
    page.set_content(f'<h1>Title</h1><iframe srcdoc="{inner}" style="border:0"></iframe>')
    page.frame_locator("iframe").locator("p").wait_for()
    box = page.locator("iframe").bounding_box()
    assert colour_at(shown(page), box) == [0, 204, 0, 255]
    capture = shown(page, **only(word, ".deep"))
    assert colour_at(capture, box) == WHITE
    assert capture.warnings == ()
    assert colour_at(shown(page), box) == [0, 204, 0, 255]


def test_a_region_is_found_by_its_selector(site: str, open_page: OpenPage) -> None:
    """Boxes are in CSS px of the picture, whatever the page is scrolled to and clipped by."""
    page = open_page(f"{site}/variants.html", viewport=SMALL)
    page.evaluate("scrollTo(0, 30)")
    wishes = tuple(RegionWish(target=t, level=Level.DATA) for t in ("#touch", "div", ".none"))
    capture = shown(page, regions=wishes)
    corner, touch = Box(0, 0, 60, 40), Box(0, 40, 60, 40)
    assert [r.boxes for r in capture.regions] == [(touch,), (corner, touch), ()]
    assert capture.warnings == ("the region '.none' matches nothing that can be seen",)
    clipped = shown(page, regions=wishes[:1], clip=Box(0, 20, 100, 100))
    assert [r.boxes for r in clipped.regions] == [(Box(0, 20, 60, 40),)]
    view = shown(page, regions=wishes[:1], full_page=False)
    assert [r.boxes for r in view.regions] == [(Box(0, 10, 60, 40),)]
    with pytest.raises(ConfigurationError, match=r"'\.\.no' is no CSS selector"):
        shown(page, regions=(RegionWish(target="..no", level=Level.DATA),))


def _font(name: str, weight: int) -> str:
    data = base64.b64encode((FONTS / f"Inter-{name}.subset.woff2").read_bytes()).decode()
    source = f"url(data:font/woff2;base64,{data})"
    return f"@font-face{{font-family:Inter;font-weight:{weight};src:{source}}}"


def _price_page(words: str, css: str = "") -> str:
    fonts = _font("Regular", 400) + _font("SemiBold", 600)
    return (
        f"<!doctype html><style>{fonts} body{{margin:0;background:#fff}} p{{position:absolute;"
        f"left:20px;top:20px;margin:0;font:400 20px/24px Inter;color:#111827;{css}}}</style>"
        f'<p class="price">{words}</p>'
    )


def _price_nodes(width: float) -> dict[str, Any]:
    def box(x: float, y: float, w: float, h: float) -> dict[str, float]:
        return {"x": x, "y": y, "width": w, "height": h}

    def paint(r: float, g: float, b: float) -> list[dict[str, Any]]:
        return [{"type": "SOLID", "blendMode": "NORMAL", "color": {"r": r, "g": g, "b": b, "a": 1}}]

    style = {"fontFamily": "Inter", "fontWeight": 400, "fontSize": 20, "lineHeightPx": 24}
    text = {
        "id": "1:2",
        "name": "price",
        "type": "TEXT",
        "absoluteBoundingBox": box(20, 20, width, 24),
        "fills": paint(0x11 / 255, 0x18 / 255, 0x27 / 255),
        "characters": "Settings",
        "style": {**style, "lineHeightUnit": "PIXELS", "textAlignHorizontal": "LEFT"},
    }
    return {
        "id": "1:1",
        "name": "page",
        "type": "FRAME",
        "absoluteBoundingBox": box(0, 0, 240, 64),
        "clipsContent": True,
        "fills": paint(1, 1, 1),
        "children": [text],
    }


OTHER_WORDS = [
    # words and css of the page, what gates
    ("Password", "", []),
    ("Password settings", "", []),
    ("Go", "", []),
    ("Password", "font-weight:600", ["font-weight"]),
    ("Password", "font-size:24px", ["font-size"]),
    ("Password", "color:#dc2626", ["color"]),
]


@pytest.mark.parametrize(("words", "css", "wrong"), OTHER_WORDS)
def test_data_may_have_other_words_but_no_other_style(
    site: str, open_page: OpenPage, tmp_path: Path, words: str, css: str, wrong: list[str]
) -> None:
    """At level data the matched element tells another font or colour of other words."""
    page = open_page(f"{site}/variants.html")
    page.set_content(_price_page("Settings"))
    size = (240, 64)
    write_png(tmp_path / "page.png", shown(page, size).image)
    width = page.locator(".price").bounding_box()["width"]
    (tmp_path / "page.json").write_text(json.dumps(_price_nodes(width)), encoding="utf-8")
    design = design_from_files(tmp_path / "page.png", tmp_path / "page.json")
    page.set_content(_price_page(words, css))

    def judged(*regions: RegionWish) -> ComparisonReport:
        (shot,) = capture_designs(
            page, [Shooting(design=design, regions=regions)], browser=lambda: None
        )
        assert isinstance(shot, Shot), shot
        return check(design, shot.capture, tolerance=Tolerance(), gate="design")

    report = judged(RegionWish(target="css=.price", level=Level.DATA))
    assert [f.property for f in report.findings if f.gating] == wrong
    assert report.status == ("fail" if wrong else "pass")
    kept = {f.property for f in report.findings if f.matching}
    assert "text" in kept
    assert kept <= {"text", "extra"}, "the end of longer words is beside the design's text"
    assert judged().status == "fail"
    named = judged(RegionWish(target="price", level=Level.DATA))
    assert [f.property for f in named.findings if f.gating] == wrong


@pytest.mark.parametrize(("selector", "level"), [(".key", "layout"), (".second", "ignore_colors")])
def test_a_level_that_lets_colours_be_misses_nothing_that_is_gone(
    open_page: OpenPage, selector: str, level: str
) -> None:
    """A box that cannot be seen is not there, whatever colours the region may have."""
    folder = FONTS.parents[1] / "screenshot_options"
    design = design_from_files(
        folder / "designs" / "board" / "1-1.png", folder / "designs" / "board" / "1-1.nodes.json"
    )
    page = open_page((folder / "site" / "board.html").as_uri())
    regions = (
        RegionWish(target="legend", level=Level(level)),
        RegionWish(target="photo", level=Level.DATA),
    )
    options: dict[str, Any] = {"mask": (".lamp",), "remove": (".consent", ".chat")}

    def judged(**more: Any) -> ComparisonReport:
        shooting = Shooting(design=design, regions=regions, options={**options, **more})
        (shot,) = capture_designs(page, [shooting], browser=lambda: None)
        assert isinstance(shot, Shot), shot
        return check(design, shot.capture, tolerance=Tolerance(), gate="design")

    assert judged().status == "pass"
    for hidden in (selector, ".photo"):
        report = judged(hide=(hidden,))
        assert report.status == "fail", hidden
        assert {f.property for f in report.findings if f.gating} == {"missing"}
