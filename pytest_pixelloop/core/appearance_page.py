"""What is wrong with a page as a whole: pictures, fonts, width, and what it complained about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_pixelloop.core.appearance import Issue
from pytest_pixelloop.core.appearance_scene import shown, visible_part
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.core.appearance_scene import View
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.page_events import PageEvents

_SEEN = 4.0
"""A picture of fewer CSS px is a counting pixel."""
_WIDER = 1.5
_NAMED = 3
_FAMILY = re.compile(r'"([^"]*)"|\'([^\']*)\'|([^,]+)')
#: Families that a system has or has not: a stack that begins with one means "the system's own".
_SYSTEM = frozenset(
    [
        "-apple-system",
        "blinkmacsystemfont",
        "system-ui",
        "ui-sans-serif",
        "ui-serif",
        "ui-monospace",
        "ui-rounded",
        "sans-serif",
        "serif",
        "monospace",
        "cursive",
        "fantasy",
        "emoji",
        "math",
        "arial",
        "helvetica",
        "verdana",
        "tahoma",
        "georgia",
        "times",
        "courier",
        "consolas",
        "menlo",
        "monaco",
        "calibri",
        "cambria",
        "candara",
        "ubuntu",
        "cantarell",
        "palatino",
        "garamond",
        "optima",
        "futura",
        "didot",
        "impact",
        "sfmono-regular",
        "inherit",
        "initial",
    ]
) | {
    "segoe ui",
    "helvetica neue",
    "times new roman",
    "courier new",
    "trebuchet ms",
    "lucida grande",
    "lucida console",
    "sf pro text",
    "sf pro display",
    "sf pro",
    "sf mono",
    "san francisco",
    "gill sans",
    "avenir next",
    "liberation mono",
    "liberation sans",
    "dejavu sans",
    "dejavu sans mono",
    "apple color emoji",
    "segoe ui emoji",
    "noto color emoji",
    "cascadia code",
    "cascadia mono",
    "fira sans",
    "droid sans",
}


def check_pictures(view: View, events: PageEvents) -> Iterator[Issue]:
    """Yield pictures that did not load and can be seen not to."""
    failed = {r.url: r for r in events.failed_requests if r.kind == "image"}
    for element in view.elements:
        if min(element.box.w, element.box.h) < _SEEN or not view.is_looked_at(element):
            continue
        if visible_part(element, element.box) is None:
            continue
        if element.facts.broken:
            yield _picture(element, "broken-image", element.facts.broken)
            continue
        background = element.value("background-image")
        for url in failed if "url(" in background else ():
            if url in background:
                yield _picture(element, "broken-background", url)


def check_fonts(view: View) -> Iterator[Issue]:
    """Yield declared fonts that failed and text that asks for a font nobody has."""
    failed = {_key(face.family): face for face in view.page.fonts if face.status == "error"}
    told: set[str] = set()
    for element in view.elements:
        if not element.facts.runs or not view.is_looked_at(element):
            continue
        family = first_family(element.value("font-family"))
        key = _key(family)
        if not family or key in told:
            continue
        used = element.font
        if key in failed:
            told.add(key)
            yield _font(element, "font-failed", family, used, "did not load")
        elif used is not None and _key(used) != key and key not in _SYSTEM:
            told.add(key)
            yield _font(element, "font-fallback", family, used, "is not there")


def check_width(view: View) -> Iterator[Issue]:
    """Yield the page when it is wider than its viewport and so scrolls sideways."""
    page = view.page
    wide, seen = page.scroll_size[0], page.viewport[0]
    if not page.whole or not page.scrolls or wide <= seen + _WIDER or seen <= 0:
        return
    left = page.origin[0]
    out = [
        e
        for e in view.elements
        if not e.facts.fixed
        and (part := visible_part(e, e.box)) is not None
        and (part.right > left + seen + 1 or (page.left < 0 and part.x < left - 1))
    ]
    parents = {e.index for e in out}
    causes = [e for e in out if e.parent not in parents] or out
    causes = sorted(causes, key=lambda e: (-e.box.right, e.index))[:_NAMED]
    element = causes[0] if causes else None
    names = ", ".join(e.selector for e in causes) or "nothing that can be named"
    yield Issue(
        check="horizontal-overflow",
        message=f"the page is {wide:.0f} px wide in a viewport of {seen:.0f} px: {names}",
        box=element.box if element else Box(left + seen, 0.0, wide - seen, 1.0),
        element=element,
        expected=seen,
        actual=wide,
        delta=round(wide - seen, 1),
        unit="px",
        evidence={"selectors": [e.selector for e in causes]},
    )


def check_events(events: PageEvents, *, known: frozenset[str], fonts: bool) -> Iterator[Issue]:
    """Yield what the page complained about, each thing once.

    *known* are addresses of pictures that another check told already; *fonts* that one told of
    fonts. The console's own line on a failed request is left to that request.
    """
    urls = {request.url for request in events.failed_requests}
    for error in events.page_errors:
        yield Issue(
            check="page-error",
            message=f"uncaught: {error.text}",
            actual=error.text,
            at=error.place,
            evidence=error.as_record(),
        )
    for message in events.console:
        if message.level != "error" or (message.url in urls and "load resource" in message.text):
            continue
        yield Issue(
            check="console-error",
            message=f"console: {message.text}",
            actual=message.text,
            at=message.place,
            evidence=message.as_record(),
        )
    for request in events.failed_requests:
        if request.url in known or (fonts and request.kind == "font"):
            continue
        yield Issue(
            check="failed-request",
            message=f"{request.kind} {request.url} failed: {request.problem}",
            actual=request.status if request.status is not None else request.reason,
            at=request.url,
            evidence=request.as_record(),
        )


def first_family(stack: str) -> str:
    """Return the first family of a ``font-family`` value, without quotes."""
    found = _FAMILY.search(stack)
    return next((part.strip() for part in found.groups() if part), "") if found else ""


def _key(family: str) -> str:
    return " ".join(family.strip("\"' ").lower().split())


def _picture(element: Element, check: str, url: str) -> Issue:
    name = url.partition("?")[0].rsplit("/", 1)[-1] or url
    what = "picture" if check == "broken-image" else "background picture"
    return Issue(
        check=check,
        message=f"the {what} {shown(name)!r} did not load",
        box=element.box,
        element=element,
        expected="a picture",
        actual="nothing",
        at=url,
        evidence={"url": url[:300]},
    )


def _font(element: Element, check: str, family: str, used: str | None, what: str) -> Issue:
    return Issue(
        check=check,
        message=f"the font {family!r} {what}: {shown(element.text)!r} is set in "
        f"{used or 'another'}",
        box=element.text_box,
        element=element,
        expected=family,
        actual=used,
    )
