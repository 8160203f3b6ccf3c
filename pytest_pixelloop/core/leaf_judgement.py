"""From the reading of a text or an icon to what is wrong with it, if anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.color import delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.leaf_reading import ALIKE, GLYPH_LIMIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.calibration import Calibration
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.leaf_reading import Reading
    from pytest_pixelloop.core.tolerance import Tolerance

STRAY_LIMIT = 0.02
"""Ink that only one picture has, in squares of the em: a dot over an i is about 0.02."""
AMOUNT_LIMIT = 0.09
"""Relative ink: one weight step of a text is 0.1 and more."""
COLOR_LIMIT = 0.055
"""Relative contrast of ink and backdrop: gray-900 to gray-800 on white is 0.07."""
COLOR_SLACK = 0.08
"""What is added to COLOR_LIMIT for a single letter, less for more."""
HUE_LIMIT = 3.5
"""Degrees between the directions of two inks in sRGB: coloured fringes sum up to 2."""
SIZE_LIMIT = 0.03
"""Relative width and height: one px of a font size of 30 is 0.033."""


def judge_leaf(
    leaf: JudgedNode, reading: Reading, common: Calibration, *, tolerance: Tolerance, scale: float
) -> list[Draft]:
    """Return what is wrong with a leaf's own look; where it stands is judged elsewhere."""
    box = leaf.placed.box
    if reading.missing:
        return [
            Draft(
                at=leaf.at,
                property="missing",
                kind="missing",
                strength=4.0,
                box=box,
                says="missing on the page",
                expected="present",
                actual="missing",
            )
        ]
    if reading.expected_ink is None or not reading.readable:
        return []
    if leaf.kind is Kind.TEXT:
        found = _text(leaf, reading, common, scale=scale)
    else:
        found = _drawing(leaf, reading)
    if found is None:
        found = _ink_color(leaf, reading, common, tolerance=tolerance)
    return [found] if found else []


def _text(leaf: JudgedNode, reading: Reading, common: Calibration, *, scale: float) -> Draft | None:
    wide = reading.width_ratio / common.width - 1
    tall = reading.height_ratio - 1
    amount = reading.amount_ratio / common.amount - 1
    lines = _line_count(leaf)
    box = leaf.placed.box
    slack = 0.7 / max(box.w, 8.0)  # a rounded advance at either end
    other = reading.mismatch > GLYPH_LIMIT
    if lines > 1 and abs(tall) > SIZE_LIMIT and abs(wide) < SIZE_LIMIT:
        return _sized(leaf, "line-height", 1 + tall, "lines stand {:.0%} as far apart")
    if abs(wide) > SIZE_LIMIT + slack and tall * wide > 0 and abs(tall) > 0.3 * abs(wide):
        if abs(wide - tall) < 0.6 * max(abs(wide), abs(tall)) + 0.02:
            return _sized(leaf, "font-size", 1 + wide, "letters are {:.0%} as large")
    enough = AMOUNT_LIMIT + 0.1 / max(len("".join((leaf.node.characters or "").split())), 1)
    if other or abs(wide) > 2 * (SIZE_LIMIT + slack):
        if reading.mismatch < 2 * GLYPH_LIMIT and abs(wide) < 0.08 and abs(amount) > enough:
            return _weight(leaf, amount)
        return Draft(
            at=leaf.at,
            property="text",
            strength=max(reading.mismatch / GLYPH_LIMIT, 1.0),
            box=box,
            says="other letters than in the design",
            expected=leaf.node.characters,
            delta=reading.mismatch,
            unit="mismatch",
        )
    if abs(amount) > enough and not _color_only(reading, common):
        return _weight(leaf, amount)
    return None


def _line_count(leaf: JudgedNode) -> int:
    style = leaf.node.properties.get("style")
    line = style.get("lineHeightPx") if isinstance(style, dict) else None
    if isinstance(line, int | float) and line > 0:
        return max(round(leaf.placed.box.h / float(line)), 1)
    return 1


def _sized(leaf: JudgedNode, name: str, ratio: float, words: str) -> Draft:
    style = leaf.node.properties.get("style")
    key = {"font-size": "fontSize", "line-height": "lineHeightPx"}[name]
    value = style.get(key) if isinstance(style, dict) else None
    expected = float(value) if isinstance(value, int | float) else None
    actual = None if expected is None else round(expected * ratio, 1)
    says = f"{name} about {actual:g}px, expected {expected:g}px" if actual else words.format(ratio)
    return Draft(
        at=leaf.at,
        property=name,
        strength=abs(ratio - 1) / SIZE_LIMIT,
        box=leaf.placed.box,
        says=says,
        expected=expected,
        actual=actual,
        delta=None if actual is None or expected is None else actual - expected,
        unit="px",
        confidence=0.8,
    )


def _weight(leaf: JudgedNode, amount: float) -> Draft:
    style = leaf.node.properties.get("style")
    value = style.get("fontWeight") if isinstance(style, dict) else None
    word = "heavier" if amount > 0 else "lighter"
    return Draft(
        at=leaf.at,
        property="font-weight",
        strength=abs(amount) / AMOUNT_LIMIT,
        box=leaf.placed.box,
        says=f"{word} than the design ({amount:+.0%} ink)",
        expected=value,
        actual=word,
        delta=amount,
        unit="ink",
        confidence=0.7,
    )


def _color_only(reading: Reading, common: Calibration) -> bool:
    """Tell whether the amount differs because the ink's colour does, not its shape."""
    amount = reading.amount_ratio / common.amount - 1
    return abs(reading.contrast_ratio - 1) > 0.5 * abs(amount) and (
        (reading.contrast_ratio - 1) * amount > 0
    )


def _drawing(leaf: JudgedNode, reading: Reading) -> Draft | None:
    ratio = reading.amount_ratio / max(reading.contrast_ratio, 1e-6)
    wrong = reading.stray > STRAY_LIMIT or reading.likeness < ALIKE
    if not wrong and abs(ratio - 1) < 0.2:
        return None
    strength = max(reading.stray / STRAY_LIMIT, 1.0)
    return Draft(
        at=leaf.at,
        property="icon",
        strength=strength,
        box=leaf.placed.box,
        says="another drawing than in the design",
        expected=leaf.node.name,
        delta=reading.stray,
        unit="em2",
    )


def _ink_color(
    leaf: JudgedNode, reading: Reading, common: Calibration, *, tolerance: Tolerance
) -> Draft | None:
    """Return the ink's colour as a finding when its mass and its darkest part both say so.

    Thin strokes blur the darkest part and sub-pixel text tints it; hinting changes the mass. A
    wrong colour changes both, the same way. A wrong hue turns the direction of the whole ink.
    """
    expected, actual = reading.expected_ink, reading.actual_ink
    if expected is None or actual is None:
        return None
    few = COLOR_SLACK / max(len("".join((leaf.node.characters or leaf.node.name).split())), 1)
    mass = reading.amount_ratio / common.amount - 1
    peak = reading.contrast_ratio - 1
    along = min(abs(mass), abs(peak)) if mass * peak > 0 else 0.0
    turned = _angle(expected.total, actual.total)
    strength = max(along / (COLOR_LIMIT + few), turned / HUE_LIMIT)
    if strength <= 1:
        return None
    apart = delta_e(expected.color, np.clip(actual.color, 0, 255))
    if apart <= tolerance.color_delta_e:
        return None
    return Draft(
        at=leaf.at,
        property="color",
        strength=strength,
        box=leaf.placed.box,
        says=f"color {hex_color(actual.color)}, expected {hex_color(expected.color)} "
        f"(CIEDE2000 {apart:.1f})",
        expected=hex_color(expected.color),
        actual=hex_color(actual.color),
        delta=apart,
        unit="CIEDE2000",
    )


def _angle(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the angle between two sums of ink in degrees; 0 where one is too faint to tell."""
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    if lengths <= 0:
        return 0.0
    return float(np.degrees(np.arccos(np.clip(float(first @ second) / lengths, -1.0, 1.0))))
