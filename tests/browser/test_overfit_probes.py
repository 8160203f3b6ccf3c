"""Overfit probes on real pages: what follows its design is left alone, what is pinned is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture.dom import snapshot_dom
from pytest_pixelloop.capture.stretching import stretch
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.overfit import judge_fills, judge_hugs, plan_probes
from pytest_pixelloop.core.style_channel import pair_elements

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH, HEIGHT = 400, 300
BASE = "<style>*{box-sizing:border-box;margin:0}body{font:16px/20px sans-serif}</style>"
READ = """() => {
  const read = element => {
    const box = element.getBoundingClientRect();
    return {
      id: element.dataset.figmaId, told: JSON.parse(element.dataset.told || '{}'),
      box: [box.x, box.y, box.width, box.height],
      text: element.dataset.text ? element.textContent : null,
      children: [...element.querySelectorAll('[data-figma-id]')].filter(
        e => e.parentElement.closest('[data-figma-id]') === element).map(read),
    };
  };
  return read(document.body);
}"""
COLUMN = {"layoutMode": "VERTICAL"}
ROW = {"layoutMode": "HORIZONTAL"}
FILLS = {"layoutSizingHorizontal": "FILL"}
HUGS = {"layoutSizingHorizontal": "HUG", "layoutSizingVertical": "HUG"}
LINE = {"style": {"textAutoResize": "WIDTH_AND_HEIGHT"}}
LINES = {"style": {"textAutoResize": "HEIGHT"}, "layoutSizingHorizontal": "FILL"}


def node(identity: str, told: dict[str, Any], inside: str = "", css: str = "", **words: str) -> str:
    """Return an element that is a design node, with what the design says of it."""
    import html
    import json

    more = "".join(f' data-{name}="{value}"' for name, value in words.items())
    quoted = html.escape(json.dumps(told))
    return (
        f'<div data-figma-id="{identity}" data-told="{quoted}" style="{css}"{more}>{inside}</div>'
    )


def page_of(inside: str, told: dict[str, Any], css: str = "", head: str = "") -> str:
    """Return a page whose body is the design's frame."""
    import html
    import json

    quoted = html.escape(json.dumps(told))
    return (
        f"<!doctype html>{BASE}<style>{head}</style>"
        f'<body data-figma-id="1:1" data-told="{quoted}" style="min-height:{HEIGHT}px;{css}">'
        f"{inside}</body>"
    )


def tree(read: dict[str, Any]) -> DesignNode:
    """Return the design that was drawn just like the page."""
    text = read["text"]
    return DesignNode(
        id=read["id"],
        name=read["id"],
        type="TEXT" if text else "FRAME",
        box=Box(*read["box"]),
        characters=text,
        properties=read["told"],
        children=tuple(tree(child) for child in read["children"]),
    )


def probe(page: Any) -> tuple[set[str], int]:
    """Return the nodes that do not follow, as ``node property``, and how many were judged."""
    design = Design(
        name="page",
        label="page",
        image=np.zeros((1, 1, 4), np.uint8),
        frame=(WIDTH, HEIGHT),
        scale=1.0,
        root=tree(page.evaluate(READ)),
    )
    probes = plan_probes(design, pair_elements(design, snapshot_dom(page)))
    seen, answers = stretch(page, design, probes)
    filled, first = judge_fills(probes.fills, seen, label="page")
    hugged, second = judge_hugs(probes.hugs, answers, label="page")
    names = {f"{f.node.id if f.node else '?'} {f.property}" for f in (*filled, *hugged)}
    return names, first + second


def text(identity: str, words: str, told: dict[str, Any], css: str = "") -> str:
    """Return an element that is a text of the design."""
    return node(identity, told, words, css, text="yes")


PARTS = (
    node("1:2", {**FILLS, "fills": []}, css="flex:1;height:40px;background:#123456")
    + node("1:3", {"layoutSizingHorizontal": "FIXED"}, css="width:60px;background:#654321")
    + node("1:4", FILLS, css="flex:1;height:40px;background:#abcdef")
)
LONG = "A paragraph of some words that runs over more than a single line of this card."
FOLLOWS = {
    "flex row": page_of(PARTS, ROW, css="display:flex"),
    "grid": page_of(
        node("1:2", FILLS, css="height:40px;background:#123456")
        + node("1:3", FILLS, css="height:40px;background:#654321"),
        ROW,
        css="display:grid;grid-template-columns:1fr 2fr",
    ),
    "a limit that the page declares": page_of(
        node("1:2", FILLS, css="max-width:400px;height:40px;background:#123456"), COLUMN
    ),
    "a transition": page_of(
        node("1:2", FILLS, css="width:100%;height:40px;background:#123456;transition:all 9s"),
        COLUMN,
    ),
    "a script that lays out": page_of(
        node("1:2", FILLS, css="height:40px;background:#123456;width:400px")
        + "<script>addEventListener('resize', () => {"
        "document.querySelector('div').style.width = innerWidth + 'px'})</script>",
        COLUMN,
    ),
    "button": page_of(
        node(
            "1:2",
            {**ROW, **HUGS},
            text("1:3", "Save", LINE),
            css="display:inline-flex;padding:8px 16px;background:#123456",
        ),
        {},
    ),
    "card": page_of(
        node(
            "1:2",
            {**COLUMN, "layoutSizingVertical": "HUG"},
            text("1:3", LONG, LINES) + text("1:4", "Below", LINE),
            css="width:200px;padding:8px;background:#abcdef",
        ),
        {},
    ),
    "a card with room left, as high as its neighbour": page_of(
        '<div style="display:grid;grid-template-columns:1fr 1fr"><div style="height:200px"></div>'
        + node(
            "1:2",
            {**COLUMN, "layoutSizingVertical": "HUG"},
            text("1:3", "Some words in a row that are two lines", LINES),
            css="padding:8px;background:#abcdef",
        )
        + "</div>",
        {},
    ),
}
SILENT = {
    "a media query that turns": page_of(
        node("1:2", FILLS, css="width:400px;height:40px;background:#123456"),
        COLUMN,
        head="@media (min-width:410px){body{background:#eee}} @media (max-width:390px){p{top:0}}",
    ),
    "a design that says FIXED": page_of(
        node("1:2", {"layoutSizingHorizontal": "FIXED"}, css="width:100%;height:9px"), COLUMN
    ),
    "a text that is cut on purpose": page_of(
        node(
            "1:2",
            {**ROW, **HUGS},
            text("1:3", "Save it", LINE, css="overflow:hidden;text-overflow:ellipsis"),
            css="display:flex;width:80px;background:#123456",
        ),
        {},
    ),
}
PINNED = {
    "fill": (
        page_of(
            node("1:2", FILLS, css="position:absolute;width:300px;height:40px;background:#123456"),
            COLUMN,
        ),
        {"1:2 width"},
    ),
    "fill of a parent that follows": (
        page_of(
            node(
                "1:2",
                {**FILLS, **COLUMN},
                node("1:3", FILLS, css="width:360px;height:40px;background:#abcdef"),
                css="padding:20px;background:#123456",
            ),
            COLUMN,
        ),
        {"1:3 width"},
    ),
    "older words for it": (
        page_of(
            node("1:2", {"layoutAlign": "STRETCH"}, css="width:400px;height:40px;background:#123"),
            COLUMN,
        ),
        {"1:2 width"},
    ),
    "constraints": (
        page_of(
            node(
                "1:2",
                {"constraints": {"horizontal": "LEFT_RIGHT", "vertical": "TOP"}},
                css="width:400px;height:40px;background:#123",
            ),
            {},
        ),
        {"1:2 width"},
    ),
    "a height in a parent that follows": (
        page_of(
            node(
                "1:2",
                {**ROW, "layoutSizingVertical": "FILL"},
                node(
                    "1:3",
                    {"layoutSizingVertical": "FILL"},
                    css="height:300px;width:80px;background:#123456",
                ),
                css="display:flex;align-items:flex-start;min-height:100vh;background:#abcdef",
            ),
            COLUMN,
        ),
        {"1:3 height"},
    ),
    "button": (
        page_of(
            node(
                "1:2",
                {**ROW, **HUGS},
                text("1:3", "Save", LINE, css="white-space:nowrap"),
                css="position:absolute;left:20px;top:20px;width:68px;padding:8px 16px;"
                "background:#123456",
            ),
            {},
        ),
        {"1:2 width"},
    ),
    "card": (
        page_of(
            node(
                "1:2",
                {**COLUMN, "layoutSizingVertical": "HUG"},
                text("1:3", LONG, LINES),
                css="width:200px;height:96px;padding:8px;background:#abcdef",
            ),
            {},
        ),
        {"1:2 height"},
    ),
}


def shown(open_page: Callable[..., Any], content: str) -> Any:
    """Return the page with that content, in a window of another size than the design's."""
    page = open_page("about:blank", viewport={"width": 640, "height": 480})
    page.set_content(content)
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    return page


@pytest.mark.parametrize("name", FOLLOWS)
def test_a_page_that_follows_is_judged_and_left_alone(
    name: str, open_page: Callable[..., Any]
) -> None:
    """Boxes that take their room by whatever CSS, and texts that get theirs, are no findings."""
    found, judged = probe(shown(open_page, FOLLOWS[name]))
    assert found == set()
    assert judged > 0 or name == "a card with room left, as high as its neighbour"


@pytest.mark.parametrize("name", SILENT)
def test_what_nobody_can_tell_is_not_judged(name: str, open_page: Callable[..., Any]) -> None:
    """No claim is made where the page becomes another one, or the design asks for nothing."""
    assert probe(shown(open_page, SILENT[name])) == (set(), 0)


@pytest.mark.parametrize("name", PINNED)
def test_a_page_that_is_pinned_is_named_by_its_nodes(
    name: str, open_page: Callable[..., Any]
) -> None:
    """A node that keeps its pixels where the design says FILL or HUG is a finding, and only it."""
    content, names = PINNED[name]
    assert probe(shown(open_page, content))[0] == names


def test_the_page_is_put_back(open_page: Callable[..., Any]) -> None:
    """Window, texts and style sheets are as before, whatever was tried."""
    page = shown(open_page, FOLLOWS["card"])
    page.set_viewport_size({"width": 640, "height": 480})
    seen = "() => [innerWidth, innerHeight, document.body.outerHTML, "
    seen += "document.adoptedStyleSheets.length]"
    before = page.evaluate(seen)
    probe(page)
    assert page.evaluate(seen) == before
