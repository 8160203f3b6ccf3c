"""Findings with the element they are about, and with the property that the style check names."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from pytest_pixelloop.core.edit_ask import Ask
from pytest_pixelloop.core.edits import edit_for
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.finding import Channel, ElementRef, Finding, NodeRef
from pytest_pixelloop.core.matches import CONFIDENT
from pytest_pixelloop.core.pairing import is_text_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.style_difference import StyleDifference
    from pytest_pixelloop.core.style_scene import Scene

#: From this confidence on a match names the element of a finding.
NAMED = 0.5
_QUOTED = 40
#: Between what the pixels showed of a node and what is wrong with the one around it.
_ELSEWHERE = "; "
_ALSO = 2
#: CSS px by which a style difference may be off from what the pixels show and still explain it.
_PX = 1.5

#: Properties by how much they are seen; what a finding is called when several differ.
_RANK = (
    "text",
    "background",
    "background-image",
    "color",
    "fill",
    "stroke",
    "font-size",
    "font-weight",
    "font-family",
    "font-style",
    "opacity",
    "border-width",
    "border-color",
    "line-height",
    "padding",
    "gap",
    "width",
    "height",
    "border-radius",
    "box-shadow",
    "text-transform",
    "text-align",
    "letter-spacing",
)
_GENERIC = frozenset(("", "region", "appearance", "pixels", "image"))
_TEXT = frozenset(
    (
        "text",
        "text-transform",
        "font-family",
        "font-size",
        "font-weight",
        "font-style",
        "font-variant-caps",
        "line-height",
        "letter-spacing",
        "text-align",
        "text-decoration-line",
        "text-overflow",
        "color",
    )
)
_BOX = frozenset(
    (
        "background",
        "background-image",
        "border-width",
        "border-color",
        "border-radius",
        "box-shadow",
        "opacity",
        "filter",
        "backdrop-filter",
    )
)
_PAINTED = frozenset(("background", "color", "border-color", "background-image"))
_LAYOUT = frozenset(("position", "padding", "gap", "width", "height", "left", "top"))
_MOVING = frozenset(("padding", "gap"))
_SIZING = frozenset(("font-size", "line-height", "letter-spacing", "text-align", "font-family"))
_DRAWING = frozenset(("icon", "fill", "stroke", "color"))
_WAY = re.compile(r"px too far (left|right|up|down)")
_ALONG = re.compile(r"left|right|top|bottom|column|row")
_SIDE = re.compile(r"-(top-left|top-right|bottom-right|bottom-left|top|right|bottom|left)(?=-|$)")


def property_family(name: str | None) -> str:
    """Return what properties of one kind share: ``padding-left`` is padding, ``row-gap`` gap."""
    plain = _SIDE.sub("", name or "")
    return {"row-gap": "gap", "column-gap": "gap", "background-color": "background"}.get(
        plain, plain
    )


def enrich(
    findings: Sequence[Finding], differences: Iterable[StyleDifference], *, scene: Scene
) -> tuple[Finding, ...]:
    """Return the findings, in their order, with elements and with what the style check knows.

    A finding keeps its identity, its node, severity and gating. Where a sure style difference of
    the same node (or of its parent, where that moves its children) explains it, property, values
    and message become those of the difference.
    """
    by_node: dict[str, list[StyleDifference]] = {}
    for difference in differences:
        if difference.confidence >= CONFIDENT and not difference.diagnosis:
            by_node.setdefault(difference.node_id, []).append(difference)
    for found in by_node.values():
        found.sort(key=_rank)
    return _joined([_enriched(f, scene, by_node) for f in findings])


def _joined(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings, those that one edit repairs as one.

    It is told of the node whose element is edited, where there is a finding on that.
    """
    found: dict[object, Finding] = {}
    for k, f in enumerate(findings):
        said = f.element is not None and f.property is not None and f.expected is not None
        same = (f.element, f.property, str(f.expected), f.gating)
        key: object = same if said and f.channel is Channel.VISUAL else k
        known = found.get(key)
        if known is None:
            found[key] = f
        elif _ELSEWHERE in known.message and _ELSEWHERE not in f.message:
            found[key] = _together(f, known)
        else:
            found[key] = _together(known, f)
    return tuple(found.values())


def _together(first: Finding, second: Finding) -> Finding:
    return dataclasses.replace(
        first,
        severity=round(first.severity + second.severity, 6),
        share=first.share + second.share,
        confidence=max(first.confidence, second.confidence),
    )


def _rank(difference: StyleDifference) -> tuple[int, str]:
    family = property_family(difference.property)
    return _RANK.index(family) if family in _RANK else len(_RANK), difference.property


def _enriched(finding: Finding, scene: Scene, by_node: dict[str, list[StyleDifference]]) -> Finding:
    item = scene.nodes.get(finding.node.id) if finding.node is not None else None
    if item is None or finding.channel is not Channel.VISUAL:
        return finding
    element = _element_of(item, scene)
    if element is not None and finding.element is None:
        finding = dataclasses.replace(finding, element=element_ref(element))
    causes = _causes(finding, item, scene, by_node)
    if not causes:
        sure = _element_of(item, scene, confidence=CONFIDENT)
        return finding if sure is None else _with_edit(finding, scene, item, sure)
    cause = causes[0]
    owner = scene.nodes[cause.node_id]
    says = title(owner, scene.elements[cause.element]) + ": " + words(cause)
    if cause.node_id != item.node.id and not is_text_node(owner):
        says = finding.message + _ELSEWHERE + says
    elif len(causes) > 1:
        says += "; also " + ", ".join(words(c) for c in causes[1 : 1 + _ALSO])
    named = dataclasses.replace(
        finding,
        element=element_ref(scene.elements[cause.element]),
        property=cause.property,
        expected=cause.expected,
        actual=cause.actual,
        delta=cause.delta,
        unit=cause.unit or None,
        confidence=max(finding.confidence, cause.confidence),
        message=printable(says, limit=400),
    )
    return _with_edit(named, scene, owner, scene.elements[cause.element])


def _with_edit(finding: Finding, scene: Scene, item: PlacedNode, element: Element) -> Finding:
    ask = Ask(
        scene=scene,
        item=item,
        element=element,
        name=finding.property or "",
        expected=finding.expected,
        message=finding.message,
    )
    return dataclasses.replace(finding, edit=edit_for(ask))


def _causes(
    finding: Finding,
    item: PlacedNode,
    scene: Scene,
    by_node: dict[str, list[StyleDifference]],
) -> list[StyleDifference]:
    """Return the differences that explain what the pixels showed, the likeliest first."""
    own = by_node.get(item.node.id, [])
    family = property_family(finding.property)
    sized = family in {"width", "height"}
    same = [d for d in own if property_family(d.property) == family]
    same.sort(key=lambda d: d.property != finding.property)
    if family in _PAINTED and same:
        same = [d for d in own if d.property == "opacity"] + same
    if sized:  # as large as its only text: the text is what to change
        same = _of_only_text(item, scene, by_node, _SIZING) or same
    if same:
        return same
    text = is_text_node(item)
    if family in _GENERIC:
        return own or _of_only_text(item, scene, by_node, _TEXT) or _of_parent(item, by_node)
    for kind, fits in ((_DRAWING, not text), (_TEXT, True), (_BOX, not text)):
        if family in kind and fits:
            return _among(own, kind)
    if family not in _LAYOUT:
        return []
    above = [] if sized else [d for d in _of_parent(item, by_node) if _same_way(finding, d)]
    if text:
        return _among(own, _SIZING) or above
    return [d for d in _among(own, _LAYOUT) if _as_much(finding, d)] or above


def _same_way(finding: Finding, difference: StyleDifference) -> bool:
    """Tell whether a padding or gap lies along the way that a node has gone, where one is told."""
    way = _WAY.search(finding.message)
    side = _ALONG.search(difference.property)
    if way is None or side is None:
        return True
    return (way[1] in {"left", "right"}) is (side[0] in {"left", "right", "column"})


def _as_much(finding: Finding, difference: StyleDifference) -> bool:
    """Tell whether a difference of size or place is as large as what the pixels showed."""
    if finding.delta is None or difference.delta is None or finding.unit != "px":
        return True
    return abs(finding.delta - difference.delta) <= max(_PX, 0.25 * abs(finding.delta))


def _among(found: list[StyleDifference], families: frozenset[str]) -> list[StyleDifference]:
    return [d for d in found if property_family(d.property) in families]


def _of_parent(
    item: PlacedNode, by_node: dict[str, list[StyleDifference]]
) -> list[StyleDifference]:
    """Return the padding and gap of the parent: they move a node that is right itself."""
    return _among(by_node.get(item.parent_id or "", []), _MOVING)


def _of_only_text(
    item: PlacedNode,
    scene: Scene,
    by_node: dict[str, list[StyleDifference]],
    families: frozenset[str],
) -> list[StyleDifference]:
    texts = [c for c in scene.children(item.node.id) if is_text_node(c)]
    return _among(by_node.get(texts[0].node.id, []), families) if len(texts) == 1 else []


def _element_of(item: PlacedNode, scene: Scene, *, confidence: float = NAMED) -> Element | None:
    """Return the element of a node, else that of a node with the same box."""
    for twin in scene.node_twins(item):
        element = scene.matches.element(twin.node.id, confidence=confidence)
        if element is not None:
            return element
    return None


def element_ref(element: Element) -> ElementRef:
    """Return an element as findings hold it: selector, text, source; safe to print."""
    text = element.text or element.label or element.name or ""
    return ElementRef(
        selector=printable(element.selector, limit=1000),
        text=printable(" ".join(text.split()), limit=80),
        source=printable(element.source, limit=300) if element.source else None,
    )


def title(item: PlacedNode, element: Element | None) -> str:
    """Return what a person calls a node: ``"Sign in" button``, ``"Total" text``, ``Header``."""
    if is_text_node(item):
        return f"{_quoted(item.node.characters or item.node.name)} text"
    if element is None:
        return printable(item.node.name, limit=60)
    label = " ".join((element.text or element.label or element.name or "").split())
    noun = element.role or printable(item.node.name, limit=60)
    if label and len(label) <= _QUOTED:
        return f"{_quoted(label)} {printable(noun, limit=60)}"
    return printable(item.node.name, limit=60)


def _quoted(text: str) -> str:
    return '"' + printable(" ".join(text.split()), limit=_QUOTED) + '"'


def words(difference: StyleDifference) -> str:
    """Return a difference as half a sentence: ``background #1d4ed8, expected #2563eb (...)``."""
    name, expected, actual = difference.property, difference.expected, difference.actual
    if name == "text":
        return f"text {_quoted(actual)}, expected {_quoted(expected)}"
    shown = "background" if name == "background-color" else name
    says = f"{shown} {printable(actual, limit=120)}, expected {printable(expected, limit=120)}"
    if difference.unit == "CIEDE2000" and difference.delta is not None:
        says += f" (CIEDE2000 {difference.delta:.1f})"
    return says


def style_findings(
    differences: Iterable[StyleDifference],
    scene: Scene,
    *,
    label: str,
    diagnoses: bool = False,
) -> tuple[Finding, ...]:
    """Return the sure style differences as findings of their own that never gate.

    Sorted by node and property. *diagnoses* lists, too, what follows from something else.
    """
    found: list[Finding] = []
    for d in differences:
        item = scene.nodes.get(d.node_id)
        if item is None or d.confidence < CONFIDENT or (d.diagnosis and not diagnoses):
            continue
        element = scene.elements[d.element]
        says = f"{title(item, element)}: {words(d)}"
        if d.diagnosis:
            says += "; it follows from what is inside, there is nothing to set"
        found.append(
            Finding(
                delta_id=f"{label}/node:{d.node_id}",
                kind="diagnosis" if d.diagnosis else "style",
                channel=Channel.STYLE,
                message=printable(says, limit=400),
                box=item.box,
                severity=0.0,
                gating=False,
                node=NodeRef(id=d.node_id, name=item.node.name, path=item.path),
                element=element_ref(element),
                property=d.property,
                expected=d.expected,
                actual=d.actual,
                delta=d.delta,
                unit=d.unit or None,
                confidence=d.confidence,
            )
        )
    return tuple(sorted(found, key=lambda f: (f.delta_id, f.property or "", str(f.expected))))
