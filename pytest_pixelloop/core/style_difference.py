"""A difference of style between a design node and its element, and how much may differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleTolerance:
    """How much computed values may differ from the design; lengths in CSS px.

    A colour is right when CIEDE2000 or every channel (0..255) is within its limit. A length that
    grows with the box may also differ by ``size_ratio`` of it.
    """

    color_delta_e: float = 2.0
    color_channel: float = 3.0
    size: float = 1.0
    size_ratio: float = 0.005
    text_size: float = 2.0
    font_size: float = 0.5
    line_height: float = 0.5
    intrinsic_line_height: float = 1.0
    letter_spacing: float = 0.05
    letter_spacing_em: float = 0.01
    opacity: float = 0.01
    radius: float = 0.5
    border: float = 0.5
    spacing: float = 1.0
    shadow: float = 1.0
    alpha: float = 0.05
    gradient_angle: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleDifference:
    """One property of an element that is not what its node says.

    ``property`` is a CSS property (``text`` for the words themselves). ``expected`` and ``actual``
    are CSS-like texts; ``delta`` counts in ``unit`` and is None where nothing can be counted.
    ``tolerance`` is what would have been let pass. A ``diagnosis`` follows from something else
    (the width of a frame that hugs its content) and is nothing to edit.
    """

    node_id: str
    element: int
    property: str
    expected: str
    actual: str
    delta: float | None = None
    unit: str | None = None
    tolerance: float | None = None
    confidence: float
    diagnosis: bool = False

    def as_record(self) -> dict[str, Any]:
        """Return the difference as reports hold it."""
        return {
            "node_id": self.node_id,
            "property": self.property,
            "expected": self.expected,
            "actual": self.actual,
            "delta": self.delta,
            "unit": self.unit,
            "tolerance": self.tolerance,
            "confidence": round(self.confidence, 4),
            "diagnosis": self.diagnosis,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFont:
    """A font of the design that the page did not use: what was used instead, and by which texts."""

    family: str
    used: str | None
    node_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleReport:
    """What the comparison of styles came to.

    ``status`` is ``compared`` or ``n/a`` with the ``reason``. ``compared`` counts the nodes whose
    style was looked at, ``skipped`` the others by why not.
    """

    status: str
    reason: str = ""
    differences: tuple[StyleDifference, ...] = ()
    missing_fonts: tuple[MissingFont, ...] = ()
    compared: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return the channel's entry as reports hold it."""
        return {
            "status": self.status,
            "reason": self.reason,
            "compared": self.compared,
            "differences": len(self.differences),
            "skipped": dict(self.skipped),
            "missing_fonts": [
                {"family": f.family, "used": f.used, "node_ids": list(f.node_ids)}
                for f in self.missing_fonts
            ],
        }
