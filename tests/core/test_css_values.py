"""Computed values as numbers: every form Chromium writes, and nothing that breaks the parser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.css_values import (
    Color,
    parse_blur,
    parse_color,
    parse_families,
    parse_gradient,
    parse_number,
    parse_px,
    parse_radius,
    parse_shadows,
    same_value,
    split_list,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rgb(37, 99, 235)", (37, 99, 235, 1)),
        ("rgba(0, 0, 0, 0.533)", (0, 0, 0, 0.533)),
        ("rgb(37 99 235 / 50%)", (37, 99, 235, 0.5)),
        ("rgb(100% 0% none)", (255, 0, 0, 1)),
        ("transparent", (0, 0, 0, 0)),
        ("#2563eb", (37, 99, 235, 1)),
        ("#08f", (0, 136, 255, 1)),
        ("#0000ff80", (0, 0, 255, 0.502)),
        ("color(srgb 0.5 0 0.5)", (127.5, 0, 127.5, 1)),
        ("color(srgb 0.5 0 0.5 / 0.25)", (127.5, 0, 127.5, 0.25)),
        ("color(srgb-linear 1 0.2140 0)", (255, 127.5, 0, 1)),
        ("color(display-p3 1 1 1)", (255, 255, 255, 1)),
        ("oklch(0.546 0.245 262.881)", (21, 93, 252, 1)),
        ("oklab(1 0 0)", (255, 255, 255, 1)),
        ("lab(100 0 0)", (255, 255, 255, 1)),
        ("lab(50% 40 59.5)", (191, 87, 0, 1)),
        ("lch(50% 0 0)", (119, 119, 119, 1)),
        ("hsl(217.2 91.2% 59.8%)", (59, 130, 246, 1)),
        ("hwb(90deg 10% 10%)", (128, 230, 26, 1)),
        ("color(xyz-d65 0.9505 1 1.089)", (255, 255, 255, 1)),
    ],
)
def test_a_colour_of_every_css_function_comes_out_as_srgb(
    text: str, expected: tuple[float, ...]
) -> None:
    """Every colour form that a browser computes is read, within one step of 255."""
    color = parse_color(text)
    assert color is not None
    assert color.rgb == pytest.approx(expected[:3], abs=1.0)
    assert color.a == pytest.approx(expected[3], abs=0.003)


@pytest.mark.parametrize(
    "text",
    ["none", "", "url(#a)", "rgb(1 2)", "rgb(var(--x))", "color(rec9999 1 2 3)", "#12345", "auto"],
)
def test_what_is_no_colour_is_none(text: str) -> None:
    """Something that is no colour gives None, not an error and not black."""
    assert parse_color(text) is None


def test_a_colour_prints_as_a_designer_writes_it() -> None:
    """Opaque colours print as hex, others say how much of them shows."""
    assert str(Color(37, 99, 235)) == "#2563eb"
    assert str(Color(0, 0, 0, 0.25)) == "rgb(0 0 0 / 25%)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("16px", 16.0), ("100.297px", 100.297), ("-1.5px", -1.5), ("0", 0.0), ("1e-7px", 1e-7)]
    + [(t, None) for t in ("normal", "auto", "50%", "", "calc(1px + 2%)", "16em")],
)
def test_lengths(text: str, expected: float | None) -> None:
    """A length in px is a number; a word or a percentage is not."""
    assert parse_px(text) == expected


def test_numbers_and_percentages() -> None:
    """An opacity may be a number or a percentage."""
    assert parse_number("0.5") == 0.5
    assert parse_number("50%") == 0.5
    assert parse_number("nan") is None
    assert parse_number("auto") is None


def test_shadow_lists() -> None:
    """A list of shadows is read with its insets and its colours, whatever their commas."""
    found = parse_shadows(
        "rgba(0, 0, 0, 0.25) 0px 4px 6px -1px, oklch(0.5 0.1 20 / 0.5) 1px 2px 3px 4px inset"
    )
    assert found is not None
    assert [(s.x, s.y, s.blur, s.spread, s.inset) for s in found] == [
        (0, 4, 6, -1, False),
        (1, 2, 3, 4, True),
    ]
    assert found[0].color == Color(0, 0, 0, 0.25)
    assert parse_shadows("none") == ()
    assert parse_shadows("what is this") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("8px", 8.0), ("50%", 5.0), ("12px 4px", 4.0), ("9999px", 9999.0), ("", None), ("x", None)],
)
def test_radii(text: str, expected: float | None) -> None:
    """A radius is in px, per cents of the box included; of two axes the smaller counts."""
    assert parse_radius(text, width=20, height=10) == expected


def test_gradients() -> None:
    """A gradient is read with its kind, its CSS angle and its stops."""
    found = parse_gradient("linear-gradient(90deg, rgb(1, 2, 3) 0%, rgba(4, 5, 6, 0.5) 100%)")
    assert found is not None
    assert (found.kind, found.angle) == ("linear", 90)
    assert found.stops == ((Color(1, 2, 3), 0.0), (Color(4, 5, 6, 0.5), 1.0))
    default = parse_gradient("url(a.png), linear-gradient(rgb(0, 0, 0), rgb(9, 9, 9))")
    assert default is not None
    assert default.angle == 180
    aimed = parse_gradient("linear-gradient(to right, rgb(0, 0, 0), rgb(9, 9, 9))")
    assert aimed is not None
    assert aimed.angle == 90
    assert parse_gradient("none") is None


def test_families_blur_and_lists() -> None:
    """Font stacks lose their quotes; a comma in quotes or parentheses does not split."""
    assert parse_families('"Inter Variable", Helvetica, sans-serif') == (
        "Inter Variable",
        "Helvetica",
        "sans-serif",
    )
    assert split_list('a(b, c), "d, e"') == ["a(b, c)", '"d, e"']
    assert parse_blur("brightness(2) blur(4px)") == 4
    assert parse_blur("none") == 0


@given(st.text(alphabet="rgba()0123456789., %/-#pxoklchnsetur\"'", max_size=60))
def test_no_text_breaks_a_parser(text: str) -> None:
    """Whatever a page computes, parsing gives a value or None."""
    parse_color(text)
    parse_px(text)
    parse_number(text)
    parse_shadows(text)
    parse_radius(text, width=1, height=1)
    parse_gradient(text)
    parse_families(text)
    parse_blur(text)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("auto", "auto", True),
        ("#1d4ed8", "rgb(29, 78, 216)", True),
        ("rgb(0 0 0 / 50%)", "rgba(0, 0, 0, 0.5)", True),
        ("#1d4ed8", "#2563eb", False),
        ("12px", "12.004px", True),
        ("0", "0px", True),
        ("12px", "13px", False),
        ("auto", "12px", None),
        ("red-ish", "#ff0000", None),
    ],
)
def test_two_spellings_of_one_value(one: str, other: str, *, same: bool | None) -> None:
    """Colours and lengths are one value however they are written; of others nothing is told."""
    assert same_value(one, other) is same
    assert same_value(other, one) is same
