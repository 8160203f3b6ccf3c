"""The ``design`` gate: node by node, what a designer would file as a bug.

The pixels decide; where they doubt, the matched element does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_pixelloop.core.bare_picture import compare_pictures
from pytest_pixelloop.core.comparability import other_width
from pytest_pixelloop.core.covered import visible_nodes
from pytest_pixelloop.core.draft_finding import SCORE_VERSION, Draft, finish
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judged_levels import JudgedLevels, kept_findings
from pytest_pixelloop.core.judged_nodes import judged_nodes
from pytest_pixelloop.core.node_comparison import compare_nodes
from pytest_pixelloop.core.picture_pair import make_pair
from pytest_pixelloop.core.style_evidence import Witnesses
from pytest_pixelloop.core.unlikeness import unlikeness
from pytest_pixelloop.core.vanished import vanished_nodes
from pytest_pixelloop.core.verdict import FAIL, PASS, Judgement

if TYPE_CHECKING:
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.tolerance import Tolerance

GATE = "design"
LONGER = 1.5
"""What a page of another length counts, up to twice that: something in it is longer, and counts."""
SCREENFUL = 800.0
"""CSS px."""


def judge_design(design: Design, capture: Capture, *, tolerance: Tolerance) -> Judgement:
    """Return the verdict of the design gate: ``pass`` without a gating finding, else ``fail``."""
    pair = make_pair(design.image, capture.image, scale=design.scale, masks=capture.masks)
    drafts: list[Draft] = []
    if not pair.same_size:
        drafts.append(_size(pair, label=design.label))
    nodes: tuple[JudgedNode, ...] = ()
    if design.root is not None:
        nodes = judged_nodes(design.root, scale=design.scale, shape=pair.shape)
        nodes = visible_nodes(nodes, scale=design.scale)
    levels = JudgedLevels(capture.regions, nodes)
    witnesses = Witnesses([n.placed for n in nodes], capture.dom)
    if other_width(pair, tolerance=tolerance):
        pass  # laid out for another width: what else differs follows from it
    elif pair.differs.any():
        if nodes:
            drafts += compare_nodes(
                pair, nodes, witnesses=witnesses, levels=levels, tolerance=tolerance
            )
        else:
            drafts += compare_pictures(pair, label=design.label, tolerance=tolerance)
    gating, kept = levels.split(drafts, gone=lambda told: vanished_nodes(pair, told, nodes))
    rest = unlikeness(pair) if gating else 0.0
    findings, score = finish(gating, nodes, label=design.label, rest=rest)
    differing = int(np.count_nonzero(pair.differs))
    total = pair.shape[0] * pair.shape[1]
    return Judgement(
        status=FAIL if findings else PASS,
        score=score,
        score_version=SCORE_VERSION,
        confidence=1 - differing / total if total else None,
        findings=findings + kept_findings(kept, nodes, label=design.label),
        comparator=_comparator(tolerance),
        pixels={"total": total, "differing": differing},
        diff_mask=pair.differs.astype(np.bool_),
        styles=witnesses.styles,
    )


def _comparator(tolerance: Tolerance) -> dict[str, Any]:
    return {
        "name": GATE,
        "version": SCORE_VERSION,
        "parameters": {"pixel": tolerance.pixel, "color_delta_e": tolerance.color_delta_e},
    }


def _size(pair: PicturePair, *, label: str) -> Draft:
    (ew, eh), (aw, ah) = pair.expected_size, pair.actual_size
    scale = pair.scale
    says = f"the page is {aw}x{ah} px, expected {ew}x{eh} px"
    charge: float | None = LONGER + min(abs(eh - ah) / scale / SCREENFUL, LONGER)
    if abs(ew - aw) > scale:
        charge = None
        says += ": another scale" if _rescaled(pair) else ": another viewport width"
    return Draft(
        at=None,
        delta_id=f"{label}/px:0,0,{int(ew / scale)},{int(eh / scale)}",
        property="size",
        kind="size",
        strength=abs(ew - aw) / scale + abs(eh - ah) / scale,
        box=Box(0, 0, ew / scale, eh / scale),
        expected=[ew, eh],
        actual=[aw, ah],
        delta=float(max(abs(ew - aw), abs(eh - ah))),
        unit="device px",
        says=says,
        charge=charge,
    )


def _rescaled(pair: PicturePair) -> bool:
    """Tell whether one picture has the other's proportions at another scale."""
    (ew, eh), (aw, ah) = pair.expected_size, pair.actual_size
    return min(ew, eh, aw, ah) > 0 and abs((aw / ew) / (ah / eh) - 1) < 0.01
