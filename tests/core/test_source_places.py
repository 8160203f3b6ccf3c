"""Where an edit goes: the declaration, else the rule, else the only place with the value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.source_places import find_places

FILES = {
    "site/app.css": ".card { padding: 8px }\n/* .button { color: red } */\n.button,\n.link {\n"
    "  background: #1d4ed8;\n}\n.field:hover .button { gap: 3px }\n",
    "site/page.html": "<style>\nh1 { font-size: 20px }\n</style>\n<h1>Welcome bakc</h1>\n",
    "site/wide.css": "@media (min-width: 600px) { .chip { padding: 1px 2px 3px 4px } .b {} }\n"
    ".list { top: 1px; .item { left: 7px } gap: 5px 6px }\n",
    "site/old.html": '<i class="x" style="right: 9px">x</i>\n',
    "src/Login.module.scss": ".title_wide {\n  color: rgb(29, 78, 216);\n}\n",
}


def told(selector: str, prop: str, actual: str) -> list[tuple[str, int, str]]:
    """Return the places as path, line and what is there."""
    found = find_places(FILES, selector=selector, css_property=prop, actual=actual)
    return [(p["path"], p["line"], p["what"]) for p in found]


@pytest.mark.parametrize(
    ("selector", "prop", "actual", "wanted"),
    [
        (".button", "background-color", "#1d4ed8", [("site/app.css", 5, "declares")]),
        ("main > div.card", "padding-left", "8px", [("site/app.css", 1, "declares")]),
        (".button", "border-radius", "0px", [("site/app.css", 3, "rule")]),
        ("h1", "font-size", "20px", [("site/page.html", 2, "declares")]),
        ("main > p:nth-of-type(2)", "color", "#1d4ed8", [("src/Login.module.scss", 2, "value")]),
        ("h1", "text", "Welcome bakc", [("site/page.html", 4, "words")]),
        (".nowhere", "opacity", "0.5", []),
        (".chip", "padding-right", "2px", [("site/wide.css", 1, "declares")]),
        ("main > b:nth-of-type(9)", "padding-left", "4px", [("site/wide.css", 1, "value")]),
        ("main > b:nth-of-type(9)", "padding-left", "2px", []),
        (".item", "left", "7px", [("site/wide.css", 2, "declares")]),
        (".list", "top", "1px", [("site/wide.css", 2, "declares")]),
        ("main > i:nth-of-type(2)", "right", "9px", [("site/old.html", 1, "value")]),
    ],
)
def test_the_likeliest_place_comes_first(
    selector: str, prop: str, actual: str, wanted: list[tuple[str, int, str]]
) -> None:
    """Rules by the element's own names; shorthands count; comments do not."""
    assert told(selector, prop, actual) == wanted


@given(text=st.text(alphabet="{}():;.#a-b/*\n \"'&,", max_size=80), selector=st.text(max_size=30))
def test_no_file_breaks_the_search(text: str, selector: str) -> None:
    """Half a style sheet, or none at all, gives places that exist."""
    found: list[dict[str, Any]] = find_places(
        {"a.css": text}, selector=selector, css_property="color", actual="red"
    )
    assert all(1 <= place["line"] <= text.count("\n") + 1 for place in found)
