"""Touch targets by WCAG 2.2: 2.5.8 (24 CSS px, with its exceptions) and 2.5.5 (44, advisory).

https://www.w3.org/TR/WCAG22/#target-size-minimum: a smaller target passes when a circle of 24 px
around its middle meets no other target (spacing), when it stands in a sentence (inline), or when
the browser draws it and nobody changed its size (user agent). Equivalent and essential targets
cannot be told by a program; allow them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_pixelloop.core.appearance import Issue
from pytest_pixelloop.core.appearance_scene import shown, visible_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_pixelloop.core.appearance_scene import View
    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.geometry import Box

LEAST, COMFORTABLE = 24.0, 44.0
_SLACK = 0.5
_SENTENCE = 3
"""So many letters beside a link make it a link in a sentence."""
_NAMED = 5


def check_targets(view: View) -> Iterator[Issue]:
    """Yield targets that are too small for a finger, on a page that is touched."""
    if not view.page.touch:
        return
    targets = [
        (element, box)
        for element in view.elements
        if element.facts.interactive and not element.facts.disabled and view.is_looked_at(element)
        if (box := _area(element)) is not None
    ]
    small: list[tuple[Element, Box]] = []
    for element, box in targets:
        if not _is_under(box, COMFORTABLE) or _is_inline(view, element) or element.facts.native:
            continue
        if (
            _is_under(box, LEAST)
            and not element.facts.roomy
            and not _has_space(view, element, box, targets)
        ):
            yield _issue(element, box)
        else:
            small.append((element, box))
    if small:
        yield _advice(small)


def _area(element: Element) -> Box | None:
    """Return what of a target can be pressed: with its labels, without what is cut off."""
    return visible_part(element, element.facts.area or element.box)


def _is_under(box: Box, side: float) -> bool:
    return min(box.w, box.h) < side - _SLACK


def _is_inline(view: View, element: Element) -> bool:
    """Tell whether a target stands in a sentence: letters beside it that are no targets."""
    if element.value("display") != "inline":
        return False
    block = view.block_of(element)
    if block is None:
        return False
    owner = view.elements[block]
    linked = sum(
        len(e.text)
        for e in view.elements
        if e.facts.interactive and e.index != block and view.block_of(e) == block
    )
    return sum(c.isalnum() for c in owner.text) - linked >= _SENTENCE


def _has_space(
    view: View, element: Element, box: Box, targets: Sequence[tuple[Element, Box]]
) -> bool:
    """Tell whether a circle of 24 px around the middle meets no other target's box or circle."""
    x, y = box.x + box.w / 2, box.y + box.h / 2
    for other, theirs in targets:
        if other is element or view.is_within(other, element) or view.is_within(element, other):
            continue
        left, top = max(theirs.x, min(x, theirs.right)), max(theirs.y, min(y, theirs.bottom))
        if math.hypot(x - left, y - top) < LEAST / 2 - 0.01:
            return False
        middle = (theirs.x + theirs.w / 2, theirs.y + theirs.h / 2)
        if _is_under(theirs, LEAST) and math.dist((x, y), middle) < LEAST - 0.01:
            return False
    return True


def _issue(element: Element, box: Box) -> Issue:
    name = shown(element.text or element.name or element.selector)
    return Issue(
        check="touch-target",
        message=f"{name!r} is {box.w:.0f}x{box.h:.0f} px to a finger and has another target "
        f"close by, {LEAST:.0f}x{LEAST:.0f} px are needed",
        box=box,
        element=element,
        expected=[LEAST, LEAST],
        actual=[round(box.w, 1), round(box.h, 1)],
        delta=round(LEAST - min(box.w, box.h), 1),
        unit="px",
    )


def _advice(small: Sequence[tuple[Element, Box]]) -> Issue:
    worst = sorted(small, key=lambda t: (min(t[1].w, t[1].h), t[0].index))
    element, box = worst[0]
    names = ", ".join(shown(e.text or e.name or e.selector, limit=20) for e, _ in worst[:_NAMED])
    more = f" and {len(small) - _NAMED} more" if len(small) > _NAMED else ""
    return Issue(
        check="touch-target-44",
        message=f"{len(small)} target{'' if len(small) == 1 else 's'} under "
        f"{COMFORTABLE:.0f}x{COMFORTABLE:.0f} px: {names}{more}",
        box=box,
        element=element,
        expected=[COMFORTABLE, COMFORTABLE],
        actual=[round(box.w, 1), round(box.h, 1)],
        delta=round(COMFORTABLE - min(box.w, box.h), 1),
        unit="px",
        evidence={"selectors": [e.selector for e, _ in worst]},
    )
