"""Where the channels meet: one report, one score, one verdict that the report alone gives again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.checker import Channels, channels_of, check
from pytest_pixelloop.core.accessibility import AccessibilitySnapshot
from pytest_pixelloop.core.aria_tree import read_tree
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.dom import DomSnapshot, Element
from pytest_pixelloop.core.element_facts import ElementFacts
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.final_verdict import evaluate_report
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.page_events import PageError, PageEvents
from pytest_pixelloop.core.tolerance import Tolerance
from pytest_pixelloop.core.verdict import is_undetermined

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.core.verdict import ComparisonReport

IMAGE = np.full((60, 80, 4), 255, np.uint8)
IMAGE[10:30, 10:40, :3] = (37, 99, 235)
WRONG = IMAGE.copy()
WRONG[10:30, 10:40, :3] = (220, 38, 38)
BLANK = np.full((60, 80, 4), 255, np.uint8)
BOX = Box(10, 10, 30, 20)
PAY = [{"role": "button", "name": "Pay", "enabled": True}]


def design(**given: Any) -> Design:
    """Return a design with one blue box, which is a button to whoever named it."""
    text = DesignNode(id="1:3", name="Label", type="TEXT", box=BOX, characters="Pay")
    box = DesignNode(id="1:2", name="Button", type="INSTANCE", box=BOX, children=(text,))
    root = DesignNode(id="1:1", name="Page", type="FRAME", box=Box(0, 0, 80, 60), children=(box,))
    return Design(name="p", label="p", image=IMAGE, frame=(80, 60), scale=1, root=root, **given)


def page(image: Any = IMAGE, *, broken: str = "", tree: str = '- button "Pay"') -> Capture:
    """Return the capture of a page with one element."""
    body = Element(
        index=0,
        parent=None,
        selector="#pay",
        tag="img",
        box=BOX,
        anchors={"data-figma-id": "1:2"},
        facts=ElementFacts(broken=broken),
    )
    return Capture(
        image=image,
        scale=1,
        source="test",
        dom=DomSnapshot(elements=(body,), size=(80, 60)),
        accessibility=AccessibilitySnapshot(root=read_tree(tree)),
        events=PageEvents(page_errors=(PageError(text="boom"),)),
    )


def checked(
    capture: Capture, *, folder: Path | None = None, gate: str = "pixel", **asked: Any
) -> ComparisonReport:
    """Return the report of *capture* against the design."""
    channels = channels_of(design(), where="test", **asked)
    return check(
        design(), capture, tolerance=Tolerance(), gate=gate, folder=folder, channels=channels
    )


CASES: dict[str, tuple[Capture, dict[str, Any], str, tuple[str, ...]]] = {
    "nothing wrong": (page(), {}, "pass", ()),
    "pixels": (page(WRONG), {}, "fail", ("visual",)),
    "broken picture": (page(broken="x.png"), {}, "fail", ("appearance",)),
    "broken, reported": (page(broken="x.png"), {"appearance": ["report"]}, "pass", ()),
    "broken, allowed": (page(broken="x.png"), {"allow": ["#pay"]}, "pass", ()),
    "page error is P1": (page(), {"appearance": ["page-error=P1"]}, "pass", ()),
    "page error as P0": (page(), {"appearance": ["page-error=P0"]}, "fail", ("appearance",)),
    "expected": (page(), {"expect": PAY}, "pass", ()),
    "disabled": (
        page(tree='- button "Pay" [disabled]'),
        {"expect": PAY},
        "fail",
        ("functional",),
    ),
    "absent": (page(tree="- paragraph: hello"), {"expect": PAY}, "pass", ()),
    "all three": (
        page(WRONG, broken="x", tree="- text: Pay"),
        {"expect": PAY},
        "fail",
        ("visual", "functional", "appearance"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_status_score_and_causes(case: str, tmp_path: Path) -> None:
    """The status is the channels', the score is 0 exactly on pass and sums the open findings."""
    capture, asked, status, causes = CASES[case]
    report = checked(capture, folder=tmp_path, **asked)
    assert (report.status, tuple(report.verdicts["causes"])) == (status, causes)
    assert report.score is not None
    assert (report.score == 0) is report.passed
    added = sum(f.severity for f in report.open_findings)
    assert report.score == pytest.approx(added, abs=0.01)
    if report.open_findings:
        assert sum(f.share for f in report.open_findings) == pytest.approx(1, abs=0.01)
    stored = json.loads((tmp_path / "p.report.json").read_text("utf-8"))
    verdict = evaluate_report(stored)
    assert (verdict.status, verdict.causes) == (status, causes)


def test_other_channels_leave_the_visual_one_alone() -> None:
    """Whatever else is wrong, pixels, regions and the visual findings are the same."""
    alone = checked(page(WRONG), appearance=["off"])
    beside = checked(page(WRONG, broken="x", tree="- text: Pay"), expect=PAY)
    assert (alone.pixels, alone.regions, alone.confidence) == (
        beside.pixels,
        beside.regions,
        beside.confidence,
    )
    seen = [(f.delta_id, f.severity) for f in beside.findings if f.channel == "visual"]
    assert seen == [(f.delta_id, f.severity) for f in alone.findings if f.channel == "visual"]


def test_the_functional_file_is_written_and_named(tmp_path: Path) -> None:
    """<label>.functional.json is an artifact where something was expected, and only there."""
    report = checked(page(), folder=tmp_path, expect=PAY)
    assert report.artifacts["functional"] == "p.functional.json"
    record = json.loads((tmp_path / "p.functional.json").read_text("utf-8"))
    assert (record["fail_count"], record["warn_count"], len(record["checks"])) == (0, 0, 1)
    assert "functional" not in checked(page(), folder=tmp_path).artifacts


def test_a_blank_page_stays_undetermined_with_what_the_page_said(tmp_path: Path) -> None:
    """An empty page is no page; what it complained about is told, and gates nothing."""
    report = checked(page(BLANK), folder=tmp_path, expect=PAY)
    assert report.status == "undetermined:blank-capture"
    assert report.open_findings == ()
    assert {f.kind for f in report.findings} == {"blank", "page-error"}
    assert report.score is None
    stored = json.loads((tmp_path / "p.report.json").read_text("utf-8"))
    assert evaluate_report(stored).status == report.status


def test_findings_of_other_channels_are_on_their_design_node() -> None:
    """An element that is a node's gives the finding the node's identity."""
    report = checked(page(broken="x.png"))
    (found,) = report.open_findings
    assert (found.delta_id, found.kind) == ("p/node:1:2", "broken-image")


def test_a_snapshot_is_only_reported_on_unless_somebody_says_gate() -> None:
    """A page held against what it was may show a broken picture; asked to gate, it fails."""
    quiet = checked(page(broken="x.png"), gate="snapshot")
    loud = checked(page(broken="x.png"), gate="snapshot", appearance=["gate"])
    assert (quiet.status, loud.status) == ("pass", "fail")


def test_a_report_says_what_the_design_suggests_to_expect() -> None:
    """One line, and the channel is skipped all the same."""
    line = checked(page()).channels["functional"]
    assert line.startswith("skipped: no expectations given; the design suggests 1, such as button")


def test_the_failure_text_names_channel_and_finding() -> None:
    """Who reads the terminal sees which channel failed and what was only reported."""
    from pytest_pixelloop.core.explain import explain_report

    text = "\n".join(explain_report(checked(page(broken="x/logo.png"))))
    assert "by appearance" in text
    assert "'logo.png' did not load" in text
    assert "reported only: 1 page-error" in text


def test_words_are_checked_where_they_are_put_together() -> None:
    """A wrong word of a call is a configuration error."""
    with pytest.raises(ConfigurationError):
        channels_of(design(), appearance=["loud"], where="test")
    with pytest.raises(ConfigurationError):
        channels_of(design(), expect=[3], where="test")


def test_nothing_asked_is_the_default() -> None:
    """Without words the channels are those of a plain check."""
    assert channels_of(design(), where="test") == Channels()
    assert not is_undetermined(check(design(), page(), tolerance=Tolerance()).status)


def test_an_excused_finding_of_a_channel_no_longer_fails() -> None:
    """A judgement excuses a broken picture: the report passes, says so, and gives it again."""
    import datetime as dt

    from pytest_pixelloop.core.excusing import Excuse, ExcuseKind, Excuses, excuse_report

    def excused(report: ComparisonReport, *channels: str) -> ComparisonReport:
        entries = tuple(
            Excuse(delta_id=f.delta_id, kind=ExcuseKind.KNOWN, reason="r", property=f.property)
            for f in report.open_findings
            if f.channel in channels
        )
        return excuse_report(report, Excuses(entries=entries, today=dt.date(2030, 1, 1)))

    known = excused(checked(page(broken="x.png")), "appearance")
    assert evaluate_report(known.as_record()).status == "pass"
    assert known.score == 0
    both = excused(checked(page(WRONG, broken="x.png"), gate="design"), "visual")
    verdict = evaluate_report(both.as_record())
    assert (verdict.status, verdict.causes) == ("fail", ("appearance",))
    assert (both.score or 0) > 0
