"""The accessibility tree of a real page, and that it is judged as Playwright judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture.accessibility import snapshot_accessibility
from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.aria_match import find_match, read_template
from pytest_pixelloop.core.expectations import read_expectations
from pytest_pixelloop.core.functional import judge_functional

if TYPE_CHECKING:
    from collections.abc import Callable

BODY = """<!doctype html><style>*{margin:0}</style><h1>Check out <a href="/x">now</a></h1>
<p>Some "text": with a colon</p><button disabled>Save</button>
<button aria-label="a: 'b'" aria-pressed=true>x</button>
<ul><li>one</li><li>two <b>bold</b></li></ul>
<input type=checkbox checked aria-label=agree><input placeholder=Mail value=me><div id=host></div>
<select aria-label=Size><option>A<option selected>B</select><div onclick="1">Clicky</div>
<nav aria-label=Main><a href=/1>One</a><a href=/2>Two</a></nav>
<details><summary>More</summary>x</details>
<script>document.querySelector('#host').attachShadow({mode:'open'}).innerHTML =
'<button>shadow</button>'</script>"""
FRAMES = """<style>*{margin:0}</style><iframe id=f style="position:absolute;left:100px;top:50px;
border:5px solid" srcdoc="<style>*{margin:0}</style><button>inner</button>"></iframe>
<iframe id=g style="position:absolute;top:300px"
src="data:text/html,<button>strange</button>"></iframe>
<iframe id=h style="display:none" srcdoc="<button>unseen</button>"></iframe>"""
#: Snapshots that hold and that do not; what Playwright says of each is asked for in the test.
SNAPSHOTS = [
    '- button "Save" [disabled]',
    '- button "Save"',
    '- button "Sav"',
    "- button /S.ve/",
    '- heading "Check out now" [level=1]:\n  - link "now":\n    - /url: /x',
    '- heading "Check out now" [level=2]',
    "- paragraph: 'Some \"text\": with a colon'",
    "- paragraph: Some",
    "- paragraph: /Some/",
    "- list:\n  - listitem: two bold",
    "- list:\n  - /children: equal\n  - listitem: two bold",
    "- list:\n  - /children: equal\n  - listitem: one\n  - listitem: two bold",
    "- list:\n  - listitem: two bold\n  - listitem: one",
    '- checkbox "agree" [checked]',
    '- checkbox "agree" [checked=false]',
    '- button "shadow"',
    '- combobox "Size":\n  - option "B" [selected]',
    '- combobox "Size":\n  - option "A" [selected]',
    "- text: Clicky",
    '- button "Clicky"',
    '- navigation "Main":\n  - link "One"\n  - link "Two"',
    '- navigation "Main":\n  - link "Two"\n  - link "One"',
    '- navigation:\n  - /children: deep-equal\n  - link "One"\n  - link "Two"',
    '- textbox "Mail": me',
    '- textbox "Mail": you',
    "- 'button \"a: ''b''\" [pressed]'",
    '- heading "Check out now"\n- button "Save"\n- list',
    '- list\n- button "Save"',
]


@pytest.fixture
def page(open_page: Callable[..., Any]) -> Any:
    """Give an empty page."""
    return open_page("about:blank", viewport={"width": 800, "height": 600})


def test_every_snapshot_is_judged_as_playwright_judges_it(page: Any) -> None:
    """Over a table that holds both outcomes, ours and to_match_aria_snapshot agree."""
    from playwright.sync_api import expect

    page.set_content(BODY)
    root = snapshot_accessibility(page).root
    ours, theirs = [], []
    for snapshot in SNAPSHOTS:
        ours.append(find_match(root, read_template(snapshot, where="test")) is not None)
        try:
            expect(page.locator("body")).to_match_aria_snapshot(snapshot, timeout=1000)
        except AssertionError:
            theirs.append(False)
        else:
            theirs.append(True)
    assert ours == theirs, [s for s, a, b in zip(SNAPSHOTS, ours, theirs, strict=True) if a != b]
    assert 8 <= sum(theirs) <= len(theirs) - 8


def test_frames_of_the_same_origin_are_in_it_with_their_place(page: Any) -> None:
    """A frame's elements have boxes of the page; a strange frame is told, a hidden one is not."""
    page.set_content(FRAMES)
    page.frame_locator("#f").get_by_role("button").wait_for()
    found = snapshot_accessibility(page)
    names = [(n.name, n.box) for n in found.root.walk() if n.role == "button"]
    assert [name for name, _ in names] == ["inner"]
    assert names[0][1] is not None
    assert (names[0][1].x, names[0][1].y) == (105, 55)
    assert found.gaps == ("a frame of another origin is not looked into",)


def test_a_locator_gives_its_own_part(page: Any) -> None:
    """The tree of an element holds nothing from beside it, and boxes from its corner."""
    page.set_content(BODY)
    options = CaptureOptions(timeout=3)
    capture = capture_target(page.locator("ul"), frame=(800, 600), scale=1, options=options)
    assert capture.accessibility is not None
    nodes = list(capture.accessibility.root.walk())
    assert {n.role for n in nodes} <= {"fragment", "list", "listitem", "text"}
    assert nodes[1].box is not None
    assert (nodes[1].box.x, nodes[1].box.y) == (0, 0)


def test_a_page_that_cannot_tell_gives_a_reason() -> None:
    """An older Playwright, or a page that went away, is a reason and no error."""
    found = snapshot_accessibility(object())
    assert not found.available
    assert "1.49" in found.reason


def test_expectations_find_their_elements_on_a_real_page(page: Any) -> None:
    """Failures carry the selector and place of what was found instead."""
    page.set_content(BODY)
    capture = capture_target(page, frame=(800, 600), scale=1, options=CaptureOptions(timeout=3))
    expected = read_expectations(
        [
            {"role": "button", "name": "Save", "enabled": True},
            {"role": "button", "name": "Clicky"},
            {"role": "link", "name": "One", "enabled": True},
            {"role": "link", "name": "Imprint"},
        ],
        where="test",
    )
    result = judge_functional(capture, expected, label="page")
    assert [c.severity for c in result.checks] == ["fail", "fail", None, "warn"]
    found = [f.element.selector for f in result.findings if f.element is not None]
    assert len(found) == 2
    assert [page.locator(s).inner_text() for s in found] == ["Save", "Clicky"]
