"""Times one comparison: the design gate beside the plain pixel comparison, in the same run."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.truth import gates
from pytest_pixelloop.core.pixels import compare_pixels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: At scale 1 and 1280 px wide; 102, 101, 157 and 235 nodes.
PAGES = ("settings", "pricing", "products", "table")
FILES = ("benign-as-is-0.png", "defect-padding-0.png")
ROUNDS = 9


def _least(call: Callable[[], object]) -> float:
    """Return the least CPU seconds of several rounds: what else runs only adds to them."""
    call()
    seconds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        call()
        seconds.append(time.process_time() - started)
    return min(seconds)


def show(folders: dict[str, Path]) -> None:
    """Print the CPU time of each gate on some pages as they are and with one defect.

    With the page's elements: matching, naming and checking of their style are in it.
    """
    print(f"\n== CPU ms of one comparison 1280 px wide, least of {ROUNDS}, and times the plain one")
    for page in PAGES:
        folder = folders.get(page)
        if folder is None:
            continue
        design = gates.load_design(folder, name=page, scale=1)
        for file in FILES:
            if not (folder / file).exists():
                continue
            capture = gates.load_capture(folder / file, scale=1, with_dom=True)
            plain = _least(partial(compare_pixels, design.image, capture.image))
            took = {g: _least(partial(gates.find(g), design, capture)) for g in ("design", "pixel")}
            shown = "  ".join(f"{g} {s * 1e3:5.1f} {s / plain:5.1f}x" for g, s in took.items())
            print(f"  {page:10s} {file:22s} plain {plain * 1e3:5.1f}  {shown}")
