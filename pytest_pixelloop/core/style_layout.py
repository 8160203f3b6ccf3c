"""Style of layout: padding, gap, size and place of a node and its element.

A frame that hugs its content, and everything that follows from the metrics of a font, may excuse
a difference but never makes one: what can be measured on the page overrules what is written.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import parse_px
from pytest_pixelloop.core.node_style import SIDES, number, padding_of, sizing_of, word
from pytest_pixelloop.core.pairing import is_text_node
from pytest_pixelloop.core.style_scene import px_text

if TYPE_CHECKING:
    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.style_scene import Claims

_PADDINGS = tuple(f"padding-{side}" for side in SIDES)
_UNMEASURED = 0.6
_NO_LAYOUT = frozenset(("GROUP", "VECTOR", "BOOLEAN_OPERATION", "LINE", "SECTION"))


def compare_layout(claims: Claims) -> None:
    """Compare padding, gap, fixed sizes and the place of a node that is placed by hand."""
    if claims.element.is_vector or claims.node.type in _NO_LAYOUT:
        return
    _padding(claims)
    _gap(claims)
    _size(claims)
    _place(claims)


def _inset(box: Box, inner: Box, side: str) -> float:
    return {
        "top": inner.y - box.y,
        "right": box.right - inner.right,
        "bottom": box.bottom - inner.bottom,
        "left": inner.x - box.x,
    }[side]


def _measured_inset(claims: Claims, side: str) -> tuple[float, float, bool] | None:
    """Return how far the nearest child lies from a side, in the design and on the page.

    And whether that child is text. None when a child in question has no sure element.
    """
    children = _flow(claims)
    if not children:
        return None
    nearest = min(children, key=lambda c: _inset(claims.item.box, c.box, side))
    wanted = _inset(claims.item.box, nearest.box, side)
    found = claims.scene.box_match(nearest.node.id)
    if found is None:
        return None
    element = claims.scene.elements[found.element]
    if found.is_text and found.element == claims.element.index:
        css = parse_px(claims.element.value(f"padding-{side}")) or 0.0
        return wanted, css + _border(claims, side), True
    inner = element.text_box if found.is_text and side in {"left", "right"} else element.box
    return wanted, _inset(claims.element.box, inner, side), found.is_text


def _flow(claims: Claims) -> list[PlacedNode]:
    """Return the children that the layout of a node places."""
    return [
        c
        for c in claims.scene.children(claims.node.id)
        if word(c.node.properties, "layoutPositioning") != "ABSOLUTE"
    ]


def _border(claims: Claims, side: str) -> float:
    if claims.element.value(f"border-{side}-style") in {"none", "hidden"}:
        return 0.0
    return parse_px(claims.element.value(f"border-{side}-width")) or 0.0


def _padding(claims: Claims) -> None:
    wanted = padding_of(claims.node)
    if wanted is None or claims.item.depth == 0:
        return
    limits = claims.scene.tolerance
    strokes = claims.looks.stroke
    inside = claims.node.properties.get("strokesIncludedInLayout") is True
    found: list[tuple[str, float, float, float]] = []
    for i, side in enumerate(SIDES):
        css = parse_px(claims.element.value(_PADDINGS[i]))
        if css is None or css == wanted[i]:
            continue
        expected = wanted[i] + (strokes.widths[i] if strokes is not None and inside else 0.0)
        actual = css + _border(claims, side)
        # With strokes left out of the layout, border and padding together are Figma's padding.
        if min(abs(actual - expected), abs(css - wanted[i])) <= limits.spacing + 1e-6:
            continue
        measured = _measured_inset(claims, side)
        factor = _UNMEASURED
        if measured is not None:
            slack = limits.text_size if measured[2] else limits.spacing
            off = measured[1] - measured[0]
            if abs(off) <= slack or (off > 0) is not (actual > expected):
                continue
            factor = 1.0
        # What to write: the room that the design shows less the border that the page has.
        shown = wanted[i] if measured is None else measured[0] - _border(claims, side)
        value = shown if abs(shown - wanted[i]) <= _border(claims, side) + 0.5 else wanted[i]
        found.append((side, max(value, 0.0), css, factor))
    _claim_padding(claims, found)


def _claim_padding(claims: Claims, found: list[tuple[str, float, float, float]]) -> None:
    limit = claims.scene.tolerance.spacing
    values = {(expected, actual) for _, expected, actual, _ in found}
    if len(found) == 4 and len(values) == 1:
        expected, actual = values.pop()
        factor = min(f[3] for f in found)
        claims.length("padding", expected=expected, actual=actual, tolerance=limit, factor=factor)
        return
    for side, expected, actual, factor in found:
        claims.length(
            f"padding-{side}", expected=expected, actual=actual, tolerance=limit, factor=factor
        )


def _gap(claims: Claims) -> None:
    properties = claims.node.properties
    mode = word(properties, "layoutMode", default="NONE")
    # With SPACE_BETWEEN, itemSpacing is not the gap that is seen.
    spread = word(properties, "primaryAxisAlignItems") == "SPACE_BETWEEN"
    if mode not in {"HORIZONTAL", "VERTICAL"} or spread:
        return
    across = mode == "HORIZONTAL"
    wanted = number(properties, "itemSpacing") or 0.0
    limits = claims.scene.tolerance
    name = "column-gap" if across else "row-gap"
    flexible = any(w in claims.element.value("display") for w in ("flex", "grid"))
    css = (parse_px(claims.element.value(name)) or 0.0) if flexible else None
    if css is not None and abs(css - wanted) <= limits.spacing + 1e-6:
        return
    children = _flow(claims)
    if len(children) < 2:
        return
    actual, factor = css, _UNMEASURED
    distances = _distances(claims, children, across=across)
    if distances:
        measured = median(d for d, _ in distances)
        slack = limits.text_size if any(t for _, t in distances) else limits.spacing
        if abs(measured - wanted) <= slack + 1e-6:
            return
        if css is not None and (measured > wanted) is not (css > wanted):
            return  # margins or alignment make the distance: the gap is not what to edit
        actual, factor = (measured, 0.8) if css is None else (css, 1.0)
    if actual is not None:
        claims.length(name, expected=wanted, actual=actual, tolerance=limits.spacing, factor=factor)


def _distances(
    claims: Claims, children: list[PlacedNode], *, across: bool
) -> list[tuple[float, bool]]:
    """Return the measured distances between successive children of one row, and which are text's.

    Only of pairs that the design puts at the gap's distance: in a row that wraps, others are not.
    """
    wanted = number(claims.node.properties, "itemSpacing") or 0.0
    ordered = sorted(children, key=lambda c: (c.box.x if across else c.box.y, c.node.id))
    if across and word(claims.node.properties, "layoutWrap") == "WRAP":
        ordered = sorted(children, key=lambda c: (round(c.box.y), c.box.x, c.node.id))
    found: list[tuple[float, bool]] = []
    for first, second in pairwise(ordered):
        designed = second.box.x - first.box.right if across else second.box.y - first.box.bottom
        if abs(designed - wanted) > 1.0:
            continue
        one = claims.scene.box_match(first.node.id)
        two = claims.scene.box_match(second.node.id)
        if one is None or two is None:
            continue
        a, b = claims.scene.elements[one.element], claims.scene.elements[two.element]
        if a.transformed or b.transformed:
            continue
        distance = b.box.x - a.box.right if across else b.box.y - a.box.bottom
        found.append((distance, one.is_text or two.is_text))
    return found


def _size(claims: Claims) -> None:
    if claims.item.depth == 0 or is_text_node(claims.item):
        return
    limits = claims.scene.tolerance
    for name, wanted, actual in (
        ("width", claims.item.box.w, claims.element.box.w),
        ("height", claims.item.box.h, claims.element.box.h),
    ):
        tolerance = max(limits.size, limits.size_ratio * wanted)
        if abs(actual - wanted) <= tolerance + 1e-6:
            continue
        sizing = sizing_of(claims.node, horizontal=name == "width")
        if sizing == "HUG" and abs(actual - wanted) <= limits.text_size:
            continue
        claims.add(
            name,
            expected=px_text(wanted),
            actual=px_text(actual),
            delta=actual - wanted,
            unit="px",
            tolerance=tolerance,
            diagnosis=sizing != "FIXED",
        )


def _place(claims: Claims) -> None:
    """Compare the place in the parent of a node that no auto layout places."""
    parent = claims.scene.nodes.get(claims.item.parent_id or "")
    if parent is None or parent.node.type in _NO_LAYOUT:
        return
    by_hand = word(claims.node.properties, "layoutPositioning") == "ABSOLUTE" or (
        word(parent.node.properties, "layoutMode", default="NONE") == "NONE"
    )
    home = claims.scene.box_match(parent.node.id)
    if not by_hand or home is None or home.is_text:
        return
    limits = claims.scene.tolerance
    box, outer = claims.element.box, claims.scene.elements[home.element].box
    for name, wanted, actual in (
        ("left", claims.item.box.x - parent.box.x, box.x - outer.x),
        ("top", claims.item.box.y - parent.box.y, box.y - outer.y),
    ):
        if claims.match.is_text:
            continue
        side = parent.box.w if name == "left" else parent.box.h
        tolerance = max(limits.size, limits.size_ratio * side)
        claims.length(name, expected=wanted, actual=actual, tolerance=tolerance, factor=0.9)
