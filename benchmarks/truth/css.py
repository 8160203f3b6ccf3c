"""Computed CSS values as numbers: what both the drawing and the node file need."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

Rgba = tuple[int, int, int, float]
Layout = dict[str, Any]

#: Ascent and descent per font size, unrounded, of the fonts the pages use (from their files).
METRICS = {
    "Inter": (0.96875, 0.24121),
    "Liberation Sans": (0.90527, 0.21191),
    "Liberation Serif": (0.89111, 0.21631),
    "Liberation Mono": (0.83252, 0.30029),
    "DejaVu Sans": (0.92822, 0.23584),
}

_COLOUR = re.compile(r"rgba?\(([^)]*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """One ``box-shadow`` layer."""

    colour: Rgba
    x: float
    y: float
    blur: float
    spread: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradient:
    """One ``linear-gradient``: the angle in degrees and the stops (place 0..1, colour)."""

    angle: float
    stops: tuple[tuple[float, Rgba], ...]

    def line(self, width: float, height: float) -> tuple[float, float, float, float]:
        """Return start and end of the gradient line in the box, as CSS lays it."""
        angle = math.radians(self.angle)
        half = (abs(width * math.sin(angle)) + abs(height * math.cos(angle))) / 2
        dx, dy = math.sin(angle) * half, -math.cos(angle) * half
        return width / 2 - dx, height / 2 - dy, width / 2 + dx, height / 2 + dy


def px(value: str) -> float:
    """Return ``12.5px`` as 12.5, everything that is no length as 0."""
    return float(value[:-2]) if value.endswith("px") else 0.0


def colour(value: str) -> Rgba:
    """Return ``rgb(...)`` or ``rgba(...)`` as numbers."""
    found = _COLOUR.search(value)
    assert found, value
    parts = [float(p) for p in found.group(1).replace("/", ",").split(",")]
    return round(parts[0]), round(parts[1]), round(parts[2]), parts[3] if len(parts) > 3 else 1.0


def hexed(value: Rgba) -> str:
    """Return the colour as ``#rrggbb``, without its alpha."""
    return "#{:02x}{:02x}{:02x}".format(*value[:3])


def shadows(value: str) -> tuple[Shadow, ...]:
    """Return the layers of a computed ``box-shadow``, first = top; inset layers are left out."""
    layers = []
    for part in re.findall(r"rgba?\([^)]*\)[^,]*", value):
        if "inset" in part:
            continue
        lengths = [px(p) for p in part[part.index(")") + 1 :].split()]
        x, y, blur, spread = lengths
        layers.append(Shadow(colour=colour(part), x=x, y=y, blur=blur, spread=spread))
    return tuple(layers)


def gradient(value: str) -> Gradient | None:
    """Return a computed ``linear-gradient``; None for any other background image."""
    if not value.startswith("linear-gradient("):
        return None
    angle = re.match(r"linear-gradient\((-?[\d.]+)deg", value)
    stops = re.findall(r"(rgba?\([^)]*\))\s*([\d.]+%)?", value)
    last = len(stops) - 1
    return Gradient(
        angle=float(angle.group(1)) if angle else 180.0,
        stops=tuple(
            (float(at[:-1]) / 100 if at else i / last, colour(c)) for i, (c, at) in enumerate(stops)
        ),
    )


def radii(style: Layout, width: float, height: float) -> tuple[float, float, float, float]:
    """Return the four corner radii (TL, TR, BR, BL), scaled down together where they overlap."""
    names = ("TopLeft", "TopRight", "BottomRight", "BottomLeft")
    values = []
    for name in names:
        text = style[f"border{name}Radius"].split()[0]
        share = text.endswith("%")
        values.append(float(text[:-1]) / 100 * min(width, height) if share else px(text))
    tl, tr, br, bl = values
    sums = ((tl + tr, width), (br + bl, width), (tl + bl, height), (tr + br, height))
    factor = min([1.0, *(size / total for total, size in sums if total > size)])
    return tl * factor, tr * factor, br * factor, bl * factor


def borders(style: Layout) -> tuple[tuple[float, Rgba], ...]:
    """Return width and colour of the borders: top, right, bottom, left; width 0 for none."""
    found = []
    for side in ("Top", "Right", "Bottom", "Left"):
        width = px(style[f"border{side}Width"])
        shown = style[f"border{side}Style"] not in {"none", "hidden"}
        found.append((width if shown else 0.0, colour(style[f"border{side}Color"])))
    return tuple(found)


def family(style: Layout) -> str:
    """Return the first font family without its quotes."""
    return str(style["fontFamily"]).split(",")[0].strip("\"' ")


def ascent_descent(style: Layout) -> tuple[float, float]:
    """Return the font's unrounded ascent and descent in CSS px."""
    size = px(style["fontSize"])
    ascent, descent = METRICS[family(style)]
    return ascent * size, descent * size


def line_height(style: Layout) -> float:
    """Return the line height in CSS px; ``normal`` is ascent plus descent."""
    if style["lineHeight"] == "normal":
        return sum(ascent_descent(style))
    return px(style["lineHeight"])


def baseline(run: Layout) -> float:
    """Return where the run's baseline lies when nothing is rounded to whole pixels."""
    ascent, descent = ascent_descent(run["style"])
    centre: float = run["top"] + run["height"] / 2
    return centre + (ascent - descent) / 2


def paints(style: Layout) -> bool:
    """Tell whether the element's own box paints anything."""
    return (
        colour(style["backgroundColor"])[3] > 0
        or style["backgroundImage"] != "none"
        or style["boxShadow"] != "none"
        or any(width > 0 for width, _ in borders(style))
    )
