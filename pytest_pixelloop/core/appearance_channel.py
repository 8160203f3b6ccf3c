"""The appearance channel of one comparison: what a screenshot alone hides, as findings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.appearance import (
    CHECKS,
    DEFAULT_APPEARANCE,
    SEVERITY,
    VISION,
    Issue,
    Priority,
    is_allowed,
)
from pytest_pixelloop.core.appearance_contrast import check_contrast
from pytest_pixelloop.core.appearance_overlay import check_overlay
from pytest_pixelloop.core.appearance_page import (
    check_events,
    check_fonts,
    check_pictures,
    check_width,
)
from pytest_pixelloop.core.appearance_scene import View
from pytest_pixelloop.core.appearance_targets import check_targets
from pytest_pixelloop.core.appearance_text import check_clipped, check_off_screen, check_overlap
from pytest_pixelloop.core.blank import is_one_colour
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.finding import Channel, ElementRef, Finding, delta_id
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.page_events import PageEvents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_pixelloop.core.appearance import AppearanceSettings
    from pytest_pixelloop.core.axe import AxeReport
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.finding import NodeRef

#: Findings of one check that a report names; the rest is counted.
KEPT = 20
NO_PAGE = "skipped: a picture has no page"
OFF = "off"
_OF_ELEMENTS = [
    "broken-image",
    "broken-background",
    "font-failed",
    "font-fallback",
    "text-clipped",
    "text-overlap",
    "horizontal-overflow",
    "off-screen",
    "contrast",
    "touch-target",
    "touch-target-44",
]
_OF_EVENTS = ("page-error", "console-error", "failed-request")


@dataclass(frozen=True, slots=True, kw_only=True)
class Appearance:
    """What the checks found before priorities: issues, which checks ran, what stays open."""

    issues: tuple[Issue, ...] = ()
    ran: tuple[str, ...] = ()
    undecided: tuple[Mapping[str, Any], ...] = ()
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What others say of the same picture: axe, a vision command, a hook.

    ``axe`` and ``vision`` are their records for the report; None when nobody asked.
    """

    issues: tuple[Issue, ...] = ()
    axe: Mapping[str, Any] | None = None
    vision: Mapping[str, Any] | None = None


NOBODY = Outside()


@dataclass(frozen=True, slots=True, kw_only=True)
class AppearanceResult:
    """The channel's findings and its record for the report."""

    findings: tuple[Finding, ...] = ()
    record: Mapping[str, Any] | str = field(default_factory=dict)


def look(capture: Capture, *, off: frozenset[str] = frozenset()) -> Appearance:
    """Return everything that the deterministic checks find, without those that are *off*."""
    dom, events = capture.dom, capture.events or PageEvents()
    issues: list[Issue] = []
    ran: list[str] = []
    gaps = list(events.gaps)
    undecided: list[Mapping[str, Any]] = []
    known: set[str] = set()
    if dom is not None and dom.meaningful:
        view = View(capture, dom)
        issues += _element_issues(view, events, off)
        ran += _OF_ELEMENTS
        if "contrast" not in off:
            found, doubts = check_contrast(view)
            issues += found
            undecided += [
                {"check": "contrast", "selector": d.selector, "text": d.text, "why": d.why}
                for d in doubts
            ]
        known = {i.at for i in issues if i.check.startswith("broken-")}
    elif dom is not None:
        gaps.append(f"elements are not looked at: {dom.reason}")
    if capture.events is not None:
        ran += _OF_EVENTS
        fonts = any(i.check == "font-failed" for i in issues)
        issues += check_events(events, known=frozenset(known), fonts=fonts)
    return Appearance(
        issues=tuple(i for i in issues if i.check not in off),
        ran=tuple(name for name in CHECKS if name in ran and name not in off),
        undecided=tuple(undecided),
        gaps=tuple(dict.fromkeys(gaps)),
    )


def judge_appearance(
    capture: Capture,
    *,
    label: str,
    settings: AppearanceSettings = DEFAULT_APPEARANCE,
    design_is_blank: bool = False,
    outside: Outside = NOBODY,
    nodes: Mapping[int, NodeRef] | None = None,
) -> AppearanceResult:
    """Return findings and record of the channel. *nodes* are design nodes by element index.

    A pure function of its arguments. A picture without a page has nothing to look at, unless
    somebody outside looked at it.
    """
    settings = settings.for_gate("design")
    if settings.mode == OFF:
        return AppearanceResult(record="off")
    if capture.dom is None and capture.events is None and not _somebody_looked(outside):
        if not (outside.vision or {}).get("asked"):
            return AppearanceResult(record=NO_PAGE)
        record = {"status": "skipped", "reason": NO_PAGE, "vision": dict(outside.vision or {})}
        return AppearanceResult(record=record)
    off = frozenset(name for name in CHECKS if settings.priority(name) is Priority.OFF)
    seen = look(capture, off=off)
    ran = list(seen.ran)
    issues = [*_blank(capture, design_is_blank), *seen.issues]
    ran.insert(0, "blank")
    outside = _with_axe(capture.axe, outside)
    issues += outside.issues
    if outside.axe is not None and outside.axe.get("status") == "compared":
        ran.append("axe")
    allowed = [i for i in issues if is_allowed(i, settings.allow)]
    ranked = [
        (i, p)
        for i in issues
        if i not in allowed and (p := _priority(i, settings)) is not Priority.OFF
    ]
    findings = _findings(ranked, capture, label=label, settings=settings, nodes=nodes or {})
    record = _record(ranked, seen, settings, ran=ran, allowed=len(allowed), outside=outside)
    return AppearanceResult(findings=findings, record=record)


def _somebody_looked(outside: Outside) -> bool:
    return outside.vision is not None and outside.vision.get("status") == "compared"


def _with_axe(axe: AxeReport | None, outside: Outside) -> Outside:
    """Return what others say, axe among them where it was run on the page."""
    if axe is None:
        return outside
    return replace(outside, issues=outside.issues + axe.issues(), axe=axe.as_record())


def _element_issues(view: View, events: PageEvents, off: frozenset[str]) -> Iterator[Issue]:
    yield from check_overlay(view)
    yield from check_pictures(view, events)
    yield from check_fonts(view)
    yield from check_clipped(view)
    if "text-overlap" not in off:
        yield from check_overlap(view)
    yield from check_width(view)
    yield from check_off_screen(view)
    yield from check_targets(view)


def _blank(capture: Capture, design_is_blank: bool) -> list[Issue]:  # noqa: FBT001 - private
    if design_is_blank or not is_one_colour(capture.image):
        return []
    wide, high = capture.pixel_size
    box = Box(0.0, 0.0, wide / capture.scale, high / capture.scale)
    what = f"all {wide}x{high} px have one colour"
    return [Issue(check="blank", message=f"the page is blank: {what}", box=box, actual=what)]


def _priority(issue: Issue, settings: AppearanceSettings) -> Priority:
    told = settings.priorities.get(issue.check)
    if told is not None:
        return told
    return issue.priority or settings.priority(issue.check)


def _findings(
    ranked: Sequence[tuple[Issue, Priority]],
    capture: Capture,
    *,
    label: str,
    settings: AppearanceSettings,
    nodes: Mapping[int, NodeRef],
) -> tuple[Finding, ...]:
    kept: dict[str, int] = {}
    findings: list[Finding] = []
    for issue, priority in sorted(ranked, key=lambda r: (r[1], _order(r[0]))):
        kept[issue.check] = kept.get(issue.check, 0) + 1
        gating = priority is Priority.P0 and settings.mode == "gate"
        # What fails a test is always named, however much of it there is.
        if kept[issue.check] > KEPT and not gating:
            continue
        findings.append(_finding(issue, priority, capture, label, gating=gating, nodes=nodes))
    return tuple(findings)


def _order(issue: Issue) -> tuple[str, float, float, str]:
    box = issue.box or Box(-1.0, -1.0, 0.0, 0.0)
    return issue.check, box.y, box.x, issue.message


def _finding(
    issue: Issue,
    priority: Priority,
    capture: Capture,
    label: str,
    *,
    gating: bool,
    nodes: Mapping[int, NodeRef],
) -> Finding:
    element = issue.element
    node = nodes.get(element.index) if element is not None else None
    whole = Box(0.0, 0.0, *(n / capture.scale for n in capture.pixel_size))
    return Finding(
        delta_id=delta_id(label, box=issue.box, node=node),
        kind=issue.check,
        channel=Channel.APPEARANCE,
        message=printable(issue.message),
        box=issue.box or whole,
        severity=SEVERITY[priority],
        gating=gating,
        node=node,
        element=None
        if element is None
        else ElementRef(
            selector=element.selector, text=printable(element.text), source=element.source
        ),
        expected=issue.expected,
        actual=issue.actual,
        delta=issue.delta,
        unit=issue.unit,
        confidence=issue.confidence,
        priority=str(priority),
        source=issue.source,
        evidence=dict(issue.evidence),
    )


def _record(
    ranked: Sequence[tuple[Issue, Priority]],
    seen: Appearance,
    settings: AppearanceSettings,
    *,
    ran: Iterable[str],
    allowed: int,
    outside: Outside,
) -> dict[str, Any]:
    counts = {
        str(p): sum(q is p for _, q in ranked) for p in (Priority.P0, Priority.P1, Priority.P2)
    }
    failing = counts["P0"] > 0 and settings.mode == "gate"
    found: dict[str, list[Priority]] = {}
    for issue, priority in ranked:
        found.setdefault(issue.check, []).append(priority)
    checks = {
        name: {"found": len(ps), "priority": str(min(ps))}
        for name, ps in sorted(found.items())
        if name != VISION
    }
    return {
        "status": "compared",
        "result": "fail" if failing else "warn" if ranked else "pass",
        "mode": settings.mode,
        "counts": counts,
        "looked_at": list(ran),
        "checks": checks,
        "allowed": allowed,
        "undecided": [dict(doubt) for doubt in seen.undecided[:KEPT]],
        "gaps": list(seen.gaps),
        "axe": dict(outside.axe) if outside.axe is not None else {"status": "not run"},
        "vision": dict(outside.vision) if outside.vision is not None else {"status": "not run"},
    }
