"""What a page's element paints itself, read once for all that is compared with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_pixelloop.core.css_values import (
    Color,
    Shadow,
    parse_blur,
    parse_color,
    parse_number,
    parse_px,
    parse_radius,
    parse_shadows,
)
from pytest_pixelloop.core.dom import paints
from pytest_pixelloop.core.node_style import CORNERS, SIDES

if TYPE_CHECKING:
    from pytest_pixelloop.core.dom import Element

_RADII = tuple(f"border-{corner}-radius" for corner in CORNERS)
_BORDERS = tuple(
    (f"border-{side}-style", f"border-{side}-width", f"border-{side}-color") for side in SIDES
)
_BORDER_STYLES = frozenset(style for style, _, _ in _BORDERS)
_SQUARE = (0.0, 0.0, 0.0, 0.0)
_PAINTING = frozenset(
    (
        "background-color",
        "background-image",
        "outline-style",
        "box-shadow",
        "opacity",
        "filter",
        "backdrop-filter",
        *_RADII,
        *_BORDER_STYLES,
    )
)
Line = tuple[tuple[float, ...], tuple[Color | None, ...]]
"""Widths and colours of the four sides of something that is drawn around a box."""


class ElementLooks(NamedTuple):
    """The background, border, corners, shadows, opacity and blurs of one element.

    ``fill`` is its background, opacity in it, None where it is clear. ``borders`` is what borders
    it: its border if any side has one, ``rings`` what draws one otherwise. ``shadows`` and
    ``corners`` are None where they cannot be read, and so are the blurs. ``drops`` tells that a
    filter casts a shadow.
    """

    paints: bool = False
    fill: Color | None = None
    image: str | None = None
    borders: Line | None = None
    rings: tuple[Line, ...] = ()
    shadows: tuple[Shadow, ...] | None = ()
    corners: tuple[float, float, float, float] | None = _SQUARE
    opacity: float = 1.0
    blur: float | None = 0.0
    behind: float | None = 0.0
    drops: bool = False


BARE = ElementLooks()


def drawn_by(element: Element) -> ElementLooks:
    """Return what an element paints; BARE where its style names nothing to paint."""
    if element.style.keys().isdisjoint(_PAINTING):
        return BARE._replace(paints=True) if paints(element) else BARE
    value = element.value
    opacity = parse_number(value("opacity"))
    color = parse_color(value("background-color"))
    shadows = parse_shadows(value("box-shadow"))
    shown = 1.0 if opacity is None else opacity
    return ElementLooks(
        paints=paints(element),
        fill=color.faded(shown) if color is not None and color.a > 0 else None,
        image=element.style.get("background-image"),
        borders=_borders(element),
        rings=_rings(element, shadows or ()),
        shadows=shadows,
        corners=_corners(element),
        opacity=shown,
        blur=parse_blur(value("filter")),
        behind=parse_blur(value("backdrop-filter")),
        drops="drop-shadow(" in value("filter"),
    )


def _borders(element: Element) -> Line | None:
    """Return the border of an element, None where no side of it is seen."""
    if element.style.keys().isdisjoint(_BORDER_STYLES):
        return None
    widths: list[float] = []
    colors: list[Color | None] = []
    for style, width_of, color_of in _BORDERS:
        drawn = element.value(style) not in {"none", "hidden"}
        width = parse_px(element.value(width_of)) if drawn else 0.0
        color = parse_color(element.value(color_of))
        clear = color is not None and color.a <= 0
        widths.append(0.0 if clear or width is None else width)
        colors.append(color)
    return (tuple(widths), tuple(colors)) if any(widths) else None


def _rings(element: Element, shadows: tuple[Shadow, ...]) -> tuple[Line, ...]:
    """Return the outline and the ring-like shadows of an element: what draws a border otherwise."""
    found: list[tuple[float, Color]] = []
    if element.value("outline-style") not in {"none", "auto"}:
        width = parse_px(element.value("outline-width"))
        color = parse_color(element.value("outline-color"))
        if width and color is not None and color.a > 0:
            found.append((width, color))
    found.extend((s.spread, s.color) for s in shadows if is_ring(s))
    return tuple(((width,) * 4, (color,) * 4) for width, color in found)


def is_ring(shadow: Shadow) -> bool:
    """Tell whether a shadow is nothing but a line around the box."""
    return shadow.x == shadow.y == shadow.blur == 0 and shadow.spread > 0 and shadow.color.a > 0


def _corners(element: Element) -> tuple[float, float, float, float] | None:
    """Return the radii an element shows, clamped to half its shorter side."""
    if element.style.keys().isdisjoint(_RADII):
        return _SQUARE
    box = element.box
    most = min(box.w, box.h) / 2
    found: list[float] = []
    for name in _RADII:
        radius = parse_radius(element.value(name), width=box.w, height=box.h)
        if radius is None:
            return None
        found.append(min(radius, most))
    return found[0], found[1], found[2], found[3]
