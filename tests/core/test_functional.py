"""The functional channel: what fails, what only warns, and what is nobody's fault."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pytest_pixelloop.core.accessibility import AccessibilitySnapshot
from pytest_pixelloop.core.aria_tree import read_tree
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.dom import DomSnapshot, Element
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.expectations import propose_expectations, read_expectations
from pytest_pixelloop.core.finding import NodeRef
from pytest_pixelloop.core.functional import FunctionalResult, judge_functional
from pytest_pixelloop.core.geometry import Box

PAGE = """
- heading "Checkout" [level=1] [box=0,0,200,30]
- text: Buy now
- button "Save" [box=10,40,80,30]
- button "Delete" [disabled] [box=100,40,80,30]
- button [box=190,40,30,30]
- link "Sign up" [box=10,80,60,20]
- textbox "Mail" [box=10,110,200,30]
"""
IMAGE = np.full((200, 300, 4), 255, np.uint8)


def element(index: int, selector: str, box: Box, **given: Any) -> Element:
    """Return an element of the page."""
    return Element(index=index, parent=None, selector=selector, tag="div", box=box, **given)


ELEMENTS = (
    element(0, "#save", Box(10, 40, 80, 30), text="Save", label="Save"),
    element(1, "#buy", Box(10, 150, 80, 30), text="Buy now", label="Buy now"),
    element(2, "#del", Box(100, 40, 80, 30), text="Delete", label="Delete"),
)


def judged(expected: Any, page: str = PAGE, **given: Any) -> FunctionalResult:
    """Return what the channel says of *page*."""
    capture = Capture(
        image=IMAGE,
        scale=1,
        source="test",
        viewport="desktop",
        dom=DomSnapshot(elements=ELEMENTS, size=(300, 200)),
        accessibility=AccessibilitySnapshot(root=read_tree(page)),
    )
    expectations = read_expectations(expected, where="test")
    return judge_functional(capture, expectations, label="page", **given)


@pytest.mark.parametrize(
    ("expected", "severity", "said"),
    [
        ({"role": "button", "name": "Save"}, None, ""),
        ({"role": "button", "name": "Save", "enabled": True}, None, ""),
        ({"role": "button", "name": "/^Sa/"}, None, ""),
        ({"role": "heading"}, None, ""),
        ({"role": "button", "name": "Delete", "enabled": False}, None, ""),
        ({"role": "button", "name": "Delete", "enabled": True}, "fail", "is disabled"),
        ({"role": "button", "name": "Save", "enabled": False}, "fail", "is enabled"),
        ({"role": "button", "name": "Buy now"}, "fail", "is a text, no button"),
        ({"role": "link", "name": "Save"}, "fail", "is a button, no link"),
        ({"role": "link", "name": "Sign in"}, "fail", "is called 'Sign up'"),
        ({"role": "button", "name": "Close"}, "fail", "has no name"),
        ({"role": "button", "name": "Checkout", "enabled": True}, "fail", "has no name"),
        ({"role": "link", "name": "Checkout"}, "warn", "is not in the accessibility tree"),
        ({"role": "link", "name": "Imprint"}, "warn", "is not in the accessibility tree"),
        ({"role": "slider"}, "warn", "is not in the accessibility tree"),
        ({"role": "button", "name": "Save", "target": "#save"}, None, ""),
        ({"role": "link", "name": "Save", "target": "#save"}, "fail", "is a button, no link"),
        ({"role": "button", "name": "Store", "target": "#save"}, "fail", "is called 'Save'"),
        ({"role": "button", "name": "Buy now", "target": "#buy"}, "fail", "is a text, no button"),
        ({"role": "button", "target": "#del", "enabled": True}, "fail", "is disabled"),
        ({"role": "button", "target": "#gone"}, "warn", "is not in the accessibility tree"),
        ('- button "Save"', None, ""),
        ('- button "Save"\n- button "Delete" [disabled]', None, ""),
        ('- button "Delete" [disabled=false]', "fail", "is disabled"),
        ('- link "Save"', "fail", "is a button, no link"),
        ('- button "Save"\n- link "Imprint"', "warn", "is not in the accessibility tree"),
        ('- button "Delete"\n- button "Save"', "fail", "nested or ordered"),
        ('- heading "Checkout" [level=2]', "fail", "not [level=2]"),
    ],
)
def test_outcomes(expected: Any, severity: str | None, said: str) -> None:
    """Wrong role, name or state fails; absent warns; right passes; the words say which."""
    (check,) = judged(expected).checks
    assert (check.severity, check.passed) == (severity, severity is None)
    assert said in check.message


def test_one_expectation_does_not_take_what_another_names() -> None:
    """A button that is expected itself is not the misnamed one of its neighbour."""
    page = '- link "Sign up"'
    alone = judged([{"role": "link", "name": "Sign in"}], page)
    both = judged([{"role": "link", "name": n} for n in ("Sign in", "Sign up")], page)
    assert [c.severity for c in alone.checks] == ["fail"]
    assert [c.severity for c in both.checks] == ["warn", None]


def test_the_file_has_the_words_of_the_contract() -> None:
    """viewport, checks with target, expected, found, pass and severity, and both counts."""
    result = judged(
        [
            {"role": "button", "name": "Save", "enabled": True},
            {"role": "link", "name": "Save"},
            {"role": "slider"},
        ]
    )
    record = result.as_record()
    assert set(record) == {"schema_version", "viewport", "checks", "fail_count", "warn_count"}
    assert (record["viewport"], record["fail_count"], record["warn_count"]) == ("desktop", 1, 1)
    wrong = record["checks"][1]
    assert wrong["expected"] == {"role": "link", "name": "Save"}
    assert wrong["found"] == {"role": "button", "name": "Save", "enabled": True}
    assert (wrong["pass"], wrong["severity"]) == (False, "fail")
    json.dumps(record, allow_nan=False)


def test_only_a_failure_gates_and_identities_are_node_or_place() -> None:
    """A failed check is a gating finding on its design node, or at its place; a warning is not."""
    node = NodeRef(id="1:2", name="Save", path="Page/Save")
    expected = [{"role": "link", "name": "Save"}, {"role": "slider"}]
    named = judged(expected, nodes={0: node})
    placed = judged(expected)
    assert [f.delta_id for f in named.findings] == ["page/node:1:2", "page/frame"]
    assert [f.delta_id for f in placed.findings] == ["page/px:8,40,88,32", "page/frame"]
    assert [f.gating for f in placed.findings] == [True, False]
    assert placed.findings[0].element is not None
    assert placed.findings[0].element.selector == "#save"
    edit = placed.findings[0]
    assert (edit.property, edit.expected, edit.actual) == ("role", "link", "button")


def test_without_input_the_channel_is_skipped_and_says_why() -> None:
    """No expectation, no page, no tree: skipped in words, never a pass or a fail."""
    capture = Capture(image=IMAGE, scale=1, source="test")
    some = read_expectations({"role": "button"}, where="test")
    assert judge_functional(capture, (), label="x").record == "skipped: no expectations given"
    assert "picture" in str(judge_functional(capture, some, label="x").record)
    broken = Capture(
        image=IMAGE, scale=1, source="test", accessibility=AccessibilitySnapshot(reason="too old")
    )
    assert judge_functional(broken, some, label="x").record == "skipped: too old"


@pytest.mark.parametrize(
    "wrong",
    [
        3,
        [3],
        {"role": ""},
        {"name": "Save"},
        {"role": "button", "nome": "Save"},
        {"role": "button", "enabled": "yes"},
        {"role": "button", "name": 3},
        {"role": "button", "name": "/(/"},
        {"role": "buton", "name": "Save"},
        {"role": "Button", "name": "Save"},
        '- heading "Save"\n- buton "Save"',
    ],
)
def test_a_wrong_expectation_is_a_configuration_error(wrong: Any) -> None:
    """It is said where it is written, before anything is compared."""
    with pytest.raises(ConfigurationError):
        read_expectations(wrong, where="test")


def test_a_misspelled_role_names_the_likely_one_and_its_line() -> None:
    """It would only warn for ever, since no browser says it."""
    with pytest.raises(ConfigurationError) as caught:
        read_expectations(['- heading "Save"\n- buton "Save"'], where="test")
    assert "'buton'" in caught.value.what
    assert "line 2" in str(caught.value.where)
    assert "button" in str(caught.value.next_step)


def test_a_design_suggests_what_its_components_are() -> None:
    """A component called Button with a text in it suggests a button of that name, once."""

    def node(name: str, *children: DesignNode, kind: str = "INSTANCE", **given: Any) -> DesignNode:
        box = Box(0, 0, 10, 10)
        return DesignNode(id=f"1:{name}", name=name, type=kind, box=box, children=children, **given)

    text = node("Label", kind="TEXT", characters="Sign  in")
    inner = node("Button/Inner", text, kind="FRAME")
    root = DesignNode(
        id="1:0",
        name="Page",
        type="FRAME",
        box=Box(0, 0, 20, 20),
        children=(
            node("Button/Primary", inner),
            node("Buttons", node("T", kind="TEXT", characters="x")),
            node("Card", node("U", kind="TEXT", characters="y")),
        ),
    )
    design = Design(name="p", label="p", image=IMAGE, frame=(20, 20), scale=1, root=root)
    proposed = propose_expectations(design)
    assert proposed == ({"role": "button", "name": "Sign in", "target": "1:Button/Primary"},)
    assert read_expectations(proposed, where="test")[0].role == "button"
