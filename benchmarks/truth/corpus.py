"""Makes the corpus: designs, captures and truth, in a cache folder, page by page.

A page is made anew only when its template, its settings or the code that makes it changes.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest_pixelloop
from benchmarks.truth import cases as truth
from benchmarks.truth.page import Page, load_pages
from benchmarks.truth.page_cases import Shelf, make_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.truth.cases import Case

HERE = Path(__file__).parent
PRODUCT = Path(pytest_pixelloop.__file__).parent
#: What judges and prints; a change there makes no other corpus.
_JUDGING = {"__main__", "corpus", "evaluate", "gates", "looks", "tables", "timing"}


def fingerprint(page: Page, *, seed: int) -> str:
    """Return what the page's part of the corpus depends on, as a short hash.

    Python files count by their syntax tree, so that a comment makes nothing anew. The product's
    DOM snapshot is part of a capture.
    """
    digest = hashlib.sha256(f"{seed}/{page}".encode())
    for path in sorted(HERE.glob("*.*")):
        if path.suffix == ".py" and path.stem not in _JUDGING:
            digest.update(ast.dump(ast.parse(path.read_text(encoding="utf-8"))).encode())
        elif path.suffix == ".js":
            digest.update(path.read_bytes())
    for name in ("core/dom.py", "capture/dom.py", "capture/dom_snapshot.js"):
        digest.update((PRODUCT / name).read_bytes())
    return digest.hexdigest()[:16]


def _work(task: tuple[Page, Page, Path, str, int]) -> str:
    page, other, folder, executable, seed = task
    cache = folder.parent
    if (folder / "cases.jsonl").exists():
        return f"{page.name}: cached"
    started = time.perf_counter()
    draft = cache / f"draft-{os.getpid()}-{folder.name}"
    draft.mkdir(parents=True)
    shelf = Shelf(folder=draft, page=page)
    make_page(shelf, executable, other, seed)
    lines = "".join(json.dumps(case.as_record()) + "\n" for case in shelf.cases)
    (draft / "cases.jsonl").write_text(lines, encoding="utf-8")
    for old in cache.glob(f"{page.name}.*"):
        shutil.rmtree(old)
    draft.rename(folder)
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
        (
            page,
            pages[(at + 1) % len(pages)],
            cache / f"{page.name}.{fingerprint(page, seed=seed)}",
            executable,
            seed,
        )
        for at, page in enumerate(pages)
        if not only or page.name in only
    ]
    with ProcessPoolExecutor(processes) as pool:
        for line in pool.map(_work, tasks):
            say(line)
    return {task[0].name: task[2] for task in tasks}


def load_cases(folder: Path) -> list[Case]:
    """Return the cases of one page's folder."""
    text = (folder / "cases.jsonl").read_text(encoding="utf-8")
    return [truth.from_record(json.loads(line)) for line in text.splitlines()]
