"""Bad input under pytest: a clear message each, never green, never a traceback, never looped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drawn_project import MANIFEST, RIGHT, draw

if TYPE_CHECKING:
    from drawn_project import Project

LFS = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n"
)

USUAL = "assert_matches_design(page(), 'card')"
BAD: dict[str, tuple[dict[str, str | bytes | None], str, str]] = {
    # what is written where, what the test does, the line that has to be told
    "no-designs-folder": ({"designs": None}, "", '*no design for "card"*'),
    "no-manifest": ({"designs/designs.yaml": None}, "", '*no design for "card"*'),
    "unknown-design": ({}, "assert_matches_design(page(), 'chart')", '*no design for "chart"*'),
    "missing-picture": ({"designs/card.png": None}, "", "*looked in: designs/card.png*"),
    "corrupt-picture": ({"designs/card.png": draw(RIGHT)[:80]}, "", "*designs/card.png*"),
    "no-picture": ({"designs/card.png": b"hello"}, "", "*designs/card.png*"),
    "empty-picture": ({"designs/card.png": b""}, "", "*designs/card.png*"),
    "lfs-pointer": ({"designs/card.png": LFS}, "", "*LFS*"),
    "broken-yaml": ({"designs/designs.yaml": "designs: ["}, "", "*designs/designs.yaml*"),
    "empty-manifest": ({"designs/designs.yaml": ""}, "", "*designs/designs.yaml*"),
    "unknown-key": (
        {"designs/designs.yaml": MANIFEST + "    tolerence: {pixel: 2}\n"},
        "",
        "*tolerence*",
    ),
    "unknown-tolerance": (
        {"designs/designs.yaml": MANIFEST + "    tolerance: {pixels: 2}\n"},
        "",
        "*pixels*",
    ),
    "empty-nodes": (
        {"designs/designs.yaml": MANIFEST + "    nodes: n.json\n", "designs/n.json": ""},
        "",
        "*designs/n.json*",
    ),
    "wrong-nodes": (
        {"designs/designs.yaml": MANIFEST + "    nodes: n.json\n", "designs/n.json": "[1]"},
        "",
        "*designs/n.json*",
    ),
    "call-tolerance": (
        {},
        "assert_matches_design(page(), 'card', tolerance='pixels=1')",
        "unknown tolerance key 'pixels'",
    ),
    "call-gate": ({}, "assert_matches_design(page(), 'card', gate='loose')", "unknown gate*"),
    "call-viewport": (
        {},
        "assert_matches_design(page(), 'card', viewport='tablet')",
        "*tablet*",
    ),
    "no-name": ({}, "assert_matches_design(page())", "no design is named"),
    "corrupt-capture": ({}, "assert_matches_design(page()[:60], 'card')", "*PNG bytes*"),
    "missing-capture": ({}, "assert_matches_design('gone.png', 'card')", "*gone.png*"),
    "odd-target": ({}, "assert_matches_design(3, 'card')", "*a int cannot be captured*"),
    "ambiguous-baseline": (
        {
            "designs/designs.yaml": (
                "schema_version: 1\ndesigns:\n  card:\n    viewports:\n"
                "      a: {image: card.png}\n      b: {image: card.png}\n"
            )
        },
        "figma_baseline('card')",
        "*plans 2 comparisons: card__a, card__b",
    ),
    "capture-without-baseline": ({}, "render_capture(page())", "render_capture needs a design*"),
    "capture-of-other-viewport": (
        {},
        "figma_baseline('card'); render_capture(page(), viewport='mobile')",
        "*viewport 'mobile'*designs loaded by this test: card",
    ),
}


def _prepare(project: Project, case: str) -> str:
    files, body, told = BAD[case]
    for name, content in files.items():
        path = project.path / name
        if content is None and path.is_dir():
            for file in path.iterdir():
                file.unlink()
            path.rmdir()
        elif content is None:
            path.unlink()
        else:
            assert content is not None
            project.write(name, content)
    project.write(
        "test_card.py",
        "from draw import page\n"
        "def test_card(assert_matches_design, figma_baseline, render_capture):\n"
        f"    {body or USUAL}\n",
    )
    return told


@pytest.mark.parametrize("case", BAD)
def test_bad_input_fails_in_words(project: Project, case: str) -> None:
    """The gate fails with the message alone, and the record is undetermined."""
    told = _prepare(project, case)
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([told])
    text = result.stdout.str()
    for noise in ("Traceback", "test_card.py:3", "is not the design", "INTERNALERROR"):
        assert noise not in text, noise
    assert project.status.startswith("undetermined:")


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_never_looped(project: Project, case: str) -> None:
    """With the loop on, nothing is fixed because of input that could not be used."""
    _prepare(project, case)
    before = (project.path / "page.json").read_bytes()
    result = project.loop("churn")
    result.assert_outcomes(failed=1)
    assert "INTERNALERROR" not in result.stdout.str()
    assert project.status.startswith("undetermined:")
    assert (project.path / "page.json").read_bytes() == before
