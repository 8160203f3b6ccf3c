"""What the checks of appearance look at: elements, places, and the pixels that were painted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.css_values import parse_px

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.dom import DomSnapshot, Element
    from pytest_pixelloop.core.element_facts import TextRun
    from pytest_pixelloop.core.geometry import Box

_MASKED = 0.5
_FAINT = 0.05


class View:
    """One captured page: its elements in CSS px of the picture, and the picture itself."""

    def __init__(self, capture: Capture, dom: DomSnapshot) -> None:
        self.dom = dom
        self.page = dom.page
        self.elements = dom.elements
        self._image = capture.image
        self._scale = capture.scale
        self._masks = capture.masks

    def is_masked(self, box: Box) -> bool:
        """Tell whether masks take at least half of a box."""
        if not self._masks:
            return False
        shared = (box.intersection(mask) for mask in self._masks)
        return sum(s.area for s in shared if s) >= _MASKED * max(box.area, 1e-9)

    def is_looked_at(self, element: Element) -> bool:
        """Tell whether checks look at an element: painted, not masked, not clipped away."""
        facts = element.facts
        return not facts.cloaked and facts.opacity > _FAINT and not self.is_masked(element.box)

    def readable(self) -> Iterator[tuple[Element, TextRun]]:
        """Yield the lines of text that can be seen, with their elements."""
        for element in self.elements:
            if not element.facts.runs or not self.is_looked_at(element):
                continue
            for run in element.facts.runs:
                if not run.covered and visible_part(element, run.box) is not None:
                    yield element, run

    def pixels(self, box: Box) -> NDArray[np.float64] | None:
        """Return the painted colours (n, 3) of a box, None outside the picture."""
        left, top, right, bottom = box.scaled(self._scale).pixels()
        high, wide = self._image.shape[:2]
        part = self._image[max(top, 0) : min(bottom, high), max(left, 0) : min(right, wide), :3]
        return None if part.size == 0 else part.reshape(-1, 3).astype(np.float64)

    def block_of(self, element: Element) -> int | None:
        """Return the nearest ancestor (or itself) that is no inline box, by index."""
        at: int | None = element.index
        while at is not None and self.elements[at].value("display") == "inline":
            at = self.elements[at].parent
        return at

    def is_within(self, inner: Element, outer: Element) -> bool:
        """Tell whether *inner* is *outer* or lies inside it in the document."""
        at: int | None = inner.index
        while at is not None:
            if at == outer.index:
                return True
            at = self.elements[at].parent
        return False


def visible_part(element: Element, box: Box) -> Box | None:
    """Return the part of *box* that is left of it after its element's ancestors cut it."""
    part: Box | None = box
    for limit in (element.facts.hard, element.facts.soft):
        if limit is not None and part is not None:
            part = part.intersection(limit)
    return part


def font_size(element: Element) -> float:
    """Return the font size in CSS px."""
    return parse_px(element.value("font-size")) or 16.0


def font_weight(element: Element) -> int:
    """Return the font weight as a number."""
    word = element.value("font-weight")
    return {"normal": 400, "bold": 700}.get(word) or int(parse_px(word) or 400)


def shown(text: str, *, limit: int = 40) -> str:
    """Return the beginning of a text for a message."""
    return text if len(text) <= limit else text[: limit - 1] + "\N{HORIZONTAL ELLIPSIS}"
