"""What computed styles say of the matched elements against the design: advisory, never gating."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import parse_color
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.node_style import text_style, word
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

__all__ = ["StyleDifference", "StyleReport", "StyleTolerance", "Styles", "compare_styles"]

_SHAPES = frozenset(("VECTOR", "BOOLEAN_OPERATION", "STAR", "POLYGON", "REGULAR_POLYGON", "LINE"))


class Styles:
    """What the styles of one comparison's elements say of their nodes, each looked at once.

    The verdict asks of single nodes where the pixels doubt, the report of all.
    """

    def __init__(
        self,
        placed: Iterable[PlacedNode],
        matches: Matches,
        *,
        tolerance: StyleTolerance | None = None,
    ) -> None:
        self.scene = Scene(placed, matches, tolerance=tolerance)
        self._said: dict[str, tuple[StyleDifference, ...]] = {}

    @property
    def matches(self) -> Matches:
        """Which element is which node."""
        return self.scene.matches

    def of(self, item: PlacedNode, match: Match) -> tuple[StyleDifference, ...]:
        """Return how the style of a node's element differs from the node."""
        known = self._said.get(item.node.id)
        if known is None:
            known = self._said[item.node.id] = compare_style(item, match, scene=self.scene)
        return known

    def report(self) -> StyleReport:
        """Return how the styles of all surely matched elements differ from the design.

        ``n/a`` when the page has no meaningful DOM. Turned nodes and elements are skipped.
        """
        scene, matches = self.scene, self.matches
        snapshot = matches.snapshot
        if not snapshot.meaningful:
            return StyleReport(status="n/a", reason=snapshot.reason)
        differences: list[StyleDifference] = []
        skipped: dict[str, int] = {}
        compared = 0
        for node_id, item in scene.nodes.items():
            match = matches.by_node.get(node_id)
            why = _why_skipped(item, match, turned=node_id in scene.turned)
            if why or match is None:
                skipped[why] = skipped.get(why, 0) + 1
                continue
            compared += 1
            differences.extend(self.of(item, match))
        return StyleReport(
            status="compared",
            differences=tuple(differences),
            missing_fonts=_missing_fonts(scene),
            compared=compared,
            skipped=dict(sorted(skipped.items())),
        )


def compare_styles(
    placed: Iterable[PlacedNode], matches: Matches, *, tolerance: StyleTolerance | None = None
) -> StyleReport:
    """Return how the styles of all surely matched elements differ from the design."""
    return Styles(placed, matches, tolerance=tolerance).report()


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


def _why_skipped(item: PlacedNode, match: Match | None, *, turned: bool) -> str:
    """Return why nothing is claimed of a node, "" when something may be."""
    if match is None:
        return "unmatched"
    if match.confidence < CONFIDENT:
        return "unsure"
    if turned:
        return "rotated"
    return "group" if item.node.type == "GROUP" else ""


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
    fill, stroke = claims.looks.fill, claims.looks.stroke
    wanted = [c for c in (fill, stroke.color if stroke else None) if c is not None]
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
