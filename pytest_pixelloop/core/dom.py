"""A page's elements as values: what a snapshot of the DOM holds, and where its text lies."""

from __future__ import annotations

import dataclasses
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_pixelloop.core.element_facts import (
    NO_FACTS,
    NO_PAGE_FACTS,
    ElementFacts,
    PageFacts,
)
from pytest_pixelloop.core.geometry import Box, union

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The computed values that are kept, with the value that a plain element has. A snapshot leaves
#: out what equals it, so that an Element made by hand needs only what matters.
BOX_DEFAULTS: Mapping[str, str] = {
    "display": "block",
    "position": "static",
    "box-sizing": "content-box",
    "background-color": "rgba(0, 0, 0, 0)",
    "background-image": "none",
    "background-size": "auto",
    "background-clip": "border-box",
    "object-fit": "fill",
    "opacity": "1",
    "border-top-style": "none",
    "border-right-style": "none",
    "border-bottom-style": "none",
    "border-left-style": "none",
    "border-top-width": "0px",
    "border-right-width": "0px",
    "border-bottom-width": "0px",
    "border-left-width": "0px",
    "border-top-color": "rgb(0, 0, 0)",
    "border-right-color": "rgb(0, 0, 0)",
    "border-bottom-color": "rgb(0, 0, 0)",
    "border-left-color": "rgb(0, 0, 0)",
    "border-top-left-radius": "0px",
    "border-top-right-radius": "0px",
    "border-bottom-right-radius": "0px",
    "border-bottom-left-radius": "0px",
    "outline-style": "none",
    "outline-width": "0px",
    "outline-color": "rgb(0, 0, 0)",
    "outline-offset": "0px",
    "box-shadow": "none",
    "padding-top": "0px",
    "padding-right": "0px",
    "padding-bottom": "0px",
    "padding-left": "0px",
    "row-gap": "normal",
    "column-gap": "normal",
    "flex-direction": "row",
    "justify-content": "normal",
    "align-items": "normal",
    "overflow-x": "visible",
    "overflow-y": "visible",
    "filter": "none",
    "backdrop-filter": "none",
    "mix-blend-mode": "normal",
}
TEXT_DEFAULTS: Mapping[str, str] = {
    "color": "rgb(0, 0, 0)",
    "font-family": "",
    "font-size": "16px",
    "font-weight": "400",
    "font-style": "normal",
    "font-variant-caps": "normal",
    "line-height": "normal",
    "letter-spacing": "normal",
    "text-transform": "none",
    "text-align": "start",
    "direction": "ltr",
    "text-decoration-line": "none",
    "text-overflow": "clip",
    "text-shadow": "none",
    "-webkit-line-clamp": "none",
    "-webkit-text-fill-color": "rgb(0, 0, 0)",
}
SVG_DEFAULTS: Mapping[str, str] = {"fill": "rgb(0, 0, 0)", "stroke": "none", "stroke-width": "1px"}
DEFAULTS: Mapping[str, str] = {**BOX_DEFAULTS, **TEXT_DEFAULTS, **SVG_DEFAULTS}

#: A property that says nothing while the other one has its plain value (which is read before it).
GUARDS: Mapping[str, str] = {
    **{
        f"border-{side}-{part}": f"border-{side}-style"
        for side in ("top", "right", "bottom", "left")
        for part in ("width", "color")
    },
    **{f"outline-{part}": "outline-style" for part in ("width", "color", "offset")},
    "background-size": "background-image",
    "background-clip": "background-image",
}

#: The attributes that tie an element to a design node, exactly.
ANCHOR_ATTRIBUTES = ("data-figma-id", "data-node-id", "data-dk")

LABEL_LIMIT = 200
_INVISIBLE = dict.fromkeys((0x200B, 0x2060, 0xFEFF, 0x00AD))


def normalise_text(text: str) -> str:
    """Return *text* as it is compared: NFC, every run of white space (U+2028 too) one space."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_INVISIBLE)
    return " ".join(text.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One visible element of a page.

    ``index`` is its place in the snapshot (document order, parents first), ``parent`` the index of
    the nearest ancestor in it. ``box`` is in CSS px from the frame's top left corner, after
    transforms. ``text`` is the text that the element itself holds, its inline children included,
    as the document has it (before ``text-transform``), and "" when only its children hold any;
    ``label`` is all text inside it. ``lines`` are the boxes of the lines of ``text``.
    ``font`` is the first family of its stack that exists, None when unknown. ``style`` lacks what
    equals DEFAULTS. ``pseudo`` tells that ``::before`` or ``::after`` paint, ``transformed`` that
    it is turned or scaled, ``clipped`` that an ancestor cuts it, ``hint`` that ``text`` is a
    placeholder. ``source`` is where the element comes from (file:line), when the page says it;
    ``facts`` is what checks of appearance ask for.
    """

    index: int
    parent: int | None
    selector: str
    tag: str
    box: Box
    role: str | None = None
    name: str | None = None
    text: str = ""
    label: str = ""
    lines: tuple[Box, ...] = ()
    font: str | None = None
    style: Mapping[str, str] = field(default_factory=dict)
    anchors: Mapping[str, str] = field(default_factory=dict)
    source: str | None = None
    pseudo: bool = False
    transformed: bool = False
    clipped: bool = False
    hint: bool = False
    facts: ElementFacts = NO_FACTS

    def value(self, name: str) -> str:
        """Return the computed value of a property: what was kept, else the plain one."""
        kept = self.style.get(name)
        return DEFAULTS.get(name, "") if kept is None else kept

    @property
    def text_box(self) -> Box:
        """The box around the lines of text; the element's own box when there are none."""
        return union(self.lines) or self.box

    @property
    def is_vector(self) -> bool:
        """Whether it is an ``svg`` or a shape in one."""
        return self.tag in _VECTOR_TAGS


_VECTOR_TAGS = frozenset(
    ("svg", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "use")
)
_PAINTING = frozenset(("background-image", "box-shadow"))
_BORDERS = tuple(
    (f"border-{side}-style", f"border-{side}-width", f"border-{side}-color")
    for side in ("top", "right", "bottom", "left")
)
_PICTURE_TAGS = frozenset(("img", "video", "canvas", "picture", "image"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DomSnapshot:
    """The visible elements of a page, or of one element of it.

    ``size`` is the width and height of the whole in CSS px. ``meaningful`` is False when style can
    not be compared: a canvas app, an empty document, a page that could not be read; ``reason``
    says why. ``truncated`` tells that a limit cut it; ``warnings`` are sentences for the user.
    """

    elements: tuple[Element, ...] = ()
    size: tuple[float, float] = (0.0, 0.0)
    meaningful: bool = True
    reason: str = ""
    truncated: bool = False
    warnings: tuple[str, ...] = ()
    page: PageFacts = NO_PAGE_FACTS

    def shifted(self, dx: float, dy: float) -> DomSnapshot:
        """Return the snapshot with every box moved by (dx, dy)."""
        if not (dx or dy):
            return self
        moved = (
            dataclasses.replace(
                element,
                box=element.box.shifted(dx, dy),
                lines=tuple(line.shifted(dx, dy) for line in element.lines),
                facts=element.facts.shifted(dx, dy),
            )
            for element in self.elements
        )
        return dataclasses.replace(self, elements=tuple(moved), page=self.page.shifted(dx, dy))

    def ancestors(self, index: int) -> tuple[int, ...]:
        """Return the indexes from the parent of an element up to the outermost element."""
        found: list[int] = []
        parent = self.elements[index].parent
        while parent is not None:
            found.append(parent)
            parent = self.elements[parent].parent
        return tuple(found)


def paints(element: Element) -> bool:
    """Tell whether the element's own box is visible: fill, border, shadow, picture or shape."""
    if element.tag in _PICTURE_TAGS or element.is_vector:
        return True
    style = element.style
    if element.pseudo or not style.keys().isdisjoint(_PAINTING):
        return True
    if not _is_clear(style.get("background-color", "rgba(0, 0, 0, 0)")):
        return True
    if style.get("outline-style", "none") != "none":
        return True
    return any(
        style.get(drawn, "none") not in {"none", "hidden"}
        and style.get(width, "0px") != "0px"
        and not _is_clear(style.get(color, "rgb(0, 0, 0)"))
        for drawn, width, color in _BORDERS
    )


def is_picture(element: Element) -> bool:
    """Tell whether the element shows a picture, a video or a canvas."""
    return element.tag in _PICTURE_TAGS


def _is_clear(color: str) -> bool:
    if color == "transparent" or color.endswith("/ 0)"):
        return True
    return color.startswith("rgba(") and color.endswith(", 0)")  # rgb(255, 0, 0) is red
