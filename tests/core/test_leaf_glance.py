"""A first glance finds leaves that are clearly about home, and says nothing of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from pytest_pixelloop.core.ink import find
from pytest_pixelloop.core.leaf_glance import glance

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rect = tuple[int, int, int, int]

WORDS = {"Inbox": (20, 30, 90, 52), "Archive 12": (120, 80, 230, 102), "No": (8, 140, 40, 161)}
RECTS = list(WORDS.values())


def _page(*, down: int = 0, across: int = 0, soft: float = 0.0) -> NDArray[np.uint8]:
    page = np.full((200, 260), 240, np.uint8)
    for words, (x0, _, _, y1) in WORDS.items():
        at = (x0 + 4 + across, y1 - 6 + down)
        cv2.putText(page, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.55, 20, 1, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(page, (0, 0), soft), np.uint8) if soft else page


def _found(
    before: NDArray[np.uint8], after: NDArray[np.uint8], rect: Rect
) -> tuple[int, int, float]:
    x0, y0, x1, y1 = rect
    window = after[y0 - 3 : y1 + 3, x0 - 3 : x1 + 3]
    return find(before[y0:y1, x0:x1], window, home=(3, 3))


@pytest.mark.parametrize("down", [-1, 0, 1])
@pytest.mark.parametrize("soft", [0.0, 0.5])
def test_what_is_clear_is_what_a_search_finds(down: int, soft: float) -> None:
    """A glance tells the same place and likeness as looking everywhere near."""
    before, after = _page(), _page(down=down, soft=soft)
    for rect, place in zip(RECTS, glance(before, after, RECTS), strict=True):
        assert place is not None
        dx, dy, likeness = _found(before, after, rect)
        assert place[:2] == (dx, dy) == (0, down)
        assert place[2] == pytest.approx(likeness, abs=1e-4)


@pytest.mark.parametrize(("across", "down"), [(0, 2), (0, -2), (1, 0), (-1, 1), (3, 0), (0, 9)])
def test_what_went_further_has_to_be_looked_for(across: int, down: int) -> None:
    """Beside home or at the rim of the glance nothing is clear."""
    assert glance(_page(), _page(across=across, down=down), RECTS) == [None] * len(RECTS)


def test_a_line_without_an_end_has_to_be_looked_for() -> None:
    """What looks the same a px further along may be anywhere along it."""
    before = np.full((60, 200), 255, np.uint8)
    before[30:32] = 0
    assert glance(before, before, [(50, 20, 150, 40)]) == [None]


def test_one_colour_and_the_rim_of_the_picture_have_to_be_looked_for() -> None:
    """Where there is nothing to compare, or not all around, a glance says nothing."""
    page = _page()
    rects = [(200, 150, 240, 170), (0, 30, 90, 52), (120, 80, 260, 102)]
    assert glance(page, page, rects) == [None] * 3
