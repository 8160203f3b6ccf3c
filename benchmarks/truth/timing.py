"""Times one comparison: the design gate beside the plain pixel comparison, in the same run."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import cv2
import numpy as np

from benchmarks.truth import gates
from benchmarks.truth.page import load_pages
from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.gate_design import judge_design
from pytest_pixelloop.core.gate_pixel import judge_pixel
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.pixels import compare_pixels
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design, DesignNode

ROUNDS = 9
#: Pages of 1280x800 at scale 1, from 41 texts and pictures to 112.
PAGES = ("settings", "inbox", "products", "table")
#: At scale 2.
DENSE = "mobile_product"
#: Drawn twelve times, one below the other: 1280x9600.
LONG, TIMES = "inbox", 12
AS_IS, BROKEN = "benign-as-is-0.png", "defect-padding-0.png"


class _Timed(NamedTuple):
    name: str
    design: Design
    capture: Capture


def _least(call: Callable[[], object], *, rounds: int) -> float:
    """Return the least CPU time of a call in ms: what other processes do lengthens the others."""
    call()
    spent = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        spent.append(time.process_time() - started)
    return 1000 * min(spent)


def _nearly_equal(design: Design, capture: Capture) -> _Timed:
    """Return a page held against itself, one small patch a little lighter: a passing loop."""
    seen = capture.image.copy()
    patch = seen[200:216, 300:380, :3]
    patch[:] = np.where(patch < 128, patch + 8, patch - 8)
    own = replace(design, image=capture.image)
    return _Timed(f"{design.name}, nearly equal", own, replace(capture, image=seen))


def _long(design: Design, capture: Capture) -> _Timed:
    root, height = design.root, design.image.shape[0]
    assert root is not None
    assert root.box is not None
    copies = tuple(_lowered(root, k, k * height / design.scale) for k in range(TIMES))
    box = Box(root.box.x, root.box.y, root.box.w, root.box.h * TIMES)
    whole = replace(
        design,
        image=np.concatenate([design.image] * TIMES),
        frame=(design.frame[0], design.frame[1] * TIMES),
        root=replace(root, id="long", box=box, children=copies),
    )
    seen = np.concatenate([capture.image] * TIMES)
    return _Timed(
        f"{design.name}, {TIMES} times as long", whole, replace(capture, image=seen, dom=None)
    )


def _lowered(node: DesignNode, k: int, by: float) -> DesignNode:
    return replace(
        node,
        id=f"{node.id}.{k}",
        box=node.box.shifted(0, by) if node.box else None,
        render_box=None,
        children=tuple(_lowered(child, k, by) for child in node.children),
    )


def _timed(folders: dict[str, Path]) -> Iterator[_Timed]:
    scales = {page.name: page.scale for page in load_pages()}
    for name in (*PAGES, DENSE):
        if name not in folders:
            continue
        design = gates.load_design(folders[name], name=name, scale=scales[name])
        for file, words in ((AS_IS, "as it is"), (BROKEN, "another padding")):
            if (folders[name] / file).exists():
                capture = gates.load_capture(folders[name] / file, scale=scales[name])
                yield _Timed(f"{name}, {words}", design, capture)
        if name == LONG:
            capture = gates.load_capture(folders[name] / AS_IS, scale=scales[name])
            yield _nearly_equal(design, capture)
            yield _long(design, capture)


def _row(timed: _Timed) -> str:
    design, capture = timed.design, timed.capture
    rounds = ROUNDS if design.image.shape[0] < 3000 else 3
    tolerance: Any = Tolerance()
    plain = _least(lambda: compare_pixels(design.image, capture.image), rounds=rounds)
    gated = _least(lambda: judge_pixel(design, capture, tolerance=tolerance), rounds=rounds)
    judged = _least(lambda: judge_design(design, capture, tolerance=tolerance), rounds=rounds)
    named = _least(partial(gates.find("design"), design, capture), rounds=rounds)
    height, width = design.image.shape[:2]
    nodes = len(place_nodes(design.root)) if design.root else 0
    return (
        f"  {timed.name:30s} {width:4d}x{height:<4d} {nodes:5d} {plain:8.1f} {gated:8.1f} "
        f"{judged:8.1f} {judged / plain:6.1f}x {named:8.1f} {named / plain:6.1f}x "
        f"{named / gated:6.1f}x"
    )


def show(folders: dict[str, Path]) -> None:
    """Print what each comparison costs, by page.

    Plain is the mask of differing pixels alone, pixel the verdict of the ``pixel`` gate, design
    that of the ``design`` gate, and all the latter with its elements named and their style
    checked, as a report holds it.
    """
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    print(f"\n== ms of CPU for one comparison, without decoding, least of {ROUNDS}, one thread")
    print(
        f"  {'page':30s} {'px':9s} {'nodes':>5s} {'plain':>8s} {'pixel':>8s} {'design':>8s} "
        f"{'/ plain':>7s} {'all':>8s} {'/ plain':>7s} {'/ pixel':>7s}"
    )
    for timed in _timed(folders):
        print(_row(timed), flush=True)
    cv2.setNumThreads(threads)
