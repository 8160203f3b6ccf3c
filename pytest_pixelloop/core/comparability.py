"""Whether two pictures show the same screen at all: one line instead of a hundred differences."""

from __future__ import annotations

from dataclasses import dataclass
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

    from cv2.typing import MatLike
    from numpy.typing import NDArray

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.reading import Reading
    from pytest_pixelloop.core.tolerance import Tolerance

LIGHT, DARK = 150.0, 105.0
"""Levels above which most of a light screen lies, and below which most of a dark one does."""
BLANK_SHARE = 0.02
"""Share of the design's contours below which a page is blank."""
FEW_LINES = 50
"""Pixels of contours up to which a design itself is blank."""
_UNLIKE = 16
"""Levels from one pixel to the next beyond which there is a contour."""
_ROWS = 64
FEW_LEAVES = 6
"""Leaves below which a share of them says nothing about the whole screen."""
STRANGE_SHARE = 0.75
"""Share of leaves that are not found from which the page is another screen."""
FONT_SHARE = 0.75
"""Share of a font's texts with other letters from which the font is another one."""
APART_SHARE = 0.5
"""Share of them that must be unlike letter by letter, too."""
GONE_SHARE = 0.15
"""Share of texts without any ink in their place up to which it is still the same screen."""


def other_width(pair: PicturePair, *, tolerance: Tolerance) -> bool:
    """Tell whether the pictures are of another width: then the page was laid out for another."""
    apart = abs(pair.expected_size[0] - pair.actual_size[0]) / pair.scale
    return apart > max(tolerance.pixel, 1.0)


def incomparable_pictures(
    pair: PicturePair, grays: tuple[NDArray[np.uint8], NDArray[np.uint8]]
) -> Draft | None:
    """Return the one finding for a blank page or the wrong theme, seen from the pixels alone.

    *grays* are the pair's pictures in grey.
    """
    left, right = (_thinned(gray) for gray in grays)
    lines = _lines(left)
    if lines > FEW_LINES and not _has_lines(right, BLANK_SHARE * lines):
        return _whole(pair, "blank", "the page is blank", expected="content", actual="blank")
    light, dark = "light", "dark"
    for first, second, words in ((left, right, (light, dark)), (right, left, (dark, light))):
        if _is_light(first) and _is_dark(second):
            says = f"the page is {words[1]}, the design is {words[0]}: another theme"
            return _whole(pair, "theme", says, expected=words[0], actual=words[1])
    return None


def incomparable_nodes(
    pair: PicturePair, nodes: Sequence[JudgedNode], readings: Mapping[int, Reading]
) -> Draft | None:
    """Return the one finding for another screen, from the leaves' readings.

    In another font a text is unlike, too, but there is ink where it should be.
    """
    read = [r for r in readings.values() if r.readable]
    if len(read) < FEW_LEAVES:
        return None
    lost = [r for r in read if r.missing or not r.found]
    texts = [r for r in read if nodes[r.at].kind is Kind.TEXT]
    rest = [r for r in lost if nodes[r.at].kind is not Kind.TEXT]
    gone = [r for r in texts if r.missing]
    inked = len(gone) <= GONE_SHARE * len(texts) and len(rest) < STRANGE_SHARE * (
        len(read) - len(texts) or 1
    )
    if len(lost) >= STRANGE_SHARE * len(read) and not inked:
        says = (
            f"{len(lost)} of {len(read)} texts and pictures are not there: another screen, or a "
            "page that has not loaded"
        )
        return _whole(pair, "screen", says, expected=len(read), actual=len(read) - len(lost))
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherFonts:
    """The fonts that the page does not use: a finding for each, and the texts it explains.

    ``everywhere`` tells that most texts of the screen are concerned: what else differs follows.
    """

    drafts: list[Draft]
    texts: frozenset[int] = frozenset()
    everywhere: bool = False


def other_fonts(nodes: Sequence[JudgedNode], readings: Mapping[int, Reading]) -> OtherFonts:
    """Return the font families of the design nearly all of whose texts have other letters.

    Small letters half a pixel aside correlate as badly as other ones, but each lies on its own: of
    another font at least half the texts show otherwise.
    """
    families: dict[str, list[Reading]] = {}
    for reading in readings.values():
        node = nodes[reading.at]
        if reading.readable and reading.expected_ink is not None and node.kind is Kind.TEXT:
            families.setdefault(_family(node), []).append(reading)
    drafts: list[Draft] = []
    concerned: set[int] = set()
    for family, texts in sorted(families.items()):
        other = [r for r in texts if _other_letters(r)]
        gone = [r for r in texts if r.missing]
        few = len(texts) < FEW_LEAVES or len(gone) > GONE_SHARE * len(texts)
        apart = sum(r.mismatch > GLYPH_LIMIT for r in other)
        if few or len(other) < FONT_SHARE * len(texts) or apart < APART_SHARE * len(texts):
            continue
        drafts.append(_font(nodes, texts, other=len(other), family=family))
        concerned.update(r.at for r in texts)
    total = sum(len(texts) for texts in families.values())
    return OtherFonts(
        drafts=drafts,
        texts=frozenset(concerned),
        everywhere=bool(concerned) and len(concerned) >= STRANGE_SHARE * total,
    )


def _family(node: JudgedNode) -> str:
    style = node.node.properties.get("style")
    return str(style.get("fontFamily") or "") if isinstance(style, dict) else ""


def _other_letters(reading: Reading) -> bool:
    unlike = reading.likeness < ALIKE or reading.mismatch > 2 * GLYPH_LIMIT
    return not reading.missing and (
        not reading.found or (reading.mismatch > GLYPH_LIMIT and unlike)
    )


def _font(
    nodes: Sequence[JudgedNode], texts: Sequence[Reading], *, other: int, family: str
) -> Draft:
    called = f" in {family}" if family else ""
    return Draft(
        at=0,
        property="font-family",
        kind="incomparable",
        strength=50.0,
        box=nodes[0].placed.box,
        says=f"{other} of {len(texts)} texts{called} have other letters: another font",
        expected=family or None,
        actual="another font",
    )


def _thinned(gray: NDArray[np.uint8]) -> NDArray[np.uint8]:
    step = max(int((gray.shape[0] * gray.shape[1] / 250_000) ** 0.5), 1)
    return np.ascontiguousarray(gray[::step, ::step])


def _is_light(gray: NDArray[np.uint8]) -> bool:
    return 2 * _above(gray, LIGHT) > gray.size


def _is_dark(gray: NDArray[np.uint8]) -> bool:
    return 2 * _above(gray, DARK - 1) < gray.size


def _lines(gray: NDArray[np.uint8]) -> int:
    """Return how many pixels are unlike the one to the left of them."""
    if gray.shape[1] < 2:
        return 0
    return _above(cv2.absdiff(gray[:, 1:], gray[:, :-1]), _UNLIKE)


def _has_lines(gray: NDArray[np.uint8], least: float) -> bool:
    """Tell whether there are at least so many; a part of the picture is enough to know."""
    found = 0
    for top in range(0, gray.shape[0], _ROWS):
        found += _lines(gray[top : top + _ROWS])
        if found >= least:
            return True
    return False


def _above(gray: MatLike, level: float) -> int:
    """Return how many pixels lie above a level."""
    return cv2.countNonZero(cv2.threshold(gray, level, 1, cv2.THRESH_BINARY)[1])


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
