"""The same difference in each instance of a component is told once."""

from __future__ import annotations

import pytest

from pytest_pixelloop.core.design import DesignNode
from pytest_pixelloop.core.draft_finding import Draft, finish
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judged_nodes import judged_nodes
from pytest_pixelloop.core.repeats import told_once

FILL = {"type": "SOLID", "color": {"r": 0.0, "g": 0.0, "b": 0.0, "a": 1.0}}


def _screen(ids: list[str]) -> DesignNode:
    boxes = [
        DesignNode(
            id=identity,
            name="check",
            type="RECTANGLE",
            box=Box(10, 20 * k, 16, 16),
            properties={"fills": [FILL]},
        )
        for k, identity in enumerate(ids)
    ]
    return DesignNode(
        id="0:1", name="page", type="FRAME", box=Box(0, 0, 200, 200), children=tuple(boxes)
    )


@pytest.mark.parametrize(
    ("ids", "deltas", "told"),
    [
        (["I1:1;9:5", "I1:2;9:5", "I1:3;9:5"], [8, 8, 8], 1),
        (["I1:1;9:5", "I1:2;9:5", "I1:3;9:5"], [8, 8, 30], 3),
        (["I1:1;9:5", "I1:2;9:5"], [8, 8], 2),
        (["1:1", "1:2", "1:3"], [8, 8, 8], 3),
        (["I1:1;9:5", "I1:2;9:6", "I1:3;9:7"], [8, 8, 8], 3),
    ],
)
def test_parts_of_one_component_with_one_difference_are_one(
    ids: list[str], deltas: list[float], told: int
) -> None:
    """Three instances or more, the same part, the same change; the score is that of all."""
    nodes = judged_nodes(_screen(ids), scale=1, shape=(200, 200))
    drafts = [
        Draft(
            at=k + 1, property="width", strength=2.0, box=Box(0, 0, 1, 1), says="wide", delta=d,
            unit="px",
        )
        for k, d in enumerate(deltas)
    ]  # fmt: skip
    found = told_once(drafts, nodes)
    assert len(found) == told
    both = [finish(d, nodes, label="x")[1] for d in (drafts, found)]
    assert both[0] == pytest.approx(both[1], abs=1e-4)
    if told == 1:
        assert found[0].says == "wide; the same in 2 others of this component"
