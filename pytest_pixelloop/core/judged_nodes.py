"""The visible nodes of a design as the gate judges them: what each paints, and where."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.explain import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.design import DesignNode, PlacedNode

_DRAWN = {"VECTOR", "BOOLEAN_OPERATION", "STAR", "LINE", "ELLIPSE", "REGULAR_POLYGON", "POLYGON"}
_QUOTED = 40
_ICON = 64.0
"""CSS px up to which a group of shapes is one drawing and not a row of several."""


class Kind(StrEnum):
    """What a node is to the eye."""

    TEXT = "text"
    DRAWING = "drawing"  # vectors, icons: shapes whose outline is known only from the picture
    PHOTO = "photo"
    BOX = "box"  # paints a rectangle: fill, border or shadow
    GROUP = "group"  # paints nothing itself


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedNode:
    """One visible node. ``rect`` is (left, top, right, bottom) in device px, inside the picture.

    ``borders`` are left, top, right, bottom in CSS px. ``parent`` and ``children`` are positions in
    the tuple that judged_nodes returns. ``unit`` is the topmost node of a drawing this node belongs
    to (itself otherwise). ``color`` is the solid fill as sRGB 0..255 with alpha 0..1, None for none
    or for several. ``shown`` is the node's opacity, its ancestors' counted. ``whole`` is a
    leaf's ``rect`` before it was cut to what can be seen of it, None where it was not; ``hidden``
    tells which sides (left, top, right, bottom) lie under something.
    """

    at: int
    placed: PlacedNode
    kind: Kind
    rect: tuple[int, int, int, int]
    parent: int | None
    children: tuple[int, ...]
    unit: int
    color: tuple[float, float, float, float] | None
    borders: tuple[float, float, float, float]
    radius: float
    shadow_reach: float
    shown: float = 1.0
    whole: tuple[int, int, int, int] | None = None
    hidden: tuple[bool, bool, bool, bool] = (False, False, False, False)

    @property
    def node(self) -> DesignNode:
        """The design node."""
        return self.placed.node

    @property
    def border(self) -> float:
        """The width of the widest border in CSS px; 0 for none."""
        return max(self.borders)

    @property
    def empty(self) -> bool:
        """Whether no pixel of the picture belongs to the node."""
        return self.rect[2] <= self.rect[0] or self.rect[3] <= self.rect[1]


def paints(node: DesignNode, key: str) -> tuple[Mapping[str, Any], ...]:
    """Return the visible paints of a node's ``fills`` or ``strokes``, bottom first."""
    found = node.properties.get(key) or ()
    return tuple(
        p
        for p in found
        if isinstance(p, dict) and p.get("visible", True) and p.get("opacity", 1.0) > 0
    )


def solid_color(paint: Mapping[str, Any]) -> tuple[float, float, float, float] | None:
    """Return a solid paint as sRGB 0..255 and alpha 0..1, None for another kind of paint."""
    color = paint.get("color")
    if paint.get("type") != "SOLID" or not isinstance(color, dict):
        return None
    red, green, blue = (255.0 * float(color.get(c, 0.0)) for c in "rgb")
    alpha = float(color.get("a", 1.0)) * float(paint.get("opacity", 1.0))
    return red, green, blue, alpha


def _color(node: DesignNode) -> tuple[float, float, float, float] | None:
    fills = paints(node, "fills")
    return solid_color(fills[-1]) if len(fills) == 1 else None


def _shadow(node: DesignNode) -> float:
    """Return how far the node's drop shadows go beyond its box, in CSS px; 0 for none."""
    reach = 0.0
    for effect in node.properties.get("effects") or ():
        if not isinstance(effect, dict) or not effect.get("visible", True):
            continue
        if effect.get("type") != "DROP_SHADOW":
            continue
        offset = effect.get("offset") or {}
        far = max(abs(float(offset.get("x", 0.0))), abs(float(offset.get("y", 0.0))))
        blur = float(effect.get("radius") or 0.0) + float(effect.get("spread") or 0.0)
        reach = max(reach, far + blur)
    return reach


def _borders(node: DesignNode) -> tuple[float, float, float, float]:
    """Return the border's width on the left, top, right and bottom in CSS px."""
    if not paints(node, "strokes"):
        return 0.0, 0.0, 0.0, 0.0
    weight = float(node.properties.get("strokeWeight") or 0.0)
    sides = node.properties.get("individualStrokeWeights")
    if not isinstance(sides, dict):
        return weight, weight, weight, weight
    left, top, right, bottom = (
        float(sides.get(name, 0.0) or 0.0) for name in ("left", "top", "right", "bottom")
    )
    return left, top, right, bottom


def _radius(node: DesignNode) -> float:
    corners = node.properties.get("rectangleCornerRadii")
    if isinstance(corners, list | tuple) and corners:
        return float(max(corners))
    return float(node.properties.get("cornerRadius") or 0.0)


def _kind(node: DesignNode) -> Kind:
    fills = paints(node, "fills")
    if node.type == "TEXT":
        return Kind.TEXT
    if any(f.get("type") == "IMAGE" for f in fills):
        return Kind.PHOTO
    if node.type in _DRAWN:
        return Kind.DRAWING
    if fills or paints(node, "strokes") or _shadow(node) > 0:
        return Kind.BOX
    return Kind.GROUP


def _rect(placed: PlacedNode, scale: float, shape: tuple[int, int]) -> tuple[int, int, int, int]:
    box, clip = placed.box, placed.clip
    left, top = max(box.x, clip.x), max(box.y, clip.y)
    wide, high = min(box.right, clip.right) - left, min(box.bottom, clip.bottom) - top
    if wide <= 0 or high <= 0:
        return 0, 0, 0, 0
    x0, y0 = max(math.floor(left * scale + 0.01), 0), max(math.floor(top * scale + 0.01), 0)
    x1 = min(math.ceil(left * scale + wide * scale - 0.01), shape[1])
    y1 = min(math.ceil(top * scale + high * scale - 0.01), shape[0])
    return x0, y0, x1, y1


def title_of(at: int, nodes: Sequence[JudgedNode]) -> str:
    """Return what a person is told a node is: by its own text, or by the only one in it."""
    node = nodes[at].node
    texts = _texts_below(at, nodes)
    if node.type == "TEXT":
        return (
            f'"{printable(" ".join((node.characters or node.name).split()), limit=_QUOTED)}" text'
        )
    name = printable(node.name, limit=60)
    if len(texts) == 1:
        return f'"{printable(" ".join(texts[0].split()), limit=_QUOTED)}" {name}'
    return name


def _texts_below(at: int, nodes: Sequence[JudgedNode]) -> list[str]:
    found: list[str] = []
    stack = [at]
    while stack and len(found) < 2:
        here = nodes[stack.pop()]
        if here.node.characters and here.node.type == "TEXT":
            found.append(here.node.characters)
        stack.extend(reversed(here.children))
    return found


def _row(at: int, children: Sequence[Sequence[int]], units: Sequence[int]) -> bool:
    """Tell whether a group holds several drawings rather than being one."""
    return bool(children[at]) and all(units[c] != units[at] for c in children[at])


def _icon_sized(placed: PlacedNode) -> bool:
    return max(placed.box.w, placed.box.h) <= _ICON


def judged_nodes(
    root: DesignNode, *, scale: float, shape: tuple[int, int]
) -> tuple[JudgedNode, ...]:
    """Return the visible nodes in paint order; *shape* is the picture's height and width."""
    placed = place_nodes(root)
    by_id = {p.node.id: i for i, p in enumerate(placed)}
    parents: list[int | None] = []
    children: list[list[int]] = [[] for _ in placed]
    for i, p in enumerate(placed):
        parent = by_id.get(p.parent_id) if p.parent_id is not None else None
        parents.append(parent)
        if parent is not None:
            children[parent].append(i)
    kinds = [_kind(p.node) for p in placed]
    drawn = [k is Kind.DRAWING for k in kinds]
    for i in range(len(placed) - 1, -1, -1):  # children come after their parents
        if kinds[i] is Kind.GROUP and children[i] and all(drawn[c] for c in children[i]):
            drawn[i] = True
    shown: list[float] = []
    for p, parent in zip(placed, parents, strict=True):
        shown.append(p.node.opacity * (1.0 if parent is None else shown[parent]))
    units = list(range(len(placed)))
    for i, parent in enumerate(parents):
        if parent is not None and drawn[i] and drawn[parent] and _icon_sized(placed[parent]):
            units[i] = units[parent]
    return tuple(
        JudgedNode(
            at=i,
            placed=p,
            kind=Kind.DRAWING if drawn[i] and not _row(i, children, units) else kinds[i],
            rect=_rect(p, scale, shape),
            parent=parents[i],
            children=tuple(children[i]),
            unit=units[i],
            color=_color(p.node),
            borders=_borders(p.node),
            radius=_radius(p.node),
            shadow_reach=_shadow(p.node),
            shown=shown[i],
        )
        for i, p in enumerate(placed)
    )
