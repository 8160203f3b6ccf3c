"""What a design node paints itself, read once for all that is compared with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_pixelloop.core.node_style import (
    effects_of,
    gradient_fill,
    number,
    painted_over,
    radii_of,
    shadows_of,
    stroke_of,
    visible_paints,
)

if TYPE_CHECKING:
    from pytest_pixelloop.core.css_values import Color, Gradient, Shadow
    from pytest_pixelloop.core.design import DesignNode
    from pytest_pixelloop.core.node_style import Stroke

_ROUNDING = ("cornerRadius", "rectangleCornerRadii")
_PAINTING = ("fills", "strokes", "effects")
_SQUARE = (0.0, 0.0, 0.0, 0.0)
_UNPAINTED = frozenset(("GROUP", "SECTION"))


class NodeLooks(NamedTuple):
    """The fill, stroke, shadows, corners and blurs of one node.

    ``filled`` tells whether there is a visible fill of any kind, ``paints`` whether the node's own
    box is visible. ``fill`` is its colour where all fills are solid. ``blur`` and ``behind`` are
    the radii of its layer blur and its background blur, as Figma counts them.
    """

    filled: bool = False
    paints: bool = False
    fill: Color | None = None
    gradient: Gradient | None = None
    picture: bool = False
    stroke: Stroke | None = None
    shadows: tuple[Shadow, ...] = ()
    radii: tuple[float, float, float, float] = _SQUARE
    blur: float = 0.0
    behind: float = 0.0


BARE = NodeLooks()


def looks_of(node: DesignNode) -> NodeLooks:
    """Return what a node paints; BARE where its properties name nothing to paint."""
    properties = node.properties
    rounded = any(map(properties.get, _ROUNDING)) or node.type == "ELLIPSE"
    if not rounded and not any(map(properties.get, _PAINTING)):
        return BARE
    fills = visible_paints(node, "fills") if properties.get("fills") else []
    stroke = stroke_of(node) if properties.get("strokes") else None
    effects = bool(properties.get("effects"))
    shadows = shadows_of(node) if effects else ()
    unpainted = node.type in _UNPAINTED and not properties.get("fills")
    kinds = [paint.get("type") for paint in fills]
    return NodeLooks(
        filled=bool(fills),
        paints=not unpainted and (bool(fills) or stroke is not None or bool(shadows)),
        fill=painted_over(fills),
        gradient=gradient_fill(node) if fills and kinds[-1] != "SOLID" else None,
        picture="IMAGE" in kinds,
        stroke=stroke,
        shadows=shadows,
        radii=radii_of(node) if rounded else _SQUARE,
        blur=_radius(node, "LAYER_BLUR") if effects else 0.0,
        behind=_radius(node, "BACKGROUND_BLUR") if effects else 0.0,
    )


def _radius(node: DesignNode, kind: str) -> float:
    return max((number(e, "radius") or 0.0 for e in effects_of(node, kind)), default=0.0)
