"""Where an exported picture lies over its frame, and at which scale.

Figma exports a node's *unclipped render bounds*, not its bounding box: a shadow, an outside stroke
or a child that hangs over the edge makes the picture larger and moves the frame inside it. Neither
scale nor origin is written into the PNG, so both are derived from its size and the node tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_pixelloop.core.design import Placement
from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.core.geometry import Box, union

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import DesignNode

USUAL_SCALES = (1.0, 2.0, 3.0, 4.0, 0.5, 1.5)
SMALLEST_SCALE, LARGEST_SCALE = 0.1, 64.0
#: A picture cannot be larger (that is refused when it is read), nor what is made of it.
_MOST_PIXELS = 200_000_000
SLACK = 1.0
"""Device px by which a picture may differ from bounds x scale: Figma's rounding is not known."""

# Kinds whose paint has another shape than their box: text ink, curves, mitred corners.
_DRAWN = ("TEXT", "TEXT_PATH", "VECTOR", "LINE", "STAR", "REGULAR_POLYGON", "BOOLEAN_OPERATION")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fit:
    rule: str
    bounds: Box
    scale: float
    usual: bool
    exact: bool


def place_export(
    png_size: tuple[int, int], root: DesignNode, *, scale: float | None = None
) -> Placement:
    """Return at which scale and origin a picture of *png_size* shows the frame *root*.

    Tried are the bounding box (``use_absolute_bounds``), the render bounds of the JSON, and the
    computed unclipped bounds (what an export holds by default). Width and height have to agree on
    one scale within 1 px. Of several that fit, a usual scale wins over an odd one, then an exact
    size, then the order above. A given *scale* is only checked. Raises DesignUnreadableError,
    with all sizes, when nothing fits.
    """
    if root.box is None or root.box.area <= 0:
        raise DesignUnreadableError(
            f"node {root.id} has no bounding box, so its picture cannot be placed",
            expected="a frame with absoluteBoundingBox",
            next_step="export a frame, with the fields of the REST API",
        )
    candidates = _candidates(root, root.box)
    fits = [
        fit
        for rule, bounds in candidates
        if (fit := _fit(png_size, bounds, rule=rule, scale=scale)) is not None
    ]
    if not fits:
        raise _no_fit(png_size, root, candidates, scale)
    # min() keeps the first of equals, which is the order of the candidates.
    best = min(fits, key=lambda fit: (not fit.usual, not fit.exact))
    return Placement(
        scale=best.scale,
        origin=(
            (root.box.x - best.bounds.x) * best.scale,
            (root.box.y - best.bounds.y) * best.scale,
        ),
        rule=best.rule,
    )


def frame_image(
    image: NDArray[np.uint8], placement: Placement, frame: tuple[float, float]
) -> NDArray[np.uint8]:
    """Return the frame's own rectangle of an RGBA *image*: round(frame x scale) device px.

    What lies around the frame (a shadow) is cut off; where the picture ends inside the frame it
    is padded with transparency. *frame* is (width, height) in CSS px.
    """
    width, height = frame_pixels(frame, placement.scale)
    left, top = (_round(value) for value in placement.origin)
    rows, columns = image.shape[:2]
    if (left, top, columns, rows) == (0, 0, width, height):
        return image
    if width * height > _MOST_PIXELS:
        raise DesignUnreadableError(
            f"the frame is {width:,}x{height:,} px and its picture {columns:,}x{rows:,} px",
            expected=f"a frame of at most {_MOST_PIXELS:,} px that its picture shows",
            next_step="look at the frame's absoluteBoundingBox, or fetch the node file again",
        )
    framed = np.zeros((height, width, 4), np.uint8)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + width, columns), min(top + height, rows)
    if x1 > x0 and y1 > y0:
        framed[y0 - top : y1 - top, x0 - left : x1 - left] = image[y0:y1, x0:x1]
    return framed


def frame_pixels(frame: tuple[float, float], scale: float) -> tuple[int, int]:
    """Return a frame's width and height in device px, at least 1 each."""
    return max(_round(frame[0] * scale), 1), max(_round(frame[1] * scale), 1)


def unclipped_bounds(root: DesignNode) -> Box | None:
    """Return what *root* paints when no ancestor clips it, in the page space of its boxes.

    Own box, plus outside strokes, drop shadows and layer blur, plus the children unless the node
    clips its content. A hidden child does not count, and a mask limits the siblings after it.
    """
    order = [root]
    for node in order:  # grows while it is walked: parents first
        if not node.clips:
            order.extend(child for child in node.children if _paints(child))
    bounds: dict[int, Box | None] = {}
    for node in reversed(order):
        parts = [] if node.clips else _children_bounds(node, bounds)
        own = own_bounds(node)
        bounds[id(node)] = union(parts if own is None else [own, *parts])
    return bounds[id(root)]


def own_bounds(node: DesignNode) -> Box | None:
    """Return what *node* paints without its children: box, strokes, shadows, blur."""
    if node.box is None:
        return None
    if node.type in _DRAWN and node.render_box is not None:
        return node.render_box
    left, top, right, bottom = _stroke_outset(node.properties)
    sides = [left, top, right, bottom]
    for effect in _visible(node.properties.get("effects")):
        radius = _positive(effect.get("radius"))
        if effect.get("type") == "DROP_SHADOW":
            offset = effect.get("offset")
            dx, dy = (_finite(offset.get(k)) for k in "xy") if isinstance(offset, dict) else (0, 0)
            reach = radius + _finite(effect.get("spread"))
            shadow = (left + reach - dx, top + reach - dy, right + reach + dx, bottom + reach + dy)
            sides = [max(a, b) for a, b in zip(sides, shadow, strict=True)]
        elif effect.get("type") == "LAYER_BLUR":
            blur = (left + radius, top + radius, right + radius, bottom + radius)
            sides = [max(a, b) for a, b in zip(sides, blur, strict=True)]
    box = node.box
    return Box(
        box.x - sides[0],
        box.y - sides[1],
        box.w + sides[0] + sides[2],
        box.h + sides[1] + sides[3],
    )


def _candidates(root: DesignNode, box: Box) -> list[tuple[str, Box]]:
    """Return what the picture may show, without repeats, in the order of preference."""
    found: list[tuple[str, Box]] = [("bounding-box", box)]
    for rule, bounds in (
        ("render-bounds", root.render_box),
        ("unclipped-bounds", unclipped_bounds(root)),
    ):
        if bounds is not None and bounds.area > 0 and all(bounds != b for _, b in found):
            found.append((rule, bounds))
    return found


def _fit(png_size: tuple[int, int], bounds: Box, *, rule: str, scale: float | None) -> _Fit | None:
    width, height = png_size
    # Every scale from low to high gives a size within the slack in both directions.
    low = max((width - SLACK) / bounds.w, (height - SLACK) / bounds.h, SMALLEST_SCALE)
    high = min((width + SLACK) / bounds.w, (height + SLACK) / bounds.h, LARGEST_SCALE)
    if low > high:
        return None
    if scale is not None:
        if not low <= scale <= high:
            return None
        found, usual = scale, True
    else:
        fitting = [s for s in USUAL_SCALES if low <= s <= high]
        if not fitting and _is_cropped(png_size, bounds):
            return None
        # The longer side says more about the scale than the shorter one.
        ratio = width / bounds.w if bounds.w >= bounds.h else height / bounds.h
        usual = bool(fitting)
        found = (
            min(fitting, key=lambda s: abs(s - ratio)) if fitting else min(max(ratio, low), high)
        )
    exact = _is_rounded(width, bounds.w * found) and _is_rounded(height, bounds.h * found)
    return _Fit(rule=rule, bounds=bounds, scale=found, usual=usual, exact=exact)


def _is_cropped(png_size: tuple[int, int], bounds: Box) -> bool:
    """Tell whether one side is exactly a usual scale where the other is not.

    780x1690 for a frame of 390x844 is a picture at 2x that is 2 px too tall, not one at 2.002x,
    although both sides agree on that within 1 px.
    """
    width, height = png_size
    return any(
        _is_rounded(width, bounds.w * s) or _is_rounded(height, bounds.h * s) for s in USUAL_SCALES
    )


def _is_rounded(pixels: int, length: float) -> bool:
    return pixels in (_round(length), math.ceil(length - 1e-6))


def _no_fit(
    png_size: tuple[int, int],
    root: DesignNode,
    candidates: list[tuple[str, Box]],
    scale: float | None,
) -> DesignUnreadableError:
    width, height = png_size
    known = dict(candidates)
    lines = []
    for rule in ("bounding-box", "render-bounds", "unclipped-bounds"):
        bounds = known.get(rule)
        if bounds is None:
            lines.append(f"    {rule}: as above, or not in the file")
            continue
        lines.append(
            f"    {rule}: {bounds.w:.6g}x{bounds.h:.6g} CSS px, so scale "
            f"{width / bounds.w:.4f} by width and {height / bounds.h:.4f} by height"
        )
    given = "" if scale is None else f" at the given scale {scale:g}"
    return DesignUnreadableError(
        f"the picture does not fit its node {root.id}{given}: it is {width}x{height} px\n"
        + "\n".join(lines),
        expected=f"one scale ({SMALLEST_SCALE:g} to {LARGEST_SCALE:g}) for width and height, "
        "within 1 px",
        next_step="export picture and nodes from the same version of the same node"
        + ("" if scale is None else ", or leave the scale out"),
    )


def _children_bounds(node: DesignNode, bounds: Mapping[int, Box | None]) -> list[Box]:
    mask: Box | None = None
    found: list[Box] = []
    for child in node.children:
        if child.is_mask:
            mask = child.box or mask
        elif _paints(child) and (box := bounds[id(child)]) is not None:
            part = box if mask is None else box.intersection(mask)
            if part is not None:
                found.append(part)
    return found


def _paints(node: DesignNode) -> bool:
    return node.visible and node.opacity > 0 and not node.is_mask


def _stroke_outset(properties: Mapping[str, Any]) -> tuple[float, float, float, float]:
    """Return by how much strokes reach over the box: left, top, right, bottom."""
    share = {"OUTSIDE": 1.0, "CENTER": 0.5}.get(str(properties.get("strokeAlign")), 0.0)
    if not share or not _visible(properties.get("strokes")):
        return 0.0, 0.0, 0.0, 0.0
    weight = _positive(properties.get("strokeWeight"))
    single = properties.get("individualStrokeWeights")
    if not isinstance(single, dict):
        single = {}
    left, top, right, bottom = (
        share * (_positive(single[side]) if side in single else weight)
        for side in ("left", "top", "right", "bottom")
    )
    return left, top, right, bottom


def _visible(items: object) -> list[Mapping[str, Any]]:
    if not isinstance(items, list):
        return []
    return [i for i in items if isinstance(i, dict) and i.get("visible") is not False]


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if math.isfinite(value) else 0.0


def _positive(value: object) -> float:
    return max(_finite(value), 0.0)


def _round(value: float) -> int:
    return math.floor(value + 0.5)
