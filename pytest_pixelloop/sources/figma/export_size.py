"""How large a picture may be asked for, and how a larger one is put together from its parts.

Figma renders at most 32 megapixels and scales down what is larger without a word. So the size is
computed before anything is asked for, and looked at again in the picture that came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_pixelloop.core.design import walk
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.placement import USUAL_SCALES, frame_pixels, unclipped_bounds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import DesignNode

MAX_PIXELS = 32_000_000
DEFAULT_SCALE = 2.0
SMALLEST_ASKED = 0.01
_ON_GRID = 0.01
_PLAIN_BLENDS = (None, "NORMAL", "PASS_THROUGH")


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What to ask for: one picture of the frame, or one of each of ``tiles``; ``note`` says why."""

    scale: float
    tiles: tuple[str, ...] = ()
    note: str | None = None


def plan_export(root: DesignNode, *, scale: float | None) -> Export | None:
    """Return how to get the picture of *root*, None when it cannot be had at a given *scale*.

    A frame that is too large is split into its child frames where putting them together again is
    exact; otherwise, unless the *scale* is given, a lower scale is taken.
    """
    wanted = DEFAULT_SCALE if scale is None else scale
    if root.box is None or fits(root.box, wanted):
        return Export(scale=wanted)
    size = megapixels(root.box, wanted)
    tiles = tiles_of(root, wanted)
    if tiles:
        return Export(
            scale=wanted,
            tiles=tiles,
            note=f"{size:.1f} megapixels at scale {wanted:g}, Figma renders at most 32: put "
            f"together from its {len(tiles)} child frames",
        )
    lower = lower_scale(root.box, below=wanted)
    if scale is not None:
        return None
    return Export(
        scale=lower,
        note=f"{size:.1f} megapixels at scale {wanted:g}, Figma renders at most 32: fetched at "
        f"scale {lower:g}",
    )


def fits(box: Box, scale: float) -> bool:
    """Tell whether Figma renders *box* at *scale* without scaling it down."""
    width, height = frame_pixels((box.w, box.h), scale)
    return width * height <= MAX_PIXELS


def megapixels(box: Box, scale: float) -> float:
    """Return the size of *box* at *scale* in millions of pixels."""
    return box.w * box.h * scale * scale / 1e6


def lower_scale(box: Box, *, below: float) -> float:
    """Return the largest scale under *below* at which *box* fits: a usual one, else an odd one."""
    for scale in sorted(USUAL_SCALES, reverse=True):
        if scale < below and fits(box, scale):
            return scale
    hundredths = int((MAX_PIXELS / max(box.area, 1.0)) ** 0.5 * 100)
    scale = max(min(hundredths / 100, below), SMALLEST_ASKED)
    while not fits(box, scale) and scale > SMALLEST_ASKED:
        scale = round(scale - 0.01, 2)
    return scale


def tiles_of(root: DesignNode, scale: float) -> tuple[str, ...]:
    """Return the ids of the children whose pictures make that of *root*, none when they do not.

    They do when the frame itself is at most a flat colour and the children neither overlap nor
    paint outside their boxes nor mix with what is under them, and start on whole device px.
    """
    children = [c for c in root.children if c.visible and c.opacity > 0]
    if len(children) < 2 or root.box is None or not _is_flat(root.properties):
        return ()
    boxes: list[Box] = []
    for child in children:
        if not _stands_alone(child) or child.box is None:
            return ()
        place = child.box.shifted(-root.box.x, -root.box.y)
        frame = Box(0, 0, root.box.w, root.box.h)
        apart = all(place.intersection(other) is None for other in boxes)
        if not (apart and frame.contains(place, slack=_ON_GRID) and fits(child.box, scale)):
            return ()
        if any(abs(v * scale - round(v * scale)) > _ON_GRID for v in (place.x, place.y)):
            return ()
        boxes.append(place)
    return tuple(child.id for child in children)


def put_together(
    root: DesignNode, pictures: Mapping[str, NDArray[np.uint8]], *, scale: float
) -> NDArray[np.uint8]:
    """Return the picture of *root* from the RGBA *pictures* of its children, by node id."""
    assert root.box is not None
    width, height = frame_pixels((root.box.w, root.box.h), scale)
    whole = np.zeros((height, width, 4), np.uint8)
    whole[:] = _flat_color(root.properties)
    for child in root.children:
        picture = pictures.get(child.id)
        if picture is None or child.box is None:
            continue
        x = round((child.box.x - root.box.x) * scale)
        y = round((child.box.y - root.box.y) * scale)
        place = whole[y : y + picture.shape[0], x : x + picture.shape[1]]
        place[:] = _over(picture[: place.shape[0], : place.shape[1]], place)
    return whole


def _over(upper: NDArray[np.uint8], lower: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return straight-alpha *upper* composited over *lower*."""
    if upper.size and int(upper[..., 3].min()) == 255:
        return upper
    above = upper[..., 3:].astype(np.float64) / 255
    below = lower[..., 3:].astype(np.float64) / 255 * (1 - above)
    alpha = above + below
    color = upper[..., :3] * above + lower[..., :3] * below
    color = np.divide(color, alpha, out=np.zeros_like(color), where=alpha > 0)
    return np.concatenate([color, alpha * 255], axis=-1).round().astype(np.uint8)


def _is_flat(properties: Mapping[str, Any]) -> bool:
    fills = _shown(properties.get("fills"))
    flat = not fills or (
        len(fills) == 1
        and fills[0].get("type") == "SOLID"
        and fills[0].get("blendMode") in _PLAIN_BLENDS
        and _flat_color(properties)[3] == 255
    )
    square = not properties.get("cornerRadius") and not properties.get("rectangleCornerRadii")
    return (
        flat
        and square
        and not _shown(properties.get("strokes"))
        and not _shown(properties.get("effects"))
        and properties.get("opacity", 1) == 1
        and properties.get("blendMode") in _PLAIN_BLENDS
    )


def _stands_alone(child: DesignNode) -> bool:
    """Tell whether *child* alone looks as it does in its place: within its box, mixing nothing."""
    bounds = unclipped_bounds(child)
    if child.box is None or bounds is None or child.is_mask or child.rotation or child.opacity < 1:
        return False
    return child.box.contains(bounds, slack=_ON_GRID) and not any(_mixes(n) for n in walk(child))


def _mixes(node: DesignNode) -> bool:
    effects = _shown(node.properties.get("effects"))
    return node.properties.get("blendMode") not in _PLAIN_BLENDS or any(
        effect.get("type") == "BACKGROUND_BLUR" for effect in effects
    )


def _flat_color(properties: Mapping[str, Any]) -> tuple[int, int, int, int]:
    fills = _shown(properties.get("fills"))
    color = fills[0].get("color") if fills else None
    if not isinstance(color, dict):
        return 0, 0, 0, 0
    opacity = fills[0].get("opacity", 1.0)
    alpha = float(color.get("a", 1.0)) * float(opacity if opacity is not None else 1.0)
    red, green, blue = (_byte(color.get(key)) for key in "rgb")
    return red, green, blue, _byte(alpha)


def _byte(value: object) -> int:
    number = value if isinstance(value, int | float) else 0.0
    return min(max(round(number * 255), 0), 255)


def _shown(items: object) -> Sequence[Mapping[str, Any]]:
    if not isinstance(items, list):
        return []
    return [i for i in items if isinstance(i, dict) and i.get("visible") is not False]
