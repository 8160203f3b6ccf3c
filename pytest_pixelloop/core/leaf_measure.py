"""Two inks of each leaf, the design's and the capture's, measured against each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from pytest_pixelloop.core.glyph_laying import DRIFT
from pytest_pixelloop.core.glyphs import GLYPH_LIMIT, Laid, glyph_mismatch, glyph_mismatches
from pytest_pixelloop.core.ink_spread import Spread, masses, spreads, strays
from pytest_pixelloop.core.leaf_search import ALIKE
from pytest_pixelloop.core.node_style import number, text_style
from pytest_pixelloop.core.reading import Reading
from pytest_pixelloop.core.rectangles import Rect, cut, joined, relative
from pytest_pixelloop.core.strips import Strip, strips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.ink import Ink
    from pytest_pixelloop.core.judged_nodes import JudgedNode


FRINGED = 0.25
"""Share of off-colour ink from which a text is rendered on sub-pixels."""
_GONE = 0.12
"""Share of the design's ink below which a leaf counts as missing."""
_LITTLE = 0.01
"""Ink that only one picture has, in squares of the em, that says nothing wherever it is."""
_THREE = np.full((1, 3), 1 / 3, np.float32)


class Meeting(NamedTuple):
    """Both inks of a leaf, found and not yet measured.

    ``template`` is the design's coverage where it has ink, at ``rect`` in the design; ``core`` is
    where it comes to lie in the other ink's coverage, ``extent`` where that ink is. ``shift`` and
    ``em`` are in device px.
    """

    leaf: JudgedNode
    ink: Ink
    other: Ink
    template: NDArray[np.float32]
    rect: Rect
    core: Rect
    extent: Rect
    em: float
    shift: tuple[int, int]
    likeness: float

    @property
    def both(self) -> Rect:
        """The box that holds both inks in the other ink's coverage."""
        return joined(self.core, self.extent)


def measure(meetings: Sequence[Meeting], *, scale: float) -> list[Reading]:
    """Return the readings of leaves from both inks of each."""
    found: list[Reading | None] = [None] * len(meetings)
    sizes = [(b[3] - b[1], b[2] - b[0]) for b in (m.both for m in meetings)]
    for strip in strips(sizes, margin=1):
        picked = [meetings[k] for k in strip.picks]
        for k, reading in zip(strip.picks, _measured(picked, strip, scale=scale), strict=True):
            found[k] = reading
    return [r for r in found if r is not None]


def _measured(meetings: Sequence[Meeting], strip: Strip, *, scale: float) -> list[Reading]:
    left, right = (np.zeros((strip.height, strip.length), np.float32) for _ in "lr")
    boxes = []
    for m, (x, y, _, _) in zip(meetings, strip.places, strict=True):
        both = m.both
        x0, y0, x1, y1 = relative(m.core, (both[0] - x, both[1] - y, 0, 0))
        left[y0:y1, x0:x1] = m.template
        u0, v0, u1, v1 = relative(m.extent, (both[0] - x, both[1] - y, 0, 0))
        right[v0:v1, u0:u1] = cut(m.other.coverage, m.extent)
        boxes.append(((x0, y0, x1, y1), (u0, v0, u1, v1)))
    before = spreads(left, strip, [b[0] for b in boxes])
    after = spreads(right, strip, [b[1] for b in boxes])
    stray = strays(
        left,
        right,
        strip,
        sides=[max(round(m.em / 2), 3) for m in meetings],
        little=[_LITTLE * m.em**2 for m in meetings],
    )
    laid = _laid(meetings, strip, (left, right), scale=scale)
    mismatches = glyph_mismatches(laid)
    return [
        _reading(m, before[k], after[k], stray[k], laid[k], mismatches[k])
        for k, m in enumerate(meetings)
    ]


def _laid(
    meetings: Sequence[Meeting],
    strip: Strip,
    sheets: tuple[NDArray[np.float32], NDArray[np.float32]],
    *,
    scale: float,
) -> list[Laid]:
    """Return each leaf's inks laid on each other: smoothed alike, and as much ink in both."""
    for k, m in enumerate(meetings):
        fringes = (m.ink.tint > FRINGED, m.other.tint > FRINGED)
        if fringes[0] != fringes[1]:
            # Sub-pixel text is smoothed over three pixels, other text is not.
            x0, y0, x1, y1 = strip.places[k]
            part = sheets[fringes[0]][y0:y1, x0:x1]
            part[:] = cv2.filter2D(part.copy(), -1, _THREE)
    expected, found = (masses(sheet, strip) for sheet in sheets)
    level = np.clip(expected / np.maximum(found, 1e-6), 0.5, 2.0)
    actual = sheets[1] * strip.along(level.astype(np.float32))
    return [
        Laid(
            expected=left,
            actual=right,
            em=m.em,
            scale=scale,
            pitch=(number(text_style(m.leaf.node), "lineHeightPx") or 0.0) * scale,
        )
        for m, left, right in zip(
            meetings, strip.parts(sheets[0]), strip.parts(actual), strict=True
        )
    ]


def _reading(
    m: Meeting, before: Spread, after: Spread, stray: float, laid: Laid, mismatch: float
) -> Reading:
    ink, other, scale = m.ink, m.other, laid.scale
    contrast = other.contrast / ink.contrast
    amount = after.mass / max(before.mass, 1e-6) * contrast
    if amount < _GONE:
        return Reading(
            at=m.leaf.at,
            found=False,
            missing=True,
            likeness=m.likeness,
            ink_rect=m.rect,
            expected_ink=ink,
            actual_ink=other,
        )
    core, extent = m.core, m.extent
    return Reading(
        at=m.leaf.at,
        found=m.likeness >= ALIKE,
        shift=(m.shift[0] / scale, m.shift[1] / scale),
        likeness=m.likeness,
        stray=stray / m.em**2,
        edges=(
            (extent[0] - core[0]) / scale,
            (extent[1] - core[1]) / scale,
            (extent[2] - core[2]) / scale,
            (extent[3] - core[3]) / scale,
        ),
        width_ratio=after.width / max(before.width, 0.5),
        height_ratio=after.height / max(before.height, 0.5),
        amount_ratio=amount,
        contrast_ratio=contrast,
        ink_rect=m.rect,
        expected_ink=ink,
        actual_ink=other,
        mismatch=mismatch,
        em=m.em / scale,
        light=sum(ink.color.tolist()) > sum(ink.backdrop.tolist()),
        bars=(before.bar, after.bar),
        bar_place=(before if before.bar >= after.bar else after).bar_place,
        laid=laid,
    )


def relaid(reading: Reading, *, until: float = GLYPH_LIMIT, drift: float = DRIFT) -> Reading:
    """Return the reading with its letters laid on each other more closely, or further away."""
    if reading.laid is None or reading.mismatch <= until:
        return reading
    closer = glyph_mismatch(reading.laid, until=until, drift=drift)
    return replace(reading, mismatch=min(closer, reading.mismatch))
