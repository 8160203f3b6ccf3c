"""Which regions a user means by design nodes, which by boxes, and which only a page can find."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.levels import Level, Region, RegionWish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.design import Design, PlacedNode

_NODE, _CSS = "node=", "css="


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedRegions:
    """The regions of one comparison: found on the design, left to the page, and masks.

    What is ignored is masked, so that it may move while the page is captured, too.
    """

    nodes: tuple[Region, ...] = ()
    wishes: tuple[RegionWish, ...] = ()
    masks: tuple[Any, ...] = field(default=())


def sort_regions(wishes: Sequence[RegionWish], design: Design) -> SortedRegions:
    """Return the regions sorted by who finds them.

    A text is a node's id, the name of visible nodes or the end of their path, else CSS;
    ``node=`` and ``css=`` in front of it say which. Raises ConfigurationError for a ``node=`` that
    the design has not.
    """
    placed = place_nodes(design.root) if design.root is not None else ()
    nodes: list[Region] = []
    rest: list[RegionWish] = []
    masks: list[Any] = []
    for wish in wishes:
        found = _nodes(wish, placed, design)
        if wish.level is Level.IGNORE:
            masks += [p.box for p in found] or [_plain(wish).target]
        elif found:
            ids = tuple(p.node.id for p in found)
            boxes = tuple(p.box for p in found)
            nodes.append(Region(words=wish.words, level=wish.level, boxes=boxes, nodes=ids))
        else:
            rest.append(_plain(wish))
    return SortedRegions(nodes=tuple(nodes), wishes=tuple(rest), masks=tuple(masks))


def _plain(wish: RegionWish) -> RegionWish:
    target = wish.target
    if isinstance(target, str) and target.startswith(_CSS):
        return RegionWish(target=target.removeprefix(_CSS), level=wish.level)
    return wish


def _nodes(
    wish: RegionWish, placed: Sequence[PlacedNode], design: Design
) -> tuple[PlacedNode, ...]:
    text = wish.target
    if not isinstance(text, str) or text.startswith(_CSS):
        return ()
    only = text.startswith(_NODE)
    name = text.removeprefix(_NODE)
    found = [p for p in placed if p.node.id == name or p.node.id == name.replace("-", ":")]
    found = found or [p for p in placed if f"/{p.path}".endswith(f"/{name}")]
    if only and not found:
        raise ConfigurationError(
            f"the design {design.label!r} has no visible node {name!r}",
            where=f"region {text!r}",
            expected="the id, the name or the end of the path of a node",
        )
    return tuple(p for p in found if p.box.area > 0)


def moved_into(target: Any, clip: Box | None) -> Any:
    """Return a box of the frame as one of the part that *clip* cuts out; anything else as it is."""
    if clip is None or not isinstance(target, Box):
        return target
    return target.shifted(-clip.x, -clip.y)
