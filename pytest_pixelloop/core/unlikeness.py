"""How much two pictures differ as a whole: what of the score is left besides the findings."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.perceptual import strays_both_ways, to_lab_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.picture_pair import PicturePair

_HALF = 100_000.0
"""Lab units x CSS px squared that are half of all unlikeness: 1,000 px that are 100 units off."""
_AT_ONCE = 160_000
"""Pixels that are looked at in one go: more do not stay near the processor."""
_WIDE = 128
"""Pixels across the strips of the picture whose rows are looked at or left out."""
_MOST = 0.5
"""Share of the picture from which it is quicker to look at all of it."""


def unlikeness(pair: PicturePair) -> float:
    """Return how much two pictures differ as a whole, 0 (not at all) to below 1, in CSS px.

    Each pixel counts by how far its colour lies outside the range of the other picture there, so
    that what smoothing explains counts little; the same page at another scale has about the same.
    """
    differs, expected, actual = _differing_rows(pair)
    height, width = differs.shape
    step, total = max(_AT_ONCE // max(width, 1), 1), 0.0
    for top in range(0, height, step):
        above, bottom = max(top - 1, 0), top + step
        rows = slice(above, bottom + 1)
        apart = strays_both_ways(to_lab_bytes(expected[rows]), to_lab_bytes(actual[rows]))
        own = apart[top - above : bottom - above]
        total += cv2.sumElems(cv2.copyTo(own, differs[top:bottom]))[0]
    total /= pair.scale**2
    return total / (total + _HALF)


def _differing_rows(
    pair: PicturePair,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return where they differ and both pictures, of strips only the rows around differences.

    A pixel that is the same in both lies in the range of the other picture: it adds nothing. Rows
    that are not beside each other in the picture are put so; the first and the last one of each
    run are the same in both, so what they border on does not matter.
    """
    whole = pair.differs, pair.expected, pair.actual
    height, width = pair.shape
    strips = -(-width // _WIDE)
    mask = cv2.copyMakeBorder(
        pair.differs, 0, 0, 0, strips * _WIDE - width, cv2.BORDER_CONSTANT, value=0
    )
    around = np.asarray(cv2.dilate(mask, np.ones((3, 1), np.uint8)))
    rows = np.asarray(around.reshape(height, strips, _WIDE).any(axis=2))
    if rows.mean() > _MOST or strips < 2:
        return whole
    right = strips * _WIDE - width + 1
    framed = [
        np.asarray(cv2.copyMakeBorder(p, 0, 0, 1, right, cv2.BORDER_REPLICATE), np.uint8)
        for p in whole
    ]
    framed[0][:, 0] = framed[0][:, width + 1 :] = 0
    parts: list[list[NDArray[np.uint8]]] = [[], [], []]
    for k in range(strips):
        inner = slice(k * _WIDE, (k + 1) * _WIDE + 2)
        turns = np.flatnonzero(np.diff(rows[:, k], prepend=False, append=False)).tolist()
        for top, bottom in list(pairwise(turns))[::2]:
            for found, picture in zip(parts, framed, strict=True):
                found.append(picture[top:bottom, inner])
    if not parts[0]:
        return whole
    differs, expected, actual = (np.concatenate(p) for p in parts)
    differs[:, 0] = differs[:, -1] = 0  # seen from the strips beside
    return differs, expected, actual
