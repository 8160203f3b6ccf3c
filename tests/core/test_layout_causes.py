"""One cause for everything that one cause has moved: trees that are laid out, changed, and judged.

A small layout engine (rows and columns with padding and gap that hug their content) lays a tree
out twice, as designed and with one value changed; the judge sees only how far edges went.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.design import DesignNode
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judged_nodes import judged_nodes
from pytest_pixelloop.core.layout_causes import LayoutJudge
from pytest_pixelloop.core.placings import settled

if TYPE_CHECKING:
    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.placings import Edges

FILL = {"type": "SOLID", "color": {"r": 1.0, "g": 1.0, "b": 1.0, "a": 1.0}}
LIMIT = 2.0
SCREEN = 4000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A rectangle of a fixed size, or a row (axis 0) or column (axis 1) that hugs its parts."""

    name: str
    size: tuple[float, float] = (40.0, 20.0)
    axis: int = 1
    padding: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # left, top, right, bottom
    gap: float = 0.0
    painted: bool = True
    declared: bool = True
    parts: tuple[Part, ...] = ()

    def extent(self) -> tuple[float, float]:
        """Return width and height."""
        if not self.parts:
            return self.size
        inner = [p.extent() for p in self.parts]
        long = sum(e[self.axis] for e in inner) + self.gap * (len(inner) - 1)
        wide = max(e[1 - self.axis] for e in inner)
        content = (long, wide) if self.axis == 0 else (wide, long)
        left, top, right, bottom = self.padding
        return content[0] + left + right, content[1] + top + bottom

    def place(self, x: float, y: float) -> dict[str, Box]:
        """Return the boxes of the part and everything in it, by name."""
        boxes = {self.name: Box(x, y, *self.extent())}
        at = [x + self.padding[0], y + self.padding[1]]
        for part in self.parts:
            boxes |= part.place(at[0], at[1])
            at[self.axis] += part.extent()[self.axis] + self.gap
        return boxes

    def changed(self, name: str, **values: Any) -> Part:
        """Return the tree with other values in one part."""
        if self.name == name:
            return dataclasses.replace(self, **values)
        return dataclasses.replace(
            self, parts=tuple(part.changed(name, **values) for part in self.parts)
        )

    def all(self) -> list[Part]:
        """Return the part and everything in it."""
        return [self, *(inner for part in self.parts for inner in part.all())]

    def node(self, boxes: dict[str, Box]) -> DesignNode:
        """Return the design's node."""
        properties: dict[str, Any] = {"fills": [FILL]} if self.painted else {}
        if self.declared:
            sizing = "HUG" if self.parts else "FIXED"
            properties |= {"layoutSizingHorizontal": sizing, "layoutSizingVertical": sizing}
        if self.parts and self.declared:
            sides = zip(("Left", "Top", "Right", "Bottom"), self.padding, strict=True)
            properties |= {f"padding{side}": value for side, value in sides}
            properties["layoutMode"] = ("HORIZONTAL", "VERTICAL")[self.axis]
            properties["itemSpacing"] = self.gap
        return DesignNode(
            id=self.name,
            name=self.name,
            type="FRAME" if self.parts else "RECTANGLE",
            box=boxes[self.name],
            properties=properties,
            children=tuple(part.node(boxes) for part in self.parts),
        )


def causes(design: Part, page: Part) -> list[tuple[str, Draft]]:
    """Return what the judge says of a page, with the part each draft is about."""
    before, after = design.place(10, 10), page.place(10, 10)
    screen = Box(0, 0, SCREEN, SCREEN)
    root = DesignNode(
        id="root", name="root", type="FRAME", box=screen, children=(design.node(before),)
    )
    nodes = judged_nodes(root, scale=1, shape=(int(SCREEN), int(SCREEN)))
    seen: dict[int, tuple[Edges, Edges]] = {}
    painted = {part.name for part in design.all() if part.painted or not part.parts}
    for node in nodes:
        old, new = before.get(node.node.id, screen), after.get(node.node.id, screen)
        if node.node.id in painted or node.parent is None:
            seen[node.at] = (
                (new.x - old.x, new.right - old.right),
                (new.y - old.y, new.bottom - old.bottom),
            )
    places = settled(nodes, seen)
    found = LayoutJudge(places=places, touched=frozenset(), limit=LIMIT).judge()
    return [(nodes[d.at].node.id, d) for d in found if d.at is not None]


def leaf(name: str, w: float = 40, h: float = 20) -> Part:
    """Return a rectangle."""
    return Part(name=name, size=(w, h))


CARD = Part(
    name="card",
    axis=1,
    padding=(16, 12, 16, 12),
    gap=8,
    parts=(
        leaf("title", 120, 20),
        Part(name="row", axis=0, gap=6, painted=False, parts=(leaf("a"), leaf("b"), leaf("c"))),
        leaf("button", 80, 32),
    ),
)
PAGE = Part(
    name="page",
    axis=1,
    gap=20,
    padding=(24, 24, 24, 24),
    parts=(leaf("head", 300, 40), CARD, leaf("foot", 300, 40)),
)


@pytest.mark.parametrize(
    ("name", "values", "cause"),
    [
        ("card", {"gap": 14}, ("card", "gap", 8, 14)),
        ("row", {"gap": 11}, ("row", "gap", 6, 11)),
        ("page", {"gap": 12}, ("page", "gap", 20, 12)),
        ("card", {"padding": (16, 20, 16, 12)}, ("card", "padding-top", 12, 20)),
        ("card", {"padding": (24, 12, 16, 12)}, ("card", "padding-left", 16, 24)),
        ("title", {"size": (120, 28)}, ("title", "height", 20, 28)),
        ("b", {"size": (52, 20)}, ("b", "width", 40, 52)),
        ("card", {"padding": (16, 12, 16, 18)}, ("card", "padding-bottom", 12, 18)),
        ("page", {"padding": (24, 40, 24, 24)}, ("page", "padding-top", 24, 40)),
    ],
)
def test_one_wrong_value_is_one_finding_on_its_node(
    name: str, values: dict[str, Any], cause: tuple[str, str, float, float]
) -> None:
    """Whatever one value moves, the finding names its node, property, expected and actual."""
    ((node, draft),) = causes(PAGE, PAGE.changed(name, **values))
    assert (node, draft.property, draft.expected, draft.actual) == cause
    assert draft.reach > 0


def test_two_causes_apart_are_two_findings() -> None:
    """A wrong padding and a wrong size elsewhere are told separately, each once."""
    page = PAGE.changed("card", padding=(24, 12, 16, 12)).changed("head", size=(300, 60))
    found = {(node, draft.property) for node, draft in causes(PAGE, page)}
    assert found == {("card", "padding-left"), ("head", "height")}


def test_a_wrapper_is_not_named_for_what_it_wraps() -> None:
    """Of wrappers around a single node, the node that one can click is named."""
    inner = Part(name="wrap", painted=False, parts=(leaf("pill"),))
    design = Part(
        name="bar", axis=0, gap=10, padding=(8, 8, 8, 8), parts=(leaf("x"), inner, leaf("y"))
    )
    page = design.changed("wrap", padding=(6, 0, -6, 0))
    ((node, draft),) = causes(design, page)
    assert (node, draft.property, draft.delta) == ("pill", "position", 6)


def test_columns_that_nobody_sees_move_as_one() -> None:
    """Lists of texts in bare groups, all moved alike, are a padding, not a finding for each."""
    lists = tuple(
        Part(
            name=f"list{k}",
            painted=False,
            gap=4,
            parts=tuple(
                Part(name=f"item{k}{i}", painted=False, parts=(leaf(f"text{k}{i}"),))
                for i in range(5)
            ),
        )
        for k in range(3)
    )
    design = Part(name="foot", axis=0, gap=30, padding=(20, 20, 20, 20), parts=lists)
    ((node, draft),) = causes(design, design.changed("foot", padding=(44, 20, 20, 20)))
    assert (node, draft.property, draft.actual) == ("foot", "padding-left", 44)
    ((node, draft),) = causes(design, design.changed("foot", gap=46))
    assert (node, draft.property, draft.actual) == ("foot", "gap", 46)


@st.composite
def parts(draw: st.DrawFn, depth: int = 3, *, bare: bool = True) -> Part:
    """Return a tree of rows and columns, with *bare* some of them groups that paint nothing."""
    count = 0

    def grow(level: int) -> Part:
        nonlocal count
        count += 1
        name = f"n{count}"
        if level == 0 or (level < depth and draw(st.booleans())):
            return leaf(name, draw(st.integers(20, 90)), draw(st.integers(12, 60)))
        inner = tuple(grow(level - 1) for _ in range(draw(st.integers(2, 4))))
        return Part(
            name=name,
            axis=draw(st.integers(0, 1)),
            painted=level == depth or not bare or draw(st.booleans()),
            padding=(10, 10, 10, 10) if draw(st.booleans()) else (0, 0, 0, 0),
            gap=draw(st.integers(2, 20)),
            parts=inner,
        )

    return grow(depth)


def changed(design: Part, data: st.DataObject) -> tuple[Part, Part, int]:
    """Return a part of the tree, the tree with its gap or width changed, and by how much."""
    part = data.draw(st.sampled_from(design.all()))
    change = data.draw(st.sampled_from((4, 6, 10, 16)))
    if not part.parts:
        size = (part.size[0] + change, part.size[1])
        return part, design.changed(part.name, size=size), change
    assume(len(part.parts) > 2)  # of two, the second may as well have been moved
    return part, design.changed(part.name, gap=part.gap + change), change


@settings(deadline=None, max_examples=60)
@given(parts(), st.data())
def test_a_change_anywhere_in_a_tree_is_never_told_elsewhere_or_twice(
    design: Part, data: st.DataObject
) -> None:
    """One gap or size changed in a tree, however it moves the rest: no other node is accused."""
    part, page, _ = changed(design, data)
    assert [node for node, _ in causes(design, page)] in ([], [part.name])


@settings(deadline=None, max_examples=60)
@given(parts(depth=2, bare=False), st.data())
def test_a_change_among_boxes_that_one_sees_is_found_and_measured(
    design: Part, data: st.DataObject
) -> None:
    """Where every container paints, the gap or size that changed is told, with its difference."""
    part, page, change = changed(design, data)
    ((node, draft),) = causes(design, page)
    assert node == part.name
    assert draft.delta == change


@settings(deadline=None, max_examples=30)
@given(parts())
def test_nothing_changed_is_no_finding(design: Part) -> None:
    """A page laid out as designed has no layout finding."""
    assert causes(design, design) == []


def test_children_on_another_line_are_one_alignment() -> None:
    """A list whose items start together in the design and share a middle on the page is one."""
    widths = (60, 110, 40, 90)
    items = tuple(
        Part(name=f"item{k}", painted=False, parts=(leaf(f"text{k}", w),))
        for k, w in enumerate(widths)
    )
    design = Part(name="list", gap=8, padding=(10, 10, 10, 10), parts=items)
    page = design
    for k, w in enumerate(widths):
        page = page.changed(f"item{k}", padding=((110 - w) / 2, 0, 0, 0))
    page = page.changed("text1", size=(110, 20))
    (found,) = [(n, d) for n, d in causes(design, page) if d.property == "alignment"]
    assert (found[0], found[1].expected, found[1].actual) == ("list", "start", "center")
    assert len(causes(design, page)) == 1


def test_a_gap_before_a_group_that_has_changed_inside_is_still_told() -> None:
    """What changes inside of a group does not explain that it begins elsewhere."""
    inner = Part(
        name="grid", axis=1, gap=10, painted=False, parts=(leaf("c1"), leaf("c2"), leaf("c3"))
    )
    design = Part(name="bar", axis=0, gap=64, padding=(20, 20, 20, 20), parts=(leaf("side"), inner))
    page = design.changed("bar", gap=32).changed("c2", size=(60, 20))
    found = {(node, draft.property) for node, draft in causes(design, page)}
    assert ("c2", "width") in found
    assert found & {("bar", "gap"), ("grid", "position")}
