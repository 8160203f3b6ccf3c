"""When a page is accused of showing a picture of the design, and when it lost its words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.finding import Channel, Finding
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.history import Compared, History, Measured
from pytest_pixelloop.core.lost_texts import lost_texts
from pytest_pixelloop.core.shown_texts import (
    ShownTexts,
    judge_shown_texts,
    opaque_warning,
    text_nodes,
)
from pytest_pixelloop.core.verdict import Judgement

PICTURE = np.zeros((400, 100, 4), np.uint8)


def design(texts: int) -> Design:
    """Return a design with as many lines of text below each other."""
    lines = tuple(
        DesignNode(
            id=f"1:{n}", name=f"line {n}", type="TEXT", box=Box(0, 20 * n, 50, 16), characters="abc"
        )
        for n in range(1, texts + 1)
    )
    more = (
        DesignNode(id="2:1", name="empty", type="TEXT", box=Box(0, 0, 50, 16), characters=" "),
        DesignNode(id="2:2", name="box", type="FRAME", box=Box(0, 0, 50, 16)),
    )
    root = DesignNode(
        id="1:0", name="page", type="FRAME", box=Box(0, 0, 100, 400), children=lines + more
    )
    return Design(name="d", label="d", image=PICTURE, frame=(100, 400), scale=1, root=root)


def judged(kinds: str, *, masks: tuple[Box, ...] = (), status: str = "pass") -> Judgement:
    """Return the judgement of a page whose texts are shown by t(ext), p(icture), d (paint)..."""
    names = {"t": "text", "p": "picture", "c": "canvas", "d": "paint", "o": "outside", "n": "none"}
    shown = ShownTexts(
        looked=tuple(range(len(kinds))), kinds=tuple(names[k] for k in kinds), selector="img"
    )
    capture = Capture(image=PICTURE, scale=1, source="s", masks=masks, shown_texts=shown)
    told = Judgement(status=status, score=0.0, score_version="1", confidence=1.0)
    return judge_shown_texts(told, design(len(kinds)), capture)


@pytest.mark.parametrize("kinds", ["ppp", "ppppptt", "pppppnt", "pppooooo", "ddd", "pddtt"])
def test_most_texts_by_pictures_fail_a_page_that_looks_right(kinds: str) -> None:
    """The finding gates, outweighs every other, and names the element and some of the texts."""
    judgement = judged(kinds)
    (finding,) = judgement.findings
    assert judgement.status == "fail"
    assert judgement.score == finding.severity >= 1000
    assert finding.kind == "picture-in-place-of-content"
    assert finding.gating
    assert "(img)" in finding.message
    assert "'abc'" in finding.message
    assert finding.delta_id == "d/frame"


@pytest.mark.parametrize("kinds", ["ttt", "pp", "ppptttt", "cccccc", "nnnnnn", "oooo", "pptt", ""])
def test_what_is_not_evident_accuses_nobody(kinds: str) -> None:
    """A logo, some words in photos, a canvas app, missing texts are no picture of the design."""
    assert judged(kinds).status == "pass"
    assert judged(kinds).findings == ()


def test_paint_where_the_pixels_differ_accuses_nobody() -> None:
    """What is painted where a text of the design should be, and looks other, is just wrong."""
    wrong = Finding(
        delta_id="d/node:1:1",
        kind="missing",
        channel=Channel.VISUAL,
        message="m",
        box=Box(0, 15, 50, 300),
        severity=3.0,
        gating=True,
    )
    told = Judgement(status="fail", score=3.0, score_version="1", confidence=1.0, findings=(wrong,))
    for kind, findings in (("paint", 1), ("picture", 2)):
        shown = ShownTexts(looked=(0, 1, 2), kinds=(kind,) * 3)
        capture = Capture(image=PICTURE, scale=1, source="s", shown_texts=shown)
        assert len(judge_shown_texts(told, design(3), capture).findings) == findings


@pytest.mark.parametrize(("kinds", "warned"), [("ccc", 1), ("cctttt", 0), ("cc", 0)])
def test_words_in_a_canvas_are_warned_of(kinds: str, warned: int) -> None:
    """A page that may be honest and may be a picture passes by its pixels, and is told of."""
    names = {"t": "text", "c": "canvas"}
    shown = ShownTexts(looked=tuple(range(len(kinds))), kinds=tuple(names[k] for k in kinds))
    capture = Capture(image=PICTURE, scale=1, source="s", shown_texts=shown)
    assert len(opaque_warning(design(len(kinds)), capture)) == warned


def test_masked_texts_count_for_neither_side() -> None:
    """What a mask hides from the judgement hides it here, too."""
    assert judged("ppppt", masks=(Box(0, 15, 100, 66),)).status == "pass"
    assert judged("pppt").status == "fail"


def test_an_undetermined_judgement_stays_what_it_is() -> None:
    """Where nothing is known of the page nothing is added."""
    assert judged("ppp", status="undetermined:blank-capture").status.startswith("undetermined")


def test_texts_are_nodes_with_words() -> None:
    """Empty texts, boxes and hidden nodes are not looked for."""
    assert [n.node.id for n in text_nodes(design(2))] == ["1:1", "1:2"]


def history(*texts: int | None) -> History:
    """Return a history whose measurements saw as many texts."""
    measured = tuple(
        Measured(
            iteration=number,
            status="fail",
            score=1.0,
            delta_ids=(),
            channels={},
            comparisons=(
                Compared(
                    label="d",
                    design="d",
                    status="fail",
                    gate="design",
                    score=1.0,
                    delta_ids=(),
                    excused=(),
                    hold_out=False,
                    report="d.report.json",
                    texts=count,
                ),
            ),
        )
        for number, count in enumerate(texts)
    )
    return History(measurements=measured)


def report(**counts: int) -> dict[str, Any]:
    """Return a report that tells by what the texts are shown."""
    return {"label": "d", "screenshot": {"texts": counts}}


def test_words_that_were_text_at_first_must_stay_text() -> None:
    """The first measurement that looked is what later ones are held to, canvas or not."""
    (words,) = lost_texts(history(None, 8, 0), [report(canvas=6, none=1, text=1)])
    assert "8 texts of the design were text in the page at iteration 1, 1 are now" in words
    assert "6 by a canvas, 1 by nothing that can be seen" in words


@pytest.mark.parametrize(
    ("first", "now"),
    [(8, {"text": 4, "none": 4}), (2, {"picture": 2}), (None, {"canvas": 9}), (0, {"canvas": 9})],
)
def test_what_was_no_text_at_first_is_not_missed(first: int | None, now: dict[str, int]) -> None:
    """A canvas app, a page that was nearly empty, and a half of the words are no loss."""
    assert lost_texts(history(first), [report(**now)]) == ()


def test_a_page_that_can_no_longer_be_looked_at_has_lost_its_words() -> None:
    """Whoever keeps one from looking gains nothing; where nobody ever looked none is missed."""
    (words,) = lost_texts(history(8), [{"label": "d"}])
    assert "can no longer be seen" in words
    assert lost_texts(history(None), [{"label": "d"}]) == ()
    assert lost_texts(history(2), [{"label": "d"}]) == ()
