"""One difference between a page and its design, as reports hold it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_pixelloop.core.geometry import Box


#: The grid in CSS px that the boxes in identities are snapped to.
GRID = 8


class Channel(StrEnum):
    """Where a finding comes from."""

    VISUAL = "visual"
    FUNCTIONAL = "functional"
    APPEARANCE = "appearance"
    STYLE = "style"


class State(StrEnum):
    """Whether a finding counts."""

    OPEN = "open"
    EXCUSED = "excused"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRef:
    """A design node by id, name and path of names from the frame down."""

    id: str
    name: str
    path: str

    def as_record(self) -> dict[str, Any]:
        """Return the node as reports hold it."""
        return {"id": self.id, "name": self.name, "path": self.path}


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementRef:
    """A page element by CSS selector, with its text."""

    selector: str
    text: str = ""
    source: str | None = None

    def as_record(self) -> dict[str, Any]:
        """Return the element as reports hold it."""
        return {"selector": self.selector, "text": self.text, "source": self.source}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What to set: one CSS property (``text`` for the words themselves) of one element.

    ``value`` and ``actual`` are as CSS writes them. ``variable`` is what the design calls the
    value: the name of the variable or style that it binds, None where it binds none that is known.
    ``node`` is the design node that says so; it may be another than the one that looks wrong.
    """

    selector: str
    property: str
    value: str
    actual: str
    node: NodeRef
    source: str | None = None
    variable: str | None = None

    def as_record(self) -> dict[str, Any]:
        """Return the edit as reports hold it."""
        return {
            "node": self.node.as_record(),
            "selector": self.selector,
            "source": self.source,
            "property": self.property,
            "value": self.value,
            "actual": self.actual,
            "variable": self.variable,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """The differing pixels that one design node holds, or one ``px:`` box outside every node.

    ``box`` is in CSS px of the frame, tight around the differing pixels. ``pixels`` counts them
    in device px; ``mismatch_ratio`` divides by the device px of the node's own box (of ``box``
    for a ``px:`` region). ``weight`` is the summed weight of the pixels, see core/score.py.
    """

    delta_id: str
    node: NodeRef | None
    box: Box
    pixels: int
    mismatch_ratio: float
    weight: float

    def as_record(self) -> dict[str, Any]:
        """Return the region as reports hold it."""
        return {
            "delta_id": self.delta_id,
            "node_id": self.node.id if self.node else None,
            "name": self.node.name if self.node else None,
            "box": self.box.as_list(),
            "pixels": self.pixels,
            "mismatch_ratio": round(self.mismatch_ratio, 6),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One difference, with everything a person or a fixer needs to act on it.

    ``box`` is in CSS px of the frame. ``severity`` is the addend of the score, ``share`` its part
    of it (0..1). ``expected``, ``actual`` and ``delta`` are plain JSON values; ``unit`` names
    what ``delta`` is counted in. ``matching`` names the level and the region that let a finding
    pass. ``edit`` is what would repair it, where one property does.
    Only an open, gating finding adds to the score.
    ``priority`` is P0 to P2 for findings of the appearance channel, ``source`` who made it where
    that is not this package (``axe``, ``vision``), ``evidence`` what it was read from.
    """

    delta_id: str
    kind: str
    channel: Channel
    message: str
    box: Box
    severity: float
    gating: bool
    share: float = 0.0
    node: NodeRef | None = None
    element: ElementRef | None = None
    property: str | None = None
    expected: Any = None
    actual: Any = None
    delta: float | None = None
    unit: str | None = None
    state: State = State.OPEN
    confidence: float = 1.0
    priority: str | None = None
    source: str | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    matching: Mapping[str, str] | None = None
    edit: Edit | None = None

    def as_record(self) -> dict[str, Any]:
        """Return the finding as reports hold it (PRODUCT words, plain JSON)."""
        return {
            "delta_id": self.delta_id,
            "kind": self.kind,
            "channel": str(self.channel),
            "node": self.node.as_record() if self.node else None,
            "element": self.element.as_record() if self.element else None,
            "property": self.property,
            "expected": self.expected,
            "actual": self.actual,
            "delta": self.delta,
            "unit": self.unit,
            "box": self.box.as_list(),
            "severity": self.severity,
            "share": round(self.share, 6),
            "gating": self.gating,
            "state": str(self.state),
            "confidence": round(self.confidence, 4),
            "message": self.message,
            "priority": self.priority,
            "source": self.source,
            "evidence": dict(self.evidence),
            **({"matching": dict(self.matching)} if self.matching else {}),
            **({"edit": self.edit.as_record()} if self.edit else {}),
        }


def delta_id(label: str, *, box: Box | None, node: NodeRef | None) -> str:
    """Return a finding's identity: by design node, else by place, else the frame as a whole."""
    if node is not None:
        return f"{label}/node:{node.id}"
    if box is None:
        return f"{label}/frame"
    return f"{label}/px:" + ",".join(str(n) for n in box.snapped(GRID))
