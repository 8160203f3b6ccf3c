"""Whether a page follows its design where that says FILL or HUG, or was pinned to its pixels.

A page that was fitted to one picture looks right at one size and with one text. So it is shown a
few px wider, narrower and taller, and with longer texts: what the design lets fill the room has to
take it, and what hugs its content has to make room for it.

Only what is sure is judged. A node needs an element that it surely is; what its parent does is
measured and not assumed; a limit that the page declares (``max-width``) is no pinning, since then
the element gives way in the other direction; a text that finds room, or is cut on purpose, says
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.attributing import element_ref
from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.finding import Channel, Finding, NodeRef, delta_id
from pytest_pixelloop.core.found_region import printable_end
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.node_style import told_sizing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_pixelloop.core.design import Design, DesignNode, PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.matches import Matches

#: By how many CSS px a page is shown wider, narrower and taller: less than between breakpoints.
STEP = 24
#: The least change in CSS px that is expected of an element, and what part of it is enough.
LEAST, ENOUGH = 2.0, 0.25
SEVERITY = 5.0
_CLOSE = 0.5
_BOXES = frozenset(("FRAME", "INSTANCE", "COMPONENT", "RECTANGLE", "GROUP"))
_STRETCH = frozenset(("LEFT_RIGHT", "TOP_BOTTOM", "STRETCH", "SCALE"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """A node that fills its parent along ``axis`` (0 is the width).

    ``share`` is its part of what ``parent`` grows by; None is the viewport.
    """

    placed: PlacedNode
    element: Element
    axis: int
    parent: Element | None
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hug:
    """A node that hugs a text along ``axis``. ``below`` is what follows the text inside it."""

    placed: PlacedNode
    element: Element
    axis: int
    text: Element
    below: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """What there is to judge of one comparison."""

    fills: tuple[Fill, ...] = ()
    hugs: tuple[Hug, ...] = ()

    @property
    def selectors(self) -> tuple[str, ...]:
        """Every element whose size is asked for, once."""
        elements = [e for f in self.fills for e in (f.element, f.parent) if e is not None]
        return tuple(dict.fromkeys(e.selector for e in elements))


#: Width and height by selector; what is not there any more has none.
Sizes = dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretched:
    """What a page measured at its own size, wider, narrower and taller; None where it was not."""

    base: Sizes
    wider: Sizes | None = None
    narrower: Sizes | None = None
    taller: Sizes | None = None


def plan_probes(design: Design, matches: Matches | None) -> Probes:
    """Return what of *design* says FILL or HUG and is surely an element of the page."""
    if design.root is None or matches is None:
        return Probes()
    placed = {item.node.id: item for item in place_nodes(design.root)}
    plan = _Plan(placed, matches, design.root)
    fills, hugs = [], []
    for item in placed.values():
        if item.depth == 0 or item.node.rotation:
            continue
        fills += [f for axis in (0, 1) if (f := plan.fill(item, axis)) is not None]
        hugs += [h for axis in (0, 1) if (h := plan.hug(item, axis)) is not None]
    return Probes(fills=tuple(fills), hugs=tuple(hugs))


class _Plan:
    """Looks up nodes, parents and elements."""

    def __init__(
        self, placed: Mapping[str, PlacedNode], matches: Matches, root: DesignNode
    ) -> None:
        self._placed = placed
        self._matches = matches
        self._root = root

    def fill(self, item: PlacedNode, axis: int) -> Fill | None:
        """Return the fill that a node is along an axis, None where it is none, or nobody knows."""
        element = self._element(item)
        if element is None or item.node.type not in _BOXES or _limited(item.node, axis):
            return None
        share, at = 1.0, item
        while True:
            parent = self._placed.get(at.parent_id or "")
            if parent is None or not self._fills(at, parent, axis):
                return None
            share *= self._share(parent, axis)
            above = self._element(parent)
            if parent.depth == 0:
                above = None
            elif above is None:
                at = parent  # an element of its own is not known: what is above it has to grow
                continue
            if parent.depth == 0 and axis == 1:
                return None  # a page is as high as its content, whatever the window
            return Fill(placed=item, element=element, axis=axis, parent=above, share=share)

    def hug(self, item: PlacedNode, axis: int) -> Hug | None:
        """Return the hug that a node is along an axis."""
        node, element = item.node, self._element(item)
        along = _along(node)
        if element is None or along is None or sizing(node, axis) != "HUG" or _limited(node, axis):
            return None
        inside = [c for c in node.children if c.visible and c.id in self._placed]
        texts = [c for c in inside if c.type == "TEXT" and _grows(c, axis)]
        if axis == 0 and along == 1:
            widest = max((self._placed[c.id].box.w for c in inside), default=0.0)
            texts = [t for t in texts if self._placed[t.id].box.w >= widest - 1]
        for text in texts:
            found = self._matches.element(text.id, confidence=CONFIDENT)
            if found is None or " >> " in found.selector:
                continue
            edge = self._placed[text.id].box.bottom
            rest = [c for c in inside if self._placed[c.id].box.y >= edge - 0.5]
            below = [e for c in rest if (e := self._matches.element(c.id, confidence=CONFIDENT))]
            below = [e for e in below if " >> " not in e.selector]
            return Hug(placed=item, element=element, axis=axis, text=found, below=tuple(below))
        return None

    def _element(self, item: PlacedNode) -> Element | None:
        """Return the element that a node surely is: matched as such, or alone where it is.

        The page looks as the design does, so the only element with a node's box is the node.
        """
        found = self._matches.by_node.get(item.node.id)
        elements = self._matches.snapshot.elements
        if found is not None and found.is_text:
            return None
        if found is not None and found.confidence >= CONFIDENT:
            element = elements[found.element]
        else:
            there = [e for e in elements if _same_place(e.box, item.box)]
            if len(there) != 1:
                return None
            element = there[0]
        return None if " >> " in element.selector else element

    def _fills(self, item: PlacedNode, parent: PlacedNode, axis: int) -> bool:
        said = sizing(item.node, axis)
        if said is not None:
            return said == "FILL"
        along = _along(parent.node)
        told = item.node.properties
        if along is not None and told.get("layoutPositioning") != "ABSOLUTE":
            if along == axis:
                return _number(told.get("layoutGrow")) > 0
            return told.get("layoutAlign") == "STRETCH"
        constraints = told.get("constraints")
        key = "vertical" if axis else "horizontal"
        return isinstance(constraints, dict) and constraints.get(key) in _STRETCH

    def _share(self, parent: PlacedNode, axis: int) -> float:
        """Return which part of its parent's growth one filling child gets."""
        if _along(parent.node) != axis:
            return 1.0
        others = [self._placed[c.id] for c in parent.node.children if c.id in self._placed]
        count = sum(1 for other in others if self._fills(other, parent, axis))
        return 1.0 / max(count, 1)


def _same_place(one: Box, other: Box) -> bool:
    pairs = zip(one.as_list(), other.as_list(), strict=True)
    return all(abs(a - b) <= _CLOSE for a, b in pairs)


def sizing(node: DesignNode, axis: int) -> str | None:
    """Return HUG, FILL or FIXED along an axis, None where the design does not say it itself."""
    told = told_sizing(node, axis)
    if told is not None:
        return told
    along = _along(node)
    if along is None:
        return None
    key = "primaryAxisSizingMode" if along == axis else "counterAxisSizingMode"
    return "HUG" if node.properties.get(key) == "AUTO" else None


def _along(node: DesignNode) -> int | None:
    """Return the axis along which a node's children follow each other; None where none do."""
    if node.properties.get("layoutWrap") == "WRAP":
        return None
    mode = node.properties.get("layoutMode")
    return {"HORIZONTAL": 0, "VERTICAL": 1}.get(str(mode))


def _limited(node: DesignNode, axis: int) -> bool:
    """Tell whether the design itself limits a size."""
    name = "Height" if axis else "Width"
    return any(node.properties.get(word + name) is not None for word in ("min", "max"))


def _grows(text: DesignNode, axis: int) -> bool:
    """Tell whether a text takes more room along an axis when there is more of it."""
    style = text.properties.get("style")
    resize = style.get("textAutoResize") if isinstance(style, dict) else None
    if isinstance(style, dict) and style.get("textTruncation") == "ENDING":
        return False
    said = told_sizing(text, 0)
    wide = said == "HUG" if said else resize == "WIDTH_AND_HEIGHT"
    return wide if axis == 0 else resize == "HEIGHT" and not wide


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def judge_fills(fills: Sequence[Fill], seen: Stretched, *, label: str) -> tuple[list[Finding], int]:
    """Return the nodes that do not follow their parents, and how many were judged."""
    found, judged = [], 0
    for fill in fills:
        moves = list(_moves(fill, seen))
        if not moves:
            continue
        judged += 1
        if any(got >= wanted * ENOUGH for wanted, got in moves):
            continue
        wanted, got = moves[0]
        name = "height" if fill.axis else "width"
        found.append(
            _finding(
                fill.placed,
                fill.element,
                kind="does-not-fill",
                prop=name,
                label=label,
                expected=round(wanted, 1),
                actual=round(got, 1),
                message=f"its {name} does not follow: the room grew by "
                f"{wanted:.0f} px and it by {got:.0f}; the design says that it fills it",
            )
        )
    return found, judged


def _moves(fill: Fill, seen: Stretched) -> Iterator[tuple[float, float]]:
    """Yield what was expected of a fill and what it did, in each direction that was measured."""
    sides = ((seen.taller, 1),) if fill.axis else ((seen.wider, 1), (seen.narrower, -1))
    for sizes, sign in sides:
        if sizes is None:
            continue
        own = _growth(fill.element, seen.base, sizes, fill.axis)
        room: float | None = float(STEP) * sign
        if fill.parent is not None:
            room = _growth(fill.parent, seen.base, sizes, fill.axis)
        if own is None or room is None:
            continue
        wanted = room * sign * fill.share
        if wanted >= LEAST:
            yield wanted, own * sign


def _growth(element: Element, base: Sizes, now: Sizes, axis: int) -> float | None:
    """Return by how much an element grew; None where it is not, or is not the one compared."""
    before, after = base.get(element.selector), now.get(element.selector)
    compared = element.box.h if axis else element.box.w
    if before is None or after is None or abs(before[axis] - compared) > 1:
        return None
    return after[axis] - before[axis]


def judge_hugs(
    hugs: Sequence[Hug], answers: Sequence[Mapping[str, Any] | None], *, label: str
) -> tuple[list[Finding], int]:
    """Return the nodes that make no room for a longer text, and how many were judged.

    *answers* are what the page measured of each, see capture/stretching.py.
    """
    found, judged = [], 0
    for hug, answer in zip(hugs, answers, strict=True):
        if answer is None or not answer.get("judged"):
            continue
        judged += 1
        if answer.get("follows"):
            continue
        name = "height" if hug.axis else "width"
        found.append(
            _finding(
                hug.placed,
                hug.element,
                kind="does-not-hug",
                prop=name,
                label=label,
                expected=round(float(answer["wanted"]), 1),
                actual=round(float(answer["got"]), 1),
                message=f"its {name} does not follow its text: longer, that "
                f"needs {answer['wanted']:.0f} px more and gets {answer['got']:.0f}; the design "
                "says that it hugs it",
            )
        )
    return found, judged


def _finding(
    placed: PlacedNode,
    element: Element,
    *,
    kind: str,
    prop: str,
    label: str,
    expected: float,
    actual: float,
    message: str,
) -> Finding:
    name, path = printable(placed.node.name), printable_end(placed.path)
    node = NodeRef(id=placed.node.id, name=name, path=path)
    return Finding(
        delta_id=delta_id(label, node=node, box=placed.box),
        kind=kind,
        channel=Channel.VISUAL,
        message=f"{node.path}: {message}",
        box=placed.box,
        severity=SEVERITY,
        gating=True,
        node=node,
        element=element_ref(element),
        property=prop,
        expected=expected,
        actual=actual,
        delta=round(actual - expected, 1),
        unit="px",
    )
