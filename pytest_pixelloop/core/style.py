"""What computed styles say of the matched elements against the design: advisory, never gating."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import parse_color
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.node_style import solid_fill, stroke_of, text_style, word
from pytest_pixelloop.core.style_box import compare_box
from pytest_pixelloop.core.style_difference import (
    MissingFont,
    StyleDifference,
    StyleReport,
    StyleTolerance,
)
from pytest_pixelloop.core.style_layout import compare_layout
from pytest_pixelloop.core.style_scene import Claims, Scene
from pytest_pixelloop.core.style_text import compare_text, family_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.matches import Match, Matches

__all__ = ["StyleDifference", "StyleReport", "StyleTolerance", "compare_style", "compare_styles"]

_STRAIGHT = 0.001
_SHAPES = frozenset(("VECTOR", "BOOLEAN_OPERATION", "STAR", "POLYGON", "REGULAR_POLYGON", "LINE"))


def compare_styles(
    placed: Iterable[PlacedNode], matches: Matches, *, tolerance: StyleTolerance | None = None
) -> StyleReport:
    """Return how the styles of all surely matched elements differ from the design.

    ``n/a`` when the page has no meaningful DOM. Turned nodes and elements are skipped.
    """
    if not matches.snapshot.meaningful:
        return StyleReport(status="n/a", reason=matches.snapshot.reason)
    scene = Scene(placed, matches, tolerance=tolerance)
    differences: list[StyleDifference] = []
    skipped: dict[str, int] = {}
    compared = 0
    for node_id, item in scene.nodes.items():
        why = _why_skipped(scene, item)
        if why:
            skipped[why] = skipped.get(why, 0) + 1
            continue
        compared += 1
        differences.extend(compare_style(item, matches.by_node[node_id], scene=scene))
    return StyleReport(
        status="compared",
        differences=tuple(differences),
        missing_fonts=_missing_fonts(scene),
        compared=compared,
        skipped=dict(sorted(skipped.items())),
    )


def compare_style(item: PlacedNode, match: Match, *, scene: Scene) -> tuple[StyleDifference, ...]:
    """Return how one element's style differs from its node; *scene* knows what is around them."""
    claims = Claims(scene, item, match)
    if match.is_text:
        compare_text(claims)
    elif item.node.type in _SHAPES:
        _compare_shape(claims)
    else:
        compare_box(claims)
        if not claims.element.transformed:
            compare_layout(claims)
    return tuple(claims.found)


def _why_skipped(scene: Scene, item: PlacedNode) -> str:
    """Return why nothing is claimed of a node, "" when something may be."""
    match = scene.matches.by_node.get(item.node.id)
    if match is None:
        return "unmatched"
    if match.confidence < CONFIDENT:
        return "unsure"
    above: PlacedNode | None = item
    while above is not None:
        if abs(above.node.rotation) > _STRAIGHT:
            return "rotated"
        above = scene.nodes.get(above.parent_id or "")
    if item.node.type == "GROUP":
        return "group"
    return ""


def _compare_shape(claims: Claims) -> None:
    """Compare the one colour of a drawn shape; either side may draw it as fill or as stroke."""
    shape = claims.element
    if shape.tag == "svg":
        inside = [e for e in claims.scene.inside(shape) if e.is_vector]
        if len(inside) != 1:
            return
        shape = inside[0]
    if not shape.is_vector:
        return
    stroke = stroke_of(claims.node)
    wanted = [
        c for c in (solid_fill(claims.node), stroke.color if stroke else None) if c is not None
    ]
    named = [(name, parse_color(shape.value(name))) for name in ("fill", "stroke")]
    drawn = [(name, color) for name, color in named if color is not None and color.a > 0]
    if len(wanted) == 1 and len(drawn) == 1:
        claims.color(drawn[0][0], expected=wanted[0], actual=drawn[0][1])


def _missing_fonts(scene: Scene) -> tuple[MissingFont, ...]:
    """Return the families of the design that no matched text of the page really uses."""
    found: dict[tuple[str, str | None], list[str]] = {}
    for node_id, item in scene.nodes.items():
        match = scene.box_match(node_id)
        wanted = word(text_style(item.node), "fontFamily")
        if match is None or not match.is_text or not wanted:
            continue
        element = scene.elements[match.element]
        if element.font is not None and family_key(element.font) != family_key(wanted):
            found.setdefault((wanted, element.font), []).append(node_id)
    return tuple(
        MissingFont(family=family, used=used, node_ids=tuple(sorted(ids)))
        for (family, used), ids in sorted(found.items(), key=lambda f: (f[0][0], f[0][1] or ""))
    )
