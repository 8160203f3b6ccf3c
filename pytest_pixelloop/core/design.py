"""A design as values: its node tree, its picture, and how the picture maps to CSS px."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.levels import RegionWish
    from pytest_pixelloop.core.viewports import ThemeHook


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DesignNode:
    """One node of a design's tree, as the Figma REST API words it.

    ``box`` is ``absoluteBoundingBox`` and ``render_box`` ``absoluteRenderBounds``, both in the
    page space of the design file (CSS px, fractional); either may be None. ``properties`` is the
    raw JSON object without ``children``: fills, strokes, effects, style and everything unknown.
    ``names`` are those of the file's variables and styles by id, where it has them.
    """

    id: str
    name: str
    type: str
    box: Box | None = None
    render_box: Box | None = None
    visible: bool = True
    opacity: float = 1.0
    clips: bool = False
    is_mask: bool = False
    rotation: float = 0.0
    characters: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    children: tuple[DesignNode, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedNode:
    """A visible node with its place in the frame: ``box`` in CSS px from the frame's top left.

    ``depth`` is 0 for the frame itself. ``path`` joins the names from the frame down with ``/``.
    ``clip`` is the part of the frame in which the node can paint at all (ancestors that clip).
    """

    node: DesignNode
    box: Box
    clip: Box
    depth: int
    path: str
    parent_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """How an exported picture lies over the frame.

    ``scale`` is device px per CSS px. ``origin`` is where the frame's top left corner lies in the
    picture, in device px; negative when the picture starts inside the frame. ``rule`` names what
    fitted: ``bounding-box``, ``render-bounds``, ``unclipped-bounds`` or ``given``.
    """

    scale: float
    origin: tuple[float, float]
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """Everything a comparison needs to know about one comparison's design side.

    ``image`` is the frame's own rectangle as RGBA, uint8, shape (height, width, 4), already cut
    (or padded with transparency) to frame x scale, so that pixel (0, 0) is the frame's corner.
    ``frame`` is (width, height) in CSS px. ``root`` is None for a bare picture.
    ``viewport_size`` is the page's viewport where it is not the frame; ``surroundings`` the one an
    element is shown in, None for the one its page has. ``touch`` and ``mobile`` None: as the page
    is.
    ``expect``, ``appearance`` and ``allow`` are what the manifest asks of the other channels.
    ``provenance`` holds what reports print: file names, file key, node, version, hashes.
    """

    name: str
    label: str
    image: NDArray[np.uint8]
    frame: tuple[float, float]
    scale: float
    root: DesignNode | None = None
    placement: Placement | None = None
    gate: str | None = None
    viewport: str | None = None
    viewport_size: tuple[int, int] | None = None
    surroundings: tuple[int, int] | None = None
    touch: bool | None = None
    mobile: bool | None = None
    theme: str | None = None
    hook: ThemeHook | None = None
    tolerance: Mapping[str, float] = field(default_factory=dict)
    mask: tuple[str, ...] = ()
    screenshot: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[RegionWish, ...] = ()
    hold_out: bool = False
    expect: tuple[Any, ...] = ()
    appearance: Any = None
    allow: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def pixel_size(self) -> tuple[int, int]:
        """Width and height of the picture in device px."""
        return int(self.image.shape[1]), int(self.image.shape[0])


def walk(root: DesignNode) -> Iterator[DesignNode]:
    """Yield every node, hidden ones too, parents first, in document order. Never recurses."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def place_nodes(root: DesignNode) -> tuple[PlacedNode, ...]:
    """Return the visible nodes that have a box, in paint order, placed in the frame.

    A hidden node or one of opacity 0 takes its whole subtree with it, as in an export. A mask
    node is not painted itself and is left out; its children go with it. Boxes are
    ``node.box - root.box`` and are not rounded. ``clip`` is the frame, cut by every ancestor
    that clips its content.
    """
    if root.box is None:
        return ()
    frame = Box(0.0, 0.0, root.box.w, root.box.h)
    placed: list[PlacedNode] = []
    stack: list[tuple[DesignNode, Box, int, str, str | None]] = [(root, frame, 0, root.name, None)]
    while stack:
        node, clip, depth, path, parent_id = stack.pop()
        if not node.visible or node.opacity <= 0 or node.is_mask:
            continue
        inner: Box | None = clip
        if node.box is not None:
            box = node.box.shifted(-root.box.x, -root.box.y)
            placed.append(
                PlacedNode(
                    node=node, box=box, clip=clip, depth=depth, path=path, parent_id=parent_id
                )
            )
            if node.clips:
                inner = clip.intersection(box)
        if inner is None:
            continue
        stack.extend(
            (child, inner, depth + 1, f"{path}/{child.name}", node.id)
            for child in reversed(node.children)
        )
    return tuple(placed)
