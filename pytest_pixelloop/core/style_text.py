"""Style of texts: a text node against the computed style of the element that shows it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.css_values import (
    Color,
    parse_color,
    parse_families,
    parse_number,
    parse_px,
)
from pytest_pixelloop.core.dom import normalise_text
from pytest_pixelloop.core.matches import FoundBy
from pytest_pixelloop.core.node_style import number, text_style, word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_pixelloop.core.design import DesignNode
    from pytest_pixelloop.core.style_scene import Claims

_SUFFIX = re.compile(r"(variable|vf|var)$")
#: Fonts of other systems. A page that asks for one and has it not is not styled wrongly.
_SYSTEM_FONTS = (
    "sfpro",
    "sfcompact",
    "sfmono",
    "helveticaneue",
    "segoeui",
    "applesystem",
    "newyork",
)
_ALIGN = {"LEFT": "left", "RIGHT": "right", "CENTER": "center", "JUSTIFIED": "justify"}
_TRANSFORM = {"UPPER": "uppercase", "LOWER": "lowercase", "TITLE": "capitalize"}
_CAPS = {"SMALL_CAPS": "small-caps", "SMALL_CAPS_FORCED": "all-small-caps"}
_DECORATION = {"UNDERLINE": "underline", "STRIKETHROUGH": "line-through"}
_DECORATING = 4
"""An element and its ancestors that may underline its text."""
#: What a run of characters may set for itself, by the name in the style object.
_OVERRIDABLE = (
    "fontFamily",
    "fontSize",
    "fontWeight",
    "italic",
    "lineHeightPx",
    "letterSpacing",
    "textDecoration",
    "textCase",
    "fills",
)


def compare_text(claims: Claims) -> None:
    """Compare words, font, spacing, alignment and colour of a text node and its element."""
    style = text_style(claims.node)
    _words(claims, style)
    if not claims.element.text:
        return  # its text is that of several children, which have styles of their own
    mixed = _mixed(claims.node)
    typed = _typed(claims, style)
    known = typed is not None and typed in claims.scene.right_types
    for key, check in _CHECKS:
        if key not in mixed and not (known and key in _OF_TYPE):
            check(claims, style)
    if typed is not None and not mixed and not claims.found:
        claims.scene.right_types.add(typed)


def _typed(claims: Claims, style: Mapping[str, Any]) -> tuple[object, ...] | None:
    """Return all that the checks of _OF_TYPE look at: most texts of a page have the same.

    None where a design has a list or the like for a word.
    """
    values = claims.element.style
    found = (
        claims.element.font,
        *[style.get(key) for key in _TYPE_KEYS],
        *[values.get(name) for name in _TYPE_PROPERTIES],
    )
    try:
        hash(found)
    except TypeError:
        return None
    return found


def _mixed(node: DesignNode) -> set[str]:
    """Return which properties are not the same for all characters of a text."""
    overrides = node.properties.get("characterStyleOverrides")
    table = node.properties.get("styleOverrideTable")
    if not isinstance(overrides, list) or not any(overrides) or not isinstance(table, dict):
        return set()
    base = {**text_style(node), "fills": node.properties.get("fills")}
    return {
        key
        for run in table.values()
        if isinstance(run, dict)
        for key, value in run.items()
        if key in _OVERRIDABLE and value != base.get(key)
    }


def cased(text: str, transform: str) -> str:
    """Return *text* as ``text-transform`` shows it (capitalize: first letter of each word)."""
    if transform == "uppercase":
        return text.upper()
    if transform == "lowercase":
        return text.lower()
    if transform == "capitalize":
        return " ".join(w[:1].upper() + w[1:] for w in text.split(" "))
    return text


def _words(claims: Claims, style: Mapping[str, Any]) -> None:
    element = claims.element
    wanted_case = _TRANSFORM.get(word(style, "textCase"), "none")
    shown_case = element.value("text-transform") if element.text else "none"
    raw = claims.node.characters or "", element.text or element.label
    if raw[0] == raw[1] and wanted_case == shown_case:
        return
    wanted, shown = (normalise_text(text) for text in raw)
    if cased(wanted, wanted_case) == cased(shown, shown_case):
        return
    if wanted.casefold() == shown.casefold():
        if "capitalize" in {wanted_case, shown_case}:
            return  # Figma's title case and CSS capitalize differ on some words
        name = "text-transform" if wanted_case != shown_case else "text"
        if name == "text-transform":
            claims.add(name, expected=wanted_case, actual=shown_case)
            return
    shorter, longer = sorted((wanted.casefold(), shown.casefold()), key=len)
    # A part of the other: one side may be cut into pieces where the other is not.
    piece = (
        0 < len(shorter) < len(longer)
        and shorter in longer
        and claims.match.found_by is not FoundBy.ANCHOR
    )
    claims.add("text", expected=wanted, actual=shown, factor=0.6 if piece else 1.0)


@lru_cache(1024)
def family_key(name: str) -> str:
    """Return what two spellings of one font share: no case, blanks, hyphens, ``Variable``."""
    plain = re.sub(r"[\s_\-'\"]+", "", name).casefold()
    return _SUFFIX.sub("", plain) or plain


def _family(claims: Claims, style: Mapping[str, Any]) -> None:
    wanted = word(style, "fontFamily")
    stack = parse_families(claims.element.value("font-family"))
    if not wanted or not stack:
        return
    used = claims.element.font or stack[0]
    if family_key(used) == family_key(wanted):
        return
    asked = family_key(stack[0]) == family_key(wanted)
    if asked and family_key(wanted).startswith(_SYSTEM_FONTS):
        return
    actual = f"{used} (asked for {stack[0]})" if asked else used
    claims.add("font-family", expected=wanted, actual=actual)


def _size(claims: Claims, style: Mapping[str, Any]) -> None:
    wanted, actual = number(style, "fontSize"), parse_px(claims.element.value("font-size"))
    if wanted is not None and actual is not None:
        tolerance = claims.scene.tolerance.font_size
        claims.length("font-size", expected=wanted, actual=actual, tolerance=tolerance)


def _weight(claims: Claims, style: Mapping[str, Any]) -> None:
    wanted = number(style, "fontWeight")
    actual = parse_number(claims.element.value("font-weight"))
    if wanted is not None and actual is not None and wanted != actual:
        claims.add(
            "font-weight",
            expected=f"{wanted:g}",
            actual=f"{actual:g}",
            delta=actual - wanted,
            unit="weight",
            tolerance=0.0,
        )


def _slant(claims: Claims, style: Mapping[str, Any]) -> None:
    wanted = style.get("italic") is True or "italic" in word(style, "fontStyle").lower()
    actual = claims.element.value("font-style")
    if wanted != actual.startswith(("italic", "oblique")):
        claims.add("font-style", expected="italic" if wanted else "normal", actual=actual)


def _line_height(claims: Claims, style: Mapping[str, Any]) -> None:
    wanted = number(style, "lineHeightPx")
    if wanted is None:
        return
    element, limits = claims.element, claims.scene.tolerance
    intrinsic = word(style, "lineHeightUnit", default="PIXELS").startswith("INTRINSIC")
    actual = parse_px(element.value("line-height"))
    if actual is None:
        if intrinsic or len(element.lines) < 2:
            return
        actual = element.lines[1].y - element.lines[0].y
    if len(element.lines) < 2 and abs(element.box.h - claims.item.box.h) <= limits.size:
        return  # one line in a box of the right height: its own line height moves nothing
    tolerance = limits.intrinsic_line_height if intrinsic else limits.line_height
    claims.length("line-height", expected=wanted, actual=actual, tolerance=tolerance)


def _letter_spacing(claims: Claims, style: Mapping[str, Any]) -> None:
    wanted = number(style, "letterSpacing") or 0.0
    actual = parse_px(claims.element.value("letter-spacing")) or 0.0
    size = number(style, "fontSize") or 0.0
    limits = claims.scene.tolerance
    tolerance = max(limits.letter_spacing, limits.letter_spacing_em * size)
    claims.length("letter-spacing", expected=wanted, actual=actual, tolerance=tolerance)


def _decoration(claims: Claims, style: Mapping[str, Any]) -> None:
    wanted = _DECORATION.get(word(style, "textDecoration"), "none")
    # Decoration is not inherited: it is drawn by whichever ancestor has it.
    drawn: set[str] = set()
    above: int | None = claims.element.index
    for _ in range(_DECORATING):
        if above is None:
            break
        element = claims.scene.elements[above]
        line = element.style.get("text-decoration-line")
        if line is not None:
            drawn.update(w for w in line.split() if w != "none")
        above = element.parent
    if wanted == "none" and drawn:
        claims.add("text-decoration-line", expected="none", actual=" ".join(sorted(drawn)))
    elif wanted != "none" and wanted not in drawn:
        claims.add(
            "text-decoration-line", expected=wanted, actual=" ".join(sorted(drawn)) or "none"
        )


def _caps(claims: Claims, style: Mapping[str, Any]) -> None:
    wanted = _CAPS.get(word(style, "textCase"), "normal")
    actual = claims.element.value("font-variant-caps")
    if wanted != actual:
        claims.add("font-variant-caps", expected=wanted, actual=actual)


def _ink(claims: Claims, _style: Mapping[str, Any]) -> None:
    element = claims.element
    wanted = claims.looks.fill
    if wanted is None or "text" in element.value("background-clip"):
        return
    color = element.style.get("-webkit-text-fill-color") or element.value("color")
    actual = parse_color(color)
    if actual is None:
        return
    opacity = parse_number(element.value("opacity"))
    shown = actual.faded(1.0 if opacity is None else opacity)
    claims.color("color", expected=_faded(wanted, claims.node.opacity), actual=shown)


def _faded(color: Color, opacity: float) -> Color:
    return color.faded(opacity) if opacity < 1 else color


def _alignment(claims: Claims, style: Mapping[str, Any]) -> None:
    element = claims.element
    wanted = _ALIGN.get(word(style, "textAlignHorizontal", default="LEFT"), "left")
    if word(style, "textAutoResize") == "WIDTH_AND_HEIGHT":
        return  # the box is as wide as the text: nothing to align in
    right_to_left = element.value("direction") == "rtl"
    start, end = ("right", "left") if right_to_left else ("left", "right")
    raw = element.value("text-align").removeprefix("-webkit-")
    actual = {"start": start, "end": end}.get(raw, raw)
    if wanted == actual or {wanted, actual} == {start, "justify"}:
        return
    if len(element.lines) <= 1:
        # What counts is where the line hangs; a flex parent may align it as well.
        node, text = claims.item.box, element.text_box
        slack = claims.scene.tolerance.text_size
        at = {"left": 0.0, "center": 0.5, "right": 1.0}.get(wanted, 0.0)
        if abs((node.x + at * node.w) - (text.x + at * text.w)) <= slack:
            return
        if element.box.w - text.w <= slack:
            return
    claims.add("text-align", expected=wanted, actual=actual)


def _truncation(claims: Claims, style: Mapping[str, Any]) -> None:
    truncates = word(style, "textTruncation") == "ENDING" or (
        word(style, "textAutoResize") == "TRUNCATE"
    )
    element = claims.element
    if not truncates or element.value("-webkit-line-clamp") != "none":
        return
    if "ellipsis" not in element.value("text-overflow") and element.clipped:
        claims.add("text-overflow", expected="ellipsis", actual=element.value("text-overflow"))


_CHECKS: tuple[tuple[str, Callable[[Claims, Mapping[str, Any]], None]], ...] = (
    ("fontFamily", _family),
    ("fontSize", _size),
    ("fontWeight", _weight),
    ("italic", _slant),
    ("lineHeightPx", _line_height),
    ("letterSpacing", _letter_spacing),
    ("textDecoration", _decoration),
    ("textCase", _caps),
    ("fills", _ink),
    ("textAlignHorizontal", _alignment),
    ("textTruncation", _truncation),
)
_OF_TYPE = frozenset(
    ("fontFamily", "fontSize", "fontWeight", "italic", "letterSpacing", "textCase")
)
"""The checks that look at nothing but _TYPE_KEYS, _TYPE_PROPERTIES and the font that is used."""
_TYPE_KEYS = (
    "fontFamily",
    "fontSize",
    "fontWeight",
    "italic",
    "fontStyle",
    "letterSpacing",
    "textCase",
)
_TYPE_PROPERTIES = (
    "font-family",
    "font-size",
    "font-weight",
    "font-style",
    "letter-spacing",
    "font-variant-caps",
)
