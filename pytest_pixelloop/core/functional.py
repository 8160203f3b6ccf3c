"""The functional channel: whether assistive technology finds what is expected, ready for use.

A wrong role, a wrong name, or disabled where enabled is expected fails. An element that is not in
the tree warns and never fails by itself: it may have been pruned.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.accessibility import FRAGMENT, TEXT
from pytest_pixelloop.core.aria_match import find_match, has_states
from pytest_pixelloop.core.aria_text import collapse
from pytest_pixelloop.core.dom import normalise_text
from pytest_pixelloop.core.expectations import Expectation
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.finding import Channel, ElementRef, Finding, delta_id
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_pixelloop.core.accessibility import AccessibleNode
    from pytest_pixelloop.core.aria_match import AriaTemplate
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.finding import NodeRef

FUNCTIONAL_SCHEMA_VERSION = 1
NO_EXPECTATIONS = "skipped: no expectations given"
NO_PAGE = "skipped: a picture has no accessibility tree"
FAIL, WARN = "fail", "warn"
SEVERITY: Mapping[str, float] = {"role": 8.0, "name": 6.0, "enabled": 8.0, "snapshot": 6.0}
_ALIKE = 0.6
#: Roles that a text has when nobody gave it one: what looks like a button and is none.
_PLAIN = frozenset((TEXT, "generic", "paragraph", "listitem", "img", "strong", "emphasis", "cell"))
_USED = frozenset(
    (
        *("button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "option", "textbox"),
        *("searchbox", "combobox", "slider", "spinbutton", "menuitemcheckbox", "menuitemradio"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One expectation's outcome. ``severity`` is ``fail`` or ``warn``, None when it passed."""

    target: str
    expected: Mapping[str, Any]
    found: Mapping[str, Any] | None
    passed: bool
    severity: str | None = None
    property: str | None = None
    message: str = ""
    box: Box | None = None
    element: Element | None = None

    def as_record(self) -> dict[str, Any]:
        """Return the check as ``<label>.functional.json`` holds it."""
        return {
            "target": self.target,
            "expected": dict(self.expected),
            "found": None if self.found is None else dict(self.found),
            "pass": self.passed,
            "severity": self.severity,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionalResult:
    """The channel's findings, its checks, and its record for the report."""

    findings: tuple[Finding, ...] = ()
    checks: tuple[Check, ...] = ()
    record: Mapping[str, Any] | str = NO_EXPECTATIONS
    viewport: str | None = None

    def as_record(self) -> dict[str, Any]:
        """Return what ``<label>.functional.json`` holds."""
        return {
            "schema_version": FUNCTIONAL_SCHEMA_VERSION,
            "viewport": self.viewport,
            "checks": [check.as_record() for check in self.checks],
            "fail_count": _count(self.checks, FAIL),
            "warn_count": _count(self.checks, WARN),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tree:
    """The tree flattened, and where its elements are in the document."""

    nodes: tuple[AccessibleNode, ...]
    elements: tuple[Element, ...] = ()
    by_node: Mapping[str, Element] = field(default_factory=dict)


def judge_functional(
    capture: Capture,
    expectations: Sequence[Expectation],
    *,
    label: str,
    nodes: Mapping[int, NodeRef] | None = None,
) -> FunctionalResult:
    """Return whether what is expected is there. A pure function of its arguments.

    *nodes* are design nodes by element index: they tie targets to elements and name findings.
    """
    viewport = capture.viewport
    if not expectations:
        return FunctionalResult(viewport=viewport)
    tree = capture.accessibility
    if tree is None:
        return FunctionalResult(record=NO_PAGE, viewport=viewport)
    if not tree.available:
        return FunctionalResult(record=f"skipped: {tree.reason}", viewport=viewport)
    elements = capture.dom.elements if capture.dom is not None else ()
    known = nodes or {}
    flat = _Tree(
        nodes=tuple(n for n in tree.root.walk() if n.role != FRAGMENT),
        elements=elements,
        by_node={ref.id: elements[index] for index, ref in known.items()},
    )
    singles = [e for e in expectations if e.template is None]
    claimed = _claimed(flat, singles)
    checks = tuple(
        _judge_snapshot(flat, tree.root, e)
        if e.template is not None
        else _judge_one(flat, e, claimed)
        for e in expectations
    )
    fails, warns = _count(checks, FAIL), _count(checks, WARN)
    record = {
        "status": "compared",
        "result": "fail" if fails else "warn" if warns else "pass",
        "checks": len(checks),
        "fail_count": fails,
        "warn_count": warns,
        "gaps": list(tree.gaps),
    }
    findings = tuple(_finding(c, label, capture, known) for c in checks if not c.passed)
    return FunctionalResult(findings=findings, checks=checks, record=record, viewport=viewport)


def _count(checks: Iterable[Check], severity: str) -> int:
    return sum(check.severity == severity for check in checks)


def _claimed(tree: _Tree, expectations: Iterable[Expectation]) -> frozenset[int]:
    """Return which elements some expectation names exactly: no other may take them for its own."""
    return frozenset(
        at
        for at, node in enumerate(tree.nodes)
        for e in expectations
        if node.role == e.role and e.name is not None and e.name.fits(node.name)
    )


def _judge_one(tree: _Tree, e: Expectation, claimed: frozenset[int]) -> Check:
    if e.target is not None:
        return _judge_target(tree, e)
    same = [n for n in tree.nodes if n.role == e.role and (e.name is None or e.name.fits(n.name))]
    if same:
        able = [n for n in same if e.enabled is None or n.disabled is not e.enabled]
        return _passed(tree, e, able[0]) if able else _wrong(tree, e, same[0], "enabled")
    if e.name is None:
        return _absent(tree, e)
    named = [n for n in tree.nodes if e.name.fits(n.name) and _is_taken_for(e.role, n.role)]
    if named:
        return _wrong(tree, e, named[0], "role")
    close = _closest(tree, e, claimed)
    return _absent(tree, e) if close is None else _wrong(tree, e, close, "name")


def _judge_target(tree: _Tree, e: Expectation) -> Check:
    """Judge the very element that a target names."""
    assert e.target is not None
    element = tree.by_node.get(e.target) or next(
        (x for x in tree.elements if e.target in (x.selector, *x.anchors.values())), None
    )
    node = None if element is None else _node_of(tree, element)
    if node is None:
        return _absent(tree, e)
    if node.role != e.role:
        return _wrong(tree, e, node, "role")
    if e.name is not None and not e.name.fits(node.name):
        return _wrong(tree, e, node, "name")
    if e.enabled is not None and node.disabled is e.enabled:
        return _wrong(tree, e, node, "enabled")
    return _passed(tree, e, node)


def _judge_snapshot(tree: _Tree, root: AccessibleNode, e: Expectation) -> Check:
    """Judge an aria snapshot: matched whole, or the part that is wrong, or only parts absent."""
    template = e.template
    assert template is not None
    found = find_match(root, template)
    if found is not None:
        return _check(tree, e, found, passed=True)
    parts = [_part(t) for t in template.walk() if t.role not in (FRAGMENT, TEXT)]
    claimed = _claimed(tree, parts)
    judged = [_judge_one(tree, part, claimed) for part in parts]
    wrong = [c for c in judged if c.severity == FAIL] or _wrong_states(tree, template)
    absent = [c for c in judged if c.severity == WARN]
    if wrong:
        return _check(tree, e, None, severity=FAIL, like=wrong[0], prop=wrong[0].property)
    if absent:
        return _check(tree, e, None, severity=WARN, like=absent[0])
    message = "the aria snapshot does not match: its elements are nested or ordered otherwise"
    return _check(tree, e, None, severity=FAIL, message=message, prop="snapshot")


def _part(template: AriaTemplate) -> Expectation:
    disabled = template.states.get("disabled")
    return Expectation(
        role=template.role,
        name=template.name,
        enabled=None if disabled is None else disabled == "false",
    )


def _wrong_states(tree: _Tree, template: AriaTemplate) -> list[Check]:
    for t in template.walk():
        same = [
            n
            for n in tree.nodes
            if t.states and n.role == t.role and (t.name is None or t.name.fits(n.name))
        ]
        if same and not any(has_states(n, t.states) for n in same):
            part = Expectation(role=t.role, name=t.name)
            states = " ".join(f"[{k}={v}]" for k, v in t.states.items())
            message = f"{_words(part)} is there, but not {states}"
            return [_check(tree, part, same[0], severity=FAIL, message=message, prop="snapshot")]
    return []


def _is_taken_for(expected: str, actual: str) -> bool:
    """Tell whether an element of the *actual* role stands where one of *expected* should.

    A heading or a region of the same name is its title more likely than a failed button.
    """
    if actual in _PLAIN:
        return True
    return expected in _USED and actual in _USED


def _closest(tree: _Tree, e: Expectation, claimed: frozenset[int]) -> AccessibleNode | None:
    """Return the element of the role whose name is nearly right, or the only one without any."""
    free = [n for at, n in enumerate(tree.nodes) if n.role == e.role and at not in claimed]
    wish = str(e.name).casefold()
    scored = [(difflib.SequenceMatcher(None, wish, n.name.casefold()).ratio(), n) for n in free]
    inside = [
        n for n in free if n.name and (wish in n.name.casefold() or n.name.casefold() in wish)
    ]
    if inside and len(free) == 1:
        return inside[0]
    best = max(scored, key=lambda s: s[0], default=None)
    if best is not None and best[0] >= _ALIKE:
        return best[1]
    nameless = [n for n in free if not n.name]
    return nameless[0] if len(nameless) == 1 else None


def _passed(tree: _Tree, e: Expectation, node: AccessibleNode) -> Check:
    return _check(tree, e, node, passed=True)


def _absent(tree: _Tree, e: Expectation) -> Check:
    return _check(
        tree, e, None, severity=WARN, message=f"{_words(e)} is not in the accessibility tree"
    )


def _wrong(tree: _Tree, e: Expectation, node: AccessibleNode, prop: str) -> Check:
    what = {
        "role": f"is a {node.role}, no {e.role}",
        "name": f"is called {node.name!r}" if node.name else "has no name",
        "enabled": "is disabled" if node.disabled else "is enabled",
    }[prop]
    return _check(tree, e, node, severity=FAIL, message=f"{_words(e)} {what}", prop=prop)


def _words(e: Expectation) -> str:
    name = "" if e.name is None else f" {str(e.name)!r}"
    return f"{e.role}{name}" + (f" ({e.target})" if e.target else "")


def _check(
    tree: _Tree,
    e: Expectation,
    node: AccessibleNode | None,
    *,
    passed: bool = False,
    severity: str | None = None,
    message: str = "",
    prop: str | None = None,
    like: Check | None = None,
) -> Check:
    element = None if node is None else _element_of(tree, node)
    target = e.target or ("aria snapshot" if e.template is not None else _words(e))
    found: Mapping[str, Any] | None = None
    if node is not None:
        found = {"role": node.role, "name": node.name, "enabled": not node.disabled}
    if like is not None:
        found, element, message = like.found, like.element, f"aria snapshot: {like.message}"
    box = node.box if node is not None else like.box if like is not None else None
    return Check(
        target=target,
        expected=e.as_record(),
        found=found,
        passed=passed,
        severity=severity,
        property=prop,
        message=printable(message),
        box=box or (element.box if element is not None else None),
        element=element,
    )


def _element_of(tree: _Tree, node: AccessibleNode) -> Element | None:
    """Return the element of the document that an element of the tree is, by place and by text."""
    name = normalise_text(node.name)
    if node.box is not None:
        near = [x for x in tree.elements if _is_at(x, node.box)]
        near.sort(key=lambda x: (x.role != node.role, name not in {x.label, x.name}, -x.index))
        return near[0] if near else None
    return next((x for x in tree.elements if name and collapse(x.text) == name), None)


def _node_of(tree: _Tree, element: Element) -> AccessibleNode | None:
    """Return the element of the tree that an element of the document is, or its text."""
    at = [n for n in tree.nodes if n.box is not None and _is_at(element, n.box)]
    if at:
        return at[0]
    texts = [n for n in tree.nodes if n.name and n.name == collapse(element.label)]
    return texts[0] if texts else None


def _is_at(element: Element, box: Box) -> bool:
    """Tell whether an element has the box that the browser told in whole px."""
    b = element.box
    return max(abs(b.x - box.x), abs(b.y - box.y), abs(b.w - box.w), abs(b.h - box.h)) <= 1.0


def _finding(check: Check, label: str, capture: Capture, nodes: Mapping[int, NodeRef]) -> Finding:
    gating = check.severity == FAIL
    element = check.element
    node = None if element is None else nodes.get(element.index)
    whole = Box(0.0, 0.0, *(n / capture.scale for n in capture.pixel_size))
    return Finding(
        delta_id=delta_id(label, box=check.box, node=node),
        kind=check.property or "absent",
        channel=Channel.FUNCTIONAL,
        message=check.message,
        box=check.box or whole,
        severity=SEVERITY.get(check.property or "", 1.0),
        gating=gating,
        node=node,
        element=None
        if element is None
        else ElementRef(
            selector=element.selector, text=printable(element.text), source=element.source
        ),
        property=check.property,
        expected=_value(check.expected, check.property),
        actual=_value(check.found, check.property),
        evidence={"expected": dict(check.expected), "found": dict(check.found or {})},
    )


def _value(record: Mapping[str, Any] | None, name: str | None) -> Any:
    """Return what an edit would set: the one property that is wrong, else everything."""
    if record is None:
        return None
    return record[name] if name is not None and name in record else dict(record)
