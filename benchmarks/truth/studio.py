"""One page in one browser: loaded afresh, changed, photographed, measured."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import json
import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from PIL import Image

from benchmarks.truth import cases as truth
from benchmarks.truth import css
from benchmarks.truth.benign import TextRaster
from pytest_pixelloop.capture.dom import snapshot_dom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from benchmarks.truth.cases import Element
    from benchmarks.truth.page import Page

HERE = Path(__file__).parent
DEFAULT_MACHINE = TextRaster()
_VISIBLE = 6
"""A channel that differs by more is a changed pixel: less is no defect to look for."""
_SETTLE = """() => Promise.all([document.fonts.ready,
  ...[...document.images].map((i) => i.decode().catch(() => 0))])"""


def _script(name: str) -> str:
    return "\n".join(
        line
        for line in (HERE / name).read_text(encoding="utf-8").splitlines()
        if not line.startswith("//")
    )


def decoded(png: bytes) -> NDArray[np.uint8]:
    """Return a PNG as RGB."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A capture: the picture as PNG, the DOM snapshot as JSON."""

    png: bytes
    dom: str

    def write(self, path: Path) -> None:
        """Write the picture to *path* and the snapshot beside it."""
        path.write_bytes(self.png)
        packed = gzip.compress(self.dom.encode(), mtime=0)
        path.with_suffix(".dom.json.gz").write_bytes(packed)


def change(
    before: NDArray[np.uint8], after: NDArray[np.uint8], scale: int
) -> tuple[int, tuple[float, ...]]:
    if before.shape != after.shape:
        return before.shape[0] * before.shape[1], ()
    differs = np.abs(before.astype(np.int16) - after).max(axis=2) > _VISIBLE
    count = int(differs.sum())
    if not count:
        return 0, ()
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    x, y = int(columns[0]), int(rows[0])
    right, low = int(columns[-1]) + 1, int(rows[-1]) + 1
    return count, tuple(v / scale for v in (x, y, right - x, low - y))


def _painted(element: Element) -> bool:
    return (
        element.is_text or element.is_icon or "src" in element.layout or css.paints(element.style)
    )


def _places(page: list[Element]) -> dict[int, list[float]]:
    found = {}
    for e in page:
        if _painted(e):
            x, y, w, h = e.box
            found[e.index] = [x, y, x + w, y + h]
            for line in e.layout["lines"] or ():
                found[e.index] += [line["left"], line["top"], line["right"]]
    return found


def largest_move(before: list[Element], after: list[Element]) -> float:
    old, new = _places(before), _places(after)
    largest = 0.0
    for index, places in old.items():
        if len(places) != len(new.get(index, ())):
            return 99.0
        largest = max(largest, *(abs(a - b) for a, b in zip(places, new[index], strict=True)))
    return round(largest, 3)


@dataclass(slots=True)
class Studio:
    """One page in one browser: loads it afresh, changes it, photographs it."""

    page: Page
    browser: Any
    machine: TextRaster = DEFAULT_MACHINE
    tab: Any = None

    @contextmanager
    def opened(self, *, width: int | None = None) -> Iterator[Studio]:
        """Open an empty tab of the page's size."""
        context = self.browser.new_context(
            viewport={"width": width or self.page.width, "height": self.page.height},
            device_scale_factor=self.page.scale,
        )
        self.tab = context.new_page()
        try:
            yield self
        finally:
            context.close()

    def load(self) -> None:
        """Load the page afresh, wait for fonts and pictures, number its elements."""
        self.tab.set_content(self.page.html, wait_until="load")
        if self.machine.css:
            self.tab.add_style_tag(content=self.machine.css)
        self.tab.evaluate(_SETTLE)
        self.tab.evaluate(_script("extract.js"), arg=True)

    def layout(self) -> list[Element]:
        """Return the page as it is laid out now."""
        return truth.elements(self.tab.evaluate(_script("extract.js"), arg=False))

    def operate(self, operations: tuple[dict[str, Any], ...]) -> None:
        """Change the page's elements, by number."""
        self.tab.evaluate(_script("operate.js"), list(operations))

    def png(self) -> bytes:
        """Return what the page looks like now, as PNG."""
        self.tab.evaluate("() => new Promise((r) => requestAnimationFrame(() => r()))")
        return bytes(self.tab.screenshot(animations="disabled"))

    def dom(self) -> str:
        """Return the snapshot of the page's DOM now, as JSON."""
        return json.dumps(dataclasses.asdict(snapshot_dom(self.tab)))

    def shot(self) -> Shot:
        """Return what the page looks like now, and the snapshot of its DOM."""
        return Shot(png=self.png(), dom=self.dom())


class Browsers:
    """The browsers of one process, one for each machine, started when first asked for."""

    def __init__(self, executable: str, folder: Path) -> None:
        self._executable = executable
        self._folder = folder
        self._stack = ExitStack()
        self._open: dict[TextRaster, Any] = {}
        self._playwright: Any = None

    def __enter__(self) -> Self:
        from playwright.sync_api import sync_playwright

        self._playwright = self._stack.enter_context(sync_playwright())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def on(self, machine: TextRaster) -> Any:
        """Return the browser that draws text as *machine* does."""
        if machine not in self._open:
            name = hashlib.sha256(repr(machine).encode()).hexdigest()[:8]
            fonts = self._folder / f"fonts-{os.getpid()}-{name}.conf"
            fonts.write_text(machine.font_configuration(), encoding="utf-8")
            self._stack.callback(fonts.unlink)
            browser = self._playwright.chromium.launch(
                executable_path=self._executable,
                args=["--no-sandbox", *machine.flags],
                env={**os.environ, "FONTCONFIG_FILE": str(fonts.resolve())},
            )
            self._stack.callback(browser.close)
            self._open[machine] = browser
        return self._open[machine]
