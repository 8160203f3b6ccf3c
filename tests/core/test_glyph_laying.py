"""Whether two inks are the same letters: lines one by one, set a little longer, drawn through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from pytest_pixelloop.core.glyphs import GLYPH_LIMIT, Laid, glyph_mismatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

PITCH = 26
LINES = ("There is a door for summer and one for winter", "and nobody uses it", "in 1987 or later")


def _ink(*lines: str, spread: float = 1.0) -> NDArray[np.float32]:
    """Return the lines' coverage; *spread* sets the words further apart."""
    image = np.zeros((PITCH * len(lines) - 6, 560), np.uint8)
    for row, line in enumerate(lines):
        x = 4.0
        for word in line.split():
            at = (round(x), 16 + PITCH * row)
            cv2.putText(image, word, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, 255, 1, cv2.LINE_AA)
            (wide, _), _ = cv2.getTextSize(word + " ", cv2.FONT_HERSHEY_SIMPLEX, 0.6, 1)
            x += wide * spread
    return np.asarray(image / 255, np.float32)


def _mismatch(
    left: NDArray[np.float32], right: NDArray[np.float32], *, pitch: float = PITCH
) -> float:
    return glyph_mismatch(Laid(expected=left, actual=right, em=18, scale=1, pitch=pitch))


def test_the_same_letters_are_alike() -> None:
    """The same lines have no mismatch."""
    assert _mismatch(_ink(*LINES), _ink(*LINES)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("spread", [0.985, 1.015])
def test_a_line_set_a_little_longer_has_the_same_letters(spread: float) -> None:
    """Rounded advances that add up to several px over a line leave its letters the same."""
    assert _mismatch(_ink(LINES[0]), _ink(LINES[0], spread=spread)) <= GLYPH_LIMIT


def test_a_wrong_digit_in_the_last_of_three_lines_is_seen() -> None:
    """Lines are looked at one by one: what is right in two lines does not hide the third."""
    wrong = (*LINES[:2], "in 1937 or later")
    assert _mismatch(_ink(*LINES), _ink(*wrong)) > GLYPH_LIMIT


def test_a_short_last_line_is_no_difference() -> None:
    """Where a line has no ink there is nothing to be unlike."""
    lines = (LINES[0], "it")
    moved = np.roll(_ink(*lines), 1, axis=1)
    assert _mismatch(_ink(*lines), moved) <= GLYPH_LIMIT


def test_another_word_is_seen_in_a_line_of_another_length() -> None:
    """Drawing a line out does not make other letters alike."""
    other = LINES[0].replace("summer", "spring")
    assert _mismatch(_ink(LINES[0]), _ink(other, spread=1.01)) > GLYPH_LIMIT
