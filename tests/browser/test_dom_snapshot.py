"""What a snapshot of a real page holds: what is visible, where, and nothing that a page forges."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture.dom import merge_lines, snapshot_dom
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_pixelloop.core.dom import DomSnapshot, Element

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Give a real Chromium, or skip."""
    found = os.environ.get("PIXELLOOP_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )
    if found is None:
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """Give an empty page of 800 x 600."""
    page = chromium.new_page(viewport={"width": 800, "height": 600})
    yield page
    page.close()


@pytest.fixture
def snapshot(page: Any) -> Callable[[str], DomSnapshot]:
    """Give the snapshot of a document's body."""

    def take(body: str) -> DomSnapshot:
        style = "<style>*{margin:0}body{font:16px/20px sans-serif}</style>"
        page.set_content(f"<!doctype html><html><head>{style}</head><body>{body}</body></html>")
        return snapshot_dom(page)

    return take


def _by(found: DomSnapshot, selector: str) -> Element:
    return next(e for e in found.elements if e.selector == selector)


def test_an_element_comes_with_box_text_style_font_and_source(
    snapshot: Callable[[str], DomSnapshot],
) -> None:
    """A plain element is recorded with all that matching and style checks ask for."""
    found = snapshot(
        '<button id="go" data-figma-id="1:2" data-source="src/A.tsx:3:1" style="position:absolute;'
        "left:10px;top:20px;width:100px;height:40px;padding:4px 8px;border:1px solid #d9d9d9;"
        "background:#2563eb;color:#fff;border-radius:8px;font:600 14px/18px sans-serif;"
        'opacity:.9">Sign in</button>'
    )
    assert found.meaningful
    go = _by(found, "#go")
    assert (go.tag, go.role, go.text, go.box) == (
        "button",
        "button",
        "Sign in",
        Box(10, 20, 100, 40),
    )
    assert go.anchors == {"data-figma-id": "1:2"}
    assert go.source == "src/A.tsx:3:1"
    assert go.font == "sans-serif"
    assert len(go.lines) == 1
    assert go.box.contains(go.lines[0])
    for name, value in {
        "background-color": "rgb(37, 99, 235)",
        "border-top-width": "1px",
        "border-left-color": "rgb(217, 217, 217)",
        "border-top-left-radius": "8px",
        "padding-left": "8px",
        "font-size": "14px",
        "font-weight": "600",
        "line-height": "18px",
        "color": "rgb(255, 255, 255)",
        "opacity": "0.9",
        "box-shadow": "none",
    }.items():
        assert go.value(name) == value, name


@pytest.mark.parametrize(
    "hidden",
    [
        '<p style="display:none">X</p>',
        '<p style="visibility:hidden">X</p>',
        '<p style="opacity:0">X</p>',
        '<p style="position:absolute;left:-9999px">X</p>',
        '<p style="position:absolute;width:1px;height:1px;overflow:hidden">X</p>',
        '<div style="width:9px;height:20px;overflow:hidden"><p style="margin-top:30px">X</p></div>',
        "<details><summary>s</summary><p>X</p></details>",
        "<p hidden>X</p>",
        "<script>X</script><template><p>X</p></template><noscript>X</noscript>",
        '<div style="content-visibility:hidden"><p>X</p></div>',
        "<svg><defs><text>X</text></defs></svg>",
    ],
)
def test_what_nobody_sees_is_not_in_it(snapshot: Callable[[str], DomSnapshot], hidden: str) -> None:
    """Hidden, transparent, clipped and off-screen elements are left out."""
    found = snapshot(f"<h1>shown</h1>{hidden}")
    assert "X" not in [e.text for e in found.elements]
    assert "shown" in [e.text for e in found.elements]


def test_what_is_visible_inside_something_hidden_is_in_it(
    snapshot: Callable[[str], DomSnapshot],
) -> None:
    """A visible child of an invisible parent and of a boxless one are seen, and so recorded."""
    found = snapshot(
        '<div style="visibility:hidden"><p style="visibility:visible">A</p></div>'
        '<div style="display:contents"><p>B</p></div>'
        '<div style="overflow:hidden;height:0"><p style="position:fixed;top:90px">C</p></div>'
    )
    assert {"A", "B", "C"} <= {e.text for e in found.elements}


def test_shadow_trees_and_slots_are_seen_as_they_are_drawn(page: Any) -> None:
    """Open shadow trees are walked, slotted children appear where their slot is."""
    page.set_content(
        '<my-card id="card"><span>slotted</span></my-card>'
        "<script>customElements.define('my-card', class extends HTMLElement {"
        "connectedCallback() { this.attachShadow({mode:'open'}).innerHTML ="
        "'<div class=frame><b>inner</b><slot></slot></div>'; } });</script>"
    )
    found = snapshot_dom(page)
    texts = {e.text: e for e in found.elements if e.text}
    assert set(texts) == {"inner", "slotted"}
    frame = _by(found, ".frame")
    assert texts["inner"].parent == frame.index
    assert texts["slotted"].parent == frame.index
    _selectors_are_unique(page, found)


def test_frames_of_the_same_origin_are_looked_into(page: Any) -> None:
    """Elements of a frame lie where the frame shows them, cut by it; strange frames are told."""
    page.set_content(
        "<style>*{margin:0}</style>"
        '<iframe id="f" style="position:absolute;left:100px;top:50px;width:200px;height:100px;'
        'border:5px solid" srcdoc="<style>*{margin:0}</style><p class=in>inside</p>'
        "<p style='position:absolute;top:500px'>below the fold</p>\"></iframe>"
        '<iframe id="g" src="data:text/html,<p>other</p>"></iframe>'
    )
    page.frame_locator("#f").locator(".in").wait_for()
    found = snapshot_dom(page)
    inside = next(e for e in found.elements if e.text == "inside")
    assert (inside.box.x, inside.box.y) == (105, 55)
    assert not [e for e in found.elements if e.text == "below the fold"]
    assert found.warnings == ("a frame of another origin is not looked into",)
    _selectors_are_unique(page, found)


def _selectors_are_unique(page: Any, found: DomSnapshot) -> None:
    for element in found.elements:
        located = page.locator(element.selector)
        assert located.count() == 1, element.selector
        box = located.bounding_box()
        assert (box["x"], box["y"]) == pytest.approx((element.box.x, element.box.y), abs=0.01)


def test_selectors_are_short_stable_and_unique(page: Any) -> None:
    """Id, then test id, then a class of its own, then a path; generated names are not relied on."""
    page.set_content(
        '<main><div id="a:b">0</div><div id="1st">1</div><div id="ok">2</div>'
        '<div data-testid="say &quot;hi&quot;">3</div><div class="css-1x2y3z total">4</div>'
        '<ul><li class="row">5</li><li class="row">6</li><li class="row last">7</li></ul>'
        '<form><input name="id" value="8"><input name="parentNode" value="9"></form></main>'
    )
    found = snapshot_dom(page)
    by_text = {e.text: e.selector for e in found.elements if e.text}
    assert by_text["2"] == "#ok"
    assert by_text["3"] == '[data-testid="say\\ \\"hi\\""]'
    assert by_text["4"] == ".total"
    assert by_text["5"] == "ul > li:nth-of-type(1)"
    assert by_text["7"] == ".last"
    _selectors_are_unique(page, found)


def test_boxes_count_from_the_document_or_from_the_located_element(page: Any) -> None:
    """A scrolled page has the document's boxes; a locator's element is the origin of its own."""
    page.set_content(
        "<style>*{margin:0}</style><div style='height:1000px'></div>"
        '<section id="s" style="position:relative;left:30px;width:200px;height:100px">'
        '<p style="position:absolute;left:5px;top:7px">text</p></section>'
        "<div style='height:1000px'></div>"
    )
    page.evaluate("window.scrollTo(0, 700)")
    whole = snapshot_dom(page)
    assert list(whole.size) == [800, 2100]
    assert _by(whole, "#s").box == Box(30, 1000, 200, 100)
    part = snapshot_dom(page.locator("#s"))
    assert list(part.size) == [200, 100]
    assert part.elements[0].box == Box(0, 0, 200, 100)
    assert (part.elements[1].box.x, part.elements[1].box.y) == (5, 7)


def test_turned_and_scaled_elements_say_so(snapshot: Callable[[str], DomSnapshot]) -> None:
    """Rotation and scale are told, with everything under them; a shift is not one."""
    found = snapshot(
        '<div id="turned" style="transform:rotate(45deg)"><p id="in">a</p></div>'
        '<div id="scaled" style="scale:2;width:9px">b</div>'
        '<div id="moved" style="transform:translate(5px, 5px)">c</div>'
    )
    told = {e.selector: e.transformed for e in found.elements if e.selector != "body"}
    assert told == {"#turned": True, "#in": True, "#scaled": True, "#moved": False}


def test_fixed_and_right_to_left_elements_lie_where_they_are_drawn(
    snapshot: Callable[[str], DomSnapshot],
) -> None:
    """A fixed element is cut by no scrolling parent, and RTL text hangs on the right."""
    found = snapshot(
        '<div style="overflow:hidden;width:10px;height:10px">'
        '<p id="fixed" style="position:fixed;left:300px;top:40px">fixed</p></div>'
        '<p id="rtl" dir="rtl" style="width:800px">\u05e9\u05dc\u05d5\u05dd</p>'
    )
    assert _by(found, "#fixed").box.x == 300
    rtl = _by(found, "#rtl")
    assert rtl.value("direction") == "rtl"
    assert rtl.text_box.right == pytest.approx(800, abs=0.5)


def test_text_is_that_of_the_paragraph_with_its_inline_children(
    snapshot: Callable[[str], DomSnapshot],
) -> None:
    """Bold words belong to their paragraph, blocks in it do not; lines are told one by one."""
    found = snapshot(
        '<p id="p">Read <b>the terms</b><br>and   sign<div id="d">other</div></p>'
        '<p id="w" style="width:60px">wraps into several lines</p>'
        '<ul id="u"><li id="l">item<ul><li id="m">nested</li></ul></li></ul>'
    )
    assert _by(found, "#p").text == "Read the terms and sign"
    assert len(_by(found, "#p").lines) == 2
    assert len(_by(found, "#w").lines) >= 3
    assert _by(found, "#l").text == "item"
    assert _by(found, "#u").text == ""
    assert _by(found, "#u").label == "item nested"


def test_fields_show_values_and_placeholders_but_no_password(
    snapshot: Callable[[str], DomSnapshot],
) -> None:
    """What a field shows is its text; a password is bullets and is never read."""
    found = snapshot(
        '<input id="a" value="typed"><input id="b" placeholder="Your name">'
        '<input id="c" type="password" value="s3cret"><input id="d" type="checkbox">'
        '<select id="e"><option>one<option selected>two</select>'
        '<textarea id="f">notes</textarea><input id="g" type="submit" value="Go">'
        "<style>#b::placeholder{color:rgb(1,2,3)}</style>"
    )
    texts = {e.selector: e.text for e in found.elements}
    assert texts["#a"] == "typed"
    assert texts["#c"] == "\u2022" * 6
    assert texts["#d"] == ""
    assert (texts["#e"], texts["#f"], texts["#g"]) == ("two", "notes", "Go")
    hint = _by(found, "#b")
    assert (hint.text, hint.hint, hint.value("color")) == ("Your name", True, "rgb(1, 2, 3)")
    assert [_by(found, s).role for s in ("#a", "#d", "#e", "#g")] == [
        "textbox",
        "checkbox",
        "combobox",
        "button",
    ]


def test_the_first_font_that_exists_is_told(snapshot: Callable[[str], DomSnapshot]) -> None:
    """A family that the machine lacks is passed over for the next one of the stack."""
    found = snapshot('<p id="p" style="font-family:\'No Such Font 9\', serif">text</p>')
    assert _by(found, "#p").font == "serif"


HOSTILE = """
<script>
for (const name of ['map','push','join','slice','forEach','concat','filter','indexOf','pop'])
  Array.prototype[name] = () => { throw new Error('patched ' + name) };
Array.prototype[Symbol.iterator] = () => { throw new Error('patched iterator') };
Array.prototype.toJSON = () => 'gone'; Object.prototype.toJSON = () => 'gone';
Object.defineProperty(window, 'name', {get() { throw new Error('no') }});
Element.prototype.matches = Element.prototype.closest = () => { throw new Error('patched') };
document.querySelectorAll = document.getElementById = () => { throw new Error('patched') };
</script>
<form id="form"><input name="id"><input name="parentNode"><input name="firstChild">
<input name="getAttribute"><input name="attributes"><input name="children"><b>kept</b></form>
"""


def test_patched_prototypes_and_clobbered_forms_do_not_matter(page: Any) -> None:
    """Libraries that patch prototypes and forms that shadow properties change nothing."""
    page.set_content(HOSTILE)
    found = snapshot_dom(page)
    assert found.meaningful, found.reason
    assert "kept" in {e.text for e in found.elements}
    assert _by(found, "#form").tag == "form"


@pytest.mark.parametrize(
    "script",
    [
        "window.getComputedStyle = () => ({getPropertyValue: () => 'x', color: 'red'})",
        "Element.prototype.getBoundingClientRect = () => ({left:0,top:0,width:9,height:9})",
        "CSSStyleDeclaration.prototype.getPropertyValue = () => 'rgb(1, 2, 3)'",
        "JSON.stringify = () => { throw new Error('no') }",
        "JSON.stringify = () => '{]'",
        "delete Node.prototype.firstChild",
    ],
)
def test_a_page_that_forges_its_measures_is_measured_apart(page: Any, script: str) -> None:
    """A page that replaces what measures it is measured all the same, and truly.

    A locator of such a page cannot be, and says so.
    """
    page.set_content(f"<!doctype html><p>text</p><script>{script}</script>")
    found = snapshot_dom(page)
    assert found.meaningful, found.reason
    assert _by(found, "p").box == Box(8, 16, 784, 18)
    assert _by(found, "p").value("color") == "rgb(0, 0, 0)"
    part = snapshot_dom(page.locator("p"))
    assert not part.meaningful
    assert part.reason


def test_a_snapshot_is_bounded_and_says_so(page: Any) -> None:
    """Of a page that is too large the first elements are kept and the cut is told."""
    page.set_content("<p>x</p>" * 300)
    found = snapshot_dom(page, element_limit=100)
    assert len(found.elements) == 100
    assert found.truncated
    assert "100 elements are kept" in found.warnings[0]


def test_huge_texts_and_deep_trees_are_cut(page: Any) -> None:
    """A text of a million characters and a tree hundreds deep end in a bounded snapshot."""
    page.set_content("<p id='p'></p><section></section>")
    page.evaluate(
        "() => { document.querySelector('#p').textContent = 'word '.repeat(200000);"
        "let at = document.querySelector('section');"
        "for (let i = 0; i < 800; i++) { const d = document.createElement('div'); at.append(d);"
        "at = d; } at.textContent = 'deep'; }"
    )
    found = snapshot_dom(page)
    assert len(_by(found, "#p").text) <= 4000
    assert all(len(e.selector) <= 1000 for e in found.elements)
    assert found.elements[-1].text == "deep"


@pytest.mark.parametrize(
    ("body", "meaningful"),
    [
        ('<canvas width="800" height="600"></canvas>', False),
        ('<flt-glass-pane style="position:fixed;inset:0"></flt-glass-pane>', False),
        ("", False),
        ('<canvas width="100" height="100"></canvas><p>a</p><p>b</p><p>c</p>', True),
        ('<canvas width="800" height="600"></canvas><p>a</p><p>b</p><p>c</p>', True),
    ],
)
def test_an_app_on_a_canvas_has_no_meaningful_dom(
    snapshot: Callable[[str], DomSnapshot], body: str, *, meaningful: bool
) -> None:
    """What is drawn on a canvas has no elements; a chart on a page of texts is none of that."""
    found = snapshot(body)
    assert found.meaningful is meaningful
    assert bool(found.reason) is not meaningful


def test_the_page_is_left_as_it_was(page: Any) -> None:
    """A snapshot changes no node of the page and adds no global."""
    page.set_content("<p>text</p>")
    look = "() => [document.documentElement.outerHTML, Object.keys(window).length]"
    before = page.evaluate(look)
    snapshot_dom(page)
    assert page.evaluate(look) == before


def test_a_target_that_cannot_be_evaluated_is_not_meaningful() -> None:
    """A closed page gives a snapshot that says why nothing is known, not a traceback."""

    class Closed:
        """A page that is gone."""

        def evaluate(self, *_: object) -> str:
            """Fail as Playwright does."""
            message = "Target page has been closed\ncall log: ..."
            raise RuntimeError(message)

    found = snapshot_dom(Closed())
    assert not found.meaningful
    assert found.reason == "the page's DOM cannot be read: Target page has been closed"


def test_runs_of_one_line_are_one_box() -> None:
    """Boxes of runs that share a line are joined, lines stay apart."""
    runs = [Box(50, 1, 20, 18), Box(0, 0, 40, 20), Box(0, 20, 30, 20)]
    assert merge_lines(runs) == (Box(0, 0, 70, 20), Box(0, 20, 30, 20))
