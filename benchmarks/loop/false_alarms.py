"""``python -m benchmarks.loop.false_alarms``: are honest pages taken for pictures of a design.

Opens every page of the benchmark of truth (both sets) and every one given by ``--pair NODES HTML``,
asks by what it shows the texts of its design, and exits 1 when one would be accused.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.truth import corpus
from benchmarks.truth.gates import load_design
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.session import BrowserSession
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.shown_texts import LEAST, MOST_OF, PAINT, PICTURE, TEXT, text_nodes
from pytest_pixelloop.sources.figma_nodes import read_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator


def _truth(cache: Path) -> Iterator[tuple[str, Design, str]]:
    for name in ("bench", "unseen"):
        for page in corpus.pages_of(name):
            folder = cache / f"{page.name}.{corpus.fingerprint(page, seed=1)}"
            if not (folder / "nodes.json").is_file():
                older = sorted(cache.glob(f"{page.name}.*/nodes.json"))
                if not older:
                    print(f"{page.name}: not in the cache; make it with python -m benchmarks.truth")
                    continue
                folder = older[-1].parent
            yield page.name, load_design(folder, name=page.name, scale=page.scale), page.html


def _pair(nodes: Path, html: Path) -> tuple[str, Design, Path]:
    import numpy as np

    root = read_nodes(nodes.read_bytes(), name=nodes.name).node(None)
    assert root.box is not None
    design = Design(
        name=html.parent.name,
        label=html.parent.name,
        image=np.zeros((1, 1, 4), np.uint8),
        frame=(root.box.w, root.box.h),
        scale=1,
        root=root,
    )
    return f"{nodes.parent.name}/{html.parent.name}", design, html


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path(".truth-cache"))
    parser.add_argument("--pair", nargs=2, type=Path, action="append", default=[])
    arguments = parser.parse_args()
    pages = [*_truth(arguments.cache), *(_pair(*pair) for pair in arguments.pair)]
    accused = looked = 0
    with BrowserSession() as session:
        for name, design, source in pages:
            size = {"width": round(design.frame[0]), "height": round(design.frame[1])}
            page = session.browser.new_page(viewport=size)
            page.goto(source.absolute().as_uri()) if isinstance(source, Path) else page.set_content(
                source
            )
            page.evaluate("() => document.fonts.ready")
            boxes = tuple(placed.box for placed in text_nodes(design))
            scale = design.scale
            capture = capture_target(page, frame=design.frame, scale=scale, texts=boxes)
            seconds = capture.durations["texts"]
            shown = capture.shown_texts
            page.close()
            counts = shown.counts() if shown else {}
            total = sum(v for k, v in counts.items() if k != "outside")
            drawn = counts.get(PICTURE, 0) + counts.get(PAINT, 0)
            wrong = drawn >= max(LEAST, MOST_OF * total)
            accused += wrong
            looked += 1
            share = counts.get(TEXT, 0) / total if total else 1.0
            mark = "  ACCUSED" if wrong else ""
            told = json.dumps(counts)
            print(
                f"{name:28} {share:6.1%} text  {seconds * 1000:5.0f} ms  {told}{mark}",
                flush=True,
            )
    print(f"\n{looked} pages, {accused} accused")
    return 1 if accused else 0


if __name__ == "__main__":
    sys.exit(main())
