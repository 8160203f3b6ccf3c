"""Whether two pictures show the same screen at all: one line instead of a hundred differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.glyphs import GLYPH_LIMIT
from pytest_pixelloop.core.judged_nodes import Kind
from pytest_pixelloop.core.leaf_search import ALIKE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.reading import Reading

LIGHT, DARK = 150.0, 105.0
"""Levels of the commonest grey above which a screen is light, and below which it is dark."""
BLANK_SHARE = 0.02
"""Share of the design's contours below which a page is blank."""
FEW_LEAVES = 6
"""Leaves below which a share of them says nothing about the whole screen."""
STRANGE_SHARE = 0.75
"""Share of leaves that are not found from which the page is another screen."""
FONT_SHARE = 0.8
"""Share of texts with other letters, in place, from which the font is another one."""


def incomparable_pictures(pair: PicturePair) -> Draft | None:
    """Return the one finding for a blank page or the wrong theme, seen from the pixels alone."""
    left = cv2.cvtColor(_thinned(pair.expected), cv2.COLOR_RGB2GRAY)
    right = cv2.cvtColor(_thinned(pair.actual), cv2.COLOR_RGB2GRAY)
    lines = [_lines(np.asarray(g, np.uint8)) for g in (left, right)]
    if lines[0] > 50 and lines[1] < BLANK_SHARE * lines[0]:
        return _whole(pair, "blank", "the page is blank", expected="content", actual="blank")
    levels = [float(np.median(g)) for g in (left, right)]
    for first, second, words in ((0, 1, ("light", "dark")), (1, 0, ("dark", "light"))):
        if levels[first] > LIGHT and levels[second] < DARK:
            says = f"the page is {words[1]}, the design is {words[0]}: another theme"
            return _whole(pair, "theme", says, expected=words[0], actual=words[1])
    return None


def incomparable_nodes(
    pair: PicturePair, nodes: Sequence[JudgedNode], readings: Mapping[int, Reading]
) -> Draft | None:
    """Return the one finding for another screen or another font, from the leaves' readings."""
    read = [r for r in readings.values() if r.readable]
    if len(read) < FEW_LEAVES:
        return None
    lost = [r for r in read if r.missing or not r.found]
    if len(lost) >= STRANGE_SHARE * len(read):
        says = f"{len(lost)} of {len(read)} texts and icons are not there: another screen"
        return _whole(pair, "screen", says, expected=len(read), actual=len(read) - len(lost))
    texts = [r for r in read if nodes[r.at].kind is Kind.TEXT]
    inked = [r for r in texts if r.expected_ink is not None]
    other = [r for r in inked if r.mismatch > GLYPH_LIMIT and not r.missing]
    placed = [r for r in other if r.likeness < ALIKE or r.mismatch > 2 * GLYPH_LIMIT]
    if len(texts) >= FEW_LEAVES and len(placed) >= FONT_SHARE * len(texts):
        says = f"{len(placed)} of {len(texts)} texts have other letters: another font"
        return _whole(pair, "font-family", says, expected=len(texts), actual=len(placed))
    return None


def _thinned(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    step = max(int((picture.shape[0] * picture.shape[1] / 250_000) ** 0.5), 1)
    return np.ascontiguousarray(picture[::step, ::step])


def _lines(gray: NDArray[np.uint8]) -> int:
    across = cv2.absdiff(gray[:, 1:], gray[:, :-1])
    return int(np.count_nonzero(np.asarray(across) > 16))


def _whole(
    pair: PicturePair, name: str, says: str, *, expected: str | int, actual: str | int
) -> Draft:
    height, width = pair.shape
    return Draft(
        at=0,
        property=name,
        kind="incomparable",
        strength=50.0,
        box=Box(0, 0, width / pair.scale, height / pair.scale),
        says=says,
        expected=expected,
        actual=actual,
    )
