"""Makes the corpus: designs, captures and truth, in a cache folder, page by page.

A page is made anew only when its template, its settings or the code that makes it changes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.truth import benign, css, defects, drawing, figma_json
from benchmarks.truth import cases as truth
from benchmarks.truth.benign import TextRaster
from benchmarks.truth.cases import Case, Element
from benchmarks.truth.pages import Page, load_pages

HERE = Path(__file__).parent
#: One or two cases of a kind on a page, by the page's draw.
PER_KIND = 2
CHAINS, CHAIN_LENGTH = 2, 4
MOVED_AT_LEAST = 3.0
#: A benign variant whose boxes moved further than this is no longer the same layout.
DRIFT_LIMIT = 2.0
_DEFAULT_MACHINE = TextRaster()
_SETTLE = """() => Promise.all([document.fonts.ready,
  ...[...document.images].map((i) => i.decode().catch(() => 0))])"""


def _script(name: str) -> str:
    return "\n".join(
        line
        for line in (HERE / name).read_text(encoding="utf-8").splitlines()
        if not line.startswith("//")
    )


def fingerprint(page: Page, *, seed: int) -> str:
    """Return what the page's part of the corpus depends on, as a short hash."""
    digest = hashlib.sha256(f"{seed}/{page}".encode())
    for name in (
        "benign.py", "cases.py", "colour.py", "corpus.py", "css.py", "defects.py", "drawing.py",
        "figma_json.py", "icons.py", "raster.py", "tokens.py", "extract.js", "operate.js",
    ):  # fmt: skip
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()[:16]


def _decode(png: bytes) -> NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def _painted(element: Element) -> bool:
    return (
        element.is_text
        or element.is_icon
        or "src" in element.layout
        or css.paints(element.style)
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


def _moved(before: list[Element], after: list[Element]) -> float:
    old, new = _places(before), _places(after)
    largest = 0.0
    for index, places in old.items():
        if len(places) != len(new.get(index, ())):
            return 99.0
        largest = max(largest, *(abs(a - b) for a, b in zip(places, new[index], strict=True)))
    return round(largest, 3)


@dataclass(slots=True)
class _Studio:
    """One page in one browser: loads it afresh, changes it, photographs it."""

    page: Page
    browser: Any
    machine: TextRaster = _DEFAULT_MACHINE
    tab: Any = None

    @contextmanager
    def opened(self, *, width: int | None = None) -> Iterator[_Studio]:
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
        self.tab.set_content(self.page.html, wait_until="load")
        if self.machine.css:
            self.tab.add_style_tag(content=self.machine.css)
        self.tab.evaluate(_SETTLE)
        self.tab.evaluate(_script("extract.js"), True)

    def layout(self) -> list[Element]:
        return truth.elements(self.tab.evaluate(_script("extract.js"), False))

    def operate(self, operations: tuple[dict[str, Any], ...]) -> None:
        self.tab.evaluate(_script("operate.js"), list(operations))

    def shot(self) -> bytes:
        self.tab.evaluate("() => new Promise((r) => requestAnimationFrame(() => r()))")
        return bytes(self.tab.screenshot(animations="disabled"))


@contextmanager
def _browser(
    executable: str, folder: Path, machine: TextRaster = _DEFAULT_MACHINE
) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    fonts = folder / "fonts.conf"
    fonts.write_text(machine.font_configuration(), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable,
            args=["--no-sandbox", *machine.flags],
            env={**os.environ, "FONTCONFIG_FILE": str(fonts.resolve())},
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass(slots=True)
class _Shelf:
    """The folder of one page: writes captures, collects the truth."""

    folder: Path
    page: Page
    cases: list[Case] = field(default_factory=list)

    def add(self, png: bytes, case: Case) -> None:
        (self.folder / case.file).write_bytes(png)
        self.cases.append(case)

    def case(self, group: str, kind: str, number: int, **more: Any) -> Case:
        name = f"{group}-{kind}-{number}"
        return Case(
            id=f"{self.page.name}/{name}", page=self.page.name, group=group, kind=kind,
            file=f"{name}.png", **more,
        )  # fmt: skip


def _change(
    before: NDArray[np.uint8], after: NDArray[np.uint8], scale: int
) -> tuple[int, tuple[float, ...]]:
    if before.shape != after.shape:
        return before.shape[0] * before.shape[1], ()
    differs = np.abs(before.astype(np.int16) - after).max(axis=2) > 6
    count = int(differs.sum())
    if not count:
        return 0, ()
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    x, y = int(columns[0]), int(rows[0])
    right, low = int(columns[-1]) + 1, int(rows[-1]) + 1
    return count, tuple(v / scale for v in (x, y, right - x, low - y))


def _write_design(shelf: _Shelf, layout: dict[str, Any]) -> None:
    page = shelf.page
    svg = drawing.to_svg(
        layout, width=page.width, height=page.height, seed=page.name, habits=page.figma_habits
    )
    (shelf.folder / "design.svg").write_text(svg, encoding="utf-8")
    (shelf.folder / "design.png").write_bytes(drawing.rasterise(svg, scale=page.scale))
    nodes = figma_json.to_envelope(layout, name=page.name, width=page.width, height=page.height)
    (shelf.folder / "nodes.json").write_text(json.dumps(nodes, indent=1), encoding="utf-8")


def _add_benign(shelf: _Shelf, studio: _Studio, reference: list[Element]) -> None:
    for kind, script in benign.SCRIPTS.items():
        studio.load()
        studio.tab.evaluate(script)
        if kind in benign.OFFSETS:
            studio.tab.add_style_tag(content=benign.OFFSETS[kind])
        shelf.add(studio.shot(), shelf.case(truth.BENIGN, kind, 0))
    recoding = benign.recoded(reference)
    if recoding.operations:
        studio.load()
        studio.operate(recoding.operations)
        shelf.add(studio.shot(), shelf.case(truth.BENIGN, "photos-recoded", 0))


def _try_defect(
    studio: _Studio, defect: defects.Defect, reference: list[Element], picture: NDArray[np.uint8]
) -> tuple[bytes, dict[str, Any]] | None:
    studio.load()
    studio.operate(defect.operations)
    png = studio.shot()
    count, area = _change(picture, _decode(png), studio.page.scale)
    if count < defect.pixels * studio.page.scale**2:
        return None
    more: dict[str, Any] = {"pixels": count, "area": area}
    if defect.extra:
        rect = studio.tab.evaluate(
            "(i) => { const r = window.__elements[i].nextElementSibling.getBoundingClientRect();"
            "return [r.left, r.top, r.width, r.height]; }",
            defect.element.index,
        )
        more["extra_box"] = tuple(rect)
    if defect.moves:
        more["moved"] = _moved(reference, studio.layout())
        if more["moved"] < MOVED_AT_LEAST:
            return None
    return png, more


def _add_defects(
    shelf: _Shelf, studio: _Studio, reference: list[Element], picture: NDArray[np.uint8], seed: str
) -> None:
    for kind in defects.KINDS:
        number = 0
        wanted = random.Random(f"{seed}/{kind}/number").randint(1, PER_KIND)
        for tries, defect in enumerate(defects.candidates(kind, reference, seed=seed)):
            if number == wanted or tries == 8 * PER_KIND:
                break
            found = _try_defect(studio, defect, reference, picture)
            if found is None:
                continue
            png, more = found
            case = shelf.case(
                truth.DEFECT, kind, number,
                detail=f"{_called(defect.element)}: {defect.detail}",
                changed=defect.changed, accepted=defect.accepted,
                properties=defect.properties, **more,
            )  # fmt: skip
            shelf.add(png, case)
            number += 1


def _called(element: Element) -> str:
    name = element.text or element.layout["class"] or element.layout["tag"]
    return f"{figma_json.node_id(element.index)} {name[:40]!r}"


def _related(first: Element, second: Element) -> bool:
    mine = {first.index, *(a.index for a in first.ancestors())}
    others = {second.index, *(a.index for a in second.ancestors())}
    return first.index in others or second.index in mine


def _add_chains(
    shelf: _Shelf, studio: _Studio, reference: list[Element], picture: NDArray[np.uint8], seed: str
) -> None:
    for chain in range(CHAINS):
        rng = random.Random(f"{seed}/chain/{chain}")
        kinds = [k for k in defects.KINDS if k not in {"swapped", "extra"}]
        rng.shuffle(kinds)
        kept: list[defects.Defect] = []
        last = picture
        for kind in kinds:
            if len(kept) == CHAIN_LENGTH:
                break
            step = _chain_step(studio, kind, kept, reference, last, f"{seed}/{chain}")
            if step is None:
                continue
            defect, png = step
            kept.append(defect)
            last = _decode(png)
            case = shelf.case(
                truth.NESTED, "chain", chain * CHAIN_LENGTH + len(kept) - 1,
                detail="; ".join(f"{d.kind} {_called(d.element)}" for d in kept),
                changed=tuple(i for d in kept for i in d.changed),
                accepted=tuple(i for d in kept for i in d.accepted),
                chain=f"{shelf.page.name}/{chain}", level=len(kept),
            )  # fmt: skip
            shelf.add(png, case)


def _chain_step(
    studio: _Studio,
    kind: str,
    kept: list[defects.Defect],
    reference: list[Element],
    last: NDArray[np.uint8],
    seed: str,
) -> tuple[defects.Defect, bytes] | None:
    for tries, defect in enumerate(defects.candidates(kind, reference, seed=seed)):
        if tries == 4:
            return None
        if any(_related(defect.element, other.element) for other in kept):
            continue
        if defect.layout and any(other.layout for other in kept):
            continue
        studio.load()
        studio.operate(tuple(o for d in (*kept, defect) for o in d.operations))
        png = studio.shot()
        count, _ = _change(last, _decode(png), studio.page.scale)
        moved = _moved(reference, studio.layout()) if defect.moves else 99.0
        if count >= defect.pixels * studio.page.scale**2 and moved >= MOVED_AT_LEAST:
            return defect, png
    return None


_INCOMPARABLE = {
    "wrong-theme": "html{background:#fff;filter:invert(1) hue-rotate(180deg)}",
    "blank": "body>*{display:none!important}",
    "missing-font": "body *{font-family:'Liberation Serif'!important}",
}


def _add_incomparable(shelf: _Shelf, studio: _Studio, other: Page) -> None:
    for kind, style in _INCOMPARABLE.items():
        studio.load()
        studio.tab.add_style_tag(content=style)
        shelf.add(studio.shot(), shelf.case(truth.OTHER, kind, 0))
    stranger = _Studio(page=replace(other, width=studio.page.width, height=studio.page.height,
                                    scale=studio.page.scale), browser=studio.browser, machine=studio.machine)
    with stranger.opened():
        stranger.load()
        shelf.add(stranger.shot(), shelf.case(truth.OTHER, "other-screen", 0))
    with studio.opened(width=round(studio.page.width * 0.75)):
        studio.load()
        shelf.add(studio.shot(), shelf.case(truth.OTHER, "wrong-width", 0))


def _make_page(shelf: _Shelf, executable: str, other: Page, seed: int) -> None:
    page = shelf.page
    with _browser(executable, shelf.folder, benign.IDEAL) as browser:
        studio = _Studio(page=page, browser=browser)
        with studio.opened():
            studio.load()
            ideal = studio.layout()
            _write_design(shelf, ideal[0].layout)
    own = benign.RASTERS[page.machine] if page.machine else _DEFAULT_MACHINE
    with _browser(executable, shelf.folder, own) as browser:
        studio = _Studio(page=page, browser=browser, machine=own)
        with studio.opened():
            studio.load()
            reference = studio.layout()
            picture = _decode(studio.shot())
            _add_benign(shelf, studio, reference)
            name = f"{seed}/{page.name}"
            _add_defects(shelf, studio, reference, picture, name)
            _add_chains(shelf, studio, reference, picture, name)
        with studio.opened():
            _add_incomparable(shelf, studio, other)
    for kind, machine in benign.RASTERS.items():
        with _browser(executable, shelf.folder, machine) as browser:
            studio = _Studio(page=page, browser=browser, machine=machine)
            with studio.opened():
                studio.load()
                moved = _moved(ideal, studio.layout())
                named = kind if moved <= DRIFT_LIMIT else f"{kind}-drifted"
                shelf.add(studio.shot(), shelf.case(truth.BENIGN, named, 0, moved=moved))


def _work(task: tuple[Page, Page, Path, str, int]) -> str:
    page, other, cache, executable, seed = task
    folder = cache / f"{page.name}.{fingerprint(page, seed=seed)}"
    if (folder / "cases.jsonl").exists():
        return f"{page.name}: cached"
    started = time.perf_counter()
    for old in cache.glob(f"{page.name}.*"):
        shutil.rmtree(old)
    folder.mkdir(parents=True)
    shelf = _Shelf(folder=folder, page=page)
    _make_page(shelf, executable, other, seed)
    lines = "".join(json.dumps(case.as_record()) + "\n" for case in shelf.cases)
    (folder / "cases.jsonl").write_text(lines, encoding="utf-8")
    return f"{page.name}: {len(shelf.cases)} captures in {time.perf_counter() - started:.0f} s"


def make(
    cache: Path,
    *,
    executable: str,
    seed: int,
    processes: int = 2,
    only: tuple[str, ...] = (),
    say: Callable[[str], None] = print,
) -> dict[str, Path]:
    """Make what is missing in the cache and return the folder of each page."""
    cache.mkdir(parents=True, exist_ok=True)
    (cache / ".gitignore").write_text("*\n", encoding="utf-8")
    pages = load_pages()
    tasks = [
        (page, pages[(at + 1) % len(pages)], cache, executable, seed)
        for at, page in enumerate(pages)
        if not only or page.name in only
    ]
    with ProcessPoolExecutor(processes) as pool:
        for line in pool.map(_work, tasks):
            say(line)
    return {
        task[0].name: cache / f"{task[0].name}.{fingerprint(task[0], seed=seed)}" for task in tasks
    }


def load_cases(folder: Path) -> list[Case]:
    """Return the cases of one page's folder."""
    text = (folder / "cases.jsonl").read_text(encoding="utf-8")
    return [truth.from_record(json.loads(line)) for line in text.splitlines()]
