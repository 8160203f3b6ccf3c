"""Tell of seeded defects, one at a time, whether what the brief says to set repairs the page.

    python -m benchmarks.loop.survey [--page NAME ...] [--kind KIND ...] [--seed TEXT] [--list]

Pages and defects are those of ``benchmarks/truth``; the page stays open in the browser, the first
edit is applied to it as a style of the element that the selector names (words as words), and it is
captured again, until it passes or its findings + 2 edits are spent. Kinds that no property repairs
(missing, extra, swapped, other pictures and icons) are left out.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.truth import benign, defects
from benchmarks.truth.gates import load_design
from benchmarks.truth.page import load_pages
from benchmarks.truth.page_cases import MOVED_AT_LEAST, Shelf, _write_design
from benchmarks.truth.studio import (
    DEFAULT_MACHINE,
    Browsers,
    Studio,
    change,
    decoded,
    largest_move,
)
from pytest_pixelloop.capture.dom import snapshot_dom
from pytest_pixelloop.checker import check
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from benchmarks.truth.cases import Element
    from benchmarks.truth.defect import Defect
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.finding import Finding

LEFT_OUT = frozenset(
    ("missing", "missing-reflow", "extra", "swapped", "wrong-icon", "wrong-image", "clipped-text")
)
TRIES = 6
_APPLY = """(el, a) => {
  if (a.property !== 'text') return el.style.setProperty(a.property, a.value, 'important');
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let n = walker.nextNode(); n; n = walker.nextNode()) if (n.data.trim()) texts.push(n);
  texts.forEach((n, i) => { n.data = i ? '' : a.value; });
}"""


def _findings(studio: Studio, design: Design) -> list[Finding]:
    picture = decoded(studio.png())
    image = np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])
    capture = Capture(
        image=image, scale=studio.page.scale, source="survey", dom=snapshot_dom(studio.tab)
    )
    found = [f for f in check(design, capture, tolerance=Tolerance()).findings if f.gating]
    return sorted(found, key=lambda f: (-f.severity, f.delta_id))


def _broken(studio: Studio, defect: Defect, reference: list[Element], picture: Any) -> bool:
    """Put a defect on the page; tell whether it shows."""
    studio.load()
    studio.operate(defect.operations)
    count, _ = change(picture, decoded(studio.png()), studio.page.scale)
    if count < defect.pixels * studio.page.scale**2:
        return False
    return not defect.moves or largest_move(reference, studio.layout()) >= MOVED_AT_LEAST


def _repaired(studio: Studio, design: Design) -> tuple[str, int, list[str]]:
    """Apply first edits until the page passes; return how it ended and after how many."""
    limit, told = None, []
    for number in range(99):
        found = _findings(studio, design)
        limit = len(found) + 2 if limit is None else limit
        if not found:
            return ("unseen" if number == 0 else "repaired"), number, told
        edit = next((f.edit for f in found if f.edit), None)
        told.append(
            f"{found[0].message[:110]} | {edit and (edit.selector, edit.property, edit.value)}"
        )
        if edit is None or number == limit:
            return ("no edit" if edit is None else "not repaired"), number, told
        studio.tab.locator(edit.selector).first.evaluate(
            _APPLY, {"property": edit.property, "value": edit.value}, timeout=5000
        )
    return "not repaired", 99, told


def main() -> int:
    """Print how each kind of defect fared."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loop.survey")
    parser.add_argument("--page", action="append", default=[], metavar="NAME")
    parser.add_argument("--kind", action="append", default=[], metavar="KIND")
    parser.add_argument("--seed", default="survey")
    parser.add_argument("--list", action="store_true", help="print each case that was not repaired")
    arguments = parser.parse_args()
    executable = shutil.which("chromium") or shutil.which("google-chrome") or ""
    kinds = arguments.kind or [k for k in defects.KINDS if k not in LEFT_OUT]
    ends: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    with tempfile.TemporaryDirectory() as made, Browsers(executable, Path(made)) as browsers:
        for page in load_pages():
            if arguments.page and page.name not in arguments.page:
                continue
            folder = Path(made) / page.name
            folder.mkdir()
            ideal = Studio(page=page, browser=browsers.on(benign.IDEAL))
            with ideal.opened():
                ideal.load()
                _write_design(Shelf(folder=folder, page=page), ideal.layout()[0].layout)
            design = load_design(folder, name=page.name, scale=page.scale)
            machine = benign.RASTERS[page.machine] if page.machine else DEFAULT_MACHINE
            studio = Studio(page=page, browser=browsers.on(machine), machine=machine)
            with studio.opened():
                _survey(studio, design, kinds, ends, arguments)
    print(f"{'kind':16} {'repaired':>8} {'not':>4} {'no edit':>8} {'unseen':>7}")
    for kind, counted in ends.items():
        print(
            f"{kind:16} {counted['repaired']:8} {counted['not repaired']:4} "
            f"{counted['no edit']:8} {counted['unseen']:7}"
        )
    total = sum(ends.values(), Counter())
    seen = total.total() - total["unseen"]
    print(f"{total['repaired']} of {seen} defects that gate are repaired within findings + 2 edits")
    return 0


def _survey(
    studio: Studio,
    design: Design,
    kinds: list[str],
    ends: dict[str, Counter[str]],
    arguments: argparse.Namespace,
) -> None:
    studio.load()
    reference, picture = studio.layout(), decoded(studio.png())
    for kind in kinds:
        tried = defects.candidates(kind, reference, seed=f"{arguments.seed}/{studio.page.name}")
        for _, defect in zip(range(TRIES), tried, strict=False):
            if not _broken(studio, defect, reference, picture):
                continue
            end, used, told = _repaired(studio, design)
            ends[kind][end] += 1
            if arguments.list and end != "repaired":
                print(f"{studio.page.name}/{kind} ({defect.detail}): {end} after {used}")
                print("\n".join(f"    {line}" for line in told), flush=True)
            break


if __name__ == "__main__":
    sys.exit(main())
