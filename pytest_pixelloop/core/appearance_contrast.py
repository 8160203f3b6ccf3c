"""Contrast of text as it was painted, by the WCAG formula.

Contrast ratio and relative luminance: WCAG 2.2, success criterion 1.4.3, https://www.w3.org/TR/WCAG22/.
Large text (24 px, or 18.66 px and bold) needs 3:1, other text 4.5:1.

The ground is read from the pixels, since what lies behind a text is seldom its element's own. The
ink is the colour the text is set in, laid on that ground: the edges of letters are anti-aliased,
and a thin letter may hold no pixel of its full colour. Text is accused only when the pixels agree:
no colour that was really painted there may have the contrast that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.appearance import Issue
from pytest_pixelloop.core.appearance_scene import font_size, font_weight, shown, visible_part
from pytest_pixelloop.core.color import hex_color
from pytest_pixelloop.core.css_values import parse_color, parse_px
from pytest_pixelloop.core.element_facts import VEILED, VISIBLE
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pytest_pixelloop.core.appearance_scene import View
    from pytest_pixelloop.core.dom import Element

NORMAL, LARGE = 4.5, 3.0
_LARGE_PX, _LARGE_BOLD_PX, _BOLD = 24.0, 18.66, 700
_ROUNDING = 0.02
"""Colours are whole levels: a ratio that is short by less may be that of the colours before."""
_NEAR = 8.0
_FLAT_SHARE = 0.35
_STRANGE = 0.15
_NO_INK = 0.12
_FULL_INK = 0.8
_DENSE = 0.15
_RUNS = 3
_SMALLEST = 24
_FIELDS = frozenset(("input", "textarea", "select"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A text whose contrast nobody can tell for sure, and why."""

    selector: str
    text: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """One line's ratio; ``worst`` and ``best`` differ over a picture."""

    worst: float
    best: float
    ink: NDArray[np.float64]
    ground: NDArray[np.float64]
    flat: bool


def luminance(srgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return WCAG's relative luminance of sRGB colours 0..255; the last axis goes."""
    unit = np.asarray(srgb, np.float64) / 255.0
    linear = np.where(unit <= 0.04045, unit / 12.92, ((unit + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def contrast_ratio(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return WCAG's contrast ratio of colours, 1 to 21; shapes broadcast, the last axis goes."""
    first, second = luminance(one), luminance(other)
    return np.asarray(
        (np.maximum(first, second) + 0.05) / (np.minimum(first, second) + 0.05), np.float64
    )


def needed_ratio(element: Element) -> float:
    """Return the ratio that the element's text needs."""
    size = font_size(element)
    bold = font_weight(element) >= _BOLD
    return LARGE if size >= _LARGE_PX or (bold and size >= _LARGE_BOLD_PX) else NORMAL


def check_contrast(view: View) -> tuple[list[Issue], list[Undecided]]:
    """Return the texts below WCAG AA, and those of which it cannot be told."""
    issues: list[Issue] = []
    undecided: list[Undecided] = []
    for element in view.elements:
        if not _is_judged(element) or not view.is_looked_at(element):
            continue
        needed = needed_ratio(element)
        found = [r for box, hits in _places(element) if (r := _read(view, element, box, hits))]
        if not found:
            continue
        worst = min(found, key=lambda r: r.best)
        if worst.best < needed - _ROUNDING:
            issues.append(_issue(element, worst, needed))
        elif (doubt := min(found, key=lambda r: r.worst)).worst < needed - _ROUNDING:
            undecided.append(
                Undecided(
                    selector=element.selector,
                    text=shown(element.text),
                    why=f"it lies on a picture or a gradient: {doubt.worst:.2f} to "
                    f"{doubt.best:.2f} where {needed:g} is needed",
                )
            )
    return issues, undecided


def _is_judged(element: Element) -> bool:
    """Tell whether WCAG asks for contrast: letters or digits that are no disabled control's."""
    if element.facts.disabled or element.transformed or not any(c.isalnum() for c in element.text):
        return False
    return bool(element.facts.runs) or (element.tag in _FIELDS and bool(element.text))


def _places(element: Element) -> Iterator[tuple[Box, str]]:
    for run in [r for r in element.facts.runs if not r.covered][:_RUNS]:
        part = visible_part(element, run.box)
        if part is not None:
            yield part, run.hits
    if not element.facts.runs:
        left, top, right, bottom = (
            (parse_px(element.value(f"padding-{side}")) or 0.0)
            + (parse_px(element.value(f"border-{side}-width")) or 0.0)
            for side in ("left", "top", "right", "bottom")
        )
        b = element.box
        inner = Box(b.x + left, b.y + top, b.w - left - right, b.h - top - bottom)
        if inner.w > 0 and inner.h > 0:
            yield inner, ""


def _read(view: View, element: Element, box: Box, hits: str) -> _Reading | None:
    """Return the contrast in one place; None where no text is seen or nothing can be said."""
    pixels = view.pixels(box)
    color = parse_color(element.value("-webkit-text-fill-color"))
    if pixels is None or len(pixels) < _SMALLEST or color is None:
        return None
    ink_alpha = color.a * element.facts.opacity
    if ink_alpha <= _NO_INK:
        return None
    ink = np.array(color.rgb)
    values, counts = _colours(pixels)
    ground = _ground(values, counts, ink)
    laid = ground + (ink - ground) * ink_alpha
    way = laid - ground
    length = float(way @ way)
    share = float(counts[_near(values, ground)].sum() / counts.sum())
    along = (values - ground) @ way / length if length > 0 else np.zeros(len(values))
    off = np.abs(values - ground - np.outer(np.clip(along, 0, 1), way)).max(axis=1) > 3 * _NEAR
    if share < _FLAT_SHARE or float(counts[off].sum() / counts.sum()) > _STRANGE:
        return _over_picture(values, counts, ink, ink_alpha)
    ratio = float(contrast_ratio(laid, ground))
    seen = _most(along, counts, keep=~off)
    invisible = length < _NEAR**2 * 3
    if invisible:
        if VISIBLE not in hits:
            return None  # something of the same colour may lie on top
    elif seen < _NO_INK:
        return None  # no ink there: it is covered, or not painted yet
    elif VEILED in hits and seen < _FULL_INK / 2:
        laid = ground + way * min(1.0, seen / _FULL_INK)
        ratio = float(contrast_ratio(laid, ground))
    best = max(ratio, _painted(values, counts, ground)) if off.any() or invisible else ratio
    return _Reading(worst=best, best=best, ink=laid, ground=ground, flat=True)


def _colours(
    pixels: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the different colours, the most frequent first, and how often each occurs."""
    packed = (pixels @ np.array([65536.0, 256.0, 1.0])).astype(np.int64)
    found, counts = np.unique(packed, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    found, counts = found[order], counts[order].astype(np.int64)
    values = np.stack([found >> 16, (found >> 8) & 255, found & 255], axis=1).astype(np.float64)
    return values, counts


def _near(values: NDArray[np.float64], color: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(np.abs(values - color).max(axis=1) <= _NEAR)


def _ground(
    values: NDArray[np.float64], counts: NDArray[np.int64], ink: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the commonest colour; the next one where that is the ink of a heavy letter."""
    first = values[0]
    if np.abs(first - ink).max() > _NEAR:
        return np.asarray(first)
    others = ~_near(values, first)
    if others.any():
        at = int(np.flatnonzero(others)[0])
        if counts[at] >= _DENSE * counts.sum():
            return np.asarray(values[at])
    return np.asarray(first)


def _most(
    along: NDArray[np.float64], counts: NDArray[np.int64], *, keep: NDArray[np.bool_]
) -> float:
    """Return how full the fullest pixels of a text are, a few strays left out."""
    if not keep.any():
        return 0.0
    order = np.argsort(-along[keep], kind="stable")
    reached = np.cumsum(counts[keep][order])
    at = int(np.searchsorted(reached, 2))
    return float(along[keep][order][min(at, len(order) - 1)])


def _painted(
    values: NDArray[np.float64], counts: NDArray[np.int64], ground: NDArray[np.float64]
) -> float:
    """Return the best contrast to the ground among colours that a few pixels really have."""
    ratios = contrast_ratio(values, ground)
    order = np.argsort(-ratios, kind="stable")
    reached = np.cumsum(counts[order])
    at = int(np.searchsorted(reached, max(3, 0.01 * counts.sum())))
    return float(ratios[order][min(at, len(order) - 1)])


def _over_picture(
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    ink: NDArray[np.float64],
    alpha: float,
) -> _Reading | None:
    """Return the range of contrast against everything in the place that is not ink."""
    ground = np.abs(values - ink).max(axis=1) > 5 * _NEAR
    if not ground.any():
        return None
    back, weight = values[ground], counts[ground]
    laid = back + (ink - back) * alpha
    ratios = contrast_ratio(laid, back)
    order = np.argsort(ratios, kind="stable")
    part = np.cumsum(weight[order]) / weight.sum()
    low, high = (int(np.searchsorted(part, q)) for q in (0.05, 0.95))
    last = len(order) - 1
    return _Reading(
        worst=float(ratios[order][min(low, last)]),
        best=float(ratios[order][min(high, last)]),
        ink=ink,
        ground=back[order][min(high, last)],
        flat=False,
    )


def _issue(element: Element, reading: _Reading, needed: float) -> Issue:
    ink, ground = hex_color(reading.ink), hex_color(reading.ground)
    where = "" if reading.flat else " at best, over a picture"
    return Issue(
        check="contrast",
        message=f"{shown(element.text)!r} has a contrast of {reading.best:.2f}:1{where}, "
        f"{needed:g}:1 is needed ({ink} on {ground})",
        box=element.text_box,
        element=element,
        expected=needed,
        actual=round(reading.best, 2),
        delta=round(needed - reading.best, 2),
        unit="ratio",
        evidence={
            "ink": ink,
            "ground": ground,
            "flat": reading.flat,
            "font_size": font_size(element),
            "font_weight": font_weight(element),
        },
    )
