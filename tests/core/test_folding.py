"""Several findings that are one are told once, and the score stays what it was."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.design import DesignNode
from pytest_pixelloop.core.draft_finding import NODE_LIMIT, REST_SHARE, Draft, finish
from pytest_pixelloop.core.folding import fold
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judged_nodes import JudgedNode, judged_nodes
from pytest_pixelloop.core.reading import Reading

WHITE = {"type": "SOLID", "color": {"r": 1.0, "g": 1.0, "b": 1.0, "a": 1.0}}


def node(identity: str, box: Box, *children: DesignNode, **more: Any) -> DesignNode:
    """Return a design node: a text where it has characters, else a frame."""
    text = more.pop("text", None)
    return DesignNode(
        id=identity,
        name=identity,
        type="FRAME" if text is None else "TEXT",
        characters=text,
        box=box,
        properties=more,
        children=children,
    )


def screen() -> tuple[JudgedNode, ...]:
    """Return a page with a card (three texts, a bordered box without a fill) and a text below."""
    texts = [node(f"t{k}", Box(20, 20 + 30 * k, 100, 20), text="abc") for k in range(3)]
    field = node("field", Box(20, 120, 160, 40), strokes=[WHITE], strokeWeight=1)
    card = node("card", Box(10, 10, 200, 160), *texts, field, fills=[WHITE])
    below = node("below", Box(10, 200, 200, 20), text="def")
    root = node("root", Box(0, 0, 400, 400), card, below, fills=[WHITE])
    return judged_nodes(root, scale=1, shape=(400, 400))


NODES = screen()
AT = {n.node.id: n.at for n in NODES}


def draft(identity: str, name: str, **more: Any) -> Draft:
    """Return a draft about a node."""
    at = AT[identity]
    values: dict[str, Any] = {"strength": 2.0, "box": NODES[at].placed.box, "says": name} | more
    return Draft(at=at, property=name, **values)


def readings(*lost: str, **contrast: float) -> dict[int, Reading]:
    """Return readings of all texts, some of them not found, some with another contrast."""
    return {
        AT[name]: Reading(
            at=AT[name],
            found=name not in lost,
            missing=name in lost,
            contrast_ratio=contrast.get(name, 1.0),
            ink_rect=NODES[AT[name]].rect,
        )
        for name in ("t0", "t1", "t2", "below")
    }


def told(drafts: list[Draft]) -> list[tuple[str, str]]:
    """Return node and property of each draft."""
    return sorted((NODES[d.at].node.id if d.at is not None else "", d.property) for d in drafts)


def scored(drafts: list[Draft]) -> float:
    """Return the score of drafts."""
    return finish(drafts, NODES, label="x")[1]


GONE = [draft(f"t{k}", "missing", kind="missing") for k in range(3)]


def test_a_group_whose_parts_are_all_gone_is_missing_itself() -> None:
    """Three missing texts of a card are one missing card, and weigh as much."""
    found = fold(GONE, NODES, readings("t0", "t1", "t2"))
    assert told(found) == [("card", "missing")]
    assert scored(found) == pytest.approx(scored(GONE))


def test_a_group_of_which_a_part_is_there_is_not_missing() -> None:
    """Two of three missing texts stay two findings."""
    assert told(fold(GONE[:2], NODES, readings("t0", "t1"))) == [
        ("t0", "missing"),
        ("t1", "missing"),
    ]


def test_what_shines_through_is_told_of_the_box_that_has_the_fill() -> None:
    """A box without a fill shows its container's colour: the container is wrong."""
    wrong = {"expected": "#ffffff", "actual": "#f1f5f9"}
    drafts = [draft("field", "background", **wrong), draft("card", "background", **wrong)]
    found = fold(drafts, NODES, readings())
    assert told(found) == [("card", "background")]
    assert scored(found) == pytest.approx(scored(drafts))
    other = [draft("field", "background", expected="#ffffff", actual="#000000"), drafts[1]]
    assert len(fold(other, NODES, readings())) == 2


def test_what_was_inserted_stands_for_what_it_pushed_on() -> None:
    """A block of 40 px and the text after it that went 48 px down are one finding."""
    extra = draft("root", "extra", kind="extra", box=Box(10, 172, 200, 40))
    pushed = draft("below", "position", delta=48.0, unit="px")
    assert told(fold([pushed, extra], NODES, readings())) == [("root", "extra")]
    other_way = draft("below", "position", delta=-48.0, unit="px")
    assert len(fold([other_way, extra], NODES, readings())) == 2


def test_a_text_that_came_up_beside_its_place_has_moved() -> None:
    """Missing here and something of its size to the right is one finding: moved."""
    gone = draft("t1", "missing", kind="missing")
    extra = draft("card", "extra", kind="extra", box=Box(90, 50, 100, 20))
    (found,) = fold([gone, extra], NODES, readings("t1"))
    assert (found.at, found.property, found.delta) == (AT["t1"], "position", 70)
    elsewhere = draft("card", "extra", kind="extra", box=Box(90, 90, 100, 20))
    assert len(fold([gone, elsewhere], NODES, readings("t1"))) == 2


def test_all_of_a_container_paler_by_as_much_is_its_opacity() -> None:
    """Three texts at half their contrast are one finding on what holds them."""
    drafts = [draft(f"t{k}", "color") for k in range(3)]
    (found,) = fold(drafts, NODES, readings(t0=0.5, t1=0.52, t2=0.5))
    assert (found.at, found.property, found.expected, found.actual) == (
        AT["card"],
        "opacity",
        1.0,
        0.51,
    )
    assert len(fold(drafts, NODES, readings(t0=0.5, t1=0.8, t2=0.9))) == 3


def test_a_cause_that_displaces_much_leads() -> None:
    """A padding that moved six texts comes before one text with other letters."""
    drafts = [draft("t0", "text", strength=9.0), draft("card", "padding-left", reach=6)]
    findings, _ = finish(drafts, NODES, label="x")
    assert [f.property for f in findings] == ["padding-left", "text"]


names = st.sampled_from(["t0", "t1", "t2", "card", "field", "below"])
properties = st.sampled_from(["missing", "color", "background", "gap", "position", "extra", "text"])
drafts_of = st.lists(
    st.builds(
        draft,
        names,
        properties,
        strength=st.floats(0.01, 1000),
        reach=st.integers(0, 200),
    ),
    max_size=12,
)


@given(drafts_of)
def test_the_addends_are_in_the_report_and_each_node_is_bounded(drafts: list[Draft]) -> None:
    """The score is 0 exactly without findings, else their sum; no node adds more than the limit."""
    findings, score = finish(drafts, NODES, label="x")
    assert (score == 0) == (not drafts)
    assert score == pytest.approx(math.fsum(f.severity for f in findings))
    by_node: dict[str, float] = {}
    for f in findings:
        assert f.node is not None
        by_node[f.node.id] = by_node.get(f.node.id, 0.0) + f.severity
    assert all(total <= NODE_LIMIT + 1e-3 for total in by_node.values())
    assert all(f.severity > 0 for f in findings)


@given(drafts_of, st.floats(0, 1), st.floats(0, 1))
def test_one_finding_more_never_scores_lower_and_likeness_breaks_ties(
    drafts: list[Draft], rest: float, other: float
) -> None:
    """Each finding adds; of two pages with the same findings the nearer one scores less."""
    scores = [finish(drafts[:k], NODES, label="x")[1] for k in range(len(drafts) + 1)]
    assert scores == sorted(scores)
    near, far = sorted((rest, other))
    low = finish(drafts, NODES, label="x", rest=near)[1]
    high = finish(drafts, NODES, label="x", rest=far)[1]
    assert low <= high <= scores[-1] * (1 + REST_SHARE) + 1e-3


@given(drafts_of, st.sets(st.sampled_from(["t0", "t1", "t2", "below"])))
def test_folding_keeps_the_score_of_what_it_folds(drafts: list[Draft], lost: set[str]) -> None:
    """However findings are told together, the page does not score less for it."""
    found = fold(drafts, NODES, readings(*lost))
    assert len(found) <= len(drafts)
    assert scored(found) >= scored(drafts) - 1e-3
