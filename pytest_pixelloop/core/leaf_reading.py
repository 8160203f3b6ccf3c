"""What the capture shows where the design has a text, an icon or a photo: found, moved, changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.glyphs import glyph_mismatch
from pytest_pixelloop.core.ink import (
    Ink,
    find,
    ink_box,
    plain_color,
    read_ink,
    shape_stray,
    spread,
    worst_cluster,
)
from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind
from pytest_pixelloop.core.rectangles import Rect, cut, grown, inside, joined, relative, shifted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.picture_pair import PicturePair

NEAR = 3.0
"""CSS px within which a leaf is looked for first."""
FAR = (160.0, 160.0)
"""CSS px (across, down) within which a leaf that is not near is looked for."""
ALIKE = 0.7
"""Correlation from which two inks are taken for the same text or icon, perhaps with changes."""
FRINGED = 0.25
"""Share of off-colour ink from which a text is rendered on sub-pixels."""
MOVED = 0.85
"""Correlation from which a leaf is believed to be far from home."""
CERTAIN = 0.9
"""Correlation from which a match at the rim of the search is not looked for beyond it."""
_TRIES = 4
"""How many places are looked at for a leaf that is far from home."""
_GONE = 0.12
"""Share of the design's ink below which a leaf counts as missing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """One leaf as the capture shows it. Lengths in CSS px, ratios are capture / design.

    ``stray`` is the worst cluster of ink that only one picture has, in squares of the leaf's em;
    ``bars`` is how much of the fullest row is inked, design and capture: an underline is a full
    row. ``edges`` is how far the ink's left, top, right and bottom edge lie from the design's.
    """

    at: int
    found: bool = True
    missing: bool = False
    readable: bool = True
    shift: tuple[float, float] = (0.0, 0.0)
    likeness: float = 1.0
    stray: float = 0.0
    edges: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    width_ratio: float = 1.0
    height_ratio: float = 1.0
    amount_ratio: float = 1.0
    contrast_ratio: float = 1.0
    ink_rect: Rect | None = None
    expected_ink: Ink | None = None
    actual_ink: Ink | None = None
    mismatch: float = 0.0
    em: float = 16.0
    light: bool = False
    bars: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeafReader:
    """Reads leaves of one pair; keeps the grey pictures and the shifts already seen."""

    pair: PicturePair
    gray_expected: NDArray[np.uint8]
    gray_actual: NDArray[np.uint8]
    seen: list[tuple[int, int]] = field(default_factory=list)

    def read(self, leaf: JudgedNode) -> Reading:
        """Return what the capture shows of a leaf."""
        scale = self.pair.scale
        x0, y0, x1, y1 = _ink_rect(leaf, scale, self.pair.shape)
        near = round(NEAR * scale)
        wx0, wy0, wx1, wy1 = grown((x0, y0, x1, y1), near, near, self.pair.shape)
        if not self.pair.differs[wy0:wy1, wx0:wx1].any():
            return Reading(at=leaf.at)
        backdrop, share = plain_color(self.pair.expected[y0:y1, x0:x1])
        em = em_px(leaf, scale)
        reach = round(0.15 * (x1 - x0) + 4 * scale), round(0.35 * em)
        window = grown((x0, y0, x1, y1), *reach, self.pair.shape)
        own = relative((x0, y0, x1, y1), window)
        around = cut(self.pair.expected, window)
        ink = read_ink(around, backdrop=backdrop, core=own, share=share)
        box = ink_box(cut(ink.coverage, own)) if ink else None
        if ink is None or box is None:
            return Reading(at=leaf.at)  # the design shows nothing here
        if not ink.plain:
            return Reading(at=leaf.at, readable=False)
        rect = (x0 + box[0], y0 + box[1], x0 + box[2], y0 + box[3])
        return self._compare(leaf, ink, window=window, rect=rect, em=em)

    def _compare(
        self,
        leaf: JudgedNode,
        ink: Ink,
        *,
        window: Rect,
        rect: Rect,
        em: float,
    ) -> Reading:
        scale, shape = self.pair.scale, self.pair.shape
        dx, dy, likeness = self._locate(rect, scale)
        spot = inside(shifted(rect, dx, dy), shape)
        gone = Reading(
            at=leaf.at, found=False, missing=True, ink_rect=rect, expected_ink=ink, likeness=0.0
        )
        if spot is None:
            return gone
        backdrop, _ = plain_color(cut(self.pair.actual, grown(spot, 2, 2, shape)))
        there = inside(shifted(window, dx, dy), shape)
        if there is None:
            return gone
        core = relative(shifted(rect, dx, dy), there)
        other = read_ink(cut(self.pair.actual, there), backdrop=backdrop, core=core)
        if other is None:
            return gone
        mine = relative(rect, window)
        _without_neighbours(
            ink.coverage,
            other,
            mine=mine,
            core=core,
            offset=(there[0] - dx - window[0], there[1] - dy - window[1]),
        )
        extent = _extent(other.coverage, core, gap=max(round(0.35 * em), 2))
        if extent is None:
            return gone
        x0, y0 = rect[0] - window[0], rect[1] - window[1]
        template = ink.coverage[y0 : y0 + rect[3] - rect[1], x0 : x0 + rect[2] - rect[0]]
        return _measure(
            leaf,
            ink,
            other,
            template=template,
            core=core,
            extent=extent,
            em=em,
            scale=scale,
            shift=(dx, dy),
            likeness=likeness,
            rect=rect,
        )

    def _locate(self, rect: Rect, scale: float) -> tuple[int, int, float]:
        """Return dx, dy in device px and the likeness there: near first, then as seen, then far."""
        template = cut(self.gray_expected, grown(rect, 1, 1, self.pair.shape))
        near = round(NEAR * scale)
        best = self._search(template, rect, reach=(near, near), around=(0, 0))
        inner = max(abs(best[0]), abs(best[1])) < near
        if best[2] >= (ALIKE if inner else CERTAIN):
            return best
        for around in self.seen:
            tried = self._search(template, rect, reach=(near, near), around=around)
            if tried[2] >= ALIKE and tried[2] > best[2] + 0.05:
                return tried
        far = self._far(template, rect, least=max(MOVED, best[2] + 0.08))
        if far is not None:
            self.seen.append(far[:2])
            return far
        return best

    def _far(
        self, template: NDArray[np.uint8], rect: Rect, *, least: float
    ) -> tuple[int, int, float] | None:
        """Return where a leaf went, None where every likeness is another leaf in its own place."""
        scale, shape = self.pair.scale, self.pair.shape
        x0, y0, x1, y1 = grown(rect, 1, 1, shape)
        window = grown((x0, y0, x1, y1), round(FAR[0] * scale), round(FAR[1] * scale), shape)
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
            before, after = cut(self.gray_expected, there), cut(self.gray_actual, there)
            own = cv2.matchTemplate(after, before, cv2.TM_CCOEFF_NORMED)
            if float(np.ptp(before)) < 8 or float(own[0, 0]) < ALIKE:
                return spot[0] - x0, spot[1] - y0, float(high)
            likeness[max(row - 3, 0) : row + 4, max(column - 3, 0) : column + 4] = -1.0
        return None

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


def _without_neighbours(
    around: NDArray[np.float32],
    other: Ink,
    *,
    mine: Rect,
    core: Rect,
    offset: tuple[int, int],
) -> None:
    """Take out of *other* what lies around its core and around the design's leaf alike."""
    neighbours = around.copy()
    neighbours[mine[1] : mine[3], mine[0] : mine[2]] = 0.0
    if not neighbours.max() > 0.1:
        return
    spread_out = cv2.dilate(neighbours, np.ones((7, 7), np.uint8)) > 0.1
    x, y = offset
    height, width = other.coverage.shape
    known = np.zeros((height, width), np.bool_)
    part = spread_out[max(y, 0) : max(y, 0) + height, max(x, 0) : max(x, 0) + width]
    known[: part.shape[0], : part.shape[1]] = part
    x0, y0, x1, y1 = (max(v, 0) for v in core)
    known[y0:y1, x0:x1] = False
    other.coverage[known] = 0.0


def em_px(leaf: JudgedNode, scale: float) -> float:
    """Return the size by which a leaf's details are measured, in device px."""
    if leaf.kind is Kind.TEXT:
        style = leaf.node.properties.get("style")
        size = style.get("fontSize") if isinstance(style, dict) else None
        if isinstance(size, int | float) and size > 0:
            return float(size) * scale
        return min(float(leaf.rect[3] - leaf.rect[1]), 16.0 * scale)
    return min(
        max(float(min(leaf.rect[2] - leaf.rect[0], leaf.rect[3] - leaf.rect[1])), 4.0), 24.0 * scale
    )


def _ink_rect(leaf: JudgedNode, scale: float, shape: tuple[int, int]) -> Rect:
    """Return where the leaf's ink may lie: 1.45 em about the middle of a line.

    Descenders reach out of a tight line box; in a loose one other things lie beside the ink.
    """
    if leaf.kind is not Kind.TEXT:
        return grown(leaf.rect, round(scale), round(scale), shape)
    style = leaf.node.properties.get("style")
    line = style.get("lineHeightPx") if isinstance(style, dict) else None
    em = em_px(leaf, scale)
    if not isinstance(line, int | float) or line <= 0:
        return leaf.rect
    slack = round((em * 1.45 - float(line) * scale) / 2)
    if slack < 0 and abs(leaf.placed.box.h / line - round(leaf.placed.box.h / line)) > 0.1:
        return leaf.rect  # the box is not made of whole lines: the text may lie anywhere in it
    return grown(leaf.rect, 0, slack, shape)


def _measure(
    leaf: JudgedNode,
    ink: Ink,
    other: Ink,
    *,
    template: NDArray[np.float32],
    core: Rect,
    extent: Rect,
    em: float,
    scale: float,
    shift: tuple[int, int],
    likeness: float,
    rect: Rect,
) -> Reading:
    seen = cut(other.coverage, extent)
    ratio = float(seen.sum()) / max(float(template.sum()), 1e-6)
    amount = ratio * other.contrast / ink.contrast
    if amount < _GONE:
        return Reading(
            at=leaf.at,
            found=False,
            missing=True,
            likeness=likeness,
            ink_rect=rect,
            expected_ink=ink,
            actual_ink=other,
        )
    side = max(round(em / 2), 3)
    left = _padded(template, core, extent)
    right = cut(other.coverage, _both(core, extent))
    worst = worst_cluster(shape_stray(left, right), side=side)[0] / em**2
    fringes = (ink.tint > FRINGED, other.tint > FRINGED)
    if fringes[0] != fringes[1]:  # sub-pixel text is smoothed over three pixels, other text is not
        three = np.full((1, 3), 1 / 3, np.float32)
        if fringes[0]:
            right = np.asarray(cv2.filter2D(right, -1, three), np.float32)
        else:
            left = np.asarray(cv2.filter2D(left, -1, three), np.float32)
    level = float(np.clip(left.sum() / max(float(right.sum()), 1e-6), 0.5, 2.0))
    mismatch = glyph_mismatch(left, right * np.float32(level), em=em, scale=scale)
    widths = [spread(a.sum(axis=0, dtype=np.float64)) for a in (template, seen)]
    heights = [spread(a.sum(axis=1, dtype=np.float64)) for a in (template, seen)]
    edges = tuple((b - a) / scale for a, b in zip(core, extent, strict=True))
    return Reading(
        at=leaf.at,
        found=likeness >= ALIKE,
        shift=(shift[0] / scale, shift[1] / scale),
        likeness=likeness,
        stray=worst,
        edges=(edges[0], edges[1], edges[2], edges[3]),
        width_ratio=widths[1][1] / max(widths[0][1], 0.5),
        height_ratio=heights[1][1] / max(heights[0][1], 0.5),
        amount_ratio=amount,
        contrast_ratio=other.contrast / ink.contrast,
        ink_rect=rect,
        expected_ink=ink,
        actual_ink=other,
        mismatch=mismatch,
        em=em / scale,
        light=bool(ink.color.sum() > ink.backdrop.sum()),
        bars=(float(template.mean(axis=1).max()), float(seen.mean(axis=1).max())),
    )


def _extent(coverage: NDArray[np.float32], core: Rect, *, gap: int) -> Rect | None:
    """Return the ink's box: what lies in *core*, and beyond it while gaps stay below *gap*."""
    height, width = coverage.shape
    x0, y0, x1, y1 = max(core[0], 0), max(core[1], 0), min(core[2], width), min(core[3], height)
    if x1 <= x0 or y1 <= y0:
        return None
    columns = coverage[y0:y1].max(axis=0) > 0.15
    left, right = _run(columns, x0, x1, gap=gap)
    if right <= left:
        return None
    rows = coverage[:, left:right].max(axis=1) > 0.15
    top, bottom = _run(rows, y0, y1, gap=max(gap // 3, 1))
    return (left, top, right, bottom) if bottom > top else None


def _run(inked: NDArray[np.bool_], low: int, high: int, *, gap: int) -> tuple[int, int]:
    inside = np.flatnonzero(inked[low:high])
    if not len(inside):
        return 0, 0
    first, last = low + int(inside[0]), low + int(inside[-1])
    places = np.flatnonzero(inked)
    before, after = places[places < first][::-1], places[places > last]
    for place in before:
        if first - place > gap:
            break
        first = int(place)
    for place in after:
        if place - last > gap:
            break
        last = int(place)
    return first, last + 1


def _padded(template: NDArray[np.float32], core: Rect, extent: Rect) -> NDArray[np.float32]:
    """Return the design's ink laid into the box that holds both inks."""
    x0, y0, x1, y1 = _both(core, extent)
    out = np.zeros((y1 - y0, x1 - x0), np.float32)
    ox, oy = core[0] - x0, core[1] - y0
    part = template[max(-oy, 0) : y1 - core[1], max(-ox, 0) : x1 - core[0]]
    out[max(oy, 0) : max(oy, 0) + part.shape[0], max(ox, 0) : max(ox, 0) + part.shape[1]] = part
    return out


def _both(core: Rect, extent: Rect) -> Rect:
    x0, y0, x1, y1 = joined(core, extent)
    return max(x0, 0), max(y0, 0), x1, y1


def make_reader(pair: PicturePair) -> LeafReader:
    """Return a reader over the pair's grey pictures."""
    return LeafReader(
        pair=pair,
        gray_expected=np.asarray(cv2.cvtColor(pair.expected, cv2.COLOR_RGB2GRAY), np.uint8),
        gray_actual=np.asarray(cv2.cvtColor(pair.actual, cv2.COLOR_RGB2GRAY), np.uint8),
    )
