"""A comparison made again from the two pictures that its report names.

The pictures are all there is: the node tree lies with the designs and not in the run, and the page
itself is gone. So where the gate asks pictures alone the whole verdict is made again, and elsewhere
the pixel figures are, which every report has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.canvas import compare_on_canvas
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.core.judging import judge
from pytest_pixelloop.core.records import gating_findings
from pytest_pixelloop.core.reevaluation import SCORE, Difference, difference
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Remeasured:
    """What a comparison of the stored pictures gives otherwise than the report.

    ``pixels`` tells that the pixel figures were made again, ``whole`` that the verdict was too;
    ``why_not`` is the reason where it was not.
    """

    differences: tuple[Difference, ...] = ()
    pixels: bool = False
    whole: bool = False
    why_not: str | None = None


def remeasure(
    report: Mapping[str, Any], expected: NDArray[np.uint8], actual: NDArray[np.uint8]
) -> Remeasured:
    """Return what the pictures *expected* and *actual* say beside what *report* says."""
    if not report.get("pixels"):
        return Remeasured(why_not="nothing was compared")
    if (report.get("screenshot") or {}).get("masks"):
        return Remeasured(why_not="the masks are painted over the stored pictures")
    limits = Tolerance(**report["tolerance"])
    diff = compare_on_canvas(expected, actual, threshold=limits.threshold).diff
    told = report["pixels"]
    found = [
        Difference(what=f"remeasured {name}", recorded=str(told.get(name)), recomputed=str(counted))
        for name, counted in diff.as_record().items()
        if name in told and not _close(told[name], counted)
    ]
    why_not = _not_whole(report)
    if why_not is None:
        try:
            found += _judged(report, expected, actual, limits)
        except PixelloopError as error:
            why_not = error.what
    return Remeasured(differences=tuple(found), pixels=True, whole=why_not is None, why_not=why_not)


def _close(recorded: Any, counted: Any) -> bool:
    if isinstance(recorded, int | float) and isinstance(counted, int | float):
        return math.isclose(recorded, counted, rel_tol=1e-9, abs_tol=1e-6)
    return bool(recorded == counted)


def _not_whole(report: Mapping[str, Any]) -> str | None:
    """Return why the verdict cannot be made again from pictures; None where it can."""
    if (report.get("design") or {}).get("node") is not None:
        return "the verdict also asks the node tree and the page, which are not in the run"
    if (report.get("screenshot") or {}).get("regions"):
        return "the verdict also asks matching levels, which belong to the page"
    if (report.get("judgements") or {}).get("applied"):
        return "judgements excuse a part of it"
    return None


def _judged(
    report: Mapping[str, Any],
    expected: NDArray[np.uint8],
    actual: NDArray[np.uint8],
    limits: Tolerance,
) -> list[Difference]:
    told = report["design"]
    scale = float(told["scale"])
    frame = tuple(float(side) for side in told["frame"])
    label = str(report["label"])
    design = Design(
        name=str(told["name"]), label=label, image=expected, frame=(frame[0], frame[1]), scale=scale
    )
    capture = Capture(image=actual, scale=scale, source="the run")
    judgement = judge(design, capture, gate=str(report["gate"]), tolerance=limits)
    visual = [f for f in gating_findings(report) if f.get("channel", "visual") == "visual"]
    score = math.fsum(float(f["severity"]) for f in visual)
    ids = {str(f["delta_id"]) for f in visual}
    again = {f.delta_id for f in judgement.findings if f.gating}
    found = []
    recorded = str((report.get("verdicts") or {}).get("visual", report["status"]))
    if judgement.status != recorded:
        found.append(difference("remeasured verdict", recorded, judgement.status))
    if not math.isclose(judgement.score or 0.0, score, rel_tol=1e-6, abs_tol=SCORE):
        found.append(difference("remeasured score", f"{score:g}", f"{judgement.score or 0.0:g}"))
    if ids != again:
        found.append(difference("remeasured findings", _ids(ids), _ids(again)))
    return found


def _ids(ids: set[str]) -> str:
    return ", ".join(sorted(ids)) or "none"
