"""The style channel of one comparison: which element is which node, and what its style says.

It adds elements and causes to what the pixels found, and findings of its own that never gate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.attributing import enrich, property_family, style_findings
from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.finding import NodeRef
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.matching import match
from pytest_pixelloop.core.style import Styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.dom import DomSnapshot
    from pytest_pixelloop.core.finding import Finding
    from pytest_pixelloop.core.matches import Matches

NO_NODES = "skipped: the design has no node tree"
NO_PAGE = "skipped: a picture has no elements"


def pair_elements(design: Design, dom: DomSnapshot | None) -> Matches | None:
    """Return which element is which node; None without nodes or without elements."""
    if design.root is None or dom is None or not dom.meaningful:
        return None
    return match(place_nodes(design.root), dom)


def read_styles(design: Design, dom: DomSnapshot | None) -> Styles | None:
    """Return what elements' styles say of their nodes; None without nodes or without elements."""
    matches = pair_elements(design, dom)
    if design.root is None or matches is None:
        return None
    return Styles(place_nodes(design.root), matches)


def nodes_by_element(styles: Styles | None) -> dict[int, NodeRef]:
    """Return the design nodes that elements surely are, by the elements' indexes.

    Where an element is a frame and a text in it, the frame is meant.
    """
    if styles is None:
        return {}
    found: dict[int, NodeRef] = {}
    for item in styles.scene.placed:
        pair = styles.matches.by_node.get(item.node.id)
        if pair is not None and pair.confidence >= CONFIDENT:
            ref = NodeRef(id=item.node.id, name=item.node.name, path=item.path)
            found.setdefault(pair.element, ref)
    return found


def name_elements(
    findings: Sequence[Finding],
    design: Design,
    dom: DomSnapshot | None,
    *,
    styles: Styles | None = None,
) -> tuple[tuple[Finding, ...], dict[str, Any] | str]:
    """Return the findings with elements and style findings added, and the channel's record.

    Identity, severity and gating of what the pixels found are kept: style is evidence, it decides
    nothing here. The record lists every design node that no element was found for. *styles* is what
    the gate has asked for already.
    """
    if design.root is None:
        return tuple(findings), NO_NODES
    if dom is None:
        return tuple(findings), NO_PAGE
    if not dom.meaningful:
        return tuple(findings), {"status": "n/a", "reason": dom.reason}
    styles = styles or Styles(placed := place_nodes(design.root), match(placed, dom))
    matches, report = styles.matches, styles.report()
    named = enrich(findings, report.differences, scene=styles.scene)
    said = {(f.delta_id, property_family(f.property)) for f in named}
    advisory = tuple(
        finding
        for finding in style_findings(report.differences, styles.scene, label=design.label)
        # What the pixels found and the style explained is said once.
        if (finding.delta_id, property_family(finding.property)) not in said
    )
    record: dict[str, Any] = {
        **report.as_record(),
        "matched_nodes": len(matches.by_node),
        "unmatched_nodes": list(matches.unmatched_nodes),
        "unmatched_elements": len(matches.unmatched_elements),
    }
    return named + advisory, record
