"""The appearance channel's words: priorities, switches, allow list, and what enters a verdict."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.appearance import (
    CHECKS,
    AppearanceSettings,
    Issue,
    Priority,
    is_allowed,
    merge_appearance,
    parse_appearance,
)
from pytest_pixelloop.core.appearance_channel import KEPT, Outside, judge_appearance
from pytest_pixelloop.core.appearance_contrast import contrast_ratio, needed_ratio
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.dom import DomSnapshot, Element
from pytest_pixelloop.core.element_facts import ElementFacts
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.finding import NodeRef
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.measurement import compared_channels
from pytest_pixelloop.core.page_events import ConsoleMessage, FailedRequest, PageEvents

IMAGE = np.full((120, 200, 4), 255, np.uint8)
IMAGE[0, 0] = (1, 2, 3, 255)
PICTURE = Element(
    index=0,
    parent=None,
    selector="#logo",
    tag="img",
    box=Box(10, 20, 50, 30),
    facts=ElementFacts(broken="http://localhost/logo.png"),
)


def page(*elements: Element, **given: Any) -> Capture:
    """Return the capture of a page with these elements."""
    capture = Capture(
        image=IMAGE,
        scale=1,
        source="test",
        dom=DomSnapshot(elements=elements, size=(200, 120)),
        events=PageEvents(),
    )
    return dataclasses.replace(capture, **given)


def noisy(count: int = 1) -> Capture:
    """Return the capture of a page that logs errors."""
    console = tuple(ConsoleMessage(level="error", text=f"error {i}") for i in range(count))
    return page(events=PageEvents(console=console))


def test_only_what_stops_a_release_fails_unless_asked_to() -> None:
    """The table of defaults: no page, an error in its place, a picture that is not there."""
    stops = {"blank", "error-overlay", "broken-image"}
    assert {c for c, p in CHECKS.items() if p is Priority.P0} == stops


def test_a_console_error_alone_never_fails() -> None:
    """It is reported as P2, does not gate, and adds nothing to a score."""
    result = judge_appearance(noisy(), label="x")
    assert [(f.kind, f.priority, f.gating) for f in result.findings] == [
        ("console-error", "P2", False)
    ]
    assert not isinstance(result.record, str)
    assert result.record["result"] == "warn"


@pytest.mark.parametrize(
    ("settings", "result", "gating"),
    [
        ("gate", "fail", True),
        ("report", "warn", False),
        ("broken-image=P1", "warn", False),
        ("broken-image=off", "pass", None),
    ],
)
def test_modes_and_priorities(settings: str, result: str, gating: bool | None) -> None:  # noqa: FBT001
    """P0 gates in mode gate only; a check of another priority, or off, does not."""
    chosen = parse_appearance(settings, where="test")
    judged = judge_appearance(page(PICTURE), label="x", settings=chosen)
    assert not isinstance(judged.record, str)
    assert judged.record["result"] == result
    assert [f.gating for f in judged.findings] == ([] if gating is None else [gating])
    json.dumps(judged.record, allow_nan=False)


def test_off_and_a_bare_picture_are_said_in_words() -> None:
    """A channel that did not look says so; it is no pass."""
    off = parse_appearance("off", where="test")
    assert judge_appearance(page(PICTURE), label="x", settings=off).record == "off"
    bare = Capture(image=IMAGE, scale=1, source="x.png")
    assert str(judge_appearance(bare, label="x").record).startswith("skipped:")
    nobody = Outside(vision={"status": "not run: no vision command and no hook"})
    assert str(judge_appearance(bare, label="x", outside=nobody).record).startswith("skipped:")
    vain = Outside(vision={"status": "not run: x", "asked": [{"by": "hook", "status": "x"}]})
    record = judge_appearance(bare, label="x", outside=vain).record
    assert not isinstance(record, str)
    assert record["status"] == "skipped"
    assert compared_channels({"appearance": record}) == ()


def test_identities_are_node_place_or_frame() -> None:
    """A finding is named by its design node, else by its place on an 8 px grid."""
    node = NodeRef(id="1:2", name="Logo", path="Page/Logo")
    (named,) = judge_appearance(page(PICTURE), label="x", nodes={0: node}).findings
    (placed,) = judge_appearance(page(PICTURE), label="x").findings
    (whole,) = judge_appearance(noisy(), label="x").findings
    assert (named.delta_id, named.node) == ("x/node:1:2", node)
    assert placed.delta_id == "x/px:8,16,56,40"
    assert whole.delta_id == "x/frame"


def test_what_a_mask_takes_is_not_looked_at() -> None:
    """A mask covers an element for this channel, too."""
    masked = page(PICTURE, masks=(Box(0, 0, 100, 60),))
    assert judge_appearance(masked, label="x").findings == ()


def test_many_of_a_kind_are_counted_and_twenty_named() -> None:
    """A page that repeats itself does not fill the report, and the count stays right."""
    result = judge_appearance(noisy(30), label="x")
    assert len(result.findings) == KEPT
    assert not isinstance(result.record, str)
    assert result.record["checks"]["console-error"]["found"] == 30


@pytest.mark.parametrize(
    ("tag", "selector", "kinds"),
    [
        ("vite-error-overlay", "vite-error-overlay", ["error-overlay"]),
        ("iframe", "#webpack-dev-server-client-overlay", ["error-overlay"]),
        ("div", "body > #__parcel__error__overlay__", ["error-overlay"]),
        ("div", "#webpack-dev-server-client-overlay > div", []),
        ("div", "#overlay", []),
    ],
)
def test_the_overlays_of_development_servers_are_known(
    tag: str, selector: str, kinds: list[str]
) -> None:
    """Each server names its overlay in its own way; what lies inside is not another one."""
    over = Element(index=0, parent=None, selector=selector, tag=tag, box=Box(0, 0, 200, 120))
    assert [f.kind for f in judge_appearance(page(over), label="x").findings] == kinds


def test_what_gates_is_always_named() -> None:
    """A gating finding is never among those that are only counted: the score must add up."""
    settings = parse_appearance("console-error=P0", where="test")
    result = judge_appearance(noisy(30), label="x", settings=settings)
    assert len(result.findings) == 30


def test_a_blank_page_is_p0_unless_the_design_is_blank() -> None:
    """One colour everywhere is blank; a blank design asks for nothing else."""
    blank = page(image=np.full((10, 10, 4), 7, np.uint8))
    (found,) = judge_appearance(blank, label="x").findings
    assert (found.kind, found.priority, found.gating) == ("blank", "P0", True)
    assert judge_appearance(blank, label="x", design_is_blank=True).findings == ()


def test_others_come_in_with_their_own_priority_and_source() -> None:
    """A finding from outside keeps its source; axe stays below P0 until a user says otherwise."""
    issue = Issue(check="axe", message="aria-required: x", priority=Priority.P1, source="axe")
    outside = Outside(issues=(issue,), axe={"status": "compared"})
    (found,) = judge_appearance(page(), label="x", outside=outside).findings
    assert (found.source, found.priority, found.gating) == ("axe", "P1", False)
    settings = parse_appearance("axe=P0", where="test")
    (found,) = judge_appearance(page(), label="x", outside=outside, settings=settings).findings
    assert found.gating


@pytest.mark.parametrize(
    ("entry", "allowed"),
    [
        ("#logo", True),
        ("broken-image: #logo", True),
        ("broken-image: logo.png", True),
        ("contrast: #logo", False),
        ("http://*/logo", True),
        ("*: did not load", True),
        ("#other", False),
    ],
)
def test_the_allow_list_names_selector_message_or_url(entry: str, allowed: bool) -> None:  # noqa: FBT001
    """An entry is [check:] pattern, found anywhere in selector, text, message or address."""
    settings = merge_appearance(allow=[entry], where="test")
    result = judge_appearance(page(PICTURE), label="x", settings=settings)
    assert (result.findings == ()) is allowed
    assert not isinstance(result.record, str)
    assert result.record["allowed"] == int(allowed)


def test_a_bracket_in_an_allow_entry_is_a_bracket() -> None:
    """A selector with an attribute is taken as it is written."""
    issue = Issue(check="contrast", message="m", at='[data-testid="x"]')
    assert is_allowed(issue, ['[data-testid="x"]'])
    assert not is_allowed(issue, ["[atd]x"])


@pytest.mark.parametrize("entry", ["", "*", "contrast:", "* : *", 5, None, {"contrast": "x"}])
def test_an_allow_entry_that_names_nothing_is_refused(entry: Any) -> None:
    """Allowing everything is switching off, and that has its own word."""
    with pytest.raises(ConfigurationError):
        merge_appearance(allow=[entry], where="test")


def test_layers_are_merged_check_by_check() -> None:
    """The strongest layer's word holds for what it names, and only for that."""
    merged = merge_appearance(
        "contrast=P0", {"mode": "report", "contrast": "P2", "axe": False}, "off", where="test"
    )
    expected = {"contrast": Priority.P0, "axe": Priority.OFF}
    assert merged == AppearanceSettings(mode="report", priorities=expected)


@pytest.mark.parametrize(
    "wrong", ["gates", "contrast=P3", "colour=P1", "mode=loud", {"contrast": 1}, 3]
)
def test_wrong_words_are_errors_that_list_the_known_ones(wrong: Any) -> None:
    """No switch is guessed."""
    with pytest.raises(ConfigurationError):
        parse_appearance(wrong, where="test")


def test_a_failed_request_is_told_once() -> None:
    """The console's line on it, and the picture it was for, do not tell it again."""
    url = "http://localhost/logo.png"
    events = PageEvents(
        console=(ConsoleMessage(level="error", text="Failed to load resource: 404", url=url),),
        failed_requests=(FailedRequest(url=url, kind="image", status=404),),
    )
    found = judge_appearance(page(PICTURE, events=events), label="x").findings
    assert [f.kind for f in found] == ["broken-image"]
    alone = judge_appearance(page(events=events), label="x").findings
    assert [f.kind for f in alone] == ["failed-request"]


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ((0, 0, 0), (255, 255, 255), 21.0),
        ((119, 119, 119), (255, 255, 255), 4.48),
        ((118, 118, 118), (255, 255, 255), 4.54),
        ((255, 0, 0), (255, 255, 255), 4.0),
        ((0, 0, 255), (255, 255, 255), 8.59),
        ((7, 7, 7), (7, 7, 7), 1.0),
    ],
)
def test_contrast_is_wcags_formula(
    one: tuple[int, ...], other: tuple[int, ...], ratio: float
) -> None:
    """Known pairs have the ratios that every checker gives them."""
    found = float(contrast_ratio(np.array(one, np.float64), np.array(other, np.float64)))
    assert found == pytest.approx(ratio, abs=0.005)


@given(*([st.tuples(*[st.integers(0, 255)] * 3)] * 2))
def test_contrast_is_symmetric_and_within_1_and_21(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    """The order of the colours does not matter."""
    a, b = np.array(one, np.float64), np.array(other, np.float64)
    assert float(contrast_ratio(a, b)) == float(contrast_ratio(b, a))
    assert 1.0 <= float(contrast_ratio(a, b)) <= 21.0


@pytest.mark.parametrize(
    ("size", "weight", "needed"),
    [("16px", "400", 4.5), ("24px", "400", 3.0), ("23px", "400", 4.5), ("19px", "700", 3.0),
     ("18px", "700", 4.5), ("19px", "600", 4.5)],
)  # fmt: skip
def test_large_text_needs_less(size: str, weight: str, needed: float) -> None:
    """24 px, or 18.66 px and bold, is large."""
    style = {"font-size": size, "font-weight": weight}
    text = dataclasses.replace(PICTURE, style=style)
    assert needed_ratio(text) == needed
