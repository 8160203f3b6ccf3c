"""Overfit probes on pages that follow their design, and on the same pages pinned to their pixels.

    python -m benchmarks.loop.probes [PAGE ...]

The pages are those of the benchmark of truth. What a designer would have said of each node, FILL or
HUG, is read from the boxes of its design alone. Pinned is a page whose every element is positioned
absolutely where it was painted, with the width and height that it had.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.truth.corpus import pages_of
from benchmarks.truth.figma_json import to_envelope
from benchmarks.truth.studio import DEFAULT_MACHINE, Browsers, Studio
from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.capture.dom import snapshot_dom
from pytest_pixelloop.capture.stretching import stretch
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.overfit import judge_fills, judge_hugs, plan_probes
from pytest_pixelloop.core.style_channel import pair_elements
from pytest_pixelloop.sources.figma_nodes import read_nodes

if TYPE_CHECKING:
    from benchmarks.truth.page import Page

Node = dict[str, Any]
PIN = """() => {
  const pinned = [...document.body.querySelectorAll('*')]
    .filter(e => !e.closest('svg') || e.tagName === 'svg')
    .map(e => [e, e.getBoundingClientRect()]);
  for (const [element, box] of pinned) {
    const parent = element.parentElement.getBoundingClientRect();
    const border = getComputedStyle(element.parentElement);
    Object.assign(element.style, {position: 'absolute', boxSizing: 'border-box', margin: '0',
      left: `${box.x - parent.x - parseFloat(border.borderLeftWidth)}px`,
      top: `${box.y - parent.y - parseFloat(border.borderTopWidth)}px`,
      right: 'auto', bottom: 'auto', width: `${box.width}px`, height: `${box.height}px`,
      minWidth: '0', maxWidth: 'none', minHeight: '0', maxHeight: 'none', transform: 'none'});
  }
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the probes made of one page."""

    judged: int
    found: tuple[str, ...]


def as_told_by_a_designer(node: Node, parent: Node | None = None) -> None:
    """Add FILL and HUG to a tree, from its boxes: what spans its parent fills it, and so on."""
    box = node["absoluteBoundingBox"]
    for axis, (side, low, high) in enumerate(
        (("width", "Left", "Right"), ("height", "Top", "Bottom"))
    ):
        name = "layoutSizing" + ("Vertical" if axis else "Horizontal")
        if parent is not None and node["type"] in {"FRAME", "RECTANGLE"}:
            inner = parent["absoluteBoundingBox"][side] - sum(
                parent.get(f"padding{word}", 0) for word in (low, high)
            )
            along = {"HORIZONTAL": 0, "VERTICAL": 1}.get(parent.get("layoutMode", ""))
            if along == axis:
                fills = bool(node.get("layoutGrow"))
            else:
                fills = along is not None and abs(box[side] - inner) < 0.6
            if fills:
                node[name] = "FILL"
                continue
        children = [c for c in node.get("children", ()) if c["absoluteBoundingBox"]]
        along = {"HORIZONTAL": 0, "VERTICAL": 1}.get(node.get("layoutMode", ""))
        if along is None or not children:
            continue
        sizes = [c["absoluteBoundingBox"][side] for c in children]
        gaps = node.get("itemSpacing", 0) * (len(sizes) - 1)
        need = sum(sizes) + gaps if along == axis else max(sizes)
        need += sum(node.get(f"padding{word}", 0) for word in (low, high))
        if abs(need - box[side]) < 0.6:
            node[name] = "HUG"
    for child in node.get("children", ()):
        as_told_by_a_designer(child, node)


def design_of(page: Page, envelope: Node) -> Design:
    """Return the page's design, without a picture worth looking at."""
    nodes = read_nodes(json.dumps(envelope).encode(), name=page.name)
    return Design(
        name=page.name,
        label=page.name,
        image=np.zeros((1, 1, 4), np.uint8),
        frame=(float(page.width), float(page.height)),
        scale=1.0,
        root=nodes.node(None),
    )


def probe(tab: Any, design: Design) -> Row:
    """Return what the probes make of the page in *tab*."""
    probes = plan_probes(design, pair_elements(design, snapshot_dom(tab)))
    seen, answers = stretch(tab, design, probes)
    filled, first = judge_fills(probes.fills, seen, label=design.label)
    hugged, second = judge_hugs(probes.hugs, answers, label=design.label)
    return Row(judged=first + second, found=tuple(f.message for f in (*filled, *hugged)))


def main() -> int:
    """Probe every page twice and print a line for each."""
    chosen = set(sys.argv[1:])
    executable = find_browser(None, environ=os.environ).executable
    assert executable is not None
    false, caught, judgeable, judged = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder, Browsers(executable, Path(folder)) as browsers:
        for page in (*pages_of("bench"), *pages_of("unseen")):
            if chosen and page.name not in chosen:
                continue
            with Studio(page=page, browser=browsers.on(DEFAULT_MACHINE)).opened() as studio:
                studio.load()
                layout = studio.layout()[0].layout
                envelope = to_envelope(layout, name=page.name, width=page.width, height=page.height)
                (held,) = envelope["nodes"].values()
                as_told_by_a_designer(held["document"])
                design = design_of(page, envelope)
                fine = probe(studio.tab, design)
                studio.tab.evaluate(PIN)
                pinned = probe(studio.tab, design)
            judged += fine.judged
            false += len(fine.found)
            judgeable += fine.judged > 0
            caught += fine.judged > 0 and len(pinned.found) > 0
            print(
                f"{page.name:<18} as it is: {fine.judged:3} judged, {len(fine.found)} found   "
                f"pinned: {pinned.judged:3} judged, {len(pinned.found)} found"
            )
            for message in fine.found:
                print("   named as it is:", message)
    print(f"{judged} judged on pages as they are, {false} named; ", end="")
    print(f"{caught} of {judgeable} pinned pages caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
