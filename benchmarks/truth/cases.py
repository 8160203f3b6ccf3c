"""What a case is: a captured variant of a page, and the truth about it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.truth import css
from benchmarks.truth.figma_json import node_id, text_id

if TYPE_CHECKING:
    from benchmarks.truth.css import Layout

BENIGN, DEFECT, NESTED, OTHER = "benign", "defect", "nested", "incomparable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One capture with its truth.

    ``group`` is benign, defect, nested or incomparable; ``kind`` is what reports count by.
    ``changed`` are the design nodes that really changed, ``accepted`` those a finding may point
    at and still be right (the node, its text, its parent, for spacing its children);
    ``properties`` the words for the property, empty where no style property is at fault.
    ``area`` is [x, y, w, h] of the changed pixels in CSS px, ``pixels`` their number in device
    px. ``moved`` is the largest move of any box against the unmodified page. ``chain`` and
    ``level`` order nested sets.
    """

    id: str
    page: str
    group: str
    kind: str
    file: str
    detail: str = ""
    changed: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    extra_box: tuple[float, ...] = ()
    area: tuple[float, ...] = ()
    pixels: int = 0
    moved: float = 0.0
    chain: str = ""
    level: int = 0

    def as_record(self) -> dict[str, Any]:
        """Return the case as plain JSON."""
        return dataclasses.asdict(self)


def from_record(record: dict[str, Any]) -> Case:
    """Return the case of a record."""
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in record.items()}
    return Case(**values)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Element:
    """A laid-out element with its ancestors, and the design nodes that stand for it."""

    layout: Layout
    parent: Element | None
    place: int

    @property
    def index(self) -> int:
        """The element's number in document order."""
        return int(self.layout["index"])

    @property
    def style(self) -> dict[str, str]:
        """The computed style."""
        found: dict[str, str] = self.layout["style"]
        return found

    @property
    def box(self) -> list[float]:
        """x, y, w, h in CSS px of the frame."""
        found: list[float] = self.layout["box"]
        return found

    @property
    def is_text(self) -> bool:
        """Whether the element holds text directly."""
        return bool(self.layout["lines"])

    @property
    def is_icon(self) -> bool:
        """Whether the element is an inline SVG."""
        return "svg" in self.layout

    @property
    def text(self) -> str:
        """The element's own text."""
        return str(self.layout.get("text", ""))

    @property
    def ids(self) -> tuple[str, ...]:
        """The design nodes of the element's box, its text and its vectors."""
        found = [node_id(self.index)]
        if self.is_text and css.paints(self.style):
            found.append(text_id(self.index))
        shapes = range(len(self.layout.get("shapes", ())))
        found += [f"3:{(self.index + 1) * 10 + number}" for number in shapes]
        return tuple(found)

    @property
    def text_ids(self) -> tuple[str, ...]:
        """The design node that holds the element's text."""
        return self.ids[1:] or self.ids

    def descendants(self) -> list[Element]:
        """Return the element and everything inside, in document order."""
        found = [self]
        for place, child in enumerate(self.layout["children"]):
            found += Element(layout=child, parent=self, place=place).descendants()
        return found

    def children(self) -> list[Element]:
        """Return the direct children."""
        return [
            Element(layout=child, parent=self, place=place)
            for place, child in enumerate(self.layout["children"])
        ]

    def ancestors(self) -> list[Element]:
        """Return the element's ancestors, nearest first."""
        found, at = [], self.parent
        while at is not None:
            found.append(at)
            at = at.parent
        return found


def elements(layout: Layout) -> list[Element]:
    """Return all elements of a page in document order, the frame first."""
    return Element(layout=layout, parent=None, place=0).descendants()


def accepted_ids(
    element: Element, *, spacing: bool = False, outward: bool = False
) -> tuple[str, ...]:
    """Return the ids a finding about *element* may name: itself, its text, its parent.

    With *spacing* (padding, gap, alignment) its children too: a gap is where a child stands. With
    *outward* (line height, padding, height) also the containers out to the first that paints: what
    grows inside boxes that nobody sees shows as a gap in that one.
    """
    found = list(element.ids)
    for ancestor in element.ancestors():
        found.append(node_id(ancestor.index))
        if not outward or css.paints(ancestor.style):
            break
    if spacing:
        for child in element.children():
            found += child.ids
    return tuple(dict.fromkeys(found))
