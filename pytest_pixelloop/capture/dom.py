"""The DOM of a page as a snapshot: one evaluation, visible elements only, bounded in size."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.facts import read_element_facts, read_page_facts
from pytest_pixelloop.core.dom import (
    ANCHOR_ATTRIBUTES,
    BOX_DEFAULTS,
    GUARDS,
    LABEL_LIMIT,
    SVG_DEFAULTS,
    TEXT_DEFAULTS,
    DomSnapshot,
    Element,
)
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ELEMENT_LIMIT = 5_000
NODE_LIMIT = 60_000
TEXT_LIMIT = 4_000
TOTAL_TEXT = 1_000_000
VALUE_LIMIT = 1_000
LINE_LIMIT = 200
SHAPE_LIMIT = 40
POINT_LIMIT = 6_000

_SOURCES = (
    "data-source",
    "data-inspector-relative-path",
    "data-inspector-path",
    "data-inspector-file",
    "data-inspector-line",
    "data-inspector-column",
    "data-v-inspector",
    "data-insp-path",
    "data-sentry-source-file",
    "__source",
)
_NAMES = ("role", "aria-label", "alt", "title", "placeholder", "type", "href")
_ROLES = {
    "a": "link",
    "article": "article",
    "aside": "complementary",
    "button": "button",
    "dialog": "dialog",
    "footer": "contentinfo",
    "form": "form",
    "header": "banner",
    "img": "img",
    "label": "label",
    "li": "listitem",
    "main": "main",
    "nav": "navigation",
    "ol": "list",
    "option": "option",
    "p": "paragraph",
    "progress": "progressbar",
    "section": "region",
    "select": "combobox",
    "svg": "img",
    "table": "table",
    "td": "cell",
    "textarea": "textbox",
    "th": "columnheader",
    "tr": "row",
    "ul": "list",
    **{f"h{level}": "heading" for level in range(1, 7)},
}
_INPUT_ROLES = {
    "button": "button",
    "checkbox": "checkbox",
    "image": "button",
    "radio": "radio",
    "range": "slider",
    "reset": "button",
    "search": "searchbox",
    "submit": "button",
}
#: A drawing surface that covers this share of the viewport is the app itself.
_CANVAS_SHARE = 0.5
_FEW_TEXTS = 3
_UNTRUSTED = "the page replaces the functions that measure it, so its style cannot be trusted"


def snapshot_dom(target: Any, *, element_limit: int = ELEMENT_LIMIT) -> DomSnapshot:
    """Return what a Playwright page, frame, locator or element handle shows, by one evaluation.

    Boxes count from the document's corner, or from that of the locator's element. Never raises
    for what a page does: a snapshot that could not be taken is not ``meaningful``, with the reason.
    A page can break or replace the functions that measure it. Where it visibly does, a Chromium
    page is measured once more in a world of its own, which page scripts do not reach; what cannot
    be (a locator, another browser) is not meaningful.
    """
    script = resources.files(__package__).joinpath("dom_snapshot.js").read_text("utf-8")
    options = _options(element_limit)
    found = _attempt(lambda: target.evaluate(script, options))
    if isinstance(found, DomSnapshot) and found.meaningful:
        return found
    if not isinstance(found, DomSnapshot) or found.reason == _UNTRUSTED:
        isolated = _attempt(lambda: _evaluate_apart(target, script, options))
        if isinstance(isolated, DomSnapshot):
            return isolated
    if isinstance(found, DomSnapshot):
        return found
    line = str(found).strip().splitlines() or [type(found).__name__]
    return DomSnapshot(meaningful=False, reason=f"the page's DOM cannot be read: {line[0]}")


def _attempt(evaluate: Callable[[], Any]) -> DomSnapshot | Exception:
    """Return the snapshot that an evaluation gives, or what went wrong in it."""
    try:
        return _snapshot(json.loads(evaluate()))
    except Exception as problem:  # noqa: BLE001 - the page decides what goes wrong in it
        return problem


def _evaluate_apart(page: Any, script: str, options: Mapping[str, Any]) -> Any:
    """Return what a script gives in an isolated world of a Chromium page: same DOM, own globals."""
    session = page.context.new_cdp_session(page)
    try:
        tree = session.send("Page.getFrameTree")
        world = session.send(
            "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]}
        )
        answer = session.send(
            "Runtime.evaluate",
            {
                "expression": f"({script})({json.dumps(options)})",
                "contextId": world["executionContextId"],
                "returnByValue": True,
            },
        )
        return answer["result"]["value"]
    finally:
        session.detach()


def _options(element_limit: int) -> dict[str, Any]:
    return {
        "elementLimit": element_limit,
        "nodeLimit": NODE_LIMIT,
        "textLimit": TEXT_LIMIT,
        "totalText": TOTAL_TEXT,
        "valueLimit": VALUE_LIMIT,
        "lineLimit": LINE_LIMIT,
        "shapeLimit": SHAPE_LIMIT,
        "pointLimit": POINT_LIMIT,
        "boxNames": list(BOX_DEFAULTS),
        "boxDefaults": list(BOX_DEFAULTS.values()),
        "textNames": list(TEXT_DEFAULTS),
        "textDefaults": list(TEXT_DEFAULTS.values()),
        "guards": dict(GUARDS),
        "svgNames": list(SVG_DEFAULTS),
        "svgDefaults": list(SVG_DEFAULTS.values()),
        "attributeNames": [*ANCHOR_ATTRIBUTES, *_NAMES, *_SOURCES],
    }


def _snapshot(raw: Mapping[str, Any]) -> DomSnapshot:
    records = raw["elements"]
    labels = _labels(records)
    elements = tuple(_element(i, record, label=labels[i]) for i, record in enumerate(records))
    warnings = [str(w) for w in raw["warnings"]]
    if raw["truncated"]:
        warnings.append(
            f"the page is larger than a snapshot may be: {len(elements)} elements are kept, "
            f"the rest is not matched"
        )
    reason = _why_meaningless(elements, tuple(raw["viewport"]), trusted=raw["trusted"])
    return DomSnapshot(
        elements=elements,
        size=(float(raw["size"][0]), float(raw["size"][1])),
        meaningful=not reason,
        reason=reason,
        truncated=bool(raw["truncated"]),
        warnings=tuple(warnings),
        page=read_page_facts(raw["page"]),
    )


def _element(index: int, record: Mapping[str, Any], *, label: str) -> Element:
    attributes: Mapping[str, str] = record["attributes"]
    tag = record["tag"]
    return Element(
        index=index,
        parent=record["parent"],
        selector=record["selector"],
        tag=tag,
        box=Box(*record["box"]),
        role=_role(tag, attributes),
        name=_name(attributes),
        text=record.get("text", ""),
        label=label,
        lines=merge_lines([Box(*line) for line in record.get("lines", ())]),
        font=record.get("font"),
        style=record["style"],
        anchors={k: attributes[k] for k in ANCHOR_ATTRIBUTES if k in attributes},
        source=_source(attributes) or record.get("react"),
        pseudo=record["pseudo"],
        transformed=record["transformed"],
        clipped=record["clipped"],
        hint=record["hint"],
        facts=read_element_facts(record.get("facts") or {}),
    )


def _labels(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return all text inside each element, in document order, at most LABEL_LIMIT long."""
    parts: list[list[str]] = [[] for _ in records]
    sizes = [0] * len(records)
    for index, record in enumerate(records):
        text = record.get("text", "")
        if not text:
            continue
        at: int | None = index
        while at is not None and sizes[at] < LABEL_LIMIT:
            parts[at].append(text)
            sizes[at] += len(text) + 1
            # An inline child's text is in its parent's already.
            parent = records[at]["parent"]
            told = parent is not None and records[at]["inline"] and records[parent].get("text")
            at = None if told else parent
    return [" ".join(p)[:LABEL_LIMIT] for p in parts]


def _role(tag: str, attributes: Mapping[str, str]) -> str | None:
    given = attributes.get("role", "").split()
    if given:
        return given[0]
    if tag == "input":
        return _INPUT_ROLES.get(attributes.get("type", "text").lower(), "textbox")
    if tag == "a" and "href" not in attributes:
        return None
    return _ROLES.get(tag)


def _name(attributes: Mapping[str, str]) -> str | None:
    for key in ("aria-label", "alt", "title", "placeholder"):
        if attributes.get(key, "").strip():
            return " ".join(attributes[key].split())[:LABEL_LIMIT]
    return None


def _source(attributes: Mapping[str, str]) -> str | None:
    """Return ``file:line:column`` (as far as told) from what build tools leave on elements."""
    for key in ("data-source", "data-v-inspector", "data-insp-path", "__source"):
        if attributes.get(key):
            return attributes[key]
    for key in ("relative-path", "path", "file"):
        path = attributes.get(f"data-inspector-{key}")
        if path:
            tail = [attributes.get(f"data-inspector-{k}", "") for k in ("line", "column")]
            return ":".join([path, *(t for t in tail if t)])
    return attributes.get("data-sentry-source-file") or None


def merge_lines(rects: list[Box]) -> tuple[Box, ...]:
    """Return one box a line of text from the boxes of its runs, from top to bottom."""
    lines: list[Box] = []
    for rect in sorted(rects, key=lambda b: (b.y + b.h / 2, b.x, b.w, b.h)):
        middle = rect.y + rect.h / 2
        last = lines[-1] if lines else None
        if last is not None and last.y < middle < last.bottom:
            x, y = min(last.x, rect.x), min(last.y, rect.y)
            right, bottom = max(last.right, rect.right), max(last.bottom, rect.bottom)
            lines[-1] = Box(x, y, right - x, bottom - y)
        else:
            lines.append(rect)
    return tuple(lines)


def _why_meaningless(
    elements: Sequence[Element], viewport: tuple[float, float], *, trusted: bool
) -> str:
    """Return why the elements say nothing about the style of what is drawn, "" when they do."""
    if not trusted:
        return _UNTRUSTED
    content = [e for e in elements if e.tag != "body"]
    if not content:
        return "the page has no visible element"
    texts = [e for e in content if e.text and not e.tag.startswith("flt-")]
    drawn = max((e.box.area for e in content if e.tag == "canvas" or _is_flutter(e)), default=0.0)
    if len(texts) < _FEW_TEXTS and drawn >= _CANVAS_SHARE * viewport[0] * viewport[1] > 0:
        return "the page is drawn on a canvas, which has no elements to compare"
    return ""


def _is_flutter(element: Element) -> bool:
    return element.tag in {"flt-glass-pane", "flutter-view", "flt-scene-host"}
