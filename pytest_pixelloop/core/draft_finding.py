"""What the design gate found about one node, before it is weighed and worded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.finding import Channel, Finding, NodeRef
from pytest_pixelloop.core.judged_nodes import title_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.judged_nodes import JudgedNode

SCORE_VERSION = "design-1"

REST_SHARE = 0.05
"""By how much of itself the score grows with what differs in the pictures besides the findings."""
NODE_LIMIT = 10.0
"""No node adds more than this to the score, whatever is wrong with it."""

REACH_LIMIT = 6.0
"""What a cause adds at most for all that it has displaced."""
_REACH = 1.2
_FAR = 3.0
"""Strength from which what is displaced counts in full: what moved by 3 px has hardly moved."""

_WEIGHT = {
    "missing": 8.0,
    "extra": 6.0,
    "size": 8.0,
    "region": 6.0,
    "screen": 10.0,
    "theme": 10.0,
    "blank": 10.0,
    "text": 6.0,
    "image": 6.0,
    "icon": 6.0,
    "opacity": 5.0,
    "background": 5.0,
    "color": 4.5,
    "font-size": 5.0,
    "font-weight": 4.5,
    "line-height": 4.5,
    "gap": 4.5,
    "padding": 4.5,
    "alignment": 4.5,
    "letter-spacing": 4.5,
    "text-decoration": 4.5,
    "width": 4.5,
    "height": 4.5,
    "position": 4.0,
    "border-color": 3.5,
    "border-width": 3.5,
    "border-radius": 3.0,
    "box-shadow": 3.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One difference of one node (``at`` in the judged nodes; None for the picture itself).

    ``strength`` is how far beyond its limit the difference lies, 1 at the limit; ``box`` is in CSS
    px of the frame; ``says`` is the sentence after the node's title. ``reach`` is how many texts
    and pictures it has displaced, ``charge`` what it counts where that is known, ``symptoms`` are
    differences that it stands for.
    """

    at: int | None
    property: str
    strength: float
    box: Box
    says: str
    kind: str = "changed"
    expected: Any = None
    actual: Any = None
    delta: float | None = None
    unit: str | None = None
    confidence: float = 1.0
    delta_id: str | None = None
    reach: int = 0
    charge: float | None = None
    symptoms: tuple[Draft, ...] = ()

    def weigh(self) -> float:
        """How much it counts alone: by property, growing slowly with strength, bounded.

        What displaces much else weighs more than any one of the things that it displaces.
        """
        if self.charge is not None:
            return self.charge
        base = _WEIGHT.get(_family(self.property), 4.0)
        grows = 1.0 - 1.0 / (1.0 + math.log2(1.0 + max(self.strength, 0.0)))
        far = min(self.strength / _FAR, 1.0)
        reach = far * min(_REACH * math.log2(1.0 + self.reach), REACH_LIMIT)
        return base * (0.5 + 0.5 * grows) + reach

    def whole(self) -> tuple[Draft, ...]:
        """Return the difference itself and what it stands for, each once."""
        return (self, *(inner for s in self.symptoms for inner in s.whole()))


def finish(
    drafts: Iterable[Draft], nodes: Sequence[JudgedNode], *, label: str, rest: float = 0.0
) -> tuple[tuple[Finding, ...], float]:
    """Return the findings, heaviest first, and their score.

    The weights on one node saturate at NODE_LIMIT: each further one adds, the sum stays bounded;
    what lies on no node counts as it is. A finding that stands for others carries their weights,
    each on its own node. *rest* is how much the pictures differ, 0 to 1: of two pages with the same
    findings the nearer one scores less, by at most REST_SHARE.
    """
    items = sorted(drafts, key=_order)
    by_node: dict[object, float] = {}
    for d in (inner for item in items for inner in item.whole()):
        by_node[_owner(d)] = by_node.get(_owner(d), 0.0) + d.weigh()
    bounded = {owner: _bounded(owner, total) for owner, total in by_node.items()}
    more = 1.0 + REST_SHARE * min(max(rest, 0.0), 1.0)
    severities = [
        round(more * math.fsum(bounded[_owner(d)] * d.weigh() for d in item.whole()), 6)
        for item in items
    ]
    score = round(math.fsum(severities), 6)
    findings = [
        _finding(d, nodes, label=label, severity=s, share=s / score if score else 0.0)
        for d, s in zip(items, severities, strict=True)
    ]
    findings.sort(key=lambda f: (-f.severity, f.delta_id, f.property or ""))
    return tuple(findings), score


def _bounded(owner: object, total: float) -> float:
    """Return what becomes of each unit of the weights on one node."""
    if not isinstance(owner, int) or total <= 0:
        return 1.0
    return NODE_LIMIT * (1.0 - math.exp(-total / NODE_LIMIT)) / total


def _family(name: str) -> str:
    """Return the property whose weight counts: ``padding-left`` weighs as ``padding``."""
    return "padding" if name.startswith("padding-") else name


def _owner(draft: Draft) -> object:
    return draft.at if draft.at is not None else draft.delta_id


def _order(draft: Draft) -> tuple[int, str, str, list[float]]:
    at = draft.at if draft.at is not None else -1
    return at, draft.property, draft.delta_id or "", draft.box.as_list()


def _finding(
    draft: Draft, nodes: Sequence[JudgedNode], *, label: str, severity: float, share: float
) -> Finding:
    ref, title = None, ""
    delta_id = draft.delta_id or f"{label}/frame"
    if draft.at is not None:
        judged = nodes[draft.at]
        node = judged.node
        ref = NodeRef(id=node.id, name=node.name, path=judged.placed.path)
        delta_id = f"{label}/node:{node.id}"
        title = f"{title_of(draft.at, nodes)}: "
    return Finding(
        delta_id=delta_id,
        kind=draft.kind,
        channel=Channel.VISUAL,
        message=printable(title + draft.says),
        box=draft.box,
        severity=severity,
        gating=True,
        share=share,
        node=ref,
        property=draft.property,
        expected=draft.expected,
        actual=draft.actual,
        delta=None if draft.delta is None else round(draft.delta, 3),
        unit=draft.unit,
        confidence=draft.confidence,
    )
