"""What the page's elements say where the pixels doubt: their words, their style, their place.

Style alone never gates, and where the pixels are sure it excuses nothing. It is asked when the
pixels of a node lie in the doubtful band: then a sure difference of the matched element makes them
a finding, and a sure match without any makes them noise (PRODUCT section 4).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_pixelloop.core.attributing import property_family
from pytest_pixelloop.core.css_values import parse_number
from pytest_pixelloop.core.dom import is_picture
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.matching import match
from pytest_pixelloop.core.pairing import centre, hanging_point, point_of
from pytest_pixelloop.core.style import Styles

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import DomSnapshot, Element
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.matches import Match
    from pytest_pixelloop.core.style_difference import StyleDifference
    from pytest_pixelloop.core.style_scene import Scene

LETTERS = frozenset(
    (
        "text",
        "text-transform",
        "font-family",
        "font-style",
        "font-variant-caps",
        "font-size",
        "font-weight",
        "letter-spacing",
        "line-height",
        "text-align",
        "text-overflow",
        "text-decoration-line",
    )
)
"""What decides which letters are seen, how large, how heavy and where."""
COLORS = frozenset(("color", "fill", "stroke", "opacity"))
"""What decides in which colour they are seen."""
BESIDE = 4.0
"""CSS px that an element may lie from the pixels it speaks of: ink is not centred in its box."""
_AFFIX = 2
_EDGE = 1.0
"""CSS px of an overlap that is one of edges only."""
_OPACITY = 0.02
_FOREIGN = frozenset(("svg", "iframe", "object", "embed"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """What the surely matched element of a node says of it.

    ``differences`` are sure, the most telling first. ``doubted`` are families of properties that
    differ, surely or not, on the element or through its ancestors. ``trusted`` tells whether
    silence may excuse: the element itself paints what is seen there. ``shift`` is how far the
    element lies from the node's place, ``span`` from where to where it reaches across and ``rows``
    down, all in CSS px.
    """

    differences: tuple[StyleDifference, ...]
    doubted: frozenset[str]
    trusted: bool
    shift: tuple[float, float]
    span: tuple[float, float]
    rows: tuple[float, float]

    def lies_at(self, seen: tuple[float, float]) -> bool:
        """Tell whether the element lies where pixels are seen, in CSS px from the node's place."""
        (x, y), (dx, dy) = self.shift, seen
        return max(abs(x - dx), abs(y - dy)) <= BESIDE

    def calms(self, families: frozenset[str], *, seen: tuple[float, float]) -> bool:
        """Tell whether the element surely has none of these differences.

        *seen* is how far the pixels in question lie from the node's place, in CSS px: what an
        element says is said of the place where it is.
        """
        return self.trusted and not self.doubted & families and self.lies_at(seen)


class Witnesses:
    """The witnesses of one comparison: nothing is matched before the first one is asked for."""

    def __init__(self, placed: Sequence[PlacedNode], dom: DomSnapshot | None) -> None:
        self._placed = placed
        self._dom = dom if dom is not None and dom.meaningful else None
        self._known: dict[str, Witness | None] = {}

    def of(self, node_id: str) -> Witness | None:
        """Return the witness of a node, None where no element is surely it."""
        if self._dom is None or not self._placed:
            return None
        if node_id not in self._known:
            self._known[node_id] = self._asked(node_id)
        return self._known[node_id]

    @property
    def styles(self) -> Styles | None:
        """What the elements' styles say, None while nothing has been asked for."""
        return self._styles if "_styles" in self.__dict__ else None

    @cached_property
    def _styles(self) -> Styles:
        assert self._dom is not None
        return Styles(self._placed, match(self._placed, self._dom))

    @property
    def _scene(self) -> Scene:
        return self._styles.scene

    @cached_property
    def _pictures(self) -> list[tuple[float, float, float, float, int]]:
        """What may show anything whatever the elements say: pictures, frames, painted content.

        Edges (left, top, right, bottom) and index of each that is more than an edge itself.
        """
        return [
            (e.box.x, e.box.y, e.box.right, e.box.bottom, e.index)
            for e in self._scene.elements
            if (
                is_picture(e)
                or e.pseudo
                or e.tag in _FOREIGN
                or "url(" in e.value("background-image")
            )
            and min(e.box.right - e.box.x, e.box.bottom - e.box.y) > _EDGE
        ]

    def _asked(self, node_id: str) -> Witness | None:
        scene = self._scene
        item, found = scene.nodes.get(node_id), scene.box_match(node_id)
        if item is None or found is None or node_id in scene.turned:
            return None
        element = scene.elements[found.element]
        said = [_surer(d, found) for d in self._styles.of(item, found)]
        sure = [d for d in said if d.confidence >= CONFIDENT and not d.diagnosis]
        doubted = {property_family(d.property) for d in said}
        shown, altered = self._through[element.index]
        if abs(shown - _opacity(scene, item)) > _OPACITY:
            doubted.add("opacity")
        box = element.text_box if found.is_text else element.box
        return Witness(
            differences=tuple(sorted(sure, key=_rank)),
            doubted=frozenset(doubted),
            trusted=not altered and self._paints_itself(element, box),
            shift=_shift(item, box, found),
            span=(box.x, box.right),
            rows=(box.y, box.bottom),
        )

    @cached_property
    def _through(self) -> list[tuple[float, bool]]:
        """The opacity of each element and all around it, and whether anything alters them.

        A filter or a blend mode does.
        """
        found: list[tuple[float, bool]] = []
        for element in self._scene.elements:  # parents come first
            opacity, altered = (1.0, False) if element.parent is None else found[element.parent]
            own = parse_number(element.value("opacity"))
            altered = (
                altered
                or element.value("filter") != "none"
                or element.value("mix-blend-mode") != "normal"
            )
            found.append((opacity if own is None else opacity * own, altered))
        return found

    def _paints_itself(self, element: Element, box: Box) -> bool:
        """Tell whether what is seen there can only be the element's own text or shape."""
        if element.transformed or element.clipped or element.value("text-shadow") != "none":
            return False
        beside = self._covering(box)
        if not beside:
            return True
        scene = self._scene
        own = {element.index, *(e.index for e in scene.inside(element))}
        if element.is_vector:
            above = scene.matches.snapshot.ancestors(element.index)
            own.update(i for i in above if scene.elements[i].is_vector)
        return own.issuperset(beside)

    def _covering(self, box: Box) -> list[int]:
        """Return the pictures that lie over more than an edge of a box."""
        x, y, right, bottom = box.x, box.y, box.right, box.bottom
        if min(right - x, bottom - y) <= _EDGE:
            return []
        return [
            index
            for left, top, outer, low, index in self._pictures
            if low - y > _EDGE and bottom - top > _EDGE and outer - x > _EDGE
            if right - left > _EDGE
        ]


def _surer(difference: StyleDifference, found: Match) -> StyleDifference:
    """Return a difference of a few letters at either end as sure as the match is.

    The style check takes a text inside the other one for a piece of it; a full stop more is none.
    """
    if difference.property != "text":
        return difference
    shorter, longer = sorted((difference.expected, difference.actual), key=len)
    if not 0 < len(longer) - len(shorter) <= _AFFIX or len(shorter) <= _AFFIX:
        return difference
    return replace(difference, confidence=max(difference.confidence, found.confidence))


def _opacity(scene: Scene, item: PlacedNode) -> float:
    shown = 1.0
    above: PlacedNode | None = item
    while above is not None:
        shown *= above.node.opacity
        above = scene.nodes.get(above.parent_id or "")
    return shown


def _shift(item: PlacedNode, box: Box, found: Match) -> tuple[float, float]:
    """Return how far *box*, that of an element or of its text, lies from the node's."""
    (x, y), there = centre(item.box), centre(box)
    if found.is_text:
        (x, y), there = point_of(item), hanging_point(item, box)
    return there[0] - x, there[1] - y


_ORDER = (
    "text",
    "text-transform",
    "font-family",
    "font-style",
    "font-variant-caps",
    "font-size",
    "font-weight",
    "letter-spacing",
    "text-decoration-line",
    "color",
    "fill",
    "stroke",
    "opacity",
    "line-height",
    "text-align",
    "text-overflow",
)


def _rank(difference: StyleDifference) -> tuple[int, str]:
    family = property_family(difference.property)
    return _ORDER.index(family) if family in _ORDER else len(_ORDER), difference.property


def joined(witnesses: Iterable[Witness | None]) -> Witness | None:
    """Return what several witnesses of one drawing say together, None where there is none."""
    heard = [w for w in witnesses if w is not None]
    if not heard:
        return None
    return Witness(
        differences=tuple(sorted((d for w in heard for d in w.differences), key=_rank)),
        doubted=frozenset(f for w in heard for f in w.doubted),
        trusted=all(w.trusted for w in heard),
        shift=heard[0].shift,
        span=(min(w.span[0] for w in heard), max(w.span[1] for w in heard)),
        rows=(min(w.rows[0] for w in heard), max(w.rows[1] for w in heard)),
    )
