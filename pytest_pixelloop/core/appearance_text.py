"""Text that cannot be read whole: cut by a box, lying on other text, or across the page's edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.appearance import Issue
from pytest_pixelloop.core.appearance_scene import font_size, shown, visible_part
from pytest_pixelloop.core.css_values import parse_color
from pytest_pixelloop.core.dom import is_picture
from pytest_pixelloop.core.element_facts import COVERED, UNKNOWN
from pytest_pixelloop.core.geometry import Box, union

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.core.appearance_scene import View
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.element_facts import TextRun

_SIDE = 0.3
"""Share of the font size that may be cut at a side: the gap after a letter is no letter."""
_HEIGHT = 0.28
"""The same of a line's height: a line box has room above and below its letters."""
_CORE = 0.22
"""Share of a line's height above and below that letters seldom reach."""
_LEAST_WIDE, _LEAST_HIGH = 3.0, 0.3
_SAME = 0.8
_OPAQUE = 0.9


def check_clipped(view: View) -> Iterator[Issue]:
    """Yield texts that a box without a scroll bar cuts, unless the cut is plainly meant.

    Meant is an ellipsis, a line clamp, a row of slides, and everything one can scroll to.
    """
    for element in view.elements:
        facts = element.facts
        if facts.hard is None or facts.abridged or element.transformed or not facts.runs:
            continue
        if not view.is_looked_at(element) or all(run.covered for run in facts.runs):
            continue
        cut = [c for run in facts.runs if (c := _cut(element, run))]
        whole = [run for run in facts.runs if facts.hard.intersection(run.box)]
        gone = [] if not whole else [r for r in facts.runs if _is_gone(element, r)]
        if not cut and not gone:
            continue
        what = cut[0][1] if cut else f"{len(gone)} of {len(facts.runs)} lines are not shown"
        yield Issue(
            check="text-clipped",
            message=f"{shown(element.text)!r} is cut off: {what}",
            box=union([run.box for run in facts.runs]) or element.box,
            element=element,
            expected="the whole text, an ellipsis, or a box that scrolls",
            actual=what,
            delta=round(max((c[0] for c in cut), default=0.0), 1) or None,
            unit="px",
        )


def check_overlap(view: View) -> Iterator[Issue]:
    """Yield pairs of texts whose letters lie on each other and are both painted."""
    lines = [
        (_core(part), element, run)
        for element, run in view.readable()
        if not element.transformed and (part := visible_part(element, run.box)) is not None
    ]
    lines.sort(key=lambda line: (line[0].y, line[0].x, line[1].index))
    told: set[tuple[int, int]] = set()
    for at, (core, element, run) in enumerate(lines):
        for core2, element2, run2 in lines[at + 1 :]:
            if core2.y >= core.bottom:
                break
            pair = (min(element.index, element2.index), max(element.index, element2.index))
            shared = core.intersection(core2)
            if shared is None or pair in told or not _is_overlap(shared, core, core2):
                continue
            if _is_one_text(view, element, element2, run, run2):
                continue
            if _is_hidden_by(view, shared, (element, run), (element2, run2)):
                continue
            told.add(pair)
            yield _overlap(shared, element, element2)


def check_off_screen(view: View) -> Iterator[Issue]:
    """Yield texts and controls that the edge of the page cuts where nobody can scroll to the rest.

    What lies wholly outside is taken for hidden on purpose (skip links, menus that slide in).
    """
    if not view.page.whole:
        return
    for element in view.elements:
        facts = element.facts
        if element.transformed or not view.is_looked_at(element):
            continue
        boxes = [run.box for run in facts.runs]
        if not boxes and facts.interactive and not element.text:
            boxes = [element.box]
        reach = _reach(view, element)
        for box in boxes:
            part = visible_part(element, box)
            if part is None or part != box:
                continue  # a box cuts it before the page does
            out, side = _beyond(box, reach)
            least = max(3.0, _SIDE * font_size(element)) if facts.runs else 0.25 * min(box.w, box.h)
            if out <= least or reach.intersection(box) is None:
                continue
            name = shown(element.text) or element.name or element.selector
            yield Issue(
                check="off-screen",
                message=f"{name!r} is cut by the {side} edge of the page, {out:.0f} px of it "
                "cannot be reached",
                box=box,
                element=element,
                expected=0,
                actual=round(out, 1),
                delta=round(out, 1),
                unit="px",
            )
            break


def _cut(element: Element, run: TextRun) -> tuple[float, str] | None:
    """Return how much of a line is cut and in what words, None when it is whole or out of sight."""
    hard, soft, box = element.facts.hard, element.facts.soft, run.box
    assert hard is not None
    if soft is not None and not soft.contains(box, slack=1.0):
        return None
    if hard.intersection(box) is None:
        return None
    side = _SIDE * font_size(element)
    across = max(hard.x - box.x, box.right - hard.right)
    down = max(hard.y - box.y, box.bottom - hard.bottom)
    if across > max(side, 2.0) and box.w - across > side:
        return across, f"{across:.0f} px of {box.w:.0f} px are hidden at the side"
    if down > _HEIGHT * box.h and box.h - down > 0.2 * box.h:
        return down, f"{down:.0f} px of a line of {box.h:.0f} px are hidden"
    return None


def _is_gone(element: Element, run: TextRun) -> bool:
    """Tell whether a line lies wholly below or above what its box shows, and cannot be reached."""
    hard, soft, box = element.facts.hard, element.facts.soft, run.box
    assert hard is not None
    if soft is not None and not soft.contains(box, slack=1.0):
        return False
    middle = box.y + box.h / 2
    return not hard.y <= middle <= hard.bottom


def _core(box: Box) -> Box:
    return Box(box.x + 0.5, box.y + _CORE * box.h, max(box.w - 1, 0.0), (1 - 2 * _CORE) * box.h)


def _is_overlap(shared: Box, one: Box, other: Box) -> bool:
    return shared.w >= _LEAST_WIDE and shared.h >= _LEAST_HIGH * min(one.h, other.h)


def _is_one_text(view: View, one: Element, two: Element, run: TextRun, run2: TextRun) -> bool:
    """Tell whether two lines belong together: same flow, one in the other, or drawn twice."""
    if view.is_within(one, two) or view.is_within(two, one):
        return True
    block = view.block_of(one)
    if block is not None and block == view.block_of(two):
        return True
    if one.text == two.text:
        shared = run.box.intersection(run2.box)
        return shared is not None and shared.area >= _SAME * min(run.box.area, run2.box.area)
    return False


def _is_hidden_by(
    view: View, shared: Box, one: tuple[Element, TextRun], two: tuple[Element, TextRun]
) -> bool:
    """Tell whether one of the two texts is not seen where they meet."""
    states = [_state_at(run, shared) for _, run in (one, two)]
    if COVERED in states:
        return True
    if UNKNOWN not in states:
        return False
    # Beyond the viewport nobody can ask what is on top: a ground between them is taken for one.
    return any(
        _has_ground(view, mine, other, shared)
        for mine, other in ((one[0], two[0]), (two[0], one[0]))
    )


def _state_at(run: TextRun, shared: Box) -> str:
    if not run.hits:
        return UNKNOWN
    place = (shared.x + shared.w / 2 - run.box.x) / max(run.box.w, 1e-9)
    return run.hits[min(len(run.hits) - 1, max(0, int(place * len(run.hits))))]


def _has_ground(view: View, mine: Element, other: Element, shared: Box) -> bool:
    """Tell whether something opaque lies between *mine* and what it has in common with *other*."""
    at: int | None = mine.index
    while at is not None:
        element = view.elements[at]
        if view.is_within(other, element):
            return False
        fill = parse_color(element.value("background-color"))
        painted = (fill is not None and fill.a * element.facts.opacity >= _OPAQUE) or (
            "url(" in element.value("background-image") or is_picture(element)
        )
        if painted and element.box.intersection(shared) is not None:
            return True
        at = element.parent
    return False


def _overlap(shared: Box, one: Element, two: Element) -> Issue:
    first, second = sorted((one, two), key=lambda e: e.index)
    return Issue(
        check="text-overlap",
        message=f"{shown(second.text)!r} lies on {shown(first.text)!r}: "
        f"{shared.w:.0f}x{shared.h:.0f} px",
        box=shared,
        element=second,
        expected="texts that do not touch",
        actual=round(shared.area, 1),
        unit="px²",
        at=first.selector,
        evidence={"other": first.selector},
    )


def _reach(view: View, element: Element) -> Box:
    """Return what of the page anybody can bring onto the screen, in CSS px of the snapshot."""
    page = view.page
    if element.facts.fixed:
        x, y = page.origin[0] + page.scroll[0], page.origin[1] + page.scroll[1]
        return Box(x, y, page.viewport[0], page.viewport[1])
    right = max(page.viewport[0], page.scroll_size[0]) if page.scrolls else page.viewport[0]
    return Box(page.origin[0] + page.left, page.origin[1], right - page.left, 1e7)


def _beyond(box: Box, reach: Box) -> tuple[float, str]:
    """Return how far a box goes beyond what can be reached, and at which edge."""
    outs = {
        "left": reach.x - box.x,
        "top": reach.y - box.y,
        "right": box.right - reach.right,
        "bottom": box.bottom - reach.bottom,
    }
    side = max(outs, key=lambda s: outs[s])
    return outs[side], side
