"""Words that stand in a template and are not seen: the declaration that hides them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.hidden_words import Hiding, find_hiding

PAGE = """<main class="card"><img src=x>
<p class="sub big">Welcome back.
  Enter your details</p>
<p style="color: red; opacity: 0">Forgot your password?</p>
<div id="foot"><span>New here?</span></div><b class="ok">All is well</b></main>
"""
CSS = "/* .ok { display: none } */\n.card .sub,\n.hint {\n  margin: 0;\n  display: none;\n}\n"
FILES = {
    "site/page.html": PAGE,
    "site/page.css": CSS + "#foot { visibility: hidden }\n.ok:hover { display: none }",
}


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("Welcome back. Enter your details",
         Hiding(selector=".card .sub", property="display", value="revert", actual="none",
                path="site/page.css", line=5)),
        ("Forgot your password?",
         Hiding(selector="p", property="opacity", value="1", actual="0",
                path="site/page.html", line=4)),
        ("New here?",
         Hiding(selector="#foot", property="visibility", value="visible", actual="hidden",
                path="site/page.css", line=7)),
        ("All is well", None),
        ("Not there at all", None),
        ("New", None),
    ],
)  # fmt: skip
def test_what_hides_words_is_found_in_the_sources(words: str, wanted: Hiding | None) -> None:
    """By class or id of an element around them, or its style attribute; comments hide nothing."""
    assert find_hiding(FILES, words) == wanted


@given(text=st.text(alphabet="<>/!-=\"'pab clas{}:;\n", max_size=120))
def test_no_template_breaks_the_search(text: str) -> None:
    """Half a template has an answer, too."""
    find_hiding({"a.html": text + "Sign in here", "a.css": text}, "Sign in here")
