"""Which element of a page is which node of a design: the result of matching, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.dom import paints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_pixelloop.core.dom import DomSnapshot, Element
    from pytest_pixelloop.core.node_looks import NodeLooks

#: Below this, a match names the element of a finding but nothing is claimed of its style.
CONFIDENT = 0.7


class FoundBy(StrEnum):
    """How a node's element was found."""

    ANCHOR = "anchor"
    TEXT = "text"
    STRUCTURE = "structure"
    BOX = "box"
    ORDER = "order"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A node's element. ``is_text`` tells that the node is the element's text, not its box.

    An element that carries text is two things in a design, a frame and a text in it; it can be
    matched once as each.
    """

    node_id: str
    element: int
    found_by: FoundBy
    confidence: float
    is_text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchors:
    """What is wrong with a page's anchors; advisory. Ids are the design's where they are known.

    ``duplicates`` are ids on several elements, ``unknown`` values that name no node, ``hidden``
    ids of nodes that the design does not show, ``missing`` visible nodes without an anchor (only
    listed on a page that uses anchors).
    """

    used: int = 0
    duplicates: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def as_record(self) -> dict[str, Any]:
        """Return the anchors as reports hold them."""
        return {
            "used": self.used,
            "duplicates": list(self.duplicates),
            "unknown": list(self.unknown),
            "hidden": list(self.hidden),
            "missing": list(self.missing),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """All matches of one comparison, sorted by node id, and everything that found no partner.

    ``unmatched_elements`` are indexes into the snapshot's elements. ``looks`` is what nodes paint,
    by their ids, as far as matching had to know.
    """

    snapshot: DomSnapshot
    pairs: tuple[Match, ...] = ()
    unmatched_nodes: tuple[str, ...] = ()
    unmatched_elements: tuple[int, ...] = ()
    anchors: Anchors = field(default_factory=Anchors)
    by_node: Mapping[str, Match] = field(default_factory=dict)
    looks: Mapping[str, NodeLooks] = field(default_factory=dict, compare=False, repr=False)

    def element(self, node_id: str, *, confidence: float = 0.0) -> Element | None:
        """Return a node's element, None when none was found with that confidence."""
        found = self.by_node.get(node_id)
        if found is None or found.confidence < confidence:
            return None
        return self.snapshot.elements[found.element]

    @property
    def extra_elements(self) -> tuple[Element, ...]:
        """The unmatched elements that show something themselves: text, a fill, a picture."""
        found = (self.snapshot.elements[i] for i in self.unmatched_elements)
        return tuple(e for e in found if e.text or paints(e))

    def as_records(self) -> list[dict[str, Any]]:
        """Return the matches as reports hold them."""
        return [
            {
                "node_id": m.node_id,
                "selector": self.snapshot.elements[m.element].selector,
                "text": m.is_text,
                "found_by": str(m.found_by),
                "confidence": round(m.confidence, 4),
            }
            for m in self.pairs
        ]
