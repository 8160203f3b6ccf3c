"""Where a leaf of the design is on the page: near its place, where others went, then far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.ink import find
from pytest_pixelloop.core.leaf_glance import Found, glance
from pytest_pixelloop.core.rectangles import Rect, cut, grown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.picture_pair import PicturePair

Shift = tuple[float, float]

NEAR = 3.0
"""CSS px within which a leaf is looked for first."""
BESIDE = (12.0, 12.0)
"""CSS px (across, down) within which a leaf that is not near is looked for next."""
FAR = (160.0, 160.0)
"""CSS px (across, down) within which a leaf that is not near is looked for."""
ALIKE = 0.7
"""Correlation from which two inks are taken for the same text or icon, perhaps with changes."""
FAIRLY, SURER = 0.5, 0.25
"""Correlation where others went, and by how much it exceeds that at home, for one of them."""
MOVED = 0.85
"""Correlation from which a leaf is believed to be far from home."""
CERTAIN = 0.9
"""Correlation from which a match at the rim of the search is not looked for beyond it."""
_TRIES = 4
"""How many places are looked at for a leaf that is far from home."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeafSearch:
    """Looks for leaves of one pair; keeps the grey pictures and the shifts already seen."""

    pair: PicturePair
    gray_expected: NDArray[np.uint8]
    gray_actual: NDArray[np.uint8]
    seen: list[tuple[int, int]] = field(default_factory=list)

    def glance(self, rects: Sequence[Rect]) -> list[Found | None]:
        """Return dx, dy and the likeness there of those leaves that are clearly about home."""
        around = [grown(rect, 1, 1, self.pair.shape) for rect in rects]
        return glance(self.gray_expected, self.gray_actual, around)

    def locate(
        self, rect: Rect, scale: float, *, hint: Callable[[], Shift | None] = lambda: None
    ) -> Found:
        """Return dx, dy in device px and the likeness there of a leaf that a glance did not find.

        Near first, then where its element lies (*hint*, in CSS px, asked only then), then as other
        leaves went, then far. What an element says is near is not looked for elsewhere.
        """
        template = cut(self.gray_expected, grown(rect, 1, 1, self.pair.shape))
        near = round(NEAR * scale)
        best = self._home(template, rect, near=near)
        if _is_there(best, near):
            return best
        told = hint()
        if told is not None:
            around = round(told[0] * scale), round(told[1] * scale)
            tried = self._search(template, rect, reach=(near, near), around=around)
            if tried[2] > best[2] and (tried[2] >= ALIKE or _gone_along(tried, best)):
                self._note(tried)
                return _believed(tried)
            if max(abs(around[0]), abs(around[1])) <= near:
                return best
        for around in self.seen:
            tried = self._search(template, rect, reach=(near, near), around=around)
            if (tried[2] >= ALIKE and tried[2] > best[2] + 0.05) or _gone_along(tried, best):
                return _believed(tried)
        least = max(MOVED, best[2] + 0.08)
        for reach in (BESIDE, FAR):  # a list has the same icon in each row: the nearest one first
            far = self._far(template, rect, reach=reach, least=least)
            if far is not None:
                self._note(far)
                return far
        return best

    def _note(self, found: Found) -> None:
        """Keep where a leaf went: others may have gone along."""
        if all(max(abs(found[0] - x), abs(found[1] - y)) > 1 for x, y in self.seen):
            self.seen.append(found[:2])

    def _home(
        self, template: NDArray[np.uint8], rect: Rect, *, near: int
    ) -> tuple[int, int, float]:
        """Return the best match near home: in light on dark too, where it was dark on light.

        What is chosen, pressed or disabled changes its colours, not its place.
        """
        best = self._search(template, rect, reach=(near, near), around=(0, 0))
        if _is_there(best, near):
            return best
        inverse = np.asarray(cv2.bitwise_not(template), np.uint8)
        flipped = self._search(inverse, rect, reach=(near, near), around=(0, 0))
        return flipped if _is_there(flipped, near) else best

    def _far(
        self,
        template: NDArray[np.uint8],
        rect: Rect,
        *,
        reach: tuple[float, float],
        least: float,
    ) -> tuple[int, int, float] | None:
        """Return where a leaf went, None where every likeness is another leaf in its own place."""
        scale, shape = self.pair.scale, self.pair.shape
        x0, y0, x1, y1 = grown(rect, 1, 1, shape)
        window = grown((x0, y0, x1, y1), round(reach[0] * scale), round(reach[1] * scale), shape)
        area = cut(self.gray_actual, window)
        if area.shape[0] < template.shape[0] or area.shape[1] < template.shape[1]:
            return None
        likeness = cv2.matchTemplate(area, template, cv2.TM_CCOEFF_NORMED)
        height, width = template.shape
        for _ in range(_TRIES):
            _, high, _, (column, row) = cv2.minMaxLoc(likeness)
            if high < least:
                return None
            spot = (window[0] + column, window[1] + row)
            there = (spot[0], spot[1], spot[0] + width, spot[1] + height)
            if not self._stayed(there):
                return spot[0] - x0, spot[1] - y0, float(high)
            likeness[max(row - 3, 0) : row + 4, max(column - 3, 0) : column + 4] = -1.0
        return None

    def _stayed(self, there: Rect) -> bool:
        """Tell whether a place shows what the design has there, give or take a px and soft edges.

        Then it is another leaf in its own place, though it looks like the one that is looked for.
        """
        scale = self.pair.scale
        around = grown(there, round(scale), round(scale), self.pair.shape)
        before, after = (
            cv2.GaussianBlur(picture, (0, 0), 0.8 * scale)
            for picture in (cut(self.gray_expected, there), cut(self.gray_actual, around))
        )
        if float(np.ptp(before)) < 8:
            return False
        return float(cv2.matchTemplate(after, before, cv2.TM_CCOEFF_NORMED).max()) >= ALIKE

    def _search(
        self,
        template: NDArray[np.uint8],
        rect: Rect,
        *,
        reach: tuple[int, int],
        around: tuple[int, int],
    ) -> tuple[int, int, float]:
        x0, y0, x1, y1 = grown(rect, 1, 1, self.pair.shape)
        ax, ay = around
        window = grown((x0 + ax, y0 + ay, x1 + ax, y1 + ay), *reach, self.pair.shape)
        area = cut(self.gray_actual, window)
        if area.shape[0] < template.shape[0] or area.shape[1] < template.shape[1]:
            return 0, 0, 0.0
        home = (x0 + ax - window[0], y0 + ay - window[1])
        dx, dy, likeness = find(template, area, home=home)
        return dx + ax, dy + ay, likeness


def _believed(found: Found) -> Found:
    """Return a match that is taken for one, whatever its likeness."""
    return found[0], found[1], max(found[2], ALIKE)


def _gone_along(there: Found, home: Found) -> bool:
    """Tell whether a leaf went where others went: much more alike there, if not very.

    Between two pixels a small drawing is not very alike anywhere.
    """
    return there[2] >= FAIRLY and there[2] >= home[2] + SURER


def _is_there(found: tuple[int, int, float], near: int) -> bool:
    """Tell whether a match is one, and not only the rim of a better one further on."""
    inner = max(abs(found[0]), abs(found[1])) < near
    return found[2] >= (ALIKE if inner else CERTAIN)


def make_search(pair: PicturePair) -> LeafSearch:
    """Return a search over the pair's grey pictures."""
    return LeafSearch(
        pair=pair,
        gray_expected=np.asarray(cv2.cvtColor(pair.expected, cv2.COLOR_RGB2GRAY), np.uint8),
        gray_actual=np.asarray(cv2.cvtColor(pair.actual, cv2.COLOR_RGB2GRAY), np.uint8),
    )
