"""How far each measure of a text or drawing lies from what rasterisation explains: 1 is the limit.

From half a limit to twice a limit the pixels doubt; the matched element decides there.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_pixelloop.core.glyphs import GLYPH_LIMIT
from pytest_pixelloop.core.node_style import number, text_style

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.calibration import Calibration
    from pytest_pixelloop.core.ink import Ink
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.reading import Reading

DOUBTFUL = 0.5
"""Part of a limit from which a sure difference of the element makes pixels a finding."""
STRONG = 2.0
"""How many limits it takes that nothing an element says excuses the pixels."""

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
FULL, INKED = 0.97, 0.15
"""Coverage of a pixel that only ink fills, and of one that ink touches."""
FULL_SHARE = 0.2
"""Share of the touched pixels that only ink fills, from which strokes are as flat as a fill..."""
FULL_LEAST = 40
"""...and their number."""
HUE_LIMIT = 3.5
"""Degrees between the directions of two inks in sRGB: coloured fringes sum up to 2.

Of a single letter twice as much, for their sum is not nothing there."""
MOTTLED = 0.5
"""Part of what lies off a gradient that is off the ink's colour, too, from which it is no ink."""
SIZE_LIMIT = 0.03
"""Relative width and height: one px of a font size of 30 is 0.033."""
ENDS = 0.7
"""CSS px by which the width of a text may differ because its ends are rounded."""
ROUNDED = 1.2
"""CSS px by which the last line may stand further from the first: each is set on whole px."""
LINED = 0.8
"""Share of a text's width that is inked in one row where a line is drawn along it."""
BAR_LIMIT = 0.4
"""By how much that share may differ: letters alone fill up to half a row, hinting a third more."""


class Signs(NamedTuple):
    """The measures of one leaf against the page's usual ones.

    ``wide``, ``tall`` and ``amount`` are relative differences; ``letters``, ``stray``, ``width``,
    ``weight``, ``lines``, ``color`` and ``bar`` count in limits.
    """

    wide: float
    tall: float
    amount: float
    letters: float
    stray: float
    width: float
    weight: float
    lines: float
    color: float
    bar: float

    @property
    def worst(self) -> float:
        """The strongest sign."""
        return max(
            self.letters,
            self.stray,
            self.width,
            self.weight,
            self.lines,
            self.color,
            self.bar,
        )

    def of(self, family: str) -> float:
        """Return how strongly the pixels speak for a difference in a family of properties."""
        letters = max(self.letters, self.stray)
        by_family = {
            **dict.fromkeys(("color", "fill", "stroke", "opacity"), self.color),
            **dict.fromkeys(
                ("line-height", "text-align"), max(self.lines, letters) if self.lines else 0.0
            ),
            "font-weight": max(self.weight, letters),
            "font-size": max(self.width, letters),
            "letter-spacing": max(self.width, letters),
            "text-decoration-line": max(self.bar, self.weight, letters),
        }
        return by_family.get(family, max(letters, self.width, self.weight))


def signs_of(leaf: JudgedNode, reading: Reading, common: Calibration, *, scale: float) -> Signs:
    """Return the measures of a leaf that was found and has ink."""
    wide = reading.width_ratio / common.width - 1
    tall = reading.height_ratio - 1
    usual, sure = common.amount_of(reading)
    amount = reading.amount_ratio / usual - 1
    ink = reading.ink_rect
    span = (ink[2] - ink[0]) / scale if ink else leaf.placed.box.w
    letters = letter_count(leaf)
    enough = AMOUNT_LIMIT + (0.0 if sure else UNSURE) + 0.1 / letters
    lined = [bar > LINED for bar in reading.bars]
    apart = abs(reading.bars[1] - reading.bars[0])
    bar = min(apart / BAR_LIMIT, 1.0)
    if letters > 2 and lined[0] != lined[1] and apart > BAR_LIMIT / 2:
        bar = max(apart / BAR_LIMIT, 1.01)
    return Signs(
        wide=wide,
        tall=tall,
        amount=amount,
        letters=reading.mismatch / GLYPH_LIMIT,
        stray=min(reading.stray / STRAY_LIMIT, 1.0),
        width=abs(wide) / (SIZE_LIMIT + ENDS / max(span, 8.0)),
        weight=abs(amount) / enough,
        lines=_lines(leaf, tall),
        color=color_strength(leaf, reading, common),
        bar=bar,
    )


def letter_count(leaf: JudgedNode) -> int:
    """Return how many letters a text has; a drawing counts by its name."""
    return max(len("".join((leaf.node.characters or leaf.node.name).split())), 1)


def line_count(leaf: JudgedNode) -> int:
    """Return how many lines a text's box has room for."""
    line = number(text_style(leaf.node), "lineHeightPx")
    return max(round(leaf.placed.box.h / line), 1) if line is not None and line > 0 else 1


def _lines(leaf: JudgedNode, tall: float) -> float:
    """Return how far the lines stand from where they should, 0 for a single line.

    Both count: the pitch itself, and that it adds up to more than rounding does.
    """
    count = line_count(leaf)
    if count < 2:
        return 0.0
    moved = abs(tall) * leaf.placed.box.h * (count - 1) / count
    return max(min(moved / ROUNDED, abs(tall) / SIZE_LIMIT), 0.01)


def color_strength(leaf: JudgedNode, reading: Reading, common: Calibration) -> float:
    """Return how far the ink's colour is off: by its mass and its darkest part, or by its hue.

    Thin strokes blur the darkest part and sub-pixel text tints it; hinting changes the mass. A
    wrong colour changes both, the same way. A wrong hue turns the direction of the whole ink.
    Strokes wide enough to show their colour as a fill does need no second witness.
    """
    expected, actual = reading.expected_ink, reading.actual_ink
    if expected is None or actual is None:
        return 0.0
    mass = reading.amount_ratio / common.amount - 1
    peak = reading.contrast_ratio - 1
    along = min(abs(mass), abs(peak)) if mass * peak > 0 else 0.0
    if abs(peak) > along and shows_color(expected) and shows_color(actual):
        along = abs(peak)
    few = 1 / letter_count(leaf)
    turned = 0.0
    if not (_mottled(expected) and _mottled(actual)):
        turned = _angle(expected.total, actual.total) / (HUE_LIMIT * (1 + few))
    return max(along / (COLOR_LIMIT + COLOR_SLACK * few), turned)


def _mottled(ink: Ink) -> bool:
    """Tell whether much of what is not a gradient is not ink either: a photo, a second area.

    Then the sum of it all has the photo's hue, which each rasteriser scales in its own way.
    """
    return ink.levelled and ink.tint > MOTTLED


def shows_color(ink: Ink) -> bool:
    """Tell whether strokes are so wide that a part of the ink is nothing but its colour."""
    full = int(np.count_nonzero(ink.coverage >= FULL))
    if full < FULL_LEAST:
        return False
    return full >= FULL_SHARE * int(np.count_nonzero(ink.coverage > INKED))


def _angle(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the angle between two sums of ink in degrees; 0 where one is too faint to tell."""
    a, b = first.tolist(), second.tolist()
    lengths = math.hypot(*a) * math.hypot(*b)
    if lengths <= 0:
        return 0.0
    shared = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / lengths
    return math.degrees(math.acos(min(max(shared, -1.0), 1.0)))
