"""A text whose words may be others: what can still be said of its colour and its font."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.attributing import property_family, words
from pytest_pixelloop.core.color import delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.glyphs import GLYPH_LIMIT
from pytest_pixelloop.core.style_evidence import COLORS, LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.reading import Reading
    from pytest_pixelloop.core.style_difference import StyleDifference
    from pytest_pixelloop.core.style_evidence import Witness
    from pytest_pixelloop.core.tolerance import Tolerance

CLEAR = 10.0
"""CIEDE2000 between the inks of other words from which their colours surely differ."""
_FONT = (LETTERS | COLORS) - {"text", "text-overflow", "text-align", "fill", "stroke"}
_NAMES = {"text-decoration-line": "text-decoration"}


def judge_data_text(
    leaf: JudgedNode,
    reading: Reading,
    *,
    witness: Callable[[], Witness | None],
    tolerance: Tolerance,
) -> list[Draft] | None:
    """Return what is wrong with a text of other words, None where its words are the design's.

    Its letters tell nothing of font and weight then. The matched element does; without one (a
    picture, an element that is not surely it) only a clearly other colour is told.
    """
    if reading.missing or reading.expected_ink is None or reading.mismatch <= GLYPH_LIMIT:
        return None
    heard = witness()
    if heard is not None and "text" not in heard.doubted:
        return None  # the same words: whatever else differs is seen as anywhere
    drafts = [_other_words(leaf, reading)]
    if heard is None:
        color = _clearly_other(leaf, reading)
        return [*drafts, color] if color is not None else drafts
    told = (
        _said(leaf, found)
        for found in heard.differences
        if property_family(found.property) in _FONT and not _tolerated(found, tolerance)
    )
    return [*drafts, *told]


def _other_words(leaf: JudgedNode, reading: Reading) -> Draft:
    return Draft(
        at=leaf.at,
        property="text",
        strength=max(reading.mismatch / GLYPH_LIMIT, 1.0),
        box=leaf.placed.box,
        says="other words than in the design",
        expected=leaf.node.characters,
        delta=reading.mismatch,
        unit="mismatch",
    )


def _clearly_other(leaf: JudgedNode, reading: Reading) -> Draft | None:
    expected, actual = reading.expected_ink, reading.actual_ink
    if expected is None or actual is None:
        return None
    apart = delta_e(expected.color, np.clip(actual.color, 0, 255))
    if apart <= CLEAR:
        return None
    return Draft(
        at=leaf.at,
        property="color",
        strength=apart / CLEAR,
        box=leaf.placed.box,
        says=f"color {hex_color(actual.color)}, expected {hex_color(expected.color)} "
        f"(CIEDE2000 {apart:.1f})",
        expected=hex_color(expected.color),
        actual=hex_color(actual.color),
        delta=apart,
        unit="CIEDE2000",
        confidence=0.7,
    )


def _tolerated(found: StyleDifference, tolerance: Tolerance) -> bool:
    if found.unit != "CIEDE2000" or found.delta is None:
        return False
    return found.delta <= tolerance.color_delta_e


def _said(leaf: JudgedNode, found: StyleDifference) -> Draft:
    return Draft(
        at=leaf.at,
        property=_NAMES.get(found.property, found.property),
        strength=2.0,
        box=leaf.placed.box,
        says=words(found),
        expected=found.expected,
        actual=found.actual,
        delta=found.delta,
        unit=found.unit,
        confidence=found.confidence,
    )
