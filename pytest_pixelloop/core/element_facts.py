"""What checks of appearance need to know of an element and of a page, beyond box, text and style.

All of it is told by the same evaluation as the elements, at the same instant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_pixelloop.core.geometry import Box

#: What lies on top at a place of a text: itself, something opaque or not, or nobody can tell.
VISIBLE, COVERED, VEILED, UNKNOWN = "v", "c", "t", "o"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRun:
    """One line of a text node. ``hits`` has a letter for its left, middle and right."""

    box: Box
    hits: str = ""

    @property
    def covered(self) -> bool:
        """Whether something opaque lies on all of it, as far as one could look."""
        return COVERED in self.hits and VISIBLE not in self.hits and VEILED not in self.hits


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementFacts:
    """Of one element.

    ``runs`` are the lines of its own text nodes. ``hard`` is where ancestors cut its content for
    good, ``soft`` where one can scroll to the rest; None where nothing cuts. ``abridged`` tells
    that the cut is meant (an ellipsis, a line clamp, a row of slides), ``cloaked`` that a clip
    takes it off the screen, ``fixed`` that it does not scroll. ``opacity`` is the product over its
    ancestors. ``broken`` is a picture that did not load. ``native`` is a control that the browser
    draws, ``area`` what reacts to a touch when that is more than the box, ``roomy`` that 24 px
    around its middle react.
    """

    runs: tuple[TextRun, ...] = ()
    hard: Box | None = None
    soft: Box | None = None
    abridged: bool = False
    cloaked: bool = False
    fixed: bool = False
    opacity: float = 1.0
    interactive: bool = False
    disabled: bool = False
    broken: str = ""
    native: bool = False
    area: Box | None = None
    roomy: bool = False

    def shifted(self, dx: float, dy: float) -> ElementFacts:
        """Return the facts with every box moved by (dx, dy)."""
        if self is NO_FACTS:
            return self
        moved = {
            name: box.shifted(dx, dy)
            for name in ("hard", "soft", "area")
            if (box := getattr(self, name)) is not None
        }
        runs = tuple(TextRun(box=r.box.shifted(dx, dy), hits=r.hits) for r in self.runs)
        return replace(self, runs=runs, **moved)


@dataclass(frozen=True, slots=True, kw_only=True)
class FontFace:
    """A font that the page declares, and how far it got: loaded, error, unloaded, loading."""

    family: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """Of the page: viewport, how far it scrolls, whether it is touched, its declared fonts.

    ``scrolls`` is False when what lies beyond the right edge cannot be reached. ``left`` is where
    the page begins: below 0 in a page that is read from the right. ``whole`` is False for the
    snapshot of one element. ``origin`` is where the document's corner lies in the boxes' CSS px.
    """

    viewport: tuple[float, float] = (0.0, 0.0)
    scroll_size: tuple[float, float] = (0.0, 0.0)
    scroll: tuple[float, float] = (0.0, 0.0)
    scrolls: bool = True
    left: float = 0.0
    touch: bool = False
    whole: bool = True
    fonts: tuple[FontFace, ...] = ()
    origin: tuple[float, float] = (0.0, 0.0)

    def shifted(self, dx: float, dy: float) -> PageFacts:
        """Return the facts with the document's corner moved by (dx, dy)."""
        return replace(self, origin=(self.origin[0] + dx, self.origin[1] + dy))


NO_FACTS = ElementFacts()
NO_PAGE_FACTS = PageFacts()
