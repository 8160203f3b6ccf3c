"""How far a page differs from itself: repeated captures with nothing changed in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judging import judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.core.verdict import Judgement


def measure_noise(
    design: Design,
    capture: Capture,
    judgement: Judgement,
    repeats: Sequence[Capture],
    *,
    gate: str,
    tolerance: Tolerance,
) -> dict[str, Any]:
    """Return what *repeats* differ by from *capture*, as plain JSON; empty without repeats.

    ``floor`` is the distance of the highest score from the lowest, None where one is unknown.
    ``pixels`` is the largest number of px that differ from the first capture, ``box`` holds all of
    them in CSS px, and ``varying`` are the findings that not every capture has. Raises what the
    gate raises.
    """
    if not repeats:
        return {}
    judged = [judgement]
    pixels, moved = 0, np.zeros(capture.image.shape[:2], dtype=np.bool_)
    sizes = {capture.pixel_size}
    for repeat in repeats:
        sizes.add(repeat.pixel_size)
        if repeat.pixel_size != capture.pixel_size:
            judged.append(judge(design, repeat, gate=gate, tolerance=tolerance))
            continue
        mask: NDArray[np.bool_] = (repeat.image != capture.image).any(axis=2)
        count = int(np.count_nonzero(mask))
        pixels, moved = max(pixels, count), moved | mask
        if count:
            judged.append(judge(design, repeat, gate=gate, tolerance=tolerance))
    scores = [j.score for j in judged]
    known = [s for s in scores if s is not None]
    sets: list[set[str]] = [{f.delta_id for f in j.findings if f.gating} for j in judged]
    return {
        "captures": len(repeats) + 1,
        "floor": max(known) - min(known) if len(known) == len(scores) else None,
        "pixels": pixels,
        "box": _box(moved, capture.scale),
        "sizes": [list(size) for size in sorted(sizes)],
        "varying": sorted(sets[0].union(*sets) - sets[0].intersection(*sets)),
    }


def noise_line(noise: dict[str, Any]) -> str:
    """Return what was measured in a sentence."""
    floor = noise["floor"]
    words = "unknown" if floor is None else f"{floor:.1f}"
    text = f"noise floor {words} over {noise['captures']} captures"
    if len(noise["sizes"]) > 1:
        return f"{text}, whose sizes differ"
    if not noise["pixels"]:
        return f"{text}, which are equal"
    x, y, w, h = noise["box"]
    return f"{text}: at most {noise['pixels']} px differ, in {w:g}x{h:g} px at ({x:g}, {y:g})"


def _box(mask: NDArray[np.bool_], scale: float) -> list[float] | None:
    if not mask.any():
        return None
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    box = Box(
        float(columns[0]),
        float(rows[0]),
        float(columns[-1] - columns[0] + 1),
        float(rows[-1] - rows[0] + 1),
    )
    return box.scaled(1 / scale).as_list()
