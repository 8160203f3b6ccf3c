"""One node of a design as a design of its own: ``checkout/form`` of the frame ``checkout``."""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING

from pytest_pixelloop.core.design import PlacedNode, Placement, place_nodes
from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.placement import frame_image
from pytest_pixelloop.sources.node_ids import canonical_id, label_of

if TYPE_CHECKING:
    from pytest_pixelloop.core.design import Design, DesignNode

_LISTED = 8


def find_part(root: DesignNode, part: str) -> PlacedNode:
    """Return the one visible node below *root* that is called *part* or has that id.

    *part* may be the end of a path of names: ``Header/Button`` tells two buttons apart.

    Raises DesignUnreadableError, with what there is, for none and for several.
    """
    below = [p for p in place_nodes(root)[1:] if p.box.area > 0]
    found = [p for p in below if p.node.id == canonical_id(part)]
    found = found or [p for p in below if f"/{p.path}".endswith(f"/{part}")]
    if len(found) == 1:
        return found[0]
    inside = f"{printable(root.name)} ({root.id})"
    if not found:
        names = list(dict.fromkeys(p.node.name for p in below))
        close = difflib.get_close_matches(part, names, n=1)
        raise DesignUnreadableError(
            f"no visible node is called {printable(part)!r}",
            where=inside,
            expected="the name or id of a node below the frame",
            next_step=f'did you mean "{printable(close[0])}"?' if close else "",
        )
    listed = ", ".join(f"{p.node.id} ({printable(p.path, limit=80)})" for p in found[:_LISTED])
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    raise DesignUnreadableError(
        f"{len(found)} visible nodes are called {printable(part)!r}: {listed}{more}",
        where=inside,
        expected="a name that only one node has",
        next_step="say more of its path (parent/name), or give its id",
    )


def cut_part(design: Design, part: str) -> Design:
    """Return *design* reduced to its node *part*: that piece of the picture and of the tree.

    The piece holds what the picture shows there, neighbours that lie over it included.
    """
    if design.root is None:
        raise DesignUnreadableError(
            f"{printable(design.name)} has no node tree, so it has no part {printable(part)!r}",
            expected="a design with a node file",
            next_step='add "nodes:" to the design, or an entry of its own for the part',
        )
    placed = find_part(design.root, part)
    frame = (placed.box.w, placed.box.h)
    placement = Placement(
        scale=design.scale,
        origin=(placed.box.x * design.scale, placed.box.y * design.scale),
        rule="bounding-box",
    )
    return dataclasses.replace(
        design,
        label=label_of(design.name, node=placed.node.id),
        image=frame_image(design.image, placement, frame),
        frame=frame,
        root=placed.node,
        placement=placement,
        provenance={**design.provenance, "node": placed.node.id, "part": placed.path},
    )
