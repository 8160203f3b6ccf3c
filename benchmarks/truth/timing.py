"""Times one comparison: the design gate beside the plain pixel comparison, in the same run."""

from __future__ import annotations

import statistics
import time
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.truth import gates

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: 1280 x 800 at scale 1, with more than 150 nodes.
PAGE = "table"
ROUNDS = 7


def _middle(call: Callable[[], object]) -> float:
    call()
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def show(folders: dict[str, Path]) -> None:
    """Print the seconds of each gate on one page as it is and with one defect."""
    folder = folders.get(PAGE)
    if folder is None:
        return
    design = gates.load_design(folder, name=PAGE, scale=1)
    print(f"\n== seconds for one comparison of {PAGE} (1280x800), median of {ROUNDS}")
    for file in ("benign-as-is-0.png", "defect-padding-0.png"):
        capture = gates.load_capture(folder / file, scale=1)
        for gate in ("design", "pixel"):
            try:
                judge = gates.find(gate)
            except ImportError:
                continue
            print(f"  {file:24s} {gate:8s} {_middle(partial(judge, design, capture)):.4f}")
        try:
            from pytest_pixelloop.core.pixels import compare_pixels
        except ImportError:
            continue
        plain = _middle(partial(compare_pixels, design.image, capture.image))
        print(f"  {file:24s} plain pixel comparison {plain:.4f}")
