"""The viewport that a planned comparison is shown in, and the words for one that has no design."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import DesignNotExportedError, DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.viewports import BUILT_IN
from pytest_pixelloop.sources.locked import not_pulled
from pytest_pixelloop.sources.manifest import shown_path
from pytest_pixelloop.sources.node_ids import label_of

if TYPE_CHECKING:
    from pytest_pixelloop.sources.plan import PlannedComparison


def viewport_sizes(
    planned: PlannedComparison, screen: tuple[float, float]
) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Return the viewport of a page and the one around an element; None where nobody says it.

    *screen* is the frame's size: it stands in for what the manifest does not say.
    """
    view = planned.view
    if view is None:
        return None, None
    frame = (math.ceil(screen[0] - 0.01), math.ceil(screen[1] - 0.01))
    said = view.width is not None or view.height is not None
    size = (view.width or frame[0], view.height or frame[1]) if said else None
    if planned.part is not None:
        return size, size or frame
    around = view.over(BUILT_IN.get(view.name)).size
    return size, around


def refuse_other_width(planned: PlannedComparison, width: float) -> None:
    """Refuse a frame that was not drawn for the viewport that is asked for."""
    assert planned.view is not None
    if planned.view.width is None or abs(planned.view.width - width) < 1:
        return
    refusal = (
        f"the manifest names no viewports for it, and its frame is {width:g} px wide, "
        f"not {planned.view.width} (name the frame of that viewport under viewports:)"
    )
    raise no_design(dataclasses.replace(planned, refusal=refusal))


def no_design(planned: PlannedComparison) -> DesignUnreadableError:
    """Return the error for a design that is not on disk, with the command that gets it."""
    project = planned.manifest.parent.parent
    variants = (("viewport", planned.viewport), ("theme", planned.theme))
    at = " and".join(f' at {word} "{value}"' for word, value in variants if value is not None)
    node = f" (node {planned.node})" if planned.node else ""
    head = f'no design for "{printable(planned.name)}"{at}{node}'
    if planned.refusal is not None:
        return DesignUnreadableError(
            f"{head}: {planned.refusal}\n"
            f"  looked in: {shown_path(planned.manifest, project=project)}",
            reason=planned.reason,
        )
    places = [shown_path(p, project=project) for p in (*planned.looked_in, planned.manifest)]
    if planned.figma is not None:
        return not_pulled(planned, head, ", ".join(places))
    lines = (
        f"{head}\n  looked in: {', '.join(places)}\n"
        f"  next: export the frame from Figma to {places[0]}"
    )
    if _is_default(planned):
        return DesignNotExportedError(lines)
    return DesignUnreadableError(lines)


def _is_default(planned: PlannedComparison) -> bool:
    """Tell whether the picture is looked for by its label, and not where the manifest says."""
    name = planned.entry or planned.name
    label = label_of(name, node=planned.node, theme=planned.theme, viewport=planned.viewport)
    place = planned.manifest.parent / name / f"{label}.png"
    return bool(planned.looked_in) and planned.looked_in[0] == place
