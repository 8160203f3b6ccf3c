"""Every style check of the matched elements, kept ones too, each with its tolerance: a checklist.

The style channel names only what differs; a bridge report lists all that was looked at. Advisory:
nothing here gates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.css_values import Color, parse_color, parse_number, parse_px
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.node_style import number, radii_of, solid_fill, text_style

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.matches import Match, Matches

#: How much each property may differ: CSS px, or steps of a colour channel (0..255).
TOLERANCES: Mapping[str, float] = {
    "x": 2.0,
    "y": 2.0,
    "width": 2.0,
    "height": 2.0,
    "background-color": 3.0,
    "color": 3.0,
    "font-size": 1.0,
    "font-weight": 0.0,
    "border-radius": 1.0,
}
_CORNERS = ("top-left", "top-right", "bottom-right", "bottom-left")
_CHANNELS = frozenset(("background-color", "color"))


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleCheck:
    """One property of one matched element. ``delta`` is how far apart, never negative."""

    node_id: str
    name: str
    selector: str
    property: str
    expected: str
    actual: str
    delta: float
    tolerance: float
    unit: str
    confidence: float
    passed: bool

    def as_record(self) -> dict[str, Any]:
        """Return the check as reports hold it."""
        return {
            "node_id": self.node_id,
            "name": self.name,
            "selector": self.selector,
            "property": self.property,
            "expected": self.expected,
            "actual": self.actual,
            "delta": round(self.delta, 3),
            "tolerance": self.tolerance,
            "unit": self.unit,
            "pass": self.passed,
            "confidence": round(self.confidence, 4),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleChecks:
    """All checks of one comparison. ``skipped`` counts the nodes without any, by why."""

    items: tuple[StyleCheck, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return the checks as reports hold them; they never gate."""
        failed = sum(not item.passed for item in self.items)
        return {
            "gating": False,
            "summary": {
                "total": len(self.items),
                "passed": len(self.items) - failed,
                "failed": failed,
                "skipped": dict(self.skipped),
            },
            "items": [item.as_record() for item in self.items],
        }


def check_styles(placed: Iterable[PlacedNode], matches: Matches) -> StyleChecks:
    """Return every check that the design gives a value for, in the order of the nodes.

    Nothing is claimed of an unmatched node or of an unsure match. The width and height of a text
    follow from its font and are not checked.
    """
    items: list[StyleCheck] = []
    skipped: dict[str, int] = {}
    for item in placed:
        match = matches.by_node.get(item.node.id)
        if match is None or match.confidence < CONFIDENT:
            why = "unmatched" if match is None else "unsure"
            skipped[why] = skipped.get(why, 0) + 1
            continue
        items.extend(_checks(item, match, matches.snapshot.elements[match.element]))
    return StyleChecks(items=tuple(items), skipped=dict(sorted(skipped.items())))


def _checks(item: PlacedNode, match: Match, element: Element) -> list[StyleCheck]:
    pairs = _geometry(item, match, element) + _paint(item, match, element)
    return [
        StyleCheck(
            node_id=item.node.id,
            name=item.node.name,
            selector=element.selector,
            property=name,
            expected=str(expected) if isinstance(expected, Color) else f"{expected:g}",
            actual=str(actual) if isinstance(actual, Color) else f"{actual:g}",
            delta=(delta := _distance(expected, actual)),
            tolerance=TOLERANCES[name],
            unit="channel" if name in _CHANNELS else ("" if name == "font-weight" else "px"),
            confidence=match.confidence,
            passed=delta <= TOLERANCES[name] + 1e-6,
        )
        for name, expected, actual in pairs
    ]


_Pair = tuple[str, "float | Color", "float | Color"]


def _geometry(item: PlacedNode, match: Match, element: Element) -> list[_Pair]:
    if element.transformed:
        return []
    box = element.text_box if match.is_text else element.box
    pairs = [("x", item.box.x, box.x), ("y", item.box.y, box.y)]
    if not match.is_text:
        pairs += [("width", item.box.w, box.w), ("height", item.box.h, box.h)]
    return [(name, round(wanted, 2), round(drawn, 2)) for name, wanted, drawn in pairs]


def _paint(item: PlacedNode, match: Match, element: Element) -> list[_Pair]:
    node = item.node
    pairs: list[_Pair] = []
    fill = solid_fill(node)
    name = "color" if match.is_text else "background-color"
    drawn = parse_color(element.value(name))
    if fill is not None and drawn is not None and not element.is_vector:
        pairs.append((name, fill, drawn))
    if match.is_text:
        style = text_style(node)
        size, weight = number(style, "fontSize"), number(style, "fontWeight")
        drawn_size = parse_px(element.value("font-size"))
        drawn_weight = parse_number(element.value("font-weight"))
        if size is not None and drawn_size is not None:
            pairs.append(("font-size", size, drawn_size))
        if weight is not None and drawn_weight is not None:
            pairs.append(("font-weight", weight, drawn_weight))
        return pairs
    if number(node.properties, "cornerRadius") is not None:
        wanted = max(radii_of(node))
        limit = min(element.box.w, element.box.h) / 2
        corners = (parse_px(element.value(f"border-{c}-radius")) for c in _CORNERS)
        drawn_radius = max((min(c, limit) for c in corners if c is not None), default=0.0)
        pairs.append(("border-radius", wanted, drawn_radius))
    return pairs


def _distance(expected: float | Color, actual: float | Color) -> float:
    if isinstance(expected, Color) and isinstance(actual, Color):
        apart = [abs(e - a) for e, a in zip(expected.rgb, actual.rgb, strict=True)]
        return max(*apart, abs(expected.a - actual.a) * 255)
    assert not isinstance(expected, Color)
    assert not isinstance(actual, Color)
    return abs(expected - actual)
