"""What lies beside a leaf in the design and in the capture alike: it is not part of its ink."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.ink import covered_like
from pytest_pixelloop.core.ink_places import touched
from pytest_pixelloop.core.rectangles import cut, grown, overlap, relative

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.leaf_places import Drawn, Shown
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.rectangles import Rect

BESIDE = 3
"""Device px around ink that are still beside it."""
_SPREAD = np.ones((2 * BESIDE + 1, 2 * BESIDE + 1), np.uint8)


def without_neighbours(pair: PicturePair, shown: Shown, coverage: NDArray[np.float32]) -> bool:
    """Take out of a *coverage* what lies around its core and around the design's leaf alike.

    Return whether there may have been any.
    """
    home, core = shown.home, shown.core
    box = overlap(grown(home, BESIDE, BESIDE, pair.shape), shown.drawn.sought.window)
    design = _design(pair, shown.drawn, box)
    if design is None:
        return False
    cut(design, relative(shown.drawn.rect, box))[:] = 0.0
    known = np.asarray(cv2.threshold(design, 0.1, 1, cv2.THRESH_BINARY)[1], np.uint8)
    if not cv2.countNonZero(known):
        return False
    x, y, right, bottom = relative(home, box)
    beside = np.asarray(cv2.dilate(known, _SPREAD))[y:bottom, x:right]
    cut(beside, core)[:] = 0
    coverage[beside > 0] = 0.0
    return True


def _design(pair: PicturePair, drawn: Drawn, box: Rect) -> NDArray[np.float32] | None:
    """Return the coverage of a part of the design by a leaf's ink, None where there is no other."""
    where, ink = drawn.sought, drawn.ink
    if where.tilted:
        return cut(ink.coverage, relative(box, where.place)).copy()
    if where.code is not None:
        places = touched(cut(pair.expected_words, box), where.code)
        many = cv2.countNonZero(places)
        if many <= cv2.countNonZero(cut(places, relative(drawn.rect, box))):
            return None
        known = overlap(where.place, box)
        if many <= cv2.countNonZero(cut(places, relative(known, box))):  # all of it was read
            design = np.zeros(places.shape, np.float32)
            cut(design, relative(known, box))[:] = cut(ink.coverage, relative(known, where.place))
            return design
    return covered_like(cut(pair.expected, box), ink)
