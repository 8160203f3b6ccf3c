"""What one comparison needs, as ``compare/plan.json`` and ``pixelloop plan --json`` hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.judging import default_gate
from pytest_pixelloop.sources.manifest import shown_path

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.core.errors import UndeterminedError
    from pytest_pixelloop.sources.plan import PlannedComparison


def plan_record(planned: PlannedComparison, side: Design | UndeterminedError) -> dict[str, Any]:
    """Return the record of a comparison whose design was loaded, or could not be.

    Paths are relative to the project. What only the design knows is None where there is none.
    """
    design = side if isinstance(side, Design) else None
    looked_in = planned.looked_in[0] if planned.looked_in else planned.bridge
    image, nodes = planned.image or looked_in, planned.nodes
    if design is not None:
        image_name, nodes_name = design.provenance.get("image"), design.provenance.get("nodes")
    else:
        image_name, nodes_name = _shown(image, planned), _shown(nodes, planned)
    return {
        "label": planned.label,
        "name": planned.name,
        "entry": planned.entry or planned.name,
        "node": (design.provenance.get("node") if design else None) or planned.node,
        "part": planned.part,
        "viewport": _viewport(planned, design),
        "theme": _theme(planned),
        "gate": planned.gate or (default_gate(design) if design else None),
        "image": image_name,
        "nodes": nodes_name,
        "hold_out": planned.hold_out,
        "comparable": design is not None,
        **_why_not(side),
    }


def _viewport(planned: PlannedComparison, design: Design | None) -> dict[str, Any]:
    """Return how the page is shown: in the viewport that is said, else in that of the frame."""
    width, height = planned.viewport_size
    if design is not None:
        width, height = design.viewport_size or (round(design.frame[0]), round(design.frame[1]))
    return {
        "name": planned.viewport,
        "width": width,
        "height": height,
        "device_scale_factor": design.scale if design is not None else planned.scale,
        "touch": planned.view.touch if planned.view else None,
        "mobile": planned.view.mobile if planned.view else None,
    }


def _theme(planned: PlannedComparison) -> dict[str, Any] | None:
    if planned.theme is None:
        return None
    hook = planned.hook.as_record() if planned.hook is not None else {}
    return {"name": planned.theme, "hook": hook}


def _why_not(side: Design | UndeterminedError) -> dict[str, str | None]:
    if isinstance(side, Design):
        return {"reason": None, "problem": None, "next": None}
    first, *rest = str(side).splitlines()
    following = (line.strip() for line in rest)
    step = next((line for line in following if line.startswith("next: ")), None)
    return {
        "reason": side.reason,
        "problem": first,
        "next": step.removeprefix("next: ") if step is not None else None,
    }


def _shown(path: Path | None, planned: PlannedComparison) -> str | None:
    return shown_path(path, project=planned.manifest.parent.parent) if path is not None else None
