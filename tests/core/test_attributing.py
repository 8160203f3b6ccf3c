"""Findings get their element, and the property that the style check names for sure."""

from __future__ import annotations

from typing import Any

from pytest_pixelloop.core.attributing import enrich, property_family, style_findings
from pytest_pixelloop.core.design import DesignNode, place_nodes
from pytest_pixelloop.core.dom import DomSnapshot, Element
from pytest_pixelloop.core.finding import Channel, Finding, NodeRef
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.matching import match
from pytest_pixelloop.core.style import StyleDifference, compare_styles
from pytest_pixelloop.core.style_scene import Scene

BLUE = {"type": "SOLID", "color": {"r": 37 / 255, "g": 99 / 255, "b": 235 / 255, "a": 1}}
TEXT = Box(70, 30, 60, 20)
BUTTON = Box(50, 20, 100, 40)
DESIGN = DesignNode(
    id="1:1",
    name="Page",
    type="FRAME",
    box=Box(0, 0, 400, 300),
    children=(
        DesignNode(
            id="1:2",
            name="Button",
            type="INSTANCE",
            box=BUTTON,
            properties={"fills": [BLUE], "layoutMode": "HORIZONTAL", "paddingLeft": 20},
            children=(
                DesignNode(
                    id="1:3",
                    name="Label",
                    type="TEXT",
                    box=TEXT,
                    characters="Sign in",
                    properties={"style": {"fontFamily": "Inter", "fontSize": 16}},
                ),
            ),
        ),
    ),
)
PLACED = place_nodes(DESIGN)


def _snapshot(*, background: str = "rgb(29, 78, 216)", size: str = "16px") -> DomSnapshot:
    page = Element(index=0, parent=None, selector="main", tag="main", box=Box(0, 0, 400, 300))
    button = Element(
        index=1,
        parent=0,
        selector="#sign-in",
        tag="button",
        role="button",
        box=BUTTON,
        text="Sign in",
        label="Sign in",
        lines=(TEXT,),
        style={"background-color": background, "font-size": size, "padding-left": "20px"},
        source="src/Login.tsx:12",
    )
    return DomSnapshot(elements=(page, button), size=(400, 300))


def _finding(node_id: str, name: str | None, **more: Any) -> Finding:
    node = next(i for i in PLACED if i.node.id == node_id)
    values: dict[str, Any] = {
        "delta_id": f"login/node:{node_id}",
        "kind": "changed",
        "channel": Channel.VISUAL,
        "message": f"{node.node.name} differs",
        "box": node.box,
        "severity": 5.0,
        "gating": True,
        "node": NodeRef(id=node_id, name=node.node.name, path=node.path),
        "property": name,
        "confidence": 0.8,
    }
    return Finding(**{**values, **more})


def _enriched(finding: Finding, snapshot: DomSnapshot) -> Finding:
    matches = match(PLACED, snapshot)
    report = compare_styles(PLACED, matches)
    (found,) = enrich([finding], report.differences, scene=Scene(PLACED, matches))
    return found


def test_a_generic_finding_becomes_a_property_edit_in_plain_words() -> None:
    """A region with a wrong background is told selector, source, both values and CIEDE2000."""
    found = _enriched(_finding("1:2", "region"), _snapshot())
    assert found.message == (
        '"Sign in" button: background #1d4ed8, expected #2563eb (CIEDE2000 7.1)'
    )
    assert (found.property, found.expected, found.actual, found.unit) == (
        "background-color",
        "#2563eb",
        "#1d4ed8",
        "CIEDE2000",
    )
    assert found.element is not None
    assert found.element.selector == "#sign-in"
    assert found.element.source == "src/Login.tsx:12"


def test_identity_and_weight_of_a_finding_stay() -> None:
    """The style check words a finding, it never changes what it is or what it counts."""
    before = _finding("1:2", None)
    after = _enriched(before, _snapshot())
    for name in ("delta_id", "kind", "channel", "severity", "gating", "node", "box", "share"):
        assert getattr(after, name) == getattr(before, name)


def test_a_named_property_gets_exact_values_of_the_same_property_only() -> None:
    """What the pixels name keeps its name; values come from the style where it says the same."""
    exact = _enriched(_finding("1:2", "background", expected="#2664eb"), _snapshot())
    assert exact.expected == "#2563eb"
    right = _snapshot(background="rgb(37, 99, 235)")
    untouched = _enriched(_finding("1:2", "border-radius", expected=8), right)
    assert (untouched.property, untouched.expected) == ("border-radius", 8)
    assert untouched.message == "Button differs"
    assert untouched.element is not None


def test_a_missing_node_is_not_renamed_by_style() -> None:
    """A style difference does not turn "missing" into something harmless."""
    found = _enriched(_finding("1:2", "missing"), _snapshot())
    assert found.property == "missing"


def test_a_text_property_is_corrected_by_what_is_written() -> None:
    """Pixels that call a text heavier are corrected when its size is what differs."""
    found = _enriched(_finding("1:3", "font-weight"), _snapshot(size="20px"))
    assert (found.property, found.expected, found.actual) == ("font-size", "16px", "20px")
    assert found.message == '"Sign in" text: font-size 20px, expected 16px'


def _difference(
    node_id: str, name: str, *, confidence: float = 0.9, **more: Any
) -> StyleDifference:
    values: dict[str, Any] = {
        "node_id": node_id,
        "element": 1,
        "property": name,
        "expected": "20px",
        "actual": "12px",
        "confidence": confidence,
    }
    return StyleDifference(**{**values, **more})


def test_a_moved_child_is_explained_by_the_padding_of_its_parent() -> None:
    """A node that only stands elsewhere gets the parent's padding as the thing to edit."""
    matches = match(PLACED, _snapshot())
    moved = _finding("1:3", "position", message='"Sign in" text: 8px too far left')
    (found,) = enrich([moved], [_difference("1:2", "padding-left")], scene=Scene(PLACED, matches))
    assert found.property == "padding-left"
    assert found.node is not None
    assert found.node.id == "1:3"
    assert found.message == (
        '"Sign in" text: 8px too far left; "Sign in" button: padding-left 12px, expected 20px'
    )


def test_a_padding_does_not_explain_a_move_across_it() -> None:
    """A node that stands too high is not explained by its parent's padding on the left."""
    matches = match(PLACED, _snapshot())
    moved = _finding("1:3", "position", message='"Sign in" text: 8px too far up')
    (found,) = enrich([moved], [_difference("1:2", "padding-left")], scene=Scene(PLACED, matches))
    assert found.property == "position"


def test_what_one_edit_repairs_is_one_finding_on_the_edited_node() -> None:
    """A moved child and its parent's padding are told once, with the severities of both."""
    matches = match(PLACED, _snapshot())
    both = [
        _finding("1:3", "position", message="text: 8px too far left"),
        _finding("1:2", "padding-left", message="button: padding-left 12px"),
    ]
    (found,) = enrich(both, [_difference("1:2", "padding-left")], scene=Scene(PLACED, matches))
    assert found.node is not None
    assert (found.node.id, found.property) == ("1:2", "padding-left")
    assert found.severity == sum(f.severity for f in both)


def test_unsure_differences_and_diagnoses_explain_nothing() -> None:
    """Only what is sure and can be edited is put into a finding."""
    matches = match(PLACED, _snapshot())
    unsure = _difference("1:2", "padding-left", confidence=0.5)
    diagnosis = _difference("1:2", "width", diagnosis=True)
    for difference in (unsure, diagnosis):
        (found,) = enrich([_finding("1:2", "region")], [difference], scene=Scene(PLACED, matches))
        assert found.property == "region"
        assert style_findings([difference], Scene(PLACED, matches), label="login") == ()


def test_several_differences_are_named_together() -> None:
    """A finding names the most visible difference first and the next two after it."""
    matches = match(PLACED, _snapshot())
    differences = [
        _difference("1:2", name)
        for name in ("border-radius", "font-size", "padding-left", "opacity")
    ]
    (found,) = enrich([_finding("1:2", "region")], differences, scene=Scene(PLACED, matches))
    assert found.message == (
        '"Sign in" button: font-size 12px, expected 20px; '
        "also opacity 12px, expected 20px, padding-left 12px, expected 20px"
    )


def test_style_differences_are_findings_that_never_gate() -> None:
    """Each sure style difference is listed once, in the style channel, adding nothing."""
    matches = match(PLACED, _snapshot())
    report = compare_styles(PLACED, matches)
    (found,) = style_findings(report.differences, Scene(PLACED, matches), label="login")
    assert found.channel is Channel.STYLE
    assert not found.gating
    assert found.severity == 0
    assert found.delta_id == "login/node:1:2"
    assert found.property == "background-color"


def test_names_from_page_and_design_cannot_write_to_a_terminal() -> None:
    """Escape sequences in texts, selectors and values do not reach a message."""
    evil = "\x1b[31mSign in\u202e"
    snapshot = DomSnapshot(
        elements=(
            Element(
                index=0,
                parent=None,
                selector="#\x1b[2J",
                tag="button",
                role="button",
                box=BUTTON,
                text=evil,
                label=evil,
                anchors={"data-figma-id": "1:2"},
                source="\x07x",
            ),
        )
    )
    matches = match(PLACED, snapshot)
    difference = _difference("1:2", "font-size", element=0, actual="\x1b]0;x\x07")
    (found,) = enrich([_finding("1:2", None)], [difference], scene=Scene(PLACED, matches))
    listed = style_findings([difference], Scene(PLACED, matches), label="login")
    for finding in (found, *listed):
        assert finding.element is not None
        shown = (finding.message, finding.element.selector, finding.element.text)
        assert not any(c in s for s in shown for c in "\x1b\x07\u202e")


def test_findings_without_node_or_match_pass_through() -> None:
    """What lies outside every node, or has no element, comes back as it was."""
    matches = match(PLACED, DomSnapshot(meaningful=False))
    lone = _finding("1:2", "region", node=None)
    matched = _finding("1:2", "region")
    assert enrich([lone, matched], [], scene=Scene(PLACED, matches)) == (lone, matched)


def test_property_families() -> None:
    """Sides and axes belong to one family, so that two checks can agree."""
    assert property_family("padding-left") == "padding"
    assert property_family("row-gap") == "gap"
    assert property_family("background-color") == "background"
    assert property_family("border-left-width") == "border-width"
    assert property_family("border-top-left-radius") == "border-radius"
    assert property_family("text-align") == "text-align"
    assert property_family(None) == ""
