"""What a fix must not do to win: one rule, one violation, one twin that is fine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.design_tokens import find_tokens
from pytest_pixelloop.core.patch_rules import FilePatch, added_lines, judge_patch

TOKENS = find_tokens(
    {
        "a.css": ":root{--blue-600:#2563eb;--space-4: 1rem; --radius-lg: 12px}\n.x{width:40px}",
        "theme.json": '{"ink": "#111827", "other": "12px"}',
        "s.scss": "$accent: rgb(22, 163, 74);",
    }
)


def _rules(added: str, *, path: str = "site/page.css", before: str = ".a {}\n") -> list[str]:
    patch = FilePatch(path=path, before=before, after=before + added + "\n")
    found = judge_patch([patch], TOKENS, design_files=["designs/card.png"])
    return [f"{f.rule}:{f.line}" for f in found]


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        (".b { color: #2563eb }", ".b { color: var(--blue-600) }"),
        (".b { color: #2563EBFF }", ".b { color: #2563ec }"),
        (".b { background: rgb(37 99 235) }", ".b { color: var(--blue-600, #2563eb) }"),
        (".b { color: #111827 }", "--ink: #111827;"),
        (".b { border-color: hsl(142.1, 76.2%, 36.3%) }", "$accent: #16a34a;"),
        (".b { --own: #fff; color: #2563eb }", ".b { --own: #2563eb; color: #fff }"),
        (".b { padding: 4px 16px }", ".b { padding: 4px var(--space-4) }"),
        (".b { padding: 16px }", ".b { width: 16px }"),
        (".b { border-radius: 12px }", ".b { gap: 12px }"),
        ("<p style={{fontSize: '14px', color: '#2563eb'}}>", "<p style={{color: 'red'}}>"),
    ],
)
def test_a_literal_is_wrong_where_the_project_has_a_name(bad: str, good: str) -> None:
    """A value that a token has is written by its name; a new value, or a definition, is fine."""
    assert _rules(bad) == ["literal-for-token:2"]
    assert _rules(good) == []


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        (".b { opacity: 0 }", ".b { opacity: 0.5 }"),
        (".b{opacity:0}", ".b{opacity:.04}"),
        (".b { display: none; }", ".b { display: inline-block; }"),
        (".b { visibility: hidden }", ".b { visibility: visible }"),
        (".b { font-size: 0 }", ".b { font-size: 0.9rem }"),
        (".b { color: transparent }", ".b { background-color: transparent }"),
        (".b { text-indent: -9999px }", ".b { text-indent: -2px }"),
        (".b { left: -10000px }", ".b { left: -10px }"),
        (".b { clip-path: inset(100%) }", ".b { clip-path: circle(50%) }"),
        (".b { transform: scale(0) }", ".b { transform: scale(0.95) }"),
        ("<p hidden>x</p>", "<p data-hidden-count=3>x</p>"),
        ('<p class="opacity-0 mt-2">', '<p class="opacity-50 mt-2">'),
        ("style={{opacity: 0}}", "style={{opacity: 0.8}}"),
    ],
)
def test_hiding_what_differs_is_a_finding(bad: str, good: str) -> None:
    """A difference is repaired, not hidden."""
    assert _rules(bad) == ["hidden-text:2"]
    assert _rules(good) == []


def test_the_design_must_not_be_shown_in_place_of_the_page() -> None:
    """Embedded data, the design's file name and a copy of its picture are findings."""
    assert _rules(f"<img src='data:image/png;base64,{'A' * 3000}'>") == ["design-picture:2"]
    assert _rules("<img src='data:image/png;base64,AAAA'>") == []
    assert _rules(".b { background: url(../designs/card.png) }") == ["design-picture:2"]
    copy = FilePatch(path="site/x.png", before=None, after=None, shows_design=True)
    assert [f.rule for f in judge_patch([copy], TOKENS)] == ["design-picture"]


PAGE = "<main><h1>Sign in</h1><p>Welcome back to the shop</p></main>\n"


def test_a_picture_for_content_is_a_finding() -> None:
    """An image or canvas where text goes is no repair; one beside the text is fine."""
    swapped = FilePatch(path="a.html", before=PAGE, after="<main>\n<img src=a.png>\n</main>\n")
    assert [f.rule for f in judge_patch([swapped], TOKENS)] == ["picture-for-content"]
    drawn = FilePatch(path="a.html", before=PAGE, after="<main>\n<canvas id=c></canvas>\n</main>")
    assert [f.rule for f in judge_patch([drawn], TOKENS)] == ["picture-for-content"]
    beside = FilePatch(path="a.html", before=PAGE, after=PAGE + "<img src=logo.png>\n")
    assert judge_patch([beside], TOKENS) == ()


def test_content_that_moves_to_another_file_is_not_lost() -> None:
    """The words of a whole patch are weighed, not those of each file."""
    old = FilePatch(path="a.html", before=PAGE, after="<main>\n<img src=logo.png>\n</main>\n")
    new = FilePatch(path="b.html", before=None, after=PAGE)
    assert judge_patch([old, new], TOKENS) == ()


def test_a_file_that_no_fix_may_change_is_a_finding() -> None:
    """A change outside the sources is named, whatever it is."""
    patch = FilePatch(path="tests/test_a.py", before="a\n", after="b\n", outside=True)
    (found,) = judge_patch([patch], TOKENS)
    assert (found.rule, found.path, found.line) == ("outside-sources", "tests/test_a.py", None)


def test_a_token_file_defines_and_a_style_sheet_of_that_name_does_not() -> None:
    """An entry of theme.js is a definition; a rule in colors.css is a rule."""
    assert _rules("  primary: '#2563eb',", path="src/theme.js") == []
    assert _rules(".b { color: #2563eb }", path="colors.css") == ["literal-for-token:2"]


def test_only_added_lines_count() -> None:
    """What stood there before is not this patch's doing."""
    before = ".a { color: #2563eb; opacity: 0 }\n"
    patch = FilePatch(path="a.css", before=before, after=before + ".b { gap: 3px }\n")
    assert judge_patch([patch], TOKENS) == ()


@given(
    st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12)
)
def test_added_lines_are_lines_of_the_new_text(old: list[str], new: list[str]) -> None:
    """Each is where it says it is, and nothing is added when nothing changed."""
    before, after = "\n".join(old), "\n".join(new)
    lines = after.splitlines()
    for number, text in added_lines(before, after):
        assert lines[number - 1] == text
    assert added_lines(after, after) == ()
    assert len(added_lines(None, after)) == len(lines)
