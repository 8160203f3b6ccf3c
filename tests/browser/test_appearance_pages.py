"""For each check a page that violates it and a twin that does not, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.appearance_channel import judge_appearance

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.core.finding import Finding

SIZE = (800, 600)
QUICK = CaptureOptions(timeout=0.3)
#: Every violation on each page, by the selector of the element; "" where there is no element.
VIOLATIONS = {
    "blank": {""},
    "error-overlay": {"vite-error-overlay"},
    "broken-image": {"#a", "#b"},
    "broken-background": {"#a"},
    "font-failed": {"#a"},
    "font-fallback": {"#a"},
    "text-clipped": {"#a", "#b1", "#c", "#d", "#e1", "#f1"},
    "text-overlap": {"#b", "#d", "#f"},
    "horizontal-overflow": {"#a"},
    "off-screen": {"#a", "#b", "#c", "#d"},
    "contrast": {"#a", "#b", "#c", "#d", "#e", "#f", "#g", "#h", "#i", "#k"},
    "touch-target": {"#a", "#b", "#c", "#x", "#y"},
    "page-error": {""},
    "console-error": {""},
    "failed-request": {""},
}
TWINS = [*VIOLATIONS, "text-overlap-modal"]
#: What a twin rightly has of another check: two small targets with room around them.
ADVICE = {"touch-target": {"touch-target-44"}}


def findings(page: Any) -> tuple[Finding, ...]:
    """Return what the channel finds on a page."""
    capture = capture_target(page, frame=SIZE, scale=1, options=QUICK)
    return judge_appearance(capture, label="page").findings


def open_at(open_page: Callable[..., Any], url: str, *, touch: bool = False) -> Any:
    """Return the page, as a phone's where it is touched."""
    size = {"width": SIZE[0], "height": SIZE[1]}
    return open_page(url, viewport=size, has_touch=touch)


@pytest.mark.parametrize("check", VIOLATIONS)
def test_no_violation_is_missed(check: str, site: str, open_page: Callable[..., Any]) -> None:
    """Every element that violates a check is named by it, and by no other."""
    url = f"{site}/appearance/{check}-bad.html"
    found = findings(open_at(open_page, url, touch=check == "touch-target"))
    assert {f.element.selector if f.element else "" for f in found} == VIOLATIONS[check]
    assert {f.kind for f in found} == {check}


@pytest.mark.parametrize("check", TWINS)
def test_no_twin_is_accused(check: str, site: str, open_page: Callable[..., Any]) -> None:
    """A page that only looks like a violation is accused of nothing at all."""
    url = f"{site}/appearance/{check}-good.html"
    found = findings(open_at(open_page, url, touch=check == "touch-target"))
    assert {f.kind for f in found} == ADVICE.get(check, set()), [f.message for f in found]


def test_small_targets_are_no_matter_for_a_mouse(site: str, open_page: Callable[..., Any]) -> None:
    """Touch targets are looked at on touch viewports only."""
    page = open_at(open_page, f"{site}/appearance/touch-target-bad.html")
    assert findings(page) == ()


def test_a_url_that_is_opened_here_tells_the_same_as_a_page(site: str, session: Any) -> None:
    """Failed requests are heard of on both ways."""
    capture = capture_target(
        f"{site}/appearance/failed-request-bad.html",
        frame=SIZE,
        scale=1,
        options=QUICK,
        browser=lambda: session.browser,
    )
    found = judge_appearance(capture, label="page").findings
    assert sorted(str(f.actual) for f in found) == ["404", "500"]


def test_text_on_a_picture_is_undecided_where_it_depends(open_page: Callable[..., Any]) -> None:
    """Half of the letters on black and half on white: said to be open, no violation, no pass."""
    page = open_at(open_page, "about:blank")
    stops = ",".join(
        f"#000 {i * 9}px {i * 9 + 4}px,#fff {i * 9 + 5}px {i * 9 + 8}px" for i in range(30)
    )
    page.set_content(
        f"<p style='background:linear-gradient(90deg,{stops});color:#888;font:20px sans-serif;"
        "width:260px'>Readable in parts only</p>"
    )
    capture = capture_target(page, frame=SIZE, scale=1, options=QUICK)
    record = judge_appearance(capture, label="page").record
    assert not isinstance(record, str)
    assert record["checks"] == {}
    assert [doubt["check"] for doubt in record["undecided"]] == ["contrast"]


def test_a_scrolled_viewport_is_judged_where_it_is(open_page: Callable[..., Any]) -> None:
    """Without full_page, boxes and pixels still belong together."""
    page = open_at(open_page, "about:blank")
    page.set_content(
        "<body style='margin:0'><div style='height:900px;background:#000'></div>"
        "<p id=a style='margin:0;font:16px/20px sans-serif;color:#aaa'>Grey on white</p>"
        "<div style='height:900px'></div>"
    )
    page.evaluate("scrollTo(0, 700)")
    options = CaptureOptions(full_page=False, timeout=0.3)
    capture = capture_target(page, frame=SIZE, scale=1, options=options)
    (found,) = judge_appearance(capture, label="page").findings
    assert found.kind == "contrast"
    assert found.box.y == pytest.approx(201, abs=3)
    assert found.evidence["ground"] == "#ffffff"


def test_names_of_fields_do_not_disturb_the_facts(open_page: Callable[..., Any]) -> None:
    """A form whose fields are called like properties of an element is read as it is."""
    page = open_at(open_page, "about:blank", touch=True)
    names = (
        "childElementCount",
        "firstElementChild",
        "labels",
        "clientWidth",
        "matches",
        "tagName",
    )
    fields = "".join(f"<input name={name} aria-label=x>" for name in names)
    page.set_content(
        "<form style='overflow:hidden;width:120px;white-space:nowrap;font:16px/20px sans-serif'>"
        f"<span id=a>A text that is much too long for its form</span><div hidden>{fields}</div>"
        "</form>"
    )
    capture = capture_target(page, frame=SIZE, scale=1, options=QUICK)
    assert capture.dom is not None
    assert not [w for w in capture.dom.warnings if "could not be read" in w]
    assert [f.kind for f in judge_appearance(capture, label="page").findings] == ["text-clipped"]
