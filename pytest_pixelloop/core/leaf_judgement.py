"""From the reading of a text or an icon to what is wrong with it, if anything.

The pixels decide. Where they doubt, the matched element does: a sure difference of it that the
pixels allow makes a finding and names it; a sure match without any makes noise of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.attributing import property_family, words
from pytest_pixelloop.core.color import delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.glyphs import GLYPH_LIMIT
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.leaf_measure import relaid
from pytest_pixelloop.core.style_evidence import COLORS, LETTERS
from pytest_pixelloop.core.text_judgement import judge_text
from pytest_pixelloop.core.text_signs import DOUBTFUL, STRAY_LIMIT, STRONG, Signs, signs_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pytest_pixelloop.core.calibration import Calibration
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.reading import Reading
    from pytest_pixelloop.core.style_difference import StyleDifference
    from pytest_pixelloop.core.style_evidence import Witness
    from pytest_pixelloop.core.tolerance import Tolerance

ICON_LIMIT = 0.175
"""How unlike the worst part of a drawing may be: thin strokes smooth differently."""
_NAMES = {"text-decoration-line": "text-decoration"}


def judge_leaf(
    leaf: JudgedNode,
    reading: Reading,
    common: Calibration,
    *,
    witness: Callable[[], Witness | None] = lambda: None,
    tolerance: Tolerance,
    scale: float,
) -> list[Draft]:
    """Return what is wrong with a leaf's own look; where it stands is judged elsewhere.

    *witness* is asked only where the pixels differ enough to doubt.
    """
    if reading.missing:
        return [_missing(leaf)]
    if reading.expected_ink is None or not reading.readable:
        return []
    signs = signs_of(leaf, reading, common, scale=scale)
    if signs.worst <= DOUBTFUL:
        return []
    heard = witness()
    if heard is not None and heard.differences:
        reading = relaid(reading, until=DOUBTFUL * GLYPH_LIMIT)
        signs = signs_of(leaf, reading, common, scale=scale)
        told = _told(leaf, signs, heard, tolerance=tolerance)
        if told is not None:
            return [told]
    slack = STRONG if heard is not None and heard.calms(LETTERS, seen=reading.shift) else 1.0
    if leaf.kind is Kind.TEXT:
        found = judge_text(leaf, reading, signs, common, slack=slack)
    else:
        found = _drawing(leaf, reading)
    if found is None:
        calm = heard is not None and heard.calms(COLORS, seen=reading.shift)
        found = _ink_color(leaf, reading, signs, slack=STRONG if calm else 1.0, tolerance=tolerance)
    return [found] if found else []


def _told(
    leaf: JudgedNode, signs: Signs, witness: Witness, *, tolerance: Tolerance
) -> Draft | None:
    """Return the most telling difference of the element that the pixels allow."""
    families = COLORS if leaf.kind is Kind.DRAWING else LETTERS | COLORS
    for found in witness.differences:
        family = property_family(found.property)
        if family not in families or _tolerated(found, tolerance):
            continue
        strength = signs.of(family)
        if strength > DOUBTFUL:
            return _as_said(leaf, found, max(strength, 1.0))
    return None


def _tolerated(found: StyleDifference, tolerance: Tolerance) -> bool:
    if found.unit != "CIEDE2000" or found.delta is None:
        return False
    return found.delta <= tolerance.color_delta_e


def _as_said(leaf: JudgedNode, found: StyleDifference, strength: float) -> Draft:
    return Draft(
        at=leaf.at,
        property=_NAMES.get(found.property, found.property),
        strength=strength,
        box=leaf.placed.box,
        says=words(found),
        expected=found.expected,
        actual=found.actual,
        delta=found.delta,
        unit=found.unit,
        confidence=found.confidence,
    )


def _missing(leaf: JudgedNode) -> Draft:
    return Draft(
        at=leaf.at,
        property="missing",
        kind="missing",
        strength=4.0,
        box=leaf.placed.box,
        says="missing on the page",
        expected="present",
        actual="missing",
    )


def _drawing(leaf: JudgedNode, reading: Reading) -> Draft | None:
    # Each is small where rasterisation alone makes it, and never both: together they add up.
    unlike = reading.mismatch / ICON_LIMIT + reading.stray / STRAY_LIMIT
    other = unlike > 1
    if not other and abs(reading.amount_ratio - 1) < 0.25:
        return None
    if not other and (reading.contrast_ratio - 1) * (reading.amount_ratio - 1) > 0:
        return None  # as dark or light as its amount: a matter of colour
    strength = max(unlike, 1.0)
    return Draft(
        at=leaf.at,
        property="icon",
        strength=strength,
        box=leaf.placed.box,
        says="another drawing than in the design",
        expected=leaf.node.name,
        delta=reading.mismatch,
        unit="mismatch",
    )


def _ink_color(
    leaf: JudgedNode, reading: Reading, signs: Signs, *, slack: float, tolerance: Tolerance
) -> Draft | None:
    """Return the ink's colour as a finding where it shows in the ink as a whole."""
    expected, actual = reading.expected_ink, reading.actual_ink
    if expected is None or actual is None or signs.color <= slack:
        return None
    apart = delta_e(expected.color, np.clip(actual.color, 0, 255))
    if apart <= tolerance.color_delta_e or _as_declared(leaf, actual.color, tolerance):
        return None
    return Draft(
        at=leaf.at,
        property="color",
        strength=signs.color,
        box=leaf.placed.box,
        says=f"color {hex_color(actual.color)}, expected {hex_color(expected.color)} "
        f"(CIEDE2000 {apart:.1f})",
        expected=hex_color(expected.color),
        actual=hex_color(actual.color),
        delta=apart,
        unit="CIEDE2000",
    )


def _as_declared(leaf: JudgedNode, color: NDArray[np.float32], tolerance: Tolerance) -> bool:
    """Tell whether ink reaches the colour that the design's node declares.

    The design's own picture may never show it: its strokes are thinner than a pixel.
    """
    if leaf.color is None or leaf.color[3] * leaf.shown < 1:
        return False
    return delta_e(leaf.color[:3], np.clip(color, 0, 255)) <= tolerance.color_delta_e
