"""The one door to the gates: which rule judges a design and its capture."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, cast

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.levels import refuse_unjudged_levels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.core.verdict import Judgement

    class Gate(Protocol):
        """What every gate is: a pure function from two sides and limits to a judgement."""

        def __call__(self, design: Design, capture: Capture, *, tolerance: Tolerance) -> Judgement:
            """Return the gate's judgement."""
            ...


# Module and function by gate. Imported when used: judging by one gate must not pay for the others.
GATES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "design": ("pytest_pixelloop.core.gate_design", "judge_design"),
        "pixel": ("pytest_pixelloop.core.gate_pixel", "judge_pixel"),
        "snapshot": ("pytest_pixelloop.core.gate_snapshot", "judge_snapshot"),
    }
)

GATE_NAMES = tuple(GATES)


def judge(design: Design, capture: Capture, *, gate: str, tolerance: Tolerance) -> Judgement:
    """Return what *gate* says of *capture* against *design*.

    Raises ConfigurationError for an unknown gate, and what the gate raises.
    """
    module, function = GATES[checked_gate(gate, where="gate")]
    refuse_unjudged_levels(capture.regions, gate=gate, has_nodes=design.root is not None)
    judgement = cast("Gate", getattr(import_module(module), function))(
        design, capture, tolerance=tolerance
    )
    if gate in ("pixel", "snapshot"):
        return judgement
    from pytest_pixelloop.core.pixel_figures import with_pixel_figures  # noqa: PLC0415

    return with_pixel_figures(judgement, design, capture, tolerance=tolerance)


def default_gate(design: Design) -> str:
    """Return the gate that judges *design* when nobody chooses one.

    A design says itself what it needs (a bridge file asks for ``pixel``, a manifest may); a
    Figma export and a bare picture are judged by ``design``.
    """
    if design.gate is None:
        return "design"
    return checked_gate(design.gate, where=f"the design {design.name!r}")


def checked_gate(gate: str, *, where: str) -> str:
    """Return *gate*, or raise ConfigurationError that lists the known ones."""
    if gate not in GATES:
        raise ConfigurationError(
            f"unknown gate {gate!r}", where=where, expected="one of " + ", ".join(sorted(GATES))
        )
    return gate
