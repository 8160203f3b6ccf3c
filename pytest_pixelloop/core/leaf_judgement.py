"""From the reading of a text or an icon to what is wrong with it, if anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.color import delta_e, hex_color
from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.glyphs import GLYPH_LIMIT
from pytest_pixelloop.core.judged_nodes import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.calibration import Calibration
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.reading import Reading
    from pytest_pixelloop.core.tolerance import Tolerance

STRAY_LIMIT = 0.02
"""Ink that only one picture has, in squares of the em: a dot over an i is about 0.02."""
AMOUNT_LIMIT = 0.1
"""Relative ink: one weight step of a text is 0.1 and more."""
UNSURE = 0.03
"""What is added to AMOUNT_LIMIT where no texts of about this size tell what is usual."""
COLOR_LIMIT = 0.06
"""Relative contrast of ink and backdrop: gray-900 to gray-800 on white is 0.07."""
COLOR_SLACK = 0.1
"""What is added to COLOR_LIMIT for a single letter, less for more."""
HUE_LIMIT = 3.5
"""Degrees between the directions of two inks in sRGB: coloured fringes sum up to 2."""
ICON_LIMIT = 0.175
"""How unlike the worst part of a drawing may be: thin strokes smooth differently."""
UNDERLINED = 0.8
"""Share of a text's width that is inked in one row where it is underlined."""
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


def _text(  # noqa: PLR0911 - a ladder of causes, the likeliest first
    leaf: JudgedNode, reading: Reading, common: Calibration, *, scale: float
) -> Draft | None:
    wide = reading.width_ratio / common.width - 1
    tall = reading.height_ratio - 1
    usual, sure = common.amount_of(reading)
    amount = reading.amount_ratio / usual - 1
    lines = _line_count(leaf)
    box = leaf.placed.box
    ink = reading.ink_rect
    slack = 0.7 / max((ink[2] - ink[0]) / scale if ink else box.w, 8.0)  # rounded at either end
    other = reading.mismatch > GLYPH_LIMIT
    lined = [bar > UNDERLINED for bar in reading.bars]
    if lined[0] != lined[1] and len(leaf.node.characters or "") > 2:
        return _underline(leaf, drawn=lined[1])
    if lines > 1 and abs(tall) > SIZE_LIMIT and abs(wide) < SIZE_LIMIT:
        return _sized(leaf, "line-height", 1 + tall, "lines stand {:.0%} as far apart")
    both_ways = tall * wide > 0 and abs(tall) > 0.3 * abs(wide)
    alike = abs(wide - tall) < 0.6 * max(abs(wide), abs(tall)) + 0.02
    if abs(wide) > SIZE_LIMIT + slack and both_ways and alike:
        return _sized(leaf, "font-size", 1 + wide, "letters are {:.0%} as large")
    if (
        lines == 1
        and abs(wide) > SIZE_LIMIT + slack
        and abs(tall) < SIZE_LIMIT
        and abs(amount) < 0.06
    ):
        return _spacing(leaf, wide)
    enough = (
        AMOUNT_LIMIT
        + (0.0 if sure else UNSURE)
        + 0.1 / max(len("".join((leaf.node.characters or "").split())), 1)
    )
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


def _underline(leaf: JudgedNode, *, drawn: bool) -> Draft:
    words = ("underline", "none") if drawn else ("none", "underline")
    return Draft(
        at=leaf.at,
        property="text-decoration",
        strength=3.0,
        box=leaf.placed.box,
        says=f"text-decoration {words[0]}, expected {words[1]}",
        expected=words[1],
        actual=words[0],
        confidence=0.8,
    )


def _spacing(leaf: JudgedNode, wide: float) -> Draft:
    """Return the finding for as much ink in another width: the letters stand apart differently."""
    letters = max(len(leaf.node.characters or ""), 2)
    step = wide * leaf.placed.box.w / (letters - 1)
    return Draft(
        at=leaf.at,
        property="letter-spacing",
        strength=abs(wide) / SIZE_LIMIT,
        box=leaf.placed.box,
        says=f"letter-spacing off by about {step:+.1f}px",
        delta=step,
        unit="px",
        confidence=0.7,
    )


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
    other = reading.mismatch > ICON_LIMIT or reading.stray > STRAY_LIMIT
    if not other and abs(reading.amount_ratio - 1) < 0.25:
        return None
    if not other and (reading.contrast_ratio - 1) * (reading.amount_ratio - 1) > 0:
        return None  # as dark or light as its amount: a matter of colour
    strength = max(reading.mismatch / ICON_LIMIT, 1.0)
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
    if apart <= tolerance.color_delta_e or _as_declared(leaf, actual.color, tolerance):
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


def _as_declared(leaf: JudgedNode, color: NDArray[np.float32], tolerance: Tolerance) -> bool:
    """Tell whether ink reaches the colour that the design's node declares.

    The design's own picture may never show it: its strokes are thinner than a pixel.
    """
    if leaf.color is None or leaf.color[3] < 1:
        return False
    return delta_e(leaf.color[:3], np.clip(color, 0, 255)) <= tolerance.color_delta_e


def _angle(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the angle between two sums of ink in degrees; 0 where one is too faint to tell."""
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    if lengths <= 0:
        return 0.0
    return float(np.degrees(np.arccos(np.clip(float(first @ second) / lengths, -1.0, 1.0))))
