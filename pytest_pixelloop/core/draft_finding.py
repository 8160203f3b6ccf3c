"""What the design gate found about one node, before it is weighed and worded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.finding import Channel, Finding, NodeRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.judged_nodes import JudgedNode

SCORE_VERSION = "design-1"

NODE_LIMIT = 10.0
"""No node adds more than this to the score, whatever is wrong with it."""

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
    px of the frame; ``says`` is the sentence after the node's title.
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

    def weigh(self) -> float:
        """How much it counts alone: by property, growing slowly with strength, bounded."""
        base = _WEIGHT.get(self.property, 4.0)
        grows = 1.0 - 1.0 / (1.0 + math.log2(1.0 + max(self.strength, 0.0)))
        return base * (0.5 + 0.5 * grows)


def finish(
    drafts: Iterable[Draft], nodes: Sequence[JudgedNode], *, label: str
) -> tuple[tuple[Finding, ...], float]:
    """Return the findings, heaviest first, and their score.

    The weights on one node saturate at NODE_LIMIT: each further one adds, the sum stays bounded.
    """
    items = sorted(drafts, key=_order)
    by_node: dict[object, float] = {}
    for d in items:
        by_node[_owner(d)] = by_node.get(_owner(d), 0.0) + d.weigh()
    severities = []
    for d in items:
        total = by_node[_owner(d)]
        bounded = NODE_LIMIT * (1.0 - math.exp(-total / NODE_LIMIT))
        severities.append(round(bounded * d.weigh() / total, 4))
    score = round(sum(severities), 4)
    findings = [
        _finding(d, nodes, label=label, severity=s, share=s / score if score else 0.0)
        for d, s in zip(items, severities, strict=True)
    ]
    findings.sort(key=lambda f: (-f.severity, f.delta_id, f.property or ""))
    return tuple(findings), score


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
        title = f"{judged.title}: "
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
