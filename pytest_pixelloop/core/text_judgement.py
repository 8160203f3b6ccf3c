"""From the reading of a text to what is wrong with it, the likeliest cause first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.node_style import number, text_style
from pytest_pixelloop.core.text_signs import SIZE_LIMIT, Signs, line_count

if TYPE_CHECKING:
    from pytest_pixelloop.core.calibration import Calibration
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.reading import Reading

_BELOW = 0.7
"""Part of a line's ink above which a line through the letters lies, and an underline below."""


def judge_text(  # noqa: PLR0911 - a ladder of causes, the likeliest first
    leaf: JudgedNode,
    reading: Reading,
    signs: Signs,
    common: Calibration,
    *,
    slack: float = 1.0,
) -> Draft | None:
    """Return what is wrong with a text's shape, None where rasterisation explains all of it.

    *slack* is how many limits the signs may reach: STRONG where the element says that all is well.
    """
    if signs.bar > slack:
        return _decoration(leaf, reading)
    wide, tall = signs.wide, signs.tall
    broad = signs.width > slack
    if signs.lines > slack and abs(wide) < SIZE_LIMIT:
        return _sized(leaf, "line-height", 1 + tall, "lines stand {:.0%} as far apart")
    both_ways = tall * wide > 0 and abs(tall) > 0.3 * abs(wide)
    alike = abs(wide - tall) < 0.6 * max(abs(wide), abs(tall)) + 0.02
    if broad and both_ways and alike:
        return _sized(leaf, "font-size", 1 + wide, "letters are {:.0%} as large")
    if broad and line_count(leaf) == 1 and abs(tall) < SIZE_LIMIT and abs(signs.amount) < 0.06:
        return _spacing(leaf, wide, signs.width)
    other = signs.letters > slack or signs.width > 2 * slack
    if other and not (signs.weight > 1 and signs.letters < 2 and abs(wide) < 0.08):
        return _letters(leaf, reading, signs)
    if other or (signs.weight > slack and not _color_only(reading, common)):
        return _weight(leaf, signs)
    return None


def _letters(leaf: JudgedNode, reading: Reading, signs: Signs) -> Draft:
    return Draft(
        at=leaf.at,
        property="text",
        strength=max(signs.letters, 1.0),
        box=leaf.placed.box,
        says="other letters than in the design",
        expected=leaf.node.characters,
        delta=reading.mismatch,
        unit="mismatch",
    )


def _decoration(leaf: JudgedNode, reading: Reading) -> Draft:
    drawn = reading.bars[1] > reading.bars[0]
    through = line_count(leaf) == 1 and reading.bar_place < _BELOW
    name = "line-through" if through else "underline"
    actual, expected = (name, "none") if drawn else ("none", name)
    return Draft(
        at=leaf.at,
        property="text-decoration",
        strength=3.0,
        box=leaf.placed.box,
        says=f"text-decoration {actual}, expected {expected}",
        expected=expected,
        actual=actual,
        confidence=0.8,
    )


def _spacing(leaf: JudgedNode, wide: float, strength: float) -> Draft:
    """Return the finding for as much ink in another width: the letters stand apart differently."""
    letters = max(len(leaf.node.characters or ""), 2)
    step = wide * leaf.placed.box.w / (letters - 1)
    return Draft(
        at=leaf.at,
        property="letter-spacing",
        strength=strength,
        box=leaf.placed.box,
        says=f"letter-spacing off by about {step:+.1f}px",
        delta=step,
        unit="px",
        confidence=0.7,
    )


def _sized(leaf: JudgedNode, name: str, ratio: float, words: str) -> Draft:
    key = {"font-size": "fontSize", "line-height": "lineHeightPx"}[name]
    expected = number(text_style(leaf.node), key)
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


def _weight(leaf: JudgedNode, signs: Signs) -> Draft:
    word = "heavier" if signs.amount > 0 else "lighter"
    return Draft(
        at=leaf.at,
        property="font-weight",
        strength=max(signs.weight, 1.0),
        box=leaf.placed.box,
        says=f"{word} than the design ({signs.amount:+.0%} ink)",
        expected=number(text_style(leaf.node), "fontWeight"),
        actual=word,
        delta=signs.amount,
        unit="ink",
        confidence=0.7,
    )


def _color_only(reading: Reading, common: Calibration) -> bool:
    """Tell whether the amount differs because the ink's colour does, not its shape."""
    amount = reading.amount_ratio / common.amount - 1
    return abs(reading.contrast_ratio - 1) > 0.5 * abs(amount) and (
        (reading.contrast_ratio - 1) * amount > 0
    )
